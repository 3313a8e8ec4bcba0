/* dot.c - a network in the language of Graphviz, with groups as clusters */
#include "driver/view/outline.h"
#include "driver/view/place.h"

#include <stdlib.h>

static void print_lines(FILE *to, const struct box_text *text)
{
    fputc('"', to);
    for (int i = 0; i < 2 && text->line[i]; i++) {
        fputs(i ? "\\n" : "", to);
        line_print(to, text->line[i], "\"\\", false);
    }
    fputc('"', to);
}

static void print_box(FILE *to, const struct net *net, const struct net_box *box)
{
    struct box_text text = box_text_of(net, box);

    box_name(to, box);
    fputs(" [label=", to);
    print_lines(to, &text);
    fputs(box->kind == BOX_VALUE || box->kind == BOX_OUTPUT ? ", shape=ellipse];\n"
          : box->kind == BOX_GROUP                          ? ", style=dashed];\n"
                                                            : "];\n",
          to);
    box_text_free(&text);
}

static void print_begin(FILE *to, const struct net *net, const struct net_box *group)
{
    struct box_text text = box_text_of(net, group);

    fprintf(to, "subgraph cluster_%d {\nlabel=", group->index);
    print_lines(to, &text);
    fputs(";\n", to);
    box_text_free(&text);
}

static const struct outline_form dot_form = {print_box, print_begin, "}\n"};

void dot_write(FILE *to, const struct drawing *drawing)
{
    struct outline outline = outline_new(&drawing->of[0].net, INT32_MAX);

    fputs("digraph {\nnode [shape=box];\n", to);
    outline_boxes(to, &outline, &dot_form);
    for (int i = 0; i < outline.edges; i++) {
        box_name(to, &outline.edge[i].from);
        fputs(" -> ", to);
        box_name(to, &outline.edge[i].to);
        fputs(";\n", to);
    }
    fputs("}\n", to);
    outline_free(&outline);
}
