/*
 * run.c - nnefc run: feed the parameters, compute, print or write the results
 *
 * Faults are looked for first: in the command line, the model, the files to be written and the
 * results expected. Then the run is started, fed and computed.
 */
#include "driver/run.h"

#include "driver/report.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct run_settings {
    struct command command;
    struct loading loading;
    struct rewriting rewriting;
    struct computing computing;
    struct feeding feeding;
    struct nnefc_tolerance tolerance;
    struct option_list outputs, expected; /* struct named_file */
    struct option_list states;            /* struct named_file: a parameter and a result */
};

/* What one call of `nnefc run` owns. */
struct job {
    const struct run_settings *settings;
    struct nnefc_model *model;
    struct nnefc_run *run;
    struct feed feed;
    int step; /* of several, from 1; 0: there is one */
    struct outputs outputs;
    struct expected expected;
};

/* --- results ---------------------------------------------------------------------------------- */

enum { FIRST_COUNT = 8, TOP_COUNT = 5 };

static const struct view results_view = {
    .text = "{step?step {step}\n}{outputs*{name}: {type}{shape:shape}\n"
            "{min?    min {min}, max {max}, mean {mean}\n}"
            "{.notFinite?    not finite: {.notFinite} of {.count}\n}"
            "{.first?    {.more?first}{.more!values}{.first* {}}\n}"
            "{top?    top {top:#}\n{top*{index:8d}  {value}\n}}}",
    .json = JSON_FLOATS,
};

/* Integers have all their digits, more than a double has. */
static void record_item(struct record *to, const char *key, const struct nnefc_tensor *tensor,
                        int64_t index)
{
    const int64_t *integer = nnefc_tensor_items(tensor);

    if (nnefc_tensor_is_unsigned(tensor))
        record_unsigned(to, key, (uint64_t)integer[index]);
    else if (nnefc_tensor_type(tensor).dtype == NNEFC_INTEGER)
        record_integer(to, key, integer[index]);
    else
        record_real(to, key, nnefc_tensor_item(tensor, index));
}

static bool is_less(const struct nnefc_tensor *tensor, int64_t a, int64_t b)
{
    const int64_t *integer = nnefc_tensor_items(tensor);

    if (nnefc_tensor_is_unsigned(tensor))
        return (uint64_t)integer[a] < (uint64_t)integer[b];
    if (nnefc_tensor_type(tensor).dtype == NNEFC_INTEGER)
        return integer[a] < integer[b];
    return nnefc_tensor_item(tensor, a) < nnefc_tensor_item(tensor, b);
}

/*
 * Range and mean of the finite items; the others are only counted.  The largest items become "top"
 * if the tensor looks like scores of classes: scalars in [n] or [1,n] with n > 1, then 1s only.
 */
static void add_summary(struct record *to, const struct nnefc_tensor *tensor)
{
    struct nnefc_type type = nnefc_tensor_type(tensor);
    int64_t count = nnefc_tensor_count(tensor), finite = 0, top[TOP_COUNT];
    bool vector =
        (type.rank > 0 && type.extent[0] == count) || (type.rank > 1 && type.extent[1] == count);
    bool scores = type.dtype == NNEFC_SCALAR && count > 1 && vector;
    int64_t min = -1, max = -1; /* where they are */
    double sum = 0;
    int found = 0;

    for (int64_t i = 0; i < count; i++) {
        double item = nnefc_tensor_item(tensor, i);
        int at = found;
        if (isfinite(item)) {
            min = finite == 0 || is_less(tensor, i, min) ? i : min;
            max = finite == 0 || is_less(tensor, max, i) ? i : max;
            sum += item;
            finite++;
        }
        if (!scores || isnan(item))
            continue;
        /* The largest is first; of equal items the one with the lower index is. */
        while (at > 0 && nnefc_tensor_item(tensor, top[at - 1]) < item)
            at--;
        found += found < TOP_COUNT;
        for (int k = found - 1; k > at; k--)
            top[k] = top[k - 1];
        if (at < TOP_COUNT)
            top[at] = i;
    }
    assert(finite <= count && found <= TOP_COUNT);
    if (finite > 0) {
        record_item(to, "min", tensor, min);
        record_item(to, "max", tensor, max);
        record_real(to, "mean", sum / (double)finite);
    }
    if (finite < count) {
        record_integer(to, ".notFinite", count - finite);
        record_integer(to, ".count", count);
    }
    struct record *list = found > 0 ? record_list(to, "top") : NULL;
    for (int k = 0; k < found; k++) {
        struct record *item = record_object(list, NULL);
        record_integer(item, "index", top[k]);
        record_real(item, "value", nnefc_tensor_item(tensor, top[k]));
    }
}

