/* run.c - the interpreter as clients see it */
#include "exec/run.h"

#include "api/fast.h"
#include "api/weights.h"
#include "base/arena.h"
#include "base/file.h"
#include "exec/random.h"
#include "ir/graph.h"
#include "tensor/container.h"
#include "tensor/npz.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool start(struct nnefc_run *run, const struct nnefc_run_options *options)
{
    struct nnefc_model *model = run->model;

    if (!fast_new(model, options, &run->fast) || !weights_load(model))
        return false;
    run->run = run_new(model->graph);
    if (run->run && options)
        nnefc_run_set_threads(run, options->threads);
    return run->run;
}

struct nnefc_run *nnefc_run_new_with(struct nnefc_model *model,
                                     const struct nnefc_run_options *options)
{
    if (!model || !model->graph) {
        misuse(model, "a model that is not loaded cannot be run");
        return NULL;
    }
    struct nnefc_run *run = calloc(1, sizeof *run);
    if (!run)
        arena_out_of_memory();
    run->model = model;
    model->runs++;
    if (start(run, options))
        return run;
    nnefc_run_free(run);
    return NULL;
}

struct nnefc_run *nnefc_run_new(struct nnefc_model *model)
{
    return nnefc_run_new_with(model, &(struct nnefc_run_options){.backend = "reference"});
}

void nnefc_run_free(struct nnefc_run *run)
{
    if (!run)
        return;
    run_free(run->run);
    fast_free(run->model, run->fast);
    run->model->runs--;
    while (run->kept) {
        struct kept *next = run->kept->next;
        free(run->kept);
        run->kept = next;
    }
    free(run);
}

void nnefc_run_set_threads(struct nnefc_run *run, int threads)
{
    if (!run)
        return;
    run_set_threads(run->run, threads < 0 ? 0 : threads);
    if (run->fast)
        fast_set_threads(run, threads < 0 ? 0 : threads);
}

void nnefc_run_set_progress(struct nnefc_run *run, nnefc_progress progress, void *data)
{
    if (!run)
        return;
    run_set_progress(run->run, progress, data);
    if (run->fast)
        fast_set_progress(run, progress, data);
}

/* --- inputs ------------------------------------------------------------------------------ */

static bool is_image(const struct nnefc_image *image)
{
    bool ok = image && image->mean_count >= 0 && image->mean_count <= IMAGE_CHANNELS &&
              image->scale_count >= 0 && image->scale_count <= IMAGE_CHANNELS;

    for (int i = 0; ok && i < image->scale_count; i++)
        ok = image->scale[i] != 0;
    return ok;
}

enum nnefc_status nnefc_run_set_image(struct nnefc_run *run, const struct nnefc_image *image)
{
    if (!run)
        return NNEFC_USAGE;
    if (!is_image(image))
        return misuse(run->model, "an image has up to %d means, and scales other than 0",
                      IMAGE_CHANNELS);
    struct image_options *to = &run->image;

    to->layout = image->channels_last ? IMAGE_NHWC : IMAGE_NCHW;
    to->means = image->mean_count;
    to->scales = image->scale_count;
    memcpy(to->mean, image->mean, sizeof to->mean);
    memcpy(to->scale, image->scale, sizeof to->scale);
    return NNEFC_OK;
}

static const struct value *input_value(const struct nnefc_run *run, int index)
{
    return run->model->graph->inputs[index].value;
}

static bool no_memory(const struct nnefc_run *run, const struct value *value)
{
    return diag_error(run->model->context->diag, value_span(value), DIAG_RUN_MEMORY,
                      "not enough memory for input '%s' of shape %s", VALUE_TEXT(value),
                      SHAPE_TEXT(value->shape));
}

/* Memory for the input of a parameter; false after a report. */
static bool allocate_input(const struct nnefc_run *run, const struct value *value,
                           struct tensor *tensor)
{
    const struct context *context = run->model->context;
    int64_t room = context_room(context), size = (int64_t)dtype_size((enum dtype)value->dtype);
    int64_t volume;

    if (shape_volume_checked(value->shape, room / size, &volume))
        return tensor_allocate(tensor, (enum dtype)value->dtype, value->shape) ||
               no_memory(run, value);
    diag_error(context->diag, value_span(value), DIAG_MEMORY_LIMIT,
               "input '%s' of shape %s takes more than the %" PRId64
               " bytes of memory that are left",
               VALUE_TEXT(value), SHAPE_TEXT(value->shape), room);
    diag_help(context->diag, "raise the limit with --max-memory.");
    return false;
}

