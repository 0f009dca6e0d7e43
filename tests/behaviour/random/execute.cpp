// SPDX-License-Identifier: BSD-3-Clause
//
// See execute.hpp: the run through the steps, memory and messages.
#include "random/execute.hpp"

#include <sched.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <type_traits>

namespace tessera::random {
namespace {

alignas(64) unsigned char static_bytes[kStaticBytes];
alignas(64) long static_psyncs[kPsyncCount * SHMEM_SYNC_SIZE];
long static_barrier_psync[SHMEM_BARRIER_SYNC_SIZE];
long static_locks[2];

const shmem_ctx_t kDefaultHandle = SHMEM_CTX_DEFAULT;

}  // namespace

SharedObjects::SharedObjects()
    : barrier_psync(static_barrier_psync),
      pwrk(shmem_malloc(kPwrkBytes)),
      static_data(static_bytes),
      heap_psyncs_(static_cast<long*>(shmem_malloc(sizeof static_psyncs))) {
    for (std::size_t i = 0; i < std::size(static_psyncs); ++i)
        static_psyncs[i] = heap_psyncs_[i] = SHMEM_SYNC_VALUE;
    for (long& element : static_barrier_psync) element = SHMEM_SYNC_VALUE;
    auto* heap_locks = static_cast<long*>(shmem_calloc(2, sizeof(long)));
    for (int i = 0; i < 2; ++i) {
        locks[i] = &static_locks[i];
        locks[2 + i] = &heap_locks[i];
    }
    shmem_barrier_all();
}

long* SharedObjects::psync(int i) const {
    return (i % 2 == 0 ? static_psyncs : heap_psyncs_) + i * SHMEM_SYNC_SIZE;
}

Executor::Executor(const Program& program, const SharedObjects& shared, int from,
                   std::uint64_t first_seed)
    : program_(program),
      shared_(shared),
      from_(from),
      first_seed_(first_seed),
      me_(shmem_my_pe()),
      model_(program.npes, program.seed),
      blocks_{shared.static_data, nullptr},
      teams_{SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED} {}

void Executor::run() {
    install_model();
    for (const Step& step : program_.steps) {
        if (from_ > 0 && step.number >= from_) {
            from_ = 0;
            install_model();
        }
        step_ = &step;
        old_value_ = model_.apply(step.call);
        if (from_ > 0 && !is_needed(step.call)) continue;
        std::visit([this](const auto& call) { play(call); }, step.call);
    }
    step_ = nullptr;
}

// Whether later steps cannot do without the call.
bool Executor::is_needed(const Call& call) const {
    if (const auto* end = std::get_if<EpochEnd>(&call)) return end->kind == EpochEnd::Kind::kMemory;
    return std::visit(
        [](const auto& it) {
            using T = std::decay_t<decltype(it)>;
            return std::is_same_v<T, SplitStrided> || std::is_same_v<T, Split2d> ||
                   std::is_same_v<T, DestroyTeam> || std::is_same_v<T, CreateContext> ||
                   std::is_same_v<T, DestroyContext> || std::is_same_v<T, Session>;
        },
        call);
}

// Makes memory what the model says.
void Executor::install_model() {
    shmem_barrier_all();
    for (int block = 0; block < model_.blocks(); ++block) {
        if (block == kPsyncs || !model_.is_live(block)) continue;
        std::memcpy(address({block, 0}), model_.memory(me_, {block, 0}), model_.block_bytes(block));
    }
    shmem_barrier_all();
}

unsigned char* Executor::address(BlockOffset place) const {
    if (place.block < 0) return nullptr;  // A sync has no data.
    return blocks_[static_cast<std::size_t>(place.block)] + place.offset;
}

OptionalContext Executor::handle_of(int context) const {
    if (context == kNoContextArgument) return nullptr;
    if (context == kDefaultContext) return &kDefaultHandle;
    return &contexts_[static_cast<std::size_t>(context)].handle;
}

int Executor::pe_in(int context, int pe) const {
    if (is_default(context)) return pe;
    return contexts_[static_cast<std::size_t>(context)].members.index_of(pe);
}

void Executor::play(const Pause& pause) {
    if (pause.pe != me_) return;
    for (int i = 0; i < pause.yields; ++i) ::sched_yield();
}

// ---- Epochs ------------------------------------------------------------------------------------

void Executor::play(const EpochEnd& end) {
    if (end.kind == EpochEnd::Kind::kMemory) {
        change_memory(end.memory);
    } else {
        end_epoch(end.kind);
        complete(kDefaultContext);
        compare_memory();
    }
    if (end.syncs_by_team) {
        shmem_team_sync(SHMEM_TEAM_WORLD);
    } else {
        shmem_sync_all();
    }
}

void Executor::end_epoch(EpochEnd::Kind kind) {
    switch (kind) {
        case EpochEnd::Kind::kQuietSyncAll: shmem_quiet(); return shmem_sync_all();
        case EpochEnd::Kind::kQuietTeamSync:
            shmem_quiet();
            if (shmem_team_sync(SHMEM_TEAM_WORLD) != 0) fail("shmem_team_sync failed");
            return;
        case EpochEnd::Kind::kActiveBarrier:
            return shmem_barrier(0, 0, program_.npes, shared_.barrier_psync);
        case EpochEnd::Kind::kInitFinalize: {
            int provided = 0;
            if (shmem_init_thread(SHMEM_THREAD_SINGLE, &provided) != 0) fail("init failed");
            return shmem_finalize();
        }
        default: return shmem_barrier_all();
    }
}

// The barrier of the call ends the epoch.
void Executor::change_memory(const MemoryCall& call) {
    const auto index = static_cast<std::size_t>(call.block);
    if (index >= blocks_.size()) blocks_.resize(index + 1);
    void* memory = nullptr;
    switch (call.name) {
        case MemoryName::kMalloc: memory = shmem_malloc(call.bytes); break;
        case MemoryName::kCalloc: memory = shmem_calloc(call.bytes, 1); break;
        case MemoryName::kAlign: memory = shmem_align(call.alignment, call.bytes); break;
        case MemoryName::kHints: memory = shmem_malloc_with_hints(call.bytes, call.hints); break;
        case MemoryName::kRealloc: memory = shmem_realloc(blocks_[index], call.bytes); break;
        case MemoryName::kFree: shmem_free(blocks_[index]); break;
    }
    const bool is_freed = call.name == MemoryName::kFree;
    if (!is_freed && memory == nullptr) fail("no memory; is SHMEM_SYMMETRIC_SIZE below 16M?");
    if (reinterpret_cast<std::uintptr_t>(memory) % call.alignment != 0)
        fail("%p is not aligned to %u bytes", memory, call.alignment);
    blocks_[index] = static_cast<unsigned char*>(memory);
    complete(kDefaultContext);
    if (!is_freed && call.name != MemoryName::kCalloc && call.name != MemoryName::kRealloc)
        std::memcpy(memory, model_.memory(me_, {call.block, 0}), call.bytes);
    if (from_ == 0) compare_memory();
    if (call.name == MemoryName::kRealloc)
        std::memcpy(memory, model_.memory(me_, {call.block, 0}), call.bytes);
}

void Executor::compare_memory() {
    for (int block = 0; block < model_.blocks(); ++block) {
        if (block == kPsyncs || !model_.is_live(block)) continue;
        // The bytes that realloc has added have no value yet.
        const MemoryCall& call = std::get<EpochEnd>(step_->call).memory;
        const bool has_grown = call.name == MemoryName::kRealloc && call.block == block;
        compare({block, 0}, address({block, 0}),
                has_grown ? call.kept_bytes : model_.block_bytes(block));
    }
    for (std::uint32_t i = 0; i < kPsyncCount; ++i) {
        compare({kPsyncs, i * kPsyncBytes},
                reinterpret_cast<unsigned char*>(shared_.psync(static_cast<int>(i))), kPsyncBytes);
    }
}

void Executor::compare(BlockOffset place, const unsigned char* actual, std::uint32_t bytes) {
    const unsigned char* expected = model_.memory(me_, place);
    if (bytes == 0 || std::memcmp(actual, expected, bytes) == 0) return;
    std::uint32_t at = 0;
    while (actual[at] == expected[at]) ++at;
    std::uint32_t count = 0;
    for (std::uint32_t i = at; i < bytes; ++i) count += actual[i] != expected[i] ? 1 : 0;
    const Step* writer = last_writer({place.block, place.offset + at});
    fail("%u bytes of block %d are wrong here, the first at offset %u: %#x, not %#x%s%s", count,
         place.block, place.offset + at, actual[at], expected[at],
         writer != nullptr ? "\n  written last by step " : ", which no step has written",
         writer != nullptr
             ? (std::to_string(writer->number) + ": " + words_of(writer->call)).c_str()
             : "");
}

// The call that changed the byte last, found by doing everything again.
const Step* Executor::last_writer(BlockOffset place) const {
    Model model(program_.npes, program_.seed);
    const Step* writer = nullptr;
    for (const Step& step : program_.steps) {
        const bool was_live = place.block < model.blocks() && model.is_live(place.block) &&
                              place.offset < model.block_bytes(place.block);
        const int before = was_live ? *model.memory(me_, place) : -1;
        model.apply(step.call);
        const bool is_live = place.block < model.blocks() && model.is_live(place.block) &&
                             place.offset < model.block_bytes(place.block);
        if (is_live && before != *model.memory(me_, place)) writer = &step;
        if (&step == step_) break;
    }
    return writer;
}

// ---- Messages ----------------------------------------------------------------------------------

namespace {

void print_and_exit(const Program& program, const Step& step, std::uint64_t first_seed,
                    const char* format, va_list arguments) {
    char message[2000];
    std::vsnprintf(message, sizeof message, format, arguments);
    std::fprintf(stderr,
                 "[pe %d of %d] seed %lu, step %d: %s\n  %s\n"
                 "  repeat: oshrun -n %d random_test --seed %lu --steps %d   (or the whole job: "
                 "--seed %lu --sequences %lu)\n",
                 shmem_my_pe(), program.npes, program.seed, step.number,
                 words_of(step.call).c_str(), message, program.npes, program.seed, step.number + 1,
                 first_seed, program.seed - first_seed + 1);
    std::fflush(stderr);
    shmem_global_exit(1);
}

}  // namespace

void Executor::fail(const char* format, ...) const {
    va_list arguments;
    va_start(arguments, format);
    print_and_exit(program_, *step_, first_seed_, format, arguments);
    va_end(arguments);
    __builtin_unreachable();
}

void Executor::fail_at(const Step& step, const char* format, ...) const {
    va_list arguments;
    va_start(arguments, format);
    print_and_exit(program_, step, first_seed_, format, arguments);
    va_end(arguments);
    __builtin_unreachable();
}

}  // namespace tessera::random
