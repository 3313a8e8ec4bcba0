/*
 * convert.h - how an operator of PNNX is said by those of ONNX
 *
 * An operator has a function, named in say_list.def, that returns its first output and hands over others
 * by set_output().  It sees parameters, which are in the line or come from an operand that is known;
 * inputs, by their place or by the key of their argument; and weights.  From a fault on NULL stands for
 * a tensor, as in take.h, and whatever is made from NULL is NULL.
 */
#ifndef NNEFC_CONVERT_PNNX_CONVERT_H
#define NNEFC_CONVERT_PNNX_CONVERT_H

#include "convert/onnx/import_make.h"
#include "convert/onnx/import_share.h"
#include "convert/onnx/import_value.h"
#include "convert/pnnx/import.h"

/* What an operand stands for: a tensor, several things, or a word. */
struct given {
    struct imported *imported;
    struct given **items; /* of a list or tuple */
    int count;
    int inner, depth; /* things in it at any depth; how deep lists are nested */
    bool is_list;
    const struct pnnx_value *word; /* None, torch.float, ... */
};

struct pnnx_import {
    struct import_builder builder;
    const struct pnnx_document *document;
    const struct pnnx_import_options *options;
    struct map given;          /* by operand; none: that was reported */
    struct map rows;           /* by type of operator */
    struct map inputs;         /* their names so far */
    struct map outputs;        /* likewise */
    struct onnx_graph *saying; /* that nodes are said in */
};

struct say {
    struct translation t; /* in[]: NULL for what is no tensor */
    struct pnnx_import *import;
    const struct pnnx_operator *op;
    struct given **given;   /* of each input */
    struct onnx_node *node; /* that is being said */
};

typedef struct imported *say_function(struct say *s);

struct say_row {
    const char *types;
    say_function *say;
};

/* NULL if there is none. */
const struct say_row *say_find(const char *type);

/* --- parameters: None is as if it were not there -------------------------------------------- */

bool say_has(struct say *s, const char *key);
int64_t say_int(struct say *s, const char *key, int64_t otherwise);
double say_real(struct say *s, const char *key, double otherwise);
bool say_flag(struct say *s, const char *key, bool otherwise);
const char *say_text(struct say *s, const char *key, const char *otherwise);

/* False if there is none, or after a report; a single number is a list of one. */
bool say_ints(struct say *s, const char *key, struct integers *items);
bool say_reals(struct say *s, const char *key, const double **items, int *count);

/* An integer up to which doubles are exact; false if it is none. */
bool whole_of(double number, int64_t *whole);

/* An axis that is a parameter, negative ones from the end of `rank`; false after a report. */
bool say_axis(struct say *s, const char *key, int64_t otherwise, int rank, int *axis);

/* A list of them, or NULL: each once, in ascending order; false if there is none, or after a report. */
bool say_axes(struct say *s, const char *key, int rank, struct integers *axes);

/* --- tensors -------------------------------------------------------------------------------- */

/* NULL if there is none, which is reported for `say_in`. */
struct imported *say_in(struct say *s, int index);
struct imported *say_argument(struct say *s, const char *key,
                              int index);                    /* by key, else by place */
struct imported *say_option(struct say *s, const char *key); /* an argument that may be left out */
struct imported *say_weight(struct say *s, const char *name);

/* A parameter or an argument: "other". */
struct imported *say_operand(struct say *s, const char *key, int index);

struct imported *say_refuse(struct say *s, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* --- a node of ONNX ------------------------------------------------------------------------- */

void say_begin(struct say *s, const char *type);
void node_int(struct say *s, const char *name, int64_t value);
void node_ints(struct say *s, const char *name, const int64_t *items, int count);
void node_real(struct say *s, const char *name, double value);
void node_text(struct say *s, const char *name, const char *value);

/* Make it; `outputs` are wanted, and are at out, which may be NULL for one.  The first of them. */
struct imported *say_end(struct say *s, struct imported *const *in, int count,
                         struct imported **out, int outputs);
struct imported *say_end1(struct say *s, struct imported *x);

/* Without attributes. */
struct imported *say1(struct say *s, const char *type, struct imported *x);
struct imported *say2(struct say *s, const char *type, struct imported *x, struct imported *y);

/* --- what is often needed -------------------------------------------------------------------- */

struct imported *say_number(struct say *s, const struct pnnx_value *value);
int32_t say_type(enum pnnx_type type); /* as ONNX has it; UNDEFINED if there is none */

/* "torch.float" and the like; UNDEFINED if it is none that can be. */
int32_t say_type_named(const char *name);

/* An elementwise function of expressions; NULL after a report. */
struct imported *say_call(struct say *s, const char *name, struct imported *const *in, int count);

/* Two operands of different kinds meet in the one that holds both; false after a report. */
bool say_meet(struct say *s, struct imported **in);

/* say_expression.c: what the expression of the operator stands for; NULL after a report. */
struct given *say_expression(struct say *s, const struct pnnx_param *param);

struct given *given_entry(struct pnnx_import *import, struct imported *imported);

/* A list or tuple, which keeps `items`; NULL after a report that they are too many. */
struct given *given_pack(struct say *s, struct given **items, int count);

#endif
