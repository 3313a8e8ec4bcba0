/*
 * run.c - nnefc run: feed the parameters, compute, show or write the results
 *
 * Whatever can be wrong is looked at first: the command line, the model, files to be written and
 * results expected; then the run is started, fed and computed.
 */
#include "driver/expect.h"
#include "driver/outputs.h"
#include "driver/report.h"
#include "driver/results.h"
#include "driver/steps.h"
#include "driver/verbs.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct run_settings {
    struct command command;
    struct loading loading;
    struct rewriting rewriting;
    struct computing computing;
    struct feeding feeding;
    struct nnefc_tolerance tolerance;
    enum form form;
    struct option_list outputs, expected; /* struct named_file */
};

/* What `nnefc run` has in hand. */
struct job {
    const struct run_settings *settings;
    struct nnefc_model *model;
    struct nnefc_run *run;
    const char **input; /* by parameter; NULL: no file */
    struct outputs outputs;
    struct expected expected;
};

/* --- computing -------------------------------------------------------------------------------- */

/* A file of its own counts more than an archive; all faults of inputs are reported. */
static enum nnefc_status feed_all(struct job *job)
{
    const struct feeding *feeding = &job->settings->feeding;
    enum nnefc_status status = nnefc_run_set_image(job->run, &feeding->image), first;

    if (status == NNEFC_OK && job->settings->computing.profile)
        status = nnefc_run_measure(job->run);
    if (status == NNEFC_OK)
        status = feed_archives(feeding, job->run);
    first = status;
    for (int i = 0; i < nnefc_model_inputs(job->model)->count; i++) {
        status = job->input[i] ? nnefc_run_read_input(job->run, i, job->input[i])
                               : feed_made(feeding, job->run, i);
        first = first == NNEFC_OK ? status : first;
    }
    return first;
}

/* --- results ---------------------------------------------------------------------------------- */

/* The results, or how they differ from what was expected; nothing if they were written. */
static enum nnefc_status show_outputs(struct job *job)
{
    const struct run_settings *s = job->settings;
    int threads = s->computing.threads;
    bool as_json = s->form == FORM_JSON && s->expected.count == 0, ok = true;

    if (s->rewriting.verbose)
        print_packed_use(job->model, job->run);
    if (s->computing.profile && !as_json) {
        struct record *steps = record_new_object();
        ok = steps_add(steps, threads, job->run);
        ok &= record_print_text(steps, STEPS_LAYOUT, stderr);
    }
    if (ok && s->expected.count > 0)
        return expected_compare(&job->expected, job->run, &s->tolerance, s->form);
    if (ok && (as_json || (s->outputs.count == 0 && !s->command.quiet))) {
        struct record *results = results_record(job->model, job->run);
        if (as_json && s->computing.profile)
            ok = steps_add(results, threads, job->run);
        ok &= record_print(results, s->form, &results_view);
    }
    return ok ? NNEFC_OK : NNEFC_INTERNAL;
}

/* Files are assigned before anything is computed, so that a mistake costs no time. */
static enum nnefc_status run_job(struct job *job)
{
    const struct run_settings *s = job->settings;
    struct side side = side_of_inputs(job->model);

    assert(job->input && !job->run);
    enum nnefc_status status = nnefc_model_status(job->model);

    if (status == NNEFC_OK)
        status = files_assign(&s->command, &side, &s->feeding.inputs, job->input);
    if (status == NNEFC_OK)
        status = outputs_plan(&job->outputs, &s->command, &s->outputs, job->model);
    if (status == NNEFC_OK)
        status = expected_plan(&job->expected, &s->command, &s->expected, job->model);
    if (status == NNEFC_OK)
        status = start_run(&s->computing, "auto", job->model, &job->run);
    if (status == NNEFC_OK)
        status = feed_all(job);
    if (status == NNEFC_OK)
        status = progress_steps(&s->command, s->feeding.steps, job->run);
    if (status == NNEFC_OK)
        status = outputs_write(&job->outputs, job->run);
    return status == NNEFC_OK ? show_outputs(job) : status;
}

