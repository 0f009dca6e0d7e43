// SPDX-License-Identifier: BSD-3-Clause
//
// The variables of the PEs. All run in one copy of the program, so its writable pages hold those of
// one PE at a time. Few lines of them change in any PE: an image has these lines.
#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "scale.hpp"

namespace sim::scale {
namespace {

constexpr std::size_t kLineBytes = 64;
constexpr std::size_t kPageBytes = 4096;

struct Image {
    std::unique_ptr<char[]> lines;  // the first `count` of `changing`
    std::size_t count = 0;
};

char* variables = nullptr;  // all of the program
std::vector<char> first;    // before any constructor
std::vector<bool> is_changing;
std::vector<std::size_t> changing;  // offsets of lines that some PE has changed
std::vector<Image> images;
int loaded = -1;
std::size_t bytes_of_images = 0;

using Constructor = void (*)(int, char**, char**);
Constructor* constructors = nullptr;
std::size_t constructor_count = 0;

// Looks whether the object holds the place, which is in the program.
int look(dl_phdr_info* info, std::size_t, void* place) {
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(place) - info->dlpi_addr;
    bool holds_place = false;
    const ElfW(Phdr)* writable = nullptr;
    const ElfW(Phdr)* relro = nullptr;
    const ElfW(Dyn)* dynamic = nullptr;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& header = info->dlpi_phdr[i];
        if (header.p_type == PT_LOAD && at - header.p_vaddr < header.p_memsz) holds_place = true;
        if (header.p_type == PT_LOAD && (header.p_flags & PF_W) != 0) writable = &header;
        if (header.p_type == PT_GNU_RELRO) relro = &header;
        if (header.p_type == PT_DYNAMIC)
            dynamic = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + header.p_vaddr);
    }
    if (!holds_place || writable == nullptr || dynamic == nullptr) return 0;
    std::uintptr_t begin = info->dlpi_addr + writable->p_vaddr;
    const std::uintptr_t end = begin + writable->p_memsz;
    if (relro != nullptr) {
        const std::uintptr_t constant = info->dlpi_addr + relro->p_vaddr + relro->p_memsz;
        begin = constant / kPageBytes * kPageBytes;
    }
    begin = begin / kLineBytes * kLineBytes;
    variables = reinterpret_cast<char*>(begin);
    first.resize((end - begin + kLineBytes - 1) / kLineBytes * kLineBytes);
    for (; dynamic->d_tag != DT_NULL; ++dynamic) {
        if (dynamic->d_tag == DT_INIT_ARRAY)
            constructors = reinterpret_cast<Constructor*>(info->dlpi_addr + dynamic->d_un.d_ptr);
        if (dynamic->d_tag == DT_INIT_ARRAYSZ)
            constructor_count = dynamic->d_un.d_val / sizeof(Constructor);
    }
    return 1;
}

void store() {
    for (std::size_t at = 0; at < first.size(); at += kLineBytes) {
        if (is_changing[at / kLineBytes]) continue;
        if (std::memcmp(variables + at, first.data() + at, kLineBytes) == 0) continue;
        is_changing[at / kLineBytes] = true;
        changing.push_back(at);
    }
    Image& image = images[static_cast<std::size_t>(loaded)];
    if (image.count < changing.size()) {
        bytes_of_images += (changing.size() - image.count) * kLineBytes;
        image.lines.reset(new char[changing.size() * kLineBytes]);
        image.count = changing.size();
    }
    for (std::size_t i = 0; i < image.count; ++i)
        std::memcpy(image.lines.get() + i * kLineBytes, variables + changing[i], kLineBytes);
}

}  // namespace

void take_first_image(const void* place) {
    ::dl_iterate_phdr(look, const_cast<void*>(place));
    std::memcpy(first.data(), variables, first.size());
    is_changing.resize(first.size() / kLineBytes);
}

void load_image(int pe) {
    if (pe == loaded) return;
    if (loaded >= 0) {
        store();
    } else {
        std::memcpy(variables, first.data(), first.size());
    }
    loaded = pe;
    if (images.size() <= static_cast<std::size_t>(pe))
        images.resize(static_cast<std::size_t>(pe) + 1);
    const Image& image = images[static_cast<std::size_t>(pe)];
    for (std::size_t i = 0; i < changing.size(); ++i) {
        const char* from =
            i < image.count ? image.lines.get() + i * kLineBytes : first.data() + changing[i];
        std::memcpy(variables + changing[i], from, kLineBytes);
    }
}

void drop_image(int pe) {
    Image& image = images[static_cast<std::size_t>(pe)];
    bytes_of_images -= image.count * kLineBytes;
    image = {};
}

void run_constructors(int argc, char** argv, char** environment) {
    for (std::size_t i = 0; i < constructor_count; ++i) constructors[i](argc, argv, environment);
}

std::size_t image_bytes() { return bytes_of_images; }
}  // namespace sim::scale
