/* attribute.c - see attribute.h */
#include "exec/attribute.h"

#include <assert.h>
#include <string.h>

static const struct op_attr *find(const struct node *node, const char *name)
{
    const struct op_attr *attr = node->op->attrs;

    while (attr && attr->name && strcmp(attr->name, name) != 0)
        attr++;
    return attr && attr->name ? attr : NULL;
}

static const void *field(const struct node *node, const char *name, enum attr_kind kind)
{
    const struct op_attr *attr = find(node, name);

    assert(attr && attr->kind == kind);
    (void)kind;
    return (const char *)node->attrs + attr->offset;
}

double attribute_number(const struct node *node, const char *name)
{
    return *(const double *)field(node, name, ATTR_SCALAR);
}

int64_t attribute_integer(const struct node *node, const char *name)
{
    return *(const int64_t *)field(node, name, ATTR_INTEGER);
}

bool attribute_flag(const struct node *node, const char *name)
{
    return *(const bool *)field(node, name, ATTR_LOGICAL);
}

const struct integers *attribute_integers(const struct node *node, const char *name)
{
    return field(node, name, ATTR_INTEGERS);
}

const struct pairs *attribute_pairs(const struct node *node, const char *name)
{
    return field(node, name, ATTR_PAIRS);
}

bool attribute_exists(const struct node *node, const char *name)
{
    return find(node, name) != NULL;
}

bool attribute_is(const struct node *node, const char *name, const char *word)
{
    const struct op_attr *attr = find(node, name);

    assert(attr && attr->kind == ATTR_ENUM);
    return strcmp(attr->names[*(const int *)field(node, name, ATTR_ENUM)], word) == 0;
}
