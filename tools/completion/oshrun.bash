# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Completion for oshrun and the other tools of Tessera in bash: options, and the words of an option
# that takes one of several. The command's own --help has them, so this file lists none. All else is
# completed as a file. bash-completion loads it by the name of the command.

_tessera_command() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words
    # "  -n,--np N    text", "  --bind-to auto|core|none    text"
    words=$("$1" --help 2>/dev/null | awk -v word="$word" -v before="$before" '
        /^ +-/ {
            sub(/,  */, ",", $0)
            count = split($1, names, ",")
            for (i = 1; i <= count; ++i) {
                sub(/[=[{].*/, "", names[i])
                if (word ~ /^-/ && names[i] ~ /^-/) print names[i]
                if (word !~ /^-/ && names[i] == before && $2 ~ /\|/) {
                    gsub(/\|/, "\n", $2)
                    print $2
                }
            }
        }')
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -o default -F _tessera_command oshrun shmemrun osh_info osh_hang osh_tune osh_report
