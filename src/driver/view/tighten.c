/*
 * tighten.c - rows in which links are shorter
 *
 * A value with several readers has an end node of its own, below all of them.  So its track counts
 * once, and each branch counts a little.  A box moves, together with all boxes in its way, if that
 * makes the links shorter in total.
 */
#include "driver/memory.h"
#include "driver/view/layout_priv.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 4, MOST_TOGETHER = 64, MOST_TIES = 1024 };
enum { TRACK_WEIGHT = 2, BRANCH_WEIGHT = 1 };

/* `to` is at least `least` rows below `from`; each row between them costs `weight`. */
struct tie {
    int from, to, least, weight;
};

struct tightener {
    int *row; /* of boxes, and of ends of values */
    int rows, nodes, ties;
    struct tie *tie;
    int *first[2], *of[2]; /* the ties of each node: those to it, and those from it */
    int *pull;             /* how much shorter links get if a node moves up by one */
    int *together, count;  /* nodes that move together */
    int *stamp, now;       /* of nodes in `together`: the number of the trial */
};

/* --- ties ------------------------------------------------------------------------------------- */

static void add_tie(struct tightener *t, struct tie tie)
{
    t->tie[t->ties++] = tie;
    t->pull[tie.from] -= tie.weight;
    t->pull[tie.to] += tie.weight;
}

static void add_ties(struct tightener *t, const struct layout_edge *edge, int edges)
{
    for (int begin = 0, end; begin < edges; begin = end) {
        int from = edge[begin].from, value = edge[begin].value, last = t->nodes;
        for (end = begin; end < edges && edge[end].from == from && edge[end].value == value; end++)
            add_tie(t, (struct tie){from, edge[end].to, 1, BRANCH_WEIGHT});
        if (end == begin + 1) {
            add_tie(t, (struct tie){from, edge[begin].to, 0, TRACK_WEIGHT});
            continue;
        }
        for (int i = begin; i < end; i++) {
            add_tie(t, (struct tie){edge[i].to, last, 0, 0});
            if (t->row[edge[i].to] > t->row[last])
                t->row[last] = t->row[edge[i].to];
        }
        add_tie(t, (struct tie){from, last, 0, TRACK_WEIGHT});
        t->nodes++;
    }
}

/* List the ties of nodes: `side` 0 by `to`, 1 by `from`. */
static void list_ties(struct tightener *t, int side)
{
    int *first = zeroed_items((size_t)t->nodes + 2, sizeof *first);

    t->of[side] = zeroed_items((size_t)t->ties + 1, sizeof *t->of[side]);
    for (int i = 0; i < t->ties; i++)
        first[(side ? t->tie[i].from : t->tie[i].to) + 2]++;
    for (int i = 1; i < t->nodes; i++)
        first[i + 1] += first[i];
    for (int i = 0; i < t->ties; i++)
        t->of[side][first[(side ? t->tie[i].from : t->tie[i].to) + 1]++] = i;
    t->first[side] = first;
}

/* --- moves ------------------------------------------------------------------------------------ */

static int least_of(int a, int b)
{
    return a < b ? a : b;
}

/* The number of rows by which a tie is longer than it has to be. */
static int room_of(const struct tie *tie, const int *row)
{
    return row[tie->to] - row[tie->from] - tie->least;
}

static void join(struct tightener *t, int node)
{
    if (t->stamp[node] == t->now)
        return;
    t->stamp[node] = t->now;
    t->together[t->count++] = node;
}

/* Collect the nodes that must move together with a node.  False: there are too many. */
static bool collect(struct tightener *t, int node, int side)
{
    int seen = 0;

    t->now++;
    t->count = 0;
    join(t, node);
    for (int k = 0; k < t->count; k++) {
        const int *first = t->first[side] + t->together[k];
        seen += first[1] - first[0];
        if (seen > MOST_TIES || t->count > MOST_TOGETHER)
            return false;
        for (int i = first[0]; i < first[1]; i++) {
            const struct tie *tie = &t->tie[t->of[side][i]];
            if (room_of(tie, t->row) == 0)
                join(t, side ? tie->to : tie->from);
        }
    }
    return true;
}

/* How far a node can move before it meets one that does not move with it. */
static int room_of_node(const struct tightener *t, int node, int side)
{
    int room = side ? t->rows - 1 - t->row[node] : t->row[node];

    for (int i = t->first[side][node]; i < t->first[side][node + 1]; i++) {
        const struct tie *tie = &t->tie[t->of[side][i]];
        if (t->stamp[side ? tie->to : tie->from] != t->now)
            room = least_of(room, room_of(tie, t->row));
    }
    return room;
}

/* Move a node up (side 0) or down as far as possible, with the nodes that it meets, if links get
 * shorter. */
static bool move_node(struct tightener *t, int node, int side)
{
    int pull = 0, room = t->rows;

    if (!collect(t, node, side))
        return false;
    for (int k = 0; k < t->count; k++)
        pull += t->pull[t->together[k]];
    if (side ? pull >= 0 : pull <= 0)
        return false;
    for (int k = 0; k < t->count && room > 0; k++)
        room = least_of(room, room_of_node(t, t->together[k], side));
    for (int k = 0; k < t->count; k++)
        t->row[t->together[k]] += side ? room : -room;
    return room > 0;
}

static void move_nodes(struct tightener *t)
{
    bool moved = true;

    for (int round = 0; moved && round < MOST_ROUNDS; round++) {
        moved = false;
        for (int i = 0; i < t->nodes; i++)
            for (int side = 0; side < 2; side++)
                moved |= move_node(t, round % 2 ? t->nodes - 1 - i : i, side);
    }
}

void layout_tighten(int *row, int boxes, const struct layout_edge *edge, int edges)
{
    size_t most = (size_t)boxes + (size_t)edges + 1;
    struct tightener t = {.row = zeroed_items(most, sizeof *t.row),
                          .nodes = boxes,
                          .tie = zeroed_items(3 * most, sizeof *t.tie),
                          .pull = zeroed_items(most, sizeof *t.pull),
                          .together = zeroed_items(most, sizeof *t.together),
                          .stamp = zeroed_items(most, sizeof *t.stamp)};

    memcpy(t.row, row, (size_t)boxes * sizeof *row);
    for (int i = 0; i < boxes; i++)
        t.rows = row[i] < t.rows ? t.rows : row[i] + 1;
    add_ties(&t, edge, edges);
    list_ties(&t, 0);
    list_ties(&t, 1);
    move_nodes(&t);
    memcpy(row, t.row, (size_t)boxes * sizeof *row);
    for (int side = 0; side < 2; side++) {
        free(t.first[side]);
        free(t.of[side]);
    }
    free(t.row);
    free(t.tie);
    free(t.pull);
    free(t.together);
    free(t.stamp);
}
