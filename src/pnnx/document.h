/*
 * document.h - a file of PNNX as it is written: operators, operands, parameters, attributes
 *
 * Everything lies in the arena of the compilation; names are interned, so that equal names are equal
 * pointers.  Of a value its written form is kept.
 */
#ifndef NNEFC_PNNX_DOCUMENT_H
#define NNEFC_PNNX_DOCUMENT_H

#include "base/list.h"
#include "base/map.h"
#include "base/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct context;
struct pnnx_expression;

/* The numbers are those that PNNX itself gives to types. */
enum pnnx_type {
    PNNX_NULL,
    PNNX_F32,
    PNNX_F64,
    PNNX_F16,
    PNNX_I32,
    PNNX_I64,
    PNNX_I16,
    PNNX_I8,
    PNNX_U8,
    PNNX_BOOL,
    PNNX_C64,
    PNNX_C128,
    PNNX_C32,
    PNNX_BF16,
    PNNX_TYPE_COUNT
};

const char *pnnx_type_name(enum pnnx_type type);
int pnnx_type_size(enum pnnx_type type); /* bytes of an item; 0 if unknown */

enum { PNNX_ANY = -1 }; /* an extent that is not known */

struct pnnx_dim {
    int64_t extent;     /* or PNNX_ANY */
    const char *symbol; /* what an extent that is not known is called; NULL: "?" */
};

struct pnnx_shape {
    struct pnnx_dim *dim;
    int rank;
    enum pnnx_type type;
    struct span span;
};

enum pnnx_kind {
    PNNX_NONE,
    PNNX_LOGICAL,
    PNNX_INTEGER,
    PNNX_REAL,
    PNNX_COMPLEX,
    PNNX_TEXT,
    PNNX_LIST
};

struct pnnx_value {
    struct pnnx_value *next; /* in a list; of a list, the last item */
    enum pnnx_kind kind;
    const char *text; /* as it is written; of a list NULL */
    int64_t integer;  /* also whether a logical is true */
    double real;      /* also of an integer, and of a text that is inf or nan */
    double imaginary; /* of a complex number */
    bool is_number;   /* `real` says what it is */
    struct pnnx_value *first;
    int count; /* items of a list */
    struct span span;
};

struct pnnx_param {
    struct pnnx_param *next;
    const char *key;
    struct pnnx_value *value;
    struct pnnx_expression *expression; /* of the key `expr`, else NULL */
    struct span span;
};
LIST_OF(pnnx_param);

/* Weights: an entry of the archive beside the text. */
struct pnnx_attribute {
    struct pnnx_attribute *next;
    const char *name;
    struct pnnx_shape *shape;
    struct span span;
    const unsigned char *data; /* volume * size of an item; NULL: the archive was not read */
    size_t size;
};
LIST_OF(pnnx_attribute);

struct pnnx_operand {
    struct pnnx_operand *next;
    const char *name;
    int index; /* in the list of the document */
    struct pnnx_operator *producer;
    int port;                       /* which output of its producer */
    int uses;                       /* inputs of operators that read it */
    const struct pnnx_shape *shape; /* NULL: not known, or a scalar */
    struct span span;               /* where it is produced */
    /* while it is read: */
    const struct pnnx_operator *touched; /* the last that reads or makes it */
    int unbound;                         /* its first input of that one without a key; -1: none */
};
LIST_OF(pnnx_operand);

struct pnnx_operator {
    struct pnnx_operator *next;
    const char *type, *name;
    int index; /* in the list of the document */
    struct pnnx_operand **in, **out;
    const char **key; /* of each input: what its argument is called, or NULL */
    int nin, nout;
    struct pnnx_param_list params;
    struct pnnx_attribute_list attributes;
    struct span span, type_span, name_span; /* the whole line; parts of it */
};
LIST_OF(pnnx_operator);

struct pnnx_document {
    struct pnnx_operator_list operators;
    struct pnnx_operand_list operands;
    int nattribute;
    struct map by_name; /* operands */
};

/*
 * Reads a text, which was entered at offset `base` of the sources and lasts as long as the document.
 * NULL if anything was reported.  The document is freed by the next.
 */
struct pnnx_document *pnnx_read(struct context *context, uint32_t base, const char *text,
                                size_t size);
void pnnx_document_free(struct pnnx_document *document); /* NULL is allowed */

/* NULL if there is none. */
const struct pnnx_param *pnnx_param_of(const struct pnnx_operator *operator, const char * key);
const struct pnnx_attribute *pnnx_attribute_of(const struct pnnx_operator *operator,
                                               const char * name);

#endif
