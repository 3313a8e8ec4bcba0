/* run.c - nnefc run: feed the parameters, compute, show or write the results */
#include "driver/expect.h"
#include "driver/outputs.h"
#include "driver/report.h"
#include "driver/results.h"
#include "driver/steps.h"
#include "driver/verbs.h"

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
    struct list outputs, expected; /* struct named_file */
};

/* What `nnefc run` has in hand. */
struct job {
    const struct run_settings *settings;
    struct nnefc_model *model;
    struct nnefc_run *run;
    const char **input; /* by parameter; NULL: no file */
    struct named_file *inputs;
    int ninput; /* inputs that are not for all parameters */
    struct outputs outputs;
    struct expected expected;
};

/* --- computing -------------------------------------------------------------------------------- */

static enum nnefc_status assign_files(struct job *job)
{
    const struct run_settings *s = job->settings;
    const struct named_file *input = s->feeding.inputs.item;
    struct side side = side_of_inputs(job->model);

    for (int i = 0; i < s->feeding.inputs.count; i++)
        if (!file_is_for_all(&input[i]))
            job->inputs[job->ninput++] = input[i];
    enum nnefc_status status =
        files_assign(&s->command, &side, job->inputs, job->ninput, job->input);
    if (status == NNEFC_OK)
        status = outputs_plan(&job->outputs, &s->command, &s->outputs, job->model);
    if (status == NNEFC_OK)
        status = expected_plan(&job->expected, &s->command, &s->expected, job->model);
    return status;
}

static enum nnefc_status start(struct job *job)
{
    const struct run_settings *s = job->settings;
    enum nnefc_status status = start_run(&s->computing, "auto", job->model, &job->run);

    if (status == NNEFC_OK)
        status = nnefc_run_set_image(job->run, &s->feeding.image);
    return status == NNEFC_OK && s->computing.profile ? nnefc_run_measure(job->run) : status;
}

/* A file of its own counts more than an archive. */
static enum nnefc_status feed(struct job *job)
{
    const struct feeding *feeding = &job->settings->feeding;
    const struct named_file *input = feeding->inputs.item;
    enum nnefc_status status = NNEFC_OK, first;

    for (int i = 0; i < feeding->inputs.count && status == NNEFC_OK; i++)
        if (file_is_for_all(&input[i]))
            status = nnefc_run_read_inputs(job->run, input[i].file);
    first = status;
    for (int i = 0; i < nnefc_model_inputs(job->model)->count; i++) {
        if (job->input[i])
            status = nnefc_run_read_input(job->run, i, job->input[i]);
        else
            status = feed_made(feeding, job->run, i);
        first = first == NNEFC_OK ? status : first;
    }
    return first;
}

static enum nnefc_status compute(struct job *job)
{
    return progress_steps(&job->settings->command, job->settings->feeding.steps, job->run);
}

static enum nnefc_status write_outputs(struct job *job)
{
    return outputs_write(&job->outputs, job->run);
}

/* --- results ---------------------------------------------------------------------------------- */

/* On the standard error, unless it is part of the JSON of the results. */
static bool show_steps(const struct job *job)
{
    struct record *record = record_new_object();
    bool ok = steps_add(record, job->settings->computing.threads, job->run);

    return record_print_text(record, STEPS_LAYOUT, stderr) && ok;
}

static enum nnefc_status show_outputs(struct job *job)
{
    const struct run_settings *s = job->settings;
    bool as_json = s->form == FORM_JSON && s->expected.count == 0, ok = true;

    if (s->rewriting.verbose)
        print_packed_use(job->model, job->run);
    if (s->computing.profile && !as_json && !show_steps(job))
        return NNEFC_INTERNAL;
    if (s->expected.count > 0)
        return expected_compare(&job->expected, job->run, &s->tolerance, s->form);
    if (!as_json && (s->outputs.count > 0 || s->command.quiet))
        return NNEFC_OK;
    struct record *record = results_record(job->model, job->run);
    if (as_json && s->computing.profile)
        ok = steps_add(record, s->computing.threads, job->run);
    ok &= record_print(record, s->form, &results_view);
    return ok ? NNEFC_OK : NNEFC_INTERNAL;
}

/* --- the command ------------------------------------------------------------------------------ */

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
    static enum nnefc_status (*const stages[])(struct job * job) = {
        assign_files, start, feed, compute, write_outputs, show_outputs};
    const struct run_settings *s = settings;

    if (!run_options_agree(s))
        return NNEFC_USAGE;
    struct nnefc_model *model = load_model(&s->loading, s->command.operand[0]);
    rewrite_model(&s->rewriting, model);
    size_t inputs = (size_t)nnefc_model_inputs(model)->count + 1;
    struct job job = {.settings = s,
                      .model = model,
                      .input = calloc(inputs, sizeof *job.input),
                      .inputs = calloc((size_t)s->feeding.inputs.count + 1, sizeof *job.inputs)};
    enum nnefc_status status = job.input && job.inputs ? nnefc_model_status(model) : NNEFC_INTERNAL;

    report_model(&s->command, model);
    for (size_t i = 0; i < sizeof stages / sizeof stages[0] && status == NNEFC_OK; i++)
        status = stages[i](&job);
    outputs_free(&job.outputs);
    expected_free(&job.expected);
    nnefc_run_free(job.run);
    close_model(&s->command, model);
    free(job.input);
    free(job.inputs);
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
