/* run.c - nnefc run: feed the parameters, compute, show or write the results */
#include "driver/files.h"
#include "driver/load.h"
#include "driver/progress.h"
#include "driver/summary.h"
#include "driver/verb.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What `nnefc run` has in hand. */
struct job {
    const struct settings *settings;
    struct nnefc_model *model;
    struct nnefc_run *run;
    const char **input;  /* by parameter; NULL: no file */
    const char **output; /* by result */
    const char *folder;  /* for all results without a file of their own; NULL: none */
    const char *archive; /* for all results; NULL: none */
    struct named_file *files, *inputs;
    int nfile, ninput; /* outputs and inputs that are neither folder nor archive */
};

/* --- which files ------------------------------------------------------------------------- */

static bool ends_in_slash(const char *path)
{
    return *path && path[strlen(path) - 1] == '/';
}

static bool is_folder(const char *path)
{
    struct stat status;

    return ends_in_slash(path) || (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
}

static bool is_archive(const char *path)
{
    size_t size = strlen(path);

    return size > 4 && strcmp(path + size - 4, ".npz") == 0;
}

/* Where all results go, which may be one place of each kind. */
static enum nnefc_status set_place(const struct named_file *output, const char *kind,
                                   const char **place)
{
    if (output->name)
        return usage_error("'%s' is a %s, but '%s' is one result", output->file, kind,
                           output->name);
    if (*place)
        return usage_error("two %ss for the results: '%s' and '%s'", kind, *place, output->file);
    *place = output->file;
    return NNEFC_OK;
}

/* Tell folder and archive among the outputs from the files. */
static enum nnefc_status sort_outputs(struct job *job)
{
    enum nnefc_status status = NNEFC_OK;

    for (int i = 0; i < job->settings->noutput && status == NNEFC_OK; i++) {
        const struct named_file *output = &job->settings->outputs[i];
        if (is_folder(output->file))
            status = set_place(output, "folder", &job->folder);
        else if (is_archive(output->file))
            status = set_place(output, ".npz archive", &job->archive);
        else
            job->files[job->nfile++] = *output;
    }
    return status;
}

/* An archive of arrays without a name feeds the parameters by the names in it. */
static bool is_for_all(const struct named_file *input)
{
    return !input->name && nnefc_is_npz(input->file);
}

static void sort_inputs(struct job *job)
{
    for (int i = 0; i < job->settings->ninput; i++)
        if (!is_for_all(&job->settings->inputs[i]))
            job->inputs[job->ninput++] = job->settings->inputs[i];
}

static enum nnefc_status assign_files(struct job *job)
{
    struct side inputs = {"input", nnefc_model_input_count(job->model), nnefc_model_find_input};
    struct side outputs = {"output", nnefc_model_output_count(job->model), nnefc_model_find_output};
    enum nnefc_status status = sort_outputs(job);

    sort_inputs(job);
    if (status == NNEFC_OK)
        status = files_assign(job->model, &inputs, job->inputs, job->ninput, job->input);
    if (status == NNEFC_OK)
        status = files_assign(job->model, &outputs, job->files, job->nfile, job->output);
    return status;
}

/* --- computing --------------------------------------------------------------------------- */

static enum nnefc_status feed_archives(struct job *job)
{
    const struct settings *s = job->settings;
    enum nnefc_status status = NNEFC_OK;

    for (int i = 0; i < s->ninput && status == NNEFC_OK; i++)
        if (is_for_all(&s->inputs[i]))
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
        else if (job->settings->random && !nnefc_run_has_input(job->run, i))
            status = nnefc_run_randomize_input(job->run, i, job->settings->seed);
        first = first == NNEFC_OK ? status : first;
    }
    return first;
}

static enum nnefc_status compute(struct job *job)
{
    enum nnefc_status status = NNEFC_OK;
    struct progress progress;

