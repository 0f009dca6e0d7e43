# SPDX-License-Identifier: BSD-3-Clause
"""The rule about memory orders: each names the function that holds the other side."""
import bisect
import collections
import functools
import os
import re

from source_tree import ANNOTATIONS, C_FAMILY, LITERALS, c_functions

PRODUCT = ("src/", "transports/", "collectives/", "runtimes/", "tools/")
NEAR_LINES = 10

ORDER = re.compile(r"\b(?:memory_order(?:_|::)|__ATOMIC_)"
                   r"(acquire|release|acq_rel|seq_cst|ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)\b"
                   r"|\b_mm_([sm])fence\b")
ATOMIC = re.compile(r"\bstd::atomic(?:_ref)?\b(?:<[^;()]*>)?\s*[&*]?\s*(\w+)\s*(?=[;,{=()\[])")
CALL = re.compile(r"(?:\bstd::atomic_ref(?:<[^;()]*>)?(\([^;]*?\))|\b(\w+)(?:\[[^\]]*\])?)(?:\.|->)"
                  r"(load|store|exchange|fetch_\w+|compare_exchange_\w+)\(")
REFERENCE = r"[\w./-]+:(?:operator[^\w\s,.]+|~?\w(?:[\w:]*\w)?)"
PAIRS = re.compile(rf"\bPairs with ({REFERENCE}(?:(?:, | and |, and ){REFERENCE})*)")
ANY_PAIRS = re.compile(r"\b[Pp]airs with\b")
CLASS = re.compile(r"^[ \t]*(?:template\b[^;{]*>\s*)?(?:class|struct)\s+(?:alignas\([^;{]*?\)\s*)?"
                   r"(\w+)[^;(){}]*\{", re.MULTILINE)
FUNCTION_NAME = re.compile(r"(\boperator[^\w\s(]+|~?\w+)\s*\(")

Site = collections.namedtuple("Site", "line reads writes text")
Comment = collections.namedtuple("Comment", "first last text")


def _argument_count(code, start):
    """The number of arguments behind an opening parenthesis, and all their text."""
    depth, commas = 1, 0
    for at in range(start, len(code)):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        commas += depth == 1 and code[at] == ","
        if depth == 0:
            text = code[start:at].strip()
            return (commas + 1 if text else 0), text
    return 0, ""


def _called(code, at):
    """The name in front of the parenthesis that `at` stands in."""
    depth = 0
    for start in range(at - 1, -1, -1):
        depth += (code[start] == ")") - (code[start] == "(")
        if depth < 0:
            return re.search(r"\w*$", code[:start]).group()
    return ""


def _sides(order, called):
    """(reads, writes): whether the order is an acquire and whether it is a release."""
    if order in ("seq_cst", "acq_rel"):
        return "store" not in called, "load" not in called
    return order == "acquire", order == "release"


class Orders:
    """The orders, comments and functions of one file."""

    def __init__(self, tree, name, atomics):
        self.name = name
        self.code = tree.code(name)
        self._ends = [match.end() for match in re.finditer("\n", self.code)]
        self.functions = []
        for first, last, head in c_functions(self.code):
            names = FUNCTION_NAME.findall(ANNOTATIONS.sub("", head))
            if names and names[0].isupper():  # SHMEM_ENTRY(void, shmem_quiet, void)
                names = re.findall(r"\w+", head)
            else:
                names = names[:1]
            self.functions.append((first, last, names, head))
        self.sites = sorted(self._sites(atomics))

    def line_of(self, at):
        return bisect.bisect_right(self._ends, at) + 1

    def _sites(self, atomics):
        for match in ORDER.finditer(self.code):
            fence = {"s": "release", "m": "seq_cst"}.get(match.group(2))
            order = fence or match.group(1).lower()
            called = "" if fence else _called(self.code, match.start())
            if "signal_fence" in called:
                continue  # It orders nothing between threads.
            reads, writes = _sides(order, called)
            yield Site(self.line_of(match.start()), reads, writes, match.group())
        for match in CALL.finditer(self.code):
            most = {"load": 0, "store": 1, "exchange": 1}.get(match.group(3), 1)
            most += match.group(3).startswith("compare")
            count, _ = _argument_count(self.code, match.end())
            if count == most and (match.group(1) or match.group(2) in atomics):
                reads, writes = _sides("seq_cst", match.group(3))
                yield Site(self.line_of(match.start(3)), reads, writes, match.group(3) + "()")

    def comments(self, tree):
        """Comments; lines that stand together are one."""
        text, found = tree.text(self.name), []
        for match in LITERALS.finditer(text):
            if not match.group("comment"):
                continue
            line = self.line_of(match.start())
            words = re.sub(r"\n[ \t]*(?://|\*)?", " ", match.group().strip("/*")).strip()
            start = text.rfind("\n", 0, match.start()) + 1
            alone = not text[start:match.start()].strip()
            if alone and found and found[-1].last == line - 1:
                found[-1] = found[-1]._replace(last=line, text=found[-1].text + " " + words)
            else:
                last = line + match.group().count("\n")
                found.append(Comment(line, last, words))
        return found

    def classes(self):
        """(first line, last line, name) of classes."""
        for match in CLASS.finditer(self.code):
            depth = 0
            for brace in re.finditer(r"[{}]", self.code[match.end() - 1:]):
                depth += 1 if brace.group() == "{" else -1
                if depth == 0:
                    last = self.line_of(match.end() - 1 + brace.start())
                    first = self.line_of(match.start() + len(match.group()) -
                                         len(match.group().lstrip()))
                    yield first, last, match.group(1)
                    break

    def bodies(self, function):
        """(first line, last line) of the functions of this name."""
        simple = function.split("::")[-1]
        return [(first, last) for first, last, names, _ in self.functions if simple in names]

    def sides_in(self, function):
        """Of all functions of this name, whether they acquire and whether they release."""
        sites = [site for first, last in self.bodies(function) for site in self.sites
                 if first <= site.line <= last]
        return any(site.reads for site in sites), any(site.writes for site in sites)


