// SPDX-License-Identifier: BSD-3-Clause
//
// See call_sites.hpp: by elfutils' libdw.
#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
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

// Names of C and Fortran, without the numbers that compilers append to inner functions and
// variables. Names in a Fortran module get its name: "__m_MOD_x" is m::x.
std::string readable_plain(std::string text) {
    for (std::size_t dot = text.rfind('.'); dot != std::string::npos && dot != 0;
         dot = text.rfind('.')) {
        if (text.find_first_not_of("0123456789", dot + 1) != std::string::npos) break;
        text.resize(dot);
    }
    const std::size_t module = text.find("_MOD_");
    if (text.starts_with("__") && module != std::string::npos)
        text = text.substr(2, module - 2) + "::" + text.substr(module + 5);
    return text;
}

// C++ names become readable; the arguments are left out.
std::string readable(const char* name) {
    if (name == nullptr) return "";
    // Other names are those of C, also where they spell a type of C++, as x (long long) does.
    if (!std::string_view(name).starts_with("_Z")) return readable_plain(name);
    int status = 0;
    std::unique_ptr<char, void (*)(void*)> demangled(
        abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
    if (status != 0) return name;
    std::string text = demangled.get();
    int depth = 0;  // depth of template arguments, which may contain functions
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '<') ++depth;
        if (text[i] == '>') --depth;
        if (text[i] == '(' && depth == 0 && text.compare(i, 21, "(anonymous namespace)") != 0)
            return text.substr(0, i);
    }
    return text;
}

// A function that was inlined, and its call.
struct Inlined {
    std::string function;
    std::string call_file;
    int call_line = 0;
};

std::string name_of(Dwarf_Die& function) {
    Dwarf_Attribute attribute;
    if (dwarf_attr_integrate(&function, DW_AT_linkage_name, &attribute) != nullptr)
        return readable(dwarf_formstring(&attribute));
    return readable(dwarf_diename(&function));
}

int number_of(Dwarf_Die& die, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (dwarf_attr(&die, name, &attribute) == nullptr) return 0;
    return dwarf_formudata(&attribute, &value) == 0 ? static_cast<int>(value) : 0;
}

Inlined inlined_of(Dwarf_Die& unit, Dwarf_Die& function) {
    Inlined inlined{.function = name_of(function), .call_file = ""};
    Dwarf_Files* files = nullptr;
    std::size_t count = 0;
    const auto file = static_cast<std::size_t>(number_of(function, DW_AT_call_file));
    if (dwarf_getsrcfiles(&unit, &files, &count) == 0 && file < count) {
        const char* path = dwarf_filesrc(files, file, nullptr, nullptr);
        inlined.call_file = path != nullptr ? path : "";
        inlined.call_line = number_of(function, DW_AT_call_line);
    }
    return inlined;
}

// The inlined functions at `pc`, from the innermost outwards.
std::vector<Inlined> inlined_at(Dwfl_Module* module, std::uint64_t pc) {
    std::vector<Inlined> found;
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = dwfl_module_addrdie(module, pc, &bias);
    Dwarf_Die* scopes = nullptr;
    if (unit == nullptr || dwarf_getscopes(unit, pc - bias, &scopes) <= 0) return found;
    // These lead to where the innermost function was written; from its own entry one comes to the
    // functions that it was inlined into.
    Dwarf_Die innermost = scopes[0];
    std::free(scopes);
    const int count = dwarf_getscopes_die(&innermost, &scopes);
    for (int i = 0; i < count; ++i) {
        if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine)
            found.push_back(inlined_of(*unit, scopes[i]));
    }
    if (count > 0) std::free(scopes);
    return found;
}

struct Walk {
    Process* process;
    Stack* stack;
};

