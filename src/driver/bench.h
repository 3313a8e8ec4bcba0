/* bench.h - what is measured of a model, and how it is told */
#ifndef NNEFC_DRIVER_BENCH_H
#define NNEFC_DRIVER_BENCH_H

#include "driver/verb.h"

#include <stddef.h>

struct bench {
    const struct settings *settings;
    struct nnefc_run *tested; /* NULL: it could not be started */
    double load, plan, first; /* seconds until there is a graph, then a run, then its results */
    double *run;              /* seconds of each run that was measured, the shortest first */
    size_t count, room;
    double total;     /* seconds from the first of them to the last */
    int64_t macs;     /* of one run */
    int64_t peak_rss; /* bytes: the most memory that the process had; NNEFC_UNKNOWN */
};

extern const struct option bench_options[]; /* ends with {0} */

/* Of the runs measured, the shortest one that `percent` of them do not take longer than. */
double bench_percentile(const struct bench *bench, int percent);

double bench_per_second(const struct bench *bench);

/* Floating-point operations a second, two a multiply-add; negative if they are not known. */
double bench_flops(const struct bench *bench);

/* False if there is not enough memory. */
bool bench_print(const struct bench *bench);
bool bench_print_json(const struct bench *bench);

#endif
