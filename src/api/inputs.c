/*
 * inputs.c - what the parameters of a run are given: tensors, files, images, numbers (nnefc.h)
 *
 * A run copies what it is given, but for items that are only viewed.
 */
#include "api/open.h"
#include "api/weights.h"
#include "base/num.h"
#include "exec/random.h"
#include "file/container.h"
#include "file/npz.h"
#include "ir/graph.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Is it as nnefc.h says? */
static bool is_valid(const struct nnefc_image *image)
{
    bool ok = image->mean_count >= 0 && image->mean_count <= IMAGE_CHANNELS &&
              image->scale_count >= 0 && image->scale_count <= IMAGE_CHANNELS;

    for (int i = 0; ok && i < image->scale_count; i++)
        ok = image->scale[i] != 0;
    return ok;
}

/* Holds for images that are read from now on; all of it or nothing is changed. */
bool api_run_set_image(struct nnefc_run *run, const struct nnefc_image *image)
{
    struct image_options *to = &run->image;
    struct nnefc_image taken;

    if (!settings_take(run->model, image, &taken, sizeof taken))
        return false;
    if (!image || !is_valid(&taken))
        return misuse(run->model, "an image has up to %d means, and scales other than 0",
                      IMAGE_CHANNELS);
    static_assert(sizeof to->mean == sizeof taken.mean, "one mean for each channel");
    to->layout = taken.channels_last ? IMAGE_NHWC : IMAGE_NCHW;
    to->means = taken.mean_count;
    to->scales = taken.scale_count;
    memcpy(to->mean, taken.mean, sizeof to->mean);
    memcpy(to->scale, taken.scale, sizeof to->scale);
    return true;
}

/* The value of the graph that a parameter stands for. */
static const struct value *input_value(const struct nnefc_run *run, int index)
{
    assert(index >= 0 && index < model_interface(run->model)->ninput);
    return model_interface(run->model)->inputs[index].value;
}

/* Can `from` become that input?  False after a report. */
static bool may_feed(const struct nnefc_run *run, int index, const void *from)
{
    const struct graph *graph = model_interface(run->model);

    if (!from)
        return misuse(run->model, "there is nothing to feed parameter %d from", index);
    return (index >= 0 && index < graph->ninput) ||
           misuse(run->model, "graph '%s' has no parameter %d: there are %d", graph->name, index,
                  graph->ninput);
}

bool allocate_input(const struct nnefc_run *run, const struct value *value,
                    const struct shape *shape, struct tensor *tensor)
{
    const struct context *context = run->model->context;
    enum dtype dtype = (enum dtype)value->dtype;
    int64_t room = context_budget(context), size = (int64_t)dtype_size(dtype), volume;

    assert(size > 0);
    if (shape_volume_checked(shape, room / size, &volume))
        return tensor_allocate(tensor, dtype, shape) ||
               diag_error(context->diag, value_span(value), DIAG_RUN_MEMORY,
                          "not enough memory for input '%s' of shape %s", VALUE_TEXT(value),
                          SHAPE_TEXT(value->shape));
    diag_error(context->diag, value_span(value), DIAG_MEMORY_LIMIT,
               "input '%s' of shape %s takes more than the %" PRId64
               " bytes of memory that are left",
               VALUE_TEXT(value), SHAPE_TEXT(shape), room);
    return diag_help(context->diag, "raise the limit with --max-memory.");
}

/* --- tensors and memory of the client ------------------------------------------------------ */

bool api_run_set_input(struct nnefc_run *run, int index, const struct nnefc_tensor *tensor)
{
    if (!may_feed(run, index, tensor))
        return false;
    const struct tensor *from = handle_tensor(tensor);
    const struct value *wanted = input_value(run, index);
    struct tensor copy = *from;
    copy.release = NULL; /* the client's memory stays the client's */
    if (!data_fits(model_interface(run->model), &(struct data_check){.wanted = wanted}, &copy) ||
        !allocate_input(run, wanted, &copy.shape, &copy))
        return false;
    memcpy(copy.data, from->data, tensor_bytes(&copy));
    run_set_input(run->run, index, &copy);
    return true;
}

/* The tensor is never written to, though its items are not called const. */
static bool view(struct nnefc_run *run, int index, const struct shape *shape, const void *items,
                 size_t size)
{
    const struct value *wanted = input_value(run, index);
    struct tensor view = {.shape = *shape, .dtype = (enum dtype)wanted->dtype};
    size_t expected = tensor_bytes(&view);
    bool is_aligned = (uintptr_t)items % dtype_size(view.dtype) == 0;

    if (size != expected || !is_aligned)
        return misuse(run->model,
                      "input '%s' is viewed in %zu bytes%s, expected %zu, aligned as %s items are",
                      VALUE_TEXT(wanted), size, is_aligned ? "" : " that are not aligned", expected,
                      dtype_name(view.dtype));
    memcpy(&view.data, &items, sizeof view.data);
    if (!shape_fits(model_interface(run->model), &(struct data_check){.wanted = wanted}, &view))
        return false;
    run_set_input(run->run, index, &view);
    return true;
}

