/*
 * image_layer.h - a convolution of images with constant weights, as the texts conv.h, depthwise.h
 * and cascade.h compute it
 */
#ifndef NNEFC_BACKEND_C_IMAGE_LAYER_H
#define NNEFC_BACKEND_C_IMAGE_LAYER_H

#include "kernel/conv.h"

#include <stdbool.h>
#include <stdint.h>

struct c_writer;
struct conv_match;
struct planner;

enum c_image_layer_kind { LAYER_CONV, LAYER_DEPTHWISE, LAYER_POINTWISE };

struct c_image_layer {
    enum c_image_layer_kind kind;
    struct conv conv;
    const float *weights, *bias;
    int64_t weight_count, bias_count;
    bool clamps; /* results, as the epilogue says */
};

/* What weights and bias of a layer are called in the function of a step. */
struct c_image_names {
    const char *weights, *bias;
};

/* Pack weights and bias for the texts; the caller sets `clamps`.  False after a report. */
bool c_image_layer_make(struct planner *planner, const struct conv_match *match,
                        struct c_image_layer *layer);

/* Print the constant of that name.  `ring`: the rows that there are of the image; 0: all. */
struct c_image_names c_image_layer_print(struct c_writer *writer, const struct c_image_layer *layer,
                                         const char *name, int64_t ring);

#endif
