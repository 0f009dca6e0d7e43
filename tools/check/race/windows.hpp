// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of which the checker wants to see the program's own loads and stores
// (tools/accesses/table.hpp): symmetric memory of this PE and, as shmem_ptr gives it, of others;
// buffers of nonblocking transfers that are under way, in any memory.
//
// THREADS: one at a time. Accesses look at the zones meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/accesses/table.hpp"
#include "tools/check/race/pending.hpp"

namespace tessera::check::race {

// Memory of one PE as this PE loads and stores it.
struct Window {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::uintptr_t symmetric = 0;  // the address of the calling PE for `begin`
    int pe = 0;
};

class Windows {
  public:
    // REQUIRES: `table` is the program's. The main program's static data is seen from here on.
    void open(accesses::Table& table, int pe, int n_pes);
    void close();
    bool is_open() const { return table_ != nullptr; }

    // Symmetric memory that the program may use now; stays until close().
    void add_symmetric(std::uintptr_t begin, std::size_t bytes);
    // Replaces the buffers that are seen.
    void set_pending(const PendingList& pending);
    // All accesses are new again.
    void begin_epoch();

    // RETURNS: the window that holds the byte, or nullptr.
    const Window* find(std::uintptr_t address) const;
    // Whether a buffer outside all windows holds the byte.
    bool is_pending(std::uintptr_t address) const;

  private:
    struct Part {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
    };
    void add_static_data();
    void map_parts();
    void publish();

    accesses::Table* table_ = nullptr;
    int pe_ = 0;
    int n_pes_ = 0;
    std::vector<Part> parts_;      // parts of symmetric memory; each has a window for each PE
    std::vector<Window> windows_;  // by address
    std::vector<Part> pending_;    // outside the windows
    std::uint32_t epoch_ = 0;
};

}  // namespace tessera::check::race
