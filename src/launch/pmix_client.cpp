// SPDX-License-Identifier: BSD-3-Clause
//
// See pmix_client.hpp. All fences collect data: under Slurm a fence that does not is no barrier
// between nodes. Structures are filled by hand, because the macros of pmix.h call into the library.
#include "launch/pmix_client.hpp"

#include <dlfcn.h>
#include <pmix.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/environment.hpp"
#include "base/fatal.hpp"
#include "base/library_thread.hpp"
#include "base/memory_left.hpp"
#include "launch/fence_flag.hpp"

namespace tessera::launch::pmix {
namespace {

struct Functions {
    decltype(&PMIx_Init) init = nullptr;
    decltype(&PMIx_Finalize) finalize = nullptr;
    decltype(&PMIx_Abort) abort = nullptr;
    decltype(&PMIx_Put) put = nullptr;
    decltype(&PMIx_Commit) commit = nullptr;
    decltype(&PMIx_Fence) fence = nullptr;
    decltype(&PMIx_Fence_nb) fence_nb = nullptr;
    decltype(&PMIx_Get) get = nullptr;
    decltype(&PMIx_Resolve_nodes) resolve_nodes = nullptr;
    decltype(&PMIx_Resolve_peers) resolve_peers = nullptr;
    decltype(&PMIx_Register_event_handler) register_event_handler = nullptr;
    decltype(&PMIx_Error_string) error_string = nullptr;
};

// TESSERA_PMIX_LIBRARY_DIR is where the build found it, for distributions that keep it out of the
// loader's path.
constexpr const char* kLibraries[] = {"libpmix.so.2", TESSERA_PMIX_LIBRARY_DIR "/libpmix.so.2"};

// With a window the end of the launcher would be noticed one or two seconds late.
constexpr const char* kEventWindowVariable = "PMIX_MCA_pmix_event_caching_window";

Functions functions;
pmix_proc_t self;
std::atomic<bool> is_connected{false};
std::atomic<bool> is_leaving{false};
pid_t connected_pid = 0;
bool is_finalize_owed = false;

FenceFlag fence_flag;
pmix_status_t fence_status = PMIX_SUCCESS;

void check(pmix_status_t status, const char* call) {
    if (status == PMIX_SUCCESS) return;
    if (status == PMIX_ERR_PARTIAL_SUCCESS) {
        fatal_lost_peer(
            "%s: a PE has left the job while the others wait for it: it has died, or a PE's "
            "command starts several SHMEM programs one after another, which works on one node only",
            call);
    }
    // A PE that has died takes its EndpointInfo with it.
    fatal_lost_peer(
        "shmem_init: %s: %s (%d); a PE or the launcher may have died, or its PMIx may be of a "
        "version that does not fit libpmix.so.2 of this machine",
        call, functions.error_string(status), status);
}

template <class Function>
void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    if (function == nullptr) fatal("shmem_init: the PMIx library of this machine has no %s", name);
}

void load_library() {
    void* library = nullptr;
    for (const char* name : kLibraries) {
        if (library == nullptr) library = ::dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    }
    if (library == nullptr) {
        const char* reason = ::dlerror();
        fatal(
            "shmem_init: PMIX_NAMESPACE and PMIX_RANK show a PMIx launcher, but its client library "
            "cannot be loaded (%s); install libpmix2, or start the program with oshrun",
            reason != nullptr ? reason : "libpmix.so.2 not found");
    }
    find(library, "PMIx_Init", functions.init);
    find(library, "PMIx_Finalize", functions.finalize);
    find(library, "PMIx_Abort", functions.abort);
    find(library, "PMIx_Put", functions.put);
    find(library, "PMIx_Commit", functions.commit);
    find(library, "PMIx_Fence", functions.fence);
    find(library, "PMIx_Fence_nb", functions.fence_nb);
    find(library, "PMIx_Get", functions.get);
    find(library, "PMIx_Resolve_nodes", functions.resolve_nodes);
    find(library, "PMIx_Resolve_peers", functions.resolve_peers);
    find(library, "PMIx_Register_event_handler", functions.register_event_handler);
    find(library, "PMIx_Error_string", functions.error_string);
}

pmix_proc_t process(pmix_rank_t rank) {
    pmix_proc_t process = self;
    process.rank = rank;
    return process;
}

void on_lost_launcher(size_t, pmix_status_t, const pmix_proc_t*, pmix_info_t*, size_t, pmix_info_t*,
                      size_t, pmix_event_notification_cbfunc_fn_t done, void* done_data) {
    // Pairs with launch/pmix_client.cpp:disconnect_at_exit.
    if (!is_leaving.load(std::memory_order_acquire)) {
        warn("the launcher is gone, so this PE ends, too; it was killed, or lost its network");
        ::_exit(kFatalExitCode);
    }
    if (done != nullptr) done(PMIX_EVENT_ACTION_COMPLETE, nullptr, 0, nullptr, nullptr, done_data);
}

// The registration completes in PMIx's own thread; no wait is necessary.
void on_registered(pmix_status_t, size_t, void*) {}

// In PMIx's own thread.
void on_fenced(pmix_status_t status, void*) {
    fence_status = status;
    fence_flag.end();
}

// A launcher that cannot reach another host may not answer; the other PEs find out by themselves.
constexpr unsigned kAbortSeconds = 3;
constexpr std::size_t kLibraryBytes = std::size_t{24} << 20;  // beside a thread's stack
volatile sig_atomic_t abort_code = kFatalExitCode;

void leave_unanswered(int) { ::_exit(abort_code); }

void limit_abort(int code) {
    abort_code = code;
    struct sigaction action {};
    action.sa_handler = leave_unanswered;
    ::sigaction(SIGALRM, &action, nullptr);
    sigset_t alarm_only;
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    ::pthread_sigmask(SIG_UNBLOCK, &alarm_only, nullptr);
    ::alarm(kAbortSeconds);
}

// Pairs with launch/pmix_client.cpp:connect and launch/pmix_client.cpp:on_lost_launcher.
void disconnect_at_exit(int status, void*) {
    if (!is_connected.load(std::memory_order_acquire)) return;
    if (::getpid() != connected_pid) return;  // A child of fork() is not the client.
    is_leaving.store(true, std::memory_order_release);
    if (!is_finalize_owed) {
        functions.finalize(nullptr, 0);
        return;
    }
    warn("this PE ends without shmem_finalize, and with it the job");
    std::fflush(nullptr);
    int code = (status & 0xff) != 0 ? status & 0xff : kFatalExitCode;
    abort(code, "a PE has ended without shmem_finalize");
}

// As early as possible, so that it runs late: handlers and destructors of the program may still
// call shmem_finalize.
[[gnu::constructor(101)]] void watch_exit() { ::on_exit(disconnect_at_exit, nullptr); }

// Owns the result of PMIx_Get.
class Value {
  public:
    Value(const pmix_proc_t& owner, const char* key) {
        status_ = functions.get(&owner, key, nullptr, 0, &value_);
    }
    Value(const Value&) = delete;
    Value& operator=(const Value&) = delete;
    ~Value() {
        if (value_ == nullptr) return;
        if (value_->type == PMIX_STRING) std::free(value_->data.string);
        if (value_->type == PMIX_BYTE_OBJECT) std::free(value_->data.bo.bytes);
        std::free(value_);
    }
    pmix_status_t status() const { return status_; }
    const pmix_value_t* get() const { return status_ == PMIX_SUCCESS ? value_ : nullptr; }

