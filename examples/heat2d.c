// SPDX-License-Identifier: BSD-3-Clause
//
// heat2d: heat spreads over a square plate; the result is a picture.
//
//     oshcc -O2 heat2d.c -o heat2d -lm
//     oshrun -n 4 ./heat2d [SIZE [STEPS [FILE]]]        (256 1000 heat2d.pgm)
//
// The plate is a grid of SIZE x SIZE temperatures. Its rows are divided among the PEs. In every
// step the new temperature of a point follows from its own and those of its four neighbours, so
// each PE needs one row of the PE above and one of the PE below: the "halo". The PEs exchange these
// rows by put-with-signal. A PE waits only for its two neighbours, never for all the others.
//
// No heat leaves the plate, so the program can check itself: the total must stay what it was. And
// the temperatures, so the picture too, are the same to the last bit for every number of PEs.

#include <math.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, pe_count;
static size_t size;  // of the plate, in points

// The rows of a PE: the first SIZE % PES of them have one more than the others. With more PEs than
// rows, the last PEs have none, and nothing to do.
static size_t first_row_of(int pe) {
    size_t n = (size_t)pe_count, p = (size_t)pe;
    return size / n * p + (p < size % n ? p : size % n);
}

static size_t rows_of(int pe) { return first_row_of(pe + 1) - first_row_of(pe); }

// There are two grids in symmetric memory. A step reads one and writes the other. Each holds a halo
// row, my rows, and another halo row.
static double* grids[2];

// How many halo rows have come from above and from below. The neighbours add 1 with each row.
static uint64_t from_above, from_below;

static double* row(double* grid, size_t number) { return grid + number * size; }

// Stores my outermost rows of the grid in the halos of my neighbours, then waits for theirs. A
// neighbour may already be one step ahead. That does no harm: it then stores into the other grid.
static void exchange_halos(double* grid, uint64_t step) {
    size_t rows = rows_of(me);
    int above = me - 1, below = me + 1;
    int has_above = me > 0, has_below = below < pe_count && rows_of(below) > 0;
    if (has_above) {
        shmem_double_put_signal(row(grid, rows_of(above) + 1), row(grid, 1), size, &from_below, 1,
                                SHMEM_SIGNAL_ADD, above);
    }
    if (has_below) {
        shmem_double_put_signal(row(grid, 0), row(grid, rows), size, &from_above, 1,
                                SHMEM_SIGNAL_ADD, below);
    }
    if (has_above) shmem_signal_wait_until(&from_above, SHMEM_CMP_GE, step);
    if (has_below) shmem_signal_wait_until(&from_below, SHMEM_CMP_GE, step);
    // Points beyond the edge of the plate are as warm as the edge, so no heat flows out.
    if (!has_above) memcpy(row(grid, 0), row(grid, 1), size * sizeof *grid);
    if (!has_below) memcpy(row(grid, rows + 1), row(grid, rows), size * sizeof *grid);
}

static void compute_step(double* from, double* to) {
    for (size_t r = 1; r <= rows_of(me); r++) {
        const double *above = row(from, r - 1), *here = row(from, r), *below = row(from, r + 1);
        double* result = row(to, r);
        for (size_t c = 0; c < size; c++) {
            double left = here[c > 0 ? c - 1 : c], right = here[c + 1 < size ? c + 1 : c];
            double around = (above[c] + below[c]) + (left + right);
            result[c] = here[c] + 0.24 * (around - 4 * here[c]);
        }
    }
}

// At first the plate is cold but for two hot discs and a warm bar.
static double start_temperature(size_t row_number, size_t column) {
    double y = ((double)row_number + 0.5) / (double)size, x = ((double)column + 0.5) / (double)size;
    if ((x - 0.3) * (x - 0.3) + (y - 0.3) * (y - 0.3) < 0.15 * 0.15) return 1.0;
    if ((x - 0.75) * (x - 0.75) + (y - 0.45) * (y - 0.45) < 0.08 * 0.08) return 1.0;
    if (x > 0.2 && x < 0.8 && y > 0.7 && y < 0.78) return 0.6;
    return 0.0;
}

// PE 0 fetches all rows one after the other, writes them to the file (brighter is warmer; the
// simplest of all picture formats) and returns the sum of all temperatures.
static double write_picture(const char* name, double* grid) {
    double* line = malloc(size * sizeof *line);
    unsigned char* pixels = malloc(size);
    FILE* file = fopen(name, "wb");
    if (line == NULL || pixels == NULL || file == NULL) {
        fprintf(stderr, "heat2d: cannot write the picture %s\n", name);
        shmem_global_exit(1);
    }
    fprintf(file, "P5\n%zu %zu\n255\n", size, size);
    double heat = 0;
    for (int pe = 0; pe < pe_count; pe++) {
        for (size_t r = 1; r <= rows_of(pe); r++) {
            shmem_double_get(line, row(grid, r), size, pe);
            for (size_t c = 0; c < size; c++) {
                heat += line[c];
                pixels[c] = (unsigned char)lround(255 * fmin(1.0, sqrt(line[c])));
            }
            fwrite(pixels, 1, size, file);
        }
    }
    if (fclose(file) != 0) {
        fprintf(stderr, "heat2d: cannot write the picture %s\n", name);
        shmem_global_exit(1);
    }
    free(pixels);
    free(line);
    return heat;
}

int main(int argc, char** argv) {
    shmem_init();
    me = shmem_my_pe();
    pe_count = shmem_n_pes();
    size = argc > 1 ? strtoul(argv[1], NULL, 10) : 256;
    uint64_t step_count = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
    const char* name = argc > 3 ? argv[3] : "heat2d.pgm";
    if (size == 0 || argc > 4) {
        if (me == 0) fputs("usage: heat2d [SIZE [STEPS [FILE]]]\n", stderr);
        shmem_finalize();
        return 2;
    }

    // All PEs must allocate the same size: that of PE 0, which has most rows.
    size_t points = (rows_of(0) + 2) * size;
    grids[0] = shmem_calloc(points, sizeof(double));
    grids[1] = shmem_calloc(points, sizeof(double));
    if (grids[0] == NULL || grids[1] == NULL) {
        if (me == 0) fprintf(stderr, "heat2d: no memory for a plate of %zu points\n", size * size);
        shmem_finalize();
        return 1;
    }

    double heat_before = 0;
    for (size_t r = 0; r < size; r++) {
        for (size_t c = 0; c < size; c++) heat_before += start_temperature(r, c);
    }
    for (size_t r = 0; r < rows_of(me); r++) {
        for (size_t c = 0; c < size; c++)
            row(grids[0], r + 1)[c] = start_temperature(first_row_of(me) + r, c);
    }
    shmem_barrier_all();  // No halo may come before the memory is there and filled.

    double *from = grids[0], *to = grids[1];
    for (uint64_t step = 1; step <= step_count && rows_of(me) > 0; step++) {
        exchange_halos(from, step);
        compute_step(from, to);
        double* other = from;
        from = to;
        to = other;
    }
    shmem_barrier_all();  // All rows are ready for PE 0.

    int is_right = 1;
    if (me == 0) {
        double heat = write_picture(name, from);
        double error = fabs(heat - heat_before) / fmax(heat_before, 1.0);
        is_right = error < 1e-9;
        printf("%zu x %zu points, %lu steps, %d PEs: heat %.9f, relative error %.1e (%s), see %s\n",
               size, size, (unsigned long)step_count, pe_count, heat, error,
               is_right ? "right" : "WRONG", name);
    }
    shmem_finalize();
    return is_right ? 0 : 1;
}
