// SPDX-License-Identifier: BSD-3-Clause
//
// The images of a team, numbered from 1, and the PEs that they run on.

#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tessera::caf {

struct Members {
    int images = 0;
    int this_image = 0;
    // Image i is PE pes[i - 1]; if pes is empty, first_pe + (i - 1) * pe_stride.
    std::vector<int> pes;
    int first_pe = 0;
    int pe_stride = 1;

    int pe_of(int image) const {
        return pes.empty() ? first_pe + (image - 1) * pe_stride
                           : pes[static_cast<std::size_t>(image - 1)];
    }
    std::vector<int> all_pes() const {
        std::vector<int> all;
        for (int image = 1; image <= images; ++image) all.push_back(pe_of(image));
        return all;
    }
    // The image that runs on PE `pe`, or 0 if that PE is not in the team.
    int image_of(int pe) const {
        if (!pes.empty()) {
            const auto found = std::find(pes.begin(), pes.end(), pe);
            return found == pes.end() ? 0 : static_cast<int>(found - pes.begin()) + 1;
        }
        const int distance = pe - first_pe;
        const bool is_member =
            distance % pe_stride == 0 && distance / pe_stride >= 0 && distance / pe_stride < images;
        return is_member ? distance / pe_stride + 1 : 0;
    }
};

}  // namespace tessera::caf
