/*
 * place.h - what stands where in a document: identifiers and labels, by the rules of scoping alone
 *
 * It needs no semantic check, so it also works for a document with errors.  A fragment's body has
 * its parameters, results and what it assigns; a comprehension has its loop variables inside.
 */
#ifndef NNEFC_PARSER_PLACE_H
#define NNEFC_PARSER_PLACE_H

#include "parser/ast.h"

struct arena;
struct sources;

enum name_kind { NAME_GRAPH, NAME_FRAGMENT, NAME_TENSOR, NAME_LOOP, NAME_ARGUMENT, NAME_LABEL };

/* Where a name stands.  Equal names of one kind in one scope are the same. */
struct name_place {
    enum name_kind kind;
    struct span span;  /* of the name; of a label with its quotes */
    uint32_t reach;    /* the end of the invocation, argument or statement that it begins, else of
                          the name */
    const char *name;  /* interned; of labels the string */
    const char *scope; /* the fragment around it; NULL: the graph */
    int loop;          /* LOOP: which comprehension of the document, from 1; else 0 */
    bool declares;     /* in the head of graph, fragment or comprehension */
    bool result;       /* of the graph or a fragment, in its head */
    bool assigns;      /* left of '=' */
};

struct name_places {
    struct name_place *at; /* in the order of the text */
    int count;
    struct arena *arena;
};

/* All places of a document, in `arena`. */
struct name_places places_find(const struct document *document, const struct sources *sources,
                               struct arena *arena);

#endif
