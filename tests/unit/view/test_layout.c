/* test_layout.c - rows, tracks and orders of small graphs, worked out by hand */
#include "driver/view/layout_priv.h"

#include <stdlib.h>

#include "support/t.h"

/* A layout of edges of values that have the number of their box; `edge` is sorted. */
static struct net_layout lay_out(int boxes, const int (*edge)[2], int edges)
{
    struct layout_edge all[64];

    assert_in_range(edges, 0, 64);
    for (int i = 0; i < edges; i++)
        all[i] = (struct layout_edge){edge[i][0], edge[i][0], edge[i][1]};
    return layout_new(boxes, all, edges);
}

#define LAY_OUT(boxes, edge) lay_out(boxes, edge, (int)(sizeof(edge) / sizeof(edge)[0]))

static int place_of(const struct net_layout *layout, int slot)
{
    int row = layout->row[slot];

    for (int i = layout->first[row]; i < layout->first[row + 1]; i++)
        if (layout->slot[i] == slot)
            return i - layout->first[row];
    fail_msg("slot %d is in no row", slot);
    return -1;
}

/* Links cross if their ends are in another order than their beginnings. */
static int64_t count_crossings(const struct net_layout *layout)
{
    int64_t crossings = 0;

    for (int i = 0; i < layout->links; i++)
        for (int k = 0; k < i; k++) {
            const struct layout_link *a = &layout->link[i], *b = &layout->link[k];
            if (layout->row[a->from] != layout->row[b->from])
                continue;
            int above = place_of(layout, a->from) - place_of(layout, b->from);
            int below = place_of(layout, a->to) - place_of(layout, b->to);
            crossings += (above < 0 && below > 0) || (above > 0 && below < 0);
        }
    return crossings;
}

/* Each slot stands in its row once, and links lead from one row to the next. */
static void check(const struct net_layout *layout)
{
    assert_int_equal(layout->first[layout->rows], layout->slots);
    for (int i = 0; i < layout->slots; i++)
        assert_in_range(place_of(layout, i), 0, layout->slots);
    for (int i = 0; i < layout->links; i++)
        assert_int_equal(layout->row[layout->link[i].to], layout->row[layout->link[i].from] + 1);
    assert_int_equal(layout->crossings, count_crossings(layout));
}

/* --- rows and tracks -------------------------------------------------------------------------- */

