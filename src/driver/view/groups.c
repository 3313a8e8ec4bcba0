/*
 * groups.c - groups of operations, and the boxes and edges in each
 *
 * The operations of a group follow each other.  If other operations lie between them, there are two
 * groups.  A single operation makes no group.  A group that holds only another group is merged with
 * it.  Groups with too many boxes are cut into sections (sections.c).
 */
#include "driver/memory.h"
#include "driver/view/groups_priv.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- making groups ---------------------------------------------------------------------------- */

int group_add(struct net *net, enum group_kind kind, const char *name, size_t size)
{
    if (net->groups == net->room) {
        net->room = 2 * net->room + 16;
        net->group = resize_items(net->group, (size_t)net->room, sizeof *net->group);
    }
    char *copy = zeroed_items(size + 1, 1);
    memcpy(copy, name, size);
    net->group[net->groups] =
        (struct net_group){.kind = kind, .name = copy, .parent = -1, .same = -1, .times = 1};
    return net->groups++;
}

void group_add_box(struct net_group *group, enum box_kind kind, int index)
{
    if (group->boxes == group->room) {
        group->room = 2 * group->room + 4;
        group->box = resize_items(group->box, (size_t)group->room, sizeof *group->box);
    }
    group->box[group->boxes++] = (struct net_box){kind, index};
}

/* Put operations into the groups that their paths name.  A group has a greater number than the one
 * that it is in. */
static void add_operations(struct net *net, const struct path *path)
{
    int open[MOST_DEPTH + 1] = {group_add(net, GROUP_ROOT, "", 0)}, depth = 0;

    for (int i = 0; i < net->operations->count; i++) {
        int shared = 0;
        while (shared < depth && shared < path[i].depth &&
               path_part_equal(&path[i].part[shared], &path[i - 1].part[shared]))
            shared++;
        for (depth = shared; depth < path[i].depth; depth++) {
            const struct path_part *part = &path[i].part[depth];
            int group = group_add(net, part->kind, part->name, part->size);
            net->group[group].parent = open[depth];
            net->group[group].place = net->group[open[depth]].boxes;
            group_add_box(&net->group[open[depth]], BOX_GROUP, group);
            open[depth + 1] = group;
        }
        group_add_box(&net->group[open[depth]], BOX_OPERATION, i);
    }
}

/* --- groups that are none --------------------------------------------------------------------- */

/* Move the contents and the name of the only group in a group into that group. */
static void take_over(struct net *net, struct net_group *group)
{
    struct net_group *inner = &net->group[group->box[0].index];

    if (group->kind != GROUP_ROOT) {
        size_t size = strlen(group->name) + strlen(inner->name) + 2;
        char *name = zeroed_items(size, 1);
        snprintf(name, size, "%s/%s", group->name, inner->name);
        free(group->name);
        group->name = name;
    }
    free(group->box);
    group->box = inner->box;
    group->boxes = inner->boxes;
    group->room = inner->room;
    inner->box = NULL;
    inner->boxes = 0;
    for (int i = 0; i < group->boxes; i++)
        if (group->box[i].kind == BOX_GROUP)
            net->group[group->box[i].index].parent = (int)(group - net->group);
}

/* Groups in a group have greater numbers: they are seen first. */
static void dissolve_groups(struct net *net)
{
    for (int i = net->groups - 1; i >= 0; i--) {
        struct net_group *group = &net->group[i];
        if (group->boxes != 1)
            continue;
        if (group->box[0].kind == BOX_GROUP) {
            take_over(net, group);
        } else if (i > 0) {
            net->group[group->parent].box[group->place] = group->box[0];
            group->boxes = 0;
        }
    }
}

/* Leave out groups without boxes, but for the root. */
static void close_numbers(struct net *net)
{
    int *number = zeroed_items((size_t)net->groups, sizeof *number), groups = 0;

    for (int i = 0; i < net->groups; i++) {
        number[i] = groups;
        if (i == 0 || net->group[i].boxes > 0) {
            net->group[groups++] = net->group[i];
        } else {
            free(net->group[i].name);
            free(net->group[i].box);
        }
    }
    net->groups = groups;
    for (int i = 0; i < groups; i++)
        for (int k = 0; k < net->group[i].boxes; k++)
            if (net->group[i].box[k].kind == BOX_GROUP)
                net->group[i].box[k].index = number[net->group[i].box[k].index];
    free(number);
}

