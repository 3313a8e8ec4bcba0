/*
 * serve.h - what both sides of a comparison are: a program that computes one network when it is
 * told to
 *
 *     serve_SIDE MODEL THREADS INPUT SHAPE FILE [SETTING]...
 *
 * MODEL has one input, which is called INPUT, has extents SHAPE such as 1,3,224,224 and is fed the
 * floats of FILE.  The program loads the model, computes it once and prints in one line
 *
 *     ready name=nnefc version=0.1.0 backend=portable
 *         load=3.21 plan=12.7 first=30.4 cpu=46300000 peak=52428800
 *
 * with milliseconds, processor time in nanoseconds and the most memory in bytes.  Then it reads
 * commands, one a line, until its standard input ends:
 *
 *     run N         computes N times, then prints a line 'wall NANOSECONDS NANOSECONDS' for each,
 * the second of processor time
 *     pace N        the same with a third number: the nanoseconds of a short loop before or behind
 * the run, whichever took longer
 *     shape SHAPE   has the input other extents from now on, and no more items than FILE has
 *     write FILE    writes the results of the last run as floats, one after the other, and prints a
 * line 'output EXTENT...' for each
 *
 * The answer to a command ends with 'done cpu=NANOSECONDS peak=BYTES': processor time of the
 * command, in all threads, and the most memory that the program had until now.  After a fault it
 * says why on the standard error and exits with status 1.
 *
 * serve.c is the same for all sides; each defines the functions of an engine once.
 */
#ifndef NNEFC_BENCH_SERVE_H
#define NNEFC_BENCH_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_EXTENTS = 8 };

struct array {
    int rank;
    int64_t extent[MAX_EXTENTS];
    size_t count;
    const float *items;
};

struct task {
    const char *model;
    int threads;
    const char *input_name;
    struct array input;
    char **settings; /* of this side only, ends with NULL */
};

/* What computes.  A function that fails has said why. */
struct engine;

extern const char engine_name[];

/* NULL: there is not enough memory, or the engine is not here.  Not part of any time. */
struct engine *engine_new(const struct task *task);
void engine_free(struct engine *engine);
const char *engine_version(const struct engine *engine);
const char *engine_backend(const struct engine *engine); /* what computes, once it has run */

/* From the file to what can be run. An engine that does all of it at once does it when it loads. */
bool engine_load(struct engine *engine);
bool engine_plan(struct engine *engine);

/* Let the input be of that shape, with items that were given before. */
bool engine_shape(struct engine *engine, const struct array *input);

bool engine_run(struct engine *engine);

/* Of the last run, valid until the next. */
int engine_output_count(const struct engine *engine);
bool engine_output(struct engine *engine, int index, struct array *output);

/* Print what is wrong.  Always false. */
bool serve_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
