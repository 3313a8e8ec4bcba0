/* remap.c - results whose items are items of one operand */
#include "op/remap.h"

#include "op/compute.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Offsets into the operand: one table per dimension, their sum belongs to an item. */
struct offsets {
    const struct eval *eval;
    const struct shape *shape; /* of the result */
    int64_t *table[MAX_RANK];  /* OUTSIDE: fill */
    int64_t *memory;
    float fill;
};

static int64_t input_axis(const struct remap *remap, int axis)
{
    assert(axis >= 0 && axis < MAX_RANK);
    return axis < remap->naxes ? remap->axes[axis] : axis;
}

static void fill_table(const struct remap *remap, int axis, int64_t extent, int64_t stride,
                       int64_t *table)
{
    for (int64_t i = 0; i < extent; i++) {
        int64_t from = remap->coordinate ? remap->coordinate(remap->context, axis, i) : i;
        table[i] = from == OUTSIDE ? OUTSIDE : from * stride;
    }
}

static bool offsets_begin(const struct eval *eval, const struct remap *remap,
                          struct offsets *offsets)
{
    const struct shape *in = &eval->in[0]->shape, *out = &eval->out[0]->shape;
    int64_t stride[MAX_RANK] = {0}, total = 0, *at;

    for (int i = 0; i < out->rank; i++)
        total += out->extent[i];
    *offsets = (struct offsets){.eval = eval, .shape = out, .fill = remap->fill};
    offsets->memory = at = calloc((size_t)total + 1, sizeof *at);
    if (!at) {
        eval_error(eval, DIAG_RUN_MEMORY, "not enough memory to run '%s'", eval->node->op->name);
        return false;
    }
    shape_strides(in, stride);
    for (int i = 0; i < out->rank; i++) {
        offsets->table[i] = at;
        fill_table(remap, i, out->extent[i], stride[input_axis(remap, i)], at);
        at += out->extent[i];
    }
    return true;
}

/* Where the inputs of a row begin; OUTSIDE if all of it is filled. */
static int64_t row_offset(const struct offsets *offsets, int64_t row)
{
    int64_t sum = 0;

    for (int i = offsets->shape->rank - 2; i >= 0; i--) {
        int64_t offset = offsets->table[i][row % offsets->shape->extent[i]];
        if (offset == OUTSIDE)
            return OUTSIDE;
        sum += offset;
        row /= offsets->shape->extent[i];
    }
    return sum;
}

static void copy_item(unsigned char *to, const unsigned char *from, size_t size)
{
    if (size == sizeof(float))
        memcpy(to, from, sizeof(float));
    else if (size == sizeof(int64_t))
        memcpy(to, from, sizeof(int64_t));
    else
        *to = *from;
}

static void copy_row(const void *data, int64_t row)
{
    const struct offsets *offsets = data;
    const struct tensor *in = offsets->eval->in[0], *out = offsets->eval->out[0];
    int last = out->shape.rank - 1;
    int64_t base = row_offset(offsets, row), count = out->shape.extent[last];
    const int64_t *table = offsets->table[last];
    size_t size = dtype_size(out->dtype);
    const unsigned char *from = in->data;
    unsigned char *to = (unsigned char *)out->data + (size_t)(row * count) * size;

    assert(last >= 0 && row >= 0);
    for (int64_t i = 0; i < count; i++, to += size)
        if (base == OUTSIDE || table[i] == OUTSIDE)
            memcpy(to, &offsets->fill, sizeof offsets->fill);
        else
            copy_item(to, from + (size_t)(base + table[i]) * size, size);
}

bool remap_run(const struct eval *eval, const struct remap *remap)
{
    const struct tensor *in = eval->in[0], *out = eval->out[0];
    struct offsets offsets;

    assert(in->dtype == out->dtype);
    if (shape_volume(&out->shape) == 0)
        return true;
    if (out->shape.rank == 0) {
        memcpy(out->data, in->data, dtype_size(out->dtype));
        return true;
    }
    if (!offsets_begin(eval, remap, &offsets))
        return false;
    eval_share(eval, shape_volume_range(&out->shape, 0, out->shape.rank - 1), copy_row, &offsets);
    free(offsets.memory);
    return true;
}
