/* attr.h - attributes of operators: how they are stored, and the tables that say so */
#ifndef NNEFC_OP_ATTR_H
#define NNEFC_OP_ATTR_H

#include "ir/datum.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum attr_kind {
    ATTR_INTEGER,  /* int64_t */
    ATTR_SCALAR,   /* double */
    ATTR_LOGICAL,  /* bool */
    ATTR_STRING,   /* const char * */
    ATTR_ENUM,     /* int: index into names */
    ATTR_INTEGERS, /* struct integers */
    ATTR_PAIRS,    /* struct pairs */
    ATTR_VALUES,   /* struct values */
    ATTR_DATUM,    /* struct datum, whatever it is: custom operations */
};

struct integers {
    int count;
    const int64_t *item;
};

static inline bool integers_equal(const struct integers *a, const struct integers *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->item, b->item, (size_t)a->count * sizeof *a->item) == 0);
}

/* Are all of them 1?  None are, too: strides count 1 where none are given. */
static inline bool integers_are_ones(const struct integers *list)
{
    for (int i = 0; i < list->count; i++)
        if (list->item[i] != 1)
            return false;
    return true;
}

struct pairs {
    int count;
    const int64_t (*item)[2]; /* (before, after) */
};

/* Literals of one type. */
struct values {
    int count;
    const struct datum *item;
};

/* Where one attribute of the signature lands in the family's struct. */
struct op_attr {
    const char *name;
    const char *provisional; /* its name in the provisional dialect, if another */
    enum attr_kind kind;
    size_t offset;
    bool bounded;             /* `min` applies */
    int64_t min;              /* smallest value allowed, of each item */
    const char *const *names; /* ATTR_ENUM: allowed strings, NULL-terminated */
};

#endif
