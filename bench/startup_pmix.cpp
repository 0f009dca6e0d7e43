// SPDX-License-Identifier: BSD-3-Clause
//
// usage: startup_pmix N: the barest launcher, a PMIx server that starts this program N times as the
// minimal process of a parallel job, and waits for them. A process connects, makes one fence that
// collects data, and disconnects. No output handling and no signals: the program only exists as the
// limit of startup_empty.c under oshrun. One thread of ours; the callbacks run in a thread of PMIx.
#include <pmix.h>
// The server's header needs the client's.
#include <pmix_server.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <string>
#include <vector>

namespace {

constexpr char kNamespace[] = "startup";

[[noreturn]] void fail(const char* call, pmix_status_t status) {
    std::fprintf(stderr, "startup_pmix: %s: %s\n", call, PMIx_Error_string(status));
    _exit(1);
}

void check(const char* call, pmix_status_t status) {
    if (status != PMIX_SUCCESS) fail(call, status);
}

// For calls that answer later: pass it as callback and `data`, then call wait().
class Completion {
  public:
    static void done(pmix_status_t status, void* data) {
        static_cast<Completion*>(data)->status_.set_value(status);
    }
    void wait(const char* call, pmix_status_t started) {
        if (started == PMIX_OPERATION_SUCCEEDED) return;
        check(call, started);
        check(call, status_.get_future().get());
    }

  private:
    std::promise<pmix_status_t> status_;
};

pmix_status_t client_connected(const pmix_proc_t*, void*, pmix_info_t*, size_t,
                               pmix_op_cbfunc_t done, void* data) {
    if (done != nullptr) done(PMIX_SUCCESS, data);
    return PMIX_SUCCESS;
}

pmix_status_t client_finalized(const pmix_proc_t*, void*, pmix_op_cbfunc_t done, void* data) {
    if (done != nullptr) done(PMIX_SUCCESS, data);
    return PMIX_SUCCESS;
}

// A growing array of PMIx infos.
class Infos {
  public:
    template <class T>
    void add(const char* key, const T& value, pmix_data_type_t type) {
        pmix_info_t& info = infos_.emplace_back();
        PMIX_INFO_CONSTRUCT(&info);
        PMIX_INFO_LOAD(&info, key, &value, type);
    }
    void add_text(const char* key, const char* value, pmix_data_type_t type = PMIX_STRING) {
        pmix_info_t& info = infos_.emplace_back();
        PMIX_INFO_CONSTRUCT(&info);
        PMIX_INFO_LOAD(&info, key, value, type);
    }
    pmix_info_t* data() { return infos_.data(); }
    size_t size() const { return infos_.size(); }