/*
 * Print the results, or how they differ from those expected; nothing if they were written.  JSON is
 * {"graph": name, "outputs": [{"name", "type", "shape", "min", "max", "mean", "top", "values"}]};
 * values are in row-major order.  Tensors are not copied: the run lives until all is printed.
 */
static enum nnefc_status show_outputs(struct job *job)
{
    const struct run_settings *s = job->settings;
    const struct nnefc_port_list *ports = nnefc_model_outputs(job->model);
    int threads = s->computing.threads;
    int runs = s->feeding.steps * (job->step > 0 ? job->step : 1);
    bool as_json = s->command.form == FORM_JSON && s->expected.count == 0;

    if (s->rewriting.verbose) {
        print_integers(job->run);
        print_packed_use(job->model, job->run);
    }
    if (s->computing.profile && !as_json) {
        struct record *steps = record_new_object();
        steps_add(steps, threads, job->run, runs);
        record_print_text(steps, STEPS_LAYOUT, stderr);
    }
    if (s->expected.count > 0)
        return expected_compare(&job->expected, job->run, &s->tolerance);
    if (!as_json && (s->outputs.count > 0 || s->command.quiet))
        return NNEFC_OK;
    struct record *record = record_new_object();
    record_text(record, "graph", nnefc_model_name(job->model));
    if (job->step > 0)
        record_integer(record, "step", job->step);
    struct record *outputs = record_list(record, "outputs");
    for (int i = 0; i < ports->count; i++) {
        const struct nnefc_tensor *tensor = nnefc_run_output(job->run, i);
        struct nnefc_type type = nnefc_tensor_type(tensor);
        int64_t count = nnefc_tensor_count(tensor);
        struct record *to = record_object(outputs, NULL);
        record_text(to, "name", ports->at[i]->name);
        record_type(to, &type);
        add_summary(to, tensor);
        record_tensor(to, "values", tensor);
        record_bool(to, ".more", count > FIRST_COUNT);
        struct record *first = record_list(to, ".first");
        for (int64_t k = 0; k < count && k < FIRST_COUNT; k++)
            record_item(first, NULL, tensor, k);
    }
    if (as_json && s->computing.profile)
        steps_add(record, threads, job->run, runs);
    record_print(record, s->command.form, &results_view);
    return NNEFC_OK;
}

/* --- the command ------------------------------------------------------------------------------ */

/* Results that become inputs. */
static enum nnefc_status set_states(const struct job *job)
{
    const struct named_file *state = job->settings->states.item;
    enum nnefc_status status = NNEFC_OK;

    for (int i = 0; i < job->settings->states.count && status == NNEFC_OK; i++)
        status = nnefc_run_set_state(job->run, state[i].name, state[i].file);
    return status;
}

/* Plan, feed, compute and print.  Files are assigned first, so that a mistake costs no time. */
static enum nnefc_status run_job(struct job *job)
{
    const struct run_settings *s = job->settings;
    enum nnefc_status status = loaded_status(&s->command, job->model);

    assert(!job->run);
    if (status == NNEFC_OK)
        status = feed_plan(&job->feed, &s->command, &s->feeding, job->model);
    int steps = job->feed.steps;
    if (status == NNEFC_OK && steps > 1 && (s->expected.count > 0 || s->feeding.steps > 1))
        return usage_error(&s->command, "%s is for inputs that are given once",
                           s->expected.count > 0 ? "--expect" : "--steps");
    if (status == NNEFC_OK)
        status = outputs_plan(&job->outputs, &s->command, &s->outputs, job->model);
    if (status == NNEFC_OK)
        status = expected_plan(&job->expected, &s->command, &s->expected, job->model);
    if (status == NNEFC_OK)
        status = start_run(&s->computing, "auto", job->model, &job->run);
    if (status != NNEFC_OK)
        return status;
    job->feed.run = job->run;
    status = set_states(job);
    if (status == NNEFC_OK && s->computing.profile)
        status = nnefc_run_measure(job->run);
    for (int step = 0; step < steps && status == NNEFC_OK; step++) {
        job->step = steps > 1 ? step + 1 : 0;
        status = feed_step(&job->feed, step);
        if (status == NNEFC_OK)
            status =
                progress_steps(&s->command, s->feeding.steps, job->run, compute_step, job->run);
        if (status == NNEFC_OK)
            status = outputs_write(&job->outputs, job->run, job->step);
        if (status == NNEFC_OK)
            status = show_outputs(job);
    }
    return status;
}

