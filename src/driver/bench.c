/* bench.c - nnefc bench: how long a model takes to start and to run */
#include "driver/bench.h"

#include "driver/feed.h"
#include "driver/load.h"
#include "driver/resident.h"
#include "driver/start.h"
#include "driver/steps.h"
#include "driver/value.h"

#include <stdlib.h>
#include <time.h>

/* --- options ------------------------------------------------------------------------------ */

static bool set_warmup(struct settings *settings, char *value)
{
    return parse_count(value, 0, &settings->warmup);
}

static bool set_time(struct settings *settings, char *value)
{
    return parse_amount(value, &settings->seconds);
}

const struct option bench_options[] = {
    {"--threads", NULL, "N", "use N threads; the results do not depend on it",
     .expects = "a whole number from 1 to 1024", .set = set_threads},
    {"--warmup", NULL, "N", "runs after the first that are not measured (1)",
     .expects = "a whole number from 0", .set = set_warmup},
    {"--time", NULL, "SECONDS", "measure runs for so long, one at least (3)",
     .expects = "a number from 0", .set = set_time},
    {"--random", NULL, "[SEED]", "random data of another seed (1)",
     .expects = "a whole number from 0", .set = set_random},
    {"--quant", NULL, "off|apply", "quantize tensors as the quantization file says (off)",
     .set = set_quant},
    {"--data", NULL, "DIR", "folder or archive of the weights (the model's)", .set = set_data},
    {"--json", NULL, NULL, "print what was measured as JSON",
     .flag = offsetof(struct settings, json)},
    {0},
};

/* --- measuring ---------------------------------------------------------------------------- */

/* Seconds since some moment. */
static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static enum nnefc_status feed(const struct bench *bench, const struct nnefc_model *model,
                              struct nnefc_run *run)
{
    enum nnefc_status status = NNEFC_OK;

    for (int i = 0; i < nnefc_model_input_count(model) && status == NNEFC_OK; i++)
        status = nnefc_run_randomize_input(run, i, bench->settings->seed);
    return status;
}

static bool note(struct bench *bench, double seconds)
{
    if (bench->count == bench->room) {
        size_t room = bench->room ? 2 * bench->room : 1024;
        double *grown = realloc(bench->run, room * sizeof *grown);
        if (!grown)
            return false;
        bench->run = grown;
        bench->room = room;
    }
    bench->run[bench->count++] = seconds;
    return true;
}

static enum nnefc_status measure_first(struct bench *bench, struct nnefc_run *run)
{
    double start = now();
    enum nnefc_status status = nnefc_run_step(run);

    bench->first = now() - start;
    for (int i = 0; i < bench->settings->warmup && status == NNEFC_OK; i++)
        status = nnefc_run_step(run);
    return status;
}

static enum nnefc_status measure_runs(struct bench *bench, struct nnefc_run *run)
{
    enum nnefc_status status;
    double start = now();

    do {
        double begin = now();
        status = nnefc_run_step(run);
        double end = now();
        if (status == NNEFC_OK && !note(bench, end - begin))
            return NNEFC_INTERNAL;
        bench->total = end - start;
    } while (status == NNEFC_OK && bench->total < bench->settings->seconds);
    return status;
}

static enum nnefc_status measure_model(struct bench *bench, struct nnefc_model *model)
{
    double start = now();
    enum nnefc_status status = start_run(bench->settings, "auto", model, &bench->tested);
    struct nnefc_run *run = bench->tested;

    if (status == NNEFC_OK)
        status = nnefc_run_prepare(run);
    bench->plan = now() - start;
    if (status == NNEFC_OK)
        status = feed(bench, model, run);
    if (status == NNEFC_OK)
        status = measure_first(bench, run);
    if (status == NNEFC_OK)
        status = steps_measure(bench->settings, run);
    return status == NNEFC_OK ? measure_runs(bench, run) : status;
}

/* --- what came of it ---------------------------------------------------------------------- */

static int by_length(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

double bench_percentile(const struct bench *bench, int percent)
{
    size_t within = (bench->count * (size_t)percent + 99) / 100;

    return bench->run[within > 0 ? within - 1 : 0];
}

double bench_per_second(const struct bench *bench)
{
    return (double)bench->count / bench->total;
}

double bench_flops(const struct bench *bench)
{
    bool known = bench->macs != NNEFC_UNKNOWN;

    return known ? 2.0 * (double)bench->macs / bench_percentile(bench, 50) : -1.0;
}

static enum nnefc_status tell(struct bench *bench, struct nnefc_model *model)
{
    qsort(bench->run, bench->count, sizeof *bench->run, by_length);
    bench->peak_rss = peak_resident_bytes();
    bench->macs = nnefc_model_cost(model).macs;
    tell_packed(bench->settings, model, bench->tested);
    bool ok = bench->settings->json ? bench_print_json(bench) : bench_print(bench);

    return ok ? NNEFC_OK : NNEFC_INTERNAL;
}

enum nnefc_status bench_run(const struct settings *settings)
{
    struct bench bench = {.settings = settings};
    double start = now();
    struct nnefc_model *model = load_model(settings);
    enum nnefc_status status = nnefc_model_status(model);

    bench.load = now() - start;
    print_diagnostics(settings, model);
    if (status == NNEFC_OK)
        status = measure_model(&bench, model);
    if (status == NNEFC_OK)
        status = tell(&bench, model);
    nnefc_run_free(bench.tested);
    close_model(settings, model);
    free(bench.run);
    return status;
}