static bool copy_input(struct nnefc_run *run, int index, const struct tensor *from)
{
    const struct value *wanted = input_value(run, index);
    struct tensor copy = *from;

    copy.release = NULL;
    if (!data_fits(run->model->graph, &(struct data_check){.wanted = wanted}, &copy))
        return false;
    if (!allocate_input(run, wanted, &copy))
        return false;
    memcpy(copy.data, from->data, tensor_bytes(&copy));
    run_set_input(run->run, index, &copy);
    return true;
}

static bool read_input(struct nnefc_run *run, int index, const char *path)
{
    const struct value *wanted = input_value(run, index);
    struct data_request request = {.image = {&run->image, wanted->shape},
                                   .limits = &run->model->context->limits,
                                   .room = context_room(run->model->context)};
    struct item_format format = {0};
    struct tensor tensor = {0};

    if (!data_read(run->model->context->diag, path, &request, &tensor, &format))
        return false;
    struct data_check check = {path, wanted, &format};
    bool fits = data_fits(run->model->graph, &check, &tensor);
    if (fits)
        run_set_input(run->run, index, &tensor);
    tensor_clear(&tensor);
    return fits;
}

/* Mark the arrays of the parameters in one pass: their number, and the bytes they may have. */
static int want_arrays(const struct graph *graph, const struct container *archive, int64_t *room)
{
    int count = 0;

    *room = 16 << 20;
    for (int i = 0; i < graph->ninput; i++) {
        struct member *member = npz_find(archive, graph->inputs[i].name);
        int64_t more = item_room(shape_volume(graph->inputs[i].value->shape));
        if (!member)
            continue;
        member->wanted = true;
        *room = more > INT64_MAX - *room ? INT64_MAX : *room + more;
        count++;
    }
    return count;
}

static bool take_array(struct nnefc_run *run, int index, struct container *archive,
                       struct member *member)
{
    const struct value *wanted = input_value(run, index);
    struct data_check check = {container_name(archive), wanted, NULL};
    struct tensor tensor;

    if (!npz_take(run->model->context->diag, archive,
                  &(struct npz_wanted){member, context_room(run->model->context)}, &tensor, NULL))
        return false;
    bool fits = data_fits(run->model->graph, &check, &tensor);
    if (fits)
        run_set_input(run->run, index, &tensor);
    tensor_clear(&tensor);
    return fits;
}

static bool take_arrays(struct nnefc_run *run, struct container *archive)
{
    const struct graph *graph = run->model->graph;
    struct diag *diag = run->model->context->diag;
    bool ok = true;
    int64_t room = 0, left = context_room(run->model->context);

    if (graph->ninput > 0 && want_arrays(graph, archive, &room) == 0)
        return npz_missing(diag, archive, graph->inputs[0].name);
    if (graph->ninput > 0 && !container_fetch(diag, archive, room < left ? room : left))
        return false;
    for (int i = 0; i < graph->ninput; i++) {
        struct member *member = npz_find(archive, graph->inputs[i].name);
        ok &= !member || take_array(run, i, archive, member);
    }
    return ok;
}

static bool read_inputs(struct nnefc_run *run, const char *path)
{
    const struct context *context = run->model->context;
    struct diag *diag = context->diag;
    const char *name = file_input_name(path);
    struct file_wanted wanted = {context_room(context), npz_recognise, 0};
    struct file_view file;

    if (!file_open_wanted(diag, path, &wanted, &file))
        return false;
    if (!npz_recognise(&file)) {
        file_close(&file);
        return diag_file_error(diag, name, DIAG_DATA_HEADER, "not an archive of arrays (.npz)");
    }
    struct container *archive = container_open(diag, &context->limits, name, &file, NULL);
    bool ok = archive && take_arrays(run, archive);
    container_close(archive);
    return ok;
}

static bool randomize_input(struct nnefc_run *run, int index, uint64_t seed)
{
    const struct value *wanted = input_value(run, index);
    struct random random = random_stream(seed, run->model->graph->inputs[index].name);
    struct tensor tensor;

    if (!allocate_input(run, wanted, &tensor))
        return false;
    random_fill(&random, &tensor, -1, 1);
    run_set_input(run->run, index, &tensor);
    return true;
}

