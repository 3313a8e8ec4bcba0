/* drawing.c - what a drawing is made of, and its end */
#include "driver/view/drawing.h"

#include "driver/memory.h"

#include <stdlib.h>

struct drawn drawn_new(const struct nnefc_model *model, const char *title, char side)
{
    struct drawn drawn = {
        .model = model, .net = net_new(model, true), .title = title, .side = side};

    check_memory(model);
    return drawn;
}

void drawing_free(struct drawing *drawing)
{
    for (int i = 0; i < drawing->models; i++)
        net_free(&drawing->of[i].net);
    planned_free(&drawing->plan);
    free(drawing->weights);
}
