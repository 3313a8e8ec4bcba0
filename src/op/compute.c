/* compute.c - a single node, computed by its kernel, which threads may share */
#include "op/compute.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/team.h"

#include <assert.h>
#include <stdlib.h>

/* --- what it takes ------------------------------------------------------------------------ */

static int64_t volume_of(const struct value *value)
{
    int64_t volume;

    return shape_volume_checked(value->shape, INT64_MAX, &volume) ? volume : INT64_MAX;
}

int64_t node_work(const struct node *node)
{
    int64_t items = 0;

    for (uint32_t i = 0; i < node->nin; i++)
        items = num_add_most(items, volume_of(node->in[i].value));
    for (uint32_t i = 0; i < node->nout; i++)
        items = num_add_most(items, volume_of(&node->out[i]));
    return items > node->work ? items : node->work;
}

/* --- computing it -------------------------------------------------------------------------- */

/* Operands with all items, as kernels read them; false: there is not enough memory. */
static bool fill_operands(const struct node *node, const struct tensor *const *in,
                          struct tensor *whole, const struct tensor **filled)
{
    bool ok = true;

    for (uint32_t i = 0; i < node->nin && ok; i++) {
        const struct shape *shape = node->in[i].value->shape;
        const bool fill = !tensor_is_whole(in[i], shape);
        filled[i] = fill ? &whole[i] : in[i];
        ok = !fill || tensor_spread(&whole[i], in[i], shape);
    }
    return ok;
}

bool node_compute(const struct node *node, const struct tensor *const *in, struct tensor *out,
                  struct diag *diag)
{
    struct tensor **results = calloc((size_t)node->nout + 1, sizeof *results);
    struct tensor *whole = calloc((size_t)node->nin + 1, sizeof *whole);
    const struct tensor **filled = calloc((size_t)node->nin + 1, sizeof *filled);
    const struct eval eval = {
        .node = node, .attrs = node->attrs, .in = filled, .out = results, .diag = diag};

    assert(node->op->eval && !node->op->introduces);
    if (!results || !whole || !filled)
        arena_out_of_memory();
    for (uint32_t i = 0; i < node->nout; i++) {
        out[i] = (struct tensor){.data = NULL};
        results[i] = &out[i];
    }
    bool ok = fill_operands(node, in, whole, filled) ||
              eval_error(&eval, DIAG_RUN_MEMORY, "not enough memory for the operands");
    for (uint32_t i = 0; i < node->nout && ok; i++) {
        const struct value *value = &node->out[i];
        if (!tensor_allocate(&out[i], (enum dtype)value->dtype, value->shape))
            ok = eval_error(&eval, DIAG_RUN_MEMORY, "not enough memory for a tensor of shape %s",
                            SHAPE_TEXT(value->shape));
    }
    ok = ok && node->op->eval(&eval);
    for (uint32_t i = 0; i < node->nout && !ok; i++)
        tensor_clear(&out[i]);
    for (uint32_t i = 0; i < node->nin; i++)
        tensor_clear(&whole[i]);
    free(filled);
    free(whole);
    free(results);
    return ok;
}

/* --- loops that threads share -------------------------------------------------------------- */

/* Items that take about ten microseconds: as long as it takes to wake a thread. */
enum { PART_WORK = 16384 };

struct loop {
    share_each *each;
    const void *data;
};

static void do_part(void *data, int64_t begin, int64_t end, int member)
{
    const struct loop *loop = data;

    (void)member;
    for (int64_t i = begin; i < end; i++)
        loop->each(loop->data, i);
}

void eval_share_part(const struct eval *eval, int64_t count, int64_t work, share_each *each,
                     const void *data)
{
    struct loop loop = {each, data};

    assert(count >= 0 && work >= 0);
    team_share(eval->team, count, PART_WORK / (work > 0 ? work : 1), do_part, &loop);
}

void eval_share(const struct eval *eval, int64_t count, share_each *each, const void *data)
{
    int64_t work = eval->team && count > 0 ? node_work(eval->node) / count : 0;

    eval_share_part(eval, count, work, each, data);
}
