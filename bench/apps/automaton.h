// SPDX-License-Identifier: BSD-3-Clause
//
// A cellular automaton whose lines lie distributed over the PEs: the application of Christgau 2017
// (4.4.5, B.3.2). One byte a cell, 8190 cells a line and 2 that mimic a torus, 2400 lines, 100
// steps, the state of a cell follows from its own and those of its eight neighbours (here: Conway's
// rule), two arrays that swap. Each step computes the first and the last line of the PE's part,
// begins to send them to the neighbours' ghost lines, computes the rest, and waits for the
// neighbours' lines. A program includes this file
// behind bench/measure.h or bench/measure_mpi.h, and says how lines are exchanged:
//
//   NAME           seconds for all steps; the limit: PE 0's sequential run / cores in use
//   NAME_compute   PE 0's seconds in the computation, as table 4.3 of the paper
//   NAME_exchange  PE 0's seconds in puts and waits
//
// Verified: PE 0 compares every line of the result with its sequential run.
#pragma once

enum { kWaysMax = 4, kSamplesMax = 8, kPage = 4096 };

static int lines_of_all, cells, steps;
static size_t stride;                           // bytes from one line to the next
static int my_lines, my_first;                  // this PE's part
static int upper, lower;                        // the neighbours
static unsigned char* symmetric[2];             // ghost line, my_lines lines, ghost line
static double all_ns, compute_ns, exchange_ns;  // in the steps of the last run

// One way to exchange lines.
struct Exchange {
    const char* name;
    unsigned char* arrays[2];  // as `symmetric`
    // Sends this PE's first and last line of array `to` (0 or 1) into the neighbours' ghost lines.
    void (*begin)(const struct Exchange* exchange, int to);
    // Waits until both neighbours' lines are in the ghost lines.
    void (*end)(const struct Exchange* exchange, int to);
};

// Excess lines go to the first PEs.
static int first_line(int pe) {
    int share = lines_of_all / npes, excess = lines_of_all % npes;
    return pe * share + (pe < excess ? pe : excess);
}

static size_t bytes_of_array(void) {
    return stride * (size_t)(lines_of_all / npes + 3) + kPage / 2;
}

static unsigned char first_state(int line, int cell) {
    uint64_t word = (uint64_t)line * (uint64_t)cells + (uint64_t)cell + 1;
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    return (word >> 40) % 5 < 2;
}

// The cells of a line are 1 to `cells`; 0 and cells + 1 are the torus's other side.
static void close_torus(unsigned char* line) {
    line[0] = line[cells];
    line[cells + 1] = line[1];
}

static void fill(unsigned char* line, int number) {
    for (int cell = 1; cell <= cells; ++cell) line[cell] = first_state(number, cell);
    close_torus(line);
}

// Computes `count` lines of `to` from number `line` on, from the lines of `from` around them.
static void simulate(const unsigned char* from, unsigned char* to, int line, int count) {
    for (int i = line; i < line + count; ++i) {
        const unsigned char* restrict up = from + (size_t)(i - 1) * stride;
        const unsigned char* restrict here = up + stride;
        const unsigned char* restrict down = here + stride;
        unsigned char* restrict result = to + (size_t)i * stride;
        for (int cell = 1; cell <= cells; ++cell) {
            unsigned char alive =
                (unsigned char)(up[cell - 1] + up[cell] + up[cell + 1] + here[cell - 1] +
                                here[cell + 1] + down[cell - 1] + down[cell] + down[cell + 1]);
            result[cell] = (unsigned char)((alive == 3) | ((alive == 2) & here[cell]));
        }
        close_torus(result);
    }
}

// Nanoseconds of the sequential run. RETURNS: the last state in *result.
static double run_sequentially(unsigned char** result) {
    const size_t bytes = (stride * (size_t)(lines_of_all + 2) + 2 * kPage - 1) / kPage * kPage;
    unsigned char* from = aligned_alloc(kPage, bytes);
    unsigned char* to = aligned_alloc(kPage, bytes);
    if (!from || !to) give_up("automaton: no memory for the sequential run");
    memset(to, 0, bytes);
    to += kPage / 2;  // see main
    for (int line = 1; line <= lines_of_all; ++line) fill(from + (size_t)line * stride, line - 1);
    double start = now_ns();
    for (int step = 0; step < steps; ++step) {
        memcpy(from, from + (size_t)lines_of_all * stride, stride);
        memcpy(from + (size_t)(lines_of_all + 1) * stride, from + stride, stride);
        simulate(from, to, 1, lines_of_all);
        unsigned char* other = from;
        from = to;
        to = other;
    }
    *result = from;
    return now_ns() - start;
}

// The ghost line of the upper neighbour that this PE's first line belongs into.
static inline unsigned char* below_upper(unsigned char* array) {
    return array + (size_t)(first_line(upper + 1) - first_line(upper) + 1) * stride;
}

