// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a put or get of any type, form or context moves other bytes than it should, from or
// to another place or PE (OpenSHMEM 1.6, 9.6).
//
// One template for what moves data out, one for what moves data in; a contiguous transfer and a
// single element are strided ones. Every PE of a context transfers to or from every other one,
// itself included, in several shapes at once, each in a place of its own that tells PE, shape and
// routine. All else must stay as it was.
#include <span>
#include <vector>

#include "conformance/routines.hpp"
#include "conformance/values.hpp"
#include "conformance/views.hpp"
#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace tessera::conformance {
namespace {

using test::Bytes;
using test::kGuard;
using test::pattern;
using test::Region;

// nblocks blocks of bsize elements, every dst and sst elements.
struct Shape {
    std::ptrdiff_t dst = 1;
    std::ptrdiff_t sst = 1;
    std::size_t bsize = 1;
    std::size_t nblocks = 0;

    bool is_empty() const { return bsize == 0 || nblocks == 0; }
};
constexpr Shape kElement[] = {{.nblocks = 1}};
constexpr Shape kContiguous[] = {{.nblocks = 0}, {.nblocks = 1}, {.nblocks = 2},
                                 {.nblocks = 5}, {.nblocks = 9}, {.nblocks = 70}};
constexpr Shape kStrided[] = {{1, 1, 1, 5}, {2, 1, 1, 4}, {1, 3, 1, 4}, {3, 2, 1, 7},
                              {5, 7, 1, 0}, {4, 4, 1, 1}, {7, 5, 1, 9}};
constexpr Shape kBlocks[] = {{1, 1, 1, 4}, {3, 3, 3, 2}, {5, 4, 3, 4}, {4, 7, 2, 3},
                             {6, 2, 1, 5}, {3, 5, 3, 0}, {2, 2, 0, 3}};

struct Transfer {
    int id;
    bool has_ctx;
    std::size_t element_bytes;
    std::size_t value_bytes;
    void (*call)(void* dest, const void* source, const Shape& shape, int pe);
};

// CALL uses dest and source as pointers to T, `shape` and `pe`.
#define TRANSFER(ID, T, CTX, VALUE_BYTES, CALL)                                            \
    Transfer{ID, IS_##CTX, sizeof(T), VALUE_BYTES,                                         \
             [](void* to, const void* from, [[maybe_unused]] const Shape& shape, int pe) { \
                 T* dest = static_cast<T*>(to);                                            \
                 const T* source = static_cast<const T*>(from);                            \
                 called(ID);                                                               \
                 CALL;                                                                     \
             }},
#define CONTIGUOUS(ID, NAME, T, CTX) \
    TRANSFER(ID, T, CTX, sizeof(T), NAME(CTX() dest, source, shape.nblocks, pe))
#define STRIDED(ID, NAME, T, CTX)   \
    TRANSFER(ID, T, CTX, sizeof(T), \
             NAME(CTX() dest, source, shape.dst, shape.sst, shape.nblocks, pe))
#define BLOCKS(ID, NAME, T, CTX)    \
    TRANSFER(ID, T, CTX, sizeof(T), \
             NAME(CTX() dest, source, shape.dst, shape.sst, shape.bsize, shape.nblocks, pe))
#define STORE(ID, NAME, T, CTX) TRANSFER(ID, T, CTX, kValueBytes<T>, NAME(CTX() dest, *source, pe))
#define LOAD(ID, NAME, T, CTX) TRANSFER(ID, T, CTX, kValueBytes<T>, *dest = NAME(CTX() source, pe))

const Transfer kPuts[] = {EACH_put(CONTIGUOUS)};
const Transfer kPutsNbi[] = {EACH_put_nbi(CONTIGUOUS)};
const Transfer kStores[] = {EACH_p(STORE)};
const Transfer kStridedPuts[] = {EACH_iput(STRIDED)};
const Transfer kBlockPuts[] = {EACH_ibput(BLOCKS)};
const Transfer kGets[] = {EACH_get(CONTIGUOUS)};
const Transfer kGetsNbi[] = {EACH_get_nbi(CONTIGUOUS)};
const Transfer kLoads[] = {EACH_g(LOAD)};
const Transfer kStridedGets[] = {EACH_iget(STRIDED)};
const Transfer kBlockGets[] = {EACH_ibget(BLOCKS)};

constexpr std::size_t kShapesMax = 7;
constexpr std::size_t kCaseBytes = 1280;  // the largest shape of the largest element, and guards
constexpr std::size_t kSlotBytes = kShapesMax * kCaseBytes;

// In each region: a slot for each PE of the world, with a place for each shape. Aligned for an
// element, but no more than that.
std::size_t place_of(int pe, std::size_t k, const Transfer& transfer) {
    return static_cast<std::size_t>(pe) * kSlotBytes + k * kCaseBytes + transfer.element_bytes;
}

std::size_t arena_bytes() { return static_cast<std::size_t>(shmem_n_pes()) * kSlotBytes; }

// Bytes from the first element to behind the last one.
std::size_t extent(const Shape& shape, std::ptrdiff_t stride, std::size_t element_bytes) {
    if (shape.is_empty()) return 0;
    return ((shape.nblocks - 1) * static_cast<std::size_t>(stride) + shape.bsize) * element_bytes;
}

// Between nodes, where every call waits for an answer, a routine moves every other shape between
// two PEs, and the remaining ones between the next two.
bool is_moved(const Transfer& transfer, std::size_t k, int from, int to) {
    static const bool is_one_node = shmem_team_n_pes(SHMEM_TEAM_SHARED) == shmem_n_pes();
    return is_one_node || (static_cast<std::size_t>(transfer.id + from + to) + k) % 2 == 0;
}

// The data of PE `from` for PE `to` in shape `k`.
Bytes data_of(const Transfer& transfer, const Shape& shape, std::size_t k, int from, int to) {
    Bytes data(extent(shape, shape.sst, transfer.element_bytes));
    test::fill(data.data(), data.size(), from, to, static_cast<std::size_t>(transfer.id) * 8 + k);
    return data;
}

// The effect that the transfer must have on `dest`.
void scatter(unsigned char* dest, const Bytes& source, const Transfer& transfer,
             const Shape& shape) {
    for (std::size_t block = 0; block < shape.nblocks; ++block) {
        for (std::size_t i = 0; i < shape.bsize; ++i) {
            std::size_t to = block * static_cast<std::size_t>(shape.dst) + i;
            std::size_t from = block * static_cast<std::size_t>(shape.sst) + i;
            std::memcpy(dest + to * transfer.element_bytes,
                        source.data() + from * transfer.element_bytes, transfer.value_bytes);
        }
    }
}

// A value passed by value has no padding: those bytes may have any value then.
void forget_padding(unsigned char* element, const Transfer& transfer) {
    std::memset(element + transfer.value_bytes, kGuard,
                transfer.element_bytes - transfer.value_bytes);
}

void expect_equal(const unsigned char* actual, const Bytes& expected, const Transfer& transfer,
                  const View& view, const Region& region) {
    std::string wrong = test::difference(actual, expected.data(), expected.size());
    EXPECT_EQ(wrong, "") << name_of(transfer.id) << ", " << view.name << ", " << region.kind;
}

// Every PE puts to every PE; the sources of blocking puts are overwritten at once.
void put_all(const Transfer& transfer, std::span<const Shape> shapes, const View& view,
             unsigned char* arena, bool is_nbi) {
    const int me = shmem_my_pe();
    std::vector<Bytes> sources;
    for (std::size_t number = 0; number < view.pes.size(); ++number) {
        for (std::size_t k = 0; k < shapes.size(); ++k) {
            const int pe = view.pes[number];
            if (!is_moved(transfer, k, me, pe)) continue;
            sources.push_back(data_of(transfer, shapes[k], k, me, pe));
            unsigned char* dest = arena + place_of(me, k, transfer);
            unsigned char* source = sources.back().data();
            if (shapes[k].is_empty()) dest = source = nullptr;
            transfer.call(dest, source, shapes[k], static_cast<int>(number));
            if (!is_nbi) sources.back().assign(sources.back().size(), 0);
        }
    }
    if (!view.pes.empty()) view.quiet();
}

void check_puts(std::span<const Transfer> transfers, std::span<const Shape> shapes, bool is_nbi) {
    const int me = shmem_my_pe();
    ASSERT_LE(arena_bytes(), test::kRegionBytes);
    for (const Transfer& transfer : transfers) {
        for (const View& view : views_of(transfer.id, transfer.has_ctx)) {
            const Region& region = next_region();
            std::memset(region.data, kGuard, arena_bytes());
            shmem_barrier_all();
            view.use();
            put_all(transfer, shapes, view, region.data, is_nbi);
            shmem_barrier_all();
            Bytes expected(arena_bytes(), kGuard);
            for (int from : view.pes) {
                for (std::size_t k = 0; k < shapes.size(); ++k) {
                    if (!is_moved(transfer, k, from, me)) continue;
                    const std::size_t place = place_of(from, k, transfer);
                    scatter(expected.data() + place, data_of(transfer, shapes[k], k, from, me),
                            transfer, shapes[k]);
                    forget_padding(region.data + place, transfer);
                }
            }
            expect_equal(region.data, expected, transfer, view, region);
        }
    }
}

// Every PE gets its data from every PE.
void get_all(const Transfer& transfer, std::span<const Shape> shapes, const View& view,
             const Region& region, bool is_nbi) {
    const int me = shmem_my_pe();
    std::vector<Bytes> results(view.pes.size() * shapes.size(), Bytes(kCaseBytes, kGuard));
    const auto check = [&](std::size_t number, std::size_t k) {
        if (!is_moved(transfer, k, view.pes[number], me)) return;
        Bytes& result = results[number * shapes.size() + k];
        Bytes expected(kCaseBytes, kGuard);
        scatter(expected.data() + 16, data_of(transfer, shapes[k], k, view.pes[number], me),
                transfer, shapes[k]);
        forget_padding(result.data() + 16, transfer);
        expect_equal(result.data(), expected, transfer, view, region);
    };
    for (std::size_t number = 0; number < view.pes.size(); ++number) {
        for (std::size_t k = 0; k < shapes.size(); ++k) {
            const unsigned char* source = region.data + place_of(me, k, transfer);
            unsigned char* dest = results[number * shapes.size() + k].data() + 16;
            if (shapes[k].is_empty()) source = dest = nullptr;
            if (!is_moved(transfer, k, view.pes[number], me)) continue;
            transfer.call(dest, source, shapes[k], static_cast<int>(number));
            if (!is_nbi) check(number, k);
        }
    }
    if (!is_nbi || view.pes.empty()) return;
    view.quiet();
    for (std::size_t number = 0; number < view.pes.size(); ++number) {
        for (std::size_t k = 0; k < shapes.size(); ++k) check(number, k);
    }
}

void check_gets(std::span<const Transfer> transfers, std::span<const Shape> shapes, bool is_nbi) {
    ASSERT_LE(arena_bytes(), test::kRegionBytes);
    for (const Transfer& transfer : transfers) {
        for (const View& view : views_of(transfer.id, transfer.has_ctx)) {
            const Region& region = next_region();
            Bytes sources(arena_bytes(), kGuard);
            for (int to = 0; to < shmem_n_pes(); ++to) {
                for (std::size_t k = 0; k < shapes.size(); ++k) {
                    Bytes data = data_of(transfer, shapes[k], k, shmem_my_pe(), to);
                    std::copy(
                        data.begin(), data.end(),
                        sources.begin() + static_cast<std::ptrdiff_t>(place_of(to, k, transfer)));
                }
            }
            std::memcpy(region.data, sources.data(), sources.size());
            shmem_barrier_all();
            view.use();
            get_all(transfer, shapes, view, region, is_nbi);
            shmem_barrier_all();
            expect_equal(region.data, sources, transfer, view, region);
        }
    }
}

TEST(Put, every_type) { check_puts(kPuts, kContiguous, false); }
TEST(Put, nonblocking) { check_puts(kPutsNbi, kContiguous, true); }
TEST(Put, one_element) { check_puts(kStores, kElement, false); }
TEST(Put, strided) { check_puts(kStridedPuts, kStrided, false); }
TEST(Put, blocks) { check_puts(kBlockPuts, kBlocks, false); }
TEST(Get, every_type) { check_gets(kGets, kContiguous, false); }
TEST(Get, nonblocking) { check_gets(kGetsNbi, kContiguous, true); }
TEST(Get, one_element) { check_gets(kLoads, kElement, false); }
TEST(Get, strided) { check_gets(kStridedGets, kStrided, false); }
TEST(Get, blocks) { check_gets(kBlockGets, kBlocks, false); }

// Sizes that take other ways: pages, and more than a cache holds. To the right neighbour and back.
TEST(Put, large) {
    constexpr std::size_t kBytes = 3 << 20;
    auto* dest = static_cast<unsigned char*>(shmem_malloc(kBytes + 64));
    const int me = shmem_my_pe();
    const int right = (me + 1) % shmem_n_pes();
    const int left = (me + shmem_n_pes() - 1) % shmem_n_pes();
    Bytes source(kBytes);
    for (std::size_t bytes : {std::size_t{4096}, std::size_t{65537}, kBytes - 13}) {
        std::memset(dest, kGuard, kBytes + 64);
        test::fill(source.data(), bytes, me, right, bytes);
        shmem_barrier_all();
        shmem_putmem(dest + 5, source.data(), bytes, right);
        shmem_barrier_all();
        Bytes expected(kBytes + 64, kGuard);
        test::fill(expected.data() + 5, bytes, left, me, bytes);
        EXPECT_EQ(test::difference(dest, expected.data(), expected.size()), "") << bytes;
        std::memset(source.data(), 0, kBytes);
        shmem_getmem(source.data(), dest + 5, bytes, right);
        test::fill(expected.data(), bytes, me, right, bytes);
        EXPECT_EQ(test::difference(source.data(), expected.data(), bytes), "") << bytes;
        shmem_barrier_all();
    }
    shmem_free(dest);
}

}  // namespace
}  // namespace tessera::conformance
