/*
 * place.h - coordinates of boxes, as docs/view.md says; page.js computes the same
 *
 * The unit is that of SVG.  A point of a track has no width.
 */
#ifndef NNEFC_DRIVER_VIEW_PLACE_H
#define NNEFC_DRIVER_VIEW_PLACE_H

#include "driver/view/net.h"

enum { BOX_MARGIN = 12, BOX_TITLE = 20, LETTER_WIDTH = 7, MOST_WIDTH = 320 };

/* The inside of an open group. */
struct placed_group {
    bool open;
    double x, y, width, height;
    double *centre, *wide, *high; /* of each slot; the centre from x */
    double *top, *tall;           /* of each row, from y */
};

struct placed_box {
    double x, y, width, height;
};

/* The text of a box: one line or two, to be freed. */
struct box_text {
    char *line[2];
};
struct box_text box_text_of(const struct net *net, const struct net_box *box);
void box_text_free(struct box_text *text);

/* Characters of a text of UTF-8. */
size_t letters_of(const char *text);

/* Place the boxes of open groups: the root is open, and so are other groups, from the outermost
 * inwards, as long as at most `most` boxes are shown.  placed_free() frees the result. */
struct placed_group *placed_new(const struct net *net, int most);
void placed_free(const struct net *net, struct placed_group *placed);

struct placed_box placed_box_of(const struct net *net, const struct placed_group *placed, int group,
                                int slot);

#endif
