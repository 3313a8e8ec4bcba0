/*
 * sift.c - moves of whole blocks across their rows
 *
 * A block is a track with the box that makes it, or a chain of slots without other links.  Blocks
 * with rows in common have the same order in all of these rows.  Each block is tried in every place
 * between the others and stays where the fewest links cross: global sifting (Bachmaier,
 * Brandenburg, Brunner and Huebner).
 */
#include "driver/memory.h"
#include "driver/view/layout_priv.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 4, MOST_PAIRS = 4096, LEAST_WORK = 1 << 20, WORK = 128 };

struct sifter {
    struct net_layout *layout;
    const struct slot_neighbours *above, *below;
    int blocks;
    int *block; /* of each slot */
    int *first; /* of each block, and one more: where its slots begin in `part` */
    int *part;  /* row by row */
    double *place;
    struct placed_item *beside; /* blocks in the rows of one block, by their places */
    int count;
    bool *marked; /* blocks in `beside` */
    int64_t work; /* that is left before sifting ends */
};

/* --- blocks ----------------------------------------------------------------------------------- */

static int count_of(const struct slot_neighbours *neighbours, int slot)
{
    return neighbours->first[slot + 1] - neighbours->first[slot];
}

/* The slot below that is in the block of a slot, or -1. */
static int heir_of(const struct sifter *s, int slot)
{
    for (int i = s->below->first[slot]; i < s->below->first[slot + 1]; i++)
        if (s->below->slot[i] >= s->layout->boxes)
            return s->below->slot[i];
    if (count_of(s->below, slot) != 1)
        return -1;
    int only = s->below->slot[s->below->first[slot]];
    return count_of(s->above, only) == 1 ? only : -1;
}

static void find_blocks(struct sifter *s)
{
    const struct net_layout *layout = s->layout;
    int parts = 0;

    for (int i = 0; i < layout->slots; i++)
        s->block[i] = -1;
    for (int i = 0; i < layout->slots; i++) {
        if (s->block[layout->slot[i]] >= 0)
            continue;
        for (int slot = layout->slot[i]; slot >= 0; slot = heir_of(s, slot)) {
            s->block[slot] = s->blocks;
            s->part[parts++] = slot;
        }
        s->first[++s->blocks] = parts;
    }
}

