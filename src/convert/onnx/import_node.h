/*
 * import_node.h - how an operator of ONNX is said in NNEF
 *
 * An operator that NNEF has under another name is told by its descriptor; any other has a function,
 * named in take_list.def, that makes nodes which compute the same: it returns the first output, and
 * hands over others by take_result().
 *
 * Faults are reported where they are found.  From then on NULL stands for a tensor, and whatever is
 * made from NULL is NULL, so that functions need not look.
 */
#ifndef NNEFC_CONVERT_ONNX_IMPORT_NODE_H
#define NNEFC_CONVERT_ONNX_IMPORT_NODE_H

#include "convert/proto/onnx.h"
#include "diag/diag.h"
#include "ir/datum.h"
#include "op/attr.h"
#include "op/op.h"
#include "tensor/tensor.h"

struct import;
struct maker;
struct scope;

/* A tensor of the ONNX graph, or one that appeared on the way to it. */
struct entry {
    const char *name; /* its own, or of what it was made from; NULL: none */
    int32_t type;     /* enum onnx_data_type; UNDEFINED: a literal of the type that it meets */
    struct shape shape;
    const struct tensor *known; /* its items; NULL if they are known only when running */
    struct value *value;        /* in the graph; NULL: known, and not needed there so far */
    struct entry *views;        /* of its items with other shapes */
    struct entry *next;
    bool input; /* of the graph */
};

enum { TAKE_PENDING = 8 };

/* What a function sees of the node that it takes. */
struct take {
    struct maker *maker;
    struct import *import; /* of a file of ONNX; else NULL */
    const struct onnx_node *node;
    const struct onnx_node *caller; /* of the function that the node is in; NULL: none */
    const struct call_site *site;   /* of a file that is no text; NULL: it is at `span` */
    struct span span;
    const char *who; /* in front of reports; NULL: nothing */
    struct scope *scope;
    const struct onnx_opset *opsets;
    struct entry **in, **out;
    int nin, nout;
    int64_t opset;
    bool failed;

    struct { /* attributes of the operation that is made next */
        const char *name;
        struct datum value;
    } pending[TAKE_PENDING];
    int npending;
    int cast;            /* enum dtype: what `cast` makes */
    struct entry **made; /* results of the one that was made last */
    int nmade;
};

typedef struct entry *take_function(struct take *t);

/* What takes an operator. */
struct take_row {
    const char *type;
    int min, max; /* inputs; -1: any number */
    take_function *take;
};

/* False if nothing takes the operator of a node. */
bool take_find(const struct onnx_node *node, struct take_row *row);

/* --- reports: false, or NULL for functions --------------------------------------------------- */

bool take_error(struct take *t, enum diag_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);
struct entry *take_refuse(struct take *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* --- inputs and outputs ---------------------------------------------------------------------- */

/* False for those that are left out. */
bool take_has(const struct take *t, int index);
struct entry *take_in(const struct take *t, int index);

/* Whether somebody wants that output. */
bool take_wants(const struct take *t, int index);
void take_result(struct take *t, int index, struct entry *entry);

/* The items of an input, which have to be known; NULL after a report. */
const struct tensor *take_known(struct take *t, int index);

/* A single item; false after a report. */
bool take_number(struct take *t, int index, double *number);

/* --- attributes ------------------------------------------------------------------------------ */

/* NULL if there is none. */
const struct onnx_attribute *take_attribute(struct take *t, const char *name);

bool take_has_attribute(struct take *t, const char *name);
int64_t take_int(struct take *t, const char *name, int64_t otherwise);
double take_float(struct take *t, const char *name, double otherwise);
const char *take_string(struct take *t, const char *name, const char *otherwise);

/* False if there is none, or after a report. */
bool take_ints(struct take *t, const char *name, struct integers *items);
bool take_floats(struct take *t, const char *name, const float **items, int *count);
bool take_strings(struct take *t, const char *name, const char ***items, int *count);

/*
 * Integers that were an attribute once and are an input since: false if neither is there, or after a
 * report.
 */
bool take_integers(struct take *t, const char *name, int index, struct integers *items);

/* An axis of `rank`, negative ones from the end; false after a report. */
bool take_axis(struct take *t, int64_t axis, int rank, int *result);

/* The same for a list, in ascending order and none twice. */
bool take_axes(struct take *t, const struct integers *axes, int rank, struct integers *result);

/* Zeroed memory that lives as long as the graph. */
void *take_room(const struct take *t, int64_t count, size_t size);

#endif