/* --- what is where ---------------------------------------------------------------------------- */

/* Set the group and place of the contents of a box. */
static void place_box(struct net *net, int group, int place)
{
    int index = net->group[group].box[place].index;

    switch (net->group[group].box[place].kind) {
    case BOX_OPERATION:
        net->group_of[index] = group;
        net->place_of[index] = place;
        return;
    case BOX_GROUP:
        net->group[index].parent = group;
        net->group[index].place = place;
        net->group[index].depth = net->group[group].depth + 1;
        return;
    case BOX_VALUE:
        net->value[index].group = group;
        net->value[index].place = place;
        return;
    case BOX_OUTPUT:
        return;
    }
}

/* The operations of a group, and of those in it, which are known. */
static void count_operations(struct net *net, struct net_group *group)
{
    group->begin = group->end = 0;
    for (int i = 0; i < group->boxes; i++) {
        const struct net_box *box = &group->box[i];
        bool inner = box->kind == BOX_GROUP;
        if (!inner && box->kind != BOX_OPERATION)
            continue;
        int begin = inner ? net->group[box->index].begin : box->index;
        int end = inner ? net->group[box->index].end : box->index + 1;
        if (begin == end)
            continue;
        group->begin = group->begin < group->end ? group->begin : begin;
        group->end = end;
    }
}

/* Groups are visited from outside, and on the way back the operations in them are counted. */
void net_place(struct net *net)
{
    int *visited = zeroed_items((size_t)net->groups, sizeof *visited), count = 1;

    for (int i = 0; i < count; i++)
        for (int k = 0; k < net->group[visited[i]].boxes; k++) {
            place_box(net, visited[i], k);
            if (net->group[visited[i]].box[k].kind == BOX_GROUP)
                visited[count++] = net->group[visited[i]].box[k].index;
        }
    assert(count == net->groups);
    for (int i = count - 1; i >= 0; i--)
        count_operations(net, &net->group[visited[i]]);
    free(visited);
}

/* Places of two boxes in the innermost group that both are in. */
struct shared_group {
    int group, from, to;
};

static struct shared_group share(const struct net *net, int from_group, int from, int to_group,
                                 int to)
{
    const struct net_group *group = net->group;

    while (from_group != to_group)
        if (group[from_group].depth >= group[to_group].depth) {
            from = group[from_group].place;
            from_group = group[from_group].parent;
        } else {
            to = group[to_group].place;
            to_group = group[to_group].parent;
        }
    return (struct shared_group){from_group, from, to};
}

/* --- values with a box ------------------------------------------------------------------------ */

/* The box of a value is in front of the first box that reads it.  The box of an input is in the
 * root, that of another value in the innermost group that holds all readers. */
struct value_box {
    int group, before, value;
};

static int compare_boxes(const void *a, const void *b)
{
    const struct value_box *x = a, *y = b;

    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->before != y->before ? x->before - y->before : x->value - y->value;
}

/* Put boxes of values in front of those of one group. */
static void insert_boxes(struct net_group *group, const struct value_box *value, int values)
{
    struct net_group all = {0};

    for (int i = 0, k = 0; i <= group->boxes; i++) {
        for (; k < values && value[k].before == i; k++)
            group_add_box(&all, BOX_VALUE, value[k].value);
        if (i < group->boxes)
            group_add_box(&all, group->box[i].kind, group->box[i].index);
    }
    free(group->box);
    group->box = all.box;
    group->boxes = all.boxes;
    group->room = all.room;
}

/* Inputs have a box, and so have variables that several operations read, or that are results. */
static bool has_box(const struct net_value *value, bool is_output)
{
    if (value->kind == NNEFC_VALUE_EXTERNAL)
        return true;
    if (value->kind == NNEFC_VALUE_RESULT)
        return false;
    return is_output || (value->kind == NNEFC_VALUE_VARIABLE && value->first < value->last &&
                         (value->bytes < 0 || value->bytes > 8));
}

