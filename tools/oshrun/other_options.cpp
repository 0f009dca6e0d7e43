// SPDX-License-Identifier: BSD-3-Clause
//
// See other_options.hpp.
#include "other_options.hpp"

#include <algorithm>
#include <initializer_list>

namespace tessera::oshrun {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kOpenMpi = "Open MPI";
constexpr std::string_view kHydra = "MPICH, Intel MPI";
constexpr std::string_view kSlurm = "srun";
constexpr std::string_view kAny = "several";

constexpr std::string_view kAllocation =
    "ask salloc or sbatch for it; oshrun runs in what they give";

constexpr OtherOption kTable[] = {
    // Programs and PEs.
    {kSlurm, "--ntasks", "N", "-n $1", ""},
    {kAny, "--npernode --ppn --perhost --tasks-per-node -N", "N", "--ntasks-per-node $1", ""},
    {kOpenMpi, "--pernode", "", "--ntasks-per-node 1", ""},
    {kOpenMpi, "--npersocket --ntasks-per-socket", "N", "--map-by ppr:$1:package", ""},
    {kSlurm, "--nodes", "N", "",
     "name hosts with --host, or give PEs of a host with --ntasks-per-node"},
    {kSlurm, "--multi-prog", "", "",
     "write the programs with : between them, as in -n 1 ./a : -n 3 ./b"},
    {kAny, "-wd --dir --chdir --workdir -D", "DIR", "--wdir $1", ""},
    {kOpenMpi, "--preload-binary -s", "", "",
     "copy the program to the hosts first; for input write --stdin PE"},
    {kOpenMpi, "--preload-files", "FILES", "", "copy the files to the hosts first"},
    // Hosts.
    {kHydra, "--hosts", "HOSTS", "--host $1", ""},
    {kSlurm, "--nodelist -w", "HOSTS", "--host $1", ""},
    {kAny, "--machinefile --default-hostfile -f", "FILE", "--hostfile $1", ""},
    {kOpenMpi, "--nolocal", "", "", "name the other hosts with --host"},
    {kHydra, "--bootstrap --rmk --launcher-exec", "NAME", "",
     "choose with --launcher srun, prterun or mpirun"},
    {kHydra, "--iface", "NAME", "", "write -x FI_TCP_IFACE=NAME"},
    {kSlurm,
     "--partition -p --account -A --qos --gres --gpus --gpus-per-task --mem "
     "--mem-per-cpu --constraint -C --reservation",
     "VALUE", "", kAllocation},
    // Variables.
    {kHydra, "--genv --env", "NAME VALUE", "-x $1=$2", ""},
    {kHydra, "--genvlist --envlist", "NAMES", "-x $each", ""},
    {kHydra, "--genvall --envall", "", "", ""},
    {kSlurm, "--export=ALL", "", "", ""},
    {kHydra, "--genvnone --envnone", "", "",
     "PEs get all variables; take them away by env -i oshrun"},
    {kSlurm, "--export", "VARIABLES", "", "PEs get all variables; write -x NAME=VALUE to set one"},
    {kOpenMpi, "--gmca --omca --prtemca --pmixmca", "NAME VALUE", "--mca $1 $2", ""},
    {kOpenMpi, "--tune --am --personality", "VALUE", "", ""},
    // Output and input.
    {kAny, "-l --label --prepend-rank --output=tag", "", "--tag-output", ""},
    {kOpenMpi, "--output=timestamp", "", "--timestamp-output", ""},
    {kOpenMpi, "--output=tag,timestamp", "", "--tag-output --timestamp-output", ""},
    {kAny, "--outfile-pattern --output -o", "FILE", "--output-filename $1", ""},
    {kAny, "--errfile-pattern --error -e", "FILE", "--error-filename $1", ""},
    {kSlurm, "--input -i", "PE", "--stdin $1", ""},
    {kOpenMpi, "--merge-stderr-to-stdout", "", "", "write 2>&1 behind the command"},
    {kOpenMpi, "--xml", "", "", "oshrun writes no XML; --tag-output marks the lines"},
    // Places of PEs.
    {kAny, "--cpus-per-task --cpus-per-proc --cpus-per-rank --depth -d", "N", "--cores-per-pe $1",
     ""},
    {kOpenMpi, "--bind-to-core", "", "--bind-to core", ""},
    {kOpenMpi, "--bind-to-socket", "", "--bind-to package", ""},
    {kOpenMpi, "--bind-to-none", "", "--bind-to none", ""},
    {kOpenMpi, "--bycore --byslot", "", "--map-by core", ""},
    {kOpenMpi, "--bysocket", "", "--map-by package", ""},
    {kOpenMpi, "--bynode", "", "--map-by node", ""},
    {kSlurm, "--cpu_bind", "WORDS", "--cpu-bind $1", ""},
    {kSlurm, "--distribution -m", "WORDS", "", "choose with --map-by core, package or node"},
    {kOpenMpi, "--rank-by", "WORD", "", ""},
    {kOpenMpi, "--rankfile --rf", "FILE", "", "choose with --bind-to and --map-by"},
    {kOpenMpi, "--cpu-list --cpu-set", "LIST", "", "write taskset -c LIST oshrun"},
    {kOpenMpi, "--display-map --display-allocation --display=map --display=bind", "",
     "--report-bindings", ""},
    {kSlurm, "--hint --threads-per-core", "WORD", "", ""},
    // Debuggers and failures.
    {kHydra, "--gdb", "", "--debug", ""},
    {kOpenMpi, "--xterm", "PES", "--debug=$1", ""},
    {kOpenMpi, "--debugger", "NAME", "", "write --debug, which starts gdb"},
    {kOpenMpi, "--tv", "", "", "write --debug, which starts gdb"},
    {kOpenMpi, "--get-stack-traces --report-state-on-timeout", "", "", ""},
    {kSlurm, "--time -t", "TIME", "", "write --timeout TIME, as in --timeout 10m"},
    {kAny, "--enable-recovery --continuous --disable-auto-cleanup --no-kill", "", "",
     "programs ask for it by shmemx_survive_failures"},
    {kOpenMpi, "--report-pid --report-uri", "FILE", "", "the shell has oshrun's process in $!"},
    // Nothing that a job of oshrun needs to be told.
    {kOpenMpi,
     "--oversubscribe --nooversubscribe --allow-run-as-root "
     "--use-hwthread-cpus --use-hwthreads --noprefix --novm "
     "--disable-recovery --disable-hostname-propagation",
     "", "", ""},
    {kAny, "--quiet -q -Q --print-all-exitcodes --exitinfo", "", "", ""},
    {kSlurm,
     "--overcommit -O --exclusive --unbuffered -u --kill-on-bad-exit -K "
     "--kill-on-bad-exit=1 --kill-on-bad-exit=0",
     "", "", ""},
    {kSlurm, "--mpi --job-name -J", "NAME", "", ""},
    {kOpenMpi, "--prefix", "DIR", "", ""},
};

// "-name" and "--name" are the same for a name of several letters.
std::string long_form(const std::string& word) {
    const bool is_long = word.size() > 2 && word[1] != '-';
    return is_long ? "-" + word : word;
}

bool has_name(const OtherOption& option, std::string_view name) {
    std::string_view rest = option.names;
    while (!rest.empty()) {
        const std::string one(rest.substr(0, rest.find(' ')));
        if (long_form(one) == name) return true;
        rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    }
    return false;
}

const OtherOption* find_option(const std::string& name) {
    const std::string long_name = long_form(name);
    const auto found = std::ranges::find_if(
        kTable, [&](const OtherOption& option) { return has_name(option, long_name); });
    return found == std::end(kTable) ? nullptr : &*found;
}

std::size_t count_words(std::string_view text) {
    if (text.empty()) return 0;
    return 1 + static_cast<std::size_t>(std::ranges::count(text, ' '));
}

Words split(std::string_view text, char separator) {
    Words words;
    while (!text.empty()) {
        words.emplace_back(text.substr(0, text.find(separator)));
        text.remove_prefix(std::min(words.back().size() + 1, text.size()));
    }
    return words;
}

void replace(std::string& word, std::string_view mark, const std::string& value) {
    const std::size_t at = word.find(mark);
    if (at != std::string::npos) word.replace(at, mark.size(), value);
}

// The option in oshrun's own words. Values stay whole, whatever is in them.
Words in_our_words(const OtherOption& option, const Words& values) {
    Words result;
    const bool is_list = option.ours.find("$each") != std::string_view::npos;
    for (const std::string& part : is_list ? split(values[0], ',') : Words{""}) {
        for (std::string word : split(option.ours, ' ')) {
            // The last value first: a value may itself contain a mark.
            if (values.size() > 1) replace(word, "$2", values[1]);
            if (!is_list && !values.empty()) replace(word, "$1", values[0]);
            if (is_list) replace(word, "$each", part);
            result.push_back(std::move(word));
        }
    }
    return result;
}

struct Found {
    const OtherOption* option = nullptr;
    std::size_t words = 1;  // the option and its values take so many
    Words values;
};

// The option at words[at]: by its name, or by name and value, as "--output tag".
Found find_at(const Words& words, std::size_t at) {
    const std::string& word = words[at];
    const std::size_t equals = word.find('=');
    if (const OtherOption* whole = find_option(word)) {
        if (at + 1 < words.size()) {
            const OtherOption* with_value = find_option(word + "=" + words[at + 1]);
            if (with_value != nullptr) return {.option = with_value, .words = 2, .values = {}};
        }
        Found found{.option = whole, .words = 1, .values = {}};
        for (std::size_t i = 0; i < count_words(whole->values) && at + found.words < words.size();
             ++i) {
            found.values.push_back(words[at + found.words++]);
        }
        return found;
    }
    if (equals == std::string::npos) return {};
    const OtherOption* option = find_option(word.substr(0, equals));
    if (option == nullptr || count_words(option->values) != 1) return {};
    return {.option = option, .words = 1, .values = {word.substr(equals + 1)}};
}

}  // namespace

