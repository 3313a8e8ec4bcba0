/* explain.c - what the codes of diagnostics mean, for clients */
#include "diag/explain.h"
#include "nnefc/nnefc.h"

#include <stdlib.h>
#include <string.h>

static enum nnefc_example kind_of(enum explain_as as)
{
    switch (as) {
    case EXPLAIN_DOCUMENT:
        return NNEFC_EXAMPLE_DOCUMENT;
    case EXPLAIN_PEDANTIC:
        return NNEFC_EXAMPLE_PEDANTIC;
    case EXPLAIN_RUN:
        return NNEFC_EXAMPLE_RUN;
    case EXPLAIN_QUANT:
        return NNEFC_EXAMPLE_QUANT;
    case EXPLAIN_COMMAND:
        return NNEFC_EXAMPLE_COMMAND;
    case EXPLAIN_NOTHING:
        break;
    }
    return NNEFC_EXAMPLE_NONE;
}

bool nnefc_explain_at(int index, struct nnefc_explanation *explanation)
{
    if (index < 0 || index >= DIAG_CODE_COUNT || !explanation)
        return false;
    const struct diag_info *info = diag_info((enum diag_code)index);
    const struct explanation *found = &explain_table[index];

    *explanation = (struct nnefc_explanation){.code = info->code,
                                              .title = info->title,
                                              .section = info->section,
                                              .chapter = found->chapter,
                                              .text = found->text,
                                              .kind = kind_of(found->as),
                                              .wrong = found->wrong,
                                              .right = found->right};
    return true;
}

/* Digits with or without the letter and the zeros before them; -1 for anything else. */
static long number_of(const char *name)
{
    const char *digits = name + (*name == 'N' || *name == 'n');
    size_t size = strlen(digits);

    if (size == 0 || size > 4 || strspn(digits, "0123456789") != size)
        return -1;
    return strtol(digits, NULL, 10);
}

bool nnefc_explain(const char *name, struct nnefc_explanation *explanation)
{
    long number = name ? number_of(name) : -1;

    for (int i = 0; number >= 0 && i < DIAG_CODE_COUNT; i++)
        if (number_of(diag_info((enum diag_code)i)->code) == number)
            return nnefc_explain_at(i, explanation);
    return false;
}
