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

/* rows.c: find the row of each box, which begin as zeros; how many rows there are. */
int layout_rows(int *row, int boxes, const struct layout_edge *edge, int edges);

/* order.c: find the order of slots in their rows, and count what crosses. */
void layout_order(struct net_layout *layout);

#endif
