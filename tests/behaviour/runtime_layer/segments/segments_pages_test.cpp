// SPDX-License-Identifier: BSD-3-Clause
//
// Segments whose pages are replaced, so that PEs of the node map them. Breaks when a mapped byte is
// another one than the owner's, when atomics by different ways do not exclude each other, when
// segments that overlap disagree, when a child of fork() changes its parent's memory, or when the
// contents are not all there while pages are replaced and brought back.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "part.hpp"
#include "support/pattern.hpp"
#include "support/pe_test.hpp"

namespace {

using tessera::test::scaled;
using tessera::test::shared_seed;

constexpr std::size_t kPage = 65536;  // a multiple of all pages
constexpr std::size_t kBytes = 4 * kPage;

int me() { return shmem_my_pe(); }
int npes() { return shmem_n_pes(); }
int right() { return (me() + 1) % npes(); }
int left() { return (me() + npes() - 1) % npes(); }
bool is_on_my_node(int pe) {
    return shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, SHMEMX_TEAM_NODE) >= 0;
}
bool has_pages() {
    const char* setting = std::getenv("SHMEM_SEGMENT_PAGES");
    return setting == nullptr || std::strcmp(setting, "0") != 0;
}

// Memory of whole pages, at another address on each PE.
class Pages {
  public:
    explicit Pages(std::size_t bytes)
        : shift_(4096 * static_cast<std::size_t>(me() % 5)), bytes_(bytes + shift_) {
        void* start =
            ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (start == MAP_FAILED) std::abort();
        start_ = static_cast<unsigned char*>(start);
    }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    ~Pages() { ::munmap(start_, bytes_); }
    unsigned char* get() const { return start_ + shift_; }
    template <class T>
    T* as() const {
        return reinterpret_cast<T*>(get());
    }

  private:
    std::size_t shift_;
    std::size_t bytes_;
    unsigned char* start_;
};

// A segment of the world; ends in the destructor.
class Registration {
  public:
    Registration(void* base, std::size_t bytes) {
        if (shmemx_register(SHMEM_TEAM_WORLD, base, bytes, &segment_) != 0) std::abort();
    }
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;
    ~Registration() { shmemx_deregister(segment_); }
    template <class T = unsigned char>
    T* name(int pe, std::size_t offset = 0) const {
        const auto distance = static_cast<std::ptrdiff_t>(offset * sizeof(T));
        return static_cast<T*>(
            shmemx_gptr_addr(shmemx_gptr_add(shmemx_segment_gptr(segment_, pe), distance)));
    }

  private:
    shmemx_segment_t segment_ = SHMEMX_SEGMENT_INVALID;
};

TEST(SegmentPages, AreMappedOnTheNode) {
    const Pages memory(kBytes);
    for (std::size_t i = 0; i < kBytes; ++i)
        memory.get()[i] = tessera::test::pattern(me(), 1, 0, i);
    const Registration part(memory.get(), kBytes);
    for (int pe = 0; pe < npes(); ++pe) {
        const bool is_mapped = pe == me() || (is_on_my_node(pe) && has_pages());
        auto* pointer = static_cast<unsigned char*>(shmem_ptr(part.name(pe), pe));
        ASSERT_EQ(pointer != nullptr, is_mapped) << "of PE " << pe;
        EXPECT_EQ(shmem_ptr(part.name(pe, kBytes - 1), pe),
                  is_mapped ? pointer + kBytes - 1 : nullptr);
        for (std::size_t i = 0; is_mapped && i < kBytes; i += 97)
            ASSERT_EQ(pointer[i], tessera::test::pattern(pe, 1, 0, i));
    }
    shmem_barrier_all();
    auto* next = static_cast<unsigned char*>(shmem_ptr(part.name(right(), kBytes / 2), right()));
    if (next != nullptr) *next = 200;
    shmem_barrier_all();
    if (has_pages() && is_on_my_node(left())) {
        EXPECT_EQ(memory.get()[kBytes / 2], 200);
    }
}

