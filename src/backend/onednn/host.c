/* host.c - the functions of exec/backend.h, done by the nnefc that has opened the plugin */
#include "exec/services.h"
#include "op/window.h"

static const struct plan_services *services(const struct planner *planner)
{
    const struct planner_face *face = (const void *)planner;

    return face->services;
}

const struct tensor *plan_constant(const struct planner *planner, const struct value *value)
{
    return services(planner)->constant(planner, value);
}

bool plan_read(struct planner *planner, struct step *step, const struct value *value,
               enum layout layout)
{
    return services(planner)->read(planner, step, value, layout);
}

bool plan_write(struct planner *planner, struct step *step, const struct value *value)
{
    return services(planner)->write(planner, step, value);
}

void *plan_memory(struct planner *planner, size_t bytes)
{
    return services(planner)->memory(planner, bytes);
}

int plan_threads(const struct planner *planner)
{
    return services(planner)->threads(planner);
}

bool plan_is(const struct planner *planner, const struct node *node, enum op_id op)
{
    return services(planner)->is(planner, node, op);
}

bool plan_ends(const struct planner *planner, const struct task *task, const struct value *value)
{
    return services(planner)->ends(planner, task, value);
}

struct window plan_window(const struct planner *planner, const struct node *node)
{
    return services(planner)->window(planner, node);
}

void plan_release(struct planner *planner, const struct value *value)
{
    services(planner)->release(planner, value);
}