int take_frame(Dwfl_Frame* frame, void* argument) {
    auto& walk = *static_cast<Walk*>(argument);
    Dwarf_Addr pc = 0;
    bool is_activation = false;  // frame of a signal handler, or the innermost one: pc itself
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
    pid_t pid = 0;
    Dwfl* dwfl = dwfl_begin(&kCallbacks);
    bool is_attached = false;

    explicit State(pid_t id) : pid(id) {
        read_modules([&] { return dwfl_linux_proc_report(dwfl, pid); });
    }
    explicit State(const std::string& maps) {
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(maps.c_str(), "re"),
                                                                   std::fclose);
        read_modules(
            [&] { return file == nullptr ? -1 : dwfl_linux_proc_maps_report(dwfl, file.get()); });
    }
    ~State() {
        if (dwfl != nullptr) dwfl_end(dwfl);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    template <class Report>
    void read_modules(Report report) {
        if (dwfl == nullptr) return;
        dwfl_report_begin(dwfl);
        const int error = report();
        if (dwfl_report_end(dwfl, nullptr, nullptr) == 0 && error == 0) return;
        dwfl_end(dwfl);
        dwfl = nullptr;
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
Process::Process(const std::string& maps) : state_(std::make_unique<State>(maps)) {}
Process::~Process() = default;

Site Process::caller_at(std::uint64_t return_address) {
    const std::vector<Site> sites = sites_of(return_address - 1);
    const auto own = std::ranges::find_if_not(sites, is_of_library);
    Site site = own != sites.end() ? *own : sites.front();
    site.address = return_address;
    return site;
}

std::vector<Site> Process::sites_of(std::uint64_t pc) {
    std::vector<Site> sites{site_of(pc)};
    if (sites.front().line == 0) return sites;
    const Site outermost = sites.front();
    const std::vector<Inlined> inlined = inlined_at(dwfl_addrmodule(state_->dwfl, pc), pc);
    // The line of the instruction belongs to the innermost function, and so on outwards.
    for (std::size_t i = 0; i < inlined.size(); ++i) {
        sites[i].function = inlined[i].function;
        sites.push_back(outermost);
        sites.back().file = inlined[i].call_file;
        sites.back().line = inlined[i].call_line;
    }
    return sites;
}

Site Process::module_of(std::uint64_t pc) {
    Site site;
    site.address = pc;
    Dwfl_Module* module = state_->dwfl != nullptr ? dwfl_addrmodule(state_->dwfl, pc) : nullptr;
    if (module == nullptr) return site;
    Dwarf_Addr start = 0;
    const char* path =
        dwfl_module_info(module, nullptr, &start, nullptr, nullptr, nullptr, nullptr, nullptr);
    site.module = path != nullptr ? path : "";
    site.module_offset = pc - start;
    return site;
}

Site Process::site_of(std::uint64_t pc) {
    Site site = module_of(pc);
    if (site.module.empty()) return site;
    Dwfl_Module* module = dwfl_addrmodule(state_->dwfl, pc);
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

std::uint64_t Process::address_of(std::string_view name) {
    std::uint64_t found = 0;
    for_each_variable([&](const char* its_name, std::uint64_t address, std::uint64_t) {
        if (name == its_name) found = address;
    });
    return found;
}

void Process::for_each_variable(const VariableVisit& visit) {
    if (state_->dwfl == nullptr) return;
    const auto take = [](Dwfl_Module* module, void**, const char*, Dwarf_Addr, void* argument) {
        const int count = dwfl_module_getsymtab(module);
        for (int i = 0; i < count; ++i) {
            GElf_Sym symbol;
            GElf_Addr address = 0;
            const char* name =
                dwfl_module_getsym_info(module, i, &symbol, &address, nullptr, nullptr, nullptr);
            const bool is_variable = GELF_ST_TYPE(symbol.st_info) == STT_OBJECT &&
                                     symbol.st_shndx != SHN_UNDEF && name != nullptr;
            if (is_variable)
                (*static_cast<const VariableVisit*>(argument))(name, address, symbol.st_size);
        }
        return static_cast<int>(DWARF_CB_OK);
    };
    dwfl_getmodules(state_->dwfl, take, const_cast<VariableVisit*>(&visit), 0);
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

std::string readable_name(const char* name) { return readable(name); }

bool has_debug_information() { return true; }

}  // namespace tessera::call_sites
