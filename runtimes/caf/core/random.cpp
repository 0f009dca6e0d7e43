// SPDX-License-Identifier: BSD-3-Clause
//
// random_init (random.hpp): a seed of 64 bits, spread by the splitmix64 generator over the words
// that libgfortran wants.

#include "core/random.hpp"

#include <shmem.h>
#include <shmemx.h>
#include <sys/random.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <vector>

#include "core/report.hpp"
#include "core/team.hpp"

// libgfortran: subroutine random_seed; arrays are descriptors of rank 1.
extern "C" __attribute__((weak)) void _gfortran_random_seed_i4(int* size, void* put, void* get);

namespace tessera::caf {
namespace {

// gfortran's descriptor of a contiguous array of default integers.
struct SeedArray {
    void* base;
    std::size_t offset = static_cast<std::size_t>(-1);
    std::size_t element_bytes = 4;
    int version = 0;
    signed char rank = 1;
    signed char type = 1;
    short attribute = 0;
    std::ptrdiff_t span = 4;
    std::ptrdiff_t stride = 1;
    std::ptrdiff_t lower = 1;
    std::ptrdiff_t upper;
};

std::uint64_t mix(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

std::uint64_t fresh_seed() {
    std::uint64_t seed = 0;
    if (::getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed)) {
        std::timespec now{};
        ::clock_gettime(CLOCK_REALTIME, &now);
        seed = static_cast<std::uint64_t>(now.tv_nsec) << 20 ^
               static_cast<std::uint64_t>(now.tv_sec) ^
               static_cast<std::uint64_t>(::getpid()) << 44;
    }
    return seed;
}

// The seed of image 1 on all images of the current team.
std::uint64_t common_seed() {
    Team& team = current_team();
    std::uint64_t seed = fresh_seed();
    const int status = sync_members(team);
    if (status != kOk) {
        stop_with_error("random_init", "an image of the team has %s",
                        status == kStoppedImage ? "stopped" : "failed");
    }
    if (shmemx_broadcast(team.handle, &seed, &seed, 1, sizeof seed, 0) != 0)
        stop_with_error("random_init", "this image is in too many teams for a broadcast");
    return seed;
}

}  // namespace

void random_init(bool is_repeatable, bool is_image_distinct) {
    constexpr std::uint64_t kRepeatable = 0x7465737365726121;
    std::uint64_t seed = kRepeatable;
    if (!is_repeatable) seed = is_image_distinct ? fresh_seed() : common_seed();
    if (is_image_distinct) seed += static_cast<std::uint64_t>(initial_team().this_image) << 32;
    if (_gfortran_random_seed_i4 == nullptr) {
        return;  // A program without libgfortran has no random_number.
    }
    int size = 0;
    _gfortran_random_seed_i4(&size, nullptr, nullptr);
    std::vector<std::int32_t> words(static_cast<std::size_t>(size));
    for (std::int32_t& word : words) word = static_cast<std::int32_t>(mix(seed) >> 32);
    SeedArray put{.base = words.data(), .upper = size};
    _gfortran_random_seed_i4(nullptr, &put, nullptr);
}

}  // namespace tessera::caf
