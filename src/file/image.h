/*
 * image.h - PNG images as scalar tensors
 *
 * An item is (v / 255 - mean) / scale of its channel, v in 0..255; without means and scales it is
 * in 0..1.  Palettes and images of 16 bits are converted, transparency is dropped.  If the tensor
 * has 3 channels, grey is repeated; if it has 1, colours are merged into grey.  Nothing is resized.
 */
#ifndef NNEFC_FILE_IMAGE_H
#define NNEFC_FILE_IMAGE_H

#include "file/payload.h"

#include <stdbool.h>

struct diag;
struct file_view;

enum image_layout { IMAGE_NCHW, IMAGE_NHWC };

enum { IMAGE_CHANNELS = 4 };

/* {0} means NCHW and items in 0..1. */
struct image_options {
    enum image_layout layout;
    int means, scales; /* counts: 0, 1 for all channels together, or one for each channel */
    double mean[IMAGE_CHANNELS], scale[IMAGE_CHANNELS];
};

/*
 * Read an image as a tensor of the shape `wanted`: [1,C,H,W] or [1,H,W,C] as the layout says, or
 * the same without the batch, or [H,W]; C is 1 or 3.  Extents that `wanted` leaves open are those
 * of the image; an unknown shape has rank 4.  *file remains open.  False after a report.
 */
struct image_request {
    const struct image_options *options; /* NULL: {0} */
    const struct shape *wanted;          /* NULL: unknown */
};
bool image_read_view(const struct reading *reading, const struct file_view *file,
                     const struct image_request *request, struct tensor *tensor);

/* The shape of that tensor. */
bool image_read_shape(const struct reading *reading, const struct file_view *file,
                      const struct image_request *request, struct shape *shape);

/* Whether the bytes start as a PNG file does. */
bool image_recognise(const struct file_view *file);

#endif
