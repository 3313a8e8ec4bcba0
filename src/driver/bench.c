/*
 * bench.c - nnefc bench: how long a model takes to start and to run
 *
 * Times are those of a monotonic clock, so they include whatever else the machine does; percentiles
 * show how much that is. The first run has a time of its own, because it touches memory for the
 * first time. Runs that warm up follow it.
 */
#include "driver/compute.h"
#include "driver/path.h"
#include "driver/report.h"
#include "driver/view/findings.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct bench_settings {
    struct command command;
    struct loading loading;
    struct rewriting rewriting;
    struct computing computing;
    struct feeding feeding;
    int warmup;     /* runs that are not measured */
    double seconds; /* how long others are */
    const char *trace, *page, *overlay;
};

struct bench {
    const struct bench_settings *settings;
    struct feeding feeding; /* random unless --fill is given */
    struct feed feed;
    struct nnefc_run *tested; /* NULL: it could not be started */
    double load, plan, first; /* seconds until there is a graph, then a run, then its results */
    double *run;              /* seconds of each measured run; sorted after the last one */
    size_t count, room;
    double total, last; /* seconds of all of them; when the last one began */
};

static const struct view bench_view = {
    .text = "backend {backend}\nthreads {threads}\nload_ms {loadMs}\n" INTEGERS_LAYOUT
            "{plansMade?plans_made {plansMade}\nplans_taken {plansTaken}\n"
            "plans_dropped {plansDropped}\nplan_bytes {planBytes:bytes}\n}" CUTS_LAYOUT
            "plan_ms {planMs}\n"
            "first_ms {firstMs}\nruns {runs}\nmin_ms {minMs}\nmedian_ms {medianMs}\n"
            "p90_ms {p90Ms}\np99_ms {p99Ms}\nper_second {perSecond}\ngflops {gflops}\n"
            "peak_rss_bytes {peakRssBytes:bytes}\n{steps?" STEPS_LAYOUT "}",
    .json = JSON_FLOATS,
};

/* --- extents that are drawn ------------------------------------------------------------------- */

/* The next of the numbers that extents go by. */
static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* A number for each range of --dim, by its index among these options; the caller frees them. */
static int64_t *draw_extents(const struct loading *loading, uint64_t *state)
{
    int64_t *drawn = zeroed_items((size_t)loading->extents.count + 1, sizeof *drawn);
    struct dim_range range;

    for (int i = 0; i < loading->extents.count; i++)
        if (dim_range_at(loading, i, &range))
            drawn[i] =
                range.least + (int64_t)(draw(state) % ((uint64_t)(range.most - range.least) + 1));
    return drawn;
}

/* What was drawn for an open extent; false: no range has its name. */
static bool find_drawn(const struct loading *loading, const struct nnefc_open *open,
                       const int64_t *drawn, int64_t *extent)
{
    struct dim_range range;

    for (int i = 0; i < loading->extents.count; i++)
        if (open->name && dim_range_at(loading, i, &range) && strcmp(open->name, range.name) == 0) {
            *extent = drawn[i];
            return true;
        }
    return false;
}

/* Draw the extents of inputs that have no file, where each one that is open has a range. */
static enum nnefc_status feed_drawn(const struct bench *bench, struct nnefc_model *model,
                                    uint64_t *state)
{
    const struct bench_settings *s = bench->settings;
    const struct nnefc_open_list *open = nnefc_model_open(model);
    const struct nnefc_port_list *inputs = nnefc_model_inputs(model);
    int64_t *drawn = draw_extents(&s->loading, state);
    enum nnefc_status status = NNEFC_OK;

    for (int i = 0; i < inputs->count && status == NNEFC_OK; i++) {
        struct nnefc_type type = inputs->at[i]->type;
        bool known = !bench->feed.file[i], any = false;
        for (int k = 0; k < open->count; k++)
            if (open->at[k]->input == i && open->at[k]->axis != NNEFC_UNKNOWN) {
                any = true;
                known &=
                    find_drawn(&s->loading, open->at[k], drawn, &type.extent[open->at[k]->axis]);
            }
        if (known && any)
            status = nnefc_run_randomize_input_as(bench->tested, i, &type, bench->feeding.seed);
    }
    free(drawn);
    return status;
}

