/* inputs.c - what the parameters of a run are given: tensors, files, images, numbers */
#include "api/weights.h"
#include "exec/random.h"
#include "exec/run.h"
#include "file/container.h"
#include "file/file.h"
#include "file/npz.h"
#include "ir/graph.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool is_image(const struct nnefc_image *image)
{
    bool ok = image && image->mean_count >= 0 && image->mean_count <= IMAGE_CHANNELS &&
              image->scale_count >= 0 && image->scale_count <= IMAGE_CHANNELS;

    for (int i = 0; ok && i < image->scale_count; i++)
        ok = image->scale[i] != 0;
    return ok;
}

static bool set_image(struct nnefc_run *run, const struct nnefc_image *image)
{
    struct image_options *to = &run->image;

    if (!is_image(image)) {
        misuse(run->model, "an image has up to %d means, and scales other than 0", IMAGE_CHANNELS);
        return false;
    }

    to->layout = image->channels_last ? IMAGE_NHWC : IMAGE_NCHW;
    to->means = image->mean_count;
    to->scales = image->scale_count;
    memcpy(to->mean, image->mean, sizeof to->mean);
    memcpy(to->scale, image->scale, sizeof to->scale);
    return true;
}

enum nnefc_status api_run_set_image(struct nnefc_run *run, const struct nnefc_image *image)
{
    int before = run_enter(run);

    return run_leave(run, before, run && set_image(run, image));
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
    int64_t room = context_budget(context), size = (int64_t)dtype_size((enum dtype)value->dtype);
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

/* The tensor is never written to, though its items are not called const. */
static bool view_input(struct nnefc_run *run, int index, const void *items, size_t size)
{
    const struct value *wanted = input_value(run, index);
    struct tensor view = {.shape = *wanted->shape, .dtype = (enum dtype)wanted->dtype};
    size_t expected = tensor_bytes(&view);
    bool is_aligned = (uintptr_t)items % dtype_size(view.dtype) == 0;

    if (size != expected || !is_aligned) {
        misuse(run->model,
               "input '%s' is viewed in %zu bytes%s, expected %zu, aligned as %s items are",
               VALUE_TEXT(wanted), size, is_aligned ? "" : " that are not aligned", expected,
               dtype_name(view.dtype));
        return false;
    }
    memcpy(&view.data, &items, sizeof view.data);
    run_set_input(run->run, index, &view);
    return true;
}

static bool read_input(struct nnefc_run *run, int index, const char *path)
{
    const struct value *wanted = input_value(run, index);
    struct data_request request = {.image = {&run->image, wanted->shape},
                                   .limits = &run->model->context->limits,
                                   .budget = context_budget(run->model->context)};
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
        struct archive_member *member = npz_find(archive, graph->inputs[i].name);
        int64_t more = item_bytes_most(shape_volume(graph->inputs[i].value->shape));
        if (!member)
            continue;
        member->wanted = true;
        *room = more > INT64_MAX - *room ? INT64_MAX : *room + more;
        count++;
    }
    return count;
}

static bool take_array(struct nnefc_run *run, int index, struct container *archive,
                       struct archive_member *member)
{
    const struct value *wanted = input_value(run, index);
    struct data_check check = {container_name(archive), wanted, NULL};
    struct tensor tensor;

    if (!npz_take(run->model->context->diag, archive,
                  &(struct npz_request){member, context_budget(run->model->context)}, &tensor,
                  NULL))
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
    int64_t room = 0, left = context_budget(run->model->context);

    if (graph->ninput > 0 && want_arrays(graph, archive, &room) == 0)
        return npz_missing(diag, archive, graph->inputs[0].name);
    if (graph->ninput > 0 && !container_fetch(diag, archive, room < left ? room : left))
        return false;
    for (int i = 0; i < graph->ninput; i++) {
        struct archive_member *member = npz_find(archive, graph->inputs[i].name);
        ok &= !member || take_array(run, i, archive, member);
    }
    return ok;
}

static bool read_inputs(struct nnefc_run *run, const char *path)
{
    const struct context *context = run->model->context;
    struct diag *diag = context->diag;
    const char *name = file_input_name(path);
    struct file_request wanted = {context_budget(context), npz_recognise, 0};
    struct file_view file;

    if (!file_open_request(diag, path, &wanted, &file))
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

enum nnefc_status api_run_set_input(struct nnefc_run *run, int index,
                                    const struct nnefc_tensor *tensor)
{
    int before = run_enter(run);
    bool ok = may_feed(run, index, tensor) && copy_input(run, index, handle_tensor(tensor));

    return run_leave(run, before, ok);
}

enum nnefc_status api_run_view_input(struct nnefc_run *run, int index, const void *items,
                                     size_t size)
{
    int before = run_enter(run);

    return run_leave(run, before,
                     may_feed(run, index, items) && view_input(run, index, items, size));
}

enum nnefc_status api_run_read_input(struct nnefc_run *run, int index, const char *path)
{
    int before = run_enter(run);

    return run_leave(run, before, may_feed(run, index, path) && read_input(run, index, path));
}

enum nnefc_status api_run_read_inputs(struct nnefc_run *run, const char *path)
{
    int before = run_enter(run);

    if (run && !path)
        misuse(run->model, "there is no archive to feed parameters from");
    return run_leave(run, before, run && path && read_inputs(run, path));
}

enum nnefc_status api_run_randomize_input(struct nnefc_run *run, int index, uint64_t seed)
{
    int before = run_enter(run);
    bool ok = may_feed(run, index, &seed) && randomize_input(run, index, seed);

    return run_leave(run, before, ok);
}

enum nnefc_status api_run_fill_input(struct nnefc_run *run, int index, double value)
{
    int before = run_enter(run);

    return run_leave(run, before, may_feed(run, index, &value) && fill_input(run, index, value));
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
