# SPDX-License-Identifier: BSD-3-Clause
"""Breaks when a type-generic name calls the routine of another type or passes arguments wrongly.

Generates two sources and runs them. The recorder defines every routine of symbols.txt and notes its
name and arguments; it does not include <shmem.h>. The caller uses each type-generic name of
generics.txt with each type, with and without a context, with a const and a plain source, in C11 or
C++, and compares what the recorder noted, the value that came back, and its type.
"""

import os
import subprocess

import headers
from headers import SAME_TYPE

RETURNED = 77  # what every recorded routine returns

RECORDER_START = """
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
typedef struct shmem_internal_ctx* shmem_ctx_t;
typedef struct shmem_internal_team* shmem_team_t;
typedef struct { int num_contexts; } shmem_team_config_t;
typedef struct { size_t total_ops; } shmem_ctx_session_config_t;
struct recorded { const char* name; int count; uint64_t arguments[16]; };
extern struct recorded recorded;
struct recorded recorded;
static void begin(const char* name) { recorded.name = name; recorded.count = 0; }
static void note(uint64_t value) { recorded.arguments[recorded.count++] = value; }
"""

CALLER_START = """
#include <shmem.h>
#include <stdio.h>
#include <string.h>
#ifdef __cplusplus
extern "C" {
#endif
struct recorded { const char* name; int count; uint64_t arguments[16]; };
extern struct recorded recorded;
#ifdef __cplusplus
}
template <class A, class B> struct same { static const bool value = false; };
template <class A> struct same<A, A> { static const bool value = true; };
#define CHECK_TYPE(CALL, TYPE) static_assert(same<decltype(CALL), TYPE>::value, #CALL)
#else
#define CHECK_TYPE(CALL, TYPE) \\
    _Static_assert(__builtin_types_compatible_p(__typeof__(CALL), TYPE), #CALL)
#endif

__extension__ typedef double _Complex complexd;
__extension__ typedef float _Complex complexf;
static int failed, calls;
static void expect(const char* call, const char* name, int count, const uint64_t* want) {
    int same_arguments = recorded.count == count;
    for (int i = 0; same_arguments && i < count; ++i) {
        same_arguments = recorded.arguments[i] == want[i];
    }
    ++calls;
    if (recorded.name == NULL || strcmp(recorded.name, name) != 0) {
        printf("FAILED: %s called %s, not %s\\n", call, recorded.name, name);
        ++failed;
    } else if (!same_arguments) {
        printf("FAILED: %s passed other arguments\\n", call);
        ++failed;
    }
    recorded.name = NULL;
}
static void expect_value(const char* call, uint64_t value) {
    if (value != RETURNED) {
        printf("FAILED: %s lost the value\\n", call);
        ++failed;
    }
}
static long double objects[16];
"""

CALLER_END = """
int main(void) {
    %s
    printf("%%d calls, %%d failed\\n", calls, failed);
    return failed != 0 || calls != %d;
}
"""


def is_pointer(kind):
    return kind.endswith("*") or kind in ("shmem_ctx_t", "shmem_team_t")


def as_bits(kind, expression):
    """An expression of any argument type as the uint64_t that recorder and caller compare."""
    inner = "(uintptr_t)" if is_pointer(kind) else "(int64_t)"
    return f"(uint64_t){inner}({expression})"


def recorder(symbols):
    lines = [RECORDER_START]
    for routine in symbols.values():
        notes = " ".join(f"note({as_bits(kind, name)});" for kind, name in routine.parameters
                         if name != "...")
        back = "for (;;) {}" if routine.symbol == "shmem_global_exit" else ""
        if routine.result != "void":
            back = f"return ({routine.result}){RETURNED};"
        begin = f'begin("{routine.symbol}");'
        lines.append(f"{routine.declaration()[:-1]} {{ {begin} {notes} {back} }}")
    return "\n".join(lines)


def call_block(generic, routine, expected, plain_source):
    """One call of a type-generic name that has to arrive at expected, and the comparison."""
    lines, bits = [], []
    for index, (kind, name) in enumerate(routine.parameters):
        if plain_source and name == "source":
            kind = kind.replace("const ", "")
        kind = kind.replace("double _Complex", "complexd").replace("float _Complex", "complexf")
        value = f"(void*)&objects[{index}]" if is_pointer(kind) else str(21 + index)
        lines.append(f"{kind} a{index} = ({kind}){value};")
        bits.append(as_bits(kind, f"a{index}"))
    call = f"{generic}({', '.join(f'a{index}' for index in range(len(bits)))})"
    label = f'"{generic} for {routine.symbol}"'
    lines.append(f"const uint64_t want[] = {{{', '.join(bits)}}};")
    lines.append(f"CHECK_TYPE({call}, {routine.result});")
    if routine.result == "void":
        lines.append(f"{call};")
    else:
        lines.append(f"expect_value({label}, {as_bits(routine.result, call)});")
    lines.append(f'expect({label}, "{expected}", {len(bits)}, want);')
    return "{ " + " ".join(lines) + " }"


def cases(generic, form, typenames, standard):
    """Yields (routine that has the argument types, symbol that must be called)."""
    family = generic[len("shmem_"):]
    if form in ("ctx-only", "team-only"):
        special = generic.replace("shmem_", f"shmem_{form.split('-')[0]}_")
        yield generic, generic
        yield special, special
        return
    for typename in typenames:
        basic = SAME_TYPE.get(typename, typename)
        called = basic if basic in typenames else typename
        for prefix in ["shmem_", "shmem_ctx_"] if form == "ctx" else ["shmem_"]:
            expected = f"{prefix}{called}_{family}"
            # In C++ the function for long and the generic name are one and the same.
            if headers.language(standard) == "c++" and expected == "shmem_long_wait_until":
                expected = "shmem_wait_until"
            yield f"{prefix}{typename}_{family}", expected


def caller(symbols, standard):
    functions, names, calls = [], [], 0
    for generic, form, typenames in headers.read_table("generics.txt"):
        blocks = []
        for symbol, expected in cases(generic, form, typenames.split(), standard):
            routine = symbols[symbol]
            has_source = any(name == "source" for _, name in routine.parameters)
            for plain_source in [False, True] if has_source else [False]:
                blocks.append(call_block(generic, routine, expected, plain_source))
        names.append(f"test_{generic}();")
        functions.append(f"static void test_{generic}(void) {{\n" + "\n".join(blocks) + "\n}")
        calls += len(blocks)
    returned = f"#define RETURNED {RETURNED}"
    end = CALLER_END % ("\n    ".join(names), calls)
    return "\n".join([returned, CALLER_START, *functions, end]), calls


def test(compiler, standards, failures):
    symbols = headers.read_symbols()
    recorder_object = os.path.join(compiler.folder, "recorder.o")
    done = compiler.run(recorder(symbols), "c11", "-w", "-c", "-o", recorder_object)
    failures.check(done.returncode == 0, done.stderr[:3000])
    total = 0
    for standard in standards:
        text, calls = caller(symbols, standard)
        program = os.path.join(compiler.folder, "caller")
        objects = ["-x", "none", recorder_object]
        done = compiler.run(text, standard, *headers.WARNINGS, "-o", program, after=objects)
        failures.check(done.returncode == 0, f"{standard} does not compile:\n{done.stderr[:3000]}")
        if done.returncode == 0:
            ran = subprocess.run([program], capture_output=True, text=True)
            failures.check(ran.returncode == 0, f"{standard}:\n{ran.stdout[-3000:]}{ran.stderr}")
            os.remove(program)
        total += calls
    return f"{total} calls"


if __name__ == "__main__":
    headers.main(test)