/* --- the command ------------------------------------------------------------------------------ */

/* False after a message. */
static bool run_options_agree(const struct run_settings *s)
{
    const struct command *command = &s->command;
    const struct named_file *output = s->outputs.item;
    bool json = s->form == FORM_JSON;
    int streams = json || (s->expected.count > 0 && !command->quiet);

    if (!loading_agrees(command, &s->loading) ||
        !feeding_agrees(command, &s->feeding, loading_streams(command, &s->loading)))
        return false;
    for (int i = 0; i < s->outputs.count; i++)
        streams += is_standard(output[i].file);
    if (streams > 1)
        usage_error(command, json ? "standard output is used twice, by --json and by --output -"
                                  : "standard output is used twice");
    return streams <= 1 && outputs_agree(command, &s->outputs);
}

static enum nnefc_status run_run(const void *settings)
{
    const struct run_settings *s = settings;
    struct job job = {.settings = s};
    enum nnefc_status status = NNEFC_INTERNAL;

    if (!run_options_agree(s))
        return NNEFC_USAGE;
    job.model = load_model(&s->loading, s->command.operand[0]);
    rewrite_model(&s->rewriting, job.model);
    report_model(&s->command, job.model);
    job.input = calloc((size_t)nnefc_model_inputs(job.model)->count + 1, sizeof *job.input);
    if (job.input)
        status = run_job(&job);
    outputs_free(&job.outputs);
    expected_free(&job.expected);
    nnefc_run_free(job.run);
    close_model(&s->command, job.model);
    free(job.input);
    return status;
}

#define FIELD(name) .field = offsetof(struct run_settings, name)

static const struct option run_options[] = {
    {"--output", "-o", "DIR/|[NAME=]FILE",
     "write all results (X.npz too), or one: .dat, .npy or - (stdout)", .set = set_named_file,
     FIELD(outputs), .item_size = sizeof(struct named_file)},
    {"--expect", NULL, "DIR|[NAME=]FILE",
     "compare all results (X.npz too), or one, with what was expected", .set = set_named_file,
     FIELD(expected), .item_size = sizeof(struct named_file)},
    DATA_OPTION(offsetof(struct run_settings, loading)),
    QUANT_OPTION(offsetof(struct run_settings, loading)),
    THREADS_OPTION(offsetof(struct run_settings, computing),
                   "use N threads; the results do not depend on it"),
    {"--json", NULL, NULL, "print the results, or how they differ, as JSON", .set = set_json,
     FIELD(form)},
    {0},
};

const struct verb run_verb = {
    .name = "run",
    .purpose = "compute the results of a model",
    .examples = "  nnefc run model/ --input image.png          print a summary of the results\n"
                "  nnefc run model/ -i x=a.npy -o out/         write out/RESULT.dat for each "
                "result\n"
                "  nnefc run model/ --random --json            random input, results as JSON\n"
                "  nnefc run model/ -i x=a.npy --expect out/   does it still compute what it did\n",
    .operands = OPERANDS_MODEL,
    .usage = "MODEL",
    VERB_SETTINGS(run, {.loading = LOADING_DEFAULTS,
                        .feeding = FEEDING_DEFAULTS,
                        .tolerance = TOLERANCE_DEFAULTS}),
    .groups = {{feed_options, offsetof(struct run_settings, feeding), FEED_TITLE},
               {run_options, 0, NULL},
               {tolerance_options, offsetof(struct run_settings, tolerance), NULL},
               {backend_options, offsetof(struct run_settings, computing), RUN_TITLE},
               {profile_options, offsetof(struct run_settings, computing), RUN_TITLE},
               {pass_options, offsetof(struct run_settings, rewriting), PASS_TITLE},
               MODEL_GROUPS(run)},
    .run = run_run,
};
