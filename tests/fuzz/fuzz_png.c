/* fuzz_png.c - any image, as a tensor of any shape */
#include "fuzz/fuzz.h"

#include "diag/diag.h"
#include "file/image.h"

#include <string.h>
#include <zlib.h>

static const struct image_options options[] = {
    {0},
    {.layout = IMAGE_NHWC, .means = 1, .scales = 1, .mean = {0.5}, .scale = {0.25}},
    {.means = 3, .scales = 3, .mean = {0.1, 0.2, 0.3}, .scale = {1, 2, 3}},
};

static const struct shape shapes[] = {
    {.rank = RANK_UNKNOWN},
    {4, {1, EXTENT_UNKNOWN, EXTENT_UNKNOWN, EXTENT_UNKNOWN}},
    {4, {1, 3, 4, 4}},
    {3, {1, 4, 4}},
    {2, {4, 4}},
};

enum { OPTIONS = sizeof options / sizeof options[0], SHAPES = sizeof shapes / sizeof shapes[0] };

static void read_image(const struct file_view *view, const struct image_request *request)
{
    struct context *c = fuzz_context();
    const struct reading reading = {c->diag, "t.png", fuzz_limits.memory};
    struct tensor tensor;

    if (image_read_view(&reading, view, request, &tensor)) {
        fuzz_expect(request->wanted->rank == RANK_UNKNOWN ||
                        shape_compatible(&tensor.shape, request->wanted),
                    "an image has the shape asked for");
        for (int64_t i = 0; i < shape_volume(&tensor.shape); i++)
            (void)tensor_item(&tensor, i);
        tensor_clear(&tensor);
    } else {
        fuzz_expect(diag_error_count(c->diag) > 0, "an image is read or has errors");
    }
    fuzz_context_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file_view view = fuzz_view(data, size);

    for (int i = 0; i < SHAPES; i++)
        read_image(&view,
                   &(struct image_request){&options[(size + (size_t)i) % OPTIONS], &shapes[i]});
    file_close(&view);
    return 0;
}

/* --- changes ----------------------------------------------------------------------------- */

static uint32_t load(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void store(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* The sums of all chunks: length, type, that many bytes, sum of type and bytes. */
static void mend_sums(uint8_t *data, size_t size)
{
    enum { SIGNATURE = 8, HEAD = 8, SUM = 4 };

    for (size_t at = SIGNATURE; at + HEAD + SUM <= size;) {
        size_t length = load(data + at);
        if (length > size - at - HEAD - SUM)
            return;
        uLong sum = crc32(crc32(0, NULL, 0), data + at + 4, (uInt)length + 4);
        store(data + at + HEAD + length, (uint32_t)sum);
        at += HEAD + length + SUM;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    size = LLVMFuzzerMutate(data, size, room);
    if (seed % 8 > 0)
        mend_sums(data, size);
    return size;
}
