/* progress.c - one line on stderr that is written over and wiped in the end */
#include "driver/progress.h"

#include <stdio.h>
#include <unistd.h>

static double seconds_between(const struct timespec *from, const struct timespec *to)
{
    return (double)(to->tv_sec - from->tv_sec) + (double)(to->tv_nsec - from->tv_nsec) * 1e-9;
}

void progress_begin(struct progress *progress, bool quiet, int steps)
{
    *progress = (struct progress){.wanted = !quiet && isatty(STDERR_FILENO), .steps = steps};
    clock_gettime(CLOCK_MONOTONIC, &progress->start);
}

void progress_show(void *data, int done, int total)
{
    struct progress *p = data;
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!p->wanted || seconds_between(&p->start, &now) < 1 ||
        (p->shown && seconds_between(&p->last, &now) < 0.1))
        return;
    fprintf(stderr, "\r\033[K%d of %d operations", done, total);
    if (p->steps > 1)
        fprintf(stderr, ", step %d of %d", p->step, p->steps);
    fflush(stderr);
    p->last = now;
    p->shown = true;
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}

enum nnefc_status progress_steps(const struct settings *settings, struct nnefc_run *run)
{
    enum nnefc_status status = NNEFC_OK;
    struct progress progress;

    progress_begin(&progress, settings->quiet, settings->steps);
    nnefc_run_set_progress(run, progress_show, &progress);
    for (int step = 1; step <= settings->steps && status == NNEFC_OK; step++) {
        progress.step = step;
        status = nnefc_run_step(run);
    }
    progress_end(&progress);
    nnefc_run_set_progress(run, NULL, NULL);
    return status;
}
