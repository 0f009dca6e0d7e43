// SPDX-License-Identifier: BSD-3-Clause
//
// The common parts of the fuzz targets. A target gives arbitrary bytes to the library's own code,
// linked as it is: under libFuzzer (preset fuzz), and by replay.cpp, which runs the files of a
// corpus.
//
// The library ends the job where input makes no sense. The linker sends these calls to ended.cpp,
// which throws Ended, so that a target goes on with the next input. A crash, a hang, a report of a
// sanitizer or a failed require() is a finding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace tessera::fuzz {

struct Ended {};

// While one exists, the ends of the job throw; elsewhere they end the process as usual.
class Input {
  public:
    Input();
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;
    ~Input();
};

inline void require(bool is_right, const char* what) {
    if (is_right) return;
    std::fprintf(stderr, "fuzz: %s\n", what);
    std::abort();
}

// Takes values from the front of the input; zeros behind its end.
class Bytes {
  public:
    Bytes(const std::uint8_t* data, std::size_t size)
        : rest_(reinterpret_cast<const char*>(data), size) {}
    template <class Value>
    Value take() {
        Value value{};
        const std::size_t bytes = rest_.size() < sizeof value ? rest_.size() : sizeof value;
        std::memcpy(&value, rest_.data(), bytes);
        rest_.remove_prefix(bytes);
        return value;
    }
    std::string_view take(std::size_t bytes) {
        const std::string_view taken = rest_.substr(0, bytes);
        rest_.remove_prefix(taken.size());
        return taken;
    }
    // Up to the separator, which goes, too.
    std::string_view take_until(char separator) {
        const std::string_view taken = take(rest_.find(separator));
        take(1);
        return taken;
    }
    bool is_empty() const { return rest_.empty(); }

  private:
    std::string_view rest_;
};

}  // namespace tessera::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