    progress_begin(&progress, job->settings->quiet, job->settings->steps);
    nnefc_run_set_progress(job->run, progress_show, &progress);
    for (int step = 1; step <= job->settings->steps && status == NNEFC_OK; step++) {
        progress.step = step;
        status = nnefc_run_step(job->run);
    }
    progress_end(&progress);
    nnefc_run_set_progress(job->run, NULL, NULL);
    return status;
}

/* --- results ----------------------------------------------------------------------------- */

static enum nnefc_status write_into_folder(struct job *job, int index)
{
    const char *name = nnefc_model_output_name(job->model, index);
    size_t room = strlen(job->folder) + strlen(name) + sizeof "/.dat";
    char *path = malloc(room);

    if (!path)
        return NNEFC_INTERNAL;
    snprintf(path, room, "%s%s%s.dat", job->folder, ends_in_slash(job->folder) ? "" : "/", name);
    enum nnefc_status status =
        nnefc_tensor_write(job->model, nnefc_run_output(job->run, index), path);
    free(path);
    return status;
}

static enum nnefc_status write_output(struct job *job, int index)
{
    const struct nnefc_tensor *tensor = nnefc_run_output(job->run, index);

    if (job->output[index])
        return nnefc_tensor_write(job->model, tensor, job->output[index]);
    return job->folder ? write_into_folder(job, index) : NNEFC_OK;
}

static enum nnefc_status write_outputs(struct job *job)
{
    enum nnefc_status status = NNEFC_OK;

    if (job->folder && mkdir(job->folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "nnefc: cannot make folder '%s': %s\n", job->folder, strerror(errno));
        return NNEFC_FILE;
    }
    for (int i = 0; i < nnefc_model_output_count(job->model) && status == NNEFC_OK; i++)
        status = write_output(job, i);
    if (job->archive && status == NNEFC_OK)
        status = nnefc_run_write_outputs(job->run, job->archive);
    return status;
}

static enum nnefc_status show_outputs(const struct job *job)
{
    const struct settings *s = job->settings;

    if (s->json)
        return summary_print_json(job->model, job->run) ? NNEFC_OK : NNEFC_INTERNAL;
    if (s->noutput == 0 && !s->quiet)
        summary_print(job->model, job->run);
    return NNEFC_OK;
}

/* --- the job ----------------------------------------------------------------------------- */

static enum nnefc_status start_run(struct job *job)
{
    enum nnefc_status status;

    job->run = nnefc_run_new(job->model);
    status = nnefc_model_status(job->model);
    if (!job->run)
        return status == NNEFC_OK ? NNEFC_INTERNAL : status;
    nnefc_run_set_threads(job->run, job->settings->threads);
    nnefc_run_set_image(job->run, &job->settings->image);
    return NNEFC_OK;
}

static enum nnefc_status run_job(struct job *job)
{
    static enum nnefc_status (*const stages[])(struct job *) = {assign_files, start_run, feed,
                                                                compute, write_outputs};
    enum nnefc_status status = nnefc_model_status(job->model);

    for (size_t i = 0; i < sizeof stages / sizeof stages[0] && status == NNEFC_OK; i++)
        status = stages[i](job);
    return status == NNEFC_OK ? show_outputs(job) : status;
}

enum nnefc_status run_run(const struct settings *settings)
{
    struct nnefc_model *model = load_model(settings);
    size_t inputs = (size_t)nnefc_model_input_count(model) + 1;
    size_t outputs = (size_t)nnefc_model_output_count(model) + 1;
    struct job job = {.settings = settings,
                      .model = model,
                      .input = calloc(inputs, sizeof(char *)),
                      .output = calloc(outputs, sizeof(char *)),
                      .files = calloc((size_t)settings->noutput + 1, sizeof(struct named_file)),
                      .inputs = calloc((size_t)settings->ninput + 1, sizeof(struct named_file))};
    enum nnefc_status status = NNEFC_INTERNAL;

    print_diagnostics(settings, model);
    if (job.input && job.output && job.files && job.inputs)
        status = run_job(&job);
    nnefc_run_free(job.run);
    close_model(settings, model);
    free(job.input);
    free(job.output);
    free(job.files);
    free(job.inputs);
    return status;
}
