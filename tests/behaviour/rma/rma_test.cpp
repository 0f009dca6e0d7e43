// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a contiguous put or get of any type, size or form writes or reads the wrong PE, place
// or length, or when p and g change a value.
#include <pshmem.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <random>

#include "support/pattern.hpp"
#include "support/pe_test.hpp"
#include "support/spec_types.hpp"

namespace {

using tessera::test::Bytes;
using tessera::test::difference;
using tessera::test::fill;
using tessera::test::kGuard;
using tessera::test::pattern;
using tessera::test::Region;
using tessera::test::regions;

// A put or get with its type forgotten.
struct Routine {
    const char* name;
    std::size_t element_bytes;
    void (*call)(void* dest, const void* source, std::size_t nelems, int pe);
};

#define ROW(ROUTINE, CTX, T, BYTES)                                                       \
    {#ROUTINE, BYTES, [](void* dest, const void* source, std::size_t nelems, int pe) {    \
         ROUTINE(CTX() static_cast<T*>(dest), static_cast<const T*>(source), nelems, pe); \
     }},
#define FORMS(NAME, T, BYTES) SPEC_FORMS(ROW, NAME, T, BYTES)

#define TYPED_PUT(NAME, T) FORMS(NAME##_put, T, sizeof(T)) FORMS(NAME##_put_nbi, T, sizeof(T))
#define SIZED_PUT(BITS) FORMS(put##BITS, void, BITS / 8) FORMS(put##BITS##_nbi, void, BITS / 8)
const Routine kPuts[] = {SPEC_RMA_TYPES(TYPED_PUT) SPEC_SIZES(SIZED_PUT) FORMS(putmem, void, 1)
                             FORMS(putmem_nbi, void, 1)};
static_assert(std::size(kPuts) == (24 + 5 + 1) * 2 * 4);

#define TYPED_GET(NAME, T) FORMS(NAME##_get, T, sizeof(T)) FORMS(NAME##_get_nbi, T, sizeof(T))
#define SIZED_GET(BITS) FORMS(get##BITS, void, BITS / 8) FORMS(get##BITS##_nbi, void, BITS / 8)
const Routine kGets[] = {SPEC_RMA_TYPES(TYPED_GET) SPEC_SIZES(SIZED_GET) FORMS(getmem, void, 1)
                             FORMS(getmem_nbi, void, 1)};
static_assert(std::size(kGets) == (24 + 5 + 1) * 2 * 4);

// Every PE has a slot in every region: guard, data, guard.
constexpr std::size_t kGuardBytes = 16;
constexpr std::size_t kDataBytes = 8 * 16;
constexpr std::size_t kSlotBytes = kGuardBytes + kDataBytes + kGuardBytes;

std::size_t nelems_for(std::size_t round) { return 1 + round % 8; }

// Fills my side with the guard, and returns when all have.
void prepare(unsigned char* data) {
    std::memset(data, kGuard, kSlotBytes * static_cast<std::size_t>(shmem_n_pes()));
    shmem_barrier_all();
}

Bytes expected_slot(int from, int to, std::size_t round, std::size_t bytes) {
    Bytes slot(kSlotBytes, kGuard);
    fill(slot.data() + kGuardBytes, bytes, from, to, round);
    return slot;
}

void check_put(const Routine& put, const Region& region, std::size_t round) {
    const int me = shmem_my_pe();
    const int npes = shmem_n_pes();
    const std::size_t nelems = nelems_for(round);
    const std::size_t bytes = nelems * put.element_bytes;
    alignas(16) static unsigned char sources[64][kDataBytes];
    prepare(region.data);
    for (int pe = 0; pe < npes; ++pe) {
        fill(sources[pe], bytes, me, pe, round);
        unsigned char* slot = region.data + kSlotBytes * static_cast<std::size_t>(me);
        put.call(slot + kGuardBytes, sources[pe], nelems, pe);
    }
    shmem_barrier_all();
    for (int pe = 0; pe < npes; ++pe) {
        const unsigned char* slot = region.data + kSlotBytes * static_cast<std::size_t>(pe);
        Bytes expected = expected_slot(pe, me, round, bytes);
        ASSERT_EQ(difference(slot, expected.data(), kSlotBytes), "")
            << put.name << " of " << nelems << " from PE " << pe << " to " << region.kind;
    }
}

