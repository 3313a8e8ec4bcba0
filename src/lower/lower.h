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
struct op_call;

/* Makes nodes in place of op_build(): an importer, which computes at once what is known. */
struct node_maker {
    /* The results of what `call` asks for, *count of them; NULL after a report. */
    struct value *(*make)(struct node_maker *maker, const struct op_call *call, int *count);
};

/* What entries of the quantization file do to tensors. */
enum quantization {
    QUANTIZATION_OFF,      /* nothing: they say what integers in files of variables mean */
    QUANTIZATION_APPLY,    /* as the bodies of their operations say, with scalars */
    QUANTIZATION_INTEGERS, /* 'quantize' and 'dequantize' of the extensions, where these can do it
                            */
    /* The same if both operands of a sum of products have it; or if all that has it are variables
     * that are stored as integers, so that no number changes; else nothing. */
    QUANTIZATION_AUTO,
};

/* All may be zero. */
struct lower_options {
    /* Which operators with a body stay whole; NULL: all that have a kernel of their own. */
    bool (*keep)(const struct op_desc *op);
    const struct shape_override *overrides;
    int noverride;
    const struct custom_op *customs; /* implementations of fragments without body */
    int ncustom;
    const struct quant_entry_list *quant; /* checked; NULL: no quantization file */
    enum quantization quantization;       /* what becomes of its entries, once checked */
    /* Are the data of a label stored as integers that stand for scalars?  NULL: none are. */
    bool (*stores_integers)(void *stored_by, const char *label);
    void *stored_by;
    struct lower_trace *trace; /* what the text decides by is noted here; NULL: nowhere */
    struct node_maker *maker;  /* NULL: op_build() */
};

/* For `keep`: no operator with a body stays whole. */
bool lower_keep_none(const struct op_desc *op);

/* For `keep`: operators of NNEF that have a kernel of their own stay whole, those of our extensions
 * do not. */
bool lower_keep_standard(const struct op_desc *op);

/* The graph of the document, in the arena of its context.  NULL if anything was reported, now or by
 * the check. */
struct graph *lower(const struct checked *checked, const struct lower_options *options);

/*
 * By value id: an output or an update needs the value.  live[] is false for all before.  A node is
 * live if it is an update, or if one of its results is.
 */
void find_live(const struct graph *graph, bool *live);
bool is_live(const struct node *node, const bool *live);

/* Warn of fragments that nothing invokes, and of variables that no result depends on. */
void warn_unused(const struct checked *checked, const struct graph *graph);

/*
 * What an entry makes of a tensor: an operation in a graph of its own whose operands behind the
 * tensor are constants.  The entry need not be of the file.  *node is NULL if the entry makes
 * anything else.  False if anything was reported.
 */
bool lower_quant(const struct checked *checked, const struct quant_entry *entry,
                 const struct value *tensor, const struct node **node);

/*
 * Let a node give way to what its body makes, or to its single steps if it has none but can be
 * unrolled.  lower_can_replace() says whether there is either.
 * Operations of our extensions within a body are expanded, too, single steps are not.  The new
 * nodes stand where the node was, and results keep their names.  `library` is that of NNEF 1.0.
 * False after a report, when the graph is not to be used.
 */
bool lower_can_replace(const struct graph *graph, const struct library *library,
                       const struct op_desc *op);
bool lower_replace(struct graph *graph, const struct library *library, struct node *node);

/*
 * The last step of it: users, names and outputs of the node's results pass to `results`, and the
 * node goes.  What was made for it, by ids from `first_id` on, goes if nothing needs it.  False
 * after a report.
 */
bool lower_take_place(struct graph *graph, struct node *node, struct value *const *results,
                      uint32_t first_id);

/* An invocation of a fragment of a library from outside any document. */
struct fragment_call {
    const struct signature *signature;
    const struct datum *args; /* one per parameter; DATUM_NONE: its default */
    const struct call_site *site;
    struct node_maker *maker;
};

/*
 * Expand it: `library` is that of NNEF 1.0, literals become values of `graph`, and the maker makes
 * all nodes.  Sets a value for each result of the signature; false after a report.
 */
bool lower_fragment(struct graph *graph, const struct library *library,
                    const struct fragment_call *call, struct value **results);

/* The declaration of an operation of NNEF 1.0 or of our extensions; NULL for others. */
const struct signature *lower_signature(const struct graph *graph, const struct library *library,
                                        const struct op_desc *op);

#endif
