// SPDX-License-Identifier: BSD-3-Clause
//
// A SHMEM program for the launch tests. Every PE checks that it can reach its neighbour's heap and
// static data, prints "pe I of N pid P", and then does what the first argument says:
//   (nothing)         shmem_finalize
//   again             finalizes, initializes and checks once more
//   gone CODE         the same, but the last PE exits between the two
//   mapped            says whether all PEs map each other's static data
//   wait              waits for ever, in a barrier except for PE 0
//   kill SIGNAL       the last PE kills itself
//   exit CODE         the last PE calls _exit() without shmem_finalize
//   return CODE       the last PE returns from main() without shmem_finalize
//   leave             all PEs return from main() without shmem_finalize
//   barrier           all PEs call _exit(0) right behind a barrier, without shmem_finalize
//   survive           the job survives deaths, so shmem_finalize waits for no PE behind a barrier
//   atexit            shmem_finalize is called when main() has returned
//   global CODE       the last PE calls shmem_global_exit
//   misuse            the last PE addresses a PE that does not exist
//   late PE           after shmem_finalize, PE i exits with code i
//   farewell          after shmem_finalize, the last PE calls _exit(0)
//   absent            the last PE ends without shmem_init
//   child             starts itself with system(), which must not be a PE
//   sever kill N      the last PE cuts its connections to the other nodes, waits until PE 0 has
//                     complained and ended, and then kills itself with signal N. Needs two PEs on
//                     two nodes and SHMEM_PROGRESS=none, or it would complain itself.
//   sever exit N      the same, but it ends with code N
//   sever never 0     the same, but it does not end
//   orphan            the job survives deaths; the last PE dies with a request of PE 0 in its hands
//   orphan_unseen     the same, while oshrun is stopped until both have ended
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <sched.h>
#include <shmem.h>
#include <shmemx.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static long in_static;
static long pid_of_first;
static const char* program;

static void check(int condition, const char* what) {
    if (condition) return;
    fprintf(stderr, "shmem_probe: %s\n", what);
    shmem_global_exit(99);
}

static void check_neighbours(void) {
    int me = shmem_my_pe();
    int npes = shmem_n_pes();
    int next = (me + 1) % npes;
    int previous = (me + npes - 1) % npes;
    long* in_heap = shmem_malloc(sizeof *in_heap);
    shmem_barrier_all();
    shmem_long_p(in_heap, me + 1000, next);
    shmem_long_p(&in_static, me + 2000, next);
    shmem_barrier_all();
    check(*in_heap == previous + 1000, "the heap holds something else");
    check(in_static == previous + 2000, "static data hold something else");
    shmem_barrier_all();
    shmem_free(in_heap);
}

static void say_who(void) {
    printf("pe %d of %d pid %d\n", shmem_my_pe(), shmem_n_pes(), (int)getpid());
    fflush(stdout);
}

static void say_whether_mapped(void) {
    int mapped = 1;
    for (int pe = 0; pe < shmem_n_pes(); ++pe) mapped &= shmem_ptr(&in_static, pe) != NULL;
    printf("static data %s\n", mapped ? "mapped" : "not mapped");
}

static void wait_for_ever(int me) {
    if (me != 0) shmem_barrier_all();
    for (;;) pause();
}

static void start_child(void) {
    char command[4096];
    snprintf(command, sizeof command, "'%s'", program);
    int status = system(command);
    printf("child: %d\n", status >> 8);
    fflush(stdout);
}

// The port of oshrun's PMIx server: the number behind the last colon of its address.
static int launcher_port(void) {
    const char* address = getenv("PMIX_SERVER_URI41");
    const char* colon = address != NULL ? strrchr(address, ':') : NULL;
    check(colon != NULL, "no address of the PMIx server");
    return atoi(colon + 1);
}

// Other PEs see what they see when this one dies, but it lives on.
static void cut_connections(void) {
    DIR* folder = opendir("/proc/self/fd");
    for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        struct sockaddr_in peer = {.sin_port = 0};
        socklen_t bytes = sizeof peer;
        int file = atoi(entry->d_name);
        if (getpeername(file, (struct sockaddr*)&peer, &bytes) != 0) continue;
        if (ntohs(peer.sin_port) != launcher_port()) shutdown(file, SHUT_RDWR);
    }
    closedir(folder);
}

