/*
 * pnnx.h - the part of nnefc.h about what the text of a model of PNNX says: its operators and operands
 *
 *     nnefc_model_set_pnnx_reading(model, NNEFC_PNNX_TO_READ);
 *     nnefc_model_load(model, "net.pnnx.param");
 *     for (int i = 0; i < nnefc_pnnx_operator_count(model); i++)
 *         puts(nnefc_pnnx_operator(model, i).name);
 *
 * All of it is there once the text was read, also if the model cannot be computed, as an operator is
 * unknown or weights are missing.  Operators and operands are counted from 0, in the order of the file.
 * What is returned lives as long as the model.  An index that is none gives a struct of zeros or NULL.
 */
#ifndef NNEFC_PNNX_H
#define NNEFC_PNNX_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is asked of a model of PNNX. */
enum nnefc_pnnx_reading {
    NNEFC_PNNX_TO_COMPUTE, /* to be computed: whatever hinders that is an error */
    NNEFC_PNNX_TO_VERIFY,  /* to be right: operators and types of items that are not supported, and
                              extents that are open, are warnings; there is no graph then */
    NNEFC_PNNX_TO_INFORM,  /* the same, and so are weights whose file is not there */
    NNEFC_PNNX_TO_READ,    /* to be read: nothing but the text matters, and there is no graph */
};

/* Before loading; without it NNEFC_PNNX_TO_COMPUTE.  Models of other formats are loaded as ever.
 * NNEFC_USAGE if one is loaded, or `reading` is none. */
NNEFC_API enum nnefc_status nnefc_model_set_pnnx_reading(struct nnefc_model *model,
                                                         enum nnefc_pnnx_reading reading);

/*
 * Write a model of PNNX of which the text was read: that text with each value as it was spelled, and in
 * "net.bin" beside "net.param" the weights, in ZIP64.  Both are complete or not touched.  A stream gets
 * the text only, and weights need not be there.  A model of another format is NNEFC_UNSUPPORTED.
 */
NNEFC_API enum nnefc_status nnefc_model_write_pnnx(struct nnefc_model *model, const char *path);

/* --- operators ----------------------------------------------------------------------------- */

struct nnefc_pnnx_operator {
    const char *type, *name; /* "nn.Conv2d", "conv1" */
    int input_count, output_count, parameter_count, attribute_count;
    int line;
};
NNEFC_API int nnefc_pnnx_operator_count(struct nnefc_model *model);
NNEFC_API struct nnefc_pnnx_operator nnefc_pnnx_operator(struct nnefc_model *model, int index);

/* Input or output `i` of an operator. */
struct nnefc_pnnx_port {
    int operand;          /* its number; -1 if there is no such input or output */
    const char *argument; /* what an input is called, "other" of "$other=3"; NULL if it is not */
};
NNEFC_API struct nnefc_pnnx_port nnefc_pnnx_input(struct nnefc_model *model, int index, int i);
NNEFC_API struct nnefc_pnnx_port nnefc_pnnx_output(struct nnefc_model *model, int index, int i);

/* --- operands ------------------------------------------------------------------------------ */

struct nnefc_pnnx_shape;

struct nnefc_pnnx_operand {
    const char *name;
    int producer, port; /* which operator makes it, as which of its outputs */
    int use_count;      /* inputs that read it; an operator may do so twice */
    const struct nnefc_pnnx_shape
        *shape; /* NULL: the file does not say, as of tuples and scalars */
};
NNEFC_API int nnefc_pnnx_operand_count(struct nnefc_model *model);
NNEFC_API struct nnefc_pnnx_operand nnefc_pnnx_operand(struct nnefc_model *model, int index);

/* Use `i` of an operand, in the order of the file: input `input` of operator `reader`. */
struct nnefc_pnnx_use {
    int reader, input;
};
NNEFC_API struct nnefc_pnnx_use nnefc_pnnx_use(struct nnefc_model *model, int index, int i);

struct nnefc_pnnx_extent {
    int64_t extent;     /* NNEFC_UNKNOWN if it is open */
    const char *symbol; /* what an open one is called, "height" of "%height"; NULL of "?" */
};
/* "f32", "i64", "c64"; NULL if it is not known, or there is no shape. */
NNEFC_API const char *nnefc_pnnx_shape_type(const struct nnefc_pnnx_shape *shape);
/* NNEFC_UNKNOWN if there is no shape. */
NNEFC_API int nnefc_pnnx_shape_rank(const struct nnefc_pnnx_shape *shape);
NNEFC_API struct nnefc_pnnx_extent nnefc_pnnx_shape_extent(const struct nnefc_pnnx_shape *shape,
                                                           int i);

/* --- parameters and attributes --------------------------------------------------------------- */

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

NNEFC_API enum nnefc_pnnx_kind nnefc_pnnx_value_kind(const struct nnefc_pnnx_value *value);
NNEFC_API const char *
nnefc_pnnx_value_text(const struct nnefc_pnnx_value *value); /* as written; NULL of a list */
NNEFC_API int64_t nnefc_pnnx_value_integer(const struct nnefc_pnnx_value *value); /* 1 of True */
NNEFC_API double nnefc_pnnx_value_real(const struct nnefc_pnnx_value *value);
NNEFC_API double nnefc_pnnx_value_imaginary(const struct nnefc_pnnx_value *value);

/* The first item of a list, and what follows an item; NULL if there is none. */
NNEFC_API const struct nnefc_pnnx_value *
nnefc_pnnx_value_first(const struct nnefc_pnnx_value *list);
NNEFC_API const struct nnefc_pnnx_value *nnefc_pnnx_value_next(const struct nnefc_pnnx_value *item);

struct nnefc_pnnx_parameter {
    const char *key; /* "stride" */
    const struct nnefc_pnnx_value *value;
};
NNEFC_API struct nnefc_pnnx_parameter nnefc_pnnx_parameter(struct nnefc_model *model, int index,
                                                           int i);

/* Weights, whose data need not be there. */
struct nnefc_pnnx_attribute {
    const char *name; /* "weight" */
    const struct nnefc_pnnx_shape *shape;
};
NNEFC_API struct nnefc_pnnx_attribute nnefc_pnnx_attribute(struct nnefc_model *model, int index,
                                                           int i);

#ifdef __cplusplus
}
#endif

#endif
