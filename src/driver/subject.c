/* subject.c - models and recorded results looked at in the same way */
#include "driver/subject.h"

#include "driver/path.h"
#include "driver/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- opening ----------------------------------------------------------------------------- */

/* A folder without a document in it, or an archive of arrays: whatever else is a model. */
static bool holds_results(const char *path)
{
    static const char document[] = "/graph.nnef";
    struct stat status;
    size_t room = strlen(path) + sizeof document;

    if (path_ends_in(path, ".npz"))
        return nnefc_is_npz(path);
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return false;
    char *file = malloc(room);
    if (file)
        snprintf(file, room, "%s%s", path, document);
    bool has_document = !file || stat(file, &status) == 0;
    free(file);
    return !has_document;
}

enum nnefc_status subject_open(struct subject *subject)
{
    subject->recorded = holds_results(subject->path);
    if (subject->recorded) {
        subject->model = nnefc_model_new();
        subject->results = nnefc_results_open(subject->model, subject->path);
    } else {
        subject->model = load_model(&subject->loading, subject->path);
        rewrite_model(subject->rewriting, subject->model);
    }
    return subject_status(subject);
}

static bool is_listed(const struct subject *subject, const char *label)
{
    for (int i = 0; i < subject->nstate; i++)
        if (strcmp(nnefc_model_variables(subject->model)->at[subject->state[i]]->label, label) == 0)
            return true;
    return false;
}

static bool list_state(struct subject *subject)
{
    const struct nnefc_model *model = subject->model;
    int count = nnefc_model_variables(model)->count;

    subject->state = calloc((size_t)count + 1, sizeof *subject->state);
    for (int i = 0; subject->state && i < count; i++)
        if (nnefc_model_variables(model)->at[i]->is_updated &&
            !is_listed(subject, nnefc_model_variables(model)->at[i]->label))
            subject->state[subject->nstate++] = i;
    return subject->state;
}

enum nnefc_status subject_start(struct subject *subject, const struct nnefc_image *image)
{
    if (subject->recorded)
        return NNEFC_OK;
    enum nnefc_status status =
        start_run(subject->computing, "reference", subject->model, &subject->run);
    if (status == NNEFC_OK)
        status = nnefc_run_set_image(subject->run, image);
    return status == NNEFC_OK && !list_state(subject) ? NNEFC_INTERNAL : status;
}

/* --- what there is ------------------------------------------------------------------------ */

static int recorded_count(const struct subject *subject, enum part part)
{
    bool recorded = part == PART_OUTPUT || part == PART_COMPUTED;

    return recorded ? nnefc_results_list(subject->results)->count : 0;
}

int subject_count(const struct subject *subject, enum part part)
{
    if (subject->recorded)
        return recorded_count(subject, part);
    switch (part) {
    case PART_INPUT:
        return nnefc_model_inputs(subject->model)->count;
    case PART_OUTPUT:
        return nnefc_model_outputs(subject->model)->count;
    case PART_STATE:
        return subject->nstate;
    case PART_VARIABLE:
        return nnefc_model_variables(subject->model)->count;
    case PART_COMPUTED:
        return nnefc_model_computed(subject->model)->count;
    }
    return 0;
}

const char *subject_name(const struct subject *subject, enum part part, int index)
{
    if (subject->recorded)
        return nnefc_results_list(subject->results)->at[index]->name;
    switch (part) {
    case PART_INPUT:
        return nnefc_model_inputs(subject->model)->at[index]->name;
    case PART_OUTPUT:
        return nnefc_model_outputs(subject->model)->at[index]->name;
    case PART_STATE:
        return nnefc_model_variables(subject->model)->at[subject->state[index]]->label;
    case PART_VARIABLE:
        return nnefc_model_variables(subject->model)->at[index]->label;
    case PART_COMPUTED:
        return nnefc_model_computed(subject->model)->at[index]->name;
    }
    return NULL;
}

struct nnefc_type subject_type(const struct subject *subject, enum part part, int index)
{
    switch (part) {
    case PART_INPUT:
        return nnefc_model_inputs(subject->model)->at[index]->type;
    case PART_OUTPUT:
        return nnefc_model_outputs(subject->model)->at[index]->type;
    case PART_STATE:
        return nnefc_model_variables(subject->model)->at[subject->state[index]]->type;
    case PART_VARIABLE:
        return nnefc_model_variables(subject->model)->at[index]->type;
    case PART_COMPUTED:
        break;
    }
    return nnefc_model_computed(subject->model)->at[index]->type;
}

const struct nnefc_tensor *subject_tensor(struct subject *subject, enum part part, int index)
{
    if (subject->recorded) {
        nnefc_tensor_free(subject->read);
        return subject->read = nnefc_results_read(subject->results, index);
    }
    switch (part) {
    case PART_INPUT:
        return nnefc_run_input(subject->run, index);
    case PART_OUTPUT:
        return nnefc_run_output(subject->run, index);
    case PART_STATE:
        return nnefc_run_variable(subject->run, subject->state[index]);
    case PART_VARIABLE:
        return nnefc_run_variable(subject->run, index);
    case PART_COMPUTED:
        break;
    }
    return nnefc_run_computed(subject->run, index);
}

/* --- the end ------------------------------------------------------------------------------ */

enum nnefc_status subject_status(const struct subject *subject)
{
    return nnefc_model_status(subject->model);
}

void subject_tell(struct subject *subject)
{
    if (!subject->model || subject->told)
        return;
    subject->told = true;
    report_model(subject->command, subject->model);
    if (nnefc_model_error_count(subject->model) > 0)
        usage_error(subject->command, "'%s' cannot be compared",
                    is_standard(subject->path) ? "<stdin>" : subject->path);
}

void subject_close(struct subject *subject)
{
    subject_tell(subject);
    nnefc_tensor_free(subject->read);
    nnefc_results_free(subject->results);
    nnefc_run_free(subject->run);
    nnefc_model_free(subject->model);
    free(subject->state);
}
