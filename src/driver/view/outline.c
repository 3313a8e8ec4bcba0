/* outline.c - boxes and edges of a network with groups closed from a depth on */
#include "driver/view/outline.h"

#include "driver/memory.h"
#include "driver/record.h"
#include "driver/view/place.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LETTERS = 80 };

void box_name(FILE *to, const struct net_box *box)
{
    static const char letters[] = {
        [BOX_OPERATION] = 'o', [BOX_GROUP] = 'g', [BOX_VALUE] = 'v', [BOX_OUTPUT] = 'r'};

    fprintf(to, "%c%d", letters[box->kind], box->index);
}

/* The box that is shown: the box itself, or the outermost closed group around it. */
static struct net_box shown_box(const struct net *net, int group, struct net_box box, int depth)
{
    struct net_box shown = box;

    for (; group > 0; group = net->group[group].parent)
        if (net->group[group].depth > depth)
            shown = (struct net_box){BOX_GROUP, group};
    return shown;
}

static int compare_box(const struct net_box *a, const struct net_box *b)
{
    return a->kind != b->kind ? (a->kind < b->kind ? -1 : 1) : a->index - b->index;
}

static int compare_edge(const void *a, const void *b)
{
    const struct outline_edge *x = a, *y = b;
    int order = compare_box(&x->from, &y->from);

    order = order ? order : compare_box(&x->to, &y->to);
    return order ? order : x->value - y->value;
}

/* An edge to a box from the box that makes the value.  There is none if no drawn box makes it, or
 * if both are in the same closed group. */
static void add_edge(struct outline *outline, int number, int group, struct net_box to)
{
    const struct net *net = outline->net;
    const struct net_value *value = &net->value[number];
    bool made = value->producer >= 0;

    if (!made && value->group < 0)
        return;
    struct net_box from = made ? (struct net_box){BOX_OPERATION, value->producer}
                               : (struct net_box){BOX_VALUE, number};
    from =
        shown_box(net, made ? net->group_of[value->producer] : value->group, from, outline->depth);
    to = shown_box(net, group, to, outline->depth);
    if (compare_box(&from, &to) != 0)
        outline->edge[outline->edges++] = (struct outline_edge){from, to, number};
}

static void add_edges(struct outline *outline)
{
    const struct net *net = outline->net;
    int kept = 0;

    outline->edges = 0;
    for (int i = 0; i < net->operations->count; i++)
        for (int k = net->in.first[i]; k < net->in.first[i + 1]; k++)
            add_edge(outline, net->in.value[k], net->group_of[i],
                     (struct net_box){BOX_OPERATION, i});
    for (int g = 0; g < net->groups; g++)
        for (int i = 0; i < net->group[g].boxes; i++)
            if (net->group[g].box[i].kind == BOX_OUTPUT)
                add_edge(outline, net->group[g].box[i].index, g, net->group[g].box[i]);
    qsort(outline->edge, (size_t)outline->edges, sizeof *outline->edge, compare_edge);
    for (int i = 0; i < outline->edges; i++)
        if (i == 0 || compare_edge(&outline->edge[i - 1], &outline->edge[i]) != 0)
            outline->edge[kept++] = outline->edge[i];
    outline->edges = kept;
}

struct outline outline_new(const struct net *net, int most_edges)
{
    size_t most = (size_t)net->in.first[net->operations->count] + (size_t)net->outputs;
    struct outline outline = {.net = net, .edge = zeroed_items(most + 1, sizeof *outline.edge)};

    for (int i = 0; i < net->groups; i++)
        if (net->group[i].depth > outline.depth)
            outline.depth = net->group[i].depth;
    add_edges(&outline);
    while (outline.edges > most_edges && outline.depth > 0) {
        outline.depth--;
        add_edges(&outline);
    }
    return outline;
}

void outline_free(struct outline *outline)
{
    free(outline->edge);
}

/* Groups are nested no deeper than paths, and sections. */
static void print_group(FILE *to, const struct outline *outline, const struct outline_form *form,
                        const struct net_group *group)
{
    for (int i = 0; i < group->boxes; i++) {
        const struct net_box *box = &group->box[i];
        if (box->kind != BOX_GROUP || outline->net->group[box->index].depth > outline->depth) {
            form->box(to, outline->net, box);
            continue;
        }
        form->begin(to, outline->net, box);
        print_group(to, outline, form, &outline->net->group[box->index]);
        fputs(form->end, to);
    }
}

void outline_boxes(FILE *to, const struct outline *outline, const struct outline_form *form)
{
    print_group(to, outline, form, &outline->net->group[0]);
}

void line_print(FILE *to, const char *line, const char *special, bool by_number)
{
    size_t letters = 0;

    for (; *line; line++) {
        letters += ((unsigned char)*line & 0xC0) != 0x80;
        if (letters > MOST_LETTERS) {
            fputs("...", to);
            return;
        }
        if (strchr(special, *line))
            fprintf(to, by_number ? "#%d;" : "\\%c", *line);
        else
            fputc(*line, to);
    }
}
