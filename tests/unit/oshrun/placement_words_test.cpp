// SPDX-License-Identifier: BSD-3-Clause
//
// Breaks when a word of another launcher's --bind-to or --map-by is refused or means another thing.
#include "tools/oshrun/placement_words.hpp"

#include <gtest/gtest.h>

namespace tessera::oshrun {
namespace {

using topology::BindTo;
using topology::MapBy;

BindTo bound(const char* text) {
    Placement placement;
    EXPECT_EQ(read_binding(text, placement), "") << text;
    return placement.bind_to;
}

Placement mapped(const char* text) {
    Placement placement;
    EXPECT_EQ(read_mapping(text, placement), "") << text;
    return placement;
}

TEST(Placement, BindingsOfOtherLaunchers) {
    EXPECT_EQ(bound("socket"), BindTo::kPackage);
    EXPECT_EQ(bound("hwthread"), BindTo::kHwthread);
    EXPECT_EQ(bound("core:overload-allowed"), BindTo::kCore);
    EXPECT_EQ(bound("L3cache"), BindTo::kL3);
    Placement placement;
    EXPECT_EQ(read_binding("core:4", placement), "");
    EXPECT_EQ(placement.cores_per_pe, 4);
    for (const char* text : {"", "chair", "core:0", "core:x", "core:"})
        EXPECT_NE(read_binding(text, placement), "") << text;
}

TEST(Placement, MappingsOfOtherLaunchers) {
    EXPECT_EQ(mapped("slot").map_by, MapBy::kCore);
    EXPECT_EQ(mapped("socket:span").map_by, MapBy::kPackage) << "span: one host";
    EXPECT_EQ(mapped("core:PE=4").cores_per_pe, 4);
    EXPECT_EQ(mapped(":pe=2").cores_per_pe, 2);
    EXPECT_EQ(mapped("ppr:3:node").pes_per_host, 3);
    const Placement both = mapped("ppr:2:socket:pe=4,OVERSUBSCRIBE");
    EXPECT_EQ(both.map_by, MapBy::kPackage);
    EXPECT_EQ(both.pes_per_part, 2);
    EXPECT_EQ(both.cores_per_pe, 4);
    EXPECT_EQ(mapped("hwthread").bind_to, BindTo::kHwthread);
    Placement placement;
    for (const char* text : {"chair", "ppr", "ppr:2", "ppr:x:node", "core:pe=", "core:pe=0", "seq",
                             "ppr:2:chair", "core:chair", "rankfile:file=x"}) {
        EXPECT_NE(read_mapping(text, placement), "") << text;
    }
}

TEST(Placement, BindingsOfSrun) {
    Placement placement;
    EXPECT_EQ(read_cpu_bind("verbose,cores", placement), "");
    EXPECT_EQ(placement.bind_to, BindTo::kCore);
    EXPECT_EQ(read_cpu_bind("socket", placement), "");
    EXPECT_EQ(placement.bind_to, BindTo::kPackage);
    EXPECT_NE(read_cpu_bind("map_cpu:0,1", placement), "");
}

}  // namespace
}  // namespace tessera::oshrun
