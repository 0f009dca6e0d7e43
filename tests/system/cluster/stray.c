// SPDX-License-Identifier: BSD-3-Clause
//
// A libfabric client that does not belong to the job, for security_test.py:
//   stray ADDRESS PORT HEAP STATIC SEED
// It knows where a PE listens and where the PE's memory lies, speaks the provider's protocol, and
// has to guess the keys. It writes and reads with guessed keys and sends messages that are none of
// the library's. It must not matter what becomes of that; nothing may happen to the PE. Prints how
// many attempts there were, and how many reads brought something.
#include <arpa/inet.h>
#include <errno.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kBytes = 16384, kWaitMs = 100, kMessages = 60 };

// The descriptors of one attempt. The target may close a connection after a bad one, so that each
// attempt opens everything anew.
struct client {
    struct fid_domain* domain;
    struct fid_av* addresses;
    struct fid_cq* completions;
    struct fid_ep* endpoint;
    struct fid_mr* region;
    fi_addr_t target;
};

static struct fi_info* info;
static struct fid_fabric* fabric;
static struct sockaddr_in target_address;
static char bytes[kBytes];
static uint64_t state;

static uint64_t next_random(void) {
    state += 0x9e3779b97f4a7c15u;
    uint64_t mixed = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

static void need(int result, const char* what) {
    if (result == 0) return;
    fprintf(stderr, "stray: %s: %s\n", what, fi_strerror(-result));
    exit(2);
}

static void find_provider(const char* provider) {
    struct fi_info* hints = fi_allocinfo();
    hints->caps = FI_MSG | FI_RMA;
    hints->ep_attr->type = FI_EP_RDM;
    hints->addr_format = FI_SOCKADDR_IN;
    hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_LOCAL;
    hints->fabric_attr->prov_name = strdup(provider);
    need(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info), provider);
    fi_freeinfo(hints);
    need(fi_fabric(info->fabric_attr, &fabric, NULL), "fi_fabric");
}

static void open_client(struct client* client) {
    struct fi_cq_attr queue = {.format = FI_CQ_FORMAT_CONTEXT, .wait_obj = FI_WAIT_NONE};
    struct fi_av_attr table = {.type = FI_AV_TABLE};
    need(fi_domain(fabric, info, &client->domain, NULL), "fi_domain");
    need(fi_cq_open(client->domain, &queue, &client->completions, NULL), "fi_cq_open");
    need(fi_av_open(client->domain, &table, &client->addresses, NULL), "fi_av_open");
    need(fi_endpoint(client->domain, info, &client->endpoint, NULL), "fi_endpoint");
    need(fi_ep_bind(client->endpoint, &client->addresses->fid, 0), "fi_ep_bind");
    need(fi_ep_bind(client->endpoint, &client->completions->fid, FI_TRANSMIT | FI_RECV),
         "fi_ep_bind");
    need(fi_enable(client->endpoint), "fi_enable");
    need(fi_mr_reg(client->domain, bytes, kBytes, FI_SEND | FI_WRITE | FI_READ, 0, 1, 0,
                   &client->region, NULL),
         "fi_mr_reg");
    if (fi_av_insert(client->addresses, &target_address, 1, &client->target, 0, NULL) != 1)
        need(-FI_EINVAL, "fi_av_insert");
}

static void close_client(struct client* client) {
    fi_close(&client->endpoint->fid);
    fi_close(&client->region->fid);
    fi_close(&client->addresses->fid);
    fi_close(&client->completions->fid);
    fi_close(&client->domain->fid);
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// 1: completed, -1: refused, 0: nothing was heard in time.
static int outcome(struct client* client) {
    struct fi_cq_entry entry;
    int64_t end = now_ms() + kWaitMs;
    while (now_ms() < end) {
        ssize_t got = fi_cq_read(client->completions, &entry, 1);
        if (got == 1) return 1;
        if (got == -FI_EAVAIL) {
            struct fi_cq_err_entry error = {0};
            fi_cq_readerr(client->completions, &error, 0);
            return -1;
        }
    }
    return 0;
}

enum attempt { kWrite, kRead, kMessage };

static int attempt(enum attempt kind, size_t length, uint64_t address, uint64_t key) {
    struct client client;
    open_client(&client);
    void* description = fi_mr_desc(client.region);
    int64_t end = now_ms() + kWaitMs;
    ssize_t posted;
    do {
        if (kind == kWrite) {
            posted = fi_write(client.endpoint, bytes, length, description, client.target, address,
                              key, NULL);
        } else if (kind == kRead) {
            posted = fi_read(client.endpoint, bytes, length, description, client.target, address,
                             key, NULL);
        } else {
            posted = fi_send(client.endpoint, bytes, length, description, client.target, NULL);
        }
        struct fi_cq_entry entry;
        if (posted == -FI_EAGAIN) fi_cq_read(client.completions, &entry, 0);
    } while (posted == -FI_EAGAIN && now_ms() < end);
    int result = posted == 0 ? outcome(&client) : -1;
    close_client(&client);
    return result;
}

static void fill_message(int number, size_t length) {
    for (size_t i = 0; i < length; ++i) bytes[i] = (char)next_random();
    // Small numbers in place of noise: these look more like something that means something.
    if (number % 3 == 1) memset(bytes, number % 2 != 0 ? 0xff : 0, length);
    for (size_t i = 0; number % 3 == 2 && i < length; ++i)
        bytes[i] = i % 4 == 0 ? (char)(next_random() % 8) : 0;
}

int main(int argc, char** argv) {
    if (argc != 6) return 2;
    // The provider only talks to clients with the same settings (transports/ofi/library.cpp).
    setenv("FI_OFI_RXM_BUFFER_SIZE", "16896", 0);
    const char* provider = getenv("SHMEM_OFI_PROVIDER");
    find_provider(provider != NULL ? provider : "tcp;ofi_rxm");
    target_address.sin_family = AF_INET;
    target_address.sin_port = htons((uint16_t)atoi(argv[2]));
    inet_pton(AF_INET, argv[1], &target_address.sin_addr);
    const uint64_t addresses[] = {strtoull(argv[3], NULL, 0), strtoull(argv[4], NULL, 0), 0};
    state = strtoull(argv[5], NULL, 0);
    const uint64_t keys[] = {
        0, 1, 2, 3, 4, 16, 0xffffffff, UINT64_MAX, next_random() >> 32, next_random()};
    int attempts = 0, brought = 0, refused = 0, sent = 0;
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; ++i) {
        for (size_t j = 0; j < sizeof keys / sizeof *keys; ++j, attempts += 2) {
            memset(bytes, 0xee, kBytes);
            refused += attempt(kWrite, 4096, addresses[i], keys[j]) < 0;
            int result = attempt(kRead, 64, addresses[i], keys[j]);
            refused += result < 0;
            for (int k = 0; k < 64; ++k) brought += result == 1 && (unsigned char)bytes[k] != 0xee;
        }
    }
    static const size_t kLengths[] = {0, 1, 8, 16, 24, 32, 48, 64, 128, 1024, 4096, kBytes};
    for (int i = 0; i < kMessages; ++i, ++attempts) {
        size_t length = kLengths[next_random() % (sizeof kLengths / sizeof *kLengths)];
        fill_message(i, length);
        int result = attempt(kMessage, length, 0, 0);
        refused += result < 0;
        sent += result > 0;
    }
    printf("%d attempts, %d refused, %d messages sent, %d bytes read\n", attempts, refused, sent,
           brought);
    return brought == 0 ? 0 : 1;
}
