// SPDX-License-Identifier: BSD-3-Clause
//
// See generator.hpp: the choice of actions, epochs and memory.
#include "random/generator.hpp"

#include <algorithm>
#include <utility>

namespace tessera::random {
namespace {

constexpr int kStepsMin = 8;
constexpr int kStepsMax = 40;
constexpr std::size_t kHeapBlocksMax = 6;

}  // namespace

Generator::Generator(const GenerateOptions& options)
    : npes_(options.npes),
      steps_(options.steps),
      random_(options.seed),
      model_(options.npes, options.seed),
      claims_(options.npes),
      contexts_(static_cast<std::size_t>(options.npes)) {
    program_.npes = npes_;
    program_.seed = options.seed;
    const int steps = random_.between(kStepsMin, kStepsMax);
    if (steps_ == 0) steps_ = steps;
    PeList world;
    for (int pe = 0; pe < npes_; ++pe) world.push(pe);
    teams_.push_back({world});
    teams_.push_back({world, options.shared_is_world});
    claims_.resize_block(kStaticData, kStaticBytes);
    claims_.resize_block(kPsyncs, kPsyncBytes * kPsyncCount);
    // Few sequences have large operations: they are slow, but take other paths.
    if (random_.chance(3)) {
        most_bytes_ = 100'000;
    } else if (random_.chance(15)) {
        most_bytes_ = 4000;
    }
}

Program Generator::run() {
    // Programs differ in what they are made of, too.
    constexpr int kActions = 14;
    for (int i = 0; i < kActions; ++i) weights_.push_back(random_.below(4));
    weights_[0] += 1;  // Something must be possible.
    // Most have some memory, teams and contexts from the start.
    for (int i = random_.below(3); i >= 0; --i) change_memory();
    for (int i = random_.below(4); i > 0; --i) split_strided();
    for (int i = random_.below(2 * npes_); i > 0; --i) create_context();
    for (int tries = 0; step_ < steps_ && tries < 4 * steps_; ++tries) {
        const std::size_t calls = program_.steps.size();
        if (random_.chance(16) || failures_ > 2) {
            end_epoch_somehow();
        } else {
            if (random_.chance(15)) pause();
            act();
        }
        if (program_.steps.size() > calls) ++step_;
    }
    finish();
    return std::move(program_);
}

void Generator::act() {
    using Action = void (Generator::*)();
    constexpr std::pair<Action, int> kActions[] = {
        {&Generator::transfers, 3},      {&Generator::overwrites, 1},
        {&Generator::atomics_of_one, 1}, {&Generator::atomics_of_many, 1},
        {&Generator::signal_chain, 2},   {&Generator::flags, 2},
        {&Generator::tickets, 1},        {&Generator::token_swap, 1},
        {&Generator::locked_add, 1},     {&Generator::exchange, 1},
        {&Generator::collectives, 4},    {&Generator::teams, 2},
        {&Generator::contexts, 2},       {&Generator::hand_over, 1}};
    int total = 0;
    for (std::size_t i = 0; i < std::size(kActions); ++i) total += kActions[i].second * weights_[i];
    int choice = random_.below(total);
    for (std::size_t i = 0; i < std::size(kActions); ++i) {
        choice -= kActions[i].second * weights_[i];
        if (choice < 0) return (this->*kActions[i].first)();
    }
}

void Generator::emit(Call call) {
    std::visit([this](const auto& it) { note_use(it); }, call);
    model_.apply(call);
    program_.steps.push_back({step_, std::move(call)});
}

void Generator::pause() { emit(Pause{.pe = any_pe(), .yields = random_.between(1, 4)}); }

// ---- Epochs ------------------------------------------------------------------------------------

void Generator::order(int pe, int context, OrderName name) {
    Order order{.name = name, .pe = pe, .context = context, .targets = {}};
    if (name == OrderName::kPeQuiet) {
        const std::uint64_t targets =
            is_default(context) ? ~std::uint64_t{0} : context_of(pe, context).targets;
        for (int target = 0; target < npes_; ++target) {
            if ((targets >> target & 1) != 0) order.targets.push(target);
        }
    }
    if (name != OrderName::kFence && !is_default(context)) context_of(pe, context).targets = 0;
    emit(order);
}

// No barrier completes operations on contexts of the program.
void Generator::complete_contexts() {
    for (int pe = 0; pe < npes_; ++pe) {
        const auto count = static_cast<int>(contexts_[static_cast<std::size_t>(pe)].size());
        for (int context = 0; context < count; ++context) {
            const Context& state = context_of(pe, context);
            if (!state.is_live || state.targets == 0) continue;
            if (random_.chance(10)) {
                destroy_context(pe, context);
            } else {
                order(pe, context, random_.chance(25) ? OrderName::kPeQuiet : OrderName::kQuiet);
            }
        }
    }
}

void Generator::end_epoch(const EpochEnd& end) {
    complete_contexts();
    emit(end);
    if (end.kind == EpochEnd::Kind::kMemory) {
        const MemoryCall& call = end.memory;
        claims_.resize_block(call.block, call.bytes);
        std::erase(data_blocks_, call.block);
        if (call.bytes > 0) data_blocks_.push_back(call.block);
    }
    claims_.start_epoch();
    psyncs_used_ = 0;
    failures_ = 0;
}

void Generator::end_epoch_somehow() {
    using Kind = EpochEnd::Kind;
    constexpr Kind kKinds[] = {Kind::kBarrierAll,    Kind::kBarrierAll,    Kind::kQuietSyncAll,
                               Kind::kQuietTeamSync, Kind::kActiveBarrier, Kind::kInitFinalize};
    if (random_.chance(35)) return change_memory();
    end_epoch({.kind = random_.pick(kKinds), .syncs_by_team = random_.chance(30), .memory = {}});
}

void Generator::change_memory() {
    constexpr MemoryName kNames[] = {MemoryName::kMalloc, MemoryName::kCalloc,  MemoryName::kAlign,
                                     MemoryName::kHints,  MemoryName::kRealloc, MemoryName::kFree};
    MemoryCall call{.name = random_.pick(kNames)};
    const bool is_new = call.name != MemoryName::kRealloc && call.name != MemoryName::kFree;
    const bool has_blocks = data_blocks_.size() > 1;
    if (!is_new && !has_blocks) call.name = MemoryName::kMalloc;
    if (is_new && data_blocks_.size() > kHeapBlocksMax) call.name = MemoryName::kFree;
    if (call.name == MemoryName::kRealloc || call.name == MemoryName::kFree) {
        call.block = data_blocks_[static_cast<std::size_t>(
            1 + random_.below(static_cast<int>(data_blocks_.size()) - 1))];
    } else {
        call.block = next_block_++;
    }
    // Large operations need a block for the dest of all members.
    const int most = random_.chance(30) ? static_cast<int>(most_bytes_) * 4 : 4096;
    call.bytes = static_cast<std::uint32_t>(random_.between(1, most));
    if (call.name == MemoryName::kFree) call.bytes = 0;
    if (call.name == MemoryName::kRealloc)
        call.kept_bytes = std::min(call.bytes, model_.block_bytes(call.block));
    call.alignment = call.name == MemoryName::kAlign ? 8U << random_.below(10) : 16;
    call.hints = random_.below(4);
    end_epoch(
        {.kind = EpochEnd::Kind::kMemory, .syncs_by_team = random_.chance(30), .memory = call});
}

// Leaves nothing behind; the library must end the objects that are forgotten on purpose.
void Generator::finish() {
    end_epoch({.kind = EpochEnd::Kind::kBarrierAll, .syncs_by_team = false, .memory = {}});
    ++step_;
    for (int pe = 0; pe < npes_; ++pe) {
        const auto count = static_cast<int>(contexts_[static_cast<std::size_t>(pe)].size());
        for (int context = 0; context < count; ++context) {
            if (context_of(pe, context).is_live) destroy_context(pe, context);
        }
    }
    const auto count = static_cast<int>(teams_.size());
    for (int team = kFirstTeam; team < count; ++team) {
        if (teams_[static_cast<std::size_t>(team)].is_live) destroy_team(team);
    }
    while (data_blocks_.size() > 1) {
        end_epoch({.kind = EpochEnd::Kind::kMemory,
                   .syncs_by_team = false,
                   .memory = {.name = MemoryName::kFree, .block = data_blocks_.back()}});
    }
}

// ---- Choices -----------------------------------------------------------------------------------

PeList Generator::some_pes(int least, int most) {
    const int count = std::min(npes_, random_.between(least, std::max(least, most)));
    std::vector<int> all(static_cast<std::size_t>(npes_));
    PeList chosen;
    for (int i = 0; i < npes_; ++i) all[static_cast<std::size_t>(i)] = i;
    for (int i = 0; i < count; ++i) {
        std::swap(all[static_cast<std::size_t>(i)],
                  all[static_cast<std::size_t>(random_.between(i, npes_ - 1))]);
        chosen.push(all[static_cast<std::size_t>(i)]);
    }
    return chosen;
}

int Generator::any_team() {
    std::vector<int> live;
    for (std::size_t i = 0; i < teams_.size(); ++i) {
        if (teams_[i].is_live) live.push_back(static_cast<int>(i));
    }
    return random_.pick(live);
}

std::uint32_t Generator::any_nelems(std::uint32_t element_bytes, std::uint32_t most_bytes) {
    const auto most = static_cast<int>(std::max(1U, most_bytes / element_bytes));
    if (random_.chance(7)) return 0;
    if (random_.chance(55))
        return static_cast<std::uint32_t>(random_.between(1, std::min(8, most)));
    return static_cast<std::uint32_t>(random_.between(1, most));
}

std::optional<BlockOffset> Generator::find(const PeList& pes, const Layout& layout,
                                           std::uint32_t alignment, unsigned allowed) {
    constexpr int kTries = 10;
    const std::uint32_t span = layout.span_bytes();
    for (int i = 0; i < kTries; ++i) {
        const int block = random_.chance(12) ? kStaticData : random_.pick(data_blocks_);
        const std::uint32_t bytes = model_.block_bytes(block);
        if (span > bytes) continue;
        const std::uint32_t choices = (bytes - span) / alignment + 1;
        BlockOffset place{
            block,
            static_cast<std::uint32_t>(random_.below(static_cast<int>(choices))) * alignment};
        if (place.offset == bytes) place.offset = 0;  // No elements, but still an address.
        if (std::all_of(pes.begin(), pes.end(),
                        [&](int pe) { return claims_.are(allowed, pe, place, layout); })) {
            return place;
        }
    }
    ++failures_;
    return std::nullopt;
}

std::optional<BlockOffset> Generator::find(int pe, const Layout& layout, std::uint32_t alignment,
                                           unsigned allowed) {
    PeList one;
    one.push(pe);
    return find(one, layout, alignment, allowed);
}

int Generator::any_context(int pe, int target) {
    if (random_.chance(35)) return kNoContextArgument;
    std::vector<int> reaching;
    const auto count = static_cast<int>(contexts_[static_cast<std::size_t>(pe)].size());
    for (int context = 0; context < count; ++context) {
        const Context& state = context_of(pe, context);
        if (state.is_live && members(state.team).contains(target)) reaching.push_back(context);
    }
    if (reaching.empty() || random_.chance(15)) return kDefaultContext;
    return random_.pick(reaching);
}

}  // namespace tessera::random
