// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when memory loses or changes its contents while its pages are replaced, when a second
// mapping shows other memory than the first, or when memory is taken that cannot be shared.
#include "heap/external_pages.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "base/platform.hpp"

namespace tessera::heap {
namespace {

const auto kPage = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

// Private memory of the program, `bytes` long, that ends with its owner.
class Memory {
  public:
    explicit Memory(std::size_t bytes, int protection = PROT_READ | PROT_WRITE,
                    int flags = MAP_PRIVATE | MAP_ANONYMOUS, int fd = -1)
        : bytes_(bytes),
          data_(static_cast<char*>(::mmap(nullptr, bytes, protection, flags, fd, 0))) {}
    ~Memory() { ::munmap(data_, bytes_); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    char* data() const { return data_; }

  private:
    std::size_t bytes_;
    char* data_;
};

std::string error_of(void* base, std::size_t bytes) {
    return share_external_pages(base, bytes).error;
}

std::size_t resident_pages(char* base, std::size_t bytes) {
    std::vector<unsigned char> pages(bytes / kPage);
    EXPECT_EQ(::mincore(base, bytes, pages.data()), 0);
    std::size_t count = 0;
    for (unsigned char page : pages) count += page & 1;
    return count;
}

// Bytes that depend on their place.
char byte_at(std::size_t i) { return static_cast<char>(i * 31 + i / 4096 + 1); }

TEST(ExternalPages, ContentsStayAndBothMappingsAreOneMemory) {
    const std::size_t bytes = 5 * kPage;
    Memory memory(bytes + 2 * kPage);
    char* base = memory.data() + kPage;  // Neighbours on both sides.
    for (std::size_t i = 0; i < bytes + 2 * kPage; ++i) memory.data()[i] = byte_at(i);
    ExternalPages pages = share_external_pages(base, bytes);
    ASSERT_EQ(pages.error, "");
    ASSERT_TRUE(pages.file);
    EXPECT_EQ(pages.offset, reinterpret_cast<std::uintptr_t>(base) % kHugePageBytes);
    for (std::size_t i = 0; i < bytes + 2 * kPage; ++i) ASSERT_EQ(memory.data()[i], byte_at(i));
    PeerPages other = map_external_pages(offer_of(pages), bytes);
    ASSERT_EQ(other.error, "");
    ASSERT_NE(other.start, base);
    EXPECT_EQ(std::memcmp(other.start, base, bytes), 0);
    other.start[bytes - 1] = 'x';
    base[0] = 'y';
    EXPECT_EQ(base[bytes - 1], 'x');
    EXPECT_EQ(other.start[0], 'y');
    // The neighbouring pages are as they were, and private.
    EXPECT_EQ(base[-1], byte_at(kPage - 1));
    EXPECT_EQ(base[bytes], byte_at(kPage + bytes));
}

TEST(ExternalPages, MoreThanOneCopy) {
    const std::size_t bytes = 2 * kCopyBytes + 3 * kPage;
    Memory memory(bytes);
    const std::size_t places[] = {0, kCopyBytes - 1, kCopyBytes, 2 * kCopyBytes, bytes - 1};
    for (std::size_t place : places) memory.data()[place] = byte_at(place);
    ExternalPages pages = share_external_pages(memory.data(), bytes);
    ASSERT_EQ(pages.error, "");
    for (std::size_t place : places) EXPECT_EQ(memory.data()[place], byte_at(place));
    PeerPages other = map_external_pages(offer_of(pages), bytes);
    ASSERT_EQ(other.error, "");
    for (std::size_t place : places) EXPECT_EQ(other.start[place], byte_at(place));
}

TEST(ExternalPages, UntouchedPagesTakeNoMemory) {
    const std::size_t bytes = std::size_t{32} << 20;
    Memory memory(bytes);
    ::madvise(memory.data(), bytes, MADV_NOHUGEPAGE);
    memory.data()[bytes / 2] = 1;
    ExternalPages pages = share_external_pages(memory.data(), bytes);
    ASSERT_EQ(pages.error, "");
    EXPECT_LE(resident_pages(memory.data(), bytes), kHugePageBytes / kPage);
    EXPECT_EQ(memory.data()[bytes / 2], 1);
}

// Pages of a file have contents before they are touched.
TEST(ExternalPages, PrivateMappingOfAFile) {
    const std::size_t bytes = 3 * kPage;
    Fd file(::memfd_create("contents", MFD_CLOEXEC));
    std::vector<char> contents(bytes);
    for (std::size_t i = 0; i < bytes; ++i) contents[i] = byte_at(i);
    ASSERT_EQ(::write(file.get(), contents.data(), bytes), static_cast<ssize_t>(bytes));
    Memory memory(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file.get());
    ExternalPages pages = share_external_pages(memory.data(), bytes);
    ASSERT_EQ(pages.error, "");
    EXPECT_EQ(std::memcmp(memory.data(), contents.data(), bytes), 0);
    memory.data()[0] = 'z';
    char first = 0;
    ASSERT_EQ(::pread(file.get(), &first, 1, 0), 1);
    EXPECT_EQ(first, contents[0]);
}

// A program may finalize, initialize again and give the same memory, or other parts of it.
TEST(ExternalPages, SharedOnceMoreItIsAnotherFile) {
    const std::size_t bytes = 4 * kPage;
    Memory memory(bytes);
    std::memset(memory.data(), 'a', bytes);
    ExternalPages first = share_external_pages(memory.data(), bytes);
    ASSERT_EQ(first.error, "");
    PeerPages old = map_external_pages(offer_of(first), bytes);
    ASSERT_EQ(old.error, "");
    ExternalPages second = share_external_pages(memory.data() + kPage, 2 * kPage);
    ASSERT_EQ(second.error, "");
    memory.data()[kPage] = 'b';
    EXPECT_EQ(old.start[kPage], 'a');
    EXPECT_EQ(memory.data()[kPage + 1], 'a');
    memory.data()[0] = 'c';
    EXPECT_EQ(old.start[0], 'c');
}

TEST(ExternalPages, RefusesWhatCannotBeShared) {
    Memory shared(kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
    EXPECT_NE(error_of(shared.data(), kPage).find("not private"), std::string::npos);
    Memory constant(kPage, PROT_READ);
    EXPECT_NE(error_of(constant.data(), kPage).find("not private"), std::string::npos);
    Memory part(3 * kPage);
    std::memset(part.data(), 'p', 3 * kPage);
    ::mprotect(part.data() + 2 * kPage, kPage, PROT_READ);
    EXPECT_NE(error_of(part.data(), 3 * kPage).find("not private"), std::string::npos);
    Memory hole(3 * kPage);
    ::munmap(hole.data() + kPage, kPage);
    EXPECT_NE(error_of(hole.data(), 3 * kPage).find("not mapped"), std::string::npos);
    auto* here = static_cast<char*>(__builtin_frame_address(0));
    char* page = here - reinterpret_cast<std::uintptr_t>(here) % kPage;
    EXPECT_NE(error_of(page - 4 * kPage, 5 * kPage).find("stack"), std::string::npos);
    EXPECT_EQ(part.data()[0], 'p');
}

TEST(ExternalPages, RefusesBeyondTheFileSizeLimit) {
    Memory memory(4 * kPage);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit small = before;
    small.rlim_cur = kPage;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const std::string error = error_of(memory.data(), 4 * kPage);
    ::setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_NE(error.find("ulimit -f"), std::string::npos);
}

TEST(ExternalPages, ADifferentFileUnderTheSameNumberIsNoticed) {
    Memory memory(kPage);
    ExternalPages pages = share_external_pages(memory.data(), kPage);
    ASSERT_EQ(pages.error, "");
    PagesOffer offer = offer_of(pages);
    ++offer.inode;
    EXPECT_NE(map_external_pages(offer, kPage).error.find("another file"), std::string::npos);
    offer = offer_of(pages);
    pages.file.reset();
    EXPECT_NE(map_external_pages(offer, kPage).error.find("cannot open"), std::string::npos);
}

}  // namespace
}  // namespace tessera::heap
