#!/usr/bin/env python3
"""Token mutants: which changes of one token does no test notice?

Each mutant changes one place of one source file in a copy of the tree, builds the test programs
of its group and runs them until one fails. A mutant that does not compile is replaced by another.
The places follow from the seed and from the text of their lines alone, so that a change elsewhere
does not choose others.
"""

import argparse
import collections
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # nothing is written next to the sources
from mutant_places import apply, by_place, places

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Name -> the sources to change, and the test programs in the order in which they are tried; the
# unit test of a file's own folder goes first.
Group = collections.namedtuple("Group", "files tests")
GROUPS = {
    "high-level": Group(
        "mdh/hl/evaluate.cpp mdh/hl/mda.cpp mdh/hl/custom_operator.cpp mdh/hl/address.cpp "
        "mdh/hl/ranges/index_range.cpp mdh/scalar/tape/tape.cpp mdh/scalar/tape/tape_compiler.cpp "
        "mdh/scalar/apply.cpp mdh/scalar/array.cpp mdh/scalar/algebra.cpp mdh/scalar/combiner.cpp",
        "scalar_test hl_test errors_test property_test examples_test"),
    "low-level": Group("mdh/ll/evaluate.cpp", "ll_test passes_test property_test examples_test"),
    "lowering": Group(
        "mdh/passes/lower/lower.cpp mdh/passes/lower/fuse.cpp mdh/ll/parameters.cpp mdh/ll/footprint.cpp "
        "mdh/ll/tile.cpp mdh/ll/nest.cpp mdh/ll/storage.cpp",
        "ll_test passes_test golden_test property_test"),
    "loops": Group("mdh/loop/evaluate.cpp mdh/loop/evaluation/memory.cpp",
                   "loop_test passes_test property_test"),
}
TESTS_OF_FILES = "errors_test property_test examples_test"  # after the unit test of the folder

# ---- The copy of the tree ---------------------------------------------------------------------

class Copy:
    """The working tree as it is now, copied; what is unchanged keeps its time stamp."""

    def __init__(self, folder):
        self.tree, self.build = folder / "tree", folder / "build"
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
            check=True, capture_output=True, text=True).stdout
        self.files = {f for f in listed.split("\0") if f and (ROOT / f).is_file()}

    def refresh(self):
        if self.tree.is_dir():
            for path in list(self.tree.rglob("*")):
                if path.is_file() and path.relative_to(self.tree).as_posix() not in self.files:
                    path.unlink()
        for file in sorted(self.files):
            fresh, target = (ROOT / file).read_bytes(), self.tree / file
            if target.is_file() and target.read_bytes() == fresh:
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(fresh)
            target.chmod((ROOT / file).stat().st_mode)

    def configure(self):
        # Warnings are no reason to drop a mutant, except that of a function that returns nothing.
        # Assertions of the library notice an index that is one too large.
        run(["cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
             "-DCMAKE_CXX_FLAGS_DEBUG=-O1", "-DMDH_BUILD_TESTS=ON", "-DMDH_WERROR=OFF",
             "-DCMAKE_CXX_FLAGS=-Werror=return-type -D_GLIBCXX_ASSERTIONS"])

    def make(self, target, jobs):
        return subprocess.run(["cmake", "--build", self.build, "--target", target, f"-j{jobs}"],
                              capture_output=True, text=True, errors="replace")

    def program(self, target):
        found = [p for p in self.build.rglob(target) if p.is_file() and os.access(p, os.X_OK)]
        return found[0] if found else None


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"mutants: {' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")


# ---- Tests ------------------------------------------------------------------------------------

