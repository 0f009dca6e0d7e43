# SPDX-License-Identifier: BSD-3-Clause
#
# Coindexed objects for which gfortran 8 to 14 (gcc=12) and 15 (gcc=15) make calls that the library
# cannot tell from those of other statements, so the results would be wrong without a message
# (docs/run/coarrays.md). caf has this program in it, reads each source file in free form with it,
# and ends if it finds one. It has no single quotes, because caf has it between two of them.

function refuse(text) {
    printf "%s:%d: error: %s\n", FILENAME, first, text > "/dev/stderr"
    is_wrong = 1
}

# The place behind the parenthesis or bracket that closes the one at `from`.
function behind(text, from,    depth, c) {
    for (; from <= length(text); ++from) {
        c = substr(text, from, 1)
        if (c ~ /[[(]/) ++depth
        if (c ~ /[])]/ && --depth == 0) return from + 1
    }
    return from
}

# Where the left side of an assignment ends; 0: the statement is none.
function assignment(text,    i, c) {
    for (i = 1; i <= length(text); ++i) {
        c = substr(text, i, 1)
        if (c ~ /[[(]/) i = behind(text, i) - 1
        if (c == "=") return substr(text, i + 1, 1) ~ /[=>]/ ? 0 : i
        if (c ~ /[<>\/]/) return 0
    }
    return 0
}

function check(text,    equals, i, end, inside, c, depth) {
    if (text ~ /^if\(/) {
        end = behind(text, 3)
        if (substr(text, end) != "then") check(substr(text, end))
        text = substr(text, 3, end - 3)
    }
    equals = assignment(text)
    if (gcc == 15) {
        if (equals > 0) check_right_side(substr(text, 1, equals - 1), substr(text, equals + 1))
        return
    }
    for (i = 1; i <= length(text); ++i) {
        c = substr(text, i, 1)
        if (c == "(") ++depth
        if (c == ")") --depth
        if (c != "[") continue
        end = behind(text, i)
        inside = without_groups(substr(text, i + 1, end - i - 2))
        if (inside ~ /,team=/ && (i > equals || depth > 0))
            refuse("gfortran drops team= here and means an image of the current team: execute" \
                   " change team, or count in that team")
        if (is_section(substr(text, 1, i - 1)) && is_behind_first(substr(text, end)))
            refuse("gfortran forgets the place of a component in a section and means the first" \
                   " one: access the elements one by one")
        if (substr(text, end, 1) == "(" && !is_right_side(text, equals, behind(text, end)))
            refuse("gfortran passes another place or length than that of a substring of a" \
                   " coindexed object: use a variable for the whole character")
    }
}

function check_right_side(left, right,    whole) {
    whole = right
    while (match(left, /\([^()]*\)/))
        left = substr(left, 1, RSTART - 1) substr(left, RSTART + RLENGTH)
    while (match(right, /\([^()]*\)/))
        right = substr(right, 1, RSTART - 1) substr(right, RSTART + RLENGTH)
    if (left !~ /\[/ || whole !~ /[a-z0-9_)]\[/) return
    if (right !~ /^[a-z0-9_%]+\[[^]]*\][a-z0-9_%]*$/)
        refuse("gfortran 15 reads the object of this image for a coindexed one on the right:" \
               " assign that to a variable first")
    else if (right ~ /,team=/)
        refuse("gfortran 15 drops team= on the right: assign that object to a variable first")
}

# Whether all behind the equals sign is the object that ends before `end`.
function is_right_side(text, equals, end) {
    return equals > 0 && end > length(text) &&
           substr(text, equals + 1) ~ /^[a-z0-9_%(),:+*-]*\[[^]]*\]\([^()]*\)$/
}

# Whether an object ends in subscripts of which one is a range.
function is_section(object,    i) {
    if (object !~ /\)$/) return 0
    for (i = length(object); i > 0; --i)
        if (substr(object, i, 1) == "(" && behind(object, i) > length(object)) break
    return substr(object, i) ~ /:/
}

# Whether a chain %a%b names a component that is not the first one of its type. Unknown ones and
# those of types with allocatable components are in order.
function is_behind_first(chain,    name) {
    while (match(chain, /^%[a-z0-9_]+/)) {
        name = substr(chain, 2, RLENGTH - 1)
        if ((name in is_later || name == "im") && !(name in is_right)) return 1
        chain = substr(chain, RLENGTH + 1)
    }
    return 0
}

function without_groups(text) {
    while (match(text, /[[(][^][()]*[])]/))
        text = substr(text, 1, RSTART - 1) substr(text, RSTART + RLENGTH)
    return text
}

# Collects the names of components, of each definition of a type.
function note_types(text,    names, count, i) {
    if (text ~ /^type(,[^:]*)?(::)?[a-z][a-z0-9_]*$/) {
        in_type = 1
        components = 0
        is_plain = text !~ /extends/
    } else if (text ~ /^endtype/ && in_type) {
        in_type = 0
        for (i = 1; i <= components; ++i) {
            if (i > 1 && is_plain) is_later[component[i]] = 1
            else is_right[component[i]] = 1
        }
    } else if (text == "contains") {
        in_type = 0
    } else if (in_type && split(text, names, "::") == 2) {
        if (text ~ /^(type|class)\(|allocatable|pointer/) is_plain = 0
        count = split(without_groups(names[2]), names, ",")
        for (i = 1; i <= count; ++i) {
            sub(/[=*].*/, "", names[i])
            component[++components] = names[i]
        }
    }
}

# Statements without strings, comments, blanks and continuations.
!/^#/ {
    line = tolower($0)
    code = ""
    for (i = 1; i <= length(line); ++i) {
        c = substr(line, i, 1)
        if (quote != "") {
            if (c == quote) quote = ""
        } else if (c == "!") {
            break
        } else if (c == "\"" || c == "\047") {
            quote = c
            code = code "q"
        } else if (c != " " && c != "\t") {
            code = code c
        }
    }
    if (statement == "") first = FNR
    else if (code == "" && quote == "") next  # a comment inside of a statement
    sub(/^&/, "", code)
    if (quote != "" || code ~ /&$/) {
        sub(/&$/, "", code)
        statement = statement code
        next
    }
    count = split(statement code, parts, ";")
    for (part = 1; part <= count; ++part) {
        note_types(parts[part])
        check(parts[part])
    }
    statement = ""
}
END { exit is_wrong }
