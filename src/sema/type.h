/*
 * type.h - types of expressions (NNEF 1.0.5, section 3.3.1)
 *
 * Equal types are equal pointers.  TYPE_POISON stands for what was already reported and fits
 * everywhere; TYPE_EMPTY_ARRAY is the type of `[]`.
 */
#ifndef NNEFC_SEMA_TYPE_H
#define NNEFC_SEMA_TYPE_H

#include "parser/ast.h"
#include "tensor/dtype.h"

#include <stdbool.h>

struct arena;

enum type_kind {
    TYPE_POISON,
    TYPE_INTEGER,
    TYPE_SCALAR,
    TYPE_LOGICAL,
    TYPE_STRING,
    TYPE_GENERIC, /* '?' inside a generic fragment: opaque */
    TYPE_TENSOR,  /* item: data type, NULL for tensor<> */
    TYPE_ARRAY,   /* item */
    TYPE_EMPTY_ARRAY,
    TYPE_TUPLE, /* items, count */
};

struct type {
    enum type_kind kind;
    const struct type *item;
    int count;
    const struct type *const *items;
    bool has_tensor;  /* is or contains a tensor */
    bool has_generic; /* is or contains '?' */
};

/* Makes types once each. */
struct types;

struct types *types_new(struct arena *arena);           /* lives in the arena */
const struct type *type_primitive(enum type_kind kind); /* POISON .. GENERIC, EMPTY_ARRAY */
const struct type *type_tensor(struct types *types, const struct type *item);
const struct type *type_array(struct types *types, const struct type *item);
const struct type *type_tuple(struct types *types, const struct type *const *items, int count);

/* `type` with `what` in the place of '?'. */
const struct type *type_substitute(struct types *types, const struct type *type,
                                   const struct type *what);

/* Implicit cast, section 3.3.1: may a `from` stand where a `to` is expected? */
bool type_castable(const struct type *from, const struct type *to);

/* The one of two types to which the other can be cast; NULL if there is none. */
const struct type *type_common(struct types *types, const struct type *a, const struct type *b);

const struct type *type_of_name(enum type_name name); /* INTEGER .. GENERIC */
enum dtype type_dtype(const struct type *type);       /* of a primitive type; UNKNOWN for others */

/* As written in a document of that dialect: "tensor<scalar>[]", "(integer,integer)". */
const char *type_text(const struct type *type, enum dialect dialect, struct arena *arena);

#endif
