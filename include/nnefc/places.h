/*
 * places.h - the part of nnefc.h for editors: where the names of a document stand
 *
 *     const struct nnefc_place_list *places = nnefc_model_places(model);
 *
 *     for (int i = 0; i < places->count; i++)
 *         printf("%s at byte %zu\n",
 *                nnefc_model_symbols(model)->at[places->at[i]->symbol]->name,
 *                places->at[i]->begin);
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

/* The thing that a name stands for.  All places that refer to it share one symbol. */
struct nnefc_symbol {
    const char *name;
    enum nnefc_symbol_kind kind;
    const char *scope; /* the fragment whose body it belongs to; NULL: the graph, or the document */
    int declaration;   /* the first of its places that declares or assigns it; -1: none */
};
NNEFC_LIST_OF(nnefc_symbol);

/* One occurrence of a name in the document. */
struct nnefc_place {
    size_t begin, end; /* bytes of the document: the first, and the one behind the last; a label
                          includes its quotes */
    size_t reach;      /* the end of the invocation or named argument that the name begins, or of
                          the statement of which it is the first target; else `end` */
    int symbol;        /* index in nnefc_model_symbols() */
    bool declares;     /* it is in the head of the graph, a fragment or a comprehension */
    bool result;       /* it declares a result, behind the '->' */
    bool assigns;      /* it is on the left side of '=' */
};
NNEFC_LIST_OF(nnefc_place);

/*
 * The places of the document that was read, in the order of the text, and their symbols.  They
 * follow from scoping alone.  So they exist after errors, too, unless nothing could be parsed.  The
 * lists are empty for models that are no NNEF text.
 */
NNEFC_API const struct nnefc_place_list *nnefc_model_places(const struct nnefc_model *model);
NNEFC_API const struct nnefc_symbol_list *nnefc_model_symbols(const struct nnefc_model *model);

/* The place whose name contains that byte of the document, or ends just before it; -1: none. */
NNEFC_API int nnefc_model_place_at(const struct nnefc_model *model, size_t offset);

/*
 * Before loading: the text has a new `label`, but the data of the model is still under the label
 * `stored`.  Data of variables with `label` is read from the file of `stored`, and written to the
 * file of `label`.
 */
NNEFC_API enum nnefc_status nnefc_model_set_stored_label(struct nnefc_model *model,
                                                         const char *label, const char *stored);

#ifdef __cplusplus
}
#endif

#endif