/* Is each range that of an open extent whose input is random, and can files be read again for more
 * steps?  False after a report. */
static bool inputs_fit(const struct bench *bench, const struct nnefc_model *model)
{
    const struct bench_settings *s = bench->settings;
    const struct named_file *input = s->feeding.inputs.item;
    const struct nnefc_open_list *open = nnefc_model_open(model);
    struct dim_range range;
    bool ok = true;

    for (int i = 0; i < s->loading.extents.count; i++) {
        if (!dim_range_at(&s->loading, i, &range))
            continue;
        bool found = false;
        for (int k = 0; k < open->count && !found; k++)
            found = open->at[k]->name && strcmp(open->at[k]->name, range.name) == 0;
        if (!found)
            ok = usage_error(&s->command,
                             "no input of '%s' has an open extent '%s', as --dim wants it",
                             s->command.operand[0], range.name) == NNEFC_OK;
        else if (!isnan(s->feeding.fill))
            ok = usage_error(&s->command,
                             "--fill and the range of --dim %s=%lld..%lld exclude "
                             "each other",
                             range.name, (long long)range.least, (long long)range.most) == NNEFC_OK;
    }
    for (int i = 0; i < s->feeding.inputs.count && bench->feed.steps > 1; i++)
        if (is_standard(input[i].file))
            ok = usage_error(&s->command, "the inputs of several steps are read again and again, "
                                          "which standard input cannot be") == NNEFC_OK;
    return ok;
}

/* --- measuring ---------------------------------------------------------------------------- */

static void add_run(struct bench *bench, double seconds)
{
    if (bench->count == bench->room) {
        bench->room = bench->room ? 2 * bench->room : 1024;
        bench->run = resize_items(bench->run, bench->room, sizeof *bench->run);
    }
    bench->run[bench->count++] = seconds;
}

/* Is there more than one graph to measure, or none yet? */
static bool is_open(const struct nnefc_model *model)
{
    return nnefc_model_open(model)->count > 0 || nnefc_model_operations(model)->count == 0;
}

/* Give the run the inputs of a step, and a plan for them, and take its time without these. */
static enum nnefc_status time_step(struct bench *bench, struct nnefc_model *model, int step,
                                   uint64_t *state)
{
    enum nnefc_status status = feed_drawn(bench, model, state);

    if (status == NNEFC_OK)
        status = feed_step(&bench->feed, step);
    if (status == NNEFC_OK)
        status = nnefc_run_prepare(bench->tested);
    bench->last = seconds_now();
    if (status == NNEFC_OK)
        status = nnefc_run_step(bench->tested);
    double seconds = seconds_now() - bench->last;
    if (step == 0)
        bench->first = seconds;
    if (status == NNEFC_OK && step > bench->settings->warmup) {
        bench->total += seconds;
        add_run(bench, seconds);
    }
    return status;
}

/*
 * Plan, run once, warm up, then run until the time is over, at least once.  The time of planning
 * ends where the first run could begin, and so includes data of variables; that of an open model,
 * which is planned for its inputs, is told by the model.
 */
static enum nnefc_status measure(struct bench *bench, struct nnefc_model *model)
{
    const struct bench_settings *s = bench->settings;
    uint64_t state = bench->feeding.seed;
    double start = seconds_now();
    enum nnefc_status status = start_run(&s->computing, "auto", model, &bench->tested);

