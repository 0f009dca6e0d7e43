// SPDX-License-Identifier: BSD-3-Clause
//
// Reads debug information (result_type.hpp): the function's entry by its address, the type of its
// result, and the components of that, down to numbers. Anything unexpected makes the type unknown.

#include "core/result_type.hpp"

#include <dlfcn.h>
#include <dwarf.h>
#include <link.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "core/libdw.hpp"
#include "core/processor.hpp"

namespace tessera::caf {

const Libdw* libdw() {
    static Libdw functions;
    static const bool is_complete = [] {
        void* library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) return false;
        bool has_all = true;
#define TESSERA_FIND(NAME)                                                       \
    functions.NAME = reinterpret_cast<decltype(&::NAME)>(dlsym(library, #NAME)); \
    has_all = has_all && functions.NAME != nullptr;
        TESSERA_LIBDW_FUNCTIONS(TESSERA_FIND)
#undef TESSERA_FIND
        return has_all;
    }();
    return is_complete ? &functions : nullptr;
}

namespace {

constexpr std::size_t kInRegisters = 16;  // bytes

// The components of one result type.
class Components {
  public:
    Components(const Libdw& dw, std::size_t bytes) : dw_(dw), bytes_(bytes) {}

    // RETURNS: false if something is not understood.
    bool add(Dwarf_Die* type, std::size_t offset);
    void finish(ResultType* result) const;

  private:
    bool add_number(Dwarf_Die* type, std::size_t offset);
    bool add_wide(Dwarf_Die* type, std::size_t offset);
    bool add_members(Dwarf_Die* type, std::size_t offset);
    bool add_elements(Dwarf_Die* type, std::size_t offset);
    bool add_words(std::size_t offset, std::size_t bytes, std::size_t alignment, Word word);
    bool type_of(Dwarf_Die* entry, Dwarf_Die* type) const;

    const Libdw& dw_;
    std::size_t bytes_;
    Word words_[2] = {};
    ResultType::Form form_ = ResultType::kWords;
    bool has_pointer_ = false;
};

bool Components::type_of(Dwarf_Die* entry, Dwarf_Die* type) const {
    Dwarf_Attribute attribute;
    return dw_.dwarf_attr_integrate(entry, DW_AT_type, &attribute) != nullptr &&
           dw_.dwarf_formref_die(&attribute, type) != nullptr &&
           dw_.dwarf_peel_type(type, type) == 0;
}

bool Components::add_words(std::size_t offset, std::size_t bytes, std::size_t alignment,
                           Word word) {
    if (offset % alignment != 0) form_ = ResultType::kMemory;
    // An integer in a word decides for the whole word.
    for (std::size_t i = offset / 8; i * 8 < offset + bytes && i < std::size(words_); ++i)
        words_[i] = std::max(words_[i], word);
    return bytes_ > kInRegisters || offset + bytes <= kInRegisters;
}

// The two reals of 16 bytes differ in their names only.
bool Components::add_wide(Dwarf_Die* type, std::size_t offset) {
    const char* name = dw_.dwarf_diename(type);
    if (name == nullptr || offset != 0) return false;
    const auto is_in = [name](const char* text) { return std::strstr(name, text) != nullptr; };
    if (is_in("kind=10") || is_in("long double")) {
        form_ = ResultType::kExtended;
    } else if (is_in("kind=16") || is_in("loat128")) {
        form_ = ResultType::kQuad;
    }
    return form_ != ResultType::kWords;
}

bool Components::add_number(Dwarf_Die* type, std::size_t offset) {
    Dwarf_Attribute attribute;
    Dwarf_Word encoding = 0;
    const int size = dw_.dwarf_bytesize(type);
    if (size <= 0 || dw_.dwarf_attr(type, DW_AT_encoding, &attribute) == nullptr ||
        dw_.dwarf_formudata(&attribute, &encoding) != 0) {
        return false;
    }
    const auto bytes = static_cast<std::size_t>(size);
    const bool is_complex = encoding == DW_ATE_complex_float;
    if (encoding != DW_ATE_float && !is_complex)
        return add_words(offset, bytes, bytes, Word::kInteger);
    const std::size_t real_bytes = is_complex ? bytes / 2 : bytes;
    if (real_bytes == 16) return bytes_ > bytes || add_wide(type, offset);
    return (real_bytes == 4 || real_bytes == 8) &&
           add_words(offset, bytes, real_bytes, Word::kReal);
}

bool Components::add_members(Dwarf_Die* type, std::size_t offset) {
    Dwarf_Die member;
    if (dw_.dwarf_child(type, &member) != 0) return true;
    do {
        if (dw_.dwarf_tag(&member) != DW_TAG_member &&
            dw_.dwarf_tag(&member) != DW_TAG_inheritance) {
            continue;
        }
        Dwarf_Attribute attribute;
        Dwarf_Word place = 0;  // Members of unions have none.
        Dwarf_Die component;
        if ((dw_.dwarf_attr(&member, DW_AT_data_member_location, &attribute) != nullptr &&
             dw_.dwarf_formudata(&attribute, &place) != 0) ||
            !type_of(&member, &component) || !add(&component, offset + place)) {
            return false;
        }
    } while (dw_.dwarf_siblingof(&member, &member) == 0);
    return true;
}

bool Components::add_elements(Dwarf_Die* type, std::size_t offset) {
    // An array that is allocatable or a pointer is a descriptor.
    if (dw_.dwarf_hasattr(type, DW_AT_data_location) != 0) {
        has_pointer_ = true;
        return true;
    }
    Dwarf_Die element;
    Dwarf_Word bytes = 0;
    Dwarf_Word element_bytes = 0;
    if (dw_.dwarf_hasattr(type, DW_AT_GNU_vector) != 0 || !type_of(type, &element) ||
        dw_.dwarf_aggregate_size(type, &bytes) != 0 ||
        dw_.dwarf_aggregate_size(&element, &element_bytes) != 0) {
        return false;
    }
    if (element_bytes == 0 || offset + bytes > bytes_) return bytes == 0;
    for (Dwarf_Word i = 0; i < bytes / element_bytes; ++i) {
        if (!add(&element, offset + i * element_bytes)) return false;
        if (offset + i * element_bytes > kInRegisters) {
            break;  // Only pointers to large types matter.
        }
    }
    return true;
}

bool Components::add(Dwarf_Die* type, std::size_t offset) {
    switch (dw_.dwarf_tag(type)) {
        case DW_TAG_base_type: return add_number(type, offset);
        case DW_TAG_enumeration_type:
            return dw_.dwarf_bytesize(type) == 4 && add_words(offset, 4, 4, Word::kInteger);
        case DW_TAG_string_type:
            return dw_.dwarf_bytesize(type) >= 0 &&
                   add_words(offset, static_cast<std::size_t>(dw_.dwarf_bytesize(type)), 1,
                             Word::kInteger);
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type: return add_members(type, offset);
        case DW_TAG_array_type: return add_elements(type, offset);
        case DW_TAG_pointer_type:
            has_pointer_ = true;
            return add_words(offset, sizeof(void*), alignof(void*), Word::kInteger);
        default: return false;
    }
}

void Components::finish(ResultType* result) const {
    result->form = form_;
    result->has_pointer = has_pointer_;
    std::copy(std::begin(words_), std::end(words_), result->words);
}

// The modules of this process: opened when first asked for, and again when one has been loaded or
// unloaded.
class Program {
  public:
    explicit Program(const Libdw& dw) : dw_(dw) {}
    ResultType find(std::uintptr_t address, std::size_t bytes);

  private:
    struct Changes {
        unsigned long long loaded = 0, unloaded = 0;
        bool operator==(const Changes&) const = default;
    };
    void refresh();
    ResultType look_up(std::uintptr_t address, std::size_t bytes);
    template <class Action>
    void for_each_function(Dwarf_Die* unit, Dwarf_Die* parent, const Action& action) const;
    bool has_name(Dwarf_Die* function, const char* symbol) const;
    ResultType read_type(Dwarf_Die* unit, Dwarf_Die* function, std::size_t bytes) const;
    bool returns_in_memory(Dwarf_Die* unit) const;
    ResultType read(std::uintptr_t address, std::size_t bytes) const;

    const Libdw& dw_;
    Dwfl_Callbacks callbacks_{};
    Dwfl* dwfl_ = nullptr;
    Changes changes_;
    std::map<std::pair<std::uintptr_t, std::size_t>, ResultType> known_;
};

void Program::refresh() {
    Changes now;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* changes) {
            *static_cast<Changes*>(changes) = {info->dlpi_adds, info->dlpi_subs};
            return 1;
        },
        &now);
    if (dwfl_ != nullptr && now == changes_) return;
    if (dwfl_ != nullptr) dw_.dwfl_end(dwfl_);
    known_.clear();
    changes_ = now;
    // Not dwfl_standard_find_debuginfo(): that one may ask a server.
    callbacks_ = {.find_elf = dw_.dwfl_linux_proc_find_elf,
                  .find_debuginfo = dw_.dwfl_build_id_find_debuginfo,
                  .section_address = nullptr,
                  .debuginfo_path = nullptr};
    dwfl_ = dw_.dwfl_begin(&callbacks_);
    if (dwfl_ != nullptr) {
        dw_.dwfl_report_begin(dwfl_);
        dw_.dwfl_linux_proc_report(dwfl_, getpid());
        dw_.dwfl_report_end(dwfl_, nullptr, nullptr);
    }
}

// Calls action(unit, function) for the functions of a unit, which lie in modules and in other
// functions.
template <class Action>
void Program::for_each_function(Dwarf_Die* unit, Dwarf_Die* parent, const Action& action) const {
    Dwarf_Die die;
    if (dw_.dwarf_child(parent, &die) != 0) return;
    do {
        const int tag = dw_.dwarf_tag(&die);
        if (tag == DW_TAG_subprogram) action(unit, &die);
        if (tag == DW_TAG_subprogram || tag == DW_TAG_module || tag == DW_TAG_namespace ||
            tag == DW_TAG_lexical_block) {
            for_each_function(unit, &die, action);
        }
    } while (dw_.dwarf_siblingof(&die, &die) == 0);
}

// A function that is equal to another one may have code without debug information of its own, a
// copy of the other's. Then its name has an entry without an address.
bool Program::has_name(Dwarf_Die* function, const char* symbol) const {
    Dwarf_Attribute attribute;
    if (dw_.dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute) != nullptr) {
        const char* linkage_name = dw_.dwarf_formstring(&attribute);
        return linkage_name != nullptr && std::strcmp(linkage_name, symbol) == 0;
    }
    // The symbol of an internal procedure has a number behind its name.
    const char* name = dw_.dwarf_diename(function);
    const std::size_t length = name == nullptr ? 0 : std::strlen(name);
    return length != 0 && std::strncmp(symbol, name, length) == 0 &&
           (symbol[length] == '\0' || symbol[length] == '.');
}

