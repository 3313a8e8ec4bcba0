/* document.h - a graph as a document of NNEF 1.0.5, in flat syntax */
#ifndef NNEFC_CONVERT_NNEF_DOCUMENT_H
#define NNEFC_CONVERT_NNEF_DOCUMENT_H

#include "convert/nnef/names.h"
#include "convert/nnef/profile.h"
#include "sema/sema.h"

struct text;

/* Shared by the document and its quantization file. */
struct document_options {
    const struct library *library;        /* of NNEF 1.0: signatures of the operations */
    enum nnef_profile profile;            /* what the graph was made ready for */
    const struct checked *checked;        /* whose fragments without body are operations, too;
                                             NULL: there are none */
    const struct quant_entry_list *quant; /* entries for tensors of the graph; NULL: none */
    const char *file; /* that a graph without text was read from, for reports; or NULL */
};

/*
 * A document that lowers to the same graph: externals, variables and constants, then an assignment
 * for each node in their order, with the arguments that are no defaults.  It lives in the arena of
 * the graph's compilation, and its spans are nowhere.  NULL after a report, if the graph is of the
 * provisional dialect or no text can say what is in it.
 */
const struct document *document_of_graph(struct graph *graph, const struct names *names,
                                         const struct document_options *options);

/* The quantization file that belongs to it: the entries of tensors that are still there. */
void document_quant(struct graph *graph, const struct names *names,
                    const struct document_options *options, struct text *to);

#endif
