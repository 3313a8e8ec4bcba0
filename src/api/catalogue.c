/* catalogue.c - what the library knows, as lists: operations, passes, warnings, explanations */
#include "api/api_priv.h"
#include "base/arena.h"
#include "diag/explain.h"
#include "op/op.h"
#include "sema/sema.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum catalogue_kind {
    CATALOGUE_OPS,
    CATALOGUE_PROVISIONAL_OPS,
    CATALOGUE_EXTENSIONS,
    CATALOGUE_PASSES,
    CATALOGUE_WARNINGS,
    CATALOGUE_EXPLANATIONS,
    CATALOGUE_KINDS
};

struct nnefc_catalogue {
    struct context *context;                  /* in whose arena the lists lie */
    pthread_mutex_t lock;                     /* of the following, and of the arena */
    const struct list *made[CATALOGUE_KINDS]; /* NULL: not asked for yet */
};

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

static const struct list *find_list(struct nnefc_catalogue *catalogue, enum catalogue_kind kind,
                                    void (*fill)(struct context *context, struct list *list))
{
    if (!catalogue->made[kind]) {
        struct list *list = list_new(catalogue->context->arena);
        fill(catalogue->context, list);
        catalogue->made[kind] = list;
    }
    return catalogue->made[kind];
}

/* The list of a kind, which `fill` makes if it is not there.  Never NULL. */
static const void *catalogue_list(struct nnefc_catalogue *catalogue, enum catalogue_kind kind,
                                  void (*fill)(struct context *context, struct list *list))
{
    struct recovery recovery;
    const void *volatile list = list_nothing();

    if (!catalogue)
        return list;
    pthread_mutex_lock(&catalogue->lock);
    recovery_begin(&recovery);
    if (setjmp(recovery.point) == 0)
        list = find_list(catalogue, kind, fill);
    recovery_end(&recovery);
    pthread_mutex_unlock(&catalogue->lock);
    return list;
}

/* --- operations ---------------------------------------------------------------------------- */

static bool is_executable(const struct signature *s)
{
    return s->op ? s->op->eval || s->op->introduces : s->fragment->has_body;
}

static enum nnefc_op_kind op_kind_of(const struct signature *s)
{
    if (!s->fragment->has_body)
        return NNEFC_OP_PRIMITIVE;
    return s->op ? NNEFC_OP_KEPT : NNEFC_OP_EXPANDED;
}

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

/* `oldest`, the provisional text, tells how old they are; NULL: they are extensions. */
static void add_ops(struct context *context, const struct library *library,
                    const struct library *oldest, struct list *list)
{
    assert(library);
    for (int i = 0; i < library_count(library); i++) {
        const struct signature *s = library_at(library, i);
        struct description d = library_describe(context, library, s);
        LIST_ADD(list, (struct nnefc_op){.name = s->name,
                                         .declaration = d.declaration,
                                         .kind = op_kind_of(s),
                                         .executable = is_executable(s),
                                         .shape = d.shape,
                                         .borders = d.borders,
                                         .since = since(oldest, s, &d),
                                         .section = d.section,
                                         .title = d.title,
                                         .library = oldest ? "nnef" : "nnefc"});
    }
}

static void list_ops(struct context *context, struct list *list)
{
    add_ops(context, library_load(context, DIALECT_1_0), library_load(context, DIALECT_PROVISIONAL),
            list);
}

static void list_provisional_ops(struct context *context, struct list *list)
{
    const struct library *oldest = library_load(context, DIALECT_PROVISIONAL);

    add_ops(context, oldest, oldest, list);
}

static void list_extensions(struct context *context, struct list *list)
{
    const struct library *standard = library_load(context, DIALECT_1_0);

    assert(standard);
    add_ops(context, library_extensions(context, standard), NULL, list);
}

const struct nnefc_op_list *nnefc_catalogue_ops(struct nnefc_catalogue *catalogue,
                                                enum nnefc_dialect dialect)
{
    if (dialect == NNEFC_DIALECT_PROVISIONAL)
        return catalogue_list(catalogue, CATALOGUE_PROVISIONAL_OPS, list_provisional_ops);
    return catalogue_list(catalogue, CATALOGUE_OPS, list_ops);
}

const struct nnefc_op_list *nnefc_catalogue_extensions(struct nnefc_catalogue *catalogue)
{
    return catalogue_list(catalogue, CATALOGUE_EXTENSIONS, list_extensions);
}

/* --- passes and warnings ------------------------------------------------------------------- */

static void list_passes(struct context *context, struct list *list)
{
    (void)context;
    for (int i = 0; i < pass_count(); i++) {
        struct pass_info info = pass_at(i);
        LIST_ADD(list, (struct nnefc_pass){info.name, info.purpose, info.by_default});
    }
}

const struct nnefc_pass_list *nnefc_catalogue_passes(struct nnefc_catalogue *catalogue)
{
    return catalogue_list(catalogue, CATALOGUE_PASSES, list_passes);
}

static void list_warnings(struct context *context, struct list *list)
{
    (void)context;
    for (int i = WARNING_NONE + 1; i < WARNING_COUNT; i++) {
        const struct diag_warning_info *info = diag_warning_info((enum diag_warning)i);
        LIST_ADD(list, (struct nnefc_warning){.name = info->name,
                                              .code = diag_info((enum diag_code)info->code)->code,
                                              .title = info->title,
                                              .on_by_default = info->on_by_default});
    }
}

const struct nnefc_warning_list *nnefc_catalogue_warnings(struct nnefc_catalogue *catalogue)
{
    return catalogue_list(catalogue, CATALOGUE_WARNINGS, list_warnings);
}

/* --- explanations -------------------------------------------------------------------------- */

static enum nnefc_example example_of(enum explain_as as)
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

static void list_explanations(struct context *context, struct list *list)
{
    (void)context;
    for (int i = 0; i < DIAG_CODE_COUNT; i++) {
        const struct diag_info *info = diag_info((enum diag_code)i);
        const struct explanation *found = &explain_table[i];
        LIST_ADD(list, (struct nnefc_explanation){.code = info->code,
                                                  .title = info->title,
                                                  .section = info->section,
                                                  .chapter = found->chapter,
                                                  .text = found->text,
                                                  .kind = example_of(found->as),
                                                  .wrong = found->wrong,
                                                  .right = found->right});
    }
}

const struct nnefc_explanation_list *nnefc_catalogue_explanations(struct nnefc_catalogue *catalogue)
{
    return catalogue_list(catalogue, CATALOGUE_EXPLANATIONS, list_explanations);
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

const struct nnefc_explanation *nnefc_catalogue_explain(struct nnefc_catalogue *catalogue,
                                                        const char *name)
{
    const struct nnefc_explanation_list *list = nnefc_catalogue_explanations(catalogue);
    long number = name ? number_of(name) : -1;

    for (int i = 0; number >= 0 && i < list->count; i++)
        if (number_of(list->at[i]->code) == number)
            return list->at[i];
    return NULL;
}
