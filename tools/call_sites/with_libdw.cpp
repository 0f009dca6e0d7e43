// SPDX-License-Identifier: BSD-3-Clause
//
// See call_sites.hpp: by elfutils' libdw.
#include <cxxabi.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "call_sites.hpp"

namespace tessera::call_sites {
namespace {

// Debug information next to the program or by its build id. Not dwfl_standard_find_debuginfo():
// that one may ask a server.
const Dwfl_Callbacks kCallbacks{.find_elf = dwfl_linux_proc_find_elf,
                                .find_debuginfo = dwfl_build_id_find_debuginfo,
                                .section_address = nullptr,
                                .debuginfo_path = nullptr};

constexpr int kFramesMax = 200;  // a runaway recursion has enough of them to see it

// C++ names become readable; the arguments are left out.
std::string readable(const char* name) {
    if (name == nullptr) return "";
    // Other names are those of C, also where they spell a type of C++, as x (long long) does.
    if (!std::string_view(name).starts_with("_Z")) return name;
    int status = 0;
    std::unique_ptr<char, void (*)(void*)> demangled(
        abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
    if (status != 0) return name;
    std::string text = demangled.get();
    int depth = 0;  // of template arguments, which may contain functions
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '<') ++depth;
        if (text[i] == '>') --depth;
        if (text[i] == '(' && depth == 0 && text.compare(i, 21, "(anonymous namespace)") != 0) {
            return text.substr(0, i);
        }
    }
    return text;
}

struct Walk {
    Process* process;
    Stack* stack;
};

int take_frame(Dwfl_Frame* frame, void* argument) {
    auto& walk = *static_cast<Walk*>(argument);
    Dwarf_Addr pc = 0;
    bool is_activation = false;  // of a signal handler, or the innermost one: pc itself
    if (!dwfl_frame_pc(frame, &pc, &is_activation)) return DWARF_CB_ABORT;
    walk.stack->calls.push_back(is_activation ? walk.process->site_of(pc)
                                              : walk.process->caller_at(pc));
    return walk.stack->calls.size() < kFramesMax ? DWARF_CB_OK : DWARF_CB_ABORT;
}

struct ThreadList {
    std::vector<pid_t> threads;
};

int take_thread(Dwfl_Thread* thread, void* argument) {
    static_cast<ThreadList*>(argument)->threads.push_back(dwfl_thread_tid(thread));
    return DWARF_CB_OK;
}

// Where a module's segments lie in memory, also those of .bss and those whose pages have been
// replaced.
bool covers(Dwfl_Module* module, std::uint64_t address) {
    GElf_Addr bias = 0;
    Elf* elf = dwfl_module_getelf(module, &bias);
    std::size_t count = 0;
    if (elf == nullptr || elf_getphdrnum(elf, &count) != 0) return false;
    for (std::size_t i = 0; i < count; ++i) {
        GElf_Phdr header;
        if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) continue;
        if (header.p_type != PT_LOAD) continue;
        const std::uint64_t begin = header.p_vaddr + bias;
        if (address >= begin && address - begin < header.p_memsz) return true;
    }
    return false;
}

struct Search {
    std::uint64_t address;
    Dwfl_Module* found;
};

int take_module(Dwfl_Module* module, void** /*user*/, const char* name, Dwarf_Addr /*base*/,
                void* argument) {
    auto& search = *static_cast<Search*>(argument);
    if (name[0] != '/' || !covers(module, search.address)) return DWARF_CB_OK;
    search.found = module;
    return DWARF_CB_ABORT;
}

}  // namespace

struct Process::State {
    pid_t pid;
    Dwfl* dwfl = dwfl_begin(&kCallbacks);
    bool is_attached = false;

    explicit State(pid_t id) : pid(id) {
        if (dwfl != nullptr && read_modules() != 0) {
            dwfl_end(dwfl);
            dwfl = nullptr;
        }
    }
    ~State() {
        if (dwfl != nullptr) dwfl_end(dwfl);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    int read_modules() const {
        dwfl_report_begin(dwfl);
        const int error = dwfl_linux_proc_report(dwfl, pid);
        return dwfl_report_end(dwfl, nullptr, nullptr) != 0 ? -1 : error;
    }
    Dwfl_Module* module_at(std::uint64_t address) const {
        if (dwfl == nullptr) return nullptr;
        Search search{.address = address, .found = nullptr};
        dwfl_getmodules(dwfl, take_module, &search, 0);
        return search.found;
    }
    bool attach(std::string& error) {
        if (is_attached) return true;
        if (dwfl == nullptr) {
            error = "the process cannot be read";
            return false;
        }
        const int code = dwfl_linux_proc_attach(dwfl, pid, false);
        if (code != 0) {
            error = code > 0 ? std::strerror(code) : dwfl_errmsg(-1);
            return false;
        }
        return is_attached = true;
    }
};

Process::Process(pid_t pid) : state_(std::make_unique<State>(pid)) {}
Process::~Process() = default;

Site Process::caller_at(std::uint64_t return_address) {
    Site site = site_of(return_address - 1);
    site.address = return_address;
    return site;
}

Site Process::site_of(std::uint64_t pc) {
    Site site;
    site.address = pc;
    if (state_->dwfl == nullptr) return site;
    Dwfl_Module* module = dwfl_addrmodule(state_->dwfl, pc);
    if (module == nullptr) return site;
    Dwarf_Addr start = 0;
    const char* path =
        dwfl_module_info(module, nullptr, &start, nullptr, nullptr, nullptr, nullptr, nullptr);
    site.module = path != nullptr ? path : "";
    site.module_offset = pc - start;
    site.function = readable(dwfl_module_addrname(module, pc));
    if (Dwfl_Line* line = dwfl_module_getsrc(module, pc)) {
        const char* file = dwfl_lineinfo(line, nullptr, &site.line, nullptr, nullptr, nullptr);
        site.file = file != nullptr ? file : "";
    }
    return site;
}

std::optional<Symbol> Process::symbol_of(std::uint64_t address) {
    Dwfl_Module* module = state_->module_at(address);
    if (module == nullptr) return {};
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char* name =
        dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    // Labels without a size, such as _edata, own no bytes.
    if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT) return {};
    if (offset >= symbol.st_size) return {};
    return Symbol{.name = readable(name), .offset = offset, .bytes = symbol.st_size};
}

std::vector<Stack> Process::stacks(std::string& error) {
    std::vector<Stack> stacks;
    if (!state_->attach(error)) return stacks;
    ThreadList list;
    dwfl_getthreads(state_->dwfl, take_thread, &list);
    for (pid_t thread : list.threads) {
        Stack stack = stack_of(thread, error);
        if (!stack.calls.empty()) stacks.push_back(std::move(stack));
    }
    return stacks;
}

Stack Process::stack_of(pid_t thread, std::string& error) {
    Stack stack{.thread = thread, .calls = {}};
    if (!state_->attach(error)) return stack;
    Walk walk{.process = this, .stack = &stack};
    // A stack that ends in an error is still one as far as it goes.
    if (dwfl_getthread_frames(state_->dwfl, thread, take_frame, &walk) != 0 &&
        stack.calls.empty()) {
        error = dwfl_errmsg(-1);
    }
    return stack;
}

bool has_debug_information() { return true; }

}  // namespace tessera::call_sites
