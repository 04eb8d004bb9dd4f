"""The places of a C++ source where one token can be changed, found without a C++ parser.

It relies on the format of the sources (clang-format): blanks around binary operators, none around
the angle brackets of templates. What it takes for code and is not does not compile, and then it
does not count.
"""

import collections
import hashlib
import itertools
import re

OPERATORS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "&&": "||", "||": "&&", "+": "-", "-": "+",
}

# ---- Tokens -----------------------------------------------------------------------------------

Token = collections.namedtuple("Token", "kind text start end")

TOKEN = re.compile(r"""
    (?P<skip>\s+ | //[^\n]* | /\*.*?\*/ | ^[ \t]*\#(?:[^\n\\]|\\.)*)
  | (?P<text>(?:u8|[uUL])?R"(?P<raw>[^(\s]*)\(.*?\)(?P=raw)" | (?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"
           | '(?:[^'\\\n]|\\.)+')
  | (?P<number>\.?[0-9](?:[eEpP][+-]|'[0-9a-fA-F]|[.\w])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign><<=|>>=|\.\.\.|<=>|->\*|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
""", re.VERBOSE | re.MULTILINE | re.DOTALL)

# Words with which no expression statement begins.
NOT_STATEMENTS = set(
    "alignas auto bool case catch char class const constexpr default do double else enum explicit "
    "extern float for friend if inline int mutable namespace operator private protected public "
    "short signed static static_assert struct switch template throw try typedef typename union "
    "unsigned using virtual void while".split())
# Words after which an operator has no left operand, or a parenthesis is no call.
NOT_OPERANDS = NOT_STATEMENTS | {"return", "co_return", "sizeof", "new", "delete", "not", "and"}
OPEN, CLOSE = "([{", ")]}"


def tokens_of(text):
    found = []
    for match in TOKEN.finditer(text):
        if match.lastgroup != "skip":
            kind = "text" if match.lastgroup == "raw" else match.lastgroup
            found.append(Token(kind, match.group(), match.start(), match.end()))
    return found


def partners_of(tokens):
    """Index of an opening or closing bracket -> index of the other one."""
    partners, opened = {}, []
    for n, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        if token.text in OPEN:
            opened.append(n)
        elif token.text in CLOSE and opened:
            partners[n] = opened.pop()
            partners[partners[n]] = n
    return partners


# ---- Places -----------------------------------------------------------------------------------

# text[start:end] of the file becomes `fresh`.
Mutant = collections.namedtuple("Mutant", "file line column start end fresh what")


