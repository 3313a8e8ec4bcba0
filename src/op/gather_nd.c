/*
 * gather_nd.c - gather_elements and gather_nd, of the extensions
 *
 *     gather_elements: output[p.., i, q..] = input[p.., indices[p.., i, q..], q..], i along 'axis'
 *     gather_nd: output[b.., p.., q..] = input[b.., indices[b.., p.., 0], indices[b.., p.., 1]..,
 * q..]
 */
#include "op/check.h"
#include "op/compute.h"
#include "op/lookup.h"

#include <string.h>

static bool gather_elements_infer(struct infer *infer)
{
    const struct gather_elements_attrs *attrs = infer->attrs;

    return infer_elements(infer, attrs->axis, &infer->out[0]);
}

static bool gather_nd_infer(struct infer *infer)
{
    const struct gather_nd_attrs *attrs = infer->attrs;

    return infer_sections(infer, attrs->batch, &infer->out[0]);
}

struct gathering {
    const struct eval *eval;
    struct lookup lookup;
    size_t item, part; /* bytes */
};

static void copy_row(const void *data, int64_t number)
{
    const struct gathering *g = data;
    const unsigned char *from = g->eval->in[0]->data;
    unsigned char *to = g->eval->out[0]->data;
    struct lookup_row row = lookup_begin(&g->lookup, number);

    to += (size_t)(number * g->lookup.length) * g->part;
    for (int64_t i = 0; i < g->lookup.length; i++, to += g->part) {
        const unsigned char *part = from + (size_t)lookup_next(&row) * g->item;
        if (g->part == sizeof(float)) /* the usual size, by one instruction */
            memcpy(to, part, sizeof(float));
        else
            memcpy(to, part, g->part);
    }
}

static bool gather_eval(const struct eval *eval)
{
    struct gathering g = {
        .eval = eval, .lookup = lookup_of(eval), .item = dtype_size(eval->in[0]->dtype)};

    g.part = (size_t)g.lookup.size * g.item;
    if (!lookup_check(eval, &g.lookup))
        return false;
    if (shape_volume(&eval->out[0]->shape) > 0)
        eval_share(eval, shape_volume(&g.lookup.rows), copy_row, &g);
    return true;
}

DESCRIPTOR(gather_elements, 0, .kind = "move", .infer = gather_elements_infer, .eval = gather_eval,
           .unroll = unroll_gather_elements);

DESCRIPTOR(gather_nd, 0, .kind = "move", .infer = gather_nd_infer, .eval = gather_eval,
           .unroll = unroll_gather_nd);