TEST(Rma, PutReachesEveryPeInEveryForm) {
    ASSERT_LE(shmem_n_pes(), 64);
    std::size_t round = 0;
    for (const Region& region : regions()) {
        for (const Routine& put : kPuts) check_put(put, region, round++);
    }
}

void check_get(const Routine& get, const Region& region, std::size_t round) {
    const int me = shmem_my_pe();
    const std::size_t nelems = nelems_for(round);
    const std::size_t bytes = nelems * get.element_bytes;
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        fill(region.data + kSlotBytes * static_cast<std::size_t>(pe) + kGuardBytes, kDataBytes, me,
             pe, round);
    }
    shmem_barrier_all();
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
        alignas(16) unsigned char dest[kSlotBytes];
        std::memset(dest, kGuard, sizeof dest);
        const unsigned char* slot = region.data + kSlotBytes * static_cast<std::size_t>(me);
        get.call(dest + kGuardBytes, slot + kGuardBytes, nelems, pe);
        shmem_quiet();
        Bytes expected = expected_slot(pe, me, round, bytes);
        ASSERT_EQ(difference(dest, expected.data(), kSlotBytes), "")
            << get.name << " of " << nelems << " from " << region.kind << " of PE " << pe;
    }
    shmem_barrier_all();
}

TEST(Rma, GetReadsEveryPeInEveryForm) {
    std::size_t round = 0;
    for (const Region& region : regions()) {
        for (const Routine& get : kGets) check_get(get, region, round++);
    }
}

TEST(Rma, NoElementsNeedNoMemory) {
    const int last = shmem_n_pes() - 1;
    for (const Routine& put : kPuts) put.call(nullptr, nullptr, 0, last);
    for (const Routine& get : kGets) get.call(nullptr, nullptr, 0, last);
    long here = 7;
    shmem_long_put(&here, nullptr, 0, last);
    shmem_long_get(nullptr, &here, 0, last);
    EXPECT_EQ(here, 7);
}

// p and g of one type, in one of the four forms.
template <class T>
struct Element {
    const char* name;
    void (*p)(T* dest, T value, int pe);
    T (*g)(const T* source, int pe);
};

// A value of which every byte matters, different for each pair of PEs.
template <class T>
T value_for(int from, int to, int round) {
    auto bits = static_cast<std::uint64_t>(from * 64 + to + 1) * 0x9E3779B97F4A7C15ULL +
                static_cast<std::uint64_t>(round);
    if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(bits >> 11) / 3 * (from % 2 == 0 ? 1 : -1);
    } else {
        return static_cast<T>(bits >> 7);
    }
}

template <class T>
void check_element(const Element<T>& element, const Region& region, int round) {
    const int me = shmem_my_pe();
    const int npes = shmem_n_pes();
    T* slots =
        reinterpret_cast<T*>(region.data);  // guard, value of PE 0, guard, value of PE 1, ...
    const T guard = static_cast<T>(77);
    std::fill(slots, slots + 2 * npes + 1, guard);
    shmem_barrier_all();
    for (int pe = 0; pe < npes; ++pe) {
        element.p(&slots[2 * me + 1], value_for<T>(me, pe, round), pe);
    }
    shmem_barrier_all();
    for (int pe = 0; pe < npes; ++pe) {
        ASSERT_EQ(slots[2 * pe + 1], value_for<T>(pe, me, round)) << element.name << " " << pe;
        ASSERT_EQ(slots[2 * pe], guard) << element.name << " wrote before its element";
        ASSERT_EQ(element.g(&slots[2 * me + 1], pe), value_for<T>(me, pe, round)) << element.name;
    }
    ASSERT_EQ(slots[2 * npes], guard) << element.name << " wrote behind its element";
    for (T extreme : {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()}) {
        element.p(&slots[2 * me + 1], extreme, me);
        shmem_quiet();
        ASSERT_EQ(element.g(&slots[2 * me + 1], me), extreme) << element.name;
    }
    shmem_barrier_all();
}

