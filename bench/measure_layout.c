/*
 * measure_layout [--svg] MODEL [NAME=N]... | --layers N | --random N - how 'nnefc view' lays out a
 * model without groups, as JSON or as the drawing; or how long a decoder of N layers of 64
 * operations takes, or N boxes each of which reads one or two of the 40 before it
 *
 * NAME is an extent that the model leaves open.
 * JSON has the sizes of boxes, the edges between them, the crossings as the layout counts them, and
 * the lines of its links, from centre to centre, for those who count crossings anew.
 */
#include "driver/view/drawing.h"
#include "driver/view/net.h"
#include "driver/view/place.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LAYER = 64, SHARED = 3, NEAR = 40 };

/* --- a decoder ----------------------------------------------------------------------------------
 */

static void read_box(struct layout_edge *edge, int *edges, int from, int to)
{
    edge[(*edges)++] = (struct layout_edge){from, from, to};
}

static int compare_edges(const void *a, const void *b)
{
    const struct layout_edge *x = a, *y = b;

    return x->from != y->from ? x->from - y->from : x->to - y->to;
}

/* So many chains of boxes that all begin at box x, and a box that joins them and x: its number. */
static int add_branches(struct layout_edge *edge, int *edges, int x, int branches, int length)
{
    int last = x + branches * length + 1;

    for (int b = 0; b < branches; b++) {
        int first = x + 1 + b * length;
        read_box(edge, edges, x, first);
        for (int i = 1; i < length; i++)
            read_box(edge, edges, first + i - 1, first + i);
        for (int i = 0; i < SHARED && branches == 3; i++)
            read_box(edge, edges, i, first + 4 + i); /* a table that all layers read */
        read_box(edge, edges, first + length - 1, last);
    }
    read_box(edge, edges, x, last);
    return last;
}

/* Three branches of 15 boxes, two of 8, and the boxes that join them. */
static int add_layer(struct layout_edge *edge, int *edges, int x)
{
    x = add_branches(edge, edges, x, 3, 15);
    x = add_branches(edge, edges, x, 2, 8);
    read_box(edge, edges, x, x + 1);
    return x + 1;
}

/* Each box reads one or two of the few before it. */
static int add_random(struct layout_edge *edge, int *edges, int boxes)
{
    uint32_t state = 1;

    for (int i = 1; i < boxes; i++)
        for (int k = 0; k < 2; k++) {
            state = state * 1664525 + 1013904223;
            int back = 1 + (int)((state >> 8) % NEAR);
            if (k == 0 || state >> 31)
                read_box(edge, edges, i > back ? i - back : 0, i);
        }
    return boxes - 1;
}

/* A decoder of so many layers, or so many boxes at random. */
static int measure(int layers, int boxes)
{
    struct layout_edge *edge =
        calloc(2 * ((size_t)layers * LAYER + (size_t)boxes) + 1, sizeof *edge);
    int edges = 0, x = SHARED, kept = 0;

    if (!edge)
        return 1;
    for (int i = 0; i < layers; i++)
        x = add_layer(edge, &edges, x);
    if (boxes > 0)
        x = add_random(edge, &edges, boxes);
    qsort(edge, (size_t)edges, sizeof *edge, compare_edges);
    for (int i = 0; i < edges; i++)
        if (i == 0 || compare_edges(&edge[kept - 1], &edge[i]) != 0)
            edge[kept++] = edge[i];
    double begin = clock_seconds();
    struct net_layout layout = layout_new(x + 1, edge, kept);
    printf("{\"boxes\":%d,\"edges\":%d,\"slots\":%d,\"crossings\":%" PRId64 ",\"ms\":%.1f}\n",
           layout.boxes, kept, layout.slots, layout.crossings, 1e3 * (clock_seconds() - begin));
    layout_free(&layout);
    free(edge);
    return 0;
}

/* --- a model ------------------------------------------------------------------------------------
 */

static void print_model(const struct net *net)
{
    const struct net_group *root = &net->group[0];
    const struct net_layout *layout = &root->layout;
    struct placed_group *placed = placed_new(net, 0);

    printf("{\"crossings\":%" PRId64 ",\"width\":%.0f,\"boxes\":[", layout->crossings,
           placed->width);
    for (int i = 0; i < root->boxes; i++) {
        struct placed_box box = placed_box_of(net, placed, 0, i);
        printf("%s[%.2f,%.2f,%.2f,%.2f]", i ? "," : "", box.x, box.y, box.width, box.height);
    }
    fputs("],\"edges\":[", stdout);
    for (int i = 0; i < root->edges; i++)
        printf("%s[%d,%d]", i ? "," : "", net->edge[root->first_edge + i].from,
               net->edge[root->first_edge + i].to);
    fputs("],\"lines\":[", stdout);
    for (int i = 0; i < layout->links; i++) {
        const struct layout_link *link = &layout->link[i];
        printf("%s[%.2f,%d,%.2f,%d]", i ? "," : "", placed->centre[link->from],
               layout->row[link->from], placed->centre[link->to], layout->row[link->to]);
    }
    fputs("]}\n", stdout);
    placed_free(net, placed);
}

int main(int argc, char **argv)
{
    bool draw = argc > 2 && strcmp(argv[1], "--svg") == 0;

    if (argc == 3 && strcmp(argv[1], "--layers") == 0)
        return measure((int)strtol(argv[2], NULL, 10), 0);
    if (argc == 3 && strcmp(argv[1], "--random") == 0)
        return measure(0, (int)strtol(argv[2], NULL, 10));
    argv += draw;
    argc -= draw;
    if (argc < 2) {
        fputs("usage: measure_layout [--svg] MODEL [NAME=N]... | --layers N\n", stderr);
        return 2;
    }
    struct nnefc_model *model = nnefc_model_new();
    for (int i = 2; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        if (equals)
            *equals = '\0';
        if (equals)
            nnefc_model_set_extent(model, argv[i], strtol(equals + 1, NULL, 10));
    }
    if (nnefc_model_load(model, argv[1]) != NNEFC_OK) {
        nnefc_model_print_diagnostics(model, stderr, NNEFC_PRINT_SHORT, false);
        nnefc_model_free(model);
        return 1;
    }
    struct drawing drawing = {
        .title = "", .of = {{.model = model, .net = net_new(model, false)}}, .models = 1};
    if (draw)
        svg_write(stdout, &drawing);
    else
        print_model(&drawing.of[0].net);
    drawing_free(&drawing);
    nnefc_model_free(model);
    return 0;
}
