/* diff_priv.h - a comparison of two models while it goes on: what its files share */
#ifndef NNEFC_API_DIFF_PRIV_H
#define NNEFC_API_DIFF_PRIV_H

#include "api/api_priv.h"
#include "api/diff.h"
#include "base/map.h"

/* One comparison while it goes on. */
struct diff_work {
    struct diff_pairs pairs;
    struct arena *arena; /* for the data of clients */
    struct list *changes;
    bool failed;                 /* items took too much memory; this was reported */
    struct map entries[2];       /* of the quantization files: by the name of the tensor */
    struct nnefc_change **began; /* by value id of B: the change of type that it follows from */
    struct intern *said;         /* texts of changes of fragments */
    struct map fragments;        /* these changes, by their text */
};

/* --- diff.c -------------------------------------------------------------------------------- */

/* Texts of changes: a copy, and what a value is called; NULL of NULL. */
const char *diff_keep(struct diff_work *work, const char *text);
const char *diff_keep_name(struct diff_work *work, const struct value *value);

bool diff_ignores(const struct diff_work *work, enum nnefc_ignore what);

/* A change of values, either of which may be NULL. */
struct nnefc_change *diff_change_values(struct diff_work *work, enum nnefc_change_kind kind,
                                        const struct value *a, const struct value *b);

/* Are two values the same, or computed from the same by nodes that were inserted or removed? */
bool diff_explained(const struct diff_work *work, const struct value *a, const struct value *b);

/* --- diff_ports.c ---------------------------------------------------------------------------- */

/* Add changes of the order of nodes, of outputs, and of the order of inputs. */
void diff_order_of_nodes(struct diff_work *work);
void diff_outputs(struct diff_work *work);
void diff_inputs(struct diff_work *work);

#endif
