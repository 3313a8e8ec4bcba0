/* layout_priv.h - what the steps of a layout share */
#ifndef NNEFC_DRIVER_VIEW_LAYOUT_PRIV_H
#define NNEFC_DRIVER_VIEW_LAYOUT_PRIV_H

#include "driver/view/layout.h"

/* The slots that each slot is linked with in the row above or below, one slot after the other. */
struct slot_neighbours {
    int *first; /* of each slot, and one more */
    int *slot;
};
struct slot_neighbours neighbours_new(const struct net_layout *layout, bool below);
void neighbours_free(struct slot_neighbours *neighbours);

/* Things in the order of their places; those of one place, by their numbers. */
struct placed_item {
    double place;
    int item;
};
int compare_placed(const void *a, const void *b);
void sort_placed(struct placed_item *item, int count);

/* rows.c: find the row of each box; `row` begins as zeros.  Returns the number of rows.  With
 * `tight`, tighten.c makes links shorter. */
int layout_rows(int *row, int boxes, const struct layout_edge *edge, int edges, bool tight);

/* tighten.c: move boxes to rows in which links are shorter. */
void layout_tighten(int *row, int boxes, const struct layout_edge *edge, int edges);

/* order.c: find the order of slots in their rows, and count what crosses. */
void layout_order(struct net_layout *layout);

/* sift.c: move whole tracks to where the fewest links cross.  Returns how much work that was. */
int64_t layout_sift(struct net_layout *layout, const struct slot_neighbours *above,
                    const struct slot_neighbours *below);

#endif
