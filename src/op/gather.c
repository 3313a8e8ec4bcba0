/*
 * gather.c - chosen sections of a tensor (section 4.5.7)
 *
 * output[p.., i.., q..] = input[p.., indices[i..], q..], where p runs along the dimensions before
 * 'axis' and q along those after it (E32: axis < rank).
 */
#include "op/check.h"

#include <assert.h>
#include <string.h>

/* Dimensions begin <= i < end of `from`, behind those that `out` has. */
static void append(struct shape *out, const struct shape *from, int begin, int end)
{
    assert(begin >= 0 && out->rank + (end > begin ? end - begin : 0) <= MAX_RANK);
    for (int i = begin; i < end; i++)
        out->extent[out->rank++] = from->extent[i];
}

static bool gather_infer(struct infer *infer)
{
    const struct gather_attrs *attrs = infer->attrs;
    const struct shape *input = infer_in(infer, 0), *indices = infer_in(infer, 1);
    struct shape *out = &infer->out[0];

    if (!check_axis(infer, "axis", attrs->axis, input->rank) ||
        !check_rank_limit(infer, input->rank + indices->rank - 1))
        return false;
    append(out, input, 0, (int)attrs->axis);
    append(out, indices, 0, indices->rank);
    append(out, input, (int)attrs->axis + 1, input->rank);
    return true;
}

static bool gather_eval(const struct eval *eval)
{
    const struct gather_attrs *attrs = eval->attrs;
    const struct tensor *input = eval->in[0];
    const int64_t *index = eval->in[1]->data;
    int axis = (int)attrs->axis;
    int64_t extent = input->shape.extent[axis], count = shape_volume(&eval->in[1]->shape);
    int64_t outer = shape_volume_range(&input->shape, 0, axis);
    int64_t inner = shape_volume_range(&input->shape, axis + 1, input->shape.rank);
    size_t size = (size_t)inner * dtype_size(input->dtype);
    const unsigned char *from = input->data;
    unsigned char *to = eval->out[0]->data;

    if (!check_indices(eval, eval->in[1], "index", extent, ""))
        return false;
    if (size == 0)
        return true;

    /* A section is `size` bytes in one piece: all that lies behind one index of 'axis'. */
    for (int64_t p = 0; p < outer; p++)
        for (int64_t i = 0; i < count; i++, to += size)
            memcpy(to, from + (size_t)(p * extent + index[i]) * size, size);
    return true;
}

DESCRIPTOR(gather, 0, .kind = "move", .infer = gather_infer, .eval = gather_eval);