bool api_run_view_input(struct nnefc_run *run, int index, const void *items, size_t size)
{
    if (!may_feed(run, index, items))
        return false;
    const struct shape *shape = input_value(run, index)->shape;
    return shape_known(shape)
               ? view(run, index, shape, items, size)
               : misuse(run->model, "input '%s' of shape %s has no single shape to be viewed in",
                        VALUE_TEXT(input_value(run, index)), SHAPE_TEXT(shape));
}

/* The shape of the type that a client gives an input; false after a report. */
static bool take_shape(const struct nnefc_run *run, int index, const struct nnefc_type *type,
                       struct shape *shape)
{
    enum dtype dtype = input_value(run, index)->dtype;
    bool ok = type->rank >= 0 && type->rank <= MAX_RANK;
    int64_t volume;

    if (type->dtype != NNEFC_DTYPE_UNKNOWN && (enum dtype)type->dtype != dtype)
        return misuse(run->model, "input '%s' is of type %s, not %s",
                      VALUE_TEXT(input_value(run, index)), dtype_name(dtype),
                      nnefc_dtype_name(type->dtype));
    *shape = (struct shape){.rank = type->rank};
    for (int i = 0; i < type->rank && ok; i++) {
        shape->extent[i] = type->extent[i];
        ok = type->extent[i] >= 0;
    }
    return (ok && shape_volume_checked(shape, run->model->context->limits.volume, &volume)) ||
           misuse(run->model,
                  "an input has a rank from 0 to %d, and extents of 0 or more whose product is "
                  "within the limit",
                  MAX_RANK);
}

bool api_run_view_input_as(struct nnefc_run *run, int index, const struct nnefc_type *type,
                           const void *items, size_t size)
{
    struct shape shape;

    return may_feed(run, index, type ? items : NULL) && take_shape(run, index, type, &shape) &&
           view(run, index, &shape, items, size);
}

/* --- files --------------------------------------------------------------------------------- */

/* A tensor that was read becomes an input if it fits.  The run takes its memory over. */
static bool feed(struct nnefc_run *run, int index, const struct data_check *check,
                 struct tensor *tensor)
{
    bool fits = data_fits(model_interface(run->model), check, tensor);

    if (fits)
        run_set_input(run->run, index, tensor);
    tensor_clear(tensor); /* after it was handed over there is nothing left to free */
    return fits;
}

bool api_run_read_input(struct nnefc_run *run, int index, const char *path)
{
    if (!may_feed(run, index, path))
        return false;
    const struct value *wanted = input_value(run, index);
    const struct context *context = run->model->context;
    const struct data_request request = {.image = {&run->image, wanted->shape},
                                         .limits = &context->limits,
                                         .budget = context_budget(context)};
    struct item_format format = {0};
    struct tensor tensor = {0};
    return data_read(context->diag, path, &request, &tensor, &format) &&
           feed(run, index, &(struct data_check){path, wanted, &format}, &tensor);
}

/* Feed each parameter the array of its name.  The arrays are marked first and fetched in one pass
 * over the archive, in as much memory as they may have. */
static bool feed_arrays(struct nnefc_run *run, struct container *archive)
{
    const struct graph *graph = model_interface(run->model);
    struct context *context = run->model->context;
    int64_t room = 16 << 20, left = context_budget(context); /* some to be wrong about */
    bool ok = true;
    int count = 0;

    for (int i = 0; i < graph->ninput; i++) {
        struct archive_member *member = npz_find(archive, graph->inputs[i].name);
        const struct shape *shape = graph->inputs[i].value->shape;
        int64_t more = shape_known(shape) ? item_bytes_most(shape_volume(shape)) : left;
        if (!member)
            continue;
        member->wanted = true; /* container_fetch() unpacks these only */
        room = num_add_most(room, more);
        count++;
    }
    if (graph->ninput > 0 && count == 0)
        return npz_missing(context->diag, archive, graph->inputs[0].name);
    if (graph->ninput > 0 && !container_fetch(context->diag, archive, room < left ? room : left))
        return false;
    for (int i = 0; i < graph->ninput; i++) {
        struct archive_member *member = npz_find(archive, graph->inputs[i].name);
        const struct data_check check = {container_name(archive), input_value(run, i), NULL};
        struct tensor tensor;
        if (!member)
            continue;
        const struct npz_request request = {member, context_budget(context)};
        ok &= npz_take(context->diag, archive, &request, &tensor, NULL) &&
              feed(run, i, &check, &tensor);
    }
    return ok;
}

