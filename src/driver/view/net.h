/*
 * net.h - a network as it is drawn: its operations and values, and the groups that they are in
 *
 * Operations are in their order of execution: an operation reads only results of operations with
 * smaller numbers.
 */
#ifndef NNEFC_DRIVER_VIEW_NET_H
#define NNEFC_DRIVER_VIEW_NET_H

#include "driver/view/layout.h"
#include "nnefc/nnefc.h"

#include <stddef.h>

struct net_value {
    const char *name, *label; /* the label may be NULL */
    const struct nnefc_type *type;
    enum nnefc_value_kind kind;
    int producer;    /* -1: no operation */
    int64_t bytes;   /* in memory; NNEFC_UNKNOWN */
    int first, last; /* of the operations that read it; first > last: none does */
    int readers;     /* how often it is read */
    int group;       /* in which it has a box; -1: it has none */
    int place;       /* of the box there */
};

/* Values of operation i are those from [first[i]] to [first[i + 1]] of a list. */
struct value_lists {
    int *first, *value;
};

enum box_kind { BOX_OPERATION, BOX_GROUP, BOX_VALUE, BOX_OUTPUT };

struct net_box {
    enum box_kind kind;
    int index; /* of the operation, group or value */
};

enum group_kind { GROUP_ROOT, GROUP_FRAGMENT, GROUP_NAME, GROUP_SECTION };

/* Operations from `begin` to `end`, one after the other.  So the edges between groups have no
 * cycle. */
struct net_group {
    enum group_kind kind;
    char *name;
    int parent, place, depth; /* the place among the boxes of its parent; -1 and 0 of the root */
    int begin, end;
    int same, times; /* the class of groups that are alike, and how many these are; -1 and 1 */
    struct net_box *box;
    int boxes, room;
    int first_edge, edges; /* between its boxes */
    struct net_layout layout;
};

struct net {
    const struct nnefc_operation_list *operations;
    struct net_value *value;
    int values;
    struct value_lists in, out;
    int *input, *output; /* values */
    int inputs, outputs;
    struct net_group *group; /* the first is the root */
    int groups, room;
    int *group_of, *place_of; /* of each operation */
    struct layout_edge *edge; /* of all groups, one after the other */
};

/* All of a model; without groups, the root holds all boxes.  net_free() frees it. */
struct net net_new(const struct nnefc_model *model, bool grouped);
void net_free(struct net *net);

/* groups.c: find the groups, the boxes of each and the edges between them. */
void net_find_groups(struct net *net, bool grouped);

/* alike.c: find groups that are alike. */
void net_find_alike(struct net *net);

/* paths.c: the names of the groups around an operation, from outside. */
enum { MOST_DEPTH = 16 };
struct path {
    int depth;
    struct path_part {
        enum group_kind kind;
        const void *key;  /* equal for operations of one group, as is the text */
        const char *name; /* not terminated */
        size_t size;
    } part[MOST_DEPTH];
};
bool path_part_equal(const struct path_part *a, const struct path_part *b);

/* One for each operation, to be freed. */
struct path *net_paths(const struct net *net);

#endif
