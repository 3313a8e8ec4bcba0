/* catalogue.c - what the library knows, as lists: operations, passes, warnings, explanations */
#include "api/api_priv.h"
#include "convert/onnx/operators.h"
#include "diag/explain.h"
#include "op/op.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A catalogue is a model of which nothing is asked but these lists, and goes by another name. */
struct nnefc_catalogue *nnefc_catalogue_new(void)
{
    return (struct nnefc_catalogue *)nnefc_model_new();
}

void nnefc_catalogue_free(struct nnefc_catalogue *catalogue)
{
    nnefc_model_free((struct nnefc_model *)catalogue);
}

/* --- operations ---------------------------------------------------------------------------- */

/* The oldest text that has an operation of this name; no text of NNEF has our extensions. */
static const char *since(const struct library *oldest, const struct signature *s,
                         const struct description *description)
{
    if (!oldest)
        return "nnefc";
    if (library_find(oldest, s->name))
        return "provisional";
    return description->since ? description->since : "1.0";
}

/* The operations of a text of the library.  The provisional text tells how old those of NNEF are;
 * nothing does so for our extensions. */
static void list_ops(const struct nnefc_model *model, struct list *list)
{
    struct context *context = model->context;
    bool extensions = list->kind == LIST_EXTENSION_OPS;
    bool provisional = list->kind == LIST_PROVISIONAL_OPS;
    const struct library *oldest = extensions ? NULL : library_load(context, DIALECT_PROVISIONAL);
    const struct library *library = provisional ? oldest : library_load(context, DIALECT_1_0);

    assert(library); /* a released library has no faults: a test proves it */
    if (extensions)
        library = library_above(context, library, LIBRARY_EXTENSIONS);
    for (int i = 0; i < library_count(library); i++) {
        const struct signature *s = library_at(library, i);
        const struct description d = library_describe(context, library, s);
        bool has_body = s->fragment->has_body;
        LIST_ADD(list, (struct nnefc_op){.name = s->name,
                                         .declaration = d.declaration,
                                         .kind = !has_body ? NNEFC_OP_PRIMITIVE
                                                 : s->op   ? NNEFC_OP_KEPT
                                                           : NNEFC_OP_EXPANDED,
                                         .executable =
                                             s->op ? s->op->eval || s->op->introduces : has_body,
                                         .shape = d.shape,
                                         .borders = d.borders,
                                         .since = since(oldest, s, &d),
                                         .section = d.section,
                                         .title = d.title,
                                         .library = extensions ? "nnefc" : "nnef"});
    }
}

const struct nnefc_op_list *nnefc_catalogue_ops(struct nnefc_catalogue *catalogue,
                                                enum nnefc_dialect dialect)
{
    bool provisional = dialect == NNEFC_DIALECT_PROVISIONAL;

    if ((unsigned)dialect > NNEFC_DIALECT_PROVISIONAL)
        return list_nothing();
    return model_list((const struct nnefc_model *)catalogue,
                      provisional ? LIST_PROVISIONAL_OPS : LIST_OPS, list_ops);
}

/* --- operators of ONNX -------------------------------------------------------------------- */

static_assert((int)ONNX_AS_OPERATION == (int)NNEFC_ONNX_OPERATION, "they are cast");
static_assert((int)ONNX_AS_FRAGMENT == (int)NNEFC_ONNX_FRAGMENT, "they are cast");
static_assert((int)ONNX_BY_FUNCTION == (int)NNEFC_ONNX_FUNCTION, "they are cast");
static_assert((int)ONNX_MISSING == (int)NNEFC_ONNX_MISSING, "they are cast");
static_assert((int)ONNX_REFUSED == (int)NNEFC_ONNX_REFUSED, "they are cast");

static void list_onnx_operators(const struct nnefc_model *model, struct list *list)
{
    int count;
    const struct onnx_operator *operators = onnx_operators(model->context, &count);

    for (int i = 0; i < count; i++)
        LIST_ADD(list, (struct nnefc_onnx_operator){operators[i].type, operators[i].domain,
                                                    (enum nnefc_onnx_how)operators[i].how,
                                                    operators[i].by, operators[i].limit});
}

/* --- passes and warnings ------------------------------------------------------------------- */

