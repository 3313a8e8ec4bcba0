/* layout.c - tracks of values, and links between rows */
#include "driver/memory.h"
#include "driver/view/layout_priv.h"

#include <stdlib.h>

enum { MOST_TWICE = 2000 }; /* most slots of a graph whose layout is also tried with other rows */

/* --- tracks ----------------------------------------------------------------------------------- */

/* Slots and links are counted first, then made. */
struct track_maker {
    struct net_layout *layout;
    int *point; /* the points of one track, by row */
};

static int greater_of(int a, int b)
{
    return a > b ? a : b;
}

static void add_link(struct net_layout *layout, int from, int to, int value)
{
    if (layout->link)
        layout->link[layout->links] = (struct layout_link){from, to, value};
    layout->links++;
}

/* The track of a value: these edges are all of its readers. */
static void add_track(struct track_maker *maker, const struct layout_edge *edge, int edges)
{
    struct net_layout *layout = maker->layout;
    int from = edge->from, begin = layout->row[from], end = begin + 1;

    for (int i = 0; i < edges; i++)
        end = greater_of(end, layout->row[edge[i].to]);
    maker->point[begin] = from;
    for (int row = begin + 1; row < end; row++) {
        int slot = layout->slots++;
        if (layout->track) {
            layout->row[slot] = row;
            layout->track[slot - layout->boxes] = edge->value;
        }
        maker->point[row] = slot;
        add_link(layout, maker->point[row - 1], slot, edge->value);
    }
    for (int i = 0; i < edges; i++)
        add_link(layout, maker->point[layout->row[edge[i].to] - 1], edge[i].to, edge->value);
}

static void add_tracks(struct track_maker *maker, const struct layout_edge *edge, int edges)
{
    maker->layout->slots = maker->layout->boxes;
    maker->layout->links = 0;
    for (int begin = 0, end; begin < edges; begin = end) {
        for (end = begin; end < edges && edge[end].from == edge[begin].from &&
                          edge[end].value == edge[begin].value;)
            end++;
        add_track(maker, edge + begin, end - begin);
    }
}

static void make_tracks(struct net_layout *layout, const struct layout_edge *edge, int edges)
{
    struct track_maker maker = {layout,
                                zeroed_items((size_t)layout->rows + 1, sizeof *maker.point)};

    add_tracks(&maker, edge, edges);
    layout->row = resize_items(layout->row, (size_t)layout->slots + 1, sizeof *layout->row);
    layout->track =
        zeroed_items((size_t)(layout->slots - layout->boxes) + 1, sizeof *layout->track);
    layout->link = zeroed_items((size_t)layout->links + 1, sizeof *layout->link);
    add_tracks(&maker, edge, edges);
    free(maker.point);
}

/* Sort links by the row that they leave, and by their number, into memory of their own. */
static void sort_links(struct net_layout *layout)
{
    struct layout_link *sorted = zeroed_items((size_t)layout->links + 1, sizeof *sorted);
    int *next = zeroed_items((size_t)layout->rows + 2, sizeof *next);

    for (int i = 0; i < layout->links; i++)
        next[layout->row[layout->link[i].from] + 1]++;
    for (int row = 0; row < layout->rows; row++)
        next[row + 1] += next[row];
    for (int i = 0; i < layout->links; i++)
        sorted[next[layout->row[layout->link[i].from]]++] = layout->link[i];
    free(next);
    free(layout->link);
    layout->link = sorted;
}

/* --- neighbours ------------------------------------------------------------------------------- */

struct slot_neighbours neighbours_new(const struct net_layout *layout, bool below)
{
    struct slot_neighbours found = {zeroed_items((size_t)layout->slots + 2, sizeof *found.first),
                                    zeroed_items((size_t)layout->links + 1, sizeof *found.slot)};

    for (int i = 0; i < layout->links; i++)
        found.first[(below ? layout->link[i].from : layout->link[i].to) + 2]++;
    for (int i = 1; i < layout->slots; i++)
        found.first[i + 1] += found.first[i];
    for (int i = 0; i < layout->links; i++) {
        const struct layout_link *link = &layout->link[i];
        found.slot[found.first[(below ? link->from : link->to) + 1]++] =
            below ? link->to : link->from;
    }
    return found;
}

void neighbours_free(struct slot_neighbours *neighbours)
{
    free(neighbours->first);
    free(neighbours->slot);
}

int compare_placed(const void *a, const void *b)
{
    const struct placed_item *x = a, *y = b;

    if (x->place < y->place || x->place > y->place)
        return x->place < y->place ? -1 : 1;
    return x->item - y->item;
}

/* Insertion takes few steps if there are few, or if they are nearly in order, as in most sweeps. */
void sort_placed(struct placed_item *item, int count)
{
    int64_t steps = 16 * (int64_t)count;

    for (int i = 1; i < count; i++) {
        const struct placed_item one = item[i];
        int at = i;
        for (; at > 0 && steps > 0 && compare_placed(&item[at - 1], &one) > 0; at--, steps--)
            item[at] = item[at - 1];
        item[at] = one;
    }
    if (steps == 0)
        qsort(item, (size_t)count, sizeof *item, compare_placed);
}

/* --- all of it -------------------------------------------------------------------------------- */

static struct net_layout lay_out(int boxes, const struct layout_edge *edge, int edges, bool tight)
{
    struct net_layout layout = {.boxes = boxes};

    layout.row = zeroed_items((size_t)boxes + 1, sizeof *layout.row);
    layout.rows = layout_rows(layout.row, boxes, edge, edges, tight);
    make_tracks(&layout, edge, edges);
    sort_links(&layout);
    layout.first = zeroed_items((size_t)layout.rows + 2, sizeof *layout.first);
    layout.slot = zeroed_items((size_t)layout.slots + 1, sizeof *layout.slot);
    layout_order(&layout);
    return layout;
}

/* The number of crossings is known only when slots have an order.  So both kinds of rows are tried,
 * but a large graph always has tight rows. */
struct net_layout layout_new(int boxes, const struct layout_edge *edge, int edges)
{
    struct net_layout tight = lay_out(boxes, edge, edges, true);

    if (tight.crossings == 0 || tight.slots > MOST_TWICE)
        return tight;
    struct net_layout other = lay_out(boxes, edge, edges, false);
    bool better = other.crossings < tight.crossings;
    layout_free(better ? &tight : &other);
    return better ? other : tight;
}

void layout_free(struct net_layout *layout)
{
    free(layout->row);
    free(layout->first);
    free(layout->slot);
    free(layout->track);
    free(layout->link);
    *layout = (struct net_layout){0};
}
