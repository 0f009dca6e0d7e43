// SPDX-License-Identifier: BSD-3-Clause
//
// See pmix_server.hpp. A server that hangs must not hang the job, so nothing here waits for it
// without a limit, and oshrun never shuts it down: its files are in the session directory and
// oshrun exits.
#include "pmix_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <hwloc.h>
#include <netinet/in.h>
#include <pmix.h>
#include <pmix_server.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

#include "base/fd.hpp"
#include "base/library_thread.hpp"
#include "pmix_gate.hpp"
#include "pmix_info_list.hpp"

namespace tessera::oshrun {
namespace {

enum class ClientState : int { kAbsent, kConnected, kFinalized };
enum class Progress { kStarting, kReady, kFailed };

// Lives as long as the process: the server's threads refer to it.
struct State {
    PmixJob job;
    pmix_server_module_t callbacks{};
    pmix_topology_t topology{};
    std::unique_ptr<std::atomic<ClientState>[]> clients;
    Fd event;
    Fd null;  // receives the server's own messages

    std::mutex mutex;  // guards what follows
    std::condition_variable changed;
    Progress progress = Progress::kStarting;
    std::string error;
    int pending_operations = 0;
    std::optional<PmixAbort> abort;
    std::optional<std::string> note;
};

State* state = nullptr;

bool is_ours(const pmix_proc_t* process) {
    return process != nullptr && state->job.nspace == process->nspace &&
           process->rank < state->job.app_of_pe.size();
}

void set_client(const pmix_proc_t* process, ClientState next) {
    // Pairs with tools/oshrun/pmix_server.cpp:is_unfinalized_client.
    if (is_ours(process)) state->clients[process->rank].store(next, std::memory_order_release);
}

void signal_event() {
    std::uint64_t one = 1;
    ssize_t written = ::write(state->event.get(), &one, sizeof one);
    static_cast<void>(written);
}

void on_note(const std::string& line) {
    {
        std::lock_guard guard(state->mutex);
        state->note = line;
    }
    signal_event();
}

// Callbacks of the server, on its thread. The client waits until `done` has been called.

pmix_status_t on_connected(const pmix_proc_t* process, void*, pmix_info_t*, std::size_t,
                           pmix_op_cbfunc_t done, void* data) {
    set_client(process, ClientState::kConnected);
    if (done != nullptr) done(PMIX_SUCCESS, data);
    return PMIX_SUCCESS;
}

pmix_status_t on_finalized(const pmix_proc_t* process, void*, pmix_op_cbfunc_t done, void* data) {
    set_client(process, ClientState::kFinalized);
    if (done != nullptr) done(PMIX_SUCCESS, data);
    return PMIX_SUCCESS;
}

pmix_status_t on_abort(const pmix_proc_t* process, void*, int code, const char* message,
                       pmix_proc_t*, std::size_t, pmix_op_cbfunc_t done, void* data) {
    {
        std::lock_guard guard(state->mutex);
        if (is_ours(process) && !state->abort) {
            state->abort = PmixAbort{.pe = static_cast<int>(process->rank),
                                     .code = code,
                                     .message = message != nullptr ? message : ""};
        }
    }
    signal_event();
    if (done != nullptr) done(PMIX_SUCCESS, data);
    return PMIX_SUCCESS;
}

// Called when a client died inside a fence; the job is about to end.
pmix_status_t on_fence(const pmix_proc_t*, std::size_t, const pmix_info_t*, std::size_t,
                       char* bytes, std::size_t nbytes, pmix_modex_cbfunc_t done, void* data) {
    if (done != nullptr) done(PMIX_SUCCESS, bytes, nbytes, data, nullptr, nullptr);
    return PMIX_SUCCESS;
}

// Called for a key that no client of this node has put.
pmix_status_t on_direct_modex(const pmix_proc_t*, const pmix_info_t*, std::size_t,
                              pmix_modex_cbfunc_t done, void* data) {
    if (done != nullptr) done(PMIX_ERR_NOT_FOUND, nullptr, 0, data, nullptr, nullptr);
    return PMIX_SUCCESS;
}

void on_operation_done(pmix_status_t status, void*) {
    std::lock_guard guard(state->mutex);
    if (status != PMIX_SUCCESS && state->error.empty()) state->error = PMIx_Error_string(status);
    --state->pending_operations;
    state->changed.notify_all();
}

// The server wants a topology of its own, and finding one takes longer than everything else that
// oshrun does. An invented one is enough: nothing is bound by it, and clients find their own.
bool make_topology(pmix_topology_t& topology) {
    hwloc_topology_t made_up;
    if (hwloc_topology_init(&made_up) != 0) return false;
    hwloc_topology_set_synthetic(made_up, "pu:1");
    if (hwloc_topology_load(made_up) != 0) return false;
    static char source[] = "hwloc";
    topology.source = source;
    topology.topology = made_up;
    return true;
}

// Keeps the first one; "": none.
void note_error(const std::string& error) {
    std::lock_guard guard(state->mutex);
    if (state->error.empty()) state->error = error;
}

void check(pmix_status_t status, const char* call) {
    if (status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED) return;
    note_error(std::string(call) + ": " + PMIx_Error_string(status));
}

bool has_failed() {
    std::lock_guard guard(state->mutex);
    return !state->error.empty();
}

// Where libpmix cannot listen, some versions abort the process. RETURNS: "", or what is refused.
std::string refused_call() {
    const auto complaint = [](const char* call) {
        return std::string("the system refuses ") + call + " (" + std::strerror(errno) +
               "), perhaps by a filter of system calls (seccomp)";
    };
    const Fd trial(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!trial) return complaint("socket");
    sockaddr_in loopback{};
    loopback.sin_family = AF_INET;
    loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* address = reinterpret_cast<sockaddr*>(&loopback);
    socklen_t bytes = sizeof loopback;
    const int on = 1;
    if (::setsockopt(trial.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0)
        return complaint("setsockopt");
    if (::bind(trial.get(), address, bytes) != 0) return complaint("bind to 127.0.0.1");
    if (::getsockname(trial.get(), address, &bytes) != 0) return complaint("getsockname");
    if (::listen(trial.get(), 1) != 0) return complaint("listen on 127.0.0.1");
    return "";
}

void init_server() {
    state->callbacks.client_connected2 = on_connected;
    state->callbacks.client_finalized = on_finalized;
    state->callbacks.abort = on_abort;
    state->callbacks.fence_nb = on_fence;
    state->callbacks.direct_modex = on_direct_modex;
    InfoList info;
    info.add_text(PMIX_SERVER_TMPDIR, state->job.directory);
    info.add_text(PMIX_SYSTEM_TMPDIR, state->job.directory);
    info.add_text(PMIX_SERVER_NSPACE, state->job.nspace + "-server");
    info.add_rank(PMIX_SERVER_RANK, 0);
    if (make_topology(state->topology)) info.add_topology(PMIX_TOPOLOGY2, state->topology);
    check(PMIx_server_init(&state->callbacks, info.data(), info.size()), "PMIx_server_init");
}

// libpmix 4 writes the letters of a name that stand before the first digit or dot into a buffer of
// 50 bytes, without a look at their number. The job has one host, so a part of its name serves.
constexpr std::size_t kHostLettersMax = 48;

// Everything a client may ask about the job and about each of its processes.
InfoList job_info(const PmixJob& job) {
    auto npes = static_cast<std::uint32_t>(job.app_of_pe.size());
    std::string pes = "0";
    for (std::uint32_t pe = 1; pe < npes; ++pe) pes.append(",").append(std::to_string(pe));
    const std::string host = job.host.substr(0, kHostLettersMax);
    InfoList info;
    info.add_regex(PMIX_NODE_MAP, host, PMIx_generate_regex);
    info.add_regex(PMIX_PROC_MAP, pes, PMIx_generate_ppn);
    for (const char* key :
         {PMIX_JOB_SIZE, PMIX_UNIV_SIZE, PMIX_MAX_PROCS, PMIX_LOCAL_SIZE, PMIX_NODE_SIZE}) {
        info.add_number(key, npes);
    }
    info.add_number(PMIX_NUM_NODES, 1);
    info.add_number(PMIX_JOB_NUM_APPS, static_cast<std::uint32_t>(job.app_first_pe.size()));
    info.add_text(PMIX_JOBID, job.nspace);
    info.add_text(PMIX_NSDIR, job.directory);
    info.add_text(PMIX_TMPDIR, job.directory);
    info.add_text(PMIX_LOCAL_PEERS, pes);
    info.add_rank(PMIX_LOCALLDR, 0);
    for (std::uint32_t pe = 0; pe < npes; ++pe) {
        auto app = static_cast<std::size_t>(job.app_of_pe[pe]);
        auto first = static_cast<std::uint32_t>(job.app_first_pe[app]);
        InfoList process;
        process.add_rank(PMIX_RANK, pe);  // must be first
        process.add_short(PMIX_LOCAL_RANK, static_cast<std::uint16_t>(pe));
        process.add_short(PMIX_NODE_RANK, static_cast<std::uint16_t>(pe));
        process.add_number(PMIX_NODEID, 0);
        process.add_number(PMIX_APPNUM, static_cast<std::uint32_t>(app));
        process.add_text(PMIX_HOSTNAME, host);
        process.add_rank(PMIX_APP_RANK, pe - first);
        process.add_rank(PMIX_GLOBAL_RANK, pe);
        info.add_list(PMIX_PROC_DATA, process);
    }
    return info;
}

// Starts an operation that calls on_operation_done at its end.
template <class Operation>
void begin(Operation operation, const char* call) {
    {
        std::lock_guard guard(state->mutex);
        ++state->pending_operations;
    }
    pmix_status_t status = operation();
    if (status == PMIX_SUCCESS) return;
    check(status, call);
    std::lock_guard guard(state->mutex);  // Done at once: there will be no callback.
    --state->pending_operations;
}

void wait_for_operations() {
    std::unique_lock lock(state->mutex);
    state->changed.wait(lock, [] { return state->pending_operations == 0; });
}

void register_job() {
    const PmixJob& job = state->job;
    auto npes = static_cast<int>(job.app_of_pe.size());
    InfoList info = job_info(job);
    begin(
        [&] {
            return PMIx_server_register_nspace(job.nspace.c_str(), npes, info.data(), info.size(),
                                               on_operation_done, nullptr);
        },
        "PMIx_server_register_nspace");
    wait_for_operations();
    for (int pe = 0; pe < npes && !has_failed(); ++pe) {
        pmix_proc_t process;
        PMIX_LOAD_PROCID(&process, job.nspace.c_str(), static_cast<pmix_rank_t>(pe));
        begin(
            [&] {
                return PMIx_server_register_client(&process, ::getuid(), ::getgid(), nullptr,
                                                   on_operation_done, nullptr);
            },
            "PMIx_server_register_client");
    }
    wait_for_operations();
}

// The server's messages about mistakes name its own source lines. Only PMIx_server_init reads the
// variable, and the PEs' environment has been made already.
void keep_server_quiet() {
    if (state->job.is_verbose) return;
    state->null = Fd(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    if (!state->null) return;
    ::setenv("PMIX_OUTPUT_STDERR_FD", std::to_string(state->null.get()).c_str(), 1);
}

void run_start() {
    note_error(refused_call());
    if (!has_failed()) {
        build_pmix_gate();
        init_server();
        close_pmix_gate({.nspace = state->job.nspace,
                         .npes = static_cast<std::uint32_t>(state->job.app_of_pe.size())},
                        on_note);
    }
    if (!has_failed()) register_job();
    std::lock_guard guard(state->mutex);
    state->progress = state->error.empty() ? Progress::kReady : Progress::kFailed;
    state->changed.notify_all();
}

}  // namespace

void PmixServer::start(const PmixJob& job) {
    state = new State;  // never freed, see State
    state->job = job;
    state->clients = std::make_unique<std::atomic<ClientState>[]>(job.app_of_pe.size());
    keep_server_quiet();
    state->event = Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    start_thread(run_start).detach();
}

bool PmixServer::wait_until_ready(int timeout_ms) {
    std::unique_lock lock(state->mutex);
    bool is_over = state->changed.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                                           [] { return state->progress != Progress::kStarting; });
    error_ = is_over ? state->error : "it does not answer";
    return is_over && state->progress == Progress::kReady;
}

bool PmixServer::is_starting() const {
    std::lock_guard guard(state->mutex);
    return state->progress == Progress::kStarting;
}

std::vector<std::string> PmixServer::environment_of(int pe) const {
    pmix_proc_t process;
    PMIX_LOAD_PROCID(&process, state->job.nspace.c_str(), static_cast<pmix_rank_t>(pe));
    char** entries = nullptr;
    PMIx_server_setup_fork(&process, &entries);
    std::vector<std::string> environment;
    for (char** entry = entries; entry != nullptr && *entry != nullptr; ++entry) {
        environment.emplace_back(*entry);
        std::free(*entry);
    }
    std::free(entries);
    return environment;
}

// Pairs with tools/oshrun/pmix_server.cpp:set_client.
bool PmixServer::is_unfinalized_client(int pe) const {
    return state->clients[static_cast<std::size_t>(pe)].load(std::memory_order_acquire) ==
           ClientState::kConnected;
}

int PmixServer::event_fd() const { return state->event.get(); }

std::optional<PmixAbort> PmixServer::take_abort() {
    std::uint64_t count;
    ssize_t got = ::read(state->event.get(), &count, sizeof count);
    static_cast<void>(got);
    std::lock_guard guard(state->mutex);
    return std::exchange(state->abort, std::nullopt);
}

std::optional<std::string> PmixServer::take_note() {
    std::lock_guard guard(state->mutex);
    return std::exchange(state->note, std::nullopt);
}

}  // namespace tessera::oshrun
