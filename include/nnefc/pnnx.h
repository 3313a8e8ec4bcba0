/*
 * pnnx.h - the part of nnefc.h about the text of a PNNX model: its operators and operands
 *
 *     nnefc_model_set_pnnx_reading(model, NNEFC_PNNX_TO_READ);
 *     nnefc_model_load(model, "net.pnnx.param");
 *     for (int i = 0; i < nnefc_pnnx_operators(model)->count; i++)
 *         puts(nnefc_pnnx_operators(model)->at[i]->name);
 *
 * All of these exist once the text was read, even if the model cannot be computed because an
 * operator is unknown or weights are missing.  Operators and operands are numbered from 0, in the
 * order of the file.
 */
#ifndef NNEFC_PNNX_H
#define NNEFC_PNNX_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The purpose of reading a PNNX model. */
enum nnefc_pnnx_reading {
    NNEFC_PNNX_TO_COMPUTE, /* everything that prevents computing it is an error */
    NNEFC_PNNX_TO_VERIFY,  /* unsupported operators, unsupported types of items, and open extents
                              are warnings; with one of them there is no graph */
    NNEFC_PNNX_TO_INFORM,  /* the same; a missing file of weights is a warning, too */
    NNEFC_PNNX_TO_READ,    /* only the text is read, and there is no graph */
};

/* Before loading; the default is NNEFC_PNNX_TO_COMPUTE.  It does not affect models of other
 * formats.  NNEFC_USAGE after loading, or if `reading` is no value of the enumeration. */
NNEFC_API enum nnefc_status nnefc_model_set_pnnx_reading(struct nnefc_model *model,
                                                         enum nnefc_pnnx_reading reading);

/*
 * Write a PNNX model whose text was read: the text to "net.param", with each value as it was
 * spelled, and the weights to "net.bin" beside it, in ZIP64.  Both files are complete or not
 * touched.  A stream gets only the text; then weights may be missing.  A model of another format is
 * NNEFC_UNSUPPORTED.
 */
NNEFC_API enum nnefc_status nnefc_model_write_pnnx(struct nnefc_model *model, const char *path);

/* --- shapes and values ----------------------------------------------------------------------- */

struct nnefc_pnnx_extent {
    int64_t extent;     /* NNEFC_UNKNOWN if it is open */
    const char *symbol; /* what an open one is called, "height" of "%height"; NULL of "?" */
};
NNEFC_LIST_OF(nnefc_pnnx_extent);

struct nnefc_pnnx_shape {
    const char *type; /* "f32", "i64", "c64"; NULL if it is not known */
    const struct nnefc_pnnx_extent_list *extents;
};

enum nnefc_pnnx_kind {
    NNEFC_PNNX_NONE,
    NNEFC_PNNX_LOGICAL,
    NNEFC_PNNX_INTEGER,
    NNEFC_PNNX_REAL, /* inf and nan among them */
    NNEFC_PNNX_COMPLEX,
    NNEFC_PNNX_TEXT, /* expressions among them */
    NNEFC_PNNX_LIST,
};

struct nnefc_pnnx_value;
NNEFC_LIST_OF(nnefc_pnnx_value);

struct nnefc_pnnx_value {
    enum nnefc_pnnx_kind kind;
    const char *text; /* as written; NULL of a list */
    int64_t integer;  /* 1 of True */
    double real, imaginary;
    const struct nnefc_pnnx_value_list *items; /* of a list */
};

/* --- operators ----------------------------------------------------------------------------- */

/* Input or output of an operator. */
struct nnefc_pnnx_port {
    int operand;          /* its number */
    const char *argument; /* what an input is called, "other" of "$other=3"; NULL if it is not */
};
NNEFC_LIST_OF(nnefc_pnnx_port);

struct nnefc_pnnx_parameter {
    const char *key; /* "stride" */
    const struct nnefc_pnnx_value *value;
};
NNEFC_LIST_OF(nnefc_pnnx_parameter);

/* Weights, whose data need not be there. */
struct nnefc_pnnx_attribute {
    const char *name; /* "weight" */
    const struct nnefc_pnnx_shape *shape;
};
NNEFC_LIST_OF(nnefc_pnnx_attribute);

struct nnefc_pnnx_operator {
    const char *type, *name; /* "nn.Conv2d", "conv1" */
    const struct nnefc_pnnx_port_list *inputs, *outputs;
    const struct nnefc_pnnx_parameter_list *parameters;
    const struct nnefc_pnnx_attribute_list *attributes;
    int line;
};
NNEFC_LIST_OF(nnefc_pnnx_operator);
NNEFC_API const struct nnefc_pnnx_operator_list *
nnefc_pnnx_operators(const struct nnefc_model *model);

/* --- operands ------------------------------------------------------------------------------ */

/* Input `input` of operator `reader` reads an operand. */
struct nnefc_pnnx_use {
    int reader, input;
};
NNEFC_LIST_OF(nnefc_pnnx_use);

struct nnefc_pnnx_operand {
    const char *name;
    int producer, port; /* which operator makes it, as which of its outputs */
    const struct nnefc_pnnx_use_list *uses;
    const struct nnefc_pnnx_shape
        *shape; /* NULL: the file does not say, as of tuples and scalars */
};
NNEFC_LIST_OF(nnefc_pnnx_operand);
NNEFC_API const struct nnefc_pnnx_operand_list *
nnefc_pnnx_operands(const struct nnefc_model *model);

#ifdef __cplusplus
}
#endif

#endif