/* False if no item of the tensor can be that. */
static bool fill(const struct tensor *tensor, double value)
{
    int64_t count = shape_volume(&tensor->shape);

    switch (tensor->dtype) {
    case DTYPE_SCALAR:
        for (int64_t i = 0; i < count; i++)
            ((float *)tensor->data)[i] = (float)value;
        return true;
    case DTYPE_INTEGER:
        if (!(fabs(value) <= 0x1p53 && trunc(value) >= value && trunc(value) <= value))
            return false;
        for (int64_t i = 0; i < count; i++)
            ((int64_t *)tensor->data)[i] = (int64_t)value;
        return true;
    case DTYPE_LOGICAL:
        if (!(value >= 0 && value <= 0) && !(value >= 1 && value <= 1))
            return false;
        memset(tensor->data, value > 0, (size_t)count);
        return true;
    case DTYPE_UNKNOWN:
    case DTYPE_STRING:
        break;
    }
    return false;
}

static bool fill_input(struct nnefc_run *run, int index, double value)
{
    const struct value *wanted = input_value(run, index);
    struct tensor tensor;

    if (!allocate_input(run, wanted, &tensor))
        return false;
    if (!fill(&tensor, value)) {
        tensor_clear(&tensor);
        misuse(run->model, "input '%s' is of type %s, which has no item %g", VALUE_TEXT(wanted),
               dtype_name((enum dtype)wanted->dtype), value);
        return false;
    }
    run_set_input(run->run, index, &tensor);
    return true;
}

static bool is_input(const struct nnefc_run *run, int index)
{
    return run && index >= 0 && index < run->model->graph->ninput;
}

/* Can `from` become that input?  False after a report. */
static bool may_feed(const struct nnefc_run *run, int index, const void *from)
{
    if (is_input(run, index) && from)
        return true;
    if (run && from)
        misuse(run->model, "graph '%s' has no parameter %d: there are %d", run->model->graph->name,
               index, run->model->graph->ninput);
    else if (run)
        misuse(run->model, "there is nothing to feed parameter %d from", index);
    return false;
}

enum nnefc_status nnefc_run_set_input(struct nnefc_run *run, int index,
                                      const struct nnefc_tensor *tensor)
{
    if (!may_feed(run, index, tensor))
        return NNEFC_USAGE;
    int before = nnefc_model_diagnostic_count(run->model);

    return copy_input(run, index, handle_tensor(tensor)) ? NNEFC_OK
                                                         : status_since(run->model, before);
}

enum nnefc_status nnefc_run_read_input(struct nnefc_run *run, int index, const char *path)
{
    if (!may_feed(run, index, path))
        return NNEFC_USAGE;
    int before = nnefc_model_diagnostic_count(run->model);

    return read_input(run, index, path) ? NNEFC_OK : status_since(run->model, before);
}

enum nnefc_status nnefc_run_read_inputs(struct nnefc_run *run, const char *path)
{
    if (!run || !path)
        return misuse(run ? run->model : NULL, "there is no archive to feed parameters from");
    int before = nnefc_model_diagnostic_count(run->model);

    return read_inputs(run, path) ? NNEFC_OK : status_since(run->model, before);
}

enum nnefc_status nnefc_run_randomize_input(struct nnefc_run *run, int index, uint64_t seed)
{
    if (!may_feed(run, index, &seed))
        return NNEFC_USAGE;
    int before = nnefc_model_diagnostic_count(run->model);

    return randomize_input(run, index, seed) ? NNEFC_OK : status_since(run->model, before);
}

enum nnefc_status nnefc_run_fill_input(struct nnefc_run *run, int index, double value)
{
    if (!may_feed(run, index, &value))
        return NNEFC_USAGE;
    int before = nnefc_model_diagnostic_count(run->model);

    return fill_input(run, index, value) ? NNEFC_OK : status_since(run->model, before);
}

bool nnefc_run_has_input(const struct nnefc_run *run, int index)
{
    return is_input(run, index) && run_has_input(run->run, index);
}

const struct nnefc_tensor *nnefc_run_input(const struct nnefc_run *run, int index)
{
    if (!nnefc_run_has_input(run, index))
        return NULL;
    return tensor_handle(run_input(run->run, index));
}

