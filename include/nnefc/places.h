/*
 * places.h - the part of nnefc.h for editors: where the names of a document stand
 *
 *     const struct nnefc_place_list *places = nnefc_model_places(model);
 *
 *     for (int i = 0; i < places->count; i++)
 *         printf("%s at byte %zu\n",
 *                nnefc_model_symbols(model)->at[places->at[i]->symbol]->name,
 * places->at[i]->begin);
 */
#ifndef NNEFC_PLACES_H
#define NNEFC_PLACES_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

enum nnefc_symbol_kind {
    NNEFC_SYMBOL_GRAPH,
    NNEFC_SYMBOL_FRAGMENT, /* or a standard operation */
    NNEFC_SYMBOL_TENSOR,   /* of the graph; parameter, result or local of a fragment, of any type */
    NNEFC_SYMBOL_LOOP,     /* variable of a comprehension */
    NNEFC_SYMBOL_ARGUMENT, /* what a named argument is called; places of one name are one symbol */
    NNEFC_SYMBOL_LABEL,    /* of a variable, if it is written as a string */
};

/* What places of the same meaning refer to. */
struct nnefc_symbol {
    const char *name;
    enum nnefc_symbol_kind kind;
    const char *scope; /* the fragment whose body it belongs to; NULL: the graph or all of it */
    int declaration;   /* the first of its places that declares or assigns it; -1: none */
};
NNEFC_LIST_OF(nnefc_symbol);

struct nnefc_place {
    size_t begin, end; /* bytes of the document: the first, and that behind the last; of a label
                          with its quotes */
    size_t reach;      /* where what it begins ends: an invocation, a named argument, or a statement
                          of which it is the first target; else `end` */
    int symbol;        /* index in nnefc_model_symbols() */
    bool declares;     /* it stands in the head of the graph, a fragment or a comprehension */
    bool result;       /* of those, behind the '->' */
    bool assigns;      /* it stands left of '=' */
};
NNEFC_LIST_OF(nnefc_place);

/*
 * Those of the document that was read, in the order of the text, and what they refer to.  They
 * follow from scoping alone, so they are there after errors, too, unless nothing could be parsed.
 * Empty for models that are no NNEF text.
 */
NNEFC_API const struct nnefc_place_list *nnefc_model_places(const struct nnefc_model *model);
NNEFC_API const struct nnefc_symbol_list *nnefc_model_symbols(const struct nnefc_model *model);

/* The place whose name has that byte of the document, or ends before it; -1: there is none. */
NNEFC_API int nnefc_model_place_at(const struct nnefc_model *model, size_t offset);

/*
 * Before loading: an edited text has `label` where the model's data still has `stored`.  Data of
 * variables of the first are read from the file of the second, and written to that of the first.
 */
NNEFC_API enum nnefc_status nnefc_model_set_stored_label(struct nnefc_model *model,
                                                         const char *label, const char *stored);

#ifdef __cplusplus
}
#endif

#endif
