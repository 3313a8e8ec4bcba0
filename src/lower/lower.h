/*
 * lower.h - a checked document becomes a graph of primitives and kept compounds
 *
 * Fragments are expanded, attributes evaluated (branches lazily), operators on tensors become
 * nodes, shapes are inferred as nodes are made.  Every node remembers its invocation and the
 * fragments it was reached through.
 */
#ifndef NNEFC_LOWER_LOWER_H
#define NNEFC_LOWER_LOWER_H

#include "ir/graph.h"
#include "sema/sema.h"

#include <stdbool.h>

/* Extents to use for an external instead of those in the text (section 2.2). */
struct shape_override {
    const char *name; /* graph parameter */
    struct shape shape;
};

struct custom_op;
struct lower_trace;

struct lower_options {
    /* Which operators with a body stay whole; NULL: all that have a kernel of their own. */
    bool (*keep)(const struct op_desc *op);
    const struct shape_override *overrides;
    int noverride;
    const struct custom_op *customs; /* implementations of fragments without body */
    int ncustom;
    const struct quant_entry_list *quant; /* checked; NULL: no quantization file */
    bool apply_quant; /* tensors are quantized; else entries are checked, and kept for variables */
    struct lower_trace *trace; /* what the text decides by is noted here; NULL: nowhere */
};

/* For `keep`: none of them. */
bool lower_keep_none(const struct op_desc *op);

/* NULL if anything was reported, now or by the check. */
struct graph *lower(const struct checked *checked, const struct lower_options *options);

/* Warn of fragments that nothing invokes, and of variables that no result depends on. */
void warn_unused(const struct checked *checked, const struct graph *graph);

/*
 * What an entry, which need not be of the file, makes of a tensor: an operation in a graph of its
 * own whose operands behind the tensor are constants.  *node is NULL if it is more than that.
 * False if anything was reported.
 */
bool lower_quant(const struct checked *checked, const struct quant_entry *entry,
                 const struct value *tensor, const struct node **node);

#endif
