/* plain.c - steps that read and write in plain layout, and their nodes without state */
#include "backend/c/c.h"

#include "exec/planner.h"

/* Integers that lie as bytes are made wide for kernels that do not take any type. */
bool c_make_plain(struct planner *planner, const struct group *group, struct step *step,
                  const struct c_kernel *kernel)
{
    const struct node *node = group->nodes[0];
    bool ok = true;

    step->kernel = &kernel->kernel;
    for (uint32_t i = 0; i < node->nin && ok; i++)
        ok = kernel->narrow ? plan_read(planner, step, node->in[i].value, LAYOUT_PLAIN)
                            : plan_read_wide(planner, step, node->in[i].value);
    for (uint32_t i = 0; i < node->nout && ok; i++)
        ok = plan_write(planner, step, &node->out[i]);
    return ok;
}
