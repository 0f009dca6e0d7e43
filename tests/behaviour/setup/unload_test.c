// SPDX-License-Identifier: BSD-3-Clause
//
// unload_test LIBRARY [unused]. Would break: a host that unloads the library, as plugins and
// interpreters do, crashes when it exits or forks, because the system still calls into the library.
// The program is not linked with it.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void (*Routine)(void);

static Routine find(void* library, const char* name) {
    Routine routine;
    *(void**)&routine = dlsym(library, name);
    if (routine == NULL) {
        fprintf(stderr, "unload_test: %s\n", dlerror());
        exit(2);
    }
    return routine;
}

int main(int argc, char** argv) {
    for (int round = 0; round < 2; ++round) {
        void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) {
            fprintf(stderr, "unload_test: %s\n", dlerror());
            return 2;
        }
        if (argc == 2) {
            find(library, "shmem_init")();
            find(library, "shmem_barrier_all")();
            find(library, "shmem_finalize")();
        }
        dlclose(library);
        const pid_t child = fork();
        if (child == 0) exit(0);
        int status = -1;
        waitpid(child, &status, 0);
        if (status != 0) return 3;
    }
    return 0;
}
