// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a spelling that OpenSHMEM 1.6, section 8 allows is refused or read wrongly, when
// garbage passes as a value, or when a heap comes out smaller than asked for.
#include "settings/config_parse.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cstdio>
#include <random>

#include "heap/heap_address.hpp"

namespace tessera {
namespace {

TEST(ParseCount, TakesDecimalIntegersOf32Bits) {
    EXPECT_EQ(parse_count("0"), 0U);
    EXPECT_EQ(parse_count("4294967295"), 4294967295U);
    for (const char* text : {"", "-1", "+1", " 1", "1 ", "1.5", "2k", "0x10", "4294967296"})
        EXPECT_EQ(parse_count(text), std::nullopt) << text;
}

TEST(ParseHeapAddress, TakesNamesAndHexadecimalNumbers) {
    EXPECT_EQ(parse_heap_address("auto"), HeapAddress{});
    EXPECT_EQ(parse_heap_address("SAME"), HeapAddress{.kind = HeapAddressKind::kSame});
    EXPECT_EQ(parse_heap_address("any"), HeapAddress{.kind = HeapAddressKind::kAny});
    const HeapAddress fixed{.kind = HeapAddressKind::kFixed, .fixed = 0x2'0000'0000};
    EXPECT_EQ(parse_heap_address("0x200000000"), fixed);
    EXPECT_EQ(parse_heap_address("0X200000000"), fixed);
    for (const char* text : {"auto", "same", "any", "0x200000000", "0xffffffffffff0000"})
        EXPECT_EQ(print_heap_address(*parse_heap_address(text)), text);
    const char* const wrong[] = {"",      "0x",    "0x0",  "200000000",
                                 "0x20g", "-0x20", "0x-2", "0x12345678123456780"};
    for (const char* text : wrong) EXPECT_EQ(parse_heap_address(text), std::nullopt) << text;
}

TEST(ParseSize, TakesTheSpellingsOfTheSpecification) {
    struct {
        const char* text;
        std::uint64_t bytes;
    } cases[] = {
        {"0", 0},
        {"20m", 20971520},
        {"20M", 20971520},
        {"3.1M", 3250586},
        {".5m", 524288},
        {"0.5m", 524288},
        {"1.", 1},
        {"20kk", 20480},
        {"20MB", 20971520},
        {"1KiB or so", 1024},
        {"1g", 1ULL << 30},
        {"1.5G", 3ULL << 29},
        {"2T", 2ULL << 40},
        {"2t", 2ULL << 40},
        {"0012k", 12288},
        {"1e3", 1000},
        {"1E3k", 1024000},
        {"25e-1K", 2560},
        {"0.0000001", 1},
        {"1e-999", 1},
        {"0e999", 0},
        {"0.1G", 107374183},
        {"9223372036854775807", 9223372036854775807ULL},
        {"1.00000000000000000000000000000001k", 1025},
        {"0.000000000000000000000000000000000000000000001T", 1},
        {"00000000000000000000000000000000000000001k", 1024},
        {"100000000000000000000000e-20", 1000},
    };
    for (const auto& c : cases) {
        ASSERT_TRUE(parse_size(c.text)) << c.text;
        EXPECT_EQ(*parse_size(c.text), c.bytes) << c.text;
    }
}

TEST(ParseSize, RefusesEverythingElse) {
    for (const char* text : {"",
                             " ",
                             "m",
                             ".",
                             ".m",
                             "-1",
                             "-0",
                             "+1",
                             " 1",
                             "1 k",
                             "inf",
                             "nan",
                             "INF",
                             "x",
                             "0x10",
                             "1p",
                             "20x",
                             "1..5",
                             "1,5M",
                             "1e",
                             "1ek",
                             "e3",
                             "--",
                             "9223372036854775808",
                             "18446744073709551616",
                             "8388608T",
                             "1e19",
                             "1e999",
                             "99999999999999999999999",
                             "9999999999T",
                             "512 MB"}) {
        EXPECT_FALSE(parse_size(text)) << text << " read as " << *parse_size(text);
    }
}

TEST(ParseSize, IgnoresTheLocale) {
    for (const char* locale : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}) {
        std::setlocale(LC_ALL, locale);
        EXPECT_EQ(parse_size("1.5k"), 1536U) << locale;
    }
    std::setlocale(LC_ALL, "C");
}

// n quarters, eighths, ... of a suffix are exact; the decimal fraction below is their full
// expansion.
TEST(ParseSize, IsExactForRandomBinaryFractions) {
    std::uint64_t seed = std::random_device{}();
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    std::mt19937_64 random(seed);
    for (int i = 0; i < 100000; ++i) {
        std::uint64_t bytes = random() >> (14 + random() % 50);
        std::uint64_t whole = bytes >> 10;
        std::uint64_t thousandths = bytes % 1024 * 9765625;  // x 10^10 / 2^10
        char text[64];
        std::snprintf(text, sizeof text, "%llu.%010lluk", static_cast<unsigned long long>(whole),
                      static_cast<unsigned long long>(thousandths));
        ASSERT_TRUE(parse_size(text)) << text << " seed " << seed;
        std::uint64_t parsed = *parse_size(text);
        // Beyond 19 significant digits the result may be rounded up, but never down.
        bool is_exact = whole < 1'000'000'000;
        ASSERT_GE(parsed, bytes) << text << " seed " << seed;
        ASSERT_LE(parsed, is_exact ? bytes : bytes + bytes / 1'000'000'000)
            << text << " seed " << seed;
    }
}

TEST(PrintSize, ParsesToTheSame) {
    EXPECT_EQ(print_size(0), "0");
    EXPECT_EQ(print_size(1000), "1000");
    EXPECT_EQ(print_size(2048), "2K");
    EXPECT_EQ(print_size(512ULL << 20), "512M");
    EXPECT_EQ(print_size(1ULL << 50), "1024T");
    for (std::uint64_t bytes : {1ULL, 1023ULL, 1024ULL, 3ULL << 31, 5ULL << 40, (1ULL << 63) - 1})
        EXPECT_EQ(parse_size(print_size(bytes)), bytes);
}

TEST(ParseBool, UnderstandsEverySpellingInAnyCase) {
    for (const char* on : {"1", "yes", "Yes", "on", "ON", "true", "TRUE", "y", "T"})
        EXPECT_EQ(parse_bool(on), true) << on;
    for (const char* off : {"0", "no", "No", "off", "OFF", "false", "n", "F"})
        EXPECT_EQ(parse_bool(off), false) << off;
    for (const char* neither : {"", "2", "00", "ye", "yess", "enabled", " 1"})
        EXPECT_EQ(parse_bool(neither), std::nullopt) << neither;
}

TEST(ParseSubsystems, TakesListsAllAndNone) {
    EXPECT_EQ(print_subsystems(*parse_subsystems("heap,setup")), "setup,heap");
    EXPECT_EQ(print_subsystems(*parse_subsystems("HEAP")), "heap");
    EXPECT_EQ(print_subsystems(*parse_subsystems("none")), "none");
    EXPECT_EQ(print_subsystems(*parse_subsystems("all")), "setup,launch,heap,fabric,collectives");
    for (const char* text : {"", ",", "heap,", ",heap", "heap;setup", "heap setup", "heaps"})
        EXPECT_FALSE(parse_subsystems(text)) << text;
}

TEST(NearestName, FindsWhatWasMeant) {
    static constexpr std::string_view kNames[] = {"INFO", "SYMMETRIC_SIZE", "BARRIER_ALGORITHM",
                                                  "LOG"};
    EXPECT_EQ(nearest_name("SYMETRIC_SIZE", kNames), "SYMMETRIC_SIZE");
    EXPECT_EQ(nearest_name("SYMMETRIC_SIZES", kNames), "SYMMETRIC_SIZE");
    EXPECT_EQ(nearest_name("IFNO", kNames), "INFO");
    EXPECT_EQ(nearest_name("BARRIER", kNames), "BARRIER_ALGORITHM");
    EXPECT_EQ(nearest_name("BARRIER_ALGO", kNames), "BARRIER_ALGORITHM");
    EXPECT_EQ(nearest_name("LOGS", kNames), "LOG");
    EXPECT_EQ(nearest_name("BOUNCE_BYTES", kNames), "");
    EXPECT_EQ(nearest_name("", kNames), "");
}

}  // namespace
}  // namespace tessera
