/*
 * outline.h - a network for programs that lay it out themselves: the boxes and edges that are shown
 *             if groups are closed from a depth on
 */
#ifndef NNEFC_DRIVER_VIEW_OUTLINE_H
#define NNEFC_DRIVER_VIEW_OUTLINE_H

#include "driver/view/drawing.h"

/* Names of boxes: "o5" of an operation, "g5" of a group, "v5" of a value and "r5" of an output. */
struct outline_edge {
    struct net_box from, to;
    int value;
};

struct outline {
    const struct net *net;
    int depth; /* groups up to that depth are open */
    struct outline_edge *edge;
    int edges;
};

/* Open as many groups as leave at most so many edges; the root is always open. */
struct outline outline_new(const struct net *net, int most_edges);
void outline_free(struct outline *outline);

void box_name(FILE *to, const struct net_box *box);

/* How a format writes groups, boxes and edges. */
struct outline_form {
    void (*box)(FILE *to, const struct net *net, const struct net_box *box);
    void (*begin)(FILE *to, const struct net *net, const struct net_box *group);
    const char *end; /* of a group */
};
void outline_boxes(FILE *to, const struct outline *outline, const struct outline_form *form);

/* The text of a line, cut if it is too long.  Characters in `special` are written as in "#35;", or
 * else behind a backslash. */
void line_print(FILE *to, const char *line, const char *special, bool by_number);

#endif
