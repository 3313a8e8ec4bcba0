/* remap.c - results whose items are items of one operand */
#include "op/remap.h"

#include "op/compute.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Offsets into the operand: one table per dimension, their sum belongs to an item. */
struct offsets {
    const struct eval *eval;
    int64_t *table[MAX_RANK]; /* OUTSIDE: fill */
    float fill;
};

/* Items of the last dimension, whose inputs begin where the other dimensions say. */
static void copy_row(const void *data, int64_t row)
{
    const struct offsets *offsets = data;
    const struct tensor *in = offsets->eval->in[0], *out = offsets->eval->out[0];
    int last = out->shape.rank - 1;
    int64_t base = 0, rest = row, count = out->shape.extent[last];
    const int64_t *table = offsets->table[last];
    size_t size = dtype_size(out->dtype);
    const unsigned char *from = in->data;
    unsigned char *to = (unsigned char *)out->data + (size_t)(row * count) * size;

    assert(last >= 0 && row >= 0);
    for (int i = last - 1; i >= 0 && base != OUTSIDE; i--) {
        int64_t offset = offsets->table[i][rest % out->shape.extent[i]];
        base = offset == OUTSIDE ? OUTSIDE : base + offset;
        rest /= out->shape.extent[i];
    }
    for (int64_t i = 0; i < count; i++, to += size) {
        bool filled = base == OUTSIDE || table[i] == OUTSIDE;
        const void *item = filled ? (const void *)&offsets->fill
                                  : (const void *)(from + (size_t)(base + table[i]) * size);
        if (size == sizeof(float)) /* sizes that compilers know become single moves */
            memcpy(to, item, sizeof(float));
        else if (size == sizeof(int64_t))
            memcpy(to, item, sizeof(int64_t));
        else
            memcpy(to, item, 1);
    }
}

bool remap_run(const struct eval *eval, const struct remap *remap)
{
    const struct tensor *in = eval->in[0], *out = eval->out[0];
    const struct shape *shape = &out->shape;
    struct offsets offsets = {.eval = eval, .fill = remap->fill};
    int64_t stride[MAX_RANK] = {0}, total = 0;

    assert(in->dtype == out->dtype && in->shape.rank <= shape->rank && remap->naxes <= MAX_RANK);
    if (shape_volume(shape) == 0)
        return true;
    if (shape->rank == 0) {
        memcpy(out->data, in->data, dtype_size(out->dtype));
        return true;
    }
    for (int i = 0; i < shape->rank; i++)
        total += shape->extent[i];
    int64_t *memory = calloc((size_t)total + 1, sizeof *memory), *at = memory;
    if (!memory)
        return eval_no_memory(eval);

    /* One table after the other. */
    shape_strides(&in->shape, stride);
    for (int axis = 0; axis < shape->rank; axis++) {
        int64_t step = stride[axis < remap->naxes ? remap->axes[axis] : axis];
        offsets.table[axis] = at;
        for (int64_t i = 0; i < shape->extent[axis]; i++) {
            int64_t from = remap->coordinate ? remap->coordinate(remap->context, axis, i) : i;
            *at++ = from == OUTSIDE ? OUTSIDE : from * step;
        }
    }
    eval_share(eval, shape_volume_range(shape, 0, shape->rank - 1), copy_row, &offsets);
    free(memory);
    return true;
}