bool api_run_read_inputs(struct nnefc_run *run, const char *path)
{
    const struct context *context = run->model->context;
    const struct file_request wanted = {.budget = context_budget(context),
                                        .known = npz_recognise,
                                        .read = context->limits.read_files,
                                        .fed = true};
    struct file_view file;

    if (!path)
        return misuse(run->model, "there is no archive to feed parameters from");
    if (!file_open(context->diag, path, &wanted, &file))
        return false;
    if (!npz_recognise(&file)) {
        file_close(&file);
        return diag_file_error(context->diag, file_input_name(path), DIAG_DATA_HEADER,
                               "not an archive of arrays (.npz)");
    }
    struct container *archive =
        container_open(context->diag, &context->limits, file_input_name(path), &file, NULL);
    bool ok = archive && feed_arrays(run, archive);
    container_close(archive);
    return ok;
}

/* --- numbers ------------------------------------------------------------------------------- */

/* Each parameter has a stream of its own, by its name: the order of calls does not matter. */
static bool randomize(struct nnefc_run *run, int index, const struct shape *shape, uint64_t seed)
{
    const struct graph *graph = model_interface(run->model);
    const struct value *wanted = input_value(run, index);
    struct tensor tensor = {.shape = *shape, .dtype = (enum dtype)wanted->dtype};

    if (!shape_fits(graph, &(struct data_check){.wanted = wanted}, &tensor) ||
        !allocate_input(run, wanted, shape, &tensor))
        return false;
    struct random random = random_stream(seed, graph->inputs[index].name);
    random_fill(&random, &tensor, -1, 1);
    run_set_input(run->run, index, &tensor);
    return true;
}

bool api_run_randomize_input(struct nnefc_run *run, int index, uint64_t seed)
{
    struct shape shape;

    return may_feed(run, index, &seed) && open_shape(run, index, &shape) &&
           randomize(run, index, &shape, seed);
}

bool api_run_randomize_input_as(struct nnefc_run *run, int index, const struct nnefc_type *type,
                                uint64_t seed)
{
    struct shape shape;

    return may_feed(run, index, type) && take_shape(run, index, type, &shape) &&
           randomize(run, index, &shape, seed);
}

/* Set all items; false if no item of that type has the value. */
static bool fill(const struct tensor *tensor, double value)
{
    int64_t count = shape_volume(&tensor->shape);

    switch (tensor->dtype) {
    case DTYPE_SCALAR:
        for (int64_t i = 0; i < count; i++)
            ((float *)tensor->data)[i] = (float)value;
        return true;
    case DTYPE_INTEGER: /* up to where a double has all integers */
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

/* Does a scalar hold the number?  If not that is warned of; false if it is an error. */
static bool is_held(const struct nnefc_run *run, const struct value *input, double number)
{
    struct diag *diag = run->model->context->diag;
    int errors = diag_error_count(diag);

    if (input->dtype == DTYPE_SCALAR && !float_holds(number))
        diag_warning(diag, value_span(input), WARNING_DOUBLE_PRECISION,
                     "input '%s' is filled with %g, but %g in the 32 bits that nnefc computes with",
                     VALUE_TEXT(input), number, (double)(float)number);
    return diag_error_count(diag) == errors;
}

bool api_run_fill_input(struct nnefc_run *run, int index, double value)
{
    struct tensor tensor = {0};
    struct shape shape;

    if (!may_feed(run, index, &value) || !open_shape(run, index, &shape))
        return false;
    const struct value *wanted = input_value(run, index);
    if (!is_held(run, wanted, value) || !allocate_input(run, wanted, &shape, &tensor))
        return false;
    if (fill(&tensor, value))
        return feed(run, index, &(struct data_check){.wanted = wanted}, &tensor);
    tensor_clear(&tensor);
    return misuse(run->model, "input '%s' is of type %s, which has no item %g", VALUE_TEXT(wanted),
                  dtype_name((enum dtype)wanted->dtype), value);
}

/* --- looking at them ----------------------------------------------------------------------- */

bool nnefc_run_has_input(const struct nnefc_run *run, int index)
{
    return run && index >= 0 && index < model_interface(run->model)->ninput &&
           run_has_input(run->run, index);
}

const struct nnefc_tensor *nnefc_run_input(const struct nnefc_run *run, int index)
{
    if (!nnefc_run_has_input(run, index))
        return NULL;
    return tensor_handle(run_input(run->run, index));
}
