#!/usr/bin/env python3
"""Tests of mutants.py: it changes one place, the same one every time, and only code."""

import functools
import pathlib
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import mutant_places
import mutants

FILES = [file for group in mutants.GROUPS.values() for file in group.files.split()]


@functools.lru_cache
def read(file):
    return (mutants.ROOT / file).read_text()


def changes(text):
    """What the mutants of a function with this body are."""
    source = mutant_places.Source("x.cpp", f"void f() {{\n{text}\n}}\n")
    return [mutant.what for kind in source.kinds() for mutant in kind]


def listed(*arguments):
    command = [sys.executable, mutants.ROOT / "scripts" / "mutants.py", "--list", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Kinds(unittest.TestCase):
    def test_each_operator_is_replaced(self):
        for old, fresh in mutant_places.OPERATORS.items():
            self.assertEqual(changes(f"const bool x = a {old} b;"), [f"{old} -> {fresh}"])

    def test_sign_is_replaced(self):
        self.assertEqual(changes("const int x = -a;"), ["- -> +"])

    def test_statements_are_deleted(self):
        self.assertEqual(changes("run();"), ["delete run()"])
        self.assertEqual(changes("*a++ = b;"), ["delete *a++ = b"])
        self.assertEqual(changes("a[i] += 1;"), ["delete a[i] += 1"])
        self.assertEqual(changes("if (a) return;"), ["delete return"])
        self.assertEqual(changes("for (;;) { ++n; }"), ["delete ++n"])
        self.assertEqual(changes("switch (a) { case A::b: return c; }"), ["delete return c"])
        self.assertEqual(changes("(a ? b : c).clear();"), ["delete (a ? b : c).clear()"])
        self.assertEqual(changes("each(a, [&] { run(); });")[1], "delete run()")

    def test_arguments_are_swapped(self):
        self.assertEqual(changes("const int x = f(a, g(1, 1), c);"),
                         ["swap a and g(1, 1) in f(...)", "swap g(1, 1) and c in f(...)"])
        self.assertEqual(changes("const int x = f(*a, &b);"), ["swap *a and &b in f(...)"])
        self.assertIn("swap a * b and c > d in f(...)", changes("const int x = f(a * b, c > d);"))


class NotCode(unittest.TestCase):
    def test_comments_strings_and_directives_stay(self):
        for text in ("// a < b", "/* a + b; */", "#define A f(a, b)", "# if A == B",
                     'const char* x = "a - b";', "const char x = '<';",
                     'const auto x = R"(a && b; f(1, 2);)";'):
            self.assertEqual(changes(text), [], text)

    def test_templates_and_declarations_stay(self):
        for text in ("std::map<int, A<B>> x;", "const auto x = cast<int>(y);", "Value x;",
                     "std::vector<A<int>> x = y;", "const A& x = y;", "A&& x = y;", "using A = B;",
                     "auto [x, y] = z;", "int g(const A& a, int b);", "A g(B<C> a, D& b);",
                     "struct A { int x; std::string y; };", "template <class A> void g(A&& a);",
                     "const auto x = [](int a, int b) {};"):
            self.assertEqual(changes(text), [], text)

    def test_header_of_a_loop_is_no_statement(self):
        self.assertEqual(changes("for (int i = 0; i < n; ++i) {}"), ["< -> <="])


class Places(unittest.TestCase):
    def test_mutant_differs_in_one_place(self):
        for file in FILES:
            text = read(file)
            for mutant in (m for kind in mutant_places.Source(file, text).kinds() for m in kind):
                changed = mutant_places.apply(mutant, text)
                self.assertNotEqual(changed, text, mutant)
                self.assertEqual(changed[:mutant.start], text[:mutant.start])
                rest = len(text) - mutant.end
                self.assertEqual(changed[len(changed) - rest:], text[mutant.end:])

    def test_line_and_column_lead_to_the_change(self):
        for mutant in mutant_places.places(FILES, 1, read):
            line = read(mutant.file).split("\n")[mutant.line - 1]
            old = re.match(r"(\S+) -> ", mutant.what)
            if old:
                self.assertTrue(line[mutant.column - 1:].startswith(old.group(1)), mutant)

    def test_list_is_that_of_the_seed(self):
        first = listed("--count", "5", "--seed", "1")
        self.assertEqual(len(first.splitlines()), 5)
        self.assertEqual(first, listed("--count", "5", "--seed", "1"))
        self.assertNotEqual(first, listed("--count", "5", "--seed", "2"))

    def test_change_elsewhere_does_not_choose_others(self):
        text = "void f() {\n  run();\n  if (a == b) return;\n}\n"
        chosen = [m.what for m in mutant_places.places(["x"], 1, lambda _: text)]
        moved = mutant_places.places(["x"], 1, lambda _: "void g() {}\n\n" + text)
        self.assertEqual([m.what for m in moved], chosen)

    def test_all_kinds_take_their_turn(self):
        kinds = {m.what.split()[0] for m in mutant_places.places(FILES, 1, read)[:3]}
        self.assertEqual(len(kinds), 3)


class Groups(unittest.TestCase):
    def test_files_exist(self):
        for file in FILES:
            self.assertTrue((mutants.ROOT / file).is_file(), file)

    def test_files_are_a_group_with_the_test_of_their_folder_first(self):
        files, tests = mutants.group_of(["mdh/ll/evaluate.cpp"])
        self.assertEqual((files, tests[0]), (["mdh/ll/evaluate.cpp"], "ll_test"))

    def test_unknown_group_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "'high' is neither .* high-level, low-level"):
            mutants.group_of(["high"])


if __name__ == "__main__":
    unittest.main()
