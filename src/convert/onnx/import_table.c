/*
 * import_table.c - how an operator of ONNX, or of a domain beside it, is imported
 *
 * By a function of import_list.def, as the operator of NNEF that has the same operands and no
 * attributes, or as a fragment of onnx.nnef, or that of the domain.  Each type is looked up once
 * and then kept.
 */
#include "base/arena.h"
#include "convert/onnx/export_rules.h"
#include "convert/onnx/import_priv.h"
#include "convert/onnx/import_share.h"
#include "diag/context.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Versions are those of ONNX 1.23. */
const struct domain_info import_domains[] = {
    [IMPORT_ONNX] = {NAME_ONNX, 28, LIBRARY_ONNX},
    [IMPORT_MICROSOFT] = {NAME_MICROSOFT, 1, LIBRARY_MICROSOFT},
};

static const struct import_row rows[] = {
#define IMPORT(type, function, least, most) \
    {.name = #type, .min = least, .max = most, .import = import_##function},
#define IMPORT_AS(type, function, operation, least, most) \
    {.name = #type, .min = least, .max = most, .import = import_##function, .op = OP_##operation},
#define IMPORT_OF(of, type, function, least, most) \
    {.name = #type, .domain = IMPORT_##of, .min = least, .max = most, .import = import_##function},
#define IMPORT_WEIGHTS(of, type, function, least, most, input) \
    {.name = #type,                                            \
     .domain = IMPORT_##of,                                    \
     .min = least,                                             \
     .max = most,                                              \
     .weights = 1 + (input),                                   \
     .import = import_##function},
#define COMPOSED(type, function) {.name = #type, .check = check_##function},
#define COMPOSED_OF(of, type, function) \
    {.name = #type, .domain = IMPORT_##of, .check = check_##function},
#include "convert/onnx/import_list.def"
};

/* Before opset 7 the second operand stood at an axis of the first, if attributes said so. */
static struct imported *import_same(struct translation *t)
{
    struct imported *x = input_at(t, 0), *y = input_at(t, 1);
    struct shape shape = {.rank = x->shape.rank};
    int axis;

    assert(t->row->op < OP_COUNT && (t->nin == 1 || t->nin == 2));
    if (!are_alike(t))
        return NULL;
    if (t->nin == 1 || t->opset >= 7 || !get_int(t, "broadcast", 0) || !has_attribute(t, "axis"))
        return make_all(t, op_plain(t->row->op), t->in, t->nin);
    if (!resolve_axis(t, get_int(t, "axis", 0), shape.rank, &axis))
        return NULL;
    if (axis + y->shape.rank > shape.rank)
        return import_refuse(t, DIAG_BROADCAST, "shape %s does not fit at axis %d of %s",
                             SHAPE_TEXT(&y->shape), axis, SHAPE_TEXT(&x->shape));
    for (int i = 0; i < shape.rank; i++)
        shape.extent[i] = i < axis || i >= axis + y->shape.rank ? 1 : y->shape.extent[i - axis];
    return op2(t, t->row->op, x, reshape_to(t, y, &shape));
}

const struct library *builder_compositions(struct import_builder *builder,
                                           enum import_domain domain)
{
    assert(domain < IMPORT_DOMAINS);
    if (!builder->standard)
        builder->standard = library_load(builder->context, DIALECT_1_0);
    return builder->standard
               ? library_above(builder->context, builder->standard, import_domains[domain].text)
               : NULL;
}

/* Fragment TYPE, and TYPE_11 for what it was up to opset 11; none leaves row->import NULL. */
static void find_fragment(struct import_builder *builder, const char *type, struct import_row *row)
{
    const struct library *library = builder_compositions(builder, row->domain);
    size_t length = strlen(type);

    for (int i = 0; library && i < library_count(library); i++) {
        const struct signature *sig = library_at(library, i);
        const char *suffix = sig->name + length;
        if (strncmp(sig->name, type, length) != 0)
            continue;
        if (!*suffix) {
            row->fragment = sig;
        } else if (suffix[0] == '_' && suffix[1] >= '0' && suffix[1] <= '9') {
            row->older = sig;
            row->older_until = strtol(suffix + 1, NULL, 10);
        }
    }
    if (!row->fragment || type[0] < 'A' || type[0] > 'Z') /* others are what these are made of */
        return;
    row->name = type;
    row->import = import_fragment;
    for (int i = 0; i < row->fragment->nparam; i++) {
        const struct sig_param *param = &row->fragment->params[i];
        bool tensor = param->type->has_tensor, list = param->type->kind == TYPE_ARRAY;
        row->min += tensor && !param->has_default;
        row->max += tensor || (list && !param->has_default); /* an attribute or input */
    }
}

/* The same in NNEF is what has the operands and no attributes, as the exporter knows. */
static void find_same(const char *type, struct import_row *row)
{
    for (enum op_id op = 0; !row->import && op < OP_COUNT; op++) {
        const struct op_desc *desc = op_table[op];
        int inputs = desc->binary ? 2 : 1;
        if (!desc->attrs && export_rules[op].type && strcmp(export_rules[op].type, type) == 0)
            *row = (struct import_row){
                .name = type, .min = inputs, .max = inputs, .import = import_same, .op = op};
    }
}

static enum import_domain domain_of(const char *name)
{
    enum import_domain domain = IMPORT_ONNX;

    while (*name && domain < IMPORT_DOMAINS && strcmp(name, import_domains[domain].name) != 0)
        domain++;
    return domain;
}

const struct import_row *import_find_operator(struct import_builder *builder,
                                              const struct onnx_node *node)
{
    const char *type = builder_key(builder, node->op_type);
    const enum import_domain domain = domain_of(node->domain);

    if (domain == IMPORT_DOMAINS)
        return NULL;
    struct import_row *row = map_get(&builder->operators[domain], type);
    if (row)
        return row->import ? row : NULL;
    row = arena_new_of(builder->context->arena, struct import_row);
    row->domain = domain;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].domain == domain && strcmp(rows[i].name, type) == 0)
            *row = rows[i];
    if (domain == IMPORT_ONNX)
        find_same(type, row);
    if (!row->import)
        find_fragment(builder, type, row);
    map_set(&builder->operators[domain], type, row);
    return row->import ? row : NULL;
}
