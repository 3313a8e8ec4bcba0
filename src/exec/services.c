/* services.c - what makers of steps ask a planner about; see backend.h */
#include "exec/services.h"

#include "exec/planner.h"
#include "op/window.h"

int plan_threads(const struct planner *planner)
{
    return planner->plan->threads;
}

bool plan_is_exact(const struct planner *planner)
{
    return planner->plan->exact;
}

bool plan_is(const struct planner *planner, const struct node *node, enum op_id op)
{
    (void)planner;
    return node->op == op_table[op];
}

bool plan_ends(const struct planner *planner, const struct task *task, const struct value *value)
{
    uint32_t reads = 0;

    if (value->kind != VALUE_RESULT)
        return false;
    for (int i = 0; i < task->count; i++)
        for (uint32_t k = 0; k < task->nodes[i]->nin; k++)
            reads += task->nodes[i]->in[k].value == value;
    return planner->left[value->id] == reads;
}

struct window plan_window(const struct planner *planner, const struct node *node)
{
    bool reverse = plan_is(planner, node, OP_deconv);
    const struct shape *out = node->out[0].shape;
    struct window_source source = {.attrs = node->attrs,
                                   .input = node->in[0].value->shape,
                                   .rank = out->rank,
                                   .reverse = reverse};

    if (reverse || plan_is(planner, node, OP_conv)) {
        source.filter = node->in[1].value->shape;
        source.first = 2;
    }
    return window_of(&source, out);
}

const struct plan_services plan_services = {
    .constant = plan_constant,
    .read = plan_read,
    .write = plan_write,
    .memory = plan_memory,
    .threads = plan_threads,
    .is_exact = plan_is_exact,
    .is = plan_is,
    .ends = plan_ends,
    .window = plan_window,
    .release = plan_release,
};
