/* unroll.c - operations of NNEF in place of a node; see unroll.h */
#include "op/unroll.h"

#include "diag/context.h"
#include "ir/site.h"

#include <assert.h>

bool unroll_refuse(const struct unroll *u, const char *with)
{
    struct diag *diag = u->graph->context->diag;
    const struct place place = {diag, u->node->site, u->node->span};

    place_fault(&place, DIAG_NOT_IN_NNEF, "operations of NNEF cannot compute what '%s' does%s",
                u->node->op->name, with);
    diag_help(diag, "`--profile=custom` writes the operation as it is.");
    return false;
}

static struct node *append(const struct unroll *u, struct op_spec spec, enum dtype generic,
                           struct value *const *in, int count)
{
    const struct op_origin origin = {u->node->span, u->node->site, generic};

    for (int i = 0; i < count; i++)
        if (!in[i])
            return NULL;
    return op_append(u->graph, spec, in, count, &origin);
}

struct node *unroll_node(const struct unroll *u, struct op_spec spec, struct value *const *in,
                         int count)
{
    return append(u, spec, DTYPE_UNKNOWN, in, count);
}

struct value *unroll_first(const struct unroll *u, struct op_spec spec, struct value *const *in,
                           int count)
{
    struct node *node = unroll_node(u, spec, in, count);

    return node ? &node->out[0] : NULL;
}

struct value *unroll_pair(const struct unroll *u, struct op_spec spec, struct value *x,
                          struct value *y)
{
    return unroll_first(u, spec, (struct value *[]){x, y}, 2);
}

struct value *unroll_plain(const struct unroll *u, enum op_id op, struct value *x, struct value *y)
{
    return unroll_pair(u, op_plain(op), x, y);
}

struct value *unroll_select(const struct unroll *u, struct value *condition, struct value *x,
                            struct value *y)
{
    return unroll_first(u, op_plain(OP_select), (struct value *[]){condition, x, y}, 3);
}

struct value *unroll_cast(const struct unroll *u, struct value *x, enum dtype dtype)
{
    struct node *node = append(u, op_plain(OP_cast), dtype, &x, 1);

    return node ? &node->out[0] : NULL;
}

struct value *unroll_slice(const struct unroll *u, struct value *x, int64_t axis, int64_t begin,
                           int64_t end)
{
    const int64_t stride = 1;

    assert(begin >= 0 && begin <= end);
    return unroll_first(u,
                        OP_SPEC(slice, .axes = {1, &axis}, .begin = {1, &begin}, .end = {1, &end},
                                .stride = {1, &stride}),
                        &x, 1);
}

struct value *unroll_reshape(const struct unroll *u, struct value *x, const struct shape *shape)
{
    return unroll_first(
        u, OP_SPEC(reshape, .shape = {shape->rank, shape->extent}, .axis_count = -1), &x, 1);
}

struct value *unroll_constant(const struct unroll *u, const struct shape *shape,
                              const struct datum *items, int count)
{
    const struct op_spec spec =
        OP_SPEC(constant, .shape = {shape->rank, shape->extent}, .value = {count, items});
    bool integer = count > 0 && items[0].kind == DATUM_INTEGER;

    return op_introduce(u->graph,
                        &(struct op_call){.op = &op_constant,
                                          .attrs = spec.attrs,
                                          .asked = shape,
                                          .generic = integer ? DTYPE_INTEGER : DTYPE_SCALAR,
                                          .span = u->node->span,
                                          .site = u->node->site});
}

struct value *unroll_filled(const struct unroll *u, const struct shape *shape, double value)
{
    return unroll_constant(u, shape, &(struct datum){.kind = DATUM_SCALAR, .scalar = value}, 1);
}

struct value *unroll_spread(const struct unroll *u, struct value *x, const struct shape *shape)
{
    if (x->shape->rank > 0)
        return x;
    if (x->kind == VALUE_CONSTANT)
        return unroll_filled(u, shape, tensor_item(x->source->tensor, 0));
    return unroll_pair(u, op_plain(OP_add), unroll_filled(u, shape, 0), x);
}

struct value *unroll_number(const struct unroll *u, double value)
{
    return graph_literal(u->graph, &(struct datum){.kind = DATUM_SCALAR, .scalar = value});
}