static enum nnefc_status run_run(const void *settings)
{
    const struct run_settings *s = settings;
    const struct command *command = &s->command;
    const struct named_file *output = s->outputs.item;
    struct job job = {.settings = s};
    bool json = command->form == FORM_JSON;
    int streams = json || (s->expected.count > 0 && !command->quiet);

    if (!rewriting_agrees(command, &s->rewriting) || !loading_agrees(command, &s->loading) ||
        !feeding_agrees(command, &s->feeding, loading_streams(command, &s->loading)))
        return NNEFC_USAGE;
    for (int i = 0; i < s->outputs.count; i++)
        streams += is_standard(output[i].file);
    if (streams > 1)
        return usage_error(command,
                           json ? "standard output is used twice, by --json and by --output -"
                                : "standard output is used twice");
    if (!outputs_agree(command, &s->outputs))
        return NNEFC_USAGE;
    struct loading loading = s->loading;
    feeding_tell(&s->feeding, &loading);
    job.model = load_model(&loading, command->operand[0]);
    rewrite_model(&s->rewriting, job.model);
    report_model(command, job.model);
    enum nnefc_status status = run_job(&job);
    feed_free(&job.feed);
    outputs_free(&job.outputs);
    expected_free(&job.expected);
    nnefc_run_free(job.run);
    close_model(command, job.model);
    return status;
}

#define FIELD(name) .field = offsetof(struct run_settings, name)

static const struct option run_options[] = {
    {"--output", "-o", "DIR/|[NAME=]FILE",
     "write all results (X.npz too), or one: .dat, .npy or - (stdout)", .set = set_named_file,
     FIELD(outputs), .item_size = sizeof(struct named_file)},
    {"--expect", NULL, "DIR|[NAME=]FILE",
     "compare all results (X.npz too), or one, with expected ones", .set = set_named_file,
     FIELD(expected), .item_size = sizeof(struct named_file)},
    DATA_OPTION(offsetof(struct run_settings, loading)),
    QUANT_OPTION(offsetof(struct run_settings, loading), "auto"),
    OPEN_OPTION(offsetof(struct run_settings, loading)),
    {"--state", NULL, "INPUT=RESULT", "make a result the input of the next step: 'past*=present*'",
     .expects = "the name of an input and that of a result", .set = set_binding, FIELD(states),
     .item_size = sizeof(struct named_file)},
    THREADS_OPTION(offsetof(struct run_settings, computing),
                   "use N threads; the results do not depend on it"),
    FORM_OPTION("--json", FORM_JSON, "print the results, or how they differ, as JSON"),
    {0},
};

const struct verb run_verb = {
    .name = "run",
    .purpose = "compute the results of a model",
    .examples = "  nnefc run model/ --input image.png          print a summary of the results\n"
                "  nnefc run model/ -i x=a.npy -o out/         write out/RESULT.dat for each "
                "result\n"
                "  nnefc run model/ --random --json            random input, results as JSON\n"
                "  nnefc run model/ -i x=a.npy --expect out/   are the results still the same\n"
                "  nnefc run model/ -i x=a.npy -i x=b.npy      two steps, each of the shape of its "
                "file\n",
    .operands = OPERANDS_MODEL,
    .usage = "MODEL",
    VERB_SETTINGS(run, {.loading = {LOADING_UNSET, .keeps_open = true,
                                    .quantization = NNEFC_QUANTIZATION_AUTO},
                        .feeding = FEEDING_DEFAULTS,
                        .tolerance = TOLERANCE_DEFAULTS}),
    .groups = {{feed_options, offsetof(struct run_settings, feeding), FEED_TITLE},
               {image_options, offsetof(struct run_settings, feeding), FEED_TITLE},
               {steps_options, offsetof(struct run_settings, feeding), FEED_TITLE},
               {run_options, 0, NULL},
               {tolerance_options, offsetof(struct run_settings, tolerance), NULL},
               {backend_options, offsetof(struct run_settings, computing), RUN_TITLE},
               {profile_options, offsetof(struct run_settings, computing), RUN_TITLE},
               {pass_options, offsetof(struct run_settings, rewriting), PASS_TITLE},
               MODEL_GROUPS(run)},
    .run = run_run,
};