static void a_chain_has_a_row_for_each_box(void **state)
{
    static const int edge[][2] = {{0, 1}, {1, 2}, {2, 3}};
    struct net_layout layout = LAY_OUT(4, edge);

    (void)state;
    check(&layout);
    assert_int_equal(layout.rows, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(layout.row[i], i);
    assert_int_equal(layout.slots, 4);
    assert_int_equal(layout.crossings, 0);
    layout_free(&layout);
}

/* 0 is read in the rows of 1, 2, 3 and 4: three points, and not 0 + 1 + 2 + 3 of an edge each. */
static void readers_of_a_value_share_one_track(void **state)
{
    static const int edge[][2] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {2, 3}, {3, 4}};
    struct net_layout layout = LAY_OUT(5, edge);

    (void)state;
    check(&layout);
    assert_int_equal(layout.slots - layout.boxes, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(layout.track[i], 0);
    assert_int_equal(layout.links, 4 + 3 + 3); /* to readers; along the track; in the chain */
    layout_free(&layout);
}

static void two_values_of_a_box_have_two_tracks(void **state)
{
    static const struct layout_edge edge[] = {
        {0, 7, 1}, {0, 7, 3}, {0, 8, 3}, {1, 1, 2}, {2, 2, 3}};
    struct net_layout layout = layout_new(4, edge, 5);

    (void)state;
    check(&layout);
    assert_int_equal(layout.slots - layout.boxes, 4); /* two rows between, two values */
    layout_free(&layout);
}

static void an_input_sinks_to_its_first_reader(void **state)
{
    static const int edge[][2] = {{0, 1}, {1, 2}, {2, 4}, {3, 4}, {3, 5}, {4, 5}};
    struct net_layout layout = LAY_OUT(6, edge);

    (void)state;
    check(&layout);
    assert_int_equal(layout.row[3], layout.row[4] - 1);
    layout_free(&layout);
}

static void a_reader_beside_a_long_track_sinks_along_it(void **state)
{
    /* 0 is read at the bottom anyway, so that 1, which only 5 reads, costs nothing down there. */
    static const int edge[][2] = {{0, 1}, {0, 2}, {0, 5}, {1, 5}, {2, 3}, {3, 4}, {4, 5}};
    struct net_layout layout = LAY_OUT(6, edge);

    (void)state;
    check(&layout);
    assert_int_equal(layout.row[1], layout.row[5] - 1);
    layout_free(&layout);
}

static void a_branch_sinks_as_a_whole(void **state)
{
    /* 3, 4 and 5 have one track above them, and two below. */
    static const int edge[][2] = {{0, 1}, {0, 3}, {1, 2}, {2, 6}, {3, 4},
                                  {3, 5}, {4, 7}, {5, 7}, {6, 7}};
    struct net_layout layout = LAY_OUT(8, edge);

    (void)state;
    check(&layout);
    assert_int_equal(layout.rows, 5);
    assert_int_equal(layout.row[3], 2);
    assert_int_equal(layout.row[4], 3);
    assert_int_equal(layout.row[5], 3);
    layout_free(&layout);
}

static void boxes_without_edges_lie_in_one_row(void **state)
{
    struct net_layout layout = layout_new(3, NULL, 0), empty = layout_new(0, NULL, 0);

    (void)state;
    check(&layout);
    assert_int_equal(layout.rows, 1);
    assert_int_equal(empty.rows, 0);
    assert_int_equal(empty.crossings, 0);
    layout_free(&layout);
    layout_free(&empty);
}

/* --- order ------------------------------------------------------------------------------------ */

static void links_that_need_not_cross_do_not(void **state)
{
    static const int ladder[][2] = {{0, 5}, {1, 4}, {2, 3}, {3, 8}, {4, 7}, {5, 6}};
    static const int tree[][2] = {{0, 1}, {0, 2}, {1, 3}, {1, 5}, {2, 4}, {2, 6}};
    struct net_layout a = LAY_OUT(9, ladder), b = LAY_OUT(7, tree);

    (void)state;
    check(&a);
    check(&b);
    assert_int_equal(a.crossings, 0);
    assert_int_equal(b.crossings, 0);
    layout_free(&a);
    layout_free(&b);
}

/* Of three chains the middle one must be beside both others: 9 reads two of them, 10 two.  No box
 * of its own can change its place alone without a new crossing. */
static void chains_move_as_a_whole(void **state)
{
    static const int edge[][2] = {{0, 3}, {1, 4}, {2, 5}, {3, 6},  {4, 7},
                                  {5, 8}, {6, 9}, {7, 9}, {7, 10}, {8, 10}};
    struct net_layout layout = LAY_OUT(11, edge);
    struct slot_neighbours above = neighbours_new(&layout, false);
    struct slot_neighbours below = neighbours_new(&layout, true);

    (void)state;
    assert_int_equal(count_crossings(&layout), 0);
    for (int row = 0; row < 3; row++) {
        int *slot = layout.slot + layout.first[row], middle = slot[1];
        slot[1] = slot[2];
        slot[2] = middle;
    }
    assert_int_equal(count_crossings(&layout), 1);
    layout_sift(&layout, &above, &below);
    assert_int_equal(count_crossings(&layout), 0);
    neighbours_free(&above);
    neighbours_free(&below);
    layout_free(&layout);
}

/* Every pair of boxes above and every pair below cross once: of n and n, (n (n - 1) / 2) squared.
 */
static void links_between_all_boxes_cross_as_they_must(void **state)
{
    static const int two[][2] = {{0, 2}, {0, 3}, {1, 2}, {1, 3}};
    static const int three[][2] = {{0, 3}, {0, 4}, {0, 5}, {1, 3}, {1, 4},
                                   {1, 5}, {2, 3}, {2, 4}, {2, 5}};
    struct net_layout a = LAY_OUT(4, two), b = LAY_OUT(6, three);

    (void)state;
    check(&a);
    check(&b);
    assert_int_equal(a.crossings, 1);
    assert_int_equal(b.crossings, 9);
    layout_free(&a);
    layout_free(&b);
}

/* Graphs of a fixed rule: box i reads two or three of those before it. */
static int made_edges(struct layout_edge *edge, int boxes)
{
    int edges = 0;

    for (int from = 0; from < boxes; from++)
        for (int to = from + 1; to < boxes; to++)
            if ((to * 7 + from * 3) % 11 == 0 || to - from == 1 + to % 3)
                edge[edges++] = (struct layout_edge){from, from, to};
    return edges;
}

static void crossings_are_counted_rightly(void **state)
{
    struct layout_edge edge[2000];

    (void)state;
    for (int boxes = 2; boxes < 60; boxes += 3) {
        struct net_layout layout = layout_new(boxes, edge, made_edges(edge, boxes));
        check(&layout);
        layout_free(&layout);
    }
}

static void the_same_graph_has_the_same_layout(void **state)
{
    struct layout_edge edge[2000];
    int edges = made_edges(edge, 50);
    struct net_layout a = layout_new(50, edge, edges), b = layout_new(50, edge, edges);

    (void)state;
    assert_int_equal(a.slots, b.slots);
    assert_memory_equal(a.slot, b.slot, (size_t)a.slots * sizeof *a.slot);
    layout_free(&a);
    layout_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_has_a_row_for_each_box),
        cmocka_unit_test(readers_of_a_value_share_one_track),
        cmocka_unit_test(two_values_of_a_box_have_two_tracks),
        cmocka_unit_test(an_input_sinks_to_its_first_reader),
        cmocka_unit_test(a_reader_beside_a_long_track_sinks_along_it),
        cmocka_unit_test(a_branch_sinks_as_a_whole),
        cmocka_unit_test(boxes_without_edges_lie_in_one_row),
        cmocka_unit_test(links_that_need_not_cross_do_not),
        cmocka_unit_test(chains_move_as_a_whole),
        cmocka_unit_test(links_between_all_boxes_cross_as_they_must),
        cmocka_unit_test(crossings_are_counted_rightly),
        cmocka_unit_test(the_same_graph_has_the_same_layout),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
