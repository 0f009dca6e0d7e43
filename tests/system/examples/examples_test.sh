#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Compiles one example with an installed oshcc and runs it with oshrun on 1 to 8 PEs.
# It breaks when the installed compiler wrapper, headers, library and launcher do not fit together,
# or when a small but complete program computes something wrong.
#
# Usage: examples_test.sh PREFIX WORK_FOLDER hello|ring|heat2d|wordcount|hash_chains|readme
# "readme" is the program that README.md shows.
# OSHCC, OSHRUN and OSHRUN_FLAGS in the environment name others than those of PREFIX (another
# library's, for example).
set -euo pipefail

if [ $# -ne 3 ]; then
    sed -n '/^# Usage/,/^set/p' "$0" | grep '^#' >&2
    exit 2
fi
prefix=$(realpath -m "$1")
oshcc=${OSHCC:-$prefix/bin/oshcc}
oshrun=${OSHRUN:-$prefix/bin/oshrun}
read -ra oshrun_flags <<<"${OSHRUN_FLAGS:-}"
source_dir=$(cd "$(dirname "$0")/../../.." && pwd)
work=$(realpath -m "$2/$3")
program=$3
pe_counts=(1 2 3 4 5 7 8)
export LC_ALL=C

rm -rf "$work"
mkdir -p "$work"
cd "$work"

failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# run N ARGUMENT...: runs the example on N PEs; its output is in the files out and err.
run() {
    local n=$1
    shift
    "$oshrun" "${oshrun_flags[@]}" -n "$n" "./$program" "$@" >out 2>err
}

# run_well N ARGUMENT...: the same, and it must end with 0 and say nothing on stderr.
run_well() {
    local status=0
    run "$@" || status=$?
    if [ $status -ne 0 ]; then
        fail "$program on $1 PEs with '${*:2}' ended with $status:"
        cat out err
    elif [ -s err ]; then
        fail "$program on $1 PEs with '${*:2}' wrote to stderr:"
        cat err
    fi
}

# expect_error N PATTERN ARGUMENT...: the run must end with a nonzero status, and PATTERN must stand
# in exactly one line of stderr.
expect_error() {
    local n=$1 pattern=$2 status=0
    shift 2
    run "$n" "$@" || status=$?
    if [ $status -eq 0 ]; then fail "$program on $n PEs with '$*' ended with 0"; fi
    if [ "$(grep -c -e "$pattern" err)" -ne 1 ]; then
        fail "$program on $n PEs with '$*': expected one line with '$pattern' on stderr, got:"
        cat err
    fi
}

test_hello() {
    for n in "${pe_counts[@]}"; do
        run_well "$n"
        # The launcher forwards each PE's lines unbroken, but may mix the lines of different PEs.
        for ((pe = 0; pe < n; pe++)); do echo "Hello from PE $pe of $n"; done | sort >expected
        grep '^Hello' out | sort | diff expected - || fail "hello on $n PEs printed other lines"
        grep -q '^Tessera.*OpenSHMEM 1\.6$' out || fail "hello on $n PEs did not name the library"
    done
}

test_ring() {
    for n in "${pe_counts[@]}"; do
        run_well "$n" 50
        local sum=$((50 * n * (n - 1) / 2))
        local line="$((50 * n)) hops around $n PEs, sum of the PE numbers $sum: right"
        grep -qxF "$line" out || { fail "ring on $n PEs, expected '$line':"; cat out; }
    done
}

test_hash_chains() {
    for n in "${pe_counts[@]}"; do
        run_well "$n" 100
        local line="$((100 * n)) keys in chains over $n PEs, $((100 * n)) found: right"
        grep -qxF "$line" out || { fail "hash_chains on $n PEs, expected '$line':"; cat out; }
    done
    expect_error 3 'usage' 0
    SHMEM_LOCAL_MEMORY_SIZE=2M expect_error 1 'raise SHMEM_LOCAL_MEMORY_SIZE' 100000
    SHMEM_VIRTUAL_NODES=2 run_well 4 100
    grep -q ': right$' out || { fail "hash_chains on 2 nodes:"; cat out; }
}

# The picture must not depend on the number of PEs, also where there are more PEs than rows.
test_heat2d() {
    for size in 1 5 64; do
        for n in "${pe_counts[@]}"; do
            run_well "$n" $size 200 "$size-$n.pgm"
            grep -q 'right' out || { fail "heat2d on $n PEs lost heat:"; cat out; }
            cmp "$size-1.pgm" "$size-$n.pgm" || fail "heat2d on $n PEs made another picture"
        done
    done
    # A picture of one grey level would mean that nothing was computed.
    local levels
    levels=$(tail -c 4096 64-1.pgm | od -An -v -tu1 -w1 | sort -u | wc -l)
    [ "$levels" -gt 20 ] || fail "heat2d made a picture of only $levels grey levels"
    expect_error 3 'usage' 0
    expect_error 3 'cannot write the picture' 5 5 /nonexistent/picture.pgm
}

# The reference for wordcount, by other means: lines of "COUNT WORD", sorted.
count_with_tools() {
    tr -cs 'A-Za-z' '\n' <"$1" | tr '[:upper:]' '[:lower:]' | sort | uniq -c |
        awk 'NF == 2 { print $1, $2 }' | sort
}

make_texts() {
    cp "$source_dir/README.md" readme
    : >empty
    printf 'word' >one_word
    printf 'x' >one_letter
    printf '\n \0 12345 \377\376\n' >no_words
    printf 'Apple apple\nAPPLE banana' >no_newline_at_end
    awk 'BEGIN { for (i = 0; i < 1000000; i++) printf "%c", 97 + i % 26; print " end" }' >long_word
    # Two words that differ only far behind, and the same one again in the other case.
    { head -c 300000 long_word; printf 'a '; head -c 300000 long_word; printf 'b ';
      head -c 300000 long_word | tr '[:lower:]' '[:upper:]'; printf 'A\n'; } >long_words
    # All bytes, in a fixed random order; among them letters with the high bit set.
    awk 'BEGIN { srand(7)
             for (i = 0; i < 200000; i++) printf "%c", int(rand() * 255) + 1 }' >binary
    printf '\0\301\341a\0b\300' >>binary
    # Many different words, a few of them frequent, and words on every possible part border.
    awk 'BEGIN { srand(11); for (i = 0; i < 60000; i++) {
             n = int(exp(rand() * 9)); w = "";
             do { w = w substr("etaoinshrdlucmfw", n % 16 + 1, 1); n = int(n / 16) } while (n > 0);
             printf "%s%s", w, (i % 7 ? " " : "\n") } }' >many_words
    for ((i = 0; i < 40; i++)); do printf 'ab '; done >borders
}

