/*
 * svg.c - a network as SVG 1.1, with groups open as long as not too many boxes are shown
 *
 * Names are text only: characters with a meaning in XML are written as entities.
 */
#include "driver/memory.h"
#include "driver/record.h"
#include "driver/view/drawing.h"
#include "driver/view/place.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BOXES_OPEN = 2000 };

static const char style[] =
    "<style>text{font:12px sans-serif;fill:#1c2128}.n{font-size:11px;fill:#5c6570}"
    "rect{fill:#eef1f4;stroke:#9aa4b0}.v{fill:#fff}.g{fill:#e4e9ef}.i{fill:#fff}"
    "path{fill:none;stroke:#9aa4b0}</style>\n";

/* Hundredths, without zeros behind. */
static void print_number(FILE *to, double value)
{
    char text[64];
    int size = snprintf(text, sizeof text, "%.2f", value);

    while (text[size - 1] == '0')
        size--;
    size -= text[size - 1] == '.';
    fprintf(to, "%.*s", size, text);
}

static void print_numbers(FILE *to, const char *before, const double *value, int count)
{
    fputs(before, to);
    for (int i = 0; i < count; i++) {
        fputs(i ? " " : "", to);
        print_number(to, value[i]);
    }
}

/* Write as many characters as fit, without those that XML does not allow. */
static void print_text(FILE *to, const char *text, size_t letters)
{
    bool cut = letters_of(text) > letters;

    for (size_t left = cut ? letters - 1 : letters; *text && left > 0; left--) {
        size_t size = 1 + (size_t)((text[1] & 0xC0) == 0x80);
        while (size > 1 && (text[size] & 0xC0) == 0x80)
            size++;
        if (strncmp(text, "\xEF\xBF\xBE", 3) == 0 || strncmp(text, "\xEF\xBF\xBF", 3) == 0)
            fputc('?', to);
        else if (strchr("<>&\"", *text))
            fprintf(to, "&#%d;", *text);
        else
            fwrite(text, 1, size, to);
        text += size;
    }
    fputs(cut ? "\xE2\x80\xA6" : "", to);
}

/* A line of text that begins, or has its middle, at a place, and the width for it. */
static void print_line(FILE *to, const char *line, const char *kind, struct placed_box place)
{
    fprintf(to, "<text%s", kind);
    print_numbers(to, " x=\"", &place.x, 1);
    print_numbers(to, "\" y=\"", &place.y, 1);
    fputs("\">", to);
    print_text(to, line, (size_t)(place.width / LETTER_WIDTH));
    fputs("</text>", to);
}

/* --- links ------------------------------------------------------------------------------------ */

/* A curve from the lower side of a row to the upper side of the next row.  Straight lines
 * lead on through a row to boxes that are less high than the row. */
static void print_link(FILE *to, const struct net_layout *layout, const struct placed_group *placed,
                       const struct layout_link *link)
{
    int upper = layout->row[link->from], lower = layout->row[link->to];
    double x1 = placed->x + placed->centre[link->from], x2 = placed->x + placed->centre[link->to];
    double y1 = placed->y + placed->top[upper] + placed->tall[upper];
    double y2 = placed->y + placed->top[lower], middle = (y1 + y2) / 2;
    double begin =
        link->from < layout->boxes ? y1 - (placed->tall[upper] - placed->high[link->from]) / 2 : y1;
    bool straight = x1 - x2 < 0.5 && x2 - x1 < 0.5;

    print_numbers(to, "M", (double[]){x1, begin}, 2);
    if (begin < y1)
        print_numbers(to, "V", &y1, 1);
    if (straight)
        print_numbers(to, "L", (double[]){x2, y2}, 2);
    else
        print_numbers(to, "C", (double[]){x1, middle, x2, middle, x2, y2}, 6);
    if (link->to >= layout->boxes)
        y2 += placed->tall[lower];
    else
        y2 += (placed->tall[lower] - placed->high[link->to]) / 2;
    if (y2 > placed->y + placed->top[lower])
        print_numbers(to, "V", &y2, 1);
}