def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run_test(program, cases, seconds):
    """Nothing if all tests pass; otherwise which one does not, and how."""
    environment = dict(os.environ, MDH_CASES=str(cases), GTEST_FAIL_FAST="1", OMP_NUM_THREADS="2")
    process = subprocess.Popen([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", env=environment, cwd=program.parent,
                               preexec_fn=limit_memory, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=seconds)
        ended = f"signal {-process.returncode}" if process.returncode < 0 else ""
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        ended = f"no end after {seconds:.0f} s"
    if process.returncode == 0:
        return None
    began = re.findall(r"^\[ RUN      \] (\S+)", output, re.MULTILINE)
    failed = re.findall(r"^\[  FAILED  \] ([^\s,]+\.[^\s,]+)", output, re.MULTILINE)
    case = (failed or began[-1:] or ["before the first case"])[0]
    return f"{program.name} {case}" + (f" ({ended})" if ended else "")


class Trial:
    """The tests of a group on the copy, with and without a mutant."""

    def __init__(self, copy, tests, options):
        self.copy, self.tests, self.options = copy, tests, options
        self.seconds = {}  # of each test without a mutant
        self.stamps = {}  # of each program when it passed last

    def baseline(self):
        for test in self.tests:
            done = self.copy.make(test, self.options.jobs)
            if done.returncode != 0:
                sys.exit(f"mutants: {test} does not build without a mutant:\n{done.stdout[-3000:]}")
            started = time.monotonic()
            killer = run_test(self.copy.program(test), self.options.cases, 600)
            if killer:
                sys.exit(f"mutants: a test fails without a mutant: {killer}")
            self.seconds[test] = time.monotonic() - started
            self.passed(test)
            print(f"mutants: {test} passes in {self.seconds[test]:.0f} s", flush=True)

    def passed(self, test):
        self.stamps[test] = self.copy.program(test).stat().st_mtime_ns

    def judge(self, mutant):
        """'no compile', None for a survivor, or what killed it."""
        own = mutant.file.split("/")[1] + "_test"
        for test in sorted(self.tests, key=lambda t: t != own):
            if self.copy.make(test, self.options.jobs).returncode != 0:
                return "no compile"
            program = self.copy.program(test)
            if self.stamps.get(test) == program.stat().st_mtime_ns:
                continue  # not relinked: it does not contain the file
            limit = 20 + 5 * self.seconds[test]
            killer = run_test(program, self.options.cases, limit)
            if killer:
                return killer
            self.passed(test)
        return None

    def mutate(self, mutant):
        path = self.copy.tree / mutant.file
        original = path.read_text()
        path.write_text(apply(mutant, original))
        try:
            return self.judge(mutant)
        finally:
            path.write_text(original)


# ---- Command ----------------------------------------------------------------------------------

def described(mutant):
    return f"{mutant.file}:{mutant.line}:{mutant.column}: {mutant.what}"


def try_all(trial, queue, count):
    """Tries mutants, file after file, until `count` of them have compiled."""
    outcomes, broken = [], 0
    while len(outcomes) < count and queue:
        missing = count - len(outcomes)
        for mutant in by_place(queue[:missing]):
            killer = trial.mutate(mutant)
            if killer == "no compile":
                broken += 1
                continue
            outcomes.append((mutant, killer))
            verdict = f"killed by {killer}" if killer else "SURVIVED"
            print(f"{len(outcomes):3} {described(mutant)}: {verdict}", flush=True)
        queue = queue[missing:]
    return outcomes, broken


def group_of(names):
    """The group of that name, or one of the files themselves."""
    if len(names) == 1 and names[0] in GROUPS:
        group = GROUPS[names[0]]
        return group.files.split(), group.tests.split()
    for name in names:
        if not re.fullmatch(r"mdh/\w+/.*\.cpp", name) or not (ROOT / name).is_file():
            sys.exit(f"mutants: '{name}' is neither a source file mdh/<folder>/<name>.cpp nor one "
                     f"of the groups {', '.join(GROUPS)}")
    units = dict.fromkeys(name.split("/")[1] + "_test" for name in names)
    return names, [*units, *TESTS_OF_FILES.split()]


def options_of(arguments):
    parser = argparse.ArgumentParser(prog="scripts/mutants.sh", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60, help="how many mutants (60)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("--group", nargs="+", default=["high-level"], metavar="GROUP|FILE",
                        help=f"{', '.join(GROUPS)}, or source files (high-level)")
    parser.add_argument("--cases", type=int, default=100, help="cases of the property test (100)")
    parser.add_argument("--jobs", type=int, default=2, help="cores to build with (2)")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "mutants",
                        help="for the copy and its build (build/mutants)")
    parser.add_argument("--list", action="store_true", help="print the mutants, build nothing")
    parser.add_argument("--self-test", action="store_true", help="test this script")
    return parser.parse_args(arguments)


def main(arguments):
    options = options_of(arguments)
    if options.self_test:
        return subprocess.call([sys.executable, ROOT / "scripts" / "mutants_test.py"])
    files, tests = group_of(options.group)
    queue = places(files, options.seed, lambda file: (ROOT / file).read_text())
    if options.list:
        for mutant in by_place(queue[:options.count]):
            print(described(mutant))
        return 0
    copy = Copy(options.folder.resolve())
    copy.refresh()
    copy.configure()
    trial = Trial(copy, tests, options)
    trial.baseline()
    outcomes, broken = try_all(trial, queue, options.count)
    survivors = [mutant for mutant, killer in outcomes if not killer]
    print(f"\nmutants: {len(outcomes)} of {len(queue)} places in {' '.join(options.group)}, seed "
          f"{options.seed}: {len(outcomes) - len(survivors)} killed, {len(survivors)} survived "
          f"({broken} more did not compile)")
    for mutant in survivors:
        print(f"  SURVIVED {described(mutant)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
