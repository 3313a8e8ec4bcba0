/* groups_priv.h - what the files that find groups share */
#ifndef NNEFC_DRIVER_VIEW_GROUPS_PRIV_H
#define NNEFC_DRIVER_VIEW_GROUPS_PRIV_H

#include "driver/view/net.h"

/* A new group without boxes, whose number is returned; pointers to groups move. */
int group_add(struct net *net, enum group_kind kind, const char *name, size_t size);
void group_add_box(struct net_group *group, enum box_kind kind, int index);

/* Set the group and place of everything in boxes, and the range of operations of each group. */
void net_place(struct net *net);

/* Find the edges between the boxes of each group. */
void net_connect(struct net *net);

/* sections.c: cut groups that have too many boxes. */
void net_cut(struct net *net);

#endif