/* The mean of the relative places of its slots. */
static void find_places(struct sifter *s)
{
    const struct net_layout *layout = s->layout;

    memset(s->place, 0, (size_t)s->blocks * sizeof *s->place);
    for (int row = 0; row < layout->rows; row++) {
        int size = layout->first[row + 1] - layout->first[row];
        for (int i = 0; i < size; i++) {
            int block = s->block[layout->slot[layout->first[row] + i]];
            s->place[block] += (i + 0.5) / size / (s->first[block + 1] - s->first[block]);
        }
    }
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Number blocks from the left, so that no two have one place. */
static void number_blocks(struct sifter *s)
{
    struct placed_item *all = zeroed_items((size_t)s->blocks + 1, sizeof *all);

    for (int i = 0; i < s->blocks; i++)
        all[i] = (struct placed_item){s->place[i], i};
    qsort(all, (size_t)s->blocks, sizeof *all, compare_placed);
    for (int i = 0; i < s->blocks; i++)
        s->place[all[i].item] = i;
    free(all);
}

static void order_rows(struct sifter *s)
{
    struct net_layout *layout = s->layout;
    struct placed_item *all = zeroed_items((size_t)layout->slots + 1, sizeof *all);

    for (int i = 0; i < layout->slots; i++)
        all[i] = (struct placed_item){s->place[s->block[layout->slot[i]]], layout->slot[i]};
    for (int row = 0; row < layout->rows; row++)
        sort_placed(all + layout->first[row], layout->first[row + 1] - layout->first[row]);
    for (int i = 0; i < layout->slots; i++)
        layout->slot[i] = all[i].item;
    free(all);
}

/* --- moves ------------------------------------------------------------------------------------ */

/* The crossings of the links of two slots if the first is left of the second, less those if it is
 * right of it. */
static int cost_of(struct sifter *s, const struct slot_neighbours *neighbours, int a, int b)
{
    int cost = 0, left = s->block[a], right = s->block[b];
    int64_t pairs = (int64_t)count_of(neighbours, a) * count_of(neighbours, b);

    if (pairs > MOST_PAIRS)
        return 0;
    s->work -= pairs;
    for (int i = neighbours->first[a]; i < neighbours->first[a + 1]; i++)
        for (int k = neighbours->first[b]; k < neighbours->first[b + 1]; k++) {
            int x = s->block[neighbours->slot[i]], y = s->block[neighbours->slot[k]];
            if (x == y || (x == left && y == right) || (x == right && y == left))
                continue;
            cost += s->place[x] > s->place[y] ? 1 : -1;
        }
    return cost;
}

static int top_of(const struct sifter *s, int block)
{
    return s->layout->row[s->part[s->first[block]]];
}

static int end_of(const struct sifter *s, int block)
{
    return top_of(s, block) + s->first[block + 1] - s->first[block];
}

static int cost_of_blocks(struct sifter *s, int left, int right)
{
    int top = top_of(s, left), other = top_of(s, right), cost = 0;
    int begin = top > other ? top : other;
    int end = end_of(s, left) < end_of(s, right) ? end_of(s, left) : end_of(s, right);

    s->work -= end - begin + 1;
    for (int row = begin; row < end; row++) {
        int a = s->part[s->first[left] + row - top], b = s->part[s->first[right] + row - other];
        cost += cost_of(s, s->above, a, b) + cost_of(s, s->below, a, b);
    }
    return cost;
}

/* Find the blocks in the rows of one. */
static void find_beside(struct sifter *s, int block)
{
    const int *first = s->layout->first;
    int begin = first[top_of(s, block)], end = first[end_of(s, block)];

    s->count = 0;
    s->work -= end - begin;
    s->marked[block] = true;
    for (int i = begin; i < end; i++) {
        int other = s->block[s->layout->slot[i]];
        if (!s->marked[other])
            s->beside[s->count++] = (struct placed_item){s->place[other], other};
        s->marked[other] = true;
    }
    sort_placed(s->beside, s->count);
    for (int i = 0; i < s->count; i++)
        s->marked[s->beside[i].item] = false;
    s->marked[block] = false;
}

/* The place to the right of so many blocks beside. */
static double place_behind(const struct sifter *s, int left)
{
    if (left == 0)
        return s->beside[0].place - 1;
    if (left == s->count)
        return s->beside[left - 1].place + 1;
    return (s->beside[left - 1].place + s->beside[left].place) / 2;
}

/* Try a block in all places from `at` to `end`, each to the right of that number of blocks.
 * Returns the best place, if it has fewer crossings than `least`, or else -1. */
static int try_places(struct sifter *s, int block, int at, int end, int *least)
{
    double own = s->place[block];
    int best = -1, cost = 0, step = end < at ? -1 : 1;

    while (at != end && s->work > 0) {
        cost -= step * cost_of_blocks(s, block, s->beside[step < 0 ? at - 1 : at].item);
        at += step;
        s->place[block] = place_behind(s, at);
        if (cost >= *least)
            continue;
        *least = cost;
        best = at;
    }
    s->place[block] = own;
    return best;
}

/* Move a block to where the fewest links cross, but not between places too near to each other. */
static bool sift(struct sifter *s, int block)
{
    int at = 0, least = 0;

    find_beside(s, block);
    while (at < s->count && s->beside[at].place < s->place[block])
        at++;
    int left = try_places(s, block, at, 0, &least);
    int right = try_places(s, block, at, s->count, &least);
    int best = right >= 0 ? right : left;
    double place = best >= 0 ? place_behind(s, best) : 0;
    if (best < 0 || (best > 0 && place <= s->beside[best - 1].place) ||
        (best < s->count && place >= s->beside[best].place))
        return false;
    s->place[block] = place;
    return true;
}

int64_t layout_sift(struct net_layout *layout, const struct slot_neighbours *above,
                    const struct slot_neighbours *below)
{
    const int64_t work = LEAST_WORK + WORK * (int64_t)layout->slots;
    size_t slots = (size_t)layout->slots + 2;
    struct sifter s = {.layout = layout,
                       .above = above,
                       .below = below,
                       .block = zeroed_items(slots, sizeof *s.block),
                       .first = zeroed_items(slots, sizeof *s.first),
                       .part = zeroed_items(slots, sizeof *s.part),
                       .place = zeroed_items(slots, sizeof *s.place),
                       .beside = zeroed_items(slots, sizeof *s.beside),
                       .marked = zeroed_items(slots, sizeof *s.marked),
                       .work = work};
    bool moved = true;

    find_blocks(&s);
    find_places(&s);
    for (int round = 0; moved && round < MOST_ROUNDS && s.work > 0; round++) {
        number_blocks(&s);
        moved = false;
        for (int i = 0; i < s.blocks && s.work > 0; i++)
            moved |= sift(&s, i);
    }
    order_rows(&s);
    free(s.block);
    free(s.first);
    free(s.part);
    free(s.place);
    free(s.beside);
    free(s.marked);
    return work - s.work;
}