  private:
    pmix_status_t status_ = PMIX_ERROR;
    pmix_value_t* value_ = nullptr;
};

}  // namespace

int connect() {
    // Another thread has connected. Pairs with launch/pmix_client.cpp:connect.
    if (is_connected.load(std::memory_order_acquire)) return static_cast<int>(self.rank);
    load_library();
    // libpmix crashes if it finds no memory, and does not say that it can start no thread.
    if (!is_memory_left(kLibraryBytes)) {
        fatal(
            "shmem_init: the system gives no more memory for libpmix; raise the limits of memory "
            "(ulimit -v, ulimit -d), or start fewer PEs");
    }
    start_library_thread([] {}).join();
    bool user_set_window = environment(kEventWindowVariable) != nullptr;
    ::setenv(kEventWindowVariable, "0", 0);
    pmix_status_t status = functions.init(&self, nullptr, 0);
    if (!user_set_window) ::unsetenv(kEventWindowVariable);
    if (status != PMIX_SUCCESS) {
        fatal(
            "shmem_init: PMIX_NAMESPACE=%s and PMIX_RANK=%s show a PMIx launcher, but it cannot be "
            "reached: PMIx_Init: %s (%d); if it has ended, start the program anew; to run one PE "
            "without it, unset both variables",
            environment("PMIX_NAMESPACE"), environment("PMIX_RANK"), functions.error_string(status),
            status);
    }
    connected_pid = ::getpid();
    // Pairs with launch/pmix_client.cpp:abort and launch/pmix_client.cpp:disconnect_at_exit.
    is_connected.store(true, std::memory_order_release);
    pmix_status_t code = PMIX_ERR_LOST_CONNECTION;
    functions.register_event_handler(&code, 1, nullptr, 0, on_lost_launcher, on_registered,
                                     nullptr);
    return static_cast<int>(self.rank);
}

