/* compute.c - starts runs, and shows their progress */
#include "driver/compute.h"
#include "driver/report.h"

#include <assert.h>
#include <time.h>
#include <unistd.h>

/* --- who computes ----------------------------------------------------------------------------- */

const struct option backend_options[] = {
    {"--backend", NULL, "auto|portable|reference", "backend that computes (auto)", .first_word = 1,
     .field = offsetof(struct computing, backend)},
    {"--exact", NULL, NULL, "use no algorithm that trades accuracy for speed",
     .field = offsetof(struct computing, exact)},
    {"--seed", NULL, "N", "seed of the operations that draw random numbers (0)",
     .expects = "a whole number from 0", .set = set_seed,
     .field = offsetof(struct computing, seed)},
    {0},
};

const struct option profile_options[] = {
    {"--profile", NULL, NULL,
     "print the time of each step, and its speed as a share of the machine's peak",
     .field = offsetof(struct computing, profile)},
    {0},
};

enum nnefc_status start_run(const struct computing *computing, const char *usual,
                            struct nnefc_model *model, struct nnefc_run **run)
{
    static const char *const names[] = {NULL, "auto", "portable", "reference"};
    const char *given = names[computing->backend];
    const struct nnefc_run_options options = {.size = sizeof options,
                                              .backend = given ? given : usual,
                                              .threads = computing->threads,
                                              .exact = computing->exact};

    assert(computing->backend >= 0 && computing->backend <= 3);
    *run = nnefc_run_new_with(model, &options);
    nnefc_run_set_seed(*run, computing->seed);
    return *run ? NNEFC_OK : model_failure(model);
}

void record_integers(struct record *to, const struct nnefc_run *run)
{
    const struct nnefc_layers layers = nnefc_run_layers(run);

    if (layers.integers == 0)
        return;
    struct record *integers = record_object(to, "integers");
    record_integer(integers, "layers", layers.integers);
    record_integer(integers, "of", layers.count);
    record_real(integers, "share",
                (double)layers.integer_macs / (double)(layers.macs > 0 ? layers.macs : 1));
}

void print_integers(const struct nnefc_run *run)
{
    struct record *record = record_new_object();

    record_integers(record, run);
    record_print_text(record, INTEGERS_LAYOUT, stderr);
}

void print_packed_use(const struct nnefc_model *model, const struct nnefc_run *run)
{
    const struct nnefc_packed *packed = nnefc_model_packed(model);
    int taken, wanted = nnefc_run_packings(run, &taken);

    if (packed->count == 0)
        return;
    assert(taken >= 0 && taken <= wanted);
    struct record *record = record_new_object();
    record_integer(record, "taken", taken);
    record_integer(record, "wanted", wanted);
    record_bool(record, "any", wanted > 0);
    record_text(record, "backend", nnefc_run_backend(run));
    record_integer(record, "count", packed->count);
    record_text(record, "kernels", packed->kernels);
    record_bool(record, "fits", packed->fits);
    record_print_text(record,
                      "{any?{taken} of {wanted} packed weights are from the file}"
                      "{any!nothing is packed for '{backend}', nor taken from the file}"
                      ", which has {count} for {kernels}"
                      "{fits!, of no use to these kernels or this version}\n",
                      stderr);
}

/* --- progress --------------------------------------------------------------------------------- */

struct progress {
    bool wanted, shown;
    int step, steps;
    double start, last;
};

double seconds_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* An nnefc_progress: the line appears after a second and changes ten times a second at most. */
static void show_progress(void *data, int done, int total)
{
    struct progress *p = data;
    double now = seconds_now();

    assert(done >= 0 && done <= total);
    if (!p->wanted || now - p->start < 1 || (p->shown && now - p->last < 0.1))
        return;
    fprintf(stderr, "\r\033[K%d of %d operations", done, total);
    if (p->steps > 1)
        fprintf(stderr, ", step %d of %d", p->step, p->steps);
    fflush(stderr);
    p->last = now;
    p->shown = true;
}

void note_step(struct nnefc_run *run, int step, int steps)
{
    char note[64];

    snprintf(note, sizeof note, "in step %d of %d", step, steps);
    nnefc_run_set_note(run, steps > 1 ? note : NULL);
}

enum nnefc_status progress_steps(const struct command *command, int steps, struct nnefc_run *run,
                                 step_function compute, void *data)
{
    struct progress progress = {
        .wanted = !command->quiet && isatty(STDERR_FILENO), .steps = steps, .start = seconds_now()};
    enum nnefc_status status = NNEFC_OK;

    nnefc_run_set_progress(run, show_progress, &progress);
    while (progress.step < steps && status == NNEFC_OK) {
        if (steps > 1)
            note_step(run, progress.step + 1, steps);
        status = compute(data, ++progress.step);
    }
    if (steps > 1)
        nnefc_run_set_note(run, NULL);
    if (progress.shown)
        fputs("\r\033[K", stderr);
    nnefc_run_set_progress(run, NULL, NULL);
    return status;
}

enum nnefc_status compute_step(void *data, int step)
{
    (void)step;
    return nnefc_run_step(data);
}