  private:
    std::vector<pmix_info_t> infos_;
};

void start_server(const std::string& directory) {
    static pmix_server_module_t module = {};
    module.client_connected2 = client_connected;
    module.client_finalized = client_finalized;
    // Without this the server looks for devices, which takes 10 to 30 ms and is not start-up.
    setenv("HWLOC_COMPONENTS", "no_os,stop", 1);
    Infos infos;
    infos.add_text(PMIX_SERVER_TMPDIR, directory.c_str());
    infos.add_text(PMIX_SYSTEM_TMPDIR, directory.c_str());
    check("PMIx_server_init", PMIx_server_init(&module, infos.data(), infos.size()));
    unsetenv("HWLOC_COMPONENTS");
}

void describe_process(Infos& job, unsigned rank, const char* host) {
    Infos process;
    auto rank16 = static_cast<std::uint16_t>(rank);
    std::uint32_t zero = 0;
    process.add(PMIX_RANK, rank, PMIX_PROC_RANK);
    process.add(PMIX_LOCAL_RANK, rank16, PMIX_UINT16);
    process.add(PMIX_NODE_RANK, rank16, PMIX_UINT16);
    process.add(PMIX_NODEID, zero, PMIX_UINT32);
    process.add_text(PMIX_HOSTNAME, host);
    pmix_data_array_t array = {PMIX_INFO, process.size(), process.data()};
    job.add(PMIX_PROC_DATA, array, PMIX_DATA_ARRAY);  // copies
}

void register_job(unsigned nprocs, const std::string& directory) {
    char host[256];
    gethostname(host, sizeof host);
    std::string ranks = "0";
    for (unsigned rank = 1; rank < nprocs; ++rank) ranks.append(",").append(std::to_string(rank));
    char* nodes = nullptr;
    char* ppn = nullptr;
    PMIx_generate_regex(host, &nodes);
    PMIx_generate_ppn(ranks.c_str(), &ppn);
    Infos job;
    job.add_text(PMIX_NODE_MAP, nodes, PMIX_REGEX);
    job.add_text(PMIX_PROC_MAP, ppn, PMIX_REGEX);
    std::free(nodes);
    std::free(ppn);
    for (const char* key : {PMIX_JOB_SIZE, PMIX_UNIV_SIZE, PMIX_MAX_PROCS, PMIX_LOCAL_SIZE})
        job.add(key, nprocs, PMIX_UINT32);
    job.add_text(PMIX_JOBID, kNamespace);
    job.add_text(PMIX_NSDIR, directory.c_str());
    job.add_text(PMIX_LOCAL_PEERS, ranks.c_str());
    for (unsigned rank = 0; rank < nprocs; ++rank) describe_process(job, rank, host);
    Completion completion;
    completion.wait("PMIx_server_register_nspace",
                    PMIx_server_register_nspace(kNamespace, static_cast<int>(nprocs), job.data(),
                                                job.size(), Completion::done, &completion));
}

// The process of the job.
int be_a_client() {
    pmix_proc_t me;
    check("PMIx_Init", PMIx_Init(&me, nullptr, 0));
    bool is_collecting = true;
    pmix_info_t info;
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &is_collecting, PMIX_BOOL);
    check("PMIx_Fence", PMIx_Fence(nullptr, 0, &info, 1));
    check("PMIx_Finalize", PMIx_Finalize(nullptr, 0));
    return 0;
}

void start_process(unsigned rank) {
    pmix_proc_t process;
    PMIX_LOAD_PROCID(&process, kNamespace, rank);
    Completion completion;
    completion.wait("PMIx_server_register_client",
                    PMIx_server_register_client(&process, getuid(), getgid(), nullptr,
                                                Completion::done, &completion));
    char** environment = nullptr;
    for (char** entry = environ; *entry != nullptr; ++entry)
        pmix_argv_append_nosize(&environment, *entry);
    check("PMIx_server_setup_fork", PMIx_server_setup_fork(&process, &environment));
    pid_t pid = fork();
    if (pid < 0) fail("fork", PMIX_ERR_SYS_OTHER);
    if (pid == 0) {
        char name[] = "startup_pmix";
        char* command[] = {name, nullptr};
        execve("/proc/self/exe", command, environment);
        _exit(127);
    }
    pmix_argv_free(environment);
}

int wait_for_all(unsigned nprocs) {
    int worst = 0;
    for (unsigned i = 0; i < nprocs; ++i) {
        int status = 0;
        wait(&status);
        if (status != 0) worst = 1;
    }
    return worst;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 1) return be_a_client();
    const int nprocs = std::atoi(argv[1]);
    if (nprocs < 1) return 2;
    char directory[] = "/tmp/startup-XXXXXX";
    if (mkdtemp(directory) == nullptr) fail("mkdtemp", PMIX_ERR_SYS_OTHER);
    start_server(directory);
    register_job(static_cast<unsigned>(nprocs), directory);
    for (int rank = 0; rank < nprocs; ++rank) start_process(static_cast<unsigned>(rank));
    const int status = wait_for_all(static_cast<unsigned>(nprocs));
    Completion completion;
    PMIx_server_deregister_nspace(kNamespace, Completion::done, &completion);
    completion.wait("PMIx_server_deregister_nspace", PMIX_SUCCESS);
    PMIx_server_finalize();
    std::filesystem::remove_all(directory);
    if (status == 0) std::puts("@ end");
    return status;
}
