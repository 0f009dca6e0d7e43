// SPDX-License-Identifier: BSD-3-Clause
//
// See views.hpp.
#include "conformance/views.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "conformance/routines.hpp"

namespace tessera::conformance {
namespace {

void require(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "[pe %d of %d] views.cpp: %s\n", shmem_my_pe(), shmem_n_pes(), what);
    shmem_global_exit(1);
}

View of_world(const char* name, long options) {
    View view{name, SHMEM_CTX_INVALID, {}};
    require(shmem_ctx_create(options, &view.ctx) == 0, "no context");
    for (int pe = 0; pe < shmem_n_pes(); ++pe) view.pes.push_back(pe);
    return view;
}

View of_team(const char* name, int start, int stride, int size, long options) {
    View view{name, SHMEM_CTX_INVALID, {}};
    shmem_team_t team = SHMEM_TEAM_INVALID;
    int status = shmem_team_split_strided(SHMEM_TEAM_WORLD, start, stride, size, nullptr, 0, &team);
    require(status == 0, "no team");
    if (team == SHMEM_TEAM_INVALID) return view;
    require(shmem_team_create_ctx(team, options, &view.ctx) == 0, "no context of a team");
    for (int i = 0; i < size; ++i) view.pes.push_back(start + i * stride);
    return view;
}

constexpr std::size_t kPrivate = 1;  // place of the private context's view in made_views
std::vector<View> made_views;

std::vector<View> make() {
    const int npes = shmem_n_pes();
    std::vector<View> made;
    View all = of_world("a context of the world", SHMEM_CTX_PRIVATE);
    made.push_back({"the default context", SHMEM_CTX_DEFAULT, all.pes});
    made.push_back(std::move(all));
    made.push_back(of_team("the world backwards", npes - 1, -1, npes, SHMEM_CTX_SERIALIZED));
    const int start = npes > 1 ? 1 : 0;
    made.push_back(of_team("every other PE", start, 2, (npes - start + 1) / 2, 0));
    return made;
}

}  // namespace

bool View::contains(int world_pe) const {
    return std::find(pes.begin(), pes.end(), world_pe) != pes.end();
}

void View::use() const { current_ctx = ctx; }

void View::quiet() const {
    if (ctx == SHMEM_CTX_DEFAULT) {
        shmem_quiet();
    } else {
        shmem_ctx_quiet(ctx);
    }
}

std::span<const View> views(bool has_ctx) {
    if (made_views.empty()) made_views = make();
    return {made_views.data(), has_ctx ? made_views.size() : 1};
}

void end_views() {
    if (!made_views.empty()) shmem_ctx_destroy(made_views[kPrivate].ctx);
    made_views.clear();
}

std::span<const View> views_of(int id, bool has_ctx) {
    const std::span<const View> all = views(has_ctx);
    if (shmem_team_n_pes(SHMEM_TEAM_SHARED) == shmem_n_pes() || all.size() == 1) return all;
    if (name_of(id)[0] == 'p') return all.first(1);
    return all.subspan(static_cast<std::size_t>(id) % (all.size() - 1), 2);
}

}  // namespace tessera::conformance
