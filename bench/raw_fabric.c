// SPDX-License-Identifier: BSD-3-Clause
//
// How fast is a provider of libfabric by itself? It is the limit for bench/offnode.c, whose rows it
// prints. A bare program, two processes: one measures, the other is the target.
//
// The target either reads its completion queue all the time, or (--passive) sleeps in poll() until
// there is something to read, as a progress thread does while the program computes. For that the
// queues have a descriptor, which costs time by itself; --descriptor: also where no process sleeps.
#define _GNU_SOURCE
#include <poll.h>
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/offnode_rows.h"

enum { kAddressBytesMax = 256, kOutstanding = 128 };
static const uint64_t kKey = 0x7465737365726121;

static struct {
    const char* provider;
    const char* address;
    int is_passive;
    int has_descriptor;
} options = {"tcp;ofi_rxm", "127.0.0.1", 0, 0};

// Written by the target before `ready`, read by the other after it.
static struct Shared {
    atomic_int ready;
    atomic_int stop;
    char address[2][kAddressBytesMax];
    size_t address_bytes;
    uint64_t base;
    uint64_t key;
} * shared;

static struct fi_info* info;
static struct fid_fabric* fabric;
static struct fid_domain* domain;
static struct fid_av* peers;
static struct fid_cq* queue;
static struct fid_ep* endpoint;
static struct fid_mr* region;
static char* block;  // kBlocks MiB
static int has_atomics;
static fi_addr_t target;
static long posted, completed;

static void check(long result, const char* what) {
    if (result == 0) return;
    fprintf(stderr, "raw_fabric: %s: %s\n", what,
            fi_strerror((int)(result < 0 ? -result : result)));
    exit(1);
}

// ---- Set-up ----

static int find_provider(uint64_t caps) {
    struct fi_info* hints = fi_allocinfo();
    hints->caps = caps;
    hints->ep_attr->type = FI_EP_RDM;
    hints->addr_format = strcmp(options.provider, "shm") == 0 ? FI_FORMAT_UNSPEC : FI_SOCKADDR_IN;
    hints->domain_attr->threading = FI_THREAD_SAFE;
    hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
    hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;
    hints->domain_attr->av_type = FI_AV_TABLE;
    hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    hints->fabric_attr->prov_name = strdup(options.provider);
    const char* node = hints->addr_format == FI_SOCKADDR_IN ? options.address : NULL;
    int result = fi_getinfo(FI_VERSION(1, 15), node, NULL, node ? FI_SOURCE : 0, hints, &info);
    fi_freeinfo(hints);
    return result;
}

static void open_endpoint(void) {
    // `net` grants atomics and has none.
    has_atomics =
        strcmp(options.provider, "net") != 0 && find_provider(FI_MSG | FI_RMA | FI_ATOMIC) == 0;
    if (!has_atomics) check(find_provider(FI_MSG | FI_RMA), options.provider);
    check(fi_fabric(info->fabric_attr, &fabric, NULL), "fi_fabric");
    check(fi_domain(fabric, info, &domain, NULL), "fi_domain");
    struct fi_av_attr av = {.type = FI_AV_TABLE};
    check(fi_av_open(domain, &av, &peers, NULL), "fi_av_open");
    struct fi_cq_attr cq = {.format = FI_CQ_FORMAT_CONTEXT, .wait_obj = FI_WAIT_FD};
    if (!options.has_descriptor || fi_cq_open(domain, &cq, &queue, NULL) != 0) {
        cq.wait_obj = FI_WAIT_NONE;
        check(fi_cq_open(domain, &cq, &queue, NULL), "fi_cq_open");
    }
    check(fi_endpoint(domain, info, &endpoint, NULL), "fi_endpoint");
    check(fi_ep_bind(endpoint, &peers->fid, 0), "fi_ep_bind");
    check(fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
    check(fi_enable(endpoint), "fi_enable");
    block = aligned_alloc(4096, kBlocks * MIB);
    memset(block, 1, kBlocks * MIB);
    check(fi_mr_reg(domain, block, kBlocks * MIB, FI_REMOTE_READ | FI_REMOTE_WRITE, 0, kKey, 0,
                    &region, NULL),
          "fi_mr_reg");
}

// Both processes exchange addresses: some providers must know the writer.
static void meet(int process) {
    size_t bytes = kAddressBytesMax;
    check(fi_getname(&endpoint->fid, shared->address[process], &bytes), "fi_getname");
    if (process == 1) {
        shared->base = info->domain_attr->mr_mode & FI_MR_VIRT_ADDR ? (uintptr_t)block : 0;
        shared->key = fi_mr_key(region);
    }
    atomic_fetch_add(&shared->ready, 1);
    while (atomic_load(&shared->ready) < 2) sched_yield();
    if (fi_av_insert(peers, shared->address[1 - process], 1, &target, 0, NULL) != 1) {
        fprintf(stderr, "raw_fabric: fi_av_insert failed\n");
        exit(1);
    }
}

static void close_all(void) {
    struct fid* all[] = {&endpoint->fid, &region->fid, &queue->fid,
                         &peers->fid,    &domain->fid, &fabric->fid};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) fi_close(all[i]);
    fi_freeinfo(info);
}

static void pin(int which) {
    cpu_set_t usable, one;
    if (sched_getaffinity(0, sizeof usable, &usable) != 0 || CPU_COUNT(&usable) < 2) return;
    for (int cpu = 0, skip = which; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &usable) || skip-- > 0) continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
        return;
    }
}

// ---- The target ----

