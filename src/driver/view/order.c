/*
 * order.c - the order of slots in their rows
 *
 * A walk from the inputs gives the first order.  Sweeps down and up then sort each row by the mean
 * places of the neighbours in the row before; slots without neighbours keep their place.  Slots
 * side by side swap places if fewer links cross then, and sift.c moves whole tracks.  The order
 * with the fewest crossings stays.
 */
#include "driver/memory.h"
#include "driver/view/layout_priv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SWEEPS = 24, MOST_VAIN = 4 };
/* The number of walks, the number of slots of all walks together, and the work after which none
 * begins: a graph in which many links cross takes more of it, and gains little by other walks. */
enum { MOST_WALKS = 32, MOST_WALKED = 24000, MOST_WORK = 2000000 };

struct order {
    struct net_layout *layout;
    struct slot_neighbours above, below;
    int *place;                /* of each slot in its row */
    struct placed_item *moved; /* slots of a row that move */
    int *kept;                 /* 1 for places of a row that keep their slot */
    int *sum;                  /* the tree that counts crossings */
    int *best;                 /* layout->slot of the best order */
    int64_t fewest;
    int64_t work; /* slots that were looked at */
    bool turned;  /* slots of the same mean change their order */
};

static int row_size(const struct net_layout *layout, int row)
{
    return layout->first[row + 1] - layout->first[row];
}

static void number_places(struct order *order, int row)
{
    const int *slot = order->layout->slot + order->layout->first[row];

    for (int i = 0; i < row_size(order->layout, row); i++)
        order->place[slot[i]] = i;
}

/* --- first orders ----------------------------------------------------------------------------- */

struct order_walk {
    int *stack, *next; /* the next place in each row */
    bool *seen;
    int number;
};

/* Do both numbers have an odd number of bits in common?  So different walks turn at different
 * slots. */
static bool is_odd(int a, int b)
{
    unsigned bits = (unsigned)a & (unsigned)b;

    for (unsigned shift = 16; shift > 0; shift /= 2)
        bits ^= bits >> shift;
    return bits & 1;
}

/* Append a slot, and all slots that can be reached from it, to their rows: from its first reader
 * on, or from the last. */
static void walk_from(struct order *order, int slot, struct order_walk *walk)
{
    struct net_layout *layout = order->layout;
    const int *first = order->below.first;
    int depth = 0;

    walk->stack[depth++] = slot;
    while (depth > 0) {
        slot = walk->stack[--depth];
        if (walk->seen[slot])
            continue;
        walk->seen[slot] = true;
        layout->slot[layout->first[layout->row[slot]] + walk->next[layout->row[slot]]++] = slot;
        bool turned = is_odd(walk->number, slot);
        for (int i = first[slot]; i < first[slot + 1]; i++) {
            int to = order->below.slot[turned ? i : first[slot] + first[slot + 1] - 1 - i];
            if (!walk->seen[to])
                walk->stack[depth++] = to;
        }
    }
}

/* The walk of that number begins at the first input, or at the last. */
static void walk_all(struct order *order, int number)
{
    struct net_layout *layout = order->layout;
    struct order_walk walk = {
        .number = number,
        .next = zeroed_items((size_t)layout->rows + 1, sizeof *walk.next),
        .stack =
            zeroed_items((size_t)layout->slots + (size_t)layout->links + 1, sizeof *walk.stack),
        .seen = zeroed_items((size_t)layout->slots + 1, sizeof *walk.seen),
    };

    for (int i = 0; i < layout->slots; i++) {
        int slot = number % 2 == 0 ? i : layout->slots - 1 - i;
        if (order->above.first[slot] == order->above.first[slot + 1])
            walk_from(order, slot, &walk);
    }
    free(walk.next);
    free(walk.stack);
    free(walk.seen);
    for (int row = 0; row < layout->rows; row++)
        number_places(order, row);
}

/* --- crossings -------------------------------------------------------------------------------- */

