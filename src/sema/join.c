/*
 * join.c - fragments of the library meet the descriptors of operators
 *
 * By name.  A compound of the provisional dialect that lacks a parameter of the operator computes
 * something else (its epsilon, say, is not zero but absent), so it is not kept but expanded.
 */
#include "sema/sema_priv.h"

#include "base/intern.h"

#include <assert.h>
#include <string.h>

static const char *attr_name(const struct op_attr *attr, enum dialect dialect)
{
    return dialect == DIALECT_PROVISIONAL && attr->provisional ? attr->provisional : attr->name;
}

static struct signature *find_fragment(const struct checker *c, const struct op_desc *op)
{
    const char *name =
        c->dialect == DIALECT_PROVISIONAL && op->provisional ? op->provisional : op->name;

    return map_get(&c->operations, intern(c->context->names, name, strlen(name)));
}

static struct sig_param *find_param(const struct signature *s, const struct op_attr *attr,
                                    enum dialect dialect)
{
    for (int i = 0; i < s->nparam; i++)
        if (strcmp(s->params[i].name, attr_name(attr, dialect)) == 0)
            return &s->params[i];
    return NULL;
}

static bool same_meaning(const struct signature *s, const struct op_desc *op, enum dialect dialect)
{
    if (!s->fragment->has_body)
        return true;
    for (const struct op_attr *attr = op->attrs; attr && attr->name; attr++)
        if (!find_param(s, attr, dialect))
            return false;
    return true;
}

void signature_join(struct signature *s, const struct op_desc *op, enum dialect dialect)
{
    assert(op);
    s->op = op;
    for (const struct op_attr *attr = op->attrs; attr && attr->name; attr++) {
        struct sig_param *param = find_param(s, attr, dialect);
        if (param)
            param->attr = attr;
    }
}

/* Each operator is of one library, or of both standards. */
static bool belongs(const struct op_desc *op, const struct library *library)
{
    return !(op->traits & OP_EXTENSION) == !library->base;
}

void library_join(struct checker *c, struct library *library)
{
    for (int i = 0; i < OP_COUNT; i++) {
        struct signature *s = belongs(op_table[i], library) ? find_fragment(c, op_table[i]) : NULL;
        if (s && same_meaning(s, op_table[i], library->dialect))
            signature_join(s, op_table[i], library->dialect);
    }
}
