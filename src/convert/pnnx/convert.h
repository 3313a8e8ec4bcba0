/*
 * convert.h - how an operator of PNNX becomes nodes
 *
 * convert_list.def gives each operator a function or a fragment of stdlib/pnnx.nnef. A function
 * returns the first output and hands over others by set_output(). It reads parameters, which stand
 * in the line or are an operand that is known; inputs, by their place or by the key of their
 * argument; and weights. After a fault NULL stands for a tensor, and NULL makes NULL, as in
 * import_make.h.
 *
 * A fault is reported where it is found, once: c->t.failed says so, and c->t.span where. Results
 * belong to the arena of the compilation. An import runs on one thread.
 */
#ifndef NNEFC_CONVERT_PNNX_CONVERT_H
#define NNEFC_CONVERT_PNNX_CONVERT_H

#include "convert/onnx/import_make.h"
#include "convert/onnx/import_share.h"
#include "convert/onnx/import_value.h"
#include "convert/pnnx/import.h"

/* A number of Python: a double, or an integer that one holds. */
struct pnnx_number {
    double value;
    bool whole;
};

/* What an operand stands for: a tensor, a list, or a word. Exactly one of the three. */
struct pnnx_argument {
    struct imported *imported; /* the tensor */
    struct pnnx_number number; /* ... is this one, rounded to 32 bits unless it is whole */
    bool is_number;
    struct pnnx_argument **items; /* of a list or tuple */
    int count;
    int inner, depth; /* items at any depth; how deep lists are nested */
    bool is_list;
    const struct pnnx_value *word; /* None, torch.float, ... */
};

struct pnnx_import {
    struct import_builder builder;
    const struct pnnx_document *document;
    const struct onnx_import_options *options;
    struct map arguments;               /* by operand; none: a fault of it was reported */
    struct map rows;                    /* by type of operator */
    struct map inputs;                  /* their names so far */
    struct map outputs;                 /* likewise */
    const struct library *compositions; /* stdlib/pnnx.nnef; NULL until the first composition */
};

/* An operator that is being converted. */
struct pnnx_call {
    struct translation t; /* first; in[]: NULL for inputs that are no tensor */
    struct pnnx_import *import;
    const struct pnnx_operator *op;
    const struct pnnx_row *row;
    struct pnnx_argument **arg;  /* of each input */
    const struct integers *axes; /* of the composition that is being expanded */
};

/* `x` is input_of(c).  A gatherer looks for its inputs itself. */
typedef struct imported *pnnx_converter(struct pnnx_call *c, struct imported *x);
typedef struct imported *pnnx_gatherer(struct pnnx_call *c);

/* A line of convert_list.def. */
struct pnnx_row {
    const char *types;                /* separated by spaces; "*d" stands for 1d, 2d and 3d */
    bool (*own)(struct pnnx_call *c); /* of what is no computation: import.c */
    pnnx_converter *convert;          /* one of the three */
    pnnx_gatherer *gather;
    int variant;          /* tells operators of one function apart */
    const char *fragment; /* of a composition */
};

/* NULL if no row has that type. */
const struct pnnx_row *pnnx_find_row(const char *type);

#define OWN(types, function)               bool own_##function(struct pnnx_call *c);
#define OPERATOR(types, function, variant) pnnx_converter convert_##function;
#define VARIANT(types, function, variant)
#define GATHER(types, function) pnnx_gatherer convert_##function;
#define COMPOSITION(types, fragment)
#include "convert/pnnx/convert_list.def"

/* Variants of convert_softmax(). */
enum { SOFTMAX, SOFTMAX_LOG, SOFTMAX_OF_NEGATIVE, SOFTMAX_OF_CHANNELS };

/*
 * --- parameters ------------------------------------------------------------------------------
 *
 * A parameter of the line goes before an argument of the same key. None counts as absent. If the
 * parameter is absent the result is `otherwise`; also after a report, if it has another type.
 */
bool has_arg(struct pnnx_call *c, const char *key);

/* The least and greatest numbers of 32 bits stand for those of 64: "to the end". */
int64_t arg_int(struct pnnx_call *c, const char *key, int64_t otherwise);

/* Rounded to 32 bits. */
double arg_real(struct pnnx_call *c, const char *key, double otherwise);

/* The number for a tensor of that type, 0 if it is absent: a literal, or for integers one that
 * keeps 64 bits.  NULL after a report. */
struct imported *arg_item(struct pnnx_call *c, const char *key, int32_t type);

