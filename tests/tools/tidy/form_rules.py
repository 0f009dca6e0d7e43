# SPDX-License-Identifier: BSD-3-Clause
"""Rules about the form of code that clang-format leaves open. Each yields (path, line, message)."""
import re

from rules import numbered_matches
from source_tree import C_FAMILY, LITERALS, without_directives

HEAD = re.compile(r"\b(?:(?:if|while)(?:\s+constexpr)?|for|switch)\s*\(|\belse\b(?!\s*if\b)")
ATTRIBUTES = re.compile(r"\s*(?:\[\[\w+\]\]\s*)?")
ELSE = re.compile(r"\s*else\b\s*")
ENDS_IN_ELSE = re.compile(r"\belse\s*\Z")
WORD = re.compile(r"\w+")
STATEMENT = re.compile(r"(?:if|for|while|do|switch)\b")
# These expand to an if of their own, to which the compiler gives the next else.
ASSERTION = re.compile(r"(?:EXPECT|ASSERT)_\w+\(|FAIL\(|ADD_FAILURE\w*\(|SUCCEED\(")


def _levels(code, start):
    """(position, character, depth) from `start` on; a bracket has the depth around it."""
    depth = 0
    for at in range(start, len(code)):
        depth -= code[at] in ")]}"
        yield at, code[at], depth
        depth += code[at] in "([{"


def _body(code, head):
    """Where the body begins behind the match of a head."""
    end = head.end()
    if head.group().endswith("("):
        levels = _levels(code, end - 1)
        end = 1 + next(at for at, char, depth in levels if char == ")" and not depth)
    return ATTRIBUTES.match(code, end).end()


def _end(code, start):
    """Where the statement that begins at `start` ends."""
    head = HEAD.match(code, start)
    if not head:
        last = "}" if code[start] == "{" else ";"
        return next(at for at, char, depth in _levels(code, start) if char == last and not depth)
    end = _end(code, _body(code, head))
    other = ELSE.match(code, end + 1)
    return _end(code, other.end()) if other else end


def _bodies(code):
    """(start of the head, start, end) of each body of an if, a loop or an else."""
    for head in HEAD.finditer(code):
        start = _body(code, head)
        if code[start] != ";":  # That is the end of do { } while ().
            yield head.start(), start, _end(code, start)


def _is_one_line(code, head, start, end):
    """Whether head and body need no braces: the body is one statement on one line."""
    word = WORD.match(code, head).group()
    body = code[start:end + 1] if code[start] != "{" else code[start + 1:end].strip()
    has_other_branch = (word == "else" or ELSE.match(code, end + 1) or
                        ENDS_IN_ELSE.search(code, max(0, head - 200), head))
    semicolons = sum(char == ";" and not depth for _, char, depth in _levels(body, 0))
    condition = re.sub(r"\[\[\w+\]\]", "", code[head:start]).strip()
    return not (has_other_branch or "\n" in body or "\n" in condition or
                semicolons != 1 or not body.endswith(";") or STATEMENT.match(body) or
                (word == "if" and ASSERTION.match(body)))


def braces(tree):
    """A body of one statement on one line has no braces, and any other body has them."""
    for name in tree.named(*C_FAMILY):
        code, text = without_directives(tree.code(name)), tree.text(name)
        for head, start, end in _bodies(code):
            has_braces, is_one_line = code[start] == "{", _is_one_line(code, head, start, end)
            line = code.count("\n", 0, head) + 1
            if not has_braces and not is_one_line:
                yield name, line, "put braces around the body"
            elif has_braces and is_one_line:
                literals = LITERALS.finditer(text[start:end])
                if not any(match.group("comment") for match in literals):
                    yield name, line, "one statement on one line needs no braces"


def comment_marks(tree):
    """Comments begin with //; the docstrings that become manual pages, with /**."""
    for name in tree.named(*C_FAMILY):
        for line, _ in numbered_matches(r"(?:^|\s)///", tree.text(name)):
            yield name, line, "begin the comment with //"


FORM_RULES = {"braces": braces, "comment-marks": comment_marks}
