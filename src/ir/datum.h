/*
 * datum.h - the value of an expression at compile time
 *
 * Primitive values, tensors of the graph, and arrays and tuples of them.  Items live in an
 * arena and are shared freely: a datum is never changed once made.
 */
#ifndef NNEFC_IR_DATUM_H
#define NNEFC_IR_DATUM_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct value;
struct text;

enum datum_kind {
    DATUM_NONE, /* not known: never assigned, or reported */
    DATUM_INTEGER,
    DATUM_SCALAR,
    DATUM_LOGICAL,
    DATUM_STRING,
    DATUM_ARRAY,
    DATUM_TUPLE,
    DATUM_TENSOR,
};

/* One value, in the member that its kind names; DATUM_NONE is zeroed memory. */
struct datum {
    enum datum_kind kind;
    int count; /* ARRAY, TUPLE: items */
    union {
        int64_t integer;
        double scalar;
        bool logical;
        const char *string; /* with a final NUL */
        const struct datum *items;
        struct value *tensor;
    };
};

/* A deep copy, whose items and strings lie in `arena`.  Tensors are shared. */
struct datum datum_copy(struct arena *arena, const struct datum *datum);

/* Bytes of a string without its NUL, items of an array or tuple; other data have none. */
int64_t datum_length(const struct datum *datum);

/* Are kind and value equal?  Tensors are equal only if they are one value; NaN equals nothing. */
bool datum_equal(const struct datum *a, const struct datum *b);

/* As an NNEF literal; tensors by name. */
void datum_print(const struct datum *datum, struct text *to);

#endif
