// SPDX-License-Identifier: BSD-3-Clause
//
// See cache_lines.hpp: the choice of instructions. The file of the processor has the rest.
#include "base/cache_lines.hpp"

#include <initializer_list>

namespace tessera {

const char* line_instruction_name(LineInstruction instruction) {
    switch (instruction) {
        case LineInstruction::kClwb: return "clwb";
        case LineInstruction::kClflushopt: return "clflushopt";
        case LineInstruction::kClflush: return "clflush";
        case LineInstruction::kDc: return "dc cvac, dc civac";
        case LineInstruction::kNone: break;
    }
    return "none";
}

namespace {

LineInstruction best_from(LineInstruction first) {
    for (LineInstruction each : {LineInstruction::kClwb, LineInstruction::kClflushopt,
                                 LineInstruction::kClflush, LineInstruction::kDc}) {
        if (each >= first && cpu_has(each)) return each;
    }
    return LineInstruction::kNone;
}

}  // namespace

LineInstruction write_back_instruction() {
    static const LineInstruction best = best_from(LineInstruction::kClwb);
    return best;
}

// clwb keeps the line, so it drops nothing.
LineInstruction drop_instruction() {
    static const LineInstruction best = best_from(LineInstruction::kClflushopt);
    return best;
}

}  // namespace tessera