    bench->feed.run = bench->tested;
    if (status == NNEFC_OK && !is_open(model))
        status = nnefc_run_prepare(bench->tested);
    bench->plan = seconds_now() - start;
    for (int step = 0; status == NNEFC_OK && step <= s->warmup; step++)
        status = time_step(bench, model, step, &state);
    if (status == NNEFC_OK && (s->computing.profile || s->trace || s->page || s->overlay))
        status = nnefc_run_measure(bench->tested);
    start = seconds_now();
    for (int step = s->warmup + 1; status == NNEFC_OK; step++) {
        if (bench->count > 0 && seconds_now() - start >= s->seconds)
            break;
        status = time_step(bench, model, step, &state);
    }
    return status;
}

/* --- the report --------------------------------------------------------------------------- */

/*
 * The peak of resident memory, or NNEFC_UNKNOWN.  On Linux, ru_maxrss includes the process that
 * became this program, which may have been large; /proc does not.
 */
static int64_t peak_resident_bytes(void)
{
    static const char word[] = "VmHWM:"; /* and kibibytes */
    FILE *file = fopen("/proc/self/status", "r");
    int64_t kibibytes = NNEFC_UNKNOWN;
    struct rusage usage;
    char line[256];

    while (file && kibibytes == NNEFC_UNKNOWN && fgets(line, sizeof line, file))
        if (strncmp(line, word, sizeof word - 1) == 0)
            kibibytes = (int64_t)strtoll(line + sizeof word - 1, NULL, 10);
    if (file)
        fclose(file);
    if (kibibytes == NNEFC_UNKNOWN && getrusage(RUSAGE_SELF, &usage) == 0)
        kibibytes = (int64_t)usage.ru_maxrss;
    return kibibytes == NNEFC_UNKNOWN ? NNEFC_UNKNOWN : kibibytes * 1024;
}

