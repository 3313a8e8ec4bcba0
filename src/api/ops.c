/* ops.c - the standard operations as clients see them */
#include "api/api_priv.h"
#include "base/arena.h"
#include "op/op.h"
#include "sema/describe.h"

#include <assert.h>
#include <stdlib.h>

struct nnefc_ops {
    struct context *context;
    struct nnefc_op *op;
    int count;
};

static bool is_executable(const struct signature *s)
{
    return s->op ? s->op->eval || s->op->introduces : s->fragment->has_body;
}

static enum nnefc_op_kind kind_of(const struct signature *s)
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

static void fill(struct nnefc_ops *ops, const struct library *library, const struct library *oldest)
{
    for (int i = 0; i < ops->count; i++) {
        const struct signature *s = library_at(library, i);
        struct description d = library_describe(ops->context, library, s);
        ops->op[i] = (struct nnefc_op){.name = s->name,
                                       .declaration = d.declaration,
                                       .kind = kind_of(s),
                                       .executable = is_executable(s),
                                       .shape = d.shape,
                                       .borders = d.borders,
                                       .since = since(oldest, s, &d),
                                       .section = d.section,
                                       .title = d.title,
                                       .library = oldest ? "nnef" : "nnefc"};
    }
}

static struct nnefc_ops *ops_new(void)
{
    struct nnefc_ops *ops = calloc(1, sizeof *ops);

    if (!ops)
        arena_out_of_memory();
    ops->context = context_new();
    return ops;
}

static void list(struct nnefc_ops *ops, const struct library *library, const struct library *oldest)
{
    assert(library);
    ops->count = library_count(library);
    ops->op = arena_array_of(ops->context->arena, struct nnefc_op, ops->count);
    fill(ops, library, oldest);
}

struct nnefc_ops *nnefc_ops_new(enum nnefc_dialect dialect)
{
    struct nnefc_ops *ops = ops_new();
    bool provisional = dialect == NNEFC_DIALECT_PROVISIONAL;
    const struct library *oldest = library_load(ops->context, DIALECT_PROVISIONAL);

    assert(oldest);
    list(ops, provisional ? oldest : library_load(ops->context, DIALECT_1_0), oldest);
    return ops;
}

struct nnefc_ops *nnefc_ops_new_extensions(void)
{
    struct nnefc_ops *ops = ops_new();
    const struct library *standard = library_load(ops->context, DIALECT_1_0);

    assert(standard);
    list(ops, library_extensions(ops->context, standard), NULL);
    return ops;
}

void nnefc_ops_free(struct nnefc_ops *ops)
{
    if (!ops)
        return;
    context_free(ops->context);
    free(ops);
}

int nnefc_ops_count(const struct nnefc_ops *ops)
{
    return ops ? ops->count : 0;
}

const struct nnefc_op *nnefc_ops_at(const struct nnefc_ops *ops, int index)
{
    return ops && index >= 0 && index < ops->count ? &ops->op[index] : NULL;
}
