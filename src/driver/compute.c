/*
 * compute.c - starts runs, and shows how far they are
 *
 * Progress is one line on a terminal, written over and wiped in the end, that appears after a
 * second: scripts and short runs never see it.
 */
#include "driver/compute.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* --- who computes ----------------------------------------------------------------------------- */

/* The words of the option are those of the library. */
static bool set_backend(void *field, char *value)
{
    *(const char **)field = value;
    for (int i = 0; nnefc_backend_name(i); i++)
        if (strcmp(nnefc_backend_name(i), value) == 0)
            return true;
    return false;
}

const struct option backend_options[] = {
    {"--backend", NULL, "auto|portable|reference", "who computes (auto)", .set = set_backend,
     .field = offsetof(struct computing, backend)},
    {"--exact", NULL, NULL, "use no algorithm that trades accuracy for speed",
     .field = offsetof(struct computing, exact)},
    {0},
};

const struct option profile_options[] = {
    {"--profile", NULL, NULL,
     "tell where the time goes, and how near to the machine's peak each step is",
     .field = offsetof(struct computing, profile)},
    {0},
};

enum nnefc_status start_run(const struct computing *computing, const char *usual,
                            struct nnefc_model *model, struct nnefc_run **run)
{
    const struct nnefc_run_options options = {.backend =
                                                  computing->backend ? computing->backend : usual,
                                              .threads = computing->threads,
                                              .exact = computing->exact};

    *run = nnefc_run_new_with(model, &options);
    if (*run)
        return NNEFC_OK;
    enum nnefc_status status = nnefc_model_status(model);
    return status == NNEFC_OK ? NNEFC_INTERNAL : status;
}

void print_packed_use(const struct nnefc_model *model, const struct nnefc_run *run)
{
    const struct nnefc_packed *packed = nnefc_model_packed(model);
    int taken, wanted = nnefc_run_packings(run, &taken);

    if (packed->count == 0)
        return;
    assert(taken >= 0 && taken <= wanted);
    if (wanted > 0)
        fprintf(stderr, "%d of %d packed weights are from the file", taken, wanted);
    else
        fprintf(stderr, "nothing is packed for '%s', nor taken from the file",
                nnefc_run_backend(run));
    fprintf(stderr, ", which has %d for %s%s\n", packed->count, packed->kernels,
            packed->fits ? "" : ", of no use to these kernels or this version");
}

/* --- how far it is ---------------------------------------------------------------------------- */

/* From one moment to a later one. */
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

    assert(done >= 0 && done <= total);

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

enum nnefc_status progress_steps(const struct command *command, int steps, struct nnefc_run *run)
{
    enum nnefc_status status = NNEFC_OK;
    struct progress progress;

    progress_begin(&progress, command->quiet, steps);
    nnefc_run_set_progress(run, progress_show, &progress);
    for (int step = 1; step <= steps && status == NNEFC_OK; step++) {
        progress.step = step;
        status = nnefc_run_step(run);
    }
    progress_end(&progress);
    nnefc_run_set_progress(run, NULL, NULL);
    return status;
}