/* --- steps and results ------------------------------------------------------------------- */

static bool is_named(const struct value *value, const char *name)
{
    return value->name && strcmp(value->name, name) == 0;
}

static const struct value *find_result(const struct graph *graph, const char *name)
{
    for (const struct node *node = graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->nout; i++)
            if (is_named(&node->out[i], name))
                return &node->out[i];
    return NULL;
}

static const struct value *find_source(const struct source_list *list, const char *name)
{
    for (const struct source *source = list->first; source; source = source->next)
        if (is_named(source->value, name))
            return source->value;
    return NULL;
}

static const struct value *find_value(const struct graph *graph, const char *name)
{
    const struct value *value = find_result(graph, name);

    if (!value)
        value = find_source(&graph->externals, name);
    return value ? value : find_source(&graph->variables, name);
}

enum nnefc_status nnefc_run_keep(struct nnefc_run *run, const char *name)
{
    if (!run || !name)
        return misuse(run ? run->model : NULL, "there is no name of a tensor to keep");
    const struct value *value = find_value(run->model->graph, name);
    struct kept *kept = value ? malloc(sizeof *kept) : NULL;
    struct diag *diag = run->model->context->diag;

    if (!value)
        diag_file_error(diag, NULL, DIAG_INPUT_UNKNOWN, "graph '%s' has no tensor '%s' to keep",
                        run->model->graph->name, name);
    if (!kept)
        return value ? NNEFC_UNSUPPORTED : NNEFC_USAGE;
    *kept = (struct kept){value, run->kept};
    run->kept = kept;
    run_keep(run->run, value);
    if (run->fast)
        fast_forget_plan(run);
    return NNEFC_OK;
}

enum nnefc_status nnefc_run_step(struct nnefc_run *run)
{
    if (!run)
        return NNEFC_USAGE;
    int before = nnefc_model_diagnostic_count(run->model);

    run->stepped = run->fast ? fast_step(run) : run_step(run->run);
    return run->stepped ? NNEFC_OK : status_since(run->model, before);
}

static const struct tensor *output_at(const struct nnefc_run *run, int index)
{
    return run->fast ? fast_output(run, index)
                     : run_tensor(run->run, run->model->graph->outputs[index].value);
}

const struct nnefc_tensor *nnefc_run_output(const struct nnefc_run *run, int index)
{
    if (!run || !run->stepped || index < 0 || index >= run->model->graph->noutput)
        return NULL;
    return tensor_handle(output_at(run, index));
}

const struct nnefc_tensor *nnefc_run_tensor(const struct nnefc_run *run, const char *name)
{
    if (!run || !run->stepped || !name)
        return NULL;
    for (const struct kept *kept = run->kept; kept; kept = kept->next)
        if (is_named(kept->value, name))
            return tensor_handle(run->fast ? fast_kept(run, kept->value)
                                           : run_tensor(run->run, kept->value));
    return NULL;
}

const struct nnefc_tensor *nnefc_run_variable(const struct nnefc_run *run, int index)
{
    const struct source *variable = run ? variable_at(run->model, index) : NULL;

    if (!variable)
        return NULL;
    const struct tensor *held =
        run->fast ? fast_variable(run, variable->value) : run_variable(run->run, variable->value);
    return held->data ? tensor_handle(held) : NULL;
}

static bool write_outputs(const struct nnefc_run *run, const char *path)
{
    const struct graph *graph = run->model->graph;
    struct npz_array *arrays = calloc((size_t)graph->noutput + 1, sizeof *arrays);

    if (!arrays)
        return false;
    for (int i = 0; i < graph->noutput; i++)
        arrays[i] = (struct npz_array){graph->outputs[i].name, output_at(run, i)};
    bool ok = npz_write(run->model->context->diag, path, arrays, graph->noutput);
    free(arrays);
    return ok;
}

enum nnefc_status nnefc_run_write_outputs(const struct nnefc_run *run, const char *path)
{
    if (!run || !path)
        return misuse(run ? run->model : NULL, "there is no archive to write results to");
    if (!run->stepped)
        return misuse(run->model, "there are no results to write before the first step");
    int before = nnefc_model_diagnostic_count(run->model);

    return write_outputs(run, path) ? NNEFC_OK : status_since(run->model, before);
}