#define ELEMENT(ROUTINE, CTX, T)                                                          \
    {#ROUTINE "p/g", [](T* dest, T value, int pe) { ROUTINE##p(CTX() dest, value, pe); }, \
     [](const T* source, int pe) { return ROUTINE##g(CTX() source, pe); }},
#define CHECK_ELEMENTS(NAME, T)                                                            \
    for (const Element<T>& element :                                                       \
         std::initializer_list<Element<T>>{SPEC_FORMS(ELEMENT, NAME##_, T)}) {             \
        for (const Region& region : regions()) check_element<T>(element, region, round++); \
    }

TEST(Rma, ElementsKeepTheirValue) {
    int round = 0;
    SPEC_RMA_TYPES(CHECK_ELEMENTS)
}

// A window of a region that only I write, on every PE, and what it must hold.
struct Window {
    unsigned char* data;
    std::vector<Bytes> model;  // by PE
};

constexpr std::size_t kWindowBytes = 8192;

Window make_window(const Region& region) {
    Window window{region.data + kWindowBytes * static_cast<std::size_t>(shmem_my_pe()), {}};
    std::memset(region.data, 0, kWindowBytes * static_cast<std::size_t>(shmem_n_pes()));
    window.model.assign(static_cast<std::size_t>(shmem_n_pes()), Bytes(kWindowBytes, 0));
    return window;
}

// Lengths at which a copy changes its method, and others.
std::size_t random_length(std::mt19937_64& random) {
    constexpr std::size_t kEdges[] = {1,   2,   3,   4,   5,    7,    8,    9,    15,   16,  17,
                                      31,  32,  33,  63,  64,   65,   127,  128,  129,  255, 256,
                                      257, 511, 512, 513, 1023, 1024, 1025, 4095, 4096, 4097};
    if (random() % 2 == 0) return kEdges[random() % std::size(kEdges)];
    return 1 + random() % 600;
}

TEST(Rma, RandomTransfersAgreeWithAModel) {
    using tessera::test::scaled;
    std::mt19937_64 random(tessera::test::shared_seed() + static_cast<unsigned>(shmem_my_pe()));
    std::vector<Window> windows;
    for (const Region& region : regions()) windows.push_back(make_window(region));
    shmem_barrier_all();
    Bytes local(2 * kWindowBytes);
    for (int i = 0; i < scaled(6000); ++i) {
        Window& window = windows[random() % windows.size()];
        auto pe = random() % static_cast<std::size_t>(shmem_n_pes());
        Bytes& model = window.model[pe];
        std::size_t bytes = random_length(random);
        std::size_t offset = random() % (kWindowBytes - bytes + 1);
        unsigned char* here = local.data() + random() % kWindowBytes;
        if (random() % 3 == 0) {
            (random() % 2 == 0 ? shmem_getmem : shmem_getmem_nbi)(here, window.data + offset, bytes,
                                                                  static_cast<int>(pe));
            shmem_quiet();
            ASSERT_EQ(difference(here, model.data() + offset, bytes), "") << "get " << offset;
        } else {
            fill(here, bytes, shmem_my_pe(), static_cast<int>(pe), static_cast<std::size_t>(i));
            (random() % 2 == 0 ? shmem_putmem : shmem_putmem_nbi)(window.data + offset, here, bytes,
                                                                  static_cast<int>(pe));
            shmem_quiet();
            std::memcpy(model.data() + offset, here, bytes);
        }
    }
    for (const Window& window : windows) {
        for (int pe = 0; pe < shmem_n_pes(); ++pe) {
            shmem_getmem(local.data(), window.data, kWindowBytes, pe);
            const Bytes& model = window.model[static_cast<std::size_t>(pe)];
            ASSERT_EQ(difference(local.data(), model.data(), kWindowBytes), "") << "PE " << pe;
        }
    }
    shmem_barrier_all();
}

// Between the heap and static data of two PEs, in all four combinations.
TEST(Rma, SourceAndDestMayBeSymmetric) {
    const int me = shmem_my_pe();
    const int right = (me + 1) % shmem_n_pes();
    const int left = (me + shmem_n_pes() - 1) % shmem_n_pes();
    constexpr std::size_t kHalf = tessera::test::kRegionBytes / 2;
    constexpr std::size_t kBytes = 3001;
    for (const Region& from : regions()) {
        for (const Region& to : regions()) {
            fill(from.data, kBytes, me, right, 1);
            std::memset(to.data + kHalf, kGuard, kBytes + 1);
            shmem_barrier_all();
            shmem_putmem(to.data + kHalf, from.data, kBytes, right);
            shmem_barrier_all();
            Bytes expected(kBytes + 1, kGuard);
            fill(expected.data(), kBytes, left, me, 1);
            ASSERT_EQ(difference(to.data + kHalf, expected.data(), kBytes + 1), "")
                << from.kind << " to " << to.kind;
            std::memset(to.data + kHalf, kGuard, kBytes);
            shmem_getmem(to.data + kHalf, from.data, kBytes, left);
            ASSERT_EQ(difference(to.data + kHalf, expected.data(), kBytes + 1), "")
                << from.kind << " to " << to.kind;
            shmem_barrier_all();
        }
    }
}

void check_large(unsigned char* block, std::size_t bytes, const char* kind) {
    const int me = shmem_my_pe();
    const int right = (me + 1) % shmem_n_pes();
    const int left = (me + shmem_n_pes() - 1) % shmem_n_pes();
    std::unique_ptr<unsigned char[]> source(new unsigned char[bytes + 64]);
    std::unique_ptr<unsigned char[]> expected(new unsigned char[bytes]);
    for (std::size_t skew : {0, 3}) {
        fill(source.get() + skew, bytes - skew, me, right, skew);
        fill(expected.get(), bytes - skew, left, me, skew);
        std::memset(block, kGuard, bytes);
        shmem_barrier_all();
        (skew == 0 ? shmem_putmem : shmem_putmem_nbi)(block, source.get() + skew, bytes - skew,
                                                      right);
        shmem_barrier_all();
        ASSERT_EQ(difference(block, expected.get(), bytes - skew), "") << kind << " put " << skew;
        for (std::size_t i = bytes - skew; i < bytes; ++i) ASSERT_EQ(block[i], kGuard) << kind;
        std::memset(source.get(), 0, bytes + 64);
        (skew == 0 ? shmem_getmem : shmem_getmem_nbi)(source.get() + skew, block, bytes - skew,
                                                      left);
        shmem_quiet();
        fill(expected.get(), bytes - skew, (left + shmem_n_pes() - 1) % shmem_n_pes(), left, skew);
        ASSERT_EQ(difference(source.get() + skew, expected.get(), bytes - skew), "")
            << kind << " get";
        shmem_barrier_all();
    }
}

TEST(Rma, LargeTransfers) {
    // 16 MiB, beyond every size at which the copy changes its method.
    std::size_t bytes = (std::size_t{16} << 20) / (shmem_n_pes() > 4 ? 8 : 1) + 24;
    auto* block = static_cast<unsigned char*>(shmem_malloc(bytes));
    ASSERT_NE(block, nullptr);
    check_large(block, bytes, "heap");
    shmem_free(block);
    check_large(tessera::test::static_region, tessera::test::kRegionBytes, "static data");
}

TEST(Rma, TypedLengthsAreElements) {
    constexpr std::size_t kCount = 5000;
    auto* block = static_cast<long double*>(shmem_malloc((kCount + 1) * sizeof(long double)));
    std::vector<long double> source(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
        source[i] = static_cast<long double>(i) / 7 + shmem_my_pe();
        block[i] = -1;
    }
    block[kCount] = -1;
    shmem_barrier_all();
    shmem_longdouble_put(block, source.data(), kCount, (shmem_my_pe() + 1) % shmem_n_pes());
    shmem_barrier_all();
    const int left = (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes();
    for (std::size_t i = 0; i < kCount; ++i) {
        ASSERT_EQ(block[i], static_cast<long double>(i) / 7 + left) << i;
    }
    EXPECT_EQ(block[kCount], -1);
    shmem_free(block);
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SINGLE)
