/*
 * mermaid.c - a network as a flowchart of mermaid, which draws at most 500 edges: groups are closed
 *             until no more are left; if that is not enough, arrows to outputs are left out first
 */
#include "driver/view/outline.h"
#include "driver/view/place.h"

#include <stdlib.h>

enum { MOST_EDGES = 500 };

static void print_lines(FILE *to, const struct box_text *text)
{
    for (int i = 0; i < 2 && text->line[i]; i++) {
        fputs(i ? "<br>" : "", to);
        line_print(to, text->line[i], "\"#<>&;`\\*_$%{}[]()|", true);
    }
}

static void print_box(FILE *to, const struct net *net, const struct net_box *box)
{
    struct box_text text = box_text_of(net, box);
    bool round = box->kind == BOX_VALUE || box->kind == BOX_OUTPUT;

    box_name(to, box);
    fputs(round ? "([\"" : box->kind == BOX_GROUP ? "[[\"" : "[\"", to);
    print_lines(to, &text);
    fputs(round ? "\"])\n" : box->kind == BOX_GROUP ? "\"]]\n" : "\"]\n", to);
    box_text_free(&text);
}

static void print_begin(FILE *to, const struct net *net, const struct net_box *group)
{
    struct box_text text = box_text_of(net, group);

    fputs("subgraph ", to);
    box_name(to, group);
    fputs(" [\"", to);
    print_lines(to, &text);
    fputs("\"]\n", to);
    box_text_free(&text);
}

static const struct outline_form mermaid_form = {print_box, print_begin, "end\n"};

/* Print so many of the edges that lead to outputs, or of the others; how many were printed. */
static int print_edges(FILE *to, const struct outline *outline, bool to_outputs, int most)
{
    int count = 0;

    for (int i = 0; i < outline->edges && count < most; i++) {
        if ((outline->edge[i].to.kind == BOX_OUTPUT) != to_outputs)
            continue;
        box_name(to, &outline->edge[i].from);
        fputs(" --> ", to);
        box_name(to, &outline->edge[i].to);
        fputc('\n', to);
        count++;
    }
    return count;
}

void mermaid_write(FILE *to, const struct drawing *drawing)
{
    struct outline outline = outline_new(&drawing->of[0].net, MOST_EDGES);

    fputs("flowchart TD\n", to);
    outline_boxes(to, &outline, &mermaid_form);
    int printed = print_edges(to, &outline, false, MOST_EDGES);
    printed += print_edges(to, &outline, true, MOST_EDGES - printed);
    if (printed < outline.edges)
        fprintf(to, "more[[\"%d more arrows, which are not drawn\"]]\n", outline.edges - printed);
    outline_free(&outline);
}
