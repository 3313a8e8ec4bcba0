/*
 * place.c - coordinates of boxes
 *
 * Sweeps down and up move the slots of a row as near to the mean of their neighbours in the row
 * before as order and distances allow.  This is isotonic regression; it is solved by pooling
 * adjacent slots that violate the order.
 */
#include "driver/view/place.h"

#include "driver/memory.h"
#include "driver/record.h"
#include "driver/view/layout_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SWEEPS = 12,
    TRACK_WEIGHT = 8,
    BOX_GAP = 16,
    TRACK_BOX_GAP = 10,
    TRACK_GAP = 8,
    ROW_GAP = 28,
    BOX_PADDING = 16,
    LEAST_WIDTH = 56,
    LEAST_HEIGHT = 24,
    LINE_HEIGHT = 14,
    GROUP_HEIGHT = 36
};

/* --- sizes ------------------------------------------------------------------------------------ */

struct box_text box_text_of(const struct net *net, const struct net_box *box)
{
    struct box_text text = {{NULL, NULL}};
    char times[32];

    switch (box->kind) {
    case BOX_OPERATION:
        text.line[0] = text_escaped(net->operations->at[box->index]->operation, "");
        text.line[1] = text_escaped(net->operations->at[box->index]->results->at[0]->name, "");
        return text;
    case BOX_GROUP:
        text.line[0] = text_escaped(net->group[box->index].name, "");
        snprintf(times, sizeof times, "x%d", net->group[box->index].times);
        text.line[1] = net->group[box->index].times > 1 ? text_escaped(times, "") : NULL;
        return text;
    case BOX_VALUE:
    case BOX_OUTPUT:
        text.line[0] = text_escaped(net->value[box->index].name, "");
        return text;
    }
    return text;
}

void box_text_free(struct box_text *text)
{
    free(text->line[0]);
    free(text->line[1]);
}

size_t letters_of(const char *text)
{
    size_t letters = 0;

    for (; *text; text++)
        letters += ((unsigned char)*text & 0xC0) != 0x80;
    return letters;
}

/* The size of a box that is no open group. */
static void measure_box(const struct net *net, const struct net_box *box, double *wide,
                        double *high)
{
    struct box_text text = box_text_of(net, box);
    size_t letters = letters_of(text.line[0]);

    if (text.line[1] && letters_of(text.line[1]) > letters)
        letters = letters_of(text.line[1]);
    double needed = (double)letters * LETTER_WIDTH + BOX_PADDING;
    *wide = needed < LEAST_WIDTH ? LEAST_WIDTH : needed > MOST_WIDTH ? MOST_WIDTH : needed;
    *high = box->kind == BOX_GROUP ? GROUP_HEIGHT : LEAST_HEIGHT + (text.line[1] ? LINE_HEIGHT : 0);
    box_text_free(&text);
}

/* --- across ----------------------------------------------------------------------------------- */

/* Slots that lie side by side without free space; `sum` is the sum of the places that they want,
 * less the distances before them. */
struct placed_block {
    double sum, weight;
    int end;
};

struct placer {
    const struct net_layout *layout;
    struct placed_group *placed;
    struct slot_neighbours above, below;
    struct placed_block *block;
    double *offset;
};

static bool is_point(const struct net_layout *layout, int slot)
{
    return slot >= layout->boxes;
}

/* From the centre of a slot to that of the next one in its row. */
static double distance_of(const struct placer *p, int left, int right)
{
    static const int gap[] = {BOX_GAP, TRACK_BOX_GAP, TRACK_GAP};

    return (p->placed->wide[left] + p->placed->wide[right]) / 2 +
           gap[is_point(p->layout, left) + is_point(p->layout, right)];
}

/* The mean of the neighbours; a slot without any stays where it is. */
static double wanted_place(const struct placer *p, int slot,
                           const struct slot_neighbours *neighbours)
{
    double sum = 0, weights = 0;

    for (int i = neighbours->first[slot]; i < neighbours->first[slot + 1]; i++) {
        int other = neighbours->slot[i];
        double weight = is_point(p->layout, slot) && is_point(p->layout, other) ? TRACK_WEIGHT : 1;
        sum += weight * p->placed->centre[other];
        weights += weight;
    }
    return weights > 0 ? sum / weights : p->placed->centre[slot];
}

static void place_row(struct placer *p, int row, const struct slot_neighbours *neighbours)
{
    const int *slot = p->layout->slot + p->layout->first[row];
    int size = p->layout->first[row + 1] - p->layout->first[row], blocks = 0;

    for (int i = 0; i < size; i++) {
        p->offset[i] = i ? p->offset[i - 1] + distance_of(p, slot[i - 1], slot[i]) : 0;
        double weight = is_point(p->layout, slot[i]) ? TRACK_WEIGHT : 1;
        struct placed_block block = {weight * (wanted_place(p, slot[i], neighbours) - p->offset[i]),
                                     weight, i + 1};
        for (; blocks > 0; blocks--) {
            const struct placed_block *last = &p->block[blocks - 1];
            if (last->sum / last->weight <= block.sum / block.weight)
                break;
            block.sum += last->sum;
            block.weight += last->weight;
        }
        p->block[blocks++] = block;
    }
    for (int i = 0, k = 0; k < blocks; k++)
        for (; i < p->block[k].end; i++)
            p->placed->centre[slot[i]] = p->block[k].sum / p->block[k].weight + p->offset[i];
}

