/* drawing.h - a network with all data to be shown, and the formats that it is written in */
#ifndef NNEFC_DRIVER_VIEW_DRAWING_H
#define NNEFC_DRIVER_VIEW_DRAWING_H

#include "driver/view/facts.h"
#include "driver/view/net.h"

#include <stdio.h>

struct drawing {
    struct nnefc_model *model;
    const char *title;
    struct net net;
    struct planned plan;
    char *weights; /* JSON; NULL: none */
    const char *overlay;
};

void json_write(FILE *to, const struct drawing *drawing);
void html_write(FILE *to, const struct drawing *drawing);
void svg_write(FILE *to, const struct drawing *drawing);
void dot_write(FILE *to, const struct drawing *drawing);
void mermaid_write(FILE *to, const struct drawing *drawing);

#endif
