/* run.c - nnefc run: feed the parameters, compute, show or write the results */
#include "driver/expect.h"
#include "driver/feed.h"
#include "driver/files.h"
#include "driver/load.h"
#include "driver/outputs.h"
#include "driver/progress.h"
#include "driver/results.h"
#include "driver/start.h"
#include "driver/steps.h"
#include "driver/verb.h"

#include <stdio.h>
#include <stdlib.h>

/* What `nnefc run` has in hand. */
struct job {
    const struct settings *settings;
    struct nnefc_model *model;
    struct nnefc_run *run;
    const char **input; /* by parameter; NULL: no file */
    struct named_file *inputs;
    int ninput; /* inputs that are not for all parameters */
    struct outputs outputs;
    struct expected expected;
};

/* --- which files ------------------------------------------------------------------------- */

static void sort_inputs(struct job *job)
{
    for (int i = 0; i < job->settings->ninput; i++)
        if (!file_is_for_all(&job->settings->inputs[i]))
            job->inputs[job->ninput++] = job->settings->inputs[i];
}

static enum nnefc_status assign_files(struct job *job)
{
    struct side inputs = {job->settings, "input", nnefc_model_input_count(job->model),
                          files_find_input, job->model};

    sort_inputs(job);
    enum nnefc_status status = files_assign(&inputs, job->inputs, job->ninput, job->input);
    if (status == NNEFC_OK)
        status = outputs_plan(&job->outputs, job->settings, job->model);
    if (status == NNEFC_OK)
        status = expected_plan(&job->expected, job->settings, job->model);
    return status;
}

/* --- computing --------------------------------------------------------------------------- */

static enum nnefc_status feed_archives(struct job *job)
{
    const struct settings *s = job->settings;
    enum nnefc_status status = NNEFC_OK;

    for (int i = 0; i < s->ninput && status == NNEFC_OK; i++)
        if (file_is_for_all(&s->inputs[i]))
            status = nnefc_run_read_inputs(job->run, s->inputs[i].file);
    return status;
}

/* A file of its own counts more than an archive. */
static enum nnefc_status feed(struct job *job)
{
    enum nnefc_status status = feed_archives(job), first = status;

    for (int i = 0; i < nnefc_model_input_count(job->model); i++) {
        if (job->input[i])
            status = nnefc_run_read_input(job->run, i, job->input[i]);
        else
            status = feed_made(job->settings, job->run, i);
        first = first == NNEFC_OK ? status : first;
    }
    return first;
}

static enum nnefc_status compute(struct job *job)
{
    return progress_steps(job->settings, job->run);
}

/* --- results ----------------------------------------------------------------------------- */

static enum nnefc_status write_outputs(struct job *job)
{
    return outputs_write(&job->outputs, job->run);
}

/* Of a comparison with what was expected the profile goes to the standard error, as of the text. */
static bool show_steps(const struct job *job)
{
    struct record *record = record_new_object();
    bool ok = steps_add(record, job->settings, job->run);

    return record_print_text(record, STEPS_LAYOUT, stderr) && ok;
}

static enum nnefc_status show_outputs(const struct job *job)
{
    const struct settings *s = job->settings;
    bool as_json = s->json && s->nexpected == 0, ok = true;

    tell_packed(s, job->model, job->run);
    if (s->steps_told && !as_json && !show_steps(job))
        return NNEFC_INTERNAL;
    if (s->nexpected)
        return expected_compare(&job->expected, job->run);
    if (!as_json && (s->noutput > 0 || s->quiet))
        return NNEFC_OK;
    struct record *record = results_record(job->model, job->run);
    if (as_json && s->steps_told)
        ok = steps_add(record, s, job->run);
    ok &= record_print(record, as_json ? FORM_JSON : FORM_TEXT, &results_view);
    return ok ? NNEFC_OK : NNEFC_INTERNAL;
}

/* --- the job ----------------------------------------------------------------------------- */

static enum nnefc_status start(struct job *job)
{
    enum nnefc_status status = start_run(job->settings, "auto", job->model, &job->run);

    return status == NNEFC_OK ? steps_measure(job->settings, job->run) : status;
}

static enum nnefc_status run_job(struct job *job)
{
    static enum nnefc_status (*const stages[])(struct job *) = {assign_files, start, feed, compute,
                                                                write_outputs};
    enum nnefc_status status = nnefc_model_status(job->model);

    for (size_t i = 0; i < sizeof stages / sizeof stages[0] && status == NNEFC_OK; i++)
        status = stages[i](job);
    return status == NNEFC_OK ? show_outputs(job) : status;
}

enum nnefc_status run_run(const struct settings *settings)
{
    struct nnefc_model *model = load_model(settings);
    size_t inputs = (size_t)nnefc_model_input_count(model) + 1;
    struct job job = {.settings = settings,
                      .model = model,
                      .input = calloc(inputs, sizeof(char *)),
                      .inputs = calloc((size_t)settings->ninput + 1, sizeof(struct named_file))};
    enum nnefc_status status = NNEFC_INTERNAL;

    print_diagnostics(settings, model);
    if (job.input && job.inputs)
        status = run_job(&job);
    outputs_free(&job.outputs);
    expected_free(&job.expected);
    nnefc_run_free(job.run);
    close_model(settings, model);
    free(job.input);
    free(job.inputs);
    return status;
}
