/*
 * list.h - the lists that clients are given: arrays of pointers to records
 *
 * Every public `struct nnefc_X_list` begins as struct list does, with a count and an array.  A list
 * and its records lie in the arena of the handle that gives it out, and never change once they are
 * given out.  So a client needs no lock to read one, and frees none.
 */
#ifndef NNEFC_API_LIST_H
#define NNEFC_API_LIST_H

#include "base/map.h"
#include "nnefc/nnefc.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct arena;
struct nnefc_model;

struct list {
    int count;
    const void *const *at; /* `count` records, then NULL */
    struct arena *arena;   /* of the list and its records */
    const void **room;     /* what `at` shows, for appending */
    int kind;              /* of a list that a model gives out: enum list_kind */
};

/* An empty list, which never is NULL: what a client gets if there is nothing to list. */
const void *list_nothing(void);

/* A list without records, in `arena`. */
struct list *list_new(struct arena *arena);

/* Append a copy of the `size` bytes of a record; the copy, which may still be changed. */
void *list_append(struct list *list, const void *record, size_t size);

/* Compares records that begin with their names, `char *`; for qsort(). */
int compare_by_name(const void *a, const void *b);

#define LIST_ADD(list, ...) list_append((list), &(__VA_ARGS__), sizeof(__VA_ARGS__))

/* What a model lists, and what only a catalogue is asked for. */
enum list_kind {
#define LIST(kind, function, type, fill)   LIST_##kind,
#define RECORD(kind, function, type, fill) LIST_##kind,
#include "api/lists.def"
    LIST_OPS,             /* of NNEF 1.0.5 */
    LIST_PROVISIONAL_OPS, /* of the provisional standard */
    LIST_EXTENSION_OPS,   /* operations of our own, which documents declare */
    LIST_ONNX_OPERATORS,
    LIST_PASSES,
    LIST_WARNINGS,
    LIST_EXPLANATIONS, /* of codes */
    LIST_KINDS
};

/* Each appends the records of a list. */
typedef void list_fill(const struct nnefc_model *model, struct list *list);
list_fill list_ports, list_variables, list_operations, list_digests, list_operators, list_computed,
    list_extensions, list_opsets, list_declared, list_node_types, list_remarks, list_pnnx_operators,
    list_pnnx_operands, list_open, list_cuts, list_diagnostics, list_identity, list_cost,
    list_packed, list_places, list_symbols;

/* The list of a kind, which `fill` makes if it is not there.  Locks the model.  Never NULL: it is
 * empty without a model, and after memory ran out. */
const void *model_list(const struct nnefc_model *model, enum list_kind kind, list_fill *fill);

/* The lists that a model has given out, by their kind; NULL: not asked for since the last change.
 */
struct lists {
    struct arena *arena;
    const struct list *made[LIST_KINDS];
    pthread_mutex_t lock; /* of the model, too: what is here changes though the model is const */
    atomic_bool out_of_memory; /* it ran out within a call (entry.h) */
    const struct nnefc_model *model;
    struct nnefc_hooks hooks; /* zeroed: none */
    int told;                 /* how many diagnostics were handed on */
};

/* The model was changed: each list is made anew when it is asked for; those given out stay. */
void lists_forget(struct lists *lists);

/* --- how many there are of each kind --------------------------------------------------------- */

struct tally {
    struct list *list; /* of struct nnefc_operator */
    struct map found;  /* by key */
};

/* Count one more of the kind that `key` stands for; `name` lasts as long as the list. */
void tally_add(struct tally *tally, const void *key, const char *name);

/* Most first, then by name.  Frees what `tally` has besides the list. */
void tally_end(struct tally *tally);

#endif
