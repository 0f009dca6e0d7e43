// SPDX-License-Identifier: BSD-3-Clause
//
// Teams and contexts (OpenSHMEM 1.6, 9.4 and 9.5), sessions (9.9), and the teams of shmemx.h.
#include "tools/interpose/forward.hpp"

namespace tessera::interpose {

INTERPOSE(int, shmem_team_split_strided,
          (shmem_team_t parent, int start, int stride, int size, const shmem_team_config_t* config,
           long mask, shmem_team_t* new_team),
          (parent, start, stride, size, config, mask, new_team), .kind = Kind::kTeamCreate,
          .team = parent, .arguments = {start, stride, size}, .new_teams = {new_team, nullptr})
INTERPOSE(int, shmem_team_split_2d,
          (shmem_team_t parent, int xrange, const shmem_team_config_t* x_config, long x_mask,
           shmem_team_t* x_team, const shmem_team_config_t* y_config, long y_mask,
           shmem_team_t* y_team),
          (parent, xrange, x_config, x_mask, x_team, y_config, y_mask, y_team),
          .kind = Kind::kTeamCreate, .team = parent, .arguments = {xrange, 0, 0},
          .new_teams = {x_team, y_team})
INTERPOSE(int, shmemx_team_split_color,
          (shmem_team_t parent, int color, int key, const shmem_team_config_t* config, long mask,
           shmem_team_t* new_team),
          (parent, color, key, config, mask, new_team), .kind = Kind::kTeamCreate, .team = parent,
          .arguments = {color, key, 0}, .new_teams = {new_team, nullptr})
INTERPOSE(int, shmemx_team_create,
          (shmem_team_t parent, const int* pes, int npes, const shmem_team_config_t* config,
           long mask, shmem_team_t* new_team),
          (parent, pes, npes, config, mask, new_team), .kind = Kind::kTeamCreate, .team = parent,
          .pes = pes, .pe_count = npes > 0 ? static_cast<size_t>(npes) : 0,
          .new_teams = {new_team, nullptr})
INTERPOSE(void, shmem_team_destroy, (shmem_team_t team), (team), .kind = Kind::kTeamDestroy,
          .team = team)

#define TEAM_QUERY(RESULT, NAME, PARAMETERS, ARGUMENTS, ...) \
    INTERPOSE(RESULT, NAME, PARAMETERS, ARGUMENTS, .kind = Kind::kQuery, __VA_ARGS__)
TEAM_QUERY(int, shmem_team_my_pe, (shmem_team_t team), (team), .team = team)
TEAM_QUERY(int, shmem_team_n_pes, (shmem_team_t team), (team), .team = team)
TEAM_QUERY(int, shmem_team_get_config,
           (shmem_team_t team, long config_mask, shmem_team_config_t* config),
           (team, config_mask, config), .team = team)
TEAM_QUERY(int, shmem_team_translate_pe,
           (shmem_team_t src_team, int src_pe, shmem_team_t dest_team),
           (src_team, src_pe, dest_team), .team = src_team)
TEAM_QUERY(void*, shmem_team_ptr, (shmem_team_t team, const void* dest, int pe), (team, dest, pe),
           .team = team, .source = dest, .pe = pe)
#undef TEAM_QUERY

// ---- Contexts -----------------------------------------------------------------------------------

INTERPOSE(int, shmem_ctx_create, (long options, shmem_ctx_t* ctx), (options, ctx),
          .kind = Kind::kContextCreate, .team = SHMEM_TEAM_WORLD, .options = options,
          .new_context = ctx)
INTERPOSE(int, shmem_team_create_ctx, (shmem_team_t team, long options, shmem_ctx_t* ctx),
          (team, options, ctx), .kind = Kind::kContextCreate, .team = team, .options = options,
          .new_context = ctx)

#define OF_CONTEXT(RESULT, NAME, PARAMETERS, ARGUMENTS, ...) \
    INTERPOSE_WITH((Counted::kNone), RESULT, NAME, ctx, PARAMETERS, ARGUMENTS, __VA_ARGS__)
OF_CONTEXT(void, shmem_ctx_destroy, (shmem_ctx_t ctx), (ctx), .kind = Kind::kContextDestroy)
OF_CONTEXT(int, shmem_ctx_get_team, (shmem_ctx_t ctx, shmem_team_t* team), (ctx, team),
           .kind = Kind::kQuery)
OF_CONTEXT(void, shmem_ctx_session_start,
           (shmem_ctx_t ctx, long options, const shmem_ctx_session_config_t* config, long mask),
           (ctx, options, config, mask), .kind = Kind::kSession, .options = options)
OF_CONTEXT(void, shmem_ctx_session_stop, (shmem_ctx_t ctx), (ctx), .kind = Kind::kSession)
#undef OF_CONTEXT

}  // namespace tessera::interpose