// Words at the start (alone in their page or not), inside, and at the end.
void count_in(unsigned char* start, std::size_t bytes, int rounds) {
    const Registration part(start, bytes);
    const std::size_t words[] = {0, bytes / 16, bytes / 8 - 1};
    for (int i = 0; i < rounds; ++i) {
        for (const std::size_t word : words) {
            for (int pe = 0; pe < npes(); ++pe)
                shmem_ulong_atomic_add(part.name<unsigned long>(pe, word), 1, pe);
            auto* mine = reinterpret_cast<unsigned long*>(start) + word;
            std::atomic_ref<unsigned long>(*mine).fetch_add(1);
            if (auto* other = static_cast<unsigned long*>(
                    shmem_ptr(part.name<unsigned long>(right(), word), right()))) {
                std::atomic_ref<unsigned long>(*other).fetch_add(1);
            } else {
                shmem_ulong_atomic_inc(part.name<unsigned long>(right(), word), right());
            }
        }
    }
    shmem_barrier_all();
    for (const std::size_t word : words) {
        EXPECT_EQ(reinterpret_cast<unsigned long*>(start)[word],
                  static_cast<unsigned long>(rounds) * (static_cast<unsigned>(npes()) + 2));
    }
}

TEST(SegmentPages, AtomicsExcludeEachOther) {
    const Pages memory(kBytes);
    count_in(memory.get(), kBytes, scaled(400));
}

// The first and last page hold other memory, too.
TEST(SegmentPages, AtomicsInPartialPages) {
    const Pages memory(kBytes);
    count_in(memory.get() + 64, kBytes - 128, 40);
    for (std::size_t i = 0; i < 64; ++i) {
        ASSERT_EQ(memory.get()[i], 0);
        ASSERT_EQ(memory.get()[kBytes - 1 - i], 0);
    }
}

// Long transfers that begin or end where pages hold other memory, too.
TEST(SegmentPages, TransfersAcrossTheEdges) {
    constexpr std::size_t kEdge = 700;
    constexpr std::size_t kPart = kBytes - 2 * kEdge;
    const Pages memory(kBytes);
    unsigned char* const mine = memory.get() + kEdge;
    const Registration part(mine, kPart);
    std::vector<unsigned char> source(kPart);
    std::vector<unsigned char> back(kPart);
    std::size_t round = 0;
    for (const std::size_t begin : {std::size_t{0}, std::size_t{1}, kEdge, kPage, kPart - kPage}) {
        for (const std::size_t bytes : {std::size_t{16383}, std::size_t{16384}, kPage, kPart}) {
            const std::size_t count = std::min(bytes, kPart - begin);
            tessera::test::fill(source.data(), count, me(), right(), ++round);
            std::memset(memory.get(), 0xA5, kBytes);
            shmem_barrier_all();
            shmem_putmem(part.name(right(), begin), source.data(), count, right());
            shmem_getmem(back.data(), part.name(right(), begin), count, right());
            EXPECT_EQ(std::memcmp(back.data(), source.data(), count), 0) << begin << " " << count;
            shmem_barrier_all();
            tessera::test::fill(source.data(), count, left(), me(), round);
            EXPECT_EQ(tessera::test::difference(mine + begin, source.data(), count), "");
            for (std::size_t i = 0; i < kEdge + begin; ++i) ASSERT_EQ(memory.get()[i], 0xA5) << i;
            for (std::size_t i = kEdge + begin + count; i < kBytes; ++i)
                ASSERT_EQ(memory.get()[i], 0xA5) << i;
            shmem_barrier_all();
        }
    }
}

TEST(SegmentPages, BlocksOfMalloc) {
    for (const std::size_t bytes :
         {std::size_t{20000}, std::size_t{200000}, std::size_t{3000000}}) {
        auto* block = static_cast<unsigned char*>(std::malloc(bytes));
        std::memset(block, 7, bytes);
        {
            const Registration part(block, bytes);
            std::vector<unsigned char> source(bytes);
            tessera::test::fill(source.data(), bytes, me(), right(), bytes);
            shmem_putmem(part.name(right()), source.data(), bytes, right());
            shmem_barrier_all();
            std::vector<unsigned char> seen(bytes);
            shmem_getmem(seen.data(), part.name(right()), bytes, right());
            EXPECT_EQ(tessera::test::difference(seen.data(), source.data(), bytes), "");
            // Runs across the ends of pages.
            for (std::size_t at = 4096 - 30; at + 100 < bytes; at += 4096 * 3) {
                shmem_getmem(seen.data(), part.name(right(), at), 60, right());
                EXPECT_EQ(std::memcmp(seen.data(), source.data() + at, 60), 0);
            }
        }
        std::vector<unsigned char> expected(bytes);
        tessera::test::fill(expected.data(), bytes, left(), me(), bytes);
        EXPECT_EQ(tessera::test::difference(block, expected.data(), bytes), "");
        block = static_cast<unsigned char*>(std::realloc(block, 2 * bytes));
        EXPECT_EQ(tessera::test::difference(block, expected.data(), bytes), "");
        std::free(block);
    }
}

