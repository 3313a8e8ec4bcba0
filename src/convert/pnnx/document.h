/*
 * document.h - a file of PNNX as it is written: operators, operands, parameters, attributes
 *
 * Everything lies in the arena of the compilation; names are interned, so that equal names are
 * equal pointers. Each value keeps its written form, so that write.c can write the same text again.
 */
#ifndef NNEFC_CONVERT_PNNX_DOCUMENT_H
#define NNEFC_CONVERT_PNNX_DOCUMENT_H

#include "base/list.h"
#include "base/map.h"
#include "convert/pnnx/value.h"
#include "diag/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct context;
struct sink;
struct pnnx_expression;

/* What a line says in pairs, by their marks. */
enum pnnx_mark {
    PNNX_PARAM,     /* key=value */
    PNNX_ATTRIBUTE, /* @name=shape, weights: the member "<operator>.<name>" of the archive */
    PNNX_OPERAND,   /* #operand=shape */
    PNNX_ARGUMENT,  /* $argument=operand */
    PNNX_MARKS
};

struct pnnx_pair {
    struct pnnx_pair *next;   /* of the same mark */
    struct pnnx_pair *behind; /* in the line */
    enum pnnx_mark mark;
    const char *name;
    struct span span;                   /* of the name */
    struct pnnx_value *value;           /* of a parameter */
    struct pnnx_expression *expression; /* of the parameter `expr`, else NULL */
    struct pnnx_shape *shape;           /* of weights or of an operand */
    const char *operand;                /* of an argument */
    struct span operand_span;
    const unsigned char *data; /* weights: volume * size of an item; NULL: not read */
    size_t size;
};
LIST_OF(pnnx_pair);

struct pnnx_pairs {
    struct pnnx_pair_list of[PNNX_MARKS];
    struct pnnx_pair *first, *last; /* as they are written */
};

/* What operators hand on to each other: a tensor, a list, a number, ... */
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

/* A line of the text: type, name, counts, inputs, outputs, pairs. */
struct pnnx_operator {
    struct pnnx_operator *next;
    const char *type, *name;
    int index; /* in the list of the document */
    struct pnnx_operand **in, **out;
    const char **key; /* of each input: what its argument is called, or NULL */
    int nin, nout;
    struct pnnx_pairs pairs;
    struct span span, type_span, name_span; /* the whole line; parts of it */
};
LIST_OF(pnnx_operator);

struct pnnx_document {
    struct pnnx_operator_list operators; /* in the order of the text: producers go before readers */
    struct pnnx_operand_list operands;   /* in the order in which they are made */
    int nattribute;                      /* of all operators */
    struct map by_name;                  /* operands */
};

/*
 * Reads a text, which was entered at offset `base` of the sources and lasts as long as the
 * document. NULL if anything was reported.
 */
struct pnnx_document *pnnx_read(struct context *context, uint32_t base, const char *text,
                                size_t size);
void pnnx_document_free(struct pnnx_document *document); /* NULL is allowed */

/* Writes the text: values as they were spelled, pairs in their order, columns as PNNX aligns them.
 */
void pnnx_write_text(const struct pnnx_document *document, const struct sink *sink);

/* Writes the archive of attributes, in the order of the text; all of them have their data. */
void pnnx_write_weights(const struct context *context, const struct pnnx_document *document,
                        const struct sink *sink);

/* The first pair of that mark and name, which need not be interned; NULL if there is none. */
const struct pnnx_pair *pnnx_find(const struct pnnx_operator *operator, enum pnnx_mark mark,
                                  const char *name);

/* The member of the archive that has the weights of an attribute: "<operator>.<attribute>",
 * interned.
 */
const char *pnnx_member_name(const struct context *context, const struct pnnx_operator *operator,
                             const struct pnnx_pair * attribute);

#endif
