/*
 * services.h - how a backend in a plugin reaches the planner
 *
 * A plugin is not linked with nnefc, whose functions are hidden: those of backend.h that it needs
 * come in a table with the planner.  The plugin's own functions of these names pass calls on.
 */
#ifndef NNEFC_EXEC_SERVICES_H
#define NNEFC_EXEC_SERVICES_H

#include "exec/backend.h"

struct plan_services {
    const struct tensor *(*constant)(const struct planner *planner, const struct value *value);
    bool (*read)(struct planner *planner, struct step *step, const struct value *value,
                 enum layout layout);
    bool (*write)(struct planner *planner, struct step *step, const struct value *value);
    void *(*memory)(struct planner *planner, size_t bytes);
    int (*threads)(const struct planner *planner);
    bool (*is_exact)(const struct planner *planner);
    bool (*is)(const struct planner *planner, const struct node *node, enum op_id op);
    bool (*ends)(const struct planner *planner, const struct task *task, const struct value *value);
    struct window (*window)(const struct planner *planner, const struct node *node);
    void (*release)(struct planner *planner, const struct value *value);
};

extern const struct plan_services plan_services;

/* What every planner begins with. */
struct planner_face {
    const struct plan_services *services;
};

#endif
