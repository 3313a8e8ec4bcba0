/*
 * type.h - types of expressions (NNEF 1.0.5, section 3.3.1)
 *
 * Equal types are equal pointers.  TYPE_POISON stands for what was already reported and fits
 * everywhere; TYPE_EMPTY_ARRAY is the type of `[]`.  A tensor of TYPE_POISON is a tensor whose
 * data type shows only in the expansion: the bare `tensor` of the provisional dialect.
 */
#ifndef NNEFC_SEMA_TYPE_H
#define NNEFC_SEMA_TYPE_H

#include "parser/ast.h"
#include "tensor/tensor.h"

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
    int size;         /* primitive parts it has when spelled out, and brackets around them */
    bool has_tensor;  /* is or contains a tensor */
    bool has_generic; /* is or contains '?' */
};

/* Longest type that walks over it (which recur) need to cope with; whoever makes types sees to it
 * that none is larger. */
enum { TYPE_SIZE_LIMIT = 4096 };

/* Makes types once each. */
struct types;

struct types *types_new(struct arena *arena);            /* lives in the arena */
const struct type *type_primitive(enum type_kind kind);  /* POISON .. GENERIC, EMPTY_ARRAY */
const struct type *type_tensor(const struct type *item); /* NULL: tensor<> */
const struct type *type_array(struct types *types, const struct type *item);
const struct type *type_tuple(struct types *types, const struct type *const *items, int count);

/* `type` with `what` in the place of '?'. */
const struct type *type_substitute(struct types *types, const struct type *type,
                                   const struct type *what);

/*
 * Implicit cast, section 3.3.1: may a `from` stand where a `to` is expected?  '?' is opaque here:
 * a generic parameter is compared after type_substitute().
 */
bool type_castable(const struct type *from, const struct type *to);

/* The one of two types to which the other can be cast; NULL if there is none. */
const struct type *type_common(const struct type *a, const struct type *b);

/* Is it one of the four types of literals, or '?'? */
bool type_is_primitive(const struct type *type);

const struct type *type_of_name(enum type_name name); /* INTEGER .. GENERIC */
enum type_name type_to_name(const struct type *type); /* NONE if it is not primitive */
enum dtype type_dtype(const struct type *type);       /* of a primitive type; UNKNOWN for others */

/* As written in a document of that dialect: "tensor<scalar>[]", "(integer,integer)". */
const char *type_text(const struct type *type, enum dialect dialect, struct arena *arena);

#endif
