/* warning.c - the table of warnings, and the rules that decide which of them are reported */
#include "diag/warning.h"

#include "diag/diag_priv.h"

#include <assert.h>
#include <string.h>

const struct diag_warning_info *diag_warning_info(enum diag_warning warning)
{
    static const struct diag_warning_info info[] = {
        {NULL, NULL, 0, false},
#define WARNING(NAME, flag, code, on, title) {flag, title, DIAG_##code, on},
#include "diag/warning.def"
#undef WARNING
    };

    assert(warning > WARNING_NONE && warning < WARNING_COUNT);
    return &info[warning];
}

enum diag_warning diag_warning_find(const char *name)
{
    if (strcmp(name, "all") == 0)
        return WARNING_ALL;
    for (enum diag_warning w = WARNING_NONE + 1; w < WARNING_COUNT; w++)
        if (strcmp(diag_warning_info(w)->name, name) == 0)
            return w;
    return WARNING_NONE;
}

void diag_set_warning(struct diag *diag, enum diag_warning warning, enum diag_warning_state state)
{
    struct diag_warning_rule *rule = &diag->rules[warning];

    assert(warning > WARNING_NONE && warning <= WARNING_ALL);
    switch (state) {
    case WARNING_OFF:
        rule->on = ASKED_NO;
        return;
    case WARNING_ON:
        rule->on = ASKED_YES;
        return;
    case WARNING_ERROR:
        rule->on = ASKED_YES;
        rule->error = ASKED_YES;
        return;
    case WARNING_NO_ERROR:
        rule->error = ASKED_NO;
        return;
    }
}

void diag_set_werror(struct diag *diag, bool werror)
{
    diag->rules[WARNING_ALL].error = werror ? ASKED_YES : ASKED_NO;
}

void diag_set_pedantic(struct diag *diag, bool pedantic)
{
    diag->pedantic = pedantic;
}

bool diag_warns(const struct diag *diag, enum diag_warning warning)
{
    const struct diag_warning_rule *rule = &diag->rules[warning], *all = &diag->rules[WARNING_ALL];

    if (rule->on != ASKED_NOTHING)
        return rule->on == ASKED_YES;
    if (all->on != ASKED_NOTHING)
        return all->on == ASKED_YES;
    return diag->pedantic || diag_warning_info(warning)->on_by_default;
}

bool warning_is_error(const struct diag *diag, enum diag_warning warning)
{
    const struct diag_warning_rule *rule = &diag->rules[warning], *all = &diag->rules[WARNING_ALL];

    return (rule->error != ASKED_NOTHING ? rule->error : all->error) == ASKED_YES;
}