// The compiler notes options that change the calling convention.
bool Program::returns_in_memory(Dwarf_Die* unit) const {
    Dwarf_Attribute attribute;
    const char* producer = nullptr;
    if (dw_.dwarf_attr(unit, DW_AT_producer, &attribute) != nullptr)
        producer = dw_.dwarf_formstring(&attribute);
    return producer != nullptr && std::strstr(producer, "-fpcc-struct-return") != nullptr;
}

ResultType Program::read_type(Dwarf_Die* unit, Dwarf_Die* function, std::size_t bytes) const {
    ResultType result;
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    Dwarf_Word size = 0;
    if (dw_.dwarf_attr_integrate(function, DW_AT_type, &attribute) == nullptr ||
        dw_.dwarf_formref_die(&attribute, &type) == nullptr ||
        dw_.dwarf_peel_type(&type, &type) != 0) {
        result.why = "its debug information names no type of the result";
        return result;
    }
    if (const char* name = dw_.dwarf_diename(&type); name != nullptr) result.name = name;
    Components components(dw_, bytes);
    if (dw_.dwarf_aggregate_size(&type, &size) != 0 || size != bytes || !components.add(&type, 0)) {
        result.why = "its debug information has a result of another kind or size";
        return result;
    }
    components.finish(&result);
    if (returns_in_memory(unit)) result.form = ResultType::kMemory;
    return result;
}