/* Slots begin side by side. */
static void place_first(struct placer *p)
{
    for (int row = 0; row < p->layout->rows; row++)
        for (int i = p->layout->first[row]; i < p->layout->first[row + 1]; i++) {
            int slot = p->layout->slot[i];
            p->placed->centre[slot] = i > p->layout->first[row]
                                          ? p->placed->centre[p->layout->slot[i - 1]] +
                                                distance_of(p, p->layout->slot[i - 1], slot)
                                          : p->placed->wide[slot] / 2;
        }
}

/* Let the leftmost box begin at 0. */
static void move_left(const struct net_layout *layout, struct placed_group *placed)
{
    double left = 0, right = 0;

    for (int row = 0; row < layout->rows; row++) {
        int first = layout->slot[layout->first[row]],
            last = layout->slot[layout->first[row + 1] - 1];
        double begin = placed->centre[first] - placed->wide[first] / 2;
        double end = placed->centre[last] + placed->wide[last] / 2;
        left = row == 0 || begin < left ? begin : left;
        right = row == 0 || end > right ? end : right;
    }
    for (int i = 0; i < layout->slots; i++)
        placed->centre[i] -= left;
    placed->width = right - left;
}

static void place_across(const struct net_layout *layout, struct placed_group *placed)
{
    size_t slots = (size_t)layout->slots + 1;
    struct placer p = {.layout = layout,
                       .placed = placed,
                       .above = neighbours_new(layout, false),
                       .below = neighbours_new(layout, true),
                       .block = zeroed_items(slots, sizeof *p.block),
                       .offset = zeroed_items(slots, sizeof *p.offset)};

    place_first(&p);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int i = 1; i < layout->rows; i++)
            place_row(&p, sweep % 2 == 0 ? i : layout->rows - 1 - i,
                      sweep % 2 == 0 ? &p.above : &p.below);
    move_left(layout, placed);
    neighbours_free(&p.above);
    neighbours_free(&p.below);
    free(p.block);
    free(p.offset);
}

/* --- down ------------------------------------------------------------------------------------- */

/* Rows are as high as their highest box. */
static void place_down(const struct net_layout *layout, struct placed_group *placed)
{
    double y = 0;

    for (int row = 0; row < layout->rows; row++) {
        placed->top[row] = y;
        for (int i = layout->first[row]; i < layout->first[row + 1]; i++)
            if (placed->high[layout->slot[i]] > placed->tall[row])
                placed->tall[row] = placed->high[layout->slot[i]];
        y += placed->tall[row] + ROW_GAP;
    }
    placed->height = y > 0 ? y - ROW_GAP : 0;
}

/* --- groups ----------------------------------------------------------------------------------- */

/* Groups that are open in open groups have been placed before. */
static void place_group(const struct net *net, struct placed_group *placed, int number)
{
    const struct net_group *group = &net->group[number];
    const struct net_layout *layout = &group->layout;
    struct placed_group *to = &placed[number];
    size_t slots = (size_t)layout->slots + 1, rows = (size_t)layout->rows + 1;

    to->centre = zeroed_items(slots, sizeof *to->centre);
    to->wide = zeroed_items(slots, sizeof *to->wide);
    to->high = zeroed_items(slots, sizeof *to->high);
    to->top = zeroed_items(rows, sizeof *to->top);
    to->tall = zeroed_items(rows, sizeof *to->tall);
    for (int i = 0; i < group->boxes; i++) {
        const struct placed_group *inner =
            group->box[i].kind == BOX_GROUP ? &placed[group->box[i].index] : NULL;
        if (inner && inner->open) {
            to->wide[i] = inner->width + 2 * BOX_MARGIN;
            to->high[i] = inner->height + 2 * BOX_MARGIN + BOX_TITLE;
        } else {
            measure_box(net, &group->box[i], &to->wide[i], &to->high[i]);
        }
    }
    place_across(layout, to);
    place_down(layout, to);
}

struct placed_box placed_box_of(const struct net *net, const struct placed_group *placed, int group,
                                int slot)
{
    const struct placed_group *in = &placed[group];
    int row = net->group[group].layout.row[slot];

    return (struct placed_box){in->x + in->centre[slot] - in->wide[slot] / 2,
                               in->y + in->top[row] + (in->tall[row] - in->high[slot]) / 2,
                               in->wide[slot], in->high[slot]};
}

struct placed_group *placed_new(const struct net *net, int most)
{
    struct placed_group *placed = zeroed_items((size_t)net->groups, sizeof *placed);
    int *open = zeroed_items((size_t)net->groups, sizeof *open), count = 1;
    int shown = net->group[0].boxes;

    placed[0].open = true;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < net->group[open[i]].boxes; k++) {
            const struct net_box *box = &net->group[open[i]].box[k];
            if (box->kind != BOX_GROUP || net->group[box->index].boxes > most - shown)
                continue;
            shown += net->group[box->index].boxes;
            placed[box->index].open = true;
            open[count++] = box->index;
        }
    for (int i = count - 1; i >= 0; i--)
        place_group(net, placed, open[i]);
    for (int i = 1; i < count; i++) {
        const struct net_group *group = &net->group[open[i]];
        struct placed_box box = placed_box_of(net, placed, group->parent, group->place);
        placed[open[i]].x = box.x + BOX_MARGIN;
        placed[open[i]].y = box.y + BOX_TITLE + BOX_MARGIN;
    }
    free(open);
    return placed;
}

void placed_free(const struct net *net, struct placed_group *placed)
{
    for (int i = 0; i < net->groups; i++) {
        free(placed[i].centre);
        free(placed[i].wide);
        free(placed[i].high);
        free(placed[i].top);
        free(placed[i].tall);
    }
    free(placed);
}