/* In the order in which they run. */
static void list_passes(const struct nnefc_model *model, struct list *list)
{
    (void)model;
    for (int i = 0; i < pass_count(); i++) {
        const struct pass_info info = pass_at(i);
        LIST_ADD(list, (struct nnefc_pass){info.name, info.purpose, info.by_default});
    }
}

/* Warnings are numbered from 1: WARNING_NONE is what errors have. */
static void list_warnings(const struct nnefc_model *model, struct list *list)
{
    (void)model;
    for (int i = WARNING_NONE + 1; i < WARNING_COUNT; i++) {
        const struct diag_warning_info *info = diag_warning_info((enum diag_warning)i);
        LIST_ADD(list, (struct nnefc_warning){.name = info->name,
                                              .code = diag_info((enum diag_code)info->code)->code,
                                              .title = info->title,
                                              .on_by_default = info->on_by_default});
    }
}

/* --- explanations -------------------------------------------------------------------------- */

/* One for each code, in the order of diag.def; the texts are made of
 * docs/diagnostics/explain.txt. */
static void list_explanations(const struct nnefc_model *model, struct list *list)
{
    static const enum nnefc_example example[] = {
        [EXPLAIN_DOCUMENT] = NNEFC_EXAMPLE_DOCUMENT, [EXPLAIN_PEDANTIC] = NNEFC_EXAMPLE_PEDANTIC,
        [EXPLAIN_RUN] = NNEFC_EXAMPLE_RUN,           [EXPLAIN_QUANT] = NNEFC_EXAMPLE_QUANT,
        [EXPLAIN_WALL] = NNEFC_EXAMPLE_WALL,         [EXPLAIN_PNNX] = NNEFC_EXAMPLE_PNNX,
        [EXPLAIN_CLIENT] = NNEFC_EXAMPLE_CLIENT,     [EXPLAIN_COMMAND] = NNEFC_EXAMPLE_COMMAND,
        [EXPLAIN_NOTHING] = NNEFC_EXAMPLE_NONE};

    (void)model;
    for (int i = 0; i < DIAG_CODE_COUNT; i++) {
        const struct diag_info *info = diag_info((enum diag_code)i);
        const struct explanation *found = &explain_table[i];
        assert(found->as <= EXPLAIN_NOTHING);
        LIST_ADD(list, (struct nnefc_explanation){.code = info->code,
                                                  .title = info->title,
                                                  .section = info->section,
                                                  .chapter = found->chapter,
                                                  .text = found->text,
                                                  .kind = example[found->as],
                                                  .wrong = found->wrong,
                                                  .right = found->right});
    }
}

/* --- the lists ------------------------------------------------------------------------------ */

#define CATALOGUE(name, element, kind, fill)                                                       \
    const struct nnefc_##element##_list *nnefc_catalogue_##name(struct nnefc_catalogue *catalogue) \
    {                                                                                              \
        return model_list((const struct nnefc_model *)catalogue, kind, fill);                      \
    }
CATALOGUE(extensions, op, LIST_EXTENSION_OPS, list_ops)
CATALOGUE(onnx_operators, onnx_operator, LIST_ONNX_OPERATORS, list_onnx_operators)
CATALOGUE(passes, pass, LIST_PASSES, list_passes)
CATALOGUE(warnings, warning, LIST_WARNINGS, list_warnings)
CATALOGUE(explanations, explanation, LIST_EXPLANATIONS, list_explanations)

/* Digits with or without the letter and the zeros before them; -1 for anything else. */
static long number_of(const char *name)
{
    const char *digits = name + (*name == 'N' || *name == 'n');
    size_t size = strlen(digits);

    if (size == 0 || size > 4 || strspn(digits, "0123456789") != size)
        return -1;
    return strtol(digits, NULL, 10);
}

const struct nnefc_explanation *nnefc_catalogue_explain(struct nnefc_catalogue *catalogue,
                                                        const char *name)
{
    const struct nnefc_explanation_list *list = nnefc_catalogue_explanations(catalogue);
    long number = name ? number_of(name) : -1; /* "N0090", "n0090" and "90" are one */

    for (int i = 0; number >= 0 && i < list->count; i++)
        if (number_of(list->at[i]->code) == number)
            return list->at[i];
    return NULL;
}
