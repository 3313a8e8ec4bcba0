/*
 * layout.h - regions of a graph whose values could have their dimensions in another order
 *
 * Each value of a region is a transpose, by `order`, of what it would be in the other layout.
 * Shared by the files of the pass 'move-transposes'.
 */
#ifndef NNEFC_PASS_LAYOUT_H
#define NNEFC_PASS_LAYOUT_H

#include "pass/order.h"

/* A value in the other layout, by the number of the region for which this holds. */
struct moved {
    uint32_t counted; /* region in which it was accounted for as an operand */
    uint32_t number;  /* region in which `to` stands for it */
    struct value *to;
};

/* The state of the pass in one sweep, and its region at hand. */
struct layout {
    struct pass *pass;
    uint32_t nodes, values; /* those of higher ids were made in this sweep */
    uint32_t *place;        /* of nodes in the graph, by id */
    uint32_t *region;       /* the number of the region a node was in last, by id */
    struct moved *moved;    /* by id of the value; NULL until there is a region */
    int64_t work;           /* nodes that may still be looked at in this sweep */

    uint32_t number; /* of this region, from 1 */
    struct dim_list order;
    bool upward;        /* it goes from values to what makes them, too */
    struct node **node; /* in the order of the graph once it is complete */
    int count;
};

/* --- operations (layout_op.c) ------------------------------------------------------------- */

/* Can it be computed in another layout? */
bool layout_may_move(const struct node *node);

/* Its attributes in the other layout, which live as long as the graph. */
const void *layout_attrs(struct pass *pass, const struct node *node, const struct dim_list *order);

/* Does the operation take a transpose by `order` as if there was none? */
bool layout_absorbs(const struct node *node, const struct dim_list *order);

/* --- regions (layout_region.c) ------------------------------------------------------------ */

bool region_has(const struct layout *layout, const struct node *node);

/* Is it a transpose back to the other layout? */
bool layout_is_exit(const struct layout *layout, const struct node *node);

/* Find the region behind a transpose, in layout->node; false if it is empty.  Takes its nodes from
 * layout->work. */
bool region_find(struct layout *layout, struct node *start);

/* Is the value a constant that the pass transposes at once, so that no transpose is needed?  A
 * large one is, unless there would be two of them then. */
bool layout_is_folded(const struct layout *layout, const struct value *value);

/* Would there be less to transpose in the other layout? */
bool region_pays(struct layout *layout);

#endif
