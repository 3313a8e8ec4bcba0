/*
 * sections.c - groups that show too many boxes at a time are cut into sections
 *
 * A section ends where the fewest values are alive: at best a single one.
 */
#include "driver/memory.h"
#include "driver/view/groups_priv.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BOXES = 200, SHORTEST = 20, LONGEST = 60 };

/* How many results of the boxes up to [i] are read by boxes behind, to be freed. */
static int *count_alive(const struct net *net, const struct net_group *group)
{
    int *alive = zeroed_items((size_t)group->boxes + 1, sizeof *alive);
    const struct layout_edge *edge = net->edge + group->first_edge;

    for (int begin = 0, end; begin < group->edges; begin = end) {
        for (end = begin; end < group->edges && edge[end].from == edge[begin].from &&
                          edge[end].value == edge[begin].value;)
            end++;
        alive[edge[begin].from]++;
        alive[edge[end - 1].to]--; /* the last reader */
    }
    for (int i = 1; i < group->boxes; i++)
        alive[i] += alive[i - 1];
    return alive;
}

/* Where the section that begins at box `begin` ends. */
static int section_end(const int *alive, int begin, int boxes)
{
    int best = begin + SHORTEST;

    if (boxes - begin <= LONGEST)
        return boxes;
    for (int end = best; end <= begin + LONGEST; end++)
        if (alive[end - 1] <= alive[best - 1])
            best = end;
    return best;
}

/* Move boxes from `begin` to `end` into a group of their own. */
static void add_section(struct net *net, int group, struct net_group *outer, int begin, int end)
{
    int section = group_add(net, GROUP_SECTION, "", 0);

    for (int i = begin; i < end; i++)
        group_add_box(&net->group[section], net->group[group].box[i].kind,
                      net->group[group].box[i].index);
    group_add_box(outer, BOX_GROUP, section);
}

static void cut_group(struct net *net, int group)
{
    int boxes = net->group[group].boxes, *alive = count_alive(net, &net->group[group]);
    struct net_group outer = {0};

    for (int begin = 0, end; begin < boxes; begin = end) {
        end = section_end(alive, begin, boxes);
        add_section(net, group, &outer, begin, end);
    }
    free(alive);
    free(net->group[group].box);
    net->group[group].box = outer.box;
    net->group[group].boxes = outer.boxes;
    net->group[group].room = outer.room;
}

void net_cut(struct net *net)
{
    for (bool cut = true; cut;) {
        int groups = net->groups;
        cut = false;
        for (int i = 0; i < groups; i++)
            if (net->group[i].boxes > MOST_BOXES) {
                cut_group(net, i);
                cut = true;
            }
        if (cut) {
            net_place(net);
            net_connect(net);
        }
    }
    for (int i = 0; i < net->groups; i++) {
        struct net_group *group = &net->group[i];
        char name[64];
        if (group->kind != GROUP_SECTION)
            continue;
        snprintf(name, sizeof name, "%d to %d", group->begin + 1, group->end);
        free(group->name);
        group->name = zeroed_items(strlen(name) + 1, 1);
        memcpy(group->name, name, strlen(name));
    }
}