/* The shortest run first. */
static int by_length(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The time in milliseconds that `percent` of the measured runs do not exceed. */
static double percentile(const struct bench *bench, int percent)
{
    size_t within = (bench->count * (size_t)percent + 99) / 100;

    assert(bench->count > 0 && within <= bench->count);
    return 1e3 * bench->run[within > 0 ? within - 1 : 0];
}

/* How many plans were made and what each of them cost; how often one was there already; where parts
 * of the model end. */
static void add_plans(struct record *to, const struct nnefc_model *model)
{
    const struct nnefc_plans plans = nnefc_model_plans(model);

    record_integer(to, "plansMade", plans.made);
    record_integer(to, "plansTaken", plans.taken);
    record_integer(to, "plansDropped", plans.dropped);
    record_real(to, "planMs", plans.made ? 1e3 * plans.seconds / (double)plans.made : 0);
    record_integer(to, "planBytes", plans.kept ? plans.bytes / plans.kept : 0);
    record_cuts(to, model);
}

/* How many runs took how long, in steps of equal width from the shortest to the 99th percentile. */
static void add_histogram(struct record *to, const struct bench *bench)
{
    enum { BINS = 48 };
    const double least = percentile(bench, 0), width = (percentile(bench, 99) - least) / BINS;
    int64_t count[BINS] = {0};

    for (size_t i = 0; i < bench->count; i++) {
        const double bin = width > 0 ? (1e3 * bench->run[i] - least) / width : 0;
        if (bin < BINS)
            count[(int)bin]++;
    }
    struct record *bins = record_list(to, "histogram");
    for (int i = 0; i < BINS; i++)
        record_integer(bins, NULL, count[i]);
}

/* What was measured, and with `steps` where the time went.  The runs are sorted. */
static struct record *findings(const struct bench *bench, const struct nnefc_model *model,
                               bool steps)
{
    const struct bench_settings *s = bench->settings;
    int64_t macs = is_open(model) ? NNEFC_UNKNOWN : nnefc_model_cost(model)->macs;
    struct record *record = record_new_object();

    record_text(record, "model", s->command.operand[0]);
    record_text(record, "backend", nnefc_run_backend(bench->tested));
    record_integer(record, "threads", nnefc_run_threads(bench->tested));
    record_integers(record, bench->tested);
    record_real(record, "loadMs", 1e3 * bench->load);
    if (is_open(model))
        add_plans(record, model);
    else
        record_real(record, "planMs", 1e3 * bench->plan);
    record_real(record, "firstMs", 1e3 * bench->first);
    record_integer(record, "runs", (int64_t)bench->count);
    record_real(record, "minMs", percentile(bench, 0));
    record_real(record, "medianMs", percentile(bench, 50));
    record_real(record, "p90Ms", percentile(bench, 90));
    record_real(record, "p99Ms", percentile(bench, 99));
    record_real(record, "perSecond", (double)bench->count / bench->total);
    record_known(record, "macs", macs);
    if (macs == NNEFC_UNKNOWN) /* each counts as two operations */
        record_null(record, "gflops");
    else
        record_real(record, "gflops", 2e-6 * (double)macs / percentile(bench, 50));
    record_known(record, "peakRssBytes", peak_resident_bytes());
    add_histogram(record, bench);
    if (steps)
        steps_add(record, s->computing.threads, bench->tested, (int)bench->count);
    return record;
}

/* The fastest run of each step of a run that computes, by the name of its result. */
static void print_overlay(FILE *file, void *data)
{
    const struct nnefc_step_list *steps = nnefc_run_steps(data);
    struct record *record = record_new_object();

    record_text(record, "unit", "ms");
    struct record *values = record_object(record, "values");
    for (int i = 0; i < steps->count; i++)
        if (steps->at[i]->name && steps->at[i]->operations && steps->at[i]->runs > 0)
            record_real(values, steps->at[i]->name, 1e3 * steps->at[i]->least);
    record_print_json(record, JSON_LINES, file);
}

/* Write the files that were asked for, and print what was measured. */
static enum nnefc_status report(const struct bench *bench, const struct nnefc_model *model)
{
    const struct bench_settings *s = bench->settings;

    qsort(bench->run, bench->count, sizeof *bench->run, by_length);
    if (s->rewriting.verbose)
        print_packed_use(model, bench->tested);
    if (s->trace && !trace_write(s->trace, bench->tested, bench->last))
        return file_error(&s->command, s->trace, strerror(errno));
    const struct findings page = {
        {model, NULL}, bench->tested, s->page ? findings(bench, model, true) : NULL};
    if (s->page && !findings_write(s->page, &page))
        return file_error(&s->command, s->page, strerror(errno));
    if (s->overlay && !path_write(s->overlay, print_overlay, bench->tested))
        return file_error(&s->command, s->overlay, strerror(errno));
    record_print(findings(bench, model, s->computing.profile), s->command.form, &bench_view);
    return NNEFC_OK;
}

/* Can files be written besides what goes to the standard output? */
static enum nnefc_status check_files(const struct bench_settings *s)
{
    const char *const path[] = {s->trace, s->page, s->overlay};

    for (int i = 0; i < 3; i++) {
        if (path[i] && strcmp(path[i], "-") == 0)
            return usage_error(&s->command,
                               "'-' is for what is measured, other findings are files");
        if (path[i] && !path_is_writable(path[i], false))
            return file_error(&s->command, path[i], strerror(errno));
        for (int k = 0; k < i; k++)
            if (path[i] && path[k] && path_same(path[i], path[k]))
                return usage_error(&s->command, "two findings are to be written to '%s'", path[i]);
    }
    return NNEFC_OK;
}

static enum nnefc_status bench_run(const void *settings)
{
    const struct bench_settings *s = settings;
    struct bench bench = {.settings = s, .feeding = s->feeding};
    double start = seconds_now();

    if (!rewriting_agrees(&s->command, &s->rewriting) ||
        !loading_agrees(&s->command, &s->loading) ||
        !feeding_agrees(&s->command, &s->feeding, loading_streams(&s->command, &s->loading)))
        return NNEFC_USAGE;
    enum nnefc_status status = check_files(s);
    if (status != NNEFC_OK)
        return status;
    struct loading loading = s->loading;
    loading.keeps_open = true;
    feeding_tell(&s->feeding, &loading);
    bench.feeding.random = isnan(s->feeding.fill);
    struct nnefc_model *model = load_model(&loading, s->command.operand[0]);
    rewrite_model(&s->rewriting, model);
    status = loaded_status(&s->command, model);
    bench.load = seconds_now() - start;
    report_model(&s->command, model);
    const char *const written[] = {s->trace, s->page, s->overlay};
    for (int i = 0; i < 3 && status == NNEFC_OK; i++)
        status = keeps_model(&s->command, model, s->command.operand[0], written[i]);
    if (status == NNEFC_OK)
        status = feed_plan(&bench.feed, &s->command, &bench.feeding, model);
    if (status == NNEFC_OK && !inputs_fit(&bench, model))
        status = NNEFC_USAGE;
    if (status == NNEFC_OK)
        status = measure(&bench, model);
    if (status == NNEFC_OK)
        status = report(&bench, model);
    feed_free(&bench.feed);
    nnefc_run_free(bench.tested);
    close_model(&s->command, model);
    free(bench.run);
    return status;
}

/* --- options ---------------------------------------------------------------------------------- */

#define FIELD(name) .field = offsetof(struct bench_settings, name)

static const struct option bench_options[] = {
    THREADS_OPTION(offsetof(struct bench_settings, computing),
                   "use N threads; the results do not depend on it"),
    {"--warmup", NULL, "N", "runs after the first that are not measured (1)",
     .expects = "a whole number from 0", .set = set_count, FIELD(warmup)},
    {"--trace", NULL, "FILE.json", "write when each thread worked on each step of the last run",
     .set = set_text, FIELD(trace)},
    {"--html", NULL, "FILE.html", "write a page: where the time goes, and the model coloured by it",
     .set = set_text, FIELD(page)},
    {"--overlay", NULL, "FILE.json", "write the time of each step, for nnefc view --overlay",
     .set = set_text, FIELD(overlay)},
    {"--time", NULL, "SECONDS", "measure runs for this time, but at least one run (3)",
     .expects = "a number from 0", .set = set_amount, FIELD(seconds)},
    QUANT_OPTION(offsetof(struct bench_settings, loading), "auto"),
    OPEN_OPTION(offsetof(struct bench_settings, loading)),
    DATA_OPTION(offsetof(struct bench_settings, loading)),
    FORM_OPTION("--json", FORM_JSON, "print what was measured as JSON"),
    {0},
};

const struct verb bench_verb = {
    .name = "bench",
    .purpose = "measure how long a model takes to start and to run",
    .examples = "  nnefc bench model/                          random input, 3 seconds of runs\n"
                "  nnefc bench model.onnx --threads=1          with one thread\n"
                "  nnefc bench model/ -i x=a.npy -i x=b.npy    these inputs in turns\n"
                "  nnefc bench model/ --time=10 --json         longer, for programs\n"
                "  nnefc bench model/ --trace=trace.json       for ui.perfetto.dev\n"
                "  nnefc bench model/ --open x:0=n --dim n=1..8\n"
                "                                              a random batch size for each run\n",
    .operands = OPERANDS_MODEL,
    .usage = "MODEL",
    VERB_SETTINGS(bench, {.loading = {LOADING_UNSET, .takes_ranges = true,
                                      .quantization = NNEFC_QUANTIZATION_AUTO},
                          .feeding = FEEDING_DEFAULTS,
                          .warmup = 1,
                          .seconds = 3}),
    .groups = {{bench_options, 0, NULL},
               {feed_options, offsetof(struct bench_settings, feeding), FEED_TITLE},
               {image_options, offsetof(struct bench_settings, feeding), FEED_TITLE},
               {backend_options, offsetof(struct bench_settings, computing), RUN_TITLE},
               {profile_options, offsetof(struct bench_settings, computing), RUN_TITLE},
               {pass_options, offsetof(struct bench_settings, rewriting), PASS_TITLE},
               MODEL_GROUPS(bench)},
    .run = bench_run,
};