static void add_values(struct net *net)
{
    struct value_box *box = zeroed_items((size_t)net->values, sizeof *box);
    bool *is_output = zeroed_items((size_t)net->values, sizeof *is_output);
    int boxes = 0;

    for (int i = 0; i < net->outputs; i++)
        is_output[net->output[i]] = true;
    for (int i = 0; i < net->values; i++) {
        const struct net_value *value = &net->value[i];
        if (!has_box(value, is_output[i]))
            continue;
        box[boxes] = (struct value_box){.value = i};
        if (value->readers) {
            bool input = value->kind == NNEFC_VALUE_EXTERNAL;
            struct shared_group shared = share(
                net, net->group_of[value->first], net->place_of[value->first],
                input ? 0 : net->group_of[value->last], input ? 0 : net->place_of[value->last]);
            box[boxes].group = shared.group;
            box[boxes].before = shared.from;
        }
        boxes++;
    }
    qsort(box, (size_t)boxes, sizeof *box, compare_boxes);
    for (int begin = 0, end; begin < boxes; begin = end) {
        for (end = begin; end < boxes && box[end].group == box[begin].group;)
            end++;
        insert_boxes(&net->group[box[begin].group], box + begin, end - begin);
    }
    for (int i = 0; i < net->outputs; i++)
        group_add_box(&net->group[0], BOX_OUTPUT, net->output[i]);
    free(box);
    free(is_output);
}

/* --- edges ------------------------------------------------------------------------------------ */

struct group_edge {
    int group;
    struct layout_edge edge;
};

static int compare_edges(const void *a, const void *b)
{
    const struct group_edge *x = a, *y = b;

    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->edge.from != y->edge.from)
        return x->edge.from < y->edge.from ? -1 : 1;
    if (x->edge.value != y->edge.value)
        return x->edge.value < y->edge.value ? -1 : 1;
    return x->edge.to - y->edge.to;
}

/* An edge to a box in a group, from the box that makes the value; false: no drawn box makes it. */
static bool edge_to(const struct net *net, int number, int group, int place,
                    struct group_edge *edge)
{
    const struct net_value *value = &net->value[number];
    bool made = value->producer >= 0;

    if (!made && value->group < 0)
        return false;
    struct shared_group shared =
        share(net, made ? net->group_of[value->producer] : value->group,
              made ? net->place_of[value->producer] : value->place, group, place);
    *edge = (struct group_edge){shared.group, {shared.from, number, shared.to}};
    return true;
}

/* Edges of all groups, sorted, each once. */
void net_connect(struct net *net)
{
    int count = net->operations->count, uses = net->in.first[count], edges = 0, kept = 0;
    struct group_edge *edge = zeroed_items((size_t)uses + (size_t)net->outputs, sizeof *edge);

    for (int i = 0; i < count; i++)
        for (int k = net->in.first[i]; k < net->in.first[i + 1]; k++)
            edges +=
                edge_to(net, net->in.value[k], net->group_of[i], net->place_of[i], &edge[edges]);
    for (int g = 0; g < net->groups; g++) {
        net->group[g].first_edge = net->group[g].edges = 0;
        for (int i = 0; i < net->group[g].boxes; i++)
            if (net->group[g].box[i].kind == BOX_OUTPUT)
                edges += edge_to(net, net->group[g].box[i].index, g, i, &edge[edges]);
    }
    qsort(edge, (size_t)edges, sizeof *edge, compare_edges);
    free(net->edge);
    net->edge = zeroed_items((size_t)edges, sizeof *net->edge);
    for (int i = 0; i < edges; i++) {
        if (i > 0 && compare_edges(&edge[i - 1], &edge[i]) == 0)
            continue;
        struct net_group *group = &net->group[edge[i].group];
        group->first_edge = group->edges++ ? group->first_edge : kept;
        net->edge[kept++] = edge[i].edge;
    }
    free(edge);
}

/* --- all of it -------------------------------------------------------------------------------- */

void net_find_groups(struct net *net, bool grouped)
{
    size_t count = (size_t)net->operations->count;
    struct path *path = grouped ? net_paths(net) : zeroed_items(count, sizeof *path);

    net->group_of = zeroed_items(count, sizeof *net->group_of);
    net->place_of = zeroed_items(count, sizeof *net->place_of);
    add_operations(net, path);
    free(path);
    dissolve_groups(net);
    close_numbers(net);
    net_place(net);
    add_values(net);
    net_place(net);
    net_connect(net);
    if (grouped)
        net_cut(net);
}