static void reap(void) {
    struct fi_cq_entry entries[16];
    ssize_t count = fi_cq_read(queue, entries, 16);
    if (count == -FI_EAGAIN) return;
    if (count < 0) check(count, "fi_cq_read");
    completed += count;
}

static void serve(void) {
    struct pollfd waited = {.fd = -1, .events = POLLIN};
    if (options.is_passive && fi_control(&queue->fid, FI_GETWAIT, &waited.fd) != 0) waited.fd = -1;
    while (!atomic_load_explicit(&shared->stop, memory_order_relaxed)) {
        reap();
        if (!options.is_passive) continue;
        struct fid* fid = &queue->fid;
        if (waited.fd < 0) {
            usleep(20);
        } else if (fi_trywait(fabric, &fid, 1) == 0) {
            poll(&waited, 1, 100);
        }
    }
}

// ---- Operations ----

static void wait_for_all(void) {
    while (completed < posted) reap();
}

// Repeats CALL while the provider is busy; it completes into the queue if `is_counted`.
#define POST(is_counted, CALL)                           \
    do {                                                 \
        long result_;                                    \
        while ((result_ = (CALL)) == -FI_EAGAIN) reap(); \
        check(result_, #CALL);                           \
        if (is_counted) ++posted;                        \
    } while (0)

static long word;    // source and destination of 8 B operations
static long result;  // result of fetching operations

static void put_8(long repeats) {
    struct iovec local = {&word, 8};
    struct fi_rma_iov remote = {shared->base, 8, shared->key};
    struct fi_msg_rma message = {&local, NULL, 1, target, &remote, 1, NULL, 0};
    for (long i = 0; i < repeats; ++i) {
        POST(1, fi_writemsg(endpoint, &message, FI_COMPLETION | FI_DELIVERY_COMPLETE));
        wait_for_all();
    }
}

static void get_8(long repeats) {
    for (long i = 0; i < repeats; ++i) {
        POST(1, fi_read(endpoint, &result, 8, NULL, target, shared->base, shared->key, NULL));
        wait_for_all();
    }
}

static void fetch_add(long repeats) {
    for (long i = 0; i < repeats; ++i) {
        POST(1, fi_fetch_atomic(endpoint, &word, 1, NULL, &result, NULL, target, shared->base,
                                shared->key, FI_INT64, FI_SUM, NULL));
        wait_for_all();
    }
}

// The end of a stream: a read behind it.
static void finish(void) { get_8(1); }

static void put_8_stream(long repeats) {
    for (long i = 0; i < repeats; ++i)
        POST(0, fi_inject_write(endpoint, &word, 8, target, shared->base, shared->key));
    finish();
}

static void atomic_stream(long repeats) {
    for (long i = 0; i < repeats; ++i) {
        while (posted - completed >= kOutstanding) reap();
        POST(1, fi_atomic(endpoint, &word, 1, NULL, target, shared->base, shared->key, FI_INT64,
                          FI_SUM, NULL));
    }
    wait_for_all();
}

static void put_block(long repeats) {
    for (long i = 0; i < repeats; ++i) {
        size_t at = (size_t)(i % kBlocks) * MIB;
        while (posted - completed >= kBlocks) reap();
        POST(1, fi_write(endpoint, block + at, MIB, NULL, target, shared->base + at, shared->key,
                         NULL));
    }
    wait_for_all();
    finish();
}

static void get_block(long repeats) {
    for (long i = 0; i < repeats; ++i) {
        size_t at = (size_t)(i % kBlocks) * MIB;
        while (posted - completed >= kBlocks) reap();
        POST(1, fi_read(endpoint, block + at, MIB, NULL, target, shared->base + at, shared->key,
                        NULL));
    }
    wait_for_all();
}

// ---- Measuring ----

static void measure(void) {
    report_latency("put_8", put_8);
    report_latency("get_8", get_8);
    if (has_atomics) report_latency("fetch_add", fetch_add);
    report_rate("put_8_rate", put_8_stream, kRateRepeats, 1, 0);
    if (has_atomics) report_rate("add_rate", atomic_stream, kRateRepeats, 1, 0);
    report_rate("put_1m", put_block, kBlockRepeats, (double)MIB, 0);
    report_rate("get_1m", get_block, kBlockRepeats, (double)MIB, 0);
}

static void parse(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--provider") == 0 && i + 1 < argc) {
            options.provider = argv[++i];
        } else if (strcmp(argv[i], "--address") == 0 && i + 1 < argc) {
            options.address = argv[++i];
        } else if (strcmp(argv[i], "--passive") == 0) {
            options.is_passive = options.has_descriptor = 1;
        } else if (strcmp(argv[i], "--descriptor") == 0) {
            options.has_descriptor = 1;
        } else if (strcmp(argv[i], "--quick") != 0 && strcmp(argv[i], "--tiny") != 0) {
            fprintf(stderr,
                    "usage: raw_fabric [--provider P] [--address A] [--passive] "
                    "[--descriptor] [--tiny|--quick]\n");
            exit(2);
        }
    }
}

int main(int argc, char** argv) {
    parse(argc, argv);
    read_level(argc, argv);
    npes = 2;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 1;
    pid_t parent = getpid();
    pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) return 1;
    }
    pin(child == 0);
    open_endpoint();
    meet(child == 0);
    if (child == 0) {
        serve();
        close_all();
        return 0;
    }
    get_8(1);  // connects
    measure();
    atomic_store(&shared->stop, 1);
    int status = 0;
    waitpid(child, &status, 0);
    close_all();
    if (status != 0) return 1;
    report_end();
    return 0;
}