bool arg_flag(struct pnnx_call *c, const char *key, bool otherwise);
const char *arg_text(struct pnnx_call *c, const char *key, const char *otherwise);

/*
 * False if it is absent, or after a report; a single number is a list of one. Integers in doubles
 * are exact up to 2^53, beyond any extent.
 */
bool arg_ints(struct pnnx_call *c, const char *key, struct integers *items);
bool arg_reals(struct pnnx_call *c, const char *key, const double **items, int *count);

/* The first of these keys that is there; NULL ends them. */
bool arg_ints_any(struct pnnx_call *c, const char *const *keys, struct integers *items);

/* The value of a tensor of one item, if it is known when the model is read. */
bool known_number(const struct pnnx_argument *arg, double *number);

/* True, and the integer, if the number is one of at most 2^53. */
bool whole_of(double number, int64_t *whole);

/* An axis, negative ones from the end of `rank`; false after a report. */
bool arg_axis(struct pnnx_call *c, const char *key, int64_t otherwise, int rank, int *axis);

/* A list of axes: each once, in ascending order; false if it is absent, or after a report. */
bool arg_axes(struct pnnx_call *c, const char *key, int rank, struct integers *axes);

/* --- tensors -------------------------------------------------------------------------------- */

/* By place: that there is none is reported. */
struct imported *tensor_at(struct pnnx_call *c, int index);

/* By key, else by place. */
struct imported *tensor_named(struct pnnx_call *c, const char *key, int index);

/* By key; NULL if there is none. */
struct imported *tensor_option(struct pnnx_call *c, const char *key);

/* The input "input", or the first. */
struct imported *input_of(struct pnnx_call *c);

/* The arguments from input `first` on; if that is a list, its items. */
struct pnnx_argument *const *arguments_from(const struct pnnx_call *c, int first, int *count);

/* An attribute of the operator; NULL if there is none, or after a report. */
struct imported *weight_named(struct pnnx_call *c, const char *name);

/* An attribute, else an argument of that name; NULL if there is neither. */
struct imported *weight_or_option(struct pnnx_call *c, const char *name);

/* An attribute, else tensor_named(). */
struct imported *weight_or_input(struct pnnx_call *c, const char *name, int index);

/* A parameter, else an argument: "other". */
struct imported *operand_named(struct pnnx_call *c, const char *key, int index);

/* An integer or logical keeps its type; a real number gets the type of the operand that it meets.
 */
struct imported *number_value(struct pnnx_call *c, const struct pnnx_value *value);

int32_t pnnx_type_in_onnx(enum pnnx_type type); /* UNDEFINED if ONNX has none */
const char *onnx_type_in_pnnx(int32_t type);    /* as in a text; types it lacks as in ONNX */

/* "torch.float" and the like; UNDEFINED for other words. */
int32_t onnx_type_named(const char *name);

/* --- compositions --------------------------------------------------------------------------- */

/*
 * A fragment of stdlib/pnnx.nnef or stdlib/onnx.nnef, by name. `in` are its tensors in their order,
 * NULL for those that have their default; `axes` may be NULL if it has no such parameter. Other
 * parameters are read from the operator by their names.
 */
struct imported *compose(struct pnnx_call *c, const char *fragment, struct imported *const *in,
                         int count, const struct integers *axes);
struct imported *compose1(struct pnnx_call *c, const char *fragment, struct imported *x);

/* The converter of rows that are compositions. */
pnnx_converter convert_composition;

/* --- expressions: convert_expression.c ------------------------------------------------------ */

/* An elementwise function of expressions; NULL after a report. */
struct imported *apply_function(struct pnnx_call *c, const char *name, struct imported *const *in,
                                int count);

/* Two operands of different kinds meet in the one that holds both; false after a report. */
bool promote(struct pnnx_call *c, struct imported **in);

/* What the expression of the operator stands for; NULL after a report. */
struct pnnx_argument *evaluate_expression(struct pnnx_call *c, const struct pnnx_pair *param);

/* The argument that stands for a tensor; NULL if the tensor is NULL. */
struct pnnx_argument *tensor_argument(struct pnnx_import *import, struct imported *imported);

/* A list or tuple, which keeps `items`; NULL after a report that they are too many. */
struct pnnx_argument *list_argument(struct pnnx_call *c, struct pnnx_argument **items, int count);

/* --- parts: convert_part.c ------------------------------------------------------------------ */

/* Pads in front of and behind each dimension of x; the mode is one of PyTorch. */
struct imported *pad_by_mode(struct pnnx_call *c, struct imported *x, const int64_t (*pads)[2],
                             const char *mode);

#endif
