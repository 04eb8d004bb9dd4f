"""Runs build/release/tests/campaign again and again and adds up what it finds.

Every share of seeds runs in a process of its own with a time limit, so that a crash or a hang of
compiled code is a failure and not the end. The places take turns, weighted by what a case costs.
"""
import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time

RUNNER = "build/release/tests/campaign"
LEAST_PER_RULE = 50
LEAST_KEPT = 0.95
MISSING = 3  # exit code of the runner where this machine lacks something

# Where cases run, and how many seeds one process gets.
PLACES = [("openmp", 200), ("address", 60), ("evaluators", 200), ("thread", 60), ("opencl", 40),
          ("cuda", 400), ("emulation", 100)]


class Totals:
    def __init__(self):
        self.cases = collections.Counter()
        self.devices = set()
        self.refused = 0
        self.rules = collections.Counter()
        self.registers = collections.Counter()
        self.failures = []

    def add(self, place, first, count, exit_code, output, errors):
        """Takes one process's report; one that has none is a failure of all its seeds."""
        try:
            report = json.loads(output.strip().splitlines()[-1])
        except (IndexError, ValueError):
            self.failures.append((place, first, f"seeds {first} to {first + count - 1}: exit code "
                                                f"{exit_code}, no report: {errors.strip()[-500:]}"))
            return
        self.cases[place] += report["cases"]
        self.refused += report["refused"]
        if "device" in report:
            self.devices.add(report["device"])
        for rule, count in report["rules"].items():
            self.rules[rule] += count
        if place == "openmp":  # elsewhere lanes are loops
            self.registers.update(report.get("registers", {}))
        for failure in report["failures"]:
            self.failures.append((place, failure["seed"], failure["complaint"]))

    def loses_registers(self):
        """Too much of what decompositions mean to be in registers is an array in the end."""
        meant = self.registers["meant"]
        return meant >= 200 and self.registers["kept"] < LEAST_KEPT * meant

    def rare_rules(self):
        return {rule: self.rules[rule] for rule in self.rules if self.rules[rule] < LEAST_PER_RULE}


def environment():
    env = dict(os.environ, MDH_CACHE="off")
    env.setdefault("POCL_CACHE_DIR", tempfile.mkdtemp(prefix="mdh_campaign_"))
    return env


def run_share(place, first, count, save, env, limit=900):
    command = [RUNNER, "--on", place, "--from", str(first), "--count", str(count), "--save", save]
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return place, first, count, 124, "", f"did not end within {limit} s"
    return place, first, count, done.returncode, done.stdout, done.stderr


def available(env):
    """Places that this machine has: a sanitizer or a device may be missing."""
    found = []
    for place, count in PLACES:
        probe = run_share(place, 1, 1, "", env)
        if probe[3] == MISSING:
            print(probe[5].strip(), file=sys.stderr)
        else:
            found.append((place, count))
    return found


def campaign(options):
    env = environment()
    places = [p for p in available(env) if not options.on or p[0] in options.on.split(",")]
    totals, seed = Totals(), options.seed
    end = time.monotonic() + 60 * options.minutes
    turns = itertools.cycle(places)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        running = set()
        while running or time.monotonic() < end:
            while len(running) < (os.cpu_count() or 1) and time.monotonic() < end:
                place, count = next(turns)
                running.add(pool.submit(run_share, place, seed, count, options.save, env))
                seed += count
            done, running = concurrent.futures.wait(
                running, return_when=concurrent.futures.FIRST_COMPLETED)
            for share in done:
                totals.add(*share.result())
            left = max(0, int(end - time.monotonic()))
            print(f"campaign: {sum(totals.cases.values())} cases, {len(totals.failures)} failures, "
                  f"{left // 60} min {left % 60} s left", file=sys.stderr)
    return totals, seed


def report(options, totals, next_seed):
    print(f"seeds {options.seed} to {next_seed - 1}, {options.minutes} minutes")
    for place, cases in sorted(totals.cases.items()):
        print(f"  {place:12} {cases:8} cases")
    for device in sorted(totals.devices):
        print(f"  on {device}")
    print(f"  {totals.refused} triples are not supported by code generation")
    print("rules of the planner, by cases that make use of them:")
    for rule, count in sorted(totals.rules.items()):
        print(f"  {rule:32} {count:8}")
    for rule, count in totals.rare_rules().items():
        print(f"  RARE {rule}: {count}, fewer than {LEAST_PER_RULE}")
    print(f"registers: {totals.registers['kept']} of {totals.registers['meant']} temporaries are there")
    if totals.loses_registers():
        totals.failures.append(("openmp", 0, "registers: fewer are kept than decompositions mean"))
    for place, seed, complaint in totals.failures:
        print(f"FAILED on {place}, seed {seed}: {complaint}")
    print(f"campaign: {sum(totals.cases.values())} cases, {len(totals.failures)} failures")


def self_test():
    totals = Totals()
    good = {"cases": 3, "refused": 1, "failures": [], "rules": {"first write": 60, "write up": 2,
                                                                    "lockstep": 0},
            "registers": {"meant": 300, "kept": 299}, "device": "opencl:0  Titan"}
    bad = {"cases": 1, "refused": 0, "failures": [{"seed": 7, "complaint": "wrong"}], "rules": {}}
    totals.add("openmp", 1, 4, 0, json.dumps(good), "")
    totals.add("thread", 5, 3, 1, "noise\n" + json.dumps(bad), "")
    totals.add("opencl", 8, 2, 139, "", "Segmentation fault")
    assert totals.cases == {"openmp": 3, "thread": 1}
    assert totals.refused == 1
    assert totals.devices == {"opencl:0  Titan"}
    assert totals.rare_rules() == {"write up": 2, "lockstep": 0}
    assert [(f[0], f[1]) for f in totals.failures] == [("thread", 7), ("opencl", 8)]
    assert not totals.loses_registers()
    totals.registers["kept"] -= 30
    assert totals.loses_registers()
    assert "exit code 139" in totals.failures[1][2]
    print("campaign: self-test passed")


def options_of(arguments):
    parser = argparse.ArgumentParser(prog="scripts/campaign.sh", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", default="build/campaign", help="a folder for cases that fail")
    parser.add_argument("--on", default="", help="only these places: openmp,cuda")
    parser.add_argument("--self-test", action="store_true")
    return parser.parse_args(arguments)


def main(arguments):
    options = options_of(arguments)
    if options.self_test:
        self_test()
        return 0
    totals, next_seed = campaign(options)
    report(options, totals, next_seed)
    return 1 if totals.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