static void sever(int me, const char* end, int value) {
    int last = shmem_n_pes() - 1;
    if (me == 0) shmem_long_p(&pid_of_first, getpid(), last);
    shmem_barrier_all();
    for (long got = 0; me != last;) got += shmem_long_g(&in_static, last);
    cut_connections();
    while (kill((pid_t)pid_of_first, 0) == 0) usleep(1000);
    if (strcmp(end, "exit") == 0) _exit(value);
    if (strcmp(end, "kill") == 0) kill(getpid(), value);
    for (;;) pause();
}

static char state_of(pid_t pid) {
    char path[64];
    char state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE* file = fopen(path, "r");
    if (file == NULL || fscanf(file, "%*d %*s %c", &state) != 1) state = 0;
    if (file != NULL) fclose(file);
    return state;
}

// Stops oshrun until PE 0, which calls this, and the process `other` have ended.
static void stop_launcher_until_both_end(pid_t other) {
    const pid_t me = getpid();
    const pid_t launcher = getppid();
    if (fork() == 0) {
        while (state_of(me) != 'Z' || state_of(other) != 'Z') sched_yield();
        kill(launcher, SIGCONT);
        _exit(0);
    }
    kill(launcher, SIGSTOP);
}

static void orphan(int me, int is_unseen) {
    static long got;
    int last = shmem_n_pes() - 1;
    shmemx_survive_failures(NULL);
    if (me == last) shmem_long_p(&pid_of_first, getpid(), 0);
    shmem_barrier_all();
    if (me == 0) {
        kill((pid_t)pid_of_first, SIGSTOP);
        while (state_of((pid_t)pid_of_first) != 'T') sched_yield();
        shmem_long_get_nbi(&got, &in_static, 1, last);
        if (is_unseen) stop_launcher_until_both_end((pid_t)pid_of_first);
        kill((pid_t)pid_of_first, SIGKILL);
        shmem_quiet();
    }
    for (;;) pause();
}

int main(int argc, char** argv) {
    program = argv[0];
    const char* trick = argc > 1 ? argv[1] : "";
    int value = argc > 2 ? atoi(argv[2]) : 0;
    const char* rank = getenv("PMIX_RANK");
    if (strcmp(trick, "absent") == 0 && rank != NULL && atoi(rank) == value) return 0;
    int is_late = strcmp(trick, "atexit") == 0;
    if (is_late) atexit(shmem_finalize);
    shmem_init();
    int me = shmem_my_pe();
    int is_last = me == shmem_n_pes() - 1;
    check_neighbours();
    int is_gone = strcmp(trick, "gone") == 0;
    if (strcmp(trick, "again") == 0 || is_gone) {
        shmem_finalize();
        if (is_gone && is_last) return value;
        shmem_init();
        check_neighbours();
    }
    say_who();
    if (strcmp(trick, "mapped") == 0) say_whether_mapped();
    if (strcmp(trick, "wait") == 0) wait_for_ever(me);
    if (strcmp(trick, "child") == 0 && is_last) start_child();
    if (strcmp(trick, "sever") == 0 && argc > 3) sever(me, argv[2], atoi(argv[3]));
    if (strncmp(trick, "orphan", 6) == 0) orphan(me, strcmp(trick, "orphan_unseen") == 0);
    if (is_last) {
        if (strcmp(trick, "kill") == 0) kill(getpid(), value);
        if (strcmp(trick, "exit") == 0) _exit(value);
        if (strcmp(trick, "return") == 0) return value;
        if (strcmp(trick, "global") == 0) shmem_global_exit(value);
        if (strcmp(trick, "misuse") == 0) shmem_long_p(&in_static, 1, shmem_n_pes() + 5);
    }
    if (strcmp(trick, "leave") == 0) return 0;
    if (strcmp(trick, "survive") == 0) shmemx_survive_failures(NULL);
    if (strcmp(trick, "survive") == 0 || strcmp(trick, "barrier") == 0) shmem_barrier_all();
    if (strcmp(trick, "barrier") == 0) _exit(0);
    if (!is_late) shmem_finalize();
    if (strcmp(trick, "farewell") == 0 && is_last) _exit(0);
    return strcmp(trick, "late") == 0 ? me : 0;
}
