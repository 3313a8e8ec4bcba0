/* warnings.c - warnings by their names: on, off, or errors (nnefc.h) */
#include "api/api_priv.h"
#include "base/num.h"

#include <stddef.h>

/* A candidate for the name that is meant; NULL behind the last. */
static const char *name_at(int index, const void *data)
{
    (void)data;
    return index < WARNING_COUNT - 1 ? diag_warning_info((enum diag_warning)(index + 1))->name
                                     : NULL;
}

/* What is set for a name holds against what is set for all of them. */
bool api_model_set_warning(struct nnefc_model *model, const char *name,
                           enum nnefc_warning_state state)
{
    static const enum diag_warning_state states[] = {
        [NNEFC_WARNING_OFF] = WARNING_OFF,
        [NNEFC_WARNING_ON] = WARNING_ON,
        [NNEFC_WARNING_ERROR] = WARNING_ERROR,
        [NNEFC_WARNING_NO_ERROR] = WARNING_NO_ERROR,
    };
    unsigned number = (unsigned)state;

    if (!name)
        return misuse(model, "a warning without name");
    if (number >= sizeof states / sizeof *states)
        return misuse(model, "%u is no state of a warning", number);
    enum diag_warning warning = diag_warning_find(name);
    if (warning == WARNING_NONE) {
        const char *near = num_nearest(name, name_at, NULL);
        misuse(model, "there is no warning '%s'", name);
        if (near)
            diag_help(model->context->diag, "did you mean '%s'?", near);
        return false;
    }
    diag_set_warning(model->context->diag, warning, states[number]);
    return true;
}