// Segments that share pages come and go. Each byte is the same through all of them.
TEST(SegmentPages, Overlap) {
    const Pages memory(kBytes);
    std::vector<unsigned char> model(kBytes);
    std::mt19937 random(static_cast<unsigned>(shared_seed()));
    struct Live {
        std::size_t begin, bytes;
        std::unique_ptr<Registration> part;
    };
    std::vector<Live> live;
    for (int step = 0; step < scaled(250); ++step) {
        const std::size_t which = live.empty() ? 0 : random() % live.size();
        if (live.size() < 2 || (random() % 4 == 0 && live.size() < 9)) {
            const std::size_t begin =
                random() % (kBytes - 1) & (random() % 2 == 0 ? ~4095UL : ~7UL);
            const std::size_t bytes = 1 + random() % (kBytes - begin);
            live.push_back(
                {begin, bytes, std::make_unique<Registration>(memory.get() + begin, bytes)});
        } else if (random() % 5 == 0) {
            std::swap(live[which], live.back());
            live.pop_back();
        }
        const Live& used = live[random() % live.size()];
        const std::size_t at = random() % used.bytes;
        const std::size_t count = 1 + random() % std::min<std::size_t>(used.bytes - at, 9000);
        std::vector<unsigned char> bytes(count);
        for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
        std::copy(bytes.begin(), bytes.end(),
                  model.begin() + static_cast<std::ptrdiff_t>(used.begin + at));
        shmem_barrier_all();
        shmem_putmem(used.part->name(right(), at), bytes.data(), count, right());
        shmem_barrier_all();
        ASSERT_EQ(std::memcmp(memory.get(), model.data(), kBytes), 0) << "step " << step;
        for (const Live& each : live) {
            std::vector<unsigned char> seen(std::min<std::size_t>(each.bytes, 5000));
            shmem_getmem(seen.data(), each.part->name(left()), seen.size(), left());
            ASSERT_EQ(std::memcmp(seen.data(), model.data() + each.begin, seen.size()), 0);
        }
        shmem_barrier_all();
    }
    live.clear();
    EXPECT_EQ(std::memcmp(memory.get(), model.data(), kBytes), 0);
}

TEST(SegmentPages, ChildrenDoNotChangeThem) {
    const Pages memory(kBytes);
    std::memset(memory.get(), 1, kBytes);
    const Registration part(memory.get(), kBytes);
    shmem_barrier_all();
    const pid_t child = ::fork();
    if (child == 0) {
        std::memset(memory.get(), 66, kBytes);
        ::_exit(memory.get()[9] == 66 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    shmem_barrier_all();
    EXPECT_EQ(shmem_uchar_g(part.name(right(), 9), right()), 1);
    EXPECT_EQ(memory.get()[kBytes - 1], 1);
}

// The owner's threads may read meanwhile.
TEST(SegmentPages, ReadersSeeTheContentsAllTheTime) {
    const Pages memory(kBytes);
    std::memset(memory.get(), 5, kBytes);
    std::atomic<bool> is_over{false};
    std::atomic<long> wrong{0};
    std::thread reader([&] {
        while (!is_over.load()) {
            for (std::size_t i = 0; i < kBytes; i += 4096)
                wrong += static_cast<volatile unsigned char*>(memory.get())[i] != 5;
            std::this_thread::yield();
        }
    });
    for (int round = 0; round < scaled(30); ++round) {
        const Registration part(memory.get(), kBytes);
        EXPECT_EQ(shmem_uchar_g(part.name(right(), 4096), right()), 5);
    }
    is_over.store(true);
    reader.join();
    EXPECT_EQ(wrong.load(), 0);
}

// As many at a time, apart from each other, so that each needs mappings.
TEST(SegmentPages, Many) {
    constexpr std::size_t kEach = 16384;
    constexpr std::size_t kDistance = 20480;
    const std::size_t count = npes() == 2 && is_on_my_node(right()) ? 10000 : 300;
    const Pages memory(count * kDistance);
    std::vector<std::unique_ptr<Registration>> parts;
    for (std::size_t i = 0; i < count; ++i)
        parts.push_back(std::make_unique<Registration>(memory.get() + i * kDistance, kEach));
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = static_cast<unsigned char>(i * 7 + static_cast<unsigned>(me()));
        shmem_putmem(parts[i]->name(right(), 100), &value, 1, right());
    }
    shmem_barrier_all();
    for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(memory.get()[i * kDistance + 100],
                  static_cast<unsigned char>(i * 7 + static_cast<unsigned>(left())));
    }
}

}  // namespace

TESSERA_PE_TEST_MAIN(SHMEM_THREAD_SERIALIZED)
