// SPDX-License-Identifier: BSD-3-Clause
//
// Would break: descriptors get lost, mixed up or leaked on their way from one PE to another.
#include "launch/fd_passing.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <string>

namespace tessera::launch {
namespace {

constexpr int kPatienceMs = 10'000;

struct Pair {
    Fd one;
    Fd other;
};

Pair make_pair() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    return {Fd(ends[0]), Fd(ends[1])};
}

ino_t inode_of(int fd) {
    struct stat status {};
    EXPECT_EQ(::fstat(fd, &status), 0);
    return status.st_ino;
}

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(FdPassing, BytesAndDescriptorsArrive) {
    Pair pair = make_pair();
    int pipe[2];
    ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
    Fd read_end(pipe[0]);
    Fd write_end(pipe[1]);
    const int sent[] = {read_end.get(), write_end.get()};
    ASSERT_TRUE(send_message(pair.one.get(), bytes_of("hello"), sent));
    std::array<char, 5> text{};
    std::vector<Fd> fds;
    ASSERT_TRUE(receive_message(pair.other.get(), std::as_writable_bytes(std::span(text)), fds,
                                kPatienceMs));
    EXPECT_EQ(std::string(text.data(), text.size()), "hello");
    ASSERT_EQ(fds.size(), 2U);
    EXPECT_EQ(inode_of(fds[0].get()), inode_of(read_end.get()));
    EXPECT_NE(fds[0].get(), read_end.get());
    EXPECT_EQ(::fcntl(fds[0].get(), F_GETFL) & O_ACCMODE, O_RDONLY) << "in the order of sending";
    EXPECT_EQ(::fcntl(fds[1].get(), F_GETFL) & O_ACCMODE, O_WRONLY);
    EXPECT_EQ(::fcntl(fds[0].get(), F_GETFD), FD_CLOEXEC);
}

TEST(FdPassing, AsManyDescriptorsAsPromised) {
    Pair pair = make_pair();
    Fd file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    std::vector<int> sent(kFdsPerMessageMax, file.get());
    ASSERT_TRUE(send_message(pair.one.get(), bytes_of("x"), sent));
    std::array<std::byte, 1> byte{};
    std::vector<Fd> fds;
    ASSERT_TRUE(receive_message(pair.other.get(), byte, fds, kPatienceMs));
    EXPECT_EQ(fds.size(), kFdsPerMessageMax);
}

TEST(FdPassing, MessagesKeepTheirBounds) {
    Pair pair = make_pair();
    ASSERT_TRUE(send_message(pair.one.get(), bytes_of("abc"), {}));
    ASSERT_TRUE(send_message(pair.one.get(), bytes_of("d"), {}));
    std::array<char, 3> text{};
    std::vector<Fd> fds;
    auto writable = std::as_writable_bytes(std::span(text));
    EXPECT_TRUE(receive_message(pair.other.get(), writable, fds, kPatienceMs));
    EXPECT_FALSE(receive_message(pair.other.get(), writable, fds, kPatienceMs)) << "too short";
    EXPECT_EQ(errno, ECONNRESET);
}

TEST(FdPassing, EndAndSilenceAreFailures) {
    Pair pair = make_pair();
    std::array<std::byte, 1> byte{};
    std::vector<Fd> fds;
    EXPECT_FALSE(receive_message(pair.other.get(), byte, fds, 0));
    EXPECT_EQ(errno, ETIMEDOUT);
    pair.one.reset();
    EXPECT_FALSE(receive_message(pair.other.get(), byte, fds, kPatienceMs));
    EXPECT_FALSE(send_message(pair.other.get(), byte, {})) << "and no SIGPIPE";
}

TEST(FdPassing, ProcessesMeetUnderARandomName) {
    std::string name = random_socket_name();
    EXPECT_NE(name, random_socket_name());
    EXPECT_FALSE(connect_to(name)) << "there is no listener yet";
    Fd listener = listen_at(name, 4);
    ASSERT_TRUE(listener);
    EXPECT_FALSE(accept_one(listener.get(), 0)) << "no process has come yet";
    Fd client = connect_to(name);
    ASSERT_TRUE(client);
    Fd server = accept_one(listener.get(), kPatienceMs);
    ASSERT_TRUE(server);
    EXPECT_TRUE(peer_is_same_user(server.get()));
    EXPECT_TRUE(peer_is_same_user(client.get()));
    EXPECT_FALSE(listen_at(name, 4)) << "the name is taken";
}

}  // namespace
}  // namespace tessera::launch
