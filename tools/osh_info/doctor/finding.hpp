// SPDX-License-Identifier: BSD-3-Clause
//
// osh_info --doctor: the results of its checks, and the things that each check may look at. A check
// is a function from a Subject to Findings and a row of the table in doctor.cpp.
#pragma once

#include <string>
#include <vector>

#include "settings/config.hpp"
#include "topology/topology.hpp"

namespace tessera::osh_info {

// kProblem: it makes starts fail. kNote: it may surprise, but jobs start.
enum class Verdict { kOk, kNote, kProblem };

struct Finding {
    Verdict verdict = Verdict::kOk;
    std::string text;
    std::string remedy;  // a command or a setting; "" for kOk
};
using Findings = std::vector<Finding>;

inline Finding ok(std::string text) { return {Verdict::kOk, std::move(text), ""}; }
inline Finding note(std::string text, std::string remedy) {
    return {Verdict::kNote, std::move(text), std::move(remedy)};
}
inline Finding problem(std::string text, std::string remedy) {
    return {Verdict::kProblem, std::move(text), std::move(remedy)};
}

// The job that the user would like to start, and the machine that it would start on.
struct Subject {
    std::string hosts;  // --hosts, as given; "": those of the allocation, or this one
    int npes = 1;       // on this host
    Config config;
    topology::Facts facts;
};

}  // namespace tessera::osh_info
