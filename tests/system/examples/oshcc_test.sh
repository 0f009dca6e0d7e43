#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks the arguments that oshcc and oshc++ pass to the compiler, and that they work in any place.
# It breaks when an argument with a space falls apart, when an installation is moved or reached by a
# link, or when something is linked that must not be. A recorder takes the compiler's place, so most
# of it needs no library; the end compiles and runs a program.
#
# Usage: oshcc_test.sh PREFIX WORK_FOLDER [VERSION [BUILD_FOLDER]]
# shellcheck disable=SC2015,SC2016  # fail ends with 0, and what is not expanded must not be.
set -euo pipefail

installed=$(cd "$1" && pwd -P)
version=${3:-}
built=${4:-}
rm -rf "$2/oshcc"
mkdir -p "$2/oshcc"
work=$(cd "$2/oshcc" && pwd -P)

failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect_lines TEXT COMMAND...: the command must end with 0 and print just these lines.
expect_lines() {
    local expected=$1 printed
    shift
    if ! printed=$("$@" 2>&1); then fail "'$*' ended with a nonzero status: $printed"; fi
    [ "$printed" = "$expected" ] || fail "'$*' printed:
$printed
instead of:
$expected"
}

# The tests run on a copy in a folder with a space in its name: the installation has been moved.
prefix="$work/moved here"
cp -a "$installed" "$prefix"
bin="$prefix/bin"
include=$("$bin/oshcc" -showme:incdirs | tr -d "'")
library=$("$bin/oshcc" -showme:libdirs | tr -d "'")
[ -f "$include/shmem.h" ] || fail "there is no shmem.h in '$include'"
[ -e "$library/libtessera.so" ] || fail "there is no libtessera.so in '$library'"
case $include in "$prefix"/*) ;; *) fail "$include is not in the moved prefix" ;; esac

# A recorder of arguments, one per line. OSHCC_CC has words, so its path must have no space.
recorders=$(mktemp -d)
trap 'rm -r "$recorders"' EXIT
recorder=$recorders/recorder
printf '#!/bin/sh\nfor argument; do printf "%%s\\n" "$argument"; done\n' >"$recorder"
chmod +x "$recorder"
export OSHCC_CC=$recorder OSHCXX_CXX=$recorder

# Sanitizer builds add their flag everywhere; take it from the wrapper itself.
read -ra required <<<"$("$bin/oshcc" -showme:compile | sed "s/^'[^']*' *//; s/^-I[^ ]* *//")"
before=$(printf '%s\n' "-I$include" "${required[@]}")
after=$(printf '%s\n' "-L$library" "-Wl,-rpath,$library" -ltessera -lm)

