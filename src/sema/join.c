/*
 * join.c - fragments of the library meet the descriptors of operators
 *
 * They are found by name.  A compound of the provisional dialect that lacks a parameter of the
 * operator computes something else (its epsilon, for example, is not zero but absent), so it is not
 * kept but expanded.
 */
#include "sema/sema_priv.h"

#include "base/intern.h"

#include <assert.h>
#include <string.h>

/* The parameter that an attribute lands in; NULL if the fragment has none of that name. */
static struct sig_param *find_param(const struct signature *s, const struct op_attr *attr,
                                    enum dialect dialect)
{
    bool renamed = dialect == DIALECT_PROVISIONAL && attr->provisional;
    const char *name = renamed ? attr->provisional : attr->name;

    for (int i = 0; i < s->nparam; i++)
        if (strcmp(s->params[i].name, name) == 0)
            return &s->params[i];
    return NULL;
}

/* Attributes land in the parameters of their names; tensors have no rows. */
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

void library_join(struct checker *c, struct library *library)
{
    enum dialect dialect = library->dialect;

    for (int i = 0; i < OP_COUNT; i++) {
        const struct op_desc *op = op_table[i];
        bool renamed = dialect == DIALECT_PROVISIONAL && op->provisional;
        const char *name = renamed ? op->provisional : op->name;
        if (!(op->traits & OP_EXTENSION) != !library->base)
            continue; /* each operator is of one library, or of both standards */
        struct signature *s =
            map_get(&c->operations, intern(c->context->names, name, strlen(name)));
        bool same = s;
        for (const struct op_attr *a = op->attrs; s && s->fragment->has_body && a && a->name; a++)
            same &= find_param(s, a, dialect) != NULL;
        if (same)
            signature_join(s, op, dialect);
    }
}
