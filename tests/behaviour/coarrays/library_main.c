// SPDX-License-Identifier: BSD-3-Clause
//
// A main program of coarray_library.f90, which ends in one of several ways:
// library_main idle | meet | return CODE | exit CODE | stop CODE | thread | fork | late |
//              dlopen LIBRARY
// library_main.cpp adds a static object, whose destructor uses the coarrays as well (`late`).
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Weak: with `dlopen` the program is linked without the library.
void meet(void) __attribute__((weak));
int image_number(void) __attribute__((weak));
void wait_for_first(void) __attribute__((weak));
void stop_here(int code) __attribute__((weak));
int is_late = 0;  // library_main.cpp reads it

static void* exit_here(void* unused) {
    (void)unused;
    exit(0);
}

// The child is no image: its exit is not that of the image.
static void fork_and_wait(void) {
    const pid_t child = fork();
    if (child == 0) exit(0);
    int status = -1;
    waitpid(child, &status, 0);
    if (status != 0) {
        fprintf(stderr, "the child ended with status %#x\n", (unsigned)status);
        exit(1);
    }
}

// Image 1 ends with a code; of an error, while the others wait for it.
static int leave(int code, int calls_exit) {
    if (image_number() != 1 && code != 0) {
        wait_for_first();
    } else if (calls_exit != 0) {
        exit(code);
    }
    return code;
}

static void use_library_at(const char* path) {
    void* library = dlopen(path, RTLD_NOW);
    void (*routine)(void) = NULL;
    if (library != NULL) *(void**)&routine = dlsym(library, "meet");
    if (routine == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    routine();
}

int main(int argc, char** argv) {
    const char* way = argc > 1 ? argv[1] : "";
    const int code = argc > 2 ? atoi(argv[2]) : 0;
    if (strcmp(way, "idle") == 0) return 0;
    if (strcmp(way, "dlopen") == 0) {
        use_library_at(argv[2]);
        return 0;
    }
    meet();
    if (strcmp(way, "return") == 0) return leave(code, 0);
    if (strcmp(way, "exit") == 0) {
        leave(code, 1);
    } else if (strcmp(way, "stop") == 0) {
        stop_here(code);
    } else if (strcmp(way, "fork") == 0) {
        fork_and_wait();
    } else if (strcmp(way, "thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, exit_here, NULL);
        pthread_join(thread, NULL);
    }
    is_late = strcmp(way, "late") == 0;
    return 0;
}
