/*
 * layout.h - the layout of a graph: the row of each box, and the order in each row
 *
 * A box lies in a row below those that it reads from.  A value whose readers are further down has
 * one track: a point in each row between.  The links to all of its readers branch off from it.  So
 * each link leads from one row to the next, and crossings can be counted.  No step takes much more
 * than linear time, and the same graph has the same layout.
 */
#ifndef NNEFC_DRIVER_VIEW_LAYOUT_H
#define NNEFC_DRIVER_VIEW_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

/* Box `to` reads a value of box `from`, which has a smaller number. */
struct layout_edge {
    int from, value, to;
};

/* Slots are the boxes, and behind them the points of tracks. */
struct layout_link {
    int from, to, value; /* from a slot to one of the next row */
};

struct net_layout {
    int boxes, slots, rows;
    int *row;   /* of each slot */
    int *first; /* of each row, and one more: where its slots begin in `slot` */
    int *slot;  /* row by row, from left to right */
    int *track; /* of slots from `boxes` on, at [slot - boxes]: the value */
    int links;
    struct layout_link *link; /* by their rows */
    int64_t crossings;        /* of links between two rows */
};

/* Edges are sorted by box, value and reader, without duplicates.  layout_free() frees the result.
 */
struct net_layout layout_new(int boxes, const struct layout_edge *edge, int edges);
void layout_free(struct net_layout *layout);

#endif
