/* state.c - what a network keeps from run to run: variables that change, and random numbers */
#include "backend/c/writer.h"

#include "base/arena.h"
#include "exec/planner.h"

#include <inttypes.h>

void c_find_state(struct c_writer *writer)
{
    for (const struct node *n = writer->plan->graph->first; n; n = n->next)
        writer->keeps |= (n->op->traits & (OP_EFFECT | OP_RANDOM)) != 0;
}

/* Is it the first update of the variable's tensor? */
static bool is_first(const struct plan *plan, int renewal)
{
    for (int i = 0; i < renewal; i++)
        if (plan->renewals[i].storage == plan->renewals[renewal].storage)
            return false;
    return true;
}

void c_declare_state(struct c_writer *writer, struct text *to)
{
    const struct plan *plan = writer->plan;

    text_add(to,
             "/* What is kept from run to run: %s_reset() comes before the first one.  Random "
             "numbers\n * depend on `seed`, which may be set then, and on the number of runs. "
             "*/\nstruct %s_state {\n    uint64_t seed;\n    uint32_t cycle;\n",
             writer->options->prefix, writer->options->prefix);
    for (int i = 0; i < plan->nrenewal; i++) {
        const struct tensor *tensor = &plan->storage.tensor[plan->renewals[i].storage];
        int64_t count = shape_volume(&tensor->shape);
        if (is_first(plan, i))
            text_add(to, "    %s v%d[%" PRId64 "]; /* variable of update %d, %s%s */\n",
                     c_type_of((enum dtype)tensor->dtype)->name, plan->renewals[i].storage,
                     count + !count, i + 1, dtype_name((enum dtype)tensor->dtype),
                     SHAPE_TEXT(&tensor->shape));
    }
    text_add(to, "};\nvoid %s_reset(struct %s_state *state%s);\n\n", writer->options->prefix,
             writer->options->prefix,
             writer->options->weights == C_WEIGHTS_FILE ? ", const void *items" : "");
}

void c_write_reset(struct c_writer *writer, struct text *to)
{
    const struct plan *plan = writer->plan;
    bool file = writer->options->weights == C_WEIGHTS_FILE;

    text_add(to, "\nvoid %s_reset(struct %s_state *state%s)\n{\n", writer->options->prefix,
             writer->options->prefix, file ? ", const void *items" : "");
    if (file)
        c_open_weights(to);
    text_add(to, "    state->seed = 0;\n    state->cycle = 0;\n");
    for (int i = 0; i < plan->nrenewal; i++) {
        const struct tensor *tensor = &plan->storage.tensor[plan->renewals[i].storage];
        if (is_first(plan, i) && shape_volume(&tensor->shape) > 0)
            text_add(to, "    memcpy(state->v%d, %s, sizeof state->v%d);\n",
                     plan->renewals[i].storage, writer->initial[i], plan->renewals[i].storage);
    }
    text_add(to, "}\n");
}

/* All items of a variable as it is when planned. */
static const void *items_of(struct c_writer *writer, const struct tensor *tensor)
{
    const int64_t count = shape_volume(&tensor->shape);

    if (tensor->data || count == 0)
        return tensor->data;
    void *items = arena_array(writer->arena, (size_t)count, dtype_size((enum dtype)tensor->dtype));
    tensor_fill(items, tensor, count);
    return items;
}

/* The items that variables begin with are constants of run(). */
void c_find_initial(struct c_writer *writer)
{
    const struct plan *plan = writer->plan;

    writer->initial = arena_array_of(writer->arena, const char *, plan->nrenewal + 1);
    for (int i = 0; i < plan->nrenewal; i++) {
        const struct tensor *tensor = &plan->storage.tensor[plan->renewals[i].storage];
        enum dtype dtype = (enum dtype)tensor->dtype;
        if (is_first(plan, i))
            writer->initial[i] =
                c_block(writer,
                        &(struct c_block){items_of(writer, tensor), shape_volume(&tensor->shape),
                                          dtype, c_type_of(dtype), NULL},
                        &writer->data);
    }
}

/* Updates take effect when all is done, so that the next run finds them. */
void c_write_renewals(struct c_writer *writer, struct text *calls)
{
    const struct plan *plan = writer->plan;

    for (int swaps = 0; swaps < 2; swaps++)
        for (int i = 0; i < plan->nrenewal; i++) {
            const struct renewal *r = &plan->renewals[i];
            if (r->swaps != (swaps == 1) || r->size == 0)
                continue;
            text_add(calls, "    memcpy(state->v%d, ", r->storage);
            c_add_address(writer, calls, NULL, r->buffer);
            text_add(calls, ", %zu);\n", r->size);
        }
    if (writer->keeps)
        text_add(calls, "    state->cycle++;\n");
}