// RETURNS: the array with the last state.
static unsigned char* run(const struct Exchange* exchange) {
    for (int line = 0; line < my_lines + 2; ++line) {
        fill(exchange->arrays[0] + (size_t)line * stride,
             (my_first + line - 1 + lines_of_all) % lines_of_all);
    }
    compute_ns = exchange_ns = 0;
    meet();
    const double first_ns = now_ns();
    for (int step = 0; step < steps; ++step) {
        const unsigned char* from = exchange->arrays[step % 2];
        const int new = (step + 1) % 2;
        unsigned char* to = exchange->arrays[new];
        double start = now_ns();
        simulate(from, to, 1, 1);
        if (my_lines > 1) simulate(from, to, my_lines, 1);
        double put = now_ns();
        exchange->begin(exchange, new);
        double inner = now_ns();
        if (my_lines > 2) simulate(from, to, 2, my_lines - 2);
        double wait = now_ns();
        exchange->end(exchange, new);
        compute_ns += put - start + wait - inner;
        exchange_ns += inner - put + now_ns() - wait;
    }
    all_ns = fold_all(now_ns() - first_ns, MAX_OF_ALL);
    return exchange->arrays[steps % 2];
}

// PE 0: are all lines those of the sequential run? Collective.
static void compare(const unsigned char* expected, const unsigned char* result) {
    unsigned char* line = malloc(stride);
    long alive = 0;
    for (int pe = 0; pe < npes; ++pe) {
        for (int i = first_line(pe); i < first_line(pe + 1); ++i) {
            const size_t at = (size_t)(i - first_line(pe) + 1) * stride;
            copy_to_first(line, result + at, stride, pe);
            for (int cell = 1; me == 0 && cell <= cells; ++cell) {
                const int right = expected[(size_t)(i + 1) * stride + (size_t)cell];
                alive += right;
                if (line[cell] == right) continue;
                give_up("automaton: line %d of PE %d, cell %d: expected %d, found %d", i, pe, cell,
                        right, line[cell]);
            }
        }
    }
    if (me == 0 && alive == 0) give_up("automaton: no cell lives, nothing was verified");
    free(line);
}

// Reads the options, and makes the arrays. Behind begin().
static void automaton_begin(void) {
    lines_of_all = (int)option("--lines", by_level(64, 2400, 2400));
    cells = (int)option("--cells", by_level(254, 8190, 8190));
    steps = (int)option("--steps", by_level(8, 20, 100));
    options_end("[--lines N] [--cells N] [--steps N]");
    if (lines_of_all < npes) give_up("automaton: fewer lines than PEs");
    stride = ((size_t)cells + 2 + 63) / 64 * 64;
    my_first = first_line(me);
    my_lines = first_line(me + 1) - my_first;
    upper = (me + npes - 1) % npes;
    lower = (me + 1) % npes;
    for (int i = 0; i < 2; ++i) {
        // Half a page apart: processors take a load for dependent on an earlier store at the same
        // place of another page, and lines are two pages long.
        symmetric[i] = allocate(kPage, bytes_of_array());
        symmetric[i] += i * kPage / 2;
    }
}

// Measures the ways by turns.
static void automaton_measure(const struct Exchange* ways, int count) {
    static double seconds[kWaysMax][kSamplesMax], compute[kWaysMax][kSamplesMax];
    static double exchange[kWaysMax][kSamplesMax];
    const int samples = by_level(2, 3, 5);
    unsigned char* expected = NULL;
    double limit_ns = 0;
    if (me == 0) limit_ns = run_sequentially(&expected);
    for (int sample = -1; sample < samples; ++sample) {  // one to warm up
        const int at = sample < 0 ? 0 : sample;
        for (int way = 0; way < count; ++way) {
            unsigned char* result = run(&ways[way]);
            seconds[way][at] = all_ns / 1e9;
            compute[way][at] = compute_ns / 1e9;
            exchange[way][at] = exchange_ns / 1e9;
            if (ways[way].arrays[0] != symmetric[0])
                result = memcpy(symmetric[0], result, stride * (size_t)(my_lines + 2));
            meet();
            compare(expected, result);
            meet();
        }
    }
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const double used = npes < cores ? npes : (double)cores;
    for (int way = 0; way < count; ++way) {
        const char* name = ways[way].name;
        char part[64];
        report(name, "lines", lines_of_all, "s", 1, seconds[way], samples, limit_ns / 1e9 / used);
        snprintf(part, sizeof part, "%s_compute", name);
        report(part, "lines", lines_of_all, "s", 1, compute[way], samples, 0);
        snprintf(part, sizeof part, "%s_exchange", name);
        report(part, "lines", lines_of_all, "s", 1, exchange[way], samples, 0);
    }
}
