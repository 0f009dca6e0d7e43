// SPDX-License-Identifier: BSD-3-Clause
//
// The table of accessors, sorted by hash, and the calls.
#include "abi15/accessors.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/runtime.hpp"

namespace tessera::caf {

namespace {

using detail::Entry;

std::vector<Entry>& table() {
    static std::vector<Entry>& all = *new std::vector<Entry>;
    return all;
}

void show_table() {
    detail::entries = table().data();
    detail::entry_count = table().size();
}

// The base of a descriptor during a call.
class WithBase {
  public:
    WithBase(Descriptor* descriptor, void* base) : descriptor_(descriptor) {
        if (descriptor_ != nullptr) before_ = std::exchange(descriptor_->base, base);
    }
    ~WithBase() {
        if (descriptor_ != nullptr) descriptor_->base = before_;
    }
    WithBase(const WithBase&) = delete;
    WithBase& operator=(const WithBase&) = delete;

  private:
    Descriptor* descriptor_;
    void* before_ = nullptr;
};

std::size_t bytes_of(const Descriptor& descriptor) {
    auto bytes = static_cast<std::size_t>(span_of(descriptor));
    for (int i = 0; i < descriptor.rank; ++i) bytes *= extent(descriptor.dim[i]);
    return bytes;
}

}  // namespace

void detail::stop_for_index(int index, const char* routine) {
    stop_with_error(routine,
                    "no accessor has the index %d; all images must run the same "
                    "program",
                    index);
}

int hash_at(int index, const char* routine) {
    accessor_at(index, routine);
    return detail::entries[index].hash;
}

int index_of(int hash) {
    const auto at = std::lower_bound(table().begin(), table().end(), hash,
                                     [](const Entry& e, int value) { return e.hash < value; });
    return at != table().end() && at->hash == hash ? static_cast<int>(at - table().begin()) : -1;
}

Got run_getter(const Arguments& arguments, void* source, Descriptor* source_descriptor,
               Descriptor* dest_descriptor, void* buffer, std::size_t bytes,
               std::size_t* dest_length, const std::size_t* source_length) {
    const auto getter = reinterpret_cast<Getter>(accessor_at(arguments.index, "coindexed get"));
    Coarray token = token_of(arguments);
    const WithBase with_base(source_descriptor, source);
    void* from = source_descriptor != nullptr ? source_descriptor : source;
    std::int32_t is_owned = 0;
    if (dest_descriptor == nullptr) {
        void* slot = buffer;
        getter(arguments.add_data, &arguments.image, &slot, &is_owned, from, &token, 0, dest_length,
               source_length);
        return {slot, bytes, is_owned != 0};
    }
    getter(arguments.add_data, &arguments.image, reinterpret_cast<void**>(dest_descriptor),
           &is_owned, from, &token, 0, dest_length, source_length);
    return {dest_descriptor->base, bytes_of(*dest_descriptor), is_owned != 0};
}

void run_receiver(const Arguments& arguments, void* dest, Descriptor* dest_descriptor,
                  const void* source, const Descriptor* source_descriptor, std::size_t* dest_length,
                  const std::size_t* source_length) {
    const auto receiver = reinterpret_cast<Receiver>(accessor_at(arguments.index, "coindexed put"));
    Coarray token = token_of(arguments);
    const WithBase with_base(dest_descriptor, dest);
    void* to = dest_descriptor != nullptr ? dest_descriptor : dest;
    const void* from = source_descriptor != nullptr ? source_descriptor : source;
    receiver(arguments.add_data, &arguments.image, to, from, &token, 0, dest_length, source_length);
}

bool run_checker(const Arguments& arguments, void* source, Descriptor* source_descriptor) {
    const auto checker = reinterpret_cast<Checker>(accessor_at(arguments.index, "allocated"));
    Coarray token = token_of(arguments);
    const WithBase with_base(source_descriptor, source);
    void* from = source_descriptor != nullptr ? source_descriptor : checked_scalar(source);
    std::int32_t result = 0;
    checker(arguments.add_data, &arguments.image, &result, from, &token, 0);
    return result != 0;
}

void sort_accessors() {
    std::sort(table().begin(), table().end(),
              [](const Entry& a, const Entry& b) { return a.hash < b.hash; });
    table().erase(std::unique(table().begin(), table().end(),
                              [](const Entry& a, const Entry& b) { return a.hash == b.hash; }),
                  table().end());
    show_table();
}

CAF_ENTRY void _gfortran_caf_register_accessor(const int hash, Accessor accessor) {
    table().push_back({hash, accessor});
    show_table();
}

CAF_ENTRY int _gfortran_caf_get_remote_function_index(const int hash) { return index_of(hash); }

}  // namespace tessera::caf
