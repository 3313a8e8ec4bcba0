/*
 * image.h - PNG images as scalar tensors
 *
 * An item is (v / 255 - mean) / scale of its channel, v in 0..255; without means and scales it is
 * in 0..1.  Palettes and images of 16 bits are converted, transparency is dropped, grey is spread
 * over three channels or colour merged into one as the tensor asks.  Nothing is resized.
 */
#ifndef NNEFC_FILE_IMAGE_H
#define NNEFC_FILE_IMAGE_H

#include "file/reading.h"

#include <stdbool.h>

struct diag;
struct file_view;

enum image_layout { IMAGE_NCHW, IMAGE_NHWC };

enum { IMAGE_CHANNELS = 4 };

/* {0}: NCHW, items in 0..1. */
struct image_options {
    enum image_layout layout;
    int means, scales; /* how many there are: 0 for none, 1 for all channels, or one a channel */
    double mean[IMAGE_CHANNELS], scale[IMAGE_CHANNELS];
};

/*
 * Read an image as the tensor of shape `wanted`: [1,C,H,W] in the order of the layout, or without
 * the batch, or [H,W]; C is 1 or 3.  Unknown extents are those of the image; a shape unknown
 * altogether (or NULL) is of rank 4.  *file remains open.
 */
struct image_request {
    const struct image_options *options; /* NULL: {0} */
    const struct shape *wanted;          /* NULL: unknown */
};
bool image_read_view(const struct reading *reading, const struct file_view *file,
                     const struct image_request *request, struct tensor *tensor);

/* Whether the bytes start as a PNG file does. */
bool image_recognise(const struct file_view *file);

#endif