std::span<const OtherOption> other_options() { return kTable; }

std::string translate_options(Words& words, const OwnOption& own_option) {
    std::size_t at = 0;
    while (at < words.size() && words[at].size() > 1 && words[at][0] == '-' && words[at] != "--") {
        const std::string name = words[at].substr(0, words[at].find('='));
        int values = own_option(name);
        if (values < 0) values = own_option(long_form(name));
        if (values >= 0) {
            if (own_option(name) < 0) words[at] = long_form(words[at]);
            const bool has_value = words[at].find('=') != std::string::npos;
            at += 1 + (has_value ? 0 : static_cast<std::size_t>(values));
            continue;
        }
        const Found found = find_at(words, at);
        if (found.option == nullptr) {
            ++at;
            continue;
        }
        if (!found.option->advice.empty())
            return words[at] + ": " + std::string(found.option->advice);
        if (found.values.size() < count_words(found.option->values))
            return words[at] + " needs " + std::string(found.option->values) + " behind it";
        const Words ours = in_our_words(*found.option, found.values);
        const auto first = words.begin() + static_cast<std::ptrdiff_t>(at);
        words.erase(first, first + static_cast<std::ptrdiff_t>(found.words));
        words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), ours.begin(), ours.end());
        at += ours.size();
    }
    return "";
}

std::string other_options_table() {
    std::string text = "| option | launcher | what `oshrun` does |\n|---|---|---|\n";
    const auto add = [&text](std::initializer_list<std::string_view> parts) {
        for (const std::string_view part : parts) text += part;
    };
    for (const OtherOption& option : kTable) {
        std::string_view before = "| `";
        for (const std::string& name : split(option.names, ' ')) {
            add({before, name, option.values.empty() ? "" : " ", option.values});
            before = "`, `";
        }
        add({"` | ", option.from, " | "});
        if (!option.advice.empty()) {
            add({"refuses it: ", option.advice});
        } else if (!option.ours.empty()) {
            add({"takes it as `", option.ours, "`"});
        } else {
            add({"accepts it, without effect"});
        }
        add({" |\n"});
    }
    return text;
}

}  // namespace tessera::oshrun
