/* library_verify.c - compares the fragments of the library with the descriptors of operators */
#include "support/library_verify.h"

#include "sema/sema_priv.h"

#include <string.h>

static const char *attr_name(const struct op_attr *attr, enum dialect dialect)
{
    return dialect == DIALECT_PROVISIONAL && attr->provisional ? attr->provisional : attr->name;
}

static const struct sig_param *find_param(const struct signature *s, const struct op_attr *attr,
                                          enum dialect dialect)
{
    for (int i = 0; i < s->nparam; i++)
        if (strcmp(s->params[i].name, attr_name(attr, dialect)) == 0)
            return &s->params[i];
    return NULL;
}

/* Each operator is of one library, or of both standards. */
static bool belongs(const struct op_desc *op, const struct library *library)
{
    return !(op->traits & OP_EXTENSION) == !library->base;
}

/* What is compared, and where trouble goes. */
struct join_verifier {
    struct context *context;
    const struct library *library;
    const struct signature *signature;
    const struct op_desc *op;
};

static bool kind_agrees(const struct type *type, enum attr_kind kind)
{
    const struct type *item = type->kind == TYPE_ARRAY ? type->item : NULL;

    switch (kind) {
    case ATTR_INTEGER:
        return type->kind == TYPE_INTEGER;
    case ATTR_SCALAR:
        return type->kind == TYPE_SCALAR;
    case ATTR_LOGICAL:
        return type->kind == TYPE_LOGICAL;
    case ATTR_STRING:
    case ATTR_ENUM:
        return type->kind == TYPE_STRING;
    case ATTR_INTEGERS:
        return item && item->kind == TYPE_INTEGER;
    case ATTR_PAIRS:
        return item && item->kind == TYPE_TUPLE && item->count == 2 &&
               item->items[0]->kind == TYPE_INTEGER && item->items[1]->kind == TYPE_INTEGER;
    case ATTR_VALUES:
        return item && (item->kind == TYPE_GENERIC || item->kind == TYPE_SCALAR ||
                        item->kind == TYPE_STRING);
    case ATTR_DATUM:
        return true;
    }
    return false;
}

static bool verify_param(const struct join_verifier *v, const struct sig_param *param)
{
    struct diag *diag = v->context->diag;
    int rows = 0;

    for (const struct op_attr *attr = v->op->attrs; attr && attr->name; attr++)
        rows += strcmp(attr_name(attr, v->library->dialect), param->name) == 0;
    if (param->type->has_tensor)
        return rows == 0 || diag_error(diag, param->span, DIAG_OPERAND_TYPE,
                                       "tensor '%s' of '%s' has a row in the table of attributes",
                                       param->name, v->signature->name);
    if (rows != 1)
        return diag_error(diag, param->span, DIAG_UNKNOWN_PARAMETER,
                          "'%s' of '%s' has %d rows in the table of attributes, expected one",
                          param->name, v->signature->name, rows);
    return kind_agrees(param->type, param->attr->kind) ||
           diag_error(diag, param->span, DIAG_TYPE_MISMATCH,
                      "'%s' of '%s' is %s, which its row in the table of attributes is not",
                      param->name, v->signature->name,
                      type_text(param->type, v->library->dialect, v->context->arena));
}

/* A row may be without parameter in the provisional dialect only, where it stays zero. */
static bool verify_rows(const struct join_verifier *v)
{
    bool ok = true;

    for (const struct op_attr *attr = v->op->attrs; attr && attr->name; attr++)
        if (v->library->dialect == DIALECT_1_0 && !find_param(v->signature, attr, DIALECT_1_0))
            ok = diag_error(v->context->diag, v->signature->fragment->span, DIAG_UNKNOWN_PARAMETER,
                            "attribute '%s' of the operator '%s' is no parameter", attr->name,
                            v->op->name);
    return ok;
}

static bool result_agrees(const struct type *type, enum op_result kind)
{
    const struct type *item = type->kind == TYPE_ARRAY ? type->item->item : type->item;

    switch (kind) {
    case OP_RESULT_SCALAR:
        return item->kind == TYPE_SCALAR;
    case OP_RESULT_INTEGER:
        return item->kind == TYPE_INTEGER;
    case OP_RESULT_LOGICAL:
        return item->kind == TYPE_LOGICAL;
    case OP_RESULT_GENERIC:
        return true;
    }
    return false;
}

static bool verify_results(const struct join_verifier *v)
{
    const struct signature *s = v->signature;
    int count = v->op->nresult ? v->op->nresult : 1;
    bool ok = true;

    if (count != s->nresult)
        return diag_error(v->context->diag, s->fragment->span, DIAG_UNPACK_COUNT,
                          "'%s' has %d results, its operator %d", s->name, s->nresult, count);
    for (int i = 0; i < count; i++) {
        bool generic = s->results[i].type->has_generic;
        if (result_agrees(s->results[i].type, v->op->result[i]) &&
            (!generic || v->op->result[i] == OP_RESULT_GENERIC))
            continue;
        ok = diag_error(v->context->diag, s->results[i].span, DIAG_TYPE_MISMATCH,
                        "result '%s' of '%s' is of another type than that of its operator",
                        s->results[i].name, s->name);
    }
    return ok;
}

static bool verify_signature(struct join_verifier *v, const struct signature *s)
{
    bool ok = true;

    v->signature = s;
    v->op = s->op;
    if (!s->op)
        return s->fragment->has_body ||
               diag_error(v->context->diag, s->fragment->span, DIAG_NO_IMPLEMENTATION,
                          "'%s' has neither body nor operator", s->name);
    for (int i = 0; i < s->nparam; i++)
        ok &= verify_param(v, &s->params[i]);
    ok &= verify_rows(v);
    return verify_results(v) && ok;
}

bool library_verify(struct context *context, const struct library *library)
{
    struct join_verifier v = {.context = context, .library = library};
    bool ok = true;

    for (int i = 0; i < library->count; i++)
        ok &= verify_signature(&v, library->signatures[i]);
    for (int i = 0; i < OP_COUNT && library->dialect == DIALECT_1_0; i++)
        if (belongs(op_table[i], library) && !library_find(library, op_table[i]->name))
            ok = diag_file_error(context->diag, "stdlib/", DIAG_UNKNOWN_OPERATION,
                                 "operator '%s' has no fragment", op_table[i]->name);
    return ok;
}
