// SPDX-License-Identifier: BSD-3-Clause
//
// See environment_markdown.hpp.
#include "tools/osh_info/environment_markdown.hpp"

#include "settings/config.hpp"

namespace tessera::osh_info {
namespace {

constexpr const char* kOpening =
    R"(<!-- Made by `osh_info --environment-markdown` from the table in src/settings/config.cpp. -->
# Environment variables

Tessera reads these variables once, when a program starts. All PEs of a job get the environment of
`oshrun`; `oshrun -x NAME=VALUE` sets a variable for the PEs only. `SHMEM_INFO=1` prints all
settings and the choices that follow from them; `osh_info` prints them without running a program.

- A value that a variable does not allow ends the job at once, with a message that says what is
  allowed. Only an unknown algorithm means auto, with a warning: scripts for other libraries name
  those libraries' algorithms.
- An unknown variable whose name begins with `SHMEM_` gets a warning with the nearest known name.
  Tessera ignores `SHMEM_HOME`, `SHMEM_ROOT` and `SHMEM_DIR` without a warning: by custom they tell
  a compiler where a library is installed.
- An empty value is the same as no value. Upper and lower case mean the same.
- Some variables have other names, too: deprecated names, and names of other libraries with the same
  meaning. If several are set, the variable's own name counts, even if it is empty, and then the
  first in the list below. `SHMEM_INFO=1` shows the name under which Tessera found a value.
- The PEs compare variables marked "same on all PEs" when the job starts.

`TESSERA_JOB` is private between `oshrun` and its PEs.

## Variables that oshrun sets

Programs, and scripts around them, find their place in these variables. The library does not read
them. Where `oshrun` hands over to another launcher, that launcher's variables are there instead.

- `SHMEM_MY_PE`, `PMI_RANK`: the number of the PE; under srun `SLURM_PROCID`, under mpirun of
  Open MPI `OMPI_COMM_WORLD_RANK`.
- `SHMEM_N_PES`, `PMI_SIZE`: the number of PEs; `SLURM_NTASKS`, `OMPI_COMM_WORLD_SIZE`.
- `SHMEM_LOCAL_PE`: the number among the PEs of the host; `SLURM_LOCALID`,
  `OMPI_COMM_WORLD_LOCAL_RANK`.
- `SHMEM_LOCAL_N_PES`: the number of PEs of the host; `SLURM_NTASKS_PER_NODE`,
  `OMPI_COMM_WORLD_LOCAL_SIZE`.

Virtual nodes are on one host. `PMI_RANK` and `PMI_SIZE` stand without `PMI_FD`, so MPI libraries do
not look for a server of PMI-1 or PMI-2.

)";

constexpr const char* kSpellings = R"(## Sizes

A size is an integer or a decimal number, such as `512`, `1.5` or `2e6`, followed by at most one of
`K`, `M`, `G` and `T`, which stand for 2^10, 2^20, 2^30 and 2^40 bytes. Whatever follows that letter
is ignored, so `512MB` is `512M`. Fractions of a byte are rounded up. Signs, hexadecimal numbers,
`inf`, `nan` and values of 2^63 bytes and more are refused.

## Algorithms of other libraries

`dissem` is `dissemination`, and `recdbl` and `rec_dbl` are `recursive_doubling`.

## Switches

`SHMEM_VERSION`, `SHMEM_INFO` and `SHMEM_DEBUG` are on by any value, as the specification says, but
for `0`, `no`, `off`, `false`, `n` and `f`. Other switches take these and `1`, `yes`, `on`, `true`,
`y` and `t`, and nothing else.
)";

constexpr std::size_t kColumnsMax = 100;

// `text` in lines of at most kColumnsMax; all but the first begin with `indent`.
std::string wrapped(std::string text, const std::string& indent = "") {
    std::size_t begin = 0;
    while (text.size() - begin > kColumnsMax) {
        const std::size_t end = text.rfind(' ', begin + kColumnsMax);
        if (end == std::string::npos || end <= begin + indent.size()) break;
        text.replace(end, 1, "\n" + indent);
        begin = end + 1;
    }
    return text + "\n";
}

std::string section(const Variable& variable) {
    std::string text = "## `" + std::string(variable.name) + "`\n\n";
    text += wrapped(std::string(variable.help));
    std::string default_text(variable.default_text);
    if (default_text.empty()) default_text = value_text(Config{}, variable);
    text += "\n" + wrapped("- Allowed: " + allowed_text(variable) + ".", "  ");
    text += wrapped("- Default: " + default_text + ".", "  ");
    for (const OtherName& other : other_names()) {
        if (other.variable != variable.name) continue;
        text += "- Also: `" + std::string(other.name) + "` (" + std::string(other.used_by) + ").\n";
    }
    if (variable.must_agree) text += "- Same on all PEs.\n";
    return text + "\n";
}

}  // namespace

std::string environment_markdown() {
    std::string text = kOpening;
    for (const Variable& variable : variables()) text += section(variable);
    return text + kSpellings;
}

}  // namespace tessera::osh_info
