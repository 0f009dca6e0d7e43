// SPDX-License-Identifier: BSD-3-Clause
//
// Names for the addresses of a process: the source line of a call, the static variable that a byte
// belongs to, and the stacks of its threads. For diagnosis by tools (of another process) and by
// the checker (of its own process). elfutils' libdw reads the debug information; a build without
// libdw (without_libdw.cpp) knows modules and offsets only. Nothing here is fast: the first look
// into a module reads its debug information.
//
// THREADS: one at a time for each Process.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::call_sites {

// A place in the code. Members are empty, or 0, where the debug information does not say.
struct Site {
    std::uint64_t address = 0;
    std::string function;  // without arguments
    std::string file;      // as the compiler was given it
    int line = 0;
    std::string module;               // path of the program or library
    std::uint64_t module_offset = 0;  // from where the module is loaded
};

// "work (FILE:40)", "work (a.out+0x1234)", or "0x7f...". Directories are left out.
std::string text_of(const Site& site);

// Whether the place belongs to the library or its runtimes, and not to the program. Inline code of
// their headers does, and the library in a statically linked program.
bool is_of_library(const Site& site);
// Whether the place belongs to the system's libraries, to those of the compilers, for example.
bool is_of_system(const Site& site);

// A static variable.
struct Symbol {
    std::string name;
    std::uint64_t offset = 0;  // place of the byte in it
    std::uint64_t bytes = 0;   // size of the variable
};

// "flags", or "flags+24".
std::string text_of(const Symbol& symbol);

// From the innermost call outwards.
struct Stack {
    pid_t thread = 0;
    std::vector<Site> calls;
};

// The call in the program's own code that entered a routine whose name begins with one of
// `prefixes` ("shmem_", "pshmem_"): the caller of the outermost such routine, and that routine.
struct Entry {
    std::string routine;
    Site caller;
};
std::optional<Entry> entry_of(const Stack& stack, const std::vector<std::string_view>& prefixes);

class Process {
  public:
    // `pid` may be the caller's own. A process that cannot be read has no names.
    explicit Process(pid_t pid);
    // A process that has ended, by a file with the lines of its /proc/PID/maps.
    explicit Process(const std::string& maps);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    // The module at `pc` and no more: of a site, what costs least.
    Site module_of(std::uint64_t pc);
    // The call that returns to `return_address`: the line of the instruction before it. Of calls in
    // inline code of the library's headers, the line that uses that code.
    Site caller_at(std::uint64_t return_address);
    // The instruction at `pc`.
    Site site_of(std::uint64_t pc);
    // The same, and the calls that the compiler has inlined, from the innermost outwards.
    std::vector<Site> sites_of(std::uint64_t pc);
    // The static variable that `address` lies in; its pages may be shared ones (static_data.hpp).
    std::optional<Symbol> symbol_of(std::uint64_t address);

    // Where the variable with this name in the symbol table lies; 0: there is none.
    std::uint64_t address_of(std::string_view name);
    // Calls visit(name in the symbol table, address, bytes) for each variable of all modules.
    using VariableVisit = std::function<void(const char*, std::uint64_t, std::uint64_t)>;
    void for_each_variable(const VariableVisit& visit);

    // Stops each thread for a moment to read its stack. Threads that cannot be read are left out;
    // `error` then says why.
    // REQUIRES: another process; the right to trace it (kernel.yama.ptrace_scope).
    std::vector<Stack> stacks(std::string& error);
    // The same for one thread.
    Stack stack_of(pid_t thread, std::string& error);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// A name of a symbol table as programs write it.
std::string readable_name(const char* name);

// Whether this build can name more than modules.
bool has_debug_information();

}  // namespace tessera::call_sites