class _Partners:
    def __init__(self, tree):
        self._tree = tree
        self._atomics = {name for file in tree.named(*C_FAMILY)
                         for name in ATOMIC.findall(tree.code(file))}
        self._by_base = collections.defaultdict(list)
        for file in tree.named(*C_FAMILY):
            self._by_base[os.path.basename(file)].append(file)

    @functools.lru_cache(maxsize=None)
    def orders(self, name):
        return Orders(self._tree, name, self._atomics)

    def file_of(self, name, file):
        target = self._tree.include_target(name, file)
        named = self._by_base.get(file, [])
        target = target or (file if file in self._tree else None)
        return target or (named[0] if len(named) == 1 else None)

    def sides(self, name, reference):
        """(acquires, releases) of a named function, or the complaint about it."""
        file, function = reference.split(":", 1)
        target = self.file_of(name, file)
        if target is None:
            return f"{file} is no path from src/, include/ or the root, and no file name of one"
        if not self.orders(target).bodies(function):
            return f"{function} is no function of {target}"
        sides = self.orders(target).sides_in(function)
        return sides if any(sides) else f"{function} in {target} holds no order"


def _comments_near(orders, comments, site, lines):
    """The comments on the line of an order and in the lines above, back to the last function."""
    line = site.line
    while lines[line - 2].endswith("\\"):  # To the #define.
        line -= 1
    before = [last for _, last, _, _ in orders.functions if last < line]
    top = max([line - NEAR_LINES] + [last + 1 for last in before])
    return [it for it in comments if it.last >= top and it.first <= site.line]


def _comments_of_class(tree, partners, name, site):
    """The comments above the class that an order belongs to."""
    orders, stem = partners.orders(name), os.path.splitext(name)[0]
    heads = [head for first, last, _, head in orders.functions if first <= site.line <= last]
    for file in {name, stem + ".hpp"} & set(tree.files):
        its = partners.orders(file)
        for first, last, word in its.classes():
            inside = file == name and first <= site.line <= last
            if inside or any(re.search(rf"\b{word}(?:<.*>)?::", head) for head in heads):
                yield from (it for it in its.comments(tree) if it.last == first - 1)


def _references(comments):
    return [reference for comment in comments for match in PAIRS.finditer(comment.text)
            for reference in re.findall(REFERENCE, match.group(1))]


def order_partners(tree):
    partners = _Partners(tree)
    for name in tree.named(*C_FAMILY, under=PRODUCT):
        orders = partners.orders(name)
        if not orders.sites:
            continue
        comments = orders.comments(tree)
        for comment in comments:
            if len(ANY_PAIRS.findall(comment.text)) > len(PAIRS.findall(comment.text)):
                yield name, comment.first, 'say "Pairs with FILE:FUNCTION"'
        for reference in set(_references(comments)):
            complaint = partners.sides(name, reference)
            if isinstance(complaint, str):
                line = next(it.first for it in comments if reference in it.text)
                yield name, line, complaint
        for site in orders.sites:
            named = _references(_comments_near(orders, comments, site, tree.lines(name)))
            named = named or _references(_comments_of_class(tree, partners, name, site))
            sides = [partners.sides(name, reference) for reference in named]
            others = [side for side in sides if not isinstance(side, str)]
            if not named:
                yield name, site.line, f"{site.text} names no partner: // Pairs with FILE:FUNCTION"
            elif others and not any((reads and site.writes) or (writes and site.reads)
                                    for reads, writes in others):
                side = "release" if site.reads else "acquire"
                yield name, site.line, f"{site.text}: no {side} in {', '.join(named)}"


ORDER_RULES = {"order-partners": order_partners}
