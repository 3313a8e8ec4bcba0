/* progress.h - how far a run is, on a terminal, once it takes over a second */
#ifndef NNEFC_DRIVER_PROGRESS_H
#define NNEFC_DRIVER_PROGRESS_H

#include "driver/settings.h"

#include <stdbool.h>
#include <time.h>

struct progress {
    bool wanted, shown;
    int step, steps;
    struct timespec start, last;
};

void progress_begin(struct progress *progress, bool quiet, int steps);

/* An nnefc_progress; `data` is the struct progress. */
void progress_show(void *data, int done, int total);

/* Wipe the line. */
void progress_end(struct progress *progress);

/* Run all steps that are asked for, and show how far it is. */
enum nnefc_status progress_steps(const struct settings *settings, struct nnefc_run *run);

#endif