class Source:
    """One file and all of its mutants."""

    def __init__(self, file, text):
        self.file, self.text = file, text
        self.tokens = tokens_of(text)
        self.partners = partners_of(self.tokens)

    def kinds(self):
        """The mutants of each kind."""
        return [list(self.operators()), list(self.statements()), list(self.arguments())]

    def mutant(self, start, end, fresh, what):
        line = self.text.count("\n", 0, start) + 1
        column = start - self.text.rfind("\n", 0, start)
        return Mutant(self.file, line, column, start, end, fresh, what)

    def spaced(self, n):
        """The format puts blanks around binary operators, and none around those of templates."""
        token = self.tokens[n]
        return self.text[token.start - 1].isspace() and self.text[token.end].isspace()

    def is_operand(self, n):
        """Whether an operand may end with this token."""
        token = self.tokens[n]
        if token.kind == "sign":
            return token.text in ")]}"
        return token.text not in NOT_OPERANDS

    def operators(self):
        for n in range(1, len(self.tokens) - 1):
            token = self.tokens[n]
            if token.kind != "sign" or token.text not in OPERATORS:
                continue
            negates = token.text == "-" and not self.is_operand(n - 1)
            if negates or (self.is_operand(n - 1) and self.spaced(n)):
                fresh = OPERATORS[token.text]
                yield self.mutant(token.start, token.end, fresh, f"{token.text} -> {fresh}")

    # ---- statements

    def in_function(self):
        """For each token: whether the innermost brackets around it are braces, and not those of a
        class or namespace."""
        scopes, inside = [False], []
        header = 0
        for n, token in enumerate(self.tokens):
            inside.append(scopes[-1])
            if token.kind != "sign" or token.text not in "()[]{};":
                continue
            if token.text in OPEN:
                words = {t.text for t in self.tokens[header:n] if t.kind == "word"}
                is_type = words & {"namespace", "class", "struct", "enum", "union"}
                scopes.append(token.text == "{" and not is_type)
            elif token.text in CLOSE and len(scopes) > 1:
                scopes.pop()
            if token.text in "{};":
                header = n + 1
        return inside

    def starts_statement(self, n):
        before = self.tokens[n - 1]
        if before.text in ("{", "}", ";", "else", "do"):
            return True
        if before.text == ")" and n - 1 in self.partners:
            return self.tokens[self.partners[n - 1] - 1].text in ("if", "for", "while", "constexpr")
        return before.text == ":" and self.is_label(n - 1)

    def is_label(self, colon):
        for n in range(colon - 1, -1, -1):
            if self.tokens[n].text in ("case", "default"):
                return True
            if self.tokens[n].text not in ("::", ",") and self.tokens[n].kind == "sign":
                return False
        return False

    def end_of_statement(self, first):
        """The index of the ';' that ends the statement, or None."""
        n, conditional = first, False
        while n < len(self.tokens):
            text = self.tokens[n].text if self.tokens[n].kind == "sign" else ""
            if text == ";":
                return n
            if text == ":" and not conditional:
                return None  # a constructor and its members
            conditional = conditional or text == "?"
            if text and text in CLOSE:
                return None  # a list in braces
            n = self.partners.get(n, n) + 1 if text and text in OPEN else n + 1
        return None

    def is_declaration(self, first, last):
        """Two names in a row before the first bracket or '=': a type, which ends in a word or in a
        sign without a blank in front, and what it declares."""
        for n in range(first + 1, last):
            token, before = self.tokens[n], self.tokens[n - 1]
            if token.text in ("(", "[", "=", "?", "."):
                return False
            if token.kind != "word":
                continue
            if before.kind == "word":
                return True
            attached = n - 1 > first and not self.text[before.start - 1].isspace()
            if attached and before.text in (">", ">>", "&", "&&", "*"):
                return True
        return False

    def statements(self):
        inside = self.in_function()
        for n in range(1, len(self.tokens)):
            token = self.tokens[n]
            begins = token.kind == "word" and token.text not in NOT_STATEMENTS
            if not (begins or token.text in ("*", "(", "++", "--")):
                continue
            if not inside[n] or not self.starts_statement(n):
                continue
            end = self.end_of_statement(n)
            if end is None or (token.text != "return" and self.is_declaration(n, end)):
                continue
            start, stop = token.start, self.tokens[end].start
            short = " ".join(self.text[start:stop].split())
            # Tests that read the sources, for the codes of errors, still find what is in comments.
            fresh = f"/*{self.text[start:stop]}*/"
            yield self.mutant(start, stop, fresh, f"delete {shortened(short)}")

    # ---- arguments

    def arguments_of(self, opening):
        """(start, end) in the text of each argument of the call."""
        closing = self.partners[opening]
        parts, begin, n = [], opening + 1, opening + 1
        while n <= closing:
            text = self.tokens[n].text if self.tokens[n].kind == "sign" else ""
            if text == "," or n == closing:
                if n > begin:
                    parts.append((begin, n - 1))
                begin = n + 1
            n = self.partners[n] + 1 if text and text in OPEN and n in self.partners else n + 1
        return parts

    def declares(self, first, last):
        tokens = self.tokens[first:last + 1]
        names = [t.text for t in tokens if t.kind == "word"]
        return bool(names) and (names[0] in NOT_STATEMENTS or self.is_declaration(first, last + 1))

    def arguments(self):
        for n in range(1, len(self.tokens)):
            before = self.tokens[n - 1]
            is_call = before.kind == "word" and before.text not in NOT_OPERANDS
            if self.tokens[n].text != "(" or n not in self.partners or not is_call:
                continue
            parts = self.arguments_of(n)
            if any(self.declares(first, last) for first, last in parts):
                continue
            for left, right in zip(parts, parts[1:]):
                yield from self.swapped(before.text, left, right)

    def swapped(self, callee, left, right):
        start, middle = self.tokens[left[0]].start, self.tokens[left[1]].end
        then, end = self.tokens[right[0]].start, self.tokens[right[1]].end
        a, b = self.text[start:middle], self.text[then:end]
        if a != b:
            what = f"swap {shortened(a)} and {shortened(b)} in {callee}(...)"
            yield self.mutant(start, end, b + self.text[middle:then] + a, what)


def shortened(text, limit=50):
    text = " ".join(text.split())
    return text if len(text) <= limit else text[:limit - 3] + "..."


def apply(mutant, text):
    return text[:mutant.start] + mutant.fresh + text[mutant.end:]


def places(files, seed, read):
    """All mutants of the files, in an order that the seed chooses; the kinds take turns."""
    ranked = [[], [], []]
    for file in files:
        text = read(file)
        lines, seen = text.split("\n"), collections.Counter()
        for kind, mutants in enumerate(Source(file, text).kinds()):
            for mutant in mutants:
                key = f"{seed}:{file}:{lines[mutant.line - 1].strip()}:{mutant.what}"
                seen[key] += 1
                rank = hashlib.sha256(f"{key}:{seen[key]}".encode()).hexdigest()
                ranked[kind].append((rank, mutant))
    turns = itertools.zip_longest(*map(sorted, ranked))
    return [place[1] for turn in turns for place in turn if place]


def by_place(mutants):
    return sorted(mutants, key=lambda m: (m.file, m.line, m.start))
