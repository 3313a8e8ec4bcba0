/* drawing.h - networks and what is to be shown of them, and the forms that they are written in */
#ifndef NNEFC_DRIVER_VIEW_DRAWING_H
#define NNEFC_DRIVER_VIEW_DRAWING_H

#include "driver/view/facts.h"
#include "driver/view/net.h"

#include <stdio.h>

struct drawn {
    const struct nnefc_model *model;
    struct net net;
    const char *title; /* of one of two models; NULL: that of the drawing */
    char side; /* 'a' and 'b' of those that were compared; 0: there is nothing to tell apart */
};

struct drawing {
    const char *title;
    struct drawn of[2];   /* two models lie side by side, in pages and their data */
    int models;           /* 1 or 2 */
    struct planned plan;  /* of the only model, as are weights */
    char *weights;        /* JSON; NULL: none */
    const char *overlay;  /* JSON; NULL: none */
    const char *findings; /* JSON without '<' that a command has printed; NULL: none */
};

/* A model to be drawn, with its groups; the process ends without memory. */
struct drawn drawn_new(const struct nnefc_model *model, const char *title, char side);
/* What a drawing owns: networks, plan and weights. */
void drawing_free(struct drawing *drawing);

void json_write(FILE *to, const struct drawing *drawing);
void html_write(FILE *to, const struct drawing *drawing);
void svg_write(FILE *to, const struct drawing *drawing);
void dot_write(FILE *to, const struct drawing *drawing);
void mermaid_write(FILE *to, const struct drawing *drawing);

#endif