for wrapper in oshcc oshc++ oshcxx oshCC shmemcc shmemc++; do
    case $wrapper in oshcc | shmemcc) real=oshcc ;; *) real=oshc++ ;; esac
    expect_lines "$before"$'\nhello.c\n-o\nhello\n'"$after" "$bin/$wrapper" hello.c -o hello
    # Arguments stay whole and in order.
    odd=('-DTEXT="a  b"' "-DQUOTE='" '-D$HOME *' '' 'a file.c' -o 'a program')
    expect_lines "$(printf '%s\n' "$before" "${odd[@]}" "$after")" "$bin/$wrapper" "${odd[@]}"
    # Nothing is linked, so no library.
    for mode in -c -E -S -M -MM -r -fsyntax-only; do
        expect_lines "$before"$'\n'$mode$'\nhello.c' "$bin/$wrapper" $mode hello.c
    done
    # No input either: asking the compiler something must not make it link.
    expect_lines "$before"$'\n-v' "$bin/$wrapper" -v
    expect_lines "$before"$'\n-dumpmachine\n-o\nname' "$bin/$wrapper" -dumpmachine -o name
    # The input may be objects, an archive, or stdin.
    expect_lines "$before"$'\na.o\nb.a\n'"$after" "$bin/$wrapper" a.o b.a
    expect_lines "$before"$'\n-x\nc\n-\n'"$after" "$bin/$wrapper" -x c -
    # -c as the value of another option is no mode.
    expect_lines "$before"$'\n-o\n-c\nhello.c\n'"$after" "$bin/$wrapper" -o -c hello.c
    # The static library brings what the shared one has inside.
    static=$(printf '%s\n' "$("$bin/$wrapper" -static-libtessera hello.c)")
    grep -qx -e '-l:libtessera.a' <<<"$static" && grep -qx -e -lhwloc <<<"$static" &&
        ! grep -qx -e '-ltessera' -e '-static-libtessera' <<<"$static" ||
        fail "$wrapper -static-libtessera called the compiler with: $static"
    # The compiler's own name may have arguments.
    OSHCC_CC="$recorder -m64" OSHCXX_CXX="$recorder -m64" \
        expect_lines $'-m64\n'"$before"$'\n-c\nhello.c' "$bin/$wrapper" -c hello.c

    # By a link, by a link to a link, from another folder, by the PATH, and by sh.
    ln -s "$bin/$wrapper" "$work/link-$wrapper"
    ln -s "link-$wrapper" "$work/link-link-$wrapper"
    expect_lines "$before"$'\n-c\nx.c' "$work/link-link-$wrapper" -c x.c
    cd "$bin"
    expect_lines "$before"$'\n-c\nx.c' "./$wrapper" -c x.c
    cd /
    PATH="$bin:$PATH" expect_lines "$before"$'\n-c\nx.c' "$wrapper" -c x.c
    cd "$work"
    expect_lines "$before"$'\n-c\nx.c' sh "link-$wrapper" -c x.c

    # The questions.
    expect_lines "$recorder" "$bin/$wrapper" -showme:command
    expect_lines 'tessera m' "$bin/$wrapper" --showme:libs
    expect_lines 'tessera m' "$bin/$wrapper" -showlibs
    # As MPICH's wrappers have it: with the compiler.
    for option in -compile-info --compile-info -compile_info; do
        expect_lines "$before" sh -c "$("$bin/$wrapper" $option)"
    done
    for option in -link-info --link-info -link_info; do
        expect_lines "$(printf '%s\n' "${required[@]}" "$after" | sed '/^$/d')" \
            sh -c "$("$bin/$wrapper" $option)"
    done
    [ -z "$version" ] || expect_lines "$version" "$bin/$wrapper" -showme:version
    for option in -showme --showme -show --show; do
        shown=$("$bin/$wrapper" $option '-DA="b c"' 'x y.c')
        expect_lines "$before"$'\n-DA="b c"\nx y.c\n'"$after" sh -c "$shown"
    done
    expect_lines "$before" sh -c "$recorder $("$bin/$wrapper" --showme:compile)"
    expect_lines "$(printf '%s\n' "${required[@]}" "$after" | sed '/^$/d')" \
        sh -c "$recorder $("$bin/$wrapper" --showme:link)"
    "$bin/$wrapper" --help | grep -q "^Usage: $real " || fail "$wrapper --help"
    "$bin/$wrapper" --version | grep -q "^$real of Tessera .*OpenSHMEM 1\.6$" ||
        fail "$wrapper --version"
    if "$bin/$wrapper" -showme:nonsense 2>/dev/null; then fail "$wrapper -showme:nonsense"; fi
done

# CC is used, but not if it names a wrapper, which would call itself for ever.
unset OSHCC_CC OSHCXX_CXX
CC=$recorder expect_lines "$recorder" "$bin/oshcc" -showme:command
CXX=$recorder expect_lines "$recorder" "$bin/oshc++" -showme:command
[[ $(CC="ccache $bin/oshcc" "$bin/oshcc" -showme:command) != *oshcc* ]] || fail "CC=oshcc is used"
for name in oshc++ oshcxx oshCC shmemc++; do
    [[ $(CXX=$name "$bin/oshc++" -showme:command) != *"$name"* ]] || fail "CXX=$name is used"
done
[[ $(CC=shmemcc "$bin/oshcc" -showme:command) != *shmemcc* ]] || fail "CC=shmemcc is used"

# The manual knows the names, and shmemrun runs.
for name in oshcxx oshCC shmemcc shmemc++ shmemrun; do
    [ -f "$prefix/share/man/man1/$name.1" ] || fail "there is no manual page $name(1)"
done
[ "$("$bin/shmemrun" -n 2 echo x)" = $'x\nx' ] || fail "shmemrun"

