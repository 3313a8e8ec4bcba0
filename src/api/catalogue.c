/* catalogue.c - what the library knows, as lists: operations, passes, warnings, explanations */
#include "api/api_priv.h"
#include "diag/explain.h"
#include "op/op.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What a catalogue lists. */
enum catalogue_kind {
    CATALOGUE_OPS,             /* of NNEF 1.0.5 */
    CATALOGUE_PROVISIONAL_OPS, /* of the provisional standard */
    CATALOGUE_EXTENSIONS,      /* operations of our own, which documents declare */
    CATALOGUE_PASSES,
    CATALOGUE_WARNINGS,
    CATALOGUE_EXPLANATIONS, /* of codes */
    CATALOGUE_KINDS
};

struct nnefc_catalogue {
    struct context *context;                  /* in whose arena the lists lie */
    pthread_mutex_t lock;                     /* of the following, and of the arena */
    const struct list *made[CATALOGUE_KINDS]; /* NULL: not asked for yet */
};

/* The context holds the library's texts, which the first list of operations parses. */
struct nnefc_catalogue *nnefc_catalogue_new(void)
{
    struct nnefc_catalogue *catalogue = calloc(1, sizeof *catalogue);
    struct context *context = catalogue ? try_context() : NULL;

    if (!context) {
        free(catalogue);
        return NULL;
    }
    catalogue->context = context;
    pthread_mutex_init(&catalogue->lock, NULL);
    return catalogue;
}

void nnefc_catalogue_free(struct nnefc_catalogue *catalogue)
{
    if (!catalogue)
        return;
    context_free(catalogue->context);
    pthread_mutex_destroy(&catalogue->lock);
    free(catalogue);
}

/* Lists what the library knows of a kind; `context` holds the texts of operations. */
typedef void catalogue_fill(struct context *context, enum catalogue_kind kind, struct list *list);

/* The list of a kind, which `fill` makes when it is asked for the first time.  Never NULL: the list
 * is empty without a catalogue, and if memory runs out, which the next call may try again. */
static const void *catalogue_list(struct nnefc_catalogue *catalogue, enum catalogue_kind kind,
                                  catalogue_fill *fill)
{
    struct recovery recovery;
    const void *volatile result = list_nothing();

    assert(kind < CATALOGUE_KINDS && fill);
    if (!catalogue)
        return result;
    pthread_mutex_lock(&catalogue->lock);
    recovery_begin(&recovery);
    if (setjmp(recovery.point) == 0) {
        if (!catalogue->made[kind]) {
            struct list *list = list_new(catalogue->context->arena);
            fill(catalogue->context, kind, list);
            catalogue->made[kind] = list;
        }
        result = catalogue->made[kind];
    }
    recovery_end(&recovery);
    pthread_mutex_unlock(&catalogue->lock);
    return result;
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
static void list_ops(struct context *context, enum catalogue_kind kind, struct list *list)
{
    bool extensions = kind == CATALOGUE_EXTENSIONS, provisional = kind == CATALOGUE_PROVISIONAL_OPS;
    const struct library *oldest = extensions ? NULL : library_load(context, DIALECT_PROVISIONAL);
    const struct library *library = provisional ? oldest : library_load(context, DIALECT_1_0);

    assert(library); /* a released library has no faults: a test proves it */
    if (extensions)
        library = library_extensions(context, library);
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
    return catalogue_list(catalogue, provisional ? CATALOGUE_PROVISIONAL_OPS : CATALOGUE_OPS,
                          list_ops);
}

/* --- passes and warnings ------------------------------------------------------------------- */

/* In the order in which they run. */
static void list_passes(struct context *context, enum catalogue_kind kind, struct list *list)
{
    (void)context, (void)kind;
    for (int i = 0; i < pass_count(); i++) {
        const struct pass_info info = pass_at(i);
        LIST_ADD(list, (struct nnefc_pass){info.name, info.purpose, info.by_default});
    }
}

/* Warnings are numbered from 1: WARNING_NONE is what errors have. */
static void list_warnings(struct context *context, enum catalogue_kind kind, struct list *list)
{
    (void)context, (void)kind;
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
static void list_explanations(struct context *context, enum catalogue_kind kind, struct list *list)
{
    static const enum nnefc_example example[] = {
        [EXPLAIN_DOCUMENT] = NNEFC_EXAMPLE_DOCUMENT, [EXPLAIN_PEDANTIC] = NNEFC_EXAMPLE_PEDANTIC,
        [EXPLAIN_RUN] = NNEFC_EXAMPLE_RUN,           [EXPLAIN_QUANT] = NNEFC_EXAMPLE_QUANT,
        [EXPLAIN_WALL] = NNEFC_EXAMPLE_WALL,         [EXPLAIN_PNNX] = NNEFC_EXAMPLE_PNNX,
        [EXPLAIN_CLIENT] = NNEFC_EXAMPLE_CLIENT,     [EXPLAIN_COMMAND] = NNEFC_EXAMPLE_COMMAND,
        [EXPLAIN_NOTHING] = NNEFC_EXAMPLE_NONE};

    (void)context, (void)kind;
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
        return catalogue_list(catalogue, kind, fill);                                              \
    }
CATALOGUE(extensions, op, CATALOGUE_EXTENSIONS, list_ops)
CATALOGUE(passes, pass, CATALOGUE_PASSES, list_passes)
CATALOGUE(warnings, warning, CATALOGUE_WARNINGS, list_warnings)
CATALOGUE(explanations, explanation, CATALOGUE_EXPLANATIONS, list_explanations)

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
