/* attr_equal.c - do two nodes ask for the same? */
#include "op/attr_equal.h"

#include "base/hash.h"

#include <string.h>

/* The bytes of an attribute: of the numbers of a list, of one number, of a text. */
struct bytes {
    const void *data;
    size_t size;
};

static struct bytes bytes_of(const struct op_attr *attr, const void *attrs)
{
    const void *field = (const unsigned char *)attrs + attr->offset;
    const struct integers *integers = field;
    const struct pairs *pairs = field;

    switch (attr->kind) {
    case ATTR_INTEGER:
        return (struct bytes){field, sizeof(int64_t)};
    case ATTR_SCALAR:
        return (struct bytes){field, sizeof(double)};
    case ATTR_LOGICAL:
        return (struct bytes){field, sizeof(bool)};
    case ATTR_ENUM:
        return (struct bytes){field, sizeof(int)};
    case ATTR_STRING:
        return (struct bytes){*(const char *const *)field, strlen(*(const char *const *)field)};
    case ATTR_INTEGERS:
        return (struct bytes){integers->item, (size_t)integers->count * sizeof *integers->item};
    case ATTR_PAIRS:
        return (struct bytes){pairs->item, (size_t)pairs->count * sizeof *pairs->item};
    case ATTR_VALUES: /* of constants, which are no nodes */
    case ATTR_DATUM:  /* of custom operations */
        break;
    }
    return (struct bytes){0};
}

uint64_t attrs_hash(const struct node *node)
{
    uint64_t hash = 0;

    for (const struct op_attr *a = node->op->attrs; a && a->name; a++) {
        struct bytes bytes = bytes_of(a, node->attrs);
        hash = hash_bytes(hash_mix(hash, bytes.size), bytes.data, bytes.size);
    }
    return hash;
}

static bool is_comparable(const struct op_attr *attr)
{
    return attr->kind != ATTR_VALUES && attr->kind != ATTR_DATUM;
}

bool attrs_equal(const struct op_desc *op, const void *a, const void *b)
{
    for (const struct op_attr *attr = op->attrs; attr && attr->name; attr++) {
        struct bytes x = bytes_of(attr, a), y = bytes_of(attr, b);
        if (!is_comparable(attr) || x.size != y.size ||
            (x.size > 0 && memcmp(x.data, y.data, x.size) != 0))
            return false;
    }
    return true;
}