static int compare_integers(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Most slots have few links. */
static void sort_places(int *place, int count)
{
    enum { FEW = 16 };

    if (count > FEW)
        qsort(place, (size_t)count, sizeof *place, compare_integers);
    for (int i = 1; i < count && count <= FEW; i++) {
        const int one = place[i];
        int at = i;
        for (; at > 0 && place[at - 1] > one; at--)
            place[at] = place[at - 1];
        place[at] = one;
    }
}

/* Crossings between a row and the next: pairs of links that end in another order than they begin.
 * The tree counts the links so far that end at each place (Barth, Juenger and Mutzel). */
static int64_t crossings_below(struct order *order, int row, int *end)
{
    const struct net_layout *layout = order->layout;
    int leaves = 1, seen = 0;
    int64_t crossings = 0;

    while (leaves < row_size(layout, row + 1))
        leaves *= 2;
    memset(order->sum, 0, 2 * (size_t)leaves * sizeof *order->sum);
    for (int i = layout->first[row]; i < layout->first[row + 1]; i++) {
        int slot = layout->slot[i], count = 0;
        for (int k = order->below.first[slot]; k < order->below.first[slot + 1]; k++)
            end[count++] = order->place[order->below.slot[k]];
        sort_places(end, count);
        /* Those that end further right cross; links of one slot do not cross each other. */
        for (int k = 0; k < count; k++, seen++) {
            for (int at = leaves + end[k]; at > 1; at /= 2)
                if (at % 2 == 0)
                    crossings += order->sum[at + 1];
            for (int at = leaves + end[k]; at >= 1; at /= 2)
                order->sum[at]++;
        }
    }
    return crossings;
}

static int64_t count_crossings(struct order *order)
{
    int *end = zeroed_items((size_t)order->layout->links + 1, sizeof *end);
    int64_t crossings = 0;

    for (int row = 0; row + 1 < order->layout->rows; row++)
        crossings += crossings_below(order, row, end);
    free(end);
    return crossings;
}

/* --- sweeps ----------------------------------------------------------------------------------- */

/* Sort a row by the mean places of neighbours.  `item` is its old place until then, so
 * that equal ones keep their order. */
static void sort_row(struct order *order, int row, const struct slot_neighbours *neighbours)
{
    const struct net_layout *layout = order->layout;
    int *slot = layout->slot + layout->first[row], size = row_size(layout, row), moved = 0;

    for (int i = 0; i < size; i++) {
        int begin = neighbours->first[slot[i]], end = neighbours->first[slot[i] + 1];
        double sum = 0;
        for (int k = begin; k < end; k++)
            sum += order->place[neighbours->slot[k]];
        order->kept[i] = begin == end ? slot[i] : -1;
        if (begin < end)
            order->moved[moved++] =
                (struct placed_item){sum / (end - begin), order->turned ? -i : i};
    }
    sort_placed(order->moved, moved);
    for (int i = 0; i < moved; i++)
        order->moved[i].item = slot[abs(order->moved[i].item)];
    for (int i = 0, k = 0; i < size; i++)
        slot[i] = order->kept[i] >= 0 ? order->kept[i] : order->moved[k++].item;
    number_places(order, row);
}

/* How many links of two slots cross if the first is left of the second, less those that cross if it
 * is right of it. */
static int gain_of(const struct order *order, const struct slot_neighbours *neighbours, int a,
                   int b)
{
    int gain = 0;

    for (int i = neighbours->first[a]; i < neighbours->first[a + 1]; i++) {
        const int place = order->place[neighbours->slot[i]];
        for (int k = neighbours->first[b]; k < neighbours->first[b + 1]; k++) {
            const int other = order->place[neighbours->slot[k]];
            gain += (place > other) - (place < other);
        }
    }
    return gain;
}

/* Slots beside each other change places where that leaves fewer crossings. */
static bool swap_row(struct order *order, int row)
{
    enum { MOST_PAIRS = 4096 }; /* of links of two slots: it must not take long */
    const struct net_layout *layout = order->layout;
    int *slot = layout->slot + layout->first[row];
    bool swapped = false;

    for (int i = 0; i + 1 < row_size(layout, row); i++) {
        const struct slot_neighbours *sides[] = {&order->above, &order->below};
        int left = slot[i], right = slot[i + 1], gain = 0;
        for (int side = 0; side < 2; side++) {
            const int *first = sides[side]->first;
            int64_t pairs =
                (int64_t)(first[left + 1] - first[left]) * (first[right + 1] - first[right]);
            if (pairs > 0 && pairs <= MOST_PAIRS)
                gain += gain_of(order, sides[side], left, right);
        }
        if (gain <= 0)
            continue;
        slot[i] = right;
        slot[i + 1] = left;
        order->place[right] = i;
        order->place[left] = i + 1;
        swapped = true;
    }
    return swapped;
}

static void swap_rows(struct order *order)
{
    bool swapped = true;

    for (int round = 0; swapped && round < MOST_VAIN; round++) {
        swapped = false;
        order->work += order->layout->slots;
        for (int row = 0; row < order->layout->rows; row++)
            swapped |= swap_row(order, row);
    }
}

/* Keep the order as it is now, if it is the best so far. */
static bool keep_best(struct order *order)
{
    const struct net_layout *layout = order->layout;
    int64_t crossings = count_crossings(order);

    if (crossings >= order->fewest)
        return false;
    order->fewest = crossings;
    memcpy(order->best, layout->slot, (size_t)layout->slots * sizeof *order->best);
    return true;
}

static void sweep(struct order *order, bool down)
{
    int rows = order->layout->rows;

    order->work += order->layout->slots;
    for (int i = 1; i < rows; i++)
        sort_row(order, down ? i : rows - 1 - i, down ? &order->above : &order->below);
}

/* Sweep and swap, beginning with an order, until that finds no better one. */
static void improve(struct order *order)
{
    keep_best(order);
    for (int i = 0, vain = 0; i < MOST_SWEEPS && vain < MOST_VAIN && order->fewest > 0; i++) {
        order->turned = i % 4 >= 2;
        sweep(order, i % 2 == 0);
        bool better = keep_best(order);
        swap_rows(order);
        vain = keep_best(order) || better ? 0 : vain + 1;
    }
}

/* Move whole tracks, and then swap. */
static void sift(struct order *order)
{
    if (order->fewest == 0)
        return;
    order->work += layout_sift(order->layout, &order->above, &order->below);
    for (int row = 0; row < order->layout->rows; row++)
        number_places(order, row);
    keep_best(order);
    swap_rows(order);
    keep_best(order);
}

void layout_order(struct net_layout *layout)
{
    size_t slots = (size_t)layout->slots + 1;
    struct order order = {.layout = layout,
                          .above = neighbours_new(layout, false),
                          .below = neighbours_new(layout, true),
                          .place = zeroed_items(slots, sizeof *order.place),
                          .moved = zeroed_items(slots, sizeof *order.moved),
                          .kept = zeroed_items(slots, sizeof *order.kept),
                          .sum = zeroed_items(4 * slots, sizeof *order.sum),
                          .best = zeroed_items(slots, sizeof *order.best),
                          .fewest = INT64_MAX};

    for (int i = 0; i < layout->slots; i++)
        layout->first[layout->row[i] + 1]++;
    for (int row = 0; row < layout->rows; row++)
        layout->first[row + 1] += layout->first[row];
    for (int i = 0; i < MOST_WALKS && order.fewest > 0; i++) {
        if (i > 0 && ((int64_t)layout->slots * (i + 1) > MOST_WALKED || order.work > MOST_WORK))
            break;
        walk_all(&order, i);
        improve(&order);
        sift(&order);
    }
    memcpy(layout->slot, order.best, (size_t)layout->slots * sizeof *order.best);
    layout->crossings = order.fewest;
    neighbours_free(&order.above);
    neighbours_free(&order.below);
    free(order.place);
    free(order.moved);
    free(order.kept);
    free(order.sum);
    free(order.best);
}