ResultType Program::read(std::uintptr_t address, std::size_t bytes) const {
    ResultType result;
    result.why = "the program has no debug information about it";
    Dwfl_Module* module = dwfl_ == nullptr ? nullptr : dw_.dwfl_addrmodule(dwfl_, address);
    if (module == nullptr) return result;
    bool is_found = false;
    Dwarf_Addr bias = 0;
    for (Dwarf_Die* unit = nullptr;
         !is_found && (unit = dw_.dwfl_module_nextcu(module, unit, &bias)) != nullptr;) {
        if (dw_.dwarf_haspc(unit, address - bias) > 0) {
            for_each_function(unit, unit, [&](Dwarf_Die* in, Dwarf_Die* function) {
                if (!is_found && dw_.dwarf_haspc(function, address - bias) > 0) {
                    is_found = true;
                    result = read_type(in, function, bytes);
                }
            });
        }
    }
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char* name =
        dw_.dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    if (is_found || name == nullptr || offset != 0) return result;
    for (Dwarf_Die* unit = nullptr;
         (unit = dw_.dwfl_module_nextcu(module, unit, &bias)) != nullptr;) {
        for_each_function(unit, unit, [&](Dwarf_Die* in, Dwarf_Die* function) {
            if (!has_name(function, name)) return;
            const ResultType found = read_type(in, function, bytes);
            if (is_found && !found.is_called_as(result)) {
                result = {};
                result.why = "several functions have its name";
            } else {
                result = found;
            }
            is_found = true;
        });
    }
    return result;
}

// Only what is known stays so: the stack has other code later.
ResultType Program::look_up(std::uintptr_t address, std::size_t bytes) {
    if (const auto at = known_.find({address, bytes}); at != known_.end()) return at->second;
    ResultType result = read(address, bytes);
    if (result.form != ResultType::kUnknown) known_[{address, bytes}] = result;
    return result;
}

ResultType Program::find(std::uintptr_t address, std::size_t bytes) {
    refresh();
    ResultType result = look_up(address, bytes);
    if (result.form == ResultType::kUnknown) {
        if (const std::uintptr_t target = jump_target(address); target != 0)
            result = look_up(target, bytes);
    }
    return result;
}

}  // namespace

ResultType result_type_of(AnyFunction function, std::size_t bytes) {
    static std::mutex mutex;
    const Libdw* dw = libdw();
    if (dw == nullptr) {
        ResultType result;
        result.why = "libdw.so.1 of elfutils, which reads debug information, is not installed";
        return result;
    }
    const std::lock_guard lock(mutex);
    static Program program(*dw);
    return program.find(reinterpret_cast<std::uintptr_t>(function), bytes);
}

}  // namespace tessera::caf
