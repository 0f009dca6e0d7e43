// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when an option of another launcher loses its value, swallows the program's name, or has
// two meanings.
#include "tools/oshrun/other_options.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

namespace tessera::oshrun {
namespace {

using Words = std::vector<std::string>;

int own_option(const std::string& name) {
    static const std::map<std::string, int> own = {
        {"-n", 1}, {"--np", 1}, {"-x", 1}, {"--wdir", 1}, {"--verbose", 0}, {"--timeout", 1}};
    const auto found = own.find(name);
    return found == own.end() ? -1 : found->second;
}

Words translated(Words words) {
    EXPECT_EQ(translate_options(words, own_option), "") << words.front();
    return words;
}

std::string refused(Words words) { return translate_options(words, own_option); }

TEST(OtherOptions, HarmlessOnesDisappear) {
    EXPECT_EQ(translated({"--oversubscribe", "-q", "-K", "--mpi=pmix", "--mpi", "pmix", "-n", "2",
                          "./a", "--oversubscribe"}),
              (Words{"-n", "2", "./a", "--oversubscribe"}));
    EXPECT_EQ(translated({"-oversubscribe", "./a"}), (Words{"./a"})) << "one dash or two";
}

TEST(OtherOptions, ValuesStayWhole) {
    EXPECT_EQ(translated({"-genv", "A", "b c=$1 $2", "-env", "B", "", "./a"}),
              (Words{"-x", "A=b c=$1 $2", "-x", "B=", "./a"}));
    EXPECT_EQ(translated({"-genvlist", "A,B", "./a"}), (Words{"-x", "A", "-x", "B", "./a"}));
    EXPECT_EQ(translated({"--output", "tag", "--output=x.%t", "./a"}),
              (Words{"--tag-output", "--output-filename", "x.%t", "./a"}));
}

TEST(OtherOptions, OwnOptionsKeepTheirValues) {
    EXPECT_EQ(translated({"-np", "2", "-wdir", "-q", "-verbose", "--timeout=1m", "./a", "-l"}),
              (Words{"--np", "2", "--wdir", "-q", "--verbose", "--timeout=1m", "./a", "-l"}));
    EXPECT_EQ(translated({"-n", "2", "--", "-l"}), (Words{"-n", "2", "--", "-l"}));
    EXPECT_EQ(translated({"--unknown", "./a"}), (Words{"--unknown", "./a"}));
}

TEST(OtherOptions, TheRestNamesOurWords) {
    EXPECT_NE(refused({"--rankfile", "x", "./a"}).find("--map-by"), std::string::npos);
    EXPECT_NE(refused({"-t", "5", "./a"}).find("--timeout"), std::string::npos);
    EXPECT_NE(refused({"-genv", "A"}).find("needs NAME VALUE"), std::string::npos);
    EXPECT_NE(refused({"-wd"}).find("needs DIR"), std::string::npos);
}

TEST(OtherOptions, EachNameHasOneMeaning) {
    std::set<std::string> names;
    for (const OtherOption& option : other_options()) {
        EXPECT_TRUE(option.ours.empty() || option.advice.empty()) << option.names;
        std::istringstream all{std::string(option.names)};
        for (std::string name; all >> name;) {
            EXPECT_TRUE(names.insert(name).second) << name << " is there twice";
            EXPECT_EQ(own_option(name), -1) << name << " is our own";
        }
    }
}

}  // namespace
}  // namespace tessera::oshrun