test_wordcount() {
    make_texts
    local texts=(readme empty one_word one_letter no_words no_newline_at_end long_word long_words
                 binary many_words borders)
    for text in "${texts[@]}"; do
        count_with_tools "$text" >expected
        for n in "${pe_counts[@]}"; do
            run_well "$n" -a "$text"
            # Sorted by frequency, equal ones by the alphabet; and the same lines as the tools give.
            sort -k1,1nr -k2,2 out | cmp -s - out || fail "wordcount -a $text on $n PEs: not sorted"
            sort out | cmp -s - expected || fail "wordcount -a $text on $n PEs: wrong counts"
        done
    done

    local total distinct
    count_with_tools readme >expected
    total=$(awk '{ n += $1 } END { print n + 0 }' expected)
    distinct=$(wc -l <expected)
    sort -k1,1nr -k2,2 expected | head -n 3 >expected_top
    run_well 4 -k 3 readme
    sed '1d;$d' out | awk '{ print $1, $2 }' | diff expected_top - || fail "wordcount -k 3 is wrong"
    if ! tail -n 1 out | grep -qE "^$total words, $distinct distinct, 4 PEs, [0-9.]+ s$"; then
        fail "wordcount's last line is wrong, expected $total words, $distinct distinct:"
        cat out
    fi

    # Two words seldom agree in the piece of the hash that is in the key. When all words do, only
    # the comparison of the letters tells them apart.
    sed 's/word->hash >> kOffsetBits/0ul/' "$source" >weak.c
    if cmp -s weak.c "$source"; then fail "the hash in the key has another form than expected"; fi
    "$oshcc" -O2 weak.c -o weak
    for text in many_words long_words; do
        count_with_tools $text >expected
        "$oshrun" "${oshrun_flags[@]}" -n 3 ./weak -a $text | sort | cmp -s - expected ||
            fail "wordcount -a $text with colliding keys: wrong counts"
    done

    expect_error 4 'no_such_file: No such file or directory' no_such_file
    expect_error 4 'not a regular file' .
    expect_error 3 'usage:'
    expect_error 3 'usage:' -k
    expect_error 3 'usage:' -k many readme
    # A table of 300,000 words does not fit into 1 MiB.
    awk 'BEGIN { for (i = 0; i < 300000; i++) print "w" i * 7919 "x" i }' |
        tr '0-9' 'a-j' >too_large
    SHMEM_SYMMETRIC_SIZE=1M expect_error 2 'symmetric memory' too_large
}

test_readme() {
    for n in "${pe_counts[@]}"; do
        run_well "$n"
        echo "$n PEs were here" | diff - out || fail "the program of README.md on $n PEs"
    done
}

source=$source_dir/examples/$program.c
if [ "$program" = readme ]; then
    source=$work/readme.c
    # shellcheck disable=SC2016  # These are the quotes of Markdown.
    sed -n '/^```c$/,/^```$/{/^```/!p}' "$source_dir/README.md" >"$source"
fi
"$oshcc" -std=c99 -O2 -g -Wall -Wextra -pedantic -Werror "$source" -o "$program" -lm
"$oshcc" -std=c11 -O2 -Wall -Wextra -pedantic -Werror -c "$source" -o "$program.o"
"test_$program"
if [ "$failures" -ne 0 ]; then
    echo "$failures failures; the files are in $work"
    exit 1
fi
echo "$program: passed on ${pe_counts[*]} PEs"
