/*
 * tile.c - repetition along dimensions (section 4.5.6)
 *
 * output[.., i, ..] = input[.., i mod extent, ..]
 */
#include "op/check.h"
#include "op/remap.h"

#include "base/num.h"

#include <assert.h>
#include <inttypes.h>

static bool tile_infer(struct infer *infer)
{
    const struct tile_attrs *attrs = infer->attrs;
    struct shape *out = &infer->out[0];

    *out = *infer_in(infer, 0);
    if (!check_count(infer, "repeats", attrs->repeats.count, out->rank))
        return false;
    for (int i = 0; i < out->rank; i++)
        if (!num_mul(out->extent[i], attrs->repeats.item[i], &out->extent[i]))
            return infer_error(infer, "repeats", DIAG_VOLUME_LIMIT,
                               "%" PRId64 " repeats in dimension %d are too many",
                               attrs->repeats.item[i], i);
    return true;
}

static int64_t tile_coordinate(const void *context, int axis, int64_t i)
{
    const struct shape *input = context;

    return i % input->extent[axis];
}

static bool tile_eval(const struct eval *eval)
{
    struct remap remap = {.coordinate = tile_coordinate, .context = &eval->in[0]->shape};

    assert(eval->node->nin == 1);
    return remap_run(eval, &remap);
}

DESCRIPTOR(tile, OP_ANY_LAYOUT | OP_MOVES, .kind = "move", .infer = tile_infer, .eval = tile_eval);