# Real programs, with the real compilers, from the moved installation.
cat >"$work/a program.c" <<'EOF'
#include <shmem.h>
int main(void) {
    shmem_init();
    int wrong = shmem_my_pe() != 0 || shmem_n_pes() != 1;
    shmem_finalize();
    return wrong;
}
EOF
cp "$work/a program.c" "$work/a program.cpp"
cd "$work"
"$bin/oshcc" -Wall -Werror 'a program.c' -o 'c shared' && ./'c shared' || fail "a C program"
"$bin/oshc++" -Wall -Werror 'a program.cpp' -o 'c++ shared' && ./'c++ shared' ||
    fail "a C++ program"
"$bin/oshcc" -c 'a program.c' -o object.o && "$bin/oshcc" object.o -o 'c object' && ./'c object' ||
    fail "a C program in two steps"
"$bin/oshcc" -static-libtessera 'a program.c' -o 'c static' && ./'c static' ||
    fail "a C program with the static library"
if [ -z "${required[*]}" ]; then  # There is no --check with a sanitizer.
    "$bin/oshcc" --check 'a program.c' -o 'c checked' && ./'c checked' &&
        "$bin/oshrun" --check -n 1 ./'c checked' || fail "a C program with --check"
    "$bin/oshc++" --check 'a program.cpp' -o 'c++ checked' && ./'c++ checked' ||
        fail "a C++ program with --check"
    "$bin/oshcc" --check -showme:compile | grep -q '^.-specs=' || fail "-showme:compile --check"
    "$bin/oshcc" --check -showme:link | grep -q ltessera-accesses || fail "-showme:link --check"
fi
# Not in a pipe: grep -q ends at the first match, and ldd would fail when it goes on to write.
shared=$(ldd 'c shared')
[[ $shared == *libtessera.so* ]] || fail "the shared library is not used"
grep -F libtessera <<<"$shared" | grep -qF "$prefix" || fail "another library than ours is used"
[[ $(ldd 'c static') != *libtessera* ]] || fail "-static-libtessera links the shared library"
# With libm, as the MPI wrappers of many systems have it.
cat >math.c <<'EOF'
#include <math.h>
int main(int argc, char** argv) { return argv[0] != 0 && pow(argc, 0.5) > 1e9; }
EOF
"$bin/oshcc" math.c -o math && ./math || fail "oshcc does not link libm"

# The build folder has the same commands, for work on the library.
if [ -n "$built" ]; then
    for name in oshcc oshc++ oshcxx oshCC shmemcc shmemc++; do
        "$built/bin/$name" 'a program.cpp' -x c++ -o 'c built' -lstdc++ && ./'c built' ||
            fail "$name of the build folder"
        shared=$(ldd 'c built')
        [[ $shared == *"$built"/lib/libtessera.so* ]] || fail "$name links another library"
    done
    [ "$("$built/bin/shmemrun" -n 1 ./'c shared' && echo ended)" = ended ] || fail "built shmemrun"
fi
echo 'int x = ;' >broken.c
if "$bin/oshcc" -c broken.c 2>/dev/null; then fail "oshcc hides the compiler's failure"; fi

# Packages of the library bring no compiler but gcc.
for wrapper in oshcc oshc++ oshfort caf; do
    [ -e "$bin/$wrapper" ] || continue
    case $wrapper in oshcc) package=gcc ;; oshc++) package=g++ ;; *) package=gfortran ;; esac
    sed "s|compiler='|compiler='/nowhere|" "$bin/$wrapper" >"$bin/lonely"
    chmod +x "$bin/lonely"
    for request in 'a program.c' --version; do
        said=$(env -u CC -u CXX -u FC "$bin/lonely" "$request" 2>&1) && fail "$wrapper ended with 0"
        [[ $said == *"no compiler '/nowhere/"*" package $package"* ]] ||
            fail "$wrapper $request without a compiler says: $said"
    done
    "$bin/lonely" --help >/dev/null || fail "$wrapper --help needs a compiler"
done
rm "$bin/lonely"

# The commands know where they are.
"$bin/osh_info" | grep -F "$prefix" || fail "osh_info names another prefix than $prefix"

if [ "$failures" -ne 0 ]; then
    echo "$failures failures; the files are in $work"
    exit 1
fi
echo "oshcc and oshc++: passed"
