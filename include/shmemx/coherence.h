// SPDX-License-Identifier: BSD-3-Clause
//
// Loads and stores to memory of other PEs that the hardware may not keep coherent: see
// docs/runtimes/noncoherent.md. Part of <shmemx.h>.

#ifndef SHMEM_INTERNAL_SHMEMX_COHERENCE_H
#define SHMEM_INTERNAL_SHMEMX_COHERENCE_H

#include "../shmem/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Gives the address for loads and stores of the bytes that the routines of other PEs access at a
 * PE. Where shmem_ptr gives an address, this is the same one. On memory that software keeps
 * coherent, where shmem_ptr gives NULL, it is the PE's public copy, and the processor's caches may
 * hold old lines of it; for the calling PE it is addr.
 *
 * addr   symmetric address of an object, as shmem_ptr takes it.
 * pe     number of the PE in the world.
 *
 * RETURNS when: at once; local; the address, or NULL where the calling PE cannot load and store
 * there. Call shmemx_invalidate before loads and stores there, and shmemx_writeback after stores.
 * Caches hold lines of 64 bytes: a line with a store goes to memory as a whole, and so do its old
 * bytes when it was not invalidated before. Barriers and waits do neither.
 * ERRORS: a bad PE number ends the job with a message. An address that is not symmetric: NULL.
 * THREADS: as the thread level allows.
 */
void* shmemx_public_ptr(const void* addr, int pe) SHMEM_INTERNAL_NOTHROW;

/**
 * Makes what the calling PE has stored to these bytes visible to others.
 *
 * ptr      own symmetric memory: the bytes that this PE has changed become public. Memory that
 *          shmemx_public_ptr gave: the lines of the range in which this PE has stored go to memory
 *          as a whole. So between the shmemx_invalidate before the store and this call, no other PE
 *          may store to the line, nor put or change words by atomics there. Other memory, and
 *          memory that the hardware keeps coherent: the call only orders.
 * nbytes   size of the range in bytes; 0: the call only orders.
 *
 * RETURNS when: the stores are visible before every store of the calling PE that follows. Another
 * PE sees them by a load after its shmemx_invalidate, or by a get.
 * ERRORS: a range that begins in symmetric memory and ends behind it, and a null pointer with
 * nbytes above 0, end the job with a message.
 * THREADS: as the thread level allows.
 */
void shmemx_writeback(const void* ptr, size_t nbytes) SHMEM_INTERNAL_NOTHROW;

/**
 * Lets loads of these bytes that follow see what other PEs have stored.
 *
 * ptr, nbytes   as in shmemx_writeback. This PE's changes there go to memory first, so no change
 *               is lost; but only shmemx_writeback makes sure that others see them.
 *
 * RETURNS when: every load of the range that follows sees what was visible at the call.
 * ERRORS, THREADS: as shmemx_writeback.
 */
void shmemx_invalidate(const void* ptr, size_t nbytes) SHMEM_INTERNAL_NOTHROW;

#ifdef __cplusplus
}

extern "C++" {
namespace shmemx {

/**
 * A guard for loads and stores of objects at a PE: it invalidates their bytes when it is made, and
 * writes them back when it ends, unless T is const.
 *
 *     shmemx::public_range<long> row(matrix + 8 * i, 8, pe);
 *     for (size_t k = 0; k < row.size(); ++k) row[k] += 1;
 */
template <class T>
class public_range {
  public:
    /** addr, pe: as in shmemx_public_ptr. count: the number of objects. */
    public_range(T* addr, size_t count, int pe)
        : data_(static_cast<T*>(shmemx_public_ptr(addr, pe))), count_(count) {
        if (data_ != 0) shmemx_invalidate(data_, bytes());
    }
    ~public_range() {
        if (data_ != 0 && !is_const(data_)) shmemx_writeback(data_, bytes());
    }
    public_range(const public_range&) = delete;
    public_range& operator=(const public_range&) = delete;

    /** Null where the calling PE cannot load and store at the PE. */
    T* data() const { return data_; }
    size_t size() const { return count_; }
    T& operator[](size_t index) const { return data_[index]; }
    T* begin() const { return data_; }
    T* end() const { return data_ == 0 ? data_ : data_ + count_; }

  private:
    size_t bytes() const { return count_ * sizeof(T); }
    static bool is_const(void*) { return false; }
    static bool is_const(const void*) { return true; }

    T* data_;
    size_t count_;
};

}  // namespace shmemx
}  // extern "C++"
#endif

#endif  // SHMEM_INTERNAL_SHMEMX_COHERENCE_H