void owe_finalize(bool is_owed) { is_finalize_owed = is_owed; }

int job_number(const char* key) {
    Value value(process(PMIX_RANK_WILDCARD), key);
    if (value.get() == nullptr) return -1;
    // Launchers differ in the types they use for the same key.
    switch (value.get()->type) {
        case PMIX_UINT32: return static_cast<int>(value.get()->data.uint32);
        case PMIX_INT32: return value.get()->data.int32;
        case PMIX_INT: return value.get()->data.integer;
        case PMIX_UINT: return static_cast<int>(value.get()->data.uint);
        case PMIX_UINT16: return value.get()->data.uint16;
        case PMIX_SIZE: return static_cast<int>(value.get()->data.size);
        default: return -1;
    }
}

std::string job_text(const char* key) {
    Value value(process(PMIX_RANK_WILDCARD), key);
    if (value.get() == nullptr || value.get()->type != PMIX_STRING) return "";
    return value.get()->data.string != nullptr ? value.get()->data.string : "";
}

std::vector<std::string> hosts() {
    char* list = nullptr;
    std::vector<std::string> names;
    if (functions.resolve_nodes(self.nspace, &list) != PMIX_SUCCESS || list == nullptr) return {};
    for (const char* at = list; *at != '\0';) {
        std::size_t length = std::strcspn(at, ",");
        if (length > 0) names.emplace_back(at, length);
        at += length + (at[length] == ',' ? 1 : 0);
    }
    std::free(list);
    return names;
}

std::vector<int> pes_of(const std::string& host) {
    pmix_proc_t* processes = nullptr;
    std::size_t count = 0;
    pmix_status_t status = functions.resolve_peers(host.c_str(), self.nspace, &processes, &count);
    if (status != PMIX_SUCCESS || processes == nullptr) return {};
    std::vector<int> pes;
    for (std::size_t i = 0; i < count; ++i) pes.push_back(static_cast<int>(processes[i].rank));
    std::free(processes);
    return pes;
}

void put(const std::string& key, std::span<const std::byte> bytes, Scope scope) {
    pmix_value_t value;
    std::memset(&value, 0, sizeof value);
    value.type = PMIX_BYTE_OBJECT;
    // PMIx_Put copies and does not write.
    value.data.bo.bytes = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));
    value.data.bo.size = bytes.size();
    check(functions.put(scope == Scope::kHost ? PMIX_LOCAL : PMIX_GLOBAL, key.c_str(), &value),
          "PMIx_Put");
    check(functions.commit(), "PMIx_Commit");
}

void fence(void (*progress)()) {
    pmix_info_t collect;
    std::memset(&collect, 0, sizeof collect);
    std::strncpy(collect.key, PMIX_COLLECT_DATA, sizeof collect.key - 1);
    collect.value.type = PMIX_BOOL;
    collect.value.data.flag = true;
    if (progress == nullptr) {
        check(functions.fence(nullptr, 0, &collect, 1), "PMIx_Fence");
        return;
    }
    fence_flag.begin();
    check(functions.fence_nb(nullptr, 0, &collect, 1, on_fenced, nullptr), "PMIx_Fence_nb");
    fence_flag.wait(progress);
    check(fence_status, "PMIx_Fence_nb");
}

std::vector<std::byte> get(int pe, const std::string& key) {
    Value value(process(static_cast<pmix_rank_t>(pe)), key.c_str());
    check(value.status(), "PMIx_Get");
    if (value.get()->type != PMIX_BYTE_OBJECT) check(PMIX_ERROR, "PMIx_Get");
    const pmix_byte_object_t& object = value.get()->data.bo;
    const auto* first = reinterpret_cast<const std::byte*>(object.bytes);
    return {first, first + object.size};
}

// Pairs with launch/pmix_client.cpp:connect.
void abort(int code, const char* message) {
    if (!is_connected.load(std::memory_order_acquire)) return;
    limit_abort(code);
    functions.abort(code, message, nullptr, 0);
}

}  // namespace tessera::launch::pmix
