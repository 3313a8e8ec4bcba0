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
    int capacity;          /* always more than `count` */
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

/* `items` with room for one more behind `count` of them, in a place that may be another; it is
 * freed by free().  Jumps to the boundary if there is not enough memory. */
void *room_for_one(void *items, int count, size_t size);

#define LIST_ADD(list, ...) list_append((list), &(__VA_ARGS__), sizeof(__VA_ARGS__))

/* What a model lists. */
enum list_kind {
    LIST_INPUTS,  /* ports.c: parameters of the graph */
    LIST_OUTPUTS, /* its results */
    LIST_VARIABLES,
    LIST_OPERATIONS, /* operations.c: nodes in their order */
    LIST_OPERATORS,  /* how many there are of each kind */
    LIST_COMPUTED,   /* results in the order of execution */
    LIST_EXTENSIONS, /* declared.c: what the file of the model says, not the graph */
    LIST_OPSETS,
    LIST_DECLARED_INPUTS,
    LIST_DECLARED_OUTPUTS,
    LIST_NODE_TYPES,
    LIST_REMARKS,        /* rewrite.c: what passes would have changed */
    LIST_PNNX_OPERATORS, /* pnnx_text.c */
    LIST_PNNX_OPERANDS,
    LIST_DIAGNOSTICS, /* status.c; old once there are more of them */
    LIST_IDENTITY,    /* this and the following are of one record */
    LIST_COST,
    LIST_PACKED,
    LIST_KINDS
};

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

typedef void list_fill(const struct nnefc_model *model, struct list *list);

/* The list of a kind, which `fill` makes if it is not there.  Locks the model.  Never NULL. */
const void *model_list(const struct nnefc_model *model, enum list_kind kind, list_fill *fill);

/* The one record that `fill` appends; `nothing` without a model, or after memory ran out. */
const void *model_record(const struct nnefc_model *model, enum list_kind kind, list_fill *fill,
                         const void *nothing);

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
