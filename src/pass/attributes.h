/* attributes.h - lists of axes and the like that passes compute with, and questions to nodes */
#ifndef NNEFC_PASS_ATTRIBUTES_H
#define NNEFC_PASS_ATTRIBUTES_H

#include "pass/edit.h"

#include <assert.h>

/* At most one item for each dimension, such as axes.  Unlike an attribute, it holds its items. */
struct dim_list {
    int count;
    int64_t item[MAX_RANK];
};

/* At most two numbers for each dimension: padding before and behind its items. */
struct pair_list {
    int count;
    int64_t item[MAX_RANK][2];
};

/* Copies of attributes, to be changed; no longer than MAX_RANK. */
struct dim_list list_of(const struct integers *integers);
struct pair_list pair_list_of(const struct pairs *pairs);

/* A list as an attribute, which refers to the items of the list and must not outlive it. */
static inline struct integers list_integers(const struct dim_list *list)
{
    return (struct integers){list->count, list->item};
}
struct pairs list_pairs(const struct pair_list *list);

static inline void list_add(struct dim_list *list, int64_t item)
{
    assert(list->count < MAX_RANK);
    list->item[list->count++] = item;
}

bool list_has(const struct dim_list *list, int64_t item);
void list_sort(struct dim_list *list); /* ascending */

/* Is the shape known, with a single item, whatever the rank? */
bool value_is_single(const struct value *value);

#endif
