/*
 * select.c - choice between operands, item by item (NNEF 1.0.5, sections 4.2.3 and 4.2.4)
 *
 *     select: output[i] = condition[i] ? true_value[i] : false_value[i]
 *     clamp:  y[i] = max(min(x[i], b[i]), a[i])
 */
#include "op/broadcast.h"

#include "base/num.h"

#include <string.h>

static void select_run(const void *data, const struct item_run *run)
{
    const struct eval *eval = data;
    size_t size = dtype_size(eval->out[0]->dtype);
    const unsigned char *condition = eval->in[0]->data;
    unsigned char *to = (unsigned char *)eval->out[0]->data + (size_t)run->first * size;

    for (int64_t i = 0; i < run->count; i++, to += size) {
        int chosen = condition[run->at[0] + i * run->step[0]] ? 1 : 2;
        int64_t at = run->at[chosen] + i * run->step[chosen];
        memcpy(to, (const unsigned char *)eval->in[chosen]->data + (size_t)at * size, size);
    }
}

static bool select_eval(const struct eval *eval)
{
    struct walk walk;

    walk_init(&walk, &eval->out[0]->shape, eval->in, 3);
    walk_share(eval, &walk, select_run, eval);
    return true;
}

static void apply_clamp(struct items *items)
{
    const double *x = items->in[0], *low = items->in[1], *high = items->in[2];

    for (int64_t i = 0; i < items->count; i++)
        items->out[i] = num_greater(num_lesser(x[i], high[i]), low[i]);
}

DESCRIPTOR(select, OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT, .infer = infer_broadcast,
           .eval = select_eval, .expression = "x != 0 ? y : z");

DESCRIPTOR(clamp, OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT, .infer = infer_broadcast,
           .eval = eval_items, .apply = apply_clamp,
           .expression = "num_greater(num_lesser(x, z), y)");
