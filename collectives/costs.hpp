// SPDX-License-Identifier: BSD-3-Clause
//
// What each algorithm costs (cost.hpp), one function a row of table.cpp, in its order. Derived in
// docs/collectives.md. "bytes" of the shape: of the vector for broadcast, scan and reduce; of one
// member's contribution for collect and fcollect; of a block for alltoall.
#pragma once

#include "collectives/cost.hpp"

namespace tessera::collectives {

namespace barrier_cost {
Cost central(const Shape& shape);
Cost dissemination(const Shape& shape);
Cost kway_dissemination(const Shape& shape);
Cost tree(const Shape& shape);
Cost hierarchical(const Shape& shape);
}  // namespace barrier_cost

namespace broadcast_cost {
Cost direct(const Shape& shape);
Cost linear(const Shape& shape);
Cost knomial(const Shape& shape);
Cost scatter_allgather(const Shape& shape);
Cost chain(const Shape& shape);
Cost hierarchical(const Shape& shape);
Cost mail(const Shape& shape);
}  // namespace broadcast_cost

namespace collect_cost {
Cost direct(const Shape& shape);
Cost linear(const Shape& shape);
Cost ring(const Shape& shape);
Cost hierarchical(const Shape& shape);
}  // namespace collect_cost

namespace fcollect_cost {
Cost direct(const Shape& shape);
Cost linear(const Shape& shape);
Cost ring(const Shape& shape);
Cost bruck(const Shape& shape);
Cost recursive_doubling(const Shape& shape);
Cost neighbor_exchange(const Shape& shape);
Cost hierarchical(const Shape& shape);
Cost mail(const Shape& shape);
}  // namespace fcollect_cost

namespace alltoall_cost {
Cost direct(const Shape& shape);
Cost pairwise(const Shape& shape);
Cost bruck(const Shape& shape);
Cost hierarchical(const Shape& shape);
Cost mail(const Shape& shape);
}  // namespace alltoall_cost

namespace scan_cost {
Cost slice(const Shape& shape);
Cost linear(const Shape& shape);
Cost recursive_doubling(const Shape& shape);
Cost hierarchical(const Shape& shape);
}  // namespace scan_cost

namespace reduce_cost {
Cost slice(const Shape& shape);
Cost flat_tree(const Shape& shape);
Cost recursive_doubling(const Shape& shape);
Cost bruck(const Shape& shape);
Cost rabenseifner(const Shape& shape);
Cost ring(const Shape& shape);
Cost knomial(const Shape& shape);
Cost hierarchical(const Shape& shape);
Cost mail(const Shape& shape);
}  // namespace reduce_cost

}  // namespace tessera::collectives