/* --- boxes ------------------------------------------------------------------------------------ */

static const char box_letters[] = {
    [BOX_OPERATION] = 'o', [BOX_GROUP] = 'g', [BOX_VALUE] = 'v', [BOX_OUTPUT] = 'r'};

static void print_box(FILE *to, const struct net *net, const struct placed_group *placed, int group,
                      int slot)
{
    const struct net_box *box = &net->group[group].box[slot];
    struct placed_box place = placed_box_of(net, placed, group, slot);
    struct box_text text = box_text_of(net, box);
    bool open = box->kind == BOX_GROUP && placed[box->index].open;
    double middle = place.x + place.width / 2, y = place.y + place.height / 2;
    double room = place.width - 10;

    fprintf(to, "<rect id=\"%c%d\"", box_letters[box->kind], box->index);
    if (box->kind != BOX_OPERATION)
        fprintf(to, " class=\"%c\"", open ? 'i' : box->kind == BOX_GROUP ? 'g' : 'v');
    print_numbers(to, " x=\"", &place.x, 1);
    print_numbers(to, "\" y=\"", &place.y, 1);
    print_numbers(to, "\" width=\"", &place.width, 1);
    print_numbers(to, "\" height=\"", &place.height, 1);
    fprintf(to, "\" rx=\"%d\"/>", box->kind == BOX_VALUE || box->kind == BOX_OUTPUT ? 12 : 4);
    if (open) {
        print_line(to, text.line[0], "",
                   (struct placed_box){place.x + 6, place.y + 15, place.width - 12, 0});
    } else {
        fputs("<g text-anchor=\"middle\">", to);
        print_line(to, text.line[0], "",
                   (struct placed_box){middle, text.line[1] ? y - 3 : y + 4, room, 0});
        if (text.line[1])
            print_line(to, text.line[1], " class=\"n\"",
                       (struct placed_box){middle, y + 11, room, 0});
        fputs("</g>", to);
    }
    fputc('\n', to);
    box_text_free(&text);
}

/* Groups are drawn from the outermost inwards, so that the contents of a group lie on its box.  A
 * group has a greater number than the one that it is in, except for sections. */
static void print_group(FILE *to, const struct net *net, const struct placed_group *placed,
                        int number)
{
    const struct net_group *group = &net->group[number];

    if (group->layout.links > 0) {
        fputs("<path d=\"", to);
        for (int i = 0; i < group->layout.links; i++)
            print_link(to, &group->layout, &placed[number], &group->layout.link[i]);
        fputs("\"/>\n", to);
    }
    for (int i = 0; i < group->boxes; i++)
        print_box(to, net, placed, number, i);
}

void svg_write(FILE *to, const struct drawing *drawing)
{
    const struct net *net = &drawing->of[0].net;
    struct placed_group *placed = placed_new(net, MOST_BOXES_OPEN);
    const double frame[] = {-BOX_MARGIN, -BOX_MARGIN, placed[0].width + 2 * BOX_MARGIN,
                            placed[0].height + 2 * BOX_MARGIN};
    int *open = zeroed_items((size_t)net->groups, sizeof *open), count = 1;
    char *title = text_escaped(drawing->title, "");

    print_numbers(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"", frame, 4);
    print_numbers(to, "\" width=\"", &frame[2], 1);
    print_numbers(to, "\" height=\"", &frame[3], 1);
    fputs("\">\n<title>", to);
    print_text(to, title, 200);
    fprintf(to, "</title>\n%s", style);
    for (int i = 0; i < count; i++) {
        print_group(to, net, placed, open[i]);
        for (int k = 0; k < net->group[open[i]].boxes; k++) {
            const struct net_box *box = &net->group[open[i]].box[k];
            if (box->kind == BOX_GROUP && placed[box->index].open)
                open[count++] = box->index;
        }
    }
    fputs("</svg>\n", to);
    free(open);
    free(title);
    placed_free(net, placed);
}
