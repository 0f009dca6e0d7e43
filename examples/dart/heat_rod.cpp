// SPDX-License-Identifier: BSD-3-Clause
//
// Heat spreads along a rod: a program in DASH, which runs over Tessera's DART. Each unit has a part
// of the rod. The two cells beside a part belong to other units; a unit reads them by an index. The
// ends are insulated, so the sum of all temperatures stays as it is, which the program checks.
//
//   heat_rod [CELLS [STEPS]]
#include <libdash.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace {

using Rod = dash::Array<double>;

// The sum of all cells, on all units.
double sum_of(const Rod& rod) {
    const double mine = std::accumulate(rod.lbegin(), rod.lend(), 0.0);
    double all = 0;
    dart_allreduce(&mine, &all, 1, DART_TYPE_DOUBLE, DART_OP_SUM, rod.team().dart_id());
    return all;
}

// One step on this unit's cells. The cells of other units do not change meanwhile.
void spread(Rod& now, Rod& next) {
    const std::size_t cells = now.lsize();
    if (cells == 0) return;
    const auto first = static_cast<std::size_t>(now.pattern().global(0));
    const std::size_t last = first + cells - 1;
    const double before = first > 0 ? static_cast<double>(now[first - 1]) : now.local[0];
    const double behind =
        last + 1 < now.size() ? static_cast<double>(now[last + 1]) : now.local[cells - 1];
    for (std::size_t i = 0; i < cells; ++i) {
        const double left = i > 0 ? now.local[i - 1] : before;
        const double right = i + 1 < cells ? now.local[i + 1] : behind;
        next.local[i] = now.local[i] + 0.25 * (left - 2 * now.local[i] + right);
    }
}

// RETURNS: whether the sum is right.
bool run(std::size_t cells, int steps) {
    Rod now(cells);
    Rod next(cells);
    dash::fill(now.begin(), now.end(), 0.0);
    now.barrier();
    if (dash::myid() == 0) now[cells / 2] = 1000.0;
    now.barrier();
    for (int step = 0; step < steps; ++step) {
        spread(step % 2 == 0 ? now : next, step % 2 == 0 ? next : now);
        now.barrier();
    }
    Rod& rod = steps % 2 == 0 ? now : next;
    const double sum = sum_of(rod);
    if (dash::myid() == 0) {
        const double middle = rod[cells / 2];
        std::printf("%zu units, %d steps: %.3f in the middle, %.3f in all\n", dash::size(), steps,
                    middle, sum);
    }
    return std::abs(sum - 1000.0) < 1e-6;
}

}  // namespace

int main(int argc, char* argv[]) {
    dash::init(&argc, &argv);
    const long cells = argc > 1 ? std::atol(argv[1]) : 1000;
    const int steps = argc > 2 ? std::atoi(argv[2]) : 500;
    const bool is_right = cells > 0 && run(static_cast<std::size_t>(cells), steps);
    dash::finalize();
    return is_right ? 0 : 1;
}
