/*
 * image.c - PNG through libpng's simplified interface
 *
 * libpng is asked for sRGB bytes with alpha, because then it does not blend transparent pixels with
 * a background; the alpha is dropped here.
 */
#include "file/image.h"

#include "diag/diag.h"
#include "file/file.h"
#include "tensor/bytes.h"

#include <assert.h>
#include <inttypes.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

/* The tensor to fill, and the index of each of its dimensions; -1 for one that it lacks. */
struct image_target {
    struct shape shape;
    int batch, channel, height, width;
    int channels;
};

struct image_reader {
    const struct reading *reading;
    struct diag *diag;
    const char *name;
    const struct image_options *options;
};

bool image_recognise(const struct file_view *file)
{
    static const unsigned char magic[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

    return file->size >= sizeof magic && memcmp(file->data, magic, sizeof magic) == 0;
}

/* Whether an extent of the tensor is `extent`; an unknown one becomes that.  No axis counts as 1.
 */
static bool agree(struct image_target *t, int axis, int64_t extent)
{
    if (axis >= 0 && t->shape.extent[axis] == EXTENT_UNKNOWN)
        t->shape.extent[axis] = extent;
    return axis < 0 ? extent == 1 : t->shape.extent[axis] == extent;
}

static bool check_extents(const struct image_reader *r, const png_image *image,
                          struct image_target *t)
{
    int64_t own = image->format & PNG_FORMAT_FLAG_COLOR ? 3 : 1;

    if (t->batch >= 0 && !agree(t, t->batch, 1))
        return diag_file_error(r->diag, r->name, DIAG_IMAGE,
                               "one image cannot fill a batch of %" PRId64 " (shape %s)",
                               t->shape.extent[t->batch], SHAPE_TEXT(&t->shape));
    if (t->channel >= 0)
        agree(t, t->channel, own);
    t->channels = t->channel < 0 || agree(t, t->channel, 1) ? 1 : 3;
    if (t->channel >= 0 && !agree(t, t->channel, t->channels))
        return diag_file_error(r->diag, r->name, DIAG_IMAGE,
                               "an image has 1 or 3 channels, but shape %s asks for %" PRId64,
                               SHAPE_TEXT(&t->shape), t->shape.extent[t->channel]);
    bool high = agree(t, t->height, image->height), wide = agree(t, t->width, image->width);
    if (high && wide)
        return true;
    return diag_file_error(r->diag, r->name, DIAG_IMAGE,
                           "image is %u wide and %u high, expected %" PRId64 " wide and %" PRId64
                           " high",
                           (unsigned)image->width, (unsigned)image->height,
                           t->shape.extent[t->width], t->shape.extent[t->height]);
}

static bool check_count(const struct image_reader *r, const char *what, int count, int channels)
{
    return count == 0 || count == 1 || count == channels ||
           diag_file_error(r->diag, r->name, DIAG_IMAGE, "%d %s given for %d channels", count, what,
                           channels);
}

/* Fill `to` from rows of pixels; a pixel has one byte for each channel and one of alpha. */
static void convert(const struct image_options *o, const struct image_target *t,
                    const unsigned char *pixel, float *to)
{
    int64_t area = t->shape.extent[t->height] * t->shape.extent[t->width];
    bool together = t->channel > t->width;
    int64_t pixel_step = together ? t->channels : 1, channel_step = together ? 1 : area;

    for (int c = 0; c < t->channels; c++) {
        double mean = o->means ? o->mean[o->means > 1 ? c : 0] : 0;
        double scale = o->scales ? o->scale[o->scales > 1 ? c : 0] : 1;
        float value[256];
        for (unsigned v = 0; v < 256; v++)
            value[v] = (float)((v / 255.0 - mean) / scale);
        for (int64_t i = 0; i < area; i++)
            to[i * pixel_step + c * channel_step] = value[pixel[i * (t->channels + 1) + c]];
    }
}

static bool unusable(const struct image_reader *r, const png_image *image)
{
    return diag_file_error(r->diag, r->name, DIAG_IMAGE, "unusable image: %s", image->message);
}

static bool decode(const struct image_reader *r, png_image *image, const struct image_target *t,
                   struct tensor *tensor)
{
    size_t size = (size_t)image->width * image->height * ((size_t)t->channels + 1);
    unsigned char *pixels;

    assert(t->channels == 1 || t->channels == 3);
    image->format = t->channels == 1 ? PNG_FORMAT_GA : PNG_FORMAT_RGBA;
    image->flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    /* Tensor and pixels are allocated together, so both count against the budget. */
    struct reading rest = *r->reading;
    rest.budget -= (uint64_t)rest.budget < size ? rest.budget : (int64_t)size;
    if (!reading_allocate(&rest, tensor, DTYPE_SCALAR, &t->shape))
        return false;
    pixels = malloc(size);
    bool ok = pixels ? png_image_finish_read(image, NULL, pixels, 0, NULL) || unusable(r, image)
                     : diag_file_error(r->diag, r->name, DIAG_RUN_MEMORY,
                                       "not enough memory for an image of %zu bytes", size);
    if (ok)
        convert(r->options, t, pixels, tensor->data);
    else
        tensor_clear(tensor);
    free(pixels);
    return ok;
}

/* What an image becomes that is wanted so; false after a report. */
static bool aim(const struct image_reader *r, const png_image *image, const struct shape *wanted,
                struct image_target *t)
{
    static const struct shape any = {4, {-1, -1, -1, -1}};

    *t = (struct image_target){.shape = wanted && wanted->rank != RANK_UNKNOWN ? *wanted : any};
    int rank = t->shape.rank, first = rank == 4;
    bool last = r->options->layout == IMAGE_NHWC;

    if (rank < 2 || rank > 4)
        return diag_file_error(r->diag, r->name, DIAG_IMAGE,
                               "an image cannot fill a tensor of shape %s, expected rank 2 to 4",
                               SHAPE_TEXT(&t->shape));
    t->batch = rank == 4 ? 0 : -1;
    t->channel = rank == 2 ? -1 : last ? rank - 1 : first;
    t->height = rank == 2 || last ? first : first + 1;
    t->width = t->height + 1;
    return check_extents(r, image, t);
}

static bool read_image(const struct image_reader *r, png_image *image, const struct shape *wanted,
                       struct tensor *tensor)
{
    struct image_target t;

    return aim(r, image, wanted, &t) && check_count(r, "means", r->options->means, t.channels) &&
           check_count(r, "scales", r->options->scales, t.channels) && decode(r, image, &t, tensor);
}

/*
 * libpng allocates memory by numbers of the file before it has the bytes, so these are checked
 * first: width and height in the first chunk against the budget, the length of each chunk against
 * the file. A chunk is a length, a type, as many bytes and a checksum.  A file that is cut off is
 * left to libpng.
 */
static bool check_sizes(const struct image_reader *r, const struct file_view *file)
{
    enum { SIGNATURE = 8, HEAD = 8, SUM = 4, WIDTH_AT = 16, HEIGHT_AT = 20, CHUNK_END = 33 };
    enum { PIXEL = 4 }; /* bytes */
    const unsigned char *data = file->data;
    uint64_t width = 0, height = 0;

    if (file->size >= CHUNK_END) {
        width = bytes_load_big32(data + WIDTH_AT);
        height = bytes_load_big32(data + HEIGHT_AT);
    }
    if (width * height > (uint64_t)r->reading->budget / PIXEL) {
        diag_file_error(r->diag, r->name, DIAG_MEMORY_LIMIT,
                        "the image is %" PRIu64 " wide and %" PRIu64
                        " high, which takes more than the %" PRId64
                        " bytes of memory that are left",
                        width, height, r->reading->budget);
        return diag_help(r->diag, "raise the limit with --max-memory.");
    }
    for (size_t at = SIGNATURE; at < file->size && file->size - at >= HEAD;) {
        uint32_t length = bytes_load_big32(data + at);
        size_t left = file->size - at - HEAD;
        if (length > left)
            return diag_file_error(r->diag, r->name, DIAG_IMAGE,
                                   "unusable image: a chunk has %" PRIu32
                                   " bytes, %zu bytes before the end of the file",
                                   length, left);
        at += left - length < SUM ? HEAD + left : HEAD + length + SUM;
    }
    return true;
}

static struct image_reader reader_of(const struct reading *reading,
                                     const struct image_request *request)
{
    static const struct image_options standard;

    return (struct image_reader){reading, reading->diag, reading->name,
                                 request->options ? request->options : &standard};
}

/* The caller frees the image in any case. */
static bool begin(const struct image_reader *r, const struct file_view *file, png_image *image)
{
    return check_sizes(r, file) &&
           (png_image_begin_read_from_memory(image, file->data, file->size) || unusable(r, image));
}

bool image_read_view(const struct reading *reading, const struct file_view *file,
                     const struct image_request *request, struct tensor *tensor)
{
    const struct image_reader r = reader_of(reading, request);
    png_image image = {.version = PNG_IMAGE_VERSION};
    bool ok = begin(&r, file, &image) && read_image(&r, &image, request->wanted, tensor);

    png_image_free(&image);
    return ok;
}

bool image_read_shape(const struct reading *reading, const struct file_view *file,
                      const struct image_request *request, struct shape *shape)
{
    const struct image_reader r = reader_of(reading, request);
    png_image image = {.version = PNG_IMAGE_VERSION};
    struct image_target t = {.batch = -1};
    bool ok = begin(&r, file, &image) && aim(&r, &image, request->wanted, &t);

    png_image_free(&image);
    *shape = t.shape;
    return ok;
}
