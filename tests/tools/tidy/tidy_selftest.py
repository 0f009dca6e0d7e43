#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shows that every tidy rule fires, and that it stays silent on a tree in good order.

Each case changes a small clean tree in one place and expects findings of one rule, and no others.
"""
import os
import tempfile
import unittest
from unittest import mock

from source_tree import Tree, c_functions, without_literals
from tidy import RULES_OF_FILES, findings_of

NAMES = set(RULES_OF_FILES) | {"test-twins"}
LICENSE = "// SPDX-License-Identifier: BSD-3-Clause\n"
HEAD = LICENSE + "//\n// Opens the file.\n"
SCRIPT = "# SPDX-License-Identifier: BSD-3-Clause\n"

CLEAN = {
    "CMakeLists.txt": SCRIPT + "add_library(base src/base/word.cpp src/heap/part.cpp)\n"
                      "add_library(shm transports/shm/put.cpp)\nadd_test(COMMAND check.py)\n",
    "include/shmem.h": HEAD + "#ifdef A\n#endif\n#include \"shmem/rma.h\"\n",
    "include/shmem/rma.h": HEAD,
    "src/base/word.hpp": HEAD + "void word();\n",
    "src/base/word.cpp": HEAD + "#include \"base/word.hpp\"\n#include \"base/platform.hpp\"\n"
                         "void word() { getenv_not(1'000); }\n",
    "src/base/platform.hpp": HEAD + "#if defined(A)\n#endif\n",
    "src/heap/part.hpp": HEAD + "#include \"base/word.hpp\"\n#include \"base/platform.hpp\"\n",
    "src/heap/part.cpp": HEAD + "#include \"heap/part.hpp\"\n// goto, std::cout and getenv()\n",
    "transports/README.md": "# Transports\n- `shm/`: the kernel copies (base/word.hpp).\n",
    "transports/transport.hpp": HEAD + "#include \"base/word.hpp\"\n",
    "transports/shm/README.md": "# shm\n",
    "transports/shm/put.cpp": HEAD + "#include \"transports/transport.hpp\"\nvoid put(int) {}\n",
    "collectives/README.md": "# Collectives\n",
    "runtimes/CMakeLists.txt": SCRIPT + "add_library(caf caf/core/team.cpp caf/front/entry.cpp)\n",
    "runtimes/caf/core/team.hpp": HEAD + "#include <shmem.h>\n",
    "runtimes/caf/core/team.cpp": HEAD + "#include \"core/team.hpp\"\n",
    "runtimes/caf/front/entry.hpp": HEAD,
    "runtimes/caf/front/entry.cpp": HEAD + "#include \"core/team.hpp\"\n"
                                    "#include \"front/entry.hpp\"\n",
    "collectives/group.hpp": HEAD + "// address_map\n",
    "tests/README.md": "# Tests: `check.py`, `unit/`, `behaviour/`\n",
    "tests/CMakeLists.txt": SCRIPT + "tests(unit/base/word_test unit/transports/contract_test)\n"
                            "file(GLOB names CONFIGURE_DEPENDS behaviour/headers/*.c)\n",
    "tests/behaviour/headers/one.c": HEAD,
    "tests/unit/base/word_test.cpp": HEAD + "#include \"helper.hpp\"\n",
    "tests/unit/base/helper.hpp": HEAD,
    "tests/unit/transports/contract_test.cpp": HEAD + "#include \"collectives/group.hpp\"\n",
    "tests/part_check.py": SCRIPT + "import check\n",
    "tests/check.py": SCRIPT + "import part_check\n",
    "tests/behaviour/headers/symbols.txt": "shmem_int_put\n",
    "docs/code/path-of-a-put.md": "`src/heap/part.cpp`, then `put()` in `transports/shm/put.cpp`,\n"
                             "`shmem_int_put()`, `word()`, `src/*/{word,part}.hpp`,\n"
                             "[here](../../src/base/word.hpp).\n",
}
COVERED_BY = {"src/heap/part.cpp": "tests/unit/base/word_test.cpp"}


def long_function(lines):
    return "int f(int a) {\n" + "    a += 1;\n" * lines + "}\n"


RELEASE = "inline std::atomic<int> a;\ninline void put() { a.store(1, std::memory_order_release); }"
FUNCTION = "inline void f(int a) {{ {} }}\n"
ACQUIRE = "inline int get() { return a.load(std::memory_order_acquire); }\n"


# (rule, path, new text or None to remove it, part of the message)
CASES = (
    ("file-size", "src/base/word.cpp", HEAD + "#include \"base/word.hpp\"\n" + "int a;\n" * 500,
     "504 lines"),
    ("file-size", "tests/check.py", SCRIPT + "import part_check\n" * 501, "502 lines"),
    ("line-length", "src/base/word.hpp", HEAD + "// " + "x" * 98 + "\n", "101 columns"),
    ("line-length", "tests/CMakeLists.txt", CLEAN["tests/CMakeLists.txt"] + "#" * 101, "101"),
    ("function-size", "src/base/word.hpp", HEAD + long_function(70), "71 lines: int f"),
    ("function-size", "src/base/word.hpp",
     HEAD + "namespace n {\nclass C : public B {\n  public:\n    C() : a_{1}, b_(2) {\n" +
     "        a_ = '{';\n" * 70 + "    }\n};\n}\n", "71 lines"),
    ("function-size", "tests/check.py",
     SCRIPT + "import part_check\ndef f():\n" + "    pass\n" * 71, "71 lines: f"),
    ("circles", "src/base/platform.hpp", HEAD + "#include \"base/word.hpp\"\n",
     "base/platform -> src/base/word -> src/base/platform"),
    ("include-arrows", "src/base/word.hpp", HEAD + "#include \"heap/part.hpp\"\n",
     "src/base must not include src/heap/part.hpp"),
    ("include-arrows", "src/base/word.hpp", HEAD + "#include <shmem.h>\n",
     "src/base must not include include/shmem.h"),
    ("include-arrows", "src/heap/part.hpp",
     CLEAN["src/heap/part.hpp"] + "#include \"transports/transport.hpp\"\n", "src/heap must not"),
    ("include-arrows", "transports/shm/put.cpp",
     CLEAN["transports/shm/put.cpp"] + "#include \"heap/part.hpp\"\n", "transports/shm must not"),
    ("include-arrows", "src/heap/part.cpp", HEAD + "#include \"heap/part.hpp\"\n"
     "#include \"base/none.hpp\"\n", "is no path"),
    ("include-arrows", "src/heap/part.cpp", HEAD + "#include \"part.hpp\"\n"
     "#include \"heap/part.hpp\"\n", "\"part.hpp\" is no path"),
    ("include-arrows", "runtimes/caf/core/team.cpp", HEAD + "#include \"core/team.hpp\"\n"
     "#include \"front/entry.hpp\"\n", "core must not include runtimes/caf/front/entry.hpp"),
    ("include-arrows", "runtimes/caf/front/entry.cpp", CLEAN["runtimes/caf/front/entry.cpp"] +
     "#include \"base/word.hpp\"\n", "\"base/word.hpp\" is no path"),
    ("license-line", "docs/test.f90", "program a\nend\n", "first line"),
    ("dead-files", "tests/lost.f90", "! " + SCRIPT[2:], "no CMakeLists.txt"),
    ("environment", "src/heap/part.hpp", CLEAN["src/heap/part.hpp"] + "void* a = std::getenv(b);\n",
     "std::getenv"),
    ("environment", "transports/transport.hpp",
     CLEAN["transports/transport.hpp"] + "char** a = environ;\n", "environ"),
    ("mapped-or-fabric", "collectives/group.hpp", HEAD + "int a = address_map.npes;\n",
     "address_map: go through"),
    ("mapped-or-fabric", "collectives/group.hpp", HEAD + "void f() { g(map.fabric->put(1)); }\n",
     "fabric->"),
    ("mutex-kinds", "transports/transport.hpp",
     CLEAN["transports/transport.hpp"] + "inline std::mutex lock;\n", "std::mutex"),
    ("mutex-kinds", "src/heap/part.hpp",
     CLEAN["src/heap/part.hpp"] + "inline std::shared_mutex lock;\n", "std::shared_mutex"),
    ("conditionals", "src/heap/part.hpp", CLEAN["src/heap/part.hpp"] + "# ifdef A\n#endif\n",
     "# ifdef A"),
    ("license-line", "src/base/word.hpp", "// Opens the file.\n" + LICENSE, "first line"),
    ("license-line", "tests/check.py", "import part_check\n", "first line"),
    ("license-line", "docs/man/a.1", ".TH A 1\n", "first line"),
    ("banned-words", "src/base/word.hpp", HEAD + "// TO" "DO: more.\n", "open an issue"),
    ("banned-words", "tests/README.md", "A st" "ub in `unit/ behaviour/`.\n", "finish it"),
    ("banned-words", "src/base/word.hpp", HEAD + "void f() { std::cout << 1; }\n", "stdio"),
    ("banned-words", "src/base/word.hpp", HEAD + "#include <iostream>\n", "stdio"),
    ("banned-words", "src/base/word.hpp", HEAD + "using namespace std;\n", "name what"),
    ("banned-words", "src/base/word.hpp", HEAD + "void f() { goto end; }\n", "scope"),
    ("opening-comment", "src/base/word.hpp", LICENSE + "#pragma once\n// Later.\n", "open by"),
    ("readme-sizes", "transports/README.md", "shm/\n" * 41, "41 lines"),
    ("readme-sizes", "transports/shm/README.md", None, "missing"),
    ("readme-sizes", "docs/code/architecture.md", "line\n" * 181, "181 lines"),
    ("dead-files", "tests/unit/base/lost_test.cpp", HEAD, "no CMakeLists.txt"),
    ("dead-files", "CMakeLists.txt",
     CLEAN["CMakeLists.txt"].replace("src/base/word.cpp", "# src/base/word.cpp\n"), "names it"),
    ("dead-files", "tests/behaviour/headers/deep/lost.c", HEAD, "no CMakeLists.txt"),
    ("dead-files", "examples/lost.c", HEAD, "no CMakeLists.txt"),
    ("dead-files", "src/base/lost.hpp", HEAD, "no file includes it"),
    ("dead-files", "tests/lost.sh", SCRIPT, "calls it"),
    ("named-paths", "docs/other.md", "See `src/heap/gone.cpp`.\n", "src/heap/gone.cpp"),
    ("named-paths", "README.md", "```\nsrc/gone/  the rest\n```\n", "src/gone"),
    ("named-paths", "docs/other.md", "[gone](gone.md)\n", "links to gone.md"),
    ("named-paths", "src/base/word.hpp", HEAD + "// See gone.cpp.\n", "gone.cpp"),
    ("named-paths", "tests/check.py", SCRIPT + "import part_check  # as base/" "gone.hpp\n",
     "base/gone.hpp"),
    ("named-paths", "transports/README.md", "# Transports\n- `shm/`: `gone.cpp`\n", "gone.cpp"),
    ("named-paths", "transports/README.md", "# Transports\n", "folder shm/"),
    ("named-paths", "docs/README.md", "# Documents\n", "does not link code/path-of-a-put.md"),
    ("document-lines", "docs/other.md", "| " + "x" * 120 + "\n\n" + "x" * 120, "120 columns"),
    ("plain-english", "src/base/word.hpp", HEAD + "void f();  // Nobody.\n", "name the actor"),
    ("plain-english", "src/base/word.hpp", HEAD + "const char* a = \"somebody\";\n", "somebody"),
    ("plain-english", "src/base/word.hpp", HEAD + "// A wait. Who waits is\n// woken.\n",
     "subject: Who waits is woken."),
    ("plain-english", "src/base/word.hpp", HEAD + "/**\n * Why? All wait; who\n * sleeps.\n */\n",
     "subject: All wait; who sleeps."),
    ("plain-english", "tests/check.py", SCRIPT + "import part_check\n'A'\n\"\"\"What is.\"\"\"\n",
     "subject: What is."),
    ("plain-english", "docs/other.md", "## What\n\nWhat? \"Nobody\".\n\n| a | What is |\n",
     "subject: What is"),
    ("plain-english", "docs/man/a.1", ".\\\" " + SCRIPT[2:] + "Everybody.\n", "Everybody: name"),
    ("plain-english", "src/base/word.hpp", HEAD + "int pe;  // of the owner\n", "noun: of the"),
    ("plain-english", "src/base/word.hpp", HEAD + "int b;\n// That of PE 0.\n", "noun: That of PE"),
    ("plain-english", "tools/check.py", SCRIPT + "import part_check\n'A'\n# One that waits.\n",
     "noun: One that waits."),
    ("named-functions", "docs/code/path-of-a-put.md", "`Context::gone(pe)`\n", "gone"),
    ("named-functions", "docs/code/path-of-a-put.md", "`put()` in `src/base/word.cpp`\n",
     "put() is not in src/base/word.cpp"),
    ("old-words", "src/base/word.hpp", HEAD + "// is_" "crowded: more PEs than cores.\n",
     "oversubscribed"),
    ("old-words", "src/base/word.hpp", HEAD + "void put_" "elsewhere();\n", "slow_path"),
    ("old-words", "src/base/word.hpp", HEAD + "int heap_" "room;\n", "InlineLimit"),
    ("old-words", "docs/other.md", "The thread takes a " "nap.\n", "timed sleep"),
    ("old-words", "src/base/word.hpp", HEAD + "struct Pl" "ace {};\n", "TreePosition"),
    ("glossary", "docs/code/architecture.md", "## Words\n| word | meaning |\n|---|---|\n"
     "| word, part | in the code |\n| lost word | in no file |\n## Folders\n| other | x |\n",
     "lost word: no identifier"),
    ("order-partners", "src/base/word.hpp", HEAD + RELEASE + "\n", "release names no partner"),
    ("order-partners", "src/base/word.hpp", HEAD + RELEASE + "\n// Pairs with word.hpp:get.\n\n" +
     "\n" * 12 + ACQUIRE, "acquire names no partner"),
    ("order-partners", "src/base/word.hpp",
     HEAD + "inline std::atomic<int> a;\ninline int get() { return a.load(); }\n",
     "load() names no partner"),
    ("order-partners", "src/base/word.hpp",
     HEAD + "inline void f() { std::atomic_thread_fence(std::memory_order_seq_cst); }\n",
     "seq_cst names no partner"),
    ("order-partners", "src/base/word.hpp", HEAD + RELEASE + "  // Pairs with base/word.hpp:get.\n",
     "get is no function of src/base/word.hpp"),
    ("order-partners", "src/base/word.hpp", HEAD + RELEASE + "  // Pairs with get().\n",
     "say \"Pairs with"),
    ("order-partners", "src/base/word.hpp", HEAD + RELEASE + "  // Pairs with word.hpp:word.\n"
     "void word() {}\n", "word in src/base/word.hpp holds no order"),
    ("order-partners", "src/base/word.hpp", HEAD + RELEASE + "  // Pairs with word.hpp:put.\n",
     "no acquire in word.hpp:put"),
    ("braces", "src/base/word.hpp", HEAD + FUNCTION.format("if (a) { a = 0; }"), "no braces"),
    ("braces", "src/base/word.hpp", HEAD + FUNCTION.format("for (;;) {\n(void)a;}"), "no braces"),
    ("braces", "src/base/word.hpp", HEAD + FUNCTION.format("while (a &&\na) a = 0;"), "put braces"),
    ("braces", "src/base/word.hpp", HEAD + FUNCTION.format("if (a)\na = f(a,\na);"), "put braces"),
    ("braces", "src/base/word.hpp", HEAD + FUNCTION.format("if (a) a = 0; else { a = 1; }"),
     "put braces"),
    ("braces", "src/base/word.hpp", HEAD + FUNCTION.format("for (;;) if (a) a = 0;"), "put braces"),
    ("braces", "src/base/word.hpp", HEAD + FUNCTION.format("if (a) FAIL();"), "put braces"),
    ("comment-marks", "src/base/word.hpp", HEAD + "int a;  ///< A word.\n", "begin the comment"),
    ("one-name", "tests/unit/heap/check.py", SCRIPT, "has the name of tests/check.py"),
    ("test-twins", "tests/unit/base/word_test.cpp", None, "unit/base/word_test.cpp"),
)


class TidyTest(unittest.TestCase):
    def findings(self, files, exceptions=(), covered_by=None):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = os.path.join(root, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            covered_by = COVERED_BY if covered_by is None else covered_by
            return sorted(findings_of(Tree(root), exceptions, covered_by, set()))

    def test_clean_tree_has_no_findings(self):
        self.assertEqual(self.findings(CLEAN), [])

    def test_a_clone_needs_no_git(self):
        clone = CLEAN | {".git/HEAD": "git takes this for no repository\n"}
        self.assertEqual(self.findings(clone), [])
        with mock.patch.dict(os.environ, PATH="/nowhere"):
            self.assertEqual(self.findings(clone), [])

    def test_every_rule_fires(self):
        for rule, path, text, message in CASES:
            with self.subTest(rule=rule, message=message):
                files = dict(CLEAN)
                files[path] = text
                if text is None:
                    del files[path]
                found = self.findings(files)
                hits = [hit for hit in found if hit[2] == rule and message in hit[3]]
                self.assertTrue(hits, found)
                if text is not None:
                    self.assertEqual({hit[2] for hit in found}, {rule}, found)

    def test_orders_with_partners(self):
        at_functions = (RELEASE + "  // Pairs with base/word.hpp:get.\n// Pairs with\n"
                        "// base/word.hpp:put.\n" + ACQUIRE)
        at_class = ("// Pairs with word.hpp:put and word.hpp:get.\nclass A {\n" + RELEASE + "\n\n" +
                    "void f();\n" * 12 + ACQUIRE + "};\n")
        for text in at_functions, at_class:
            files = CLEAN | {"src/base/word.hpp": HEAD + text}
            self.assertEqual(self.findings(files), [])

    def test_bodies_with_braces_and_without(self):
        for body in ("if (a) a = f([] { g(); h(); });", "for (;;) EXPECT_EQ(a, 0);",
                     "if (a) [[unlikely]]\na = 0;", "if (a) { EXPECT_EQ(a, 0); }",
                     "if (a) {\n// Why.\na = 0;\n}", "if (a) { a = 0; } else { a = 1; }",
                     "do { --a; } while (a);", "for (;;) { if (a) return; }"):
            with self.subTest(body=body):
                files = CLEAN | {"src/base/word.hpp": HEAD + FUNCTION.format(body)}
                self.assertEqual(self.findings(files), [])

    def test_every_rule_has_a_case(self):
        names = NAMES
        self.assertEqual(names, {case[0] for case in CASES})

    def test_every_rule_is_documented(self):
        folder = os.path.dirname(os.path.abspath(__file__))
        document = os.path.join(folder, "../../../docs/code/style.md")
        with open(document, encoding="utf-8") as file:
            text = file.read()
        for name in NAMES:
            self.assertIn(f"**{name}**", text)

    def test_exceptions_allow_what_there_is_and_no_more(self):
        files = dict(CLEAN)
        files["src/base/word.hpp"] = HEAD + "void f() { goto a; }\nvoid g() { goto b; }\n"
        rule, path = "banned-words", "src/base/word.hpp"
        self.assertEqual(self.findings(files, [(rule, path, 2, "why")]), [])
        self.assertEqual(len(self.findings(files, [(rule, path, 1, "why")])), 2)
        self.assertIn("lower the entry", self.findings(files, [(rule, path, 3, "why")])[0][3])
        self.assertIn("no reason", self.findings(files, [(rule, path, 2, "")])[0][3])
        self.assertIn("remove the entry", self.findings(CLEAN, [(rule, path, 2, "why")])[0][3])
        self.assertIn("unknown rule", self.findings(CLEAN, [("no-rule", path, 1, "why")])[0][3])

    def test_exceptions_to_file_size_count_lines(self):
        files = dict(CLEAN)
        files["tests/check.py"] = SCRIPT + "import part_check\n" * 599
        exception = ("file-size", "tests/check.py", 600, "a table")
        self.assertEqual(self.findings(files, [exception]), [])
        files["tests/check.py"] += "import part_check\n"
        self.assertEqual(len(self.findings(files, [exception])), 1)

    def test_covered_by_must_be_needed_and_true(self):
        covered = dict(COVERED_BY)
        covered["src/base/word.cpp"] = "tests/unit/transports/contract_test.cpp"
        self.assertIn("take it off", self.findings(CLEAN, covered_by=covered)[0][3])
        covered = {"src/heap/part.cpp": "tests/gone_test.cpp"}
        self.assertIn("does not exist", self.findings(CLEAN, covered_by=covered)[0][3])
        covered = dict(COVERED_BY)
        covered["src/heap/gone.cpp"] = "tests/check.py"
        self.assertIn("does not exist", self.findings(CLEAN, covered_by=covered)[0][3])


class ScannerTest(unittest.TestCase):
    def test_literals_are_blanked_and_lines_kept(self):
        code = without_literals('a("/*{", \'{\', 1\'000); /* {\n */ b(R"x({"\n)x"); // {\nc')
        self.assertNotIn("{", code)
        self.assertEqual(code.count("\n"), 3)
        for word in ("a(", "1'000", "b(", "c"):
            self.assertIn(word, code)

    def test_functions_are_told_from_other_braces(self):
        code = ("namespace n {\nstruct alignas(8) S : B<C> {\n    int a{0};\n};\n"
                "enum class E : int { kA };\n"
                "extern \"C\" {\nint f(void) {\n    if (a) {\n    }\n}\n"
                "}\nconst int t[] = {1, 2};\n"
                "template <class T>\nauto g(T t) const -> int {\n}\n}\n")
        lines = [(first, last) for first, last, _ in c_functions(without_literals(code))]
        self.assertEqual(lines, [(7, 10), (14, 15)])


if __name__ == "__main__":
    unittest.main()
