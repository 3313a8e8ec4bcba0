/* test_image.c - PNG of every kind becomes the tensor that was asked for, or an error */
#include "file/image.h"
#include "support/tensor_files.h"

#include "file/data_file.h"

#include <math.h>
#include <png.h>

#include "unit/base/scratch.h"

struct picture {
    int width, height, colour_type, depth;
    const unsigned char *rows;
    int row_size;
};

static const png_color palette[] = {{10, 20, 30}, {40, 50, 60}};

static const char *put(struct scratch *s, const struct picture *p)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    FILE *file = fopen(scratch_path(s, "t.png"), "wb");

    assert_true(png && info && file);
    png_init_io(png, file);
    png_set_IHDR(png, info, (unsigned)p->width, (unsigned)p->height, p->depth, p->colour_type,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (p->colour_type == PNG_COLOR_TYPE_PALETTE)
        png_set_PLTE(png, info, palette, 2);
    png_write_info(png, info);
    for (int y = 0; y < p->height; y++)
        png_write_row(png, p->rows + (ptrdiff_t)y * p->row_size);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    assert_int_equal(fclose(file), 0);
    return s->path;
}

static const struct picture grey = {
    3, 2, PNG_COLOR_TYPE_GRAY, 8, (const unsigned char *)"\0\x33\x66\x99\xCC\xFF", 3};
static const struct picture colour = {
    2, 1, PNG_COLOR_TYPE_RGB, 8, (const unsigned char *)"\1\2\3\4\5\6", 6};

static struct shape shape4(int64_t a, int64_t b, int64_t c, int64_t d)
{
    return (struct shape){4, {a, b, c, d}};
}

/* Bytes of the image, as items in 0..1, in the order of memory. */
static void expect_items(struct tensor *t, const char *shape, const char *bytes)
{
    int64_t count = shape_volume(&t->shape);

    assert_string_equal(SHAPE_TEXT(&t->shape), shape);
    for (int64_t i = 0; i < count; i++)
        assert_true(((float *)t->data)[i] == (float)((unsigned char)bytes[i] / 255.0));
    tensor_clear(t);
}

static void expect_image(struct scratch *s, const struct picture *p, struct shape wanted,
                         const char *shape, const char *bytes)
{
    struct image_options options = {.layout = IMAGE_NCHW};
    struct tensor t;

    assert_true(image_read(s->diag, put(s, p), &options, &wanted, &t));
    expect_items(&t, shape, bytes);
}

static void grey_fills_one_channel_or_three(void **state)
{
    struct scratch *s = *state;

    expect_image(s, &grey, shape4(1, 1, 2, 3), "[1,1,2,3]", "\0\x33\x66\x99\xCC\xFF");
    expect_image(s, &grey, (struct shape){2, {2, 3}}, "[2,3]", "\0\x33\x66\x99\xCC\xFF");
    expect_image(s, &grey, (struct shape){3, {3, 2, 3}}, "[3,2,3]",
                 "\0\x33\x66\x99\xCC\xFF\0\x33\x66\x99\xCC\xFF\0\x33\x66\x99\xCC\xFF");
}

static void colour_is_laid_out_by_channel_or_by_pixel(void **state)
{
    struct scratch *s = *state;
    struct image_options options = {.layout = IMAGE_NHWC};
    struct shape wanted = shape4(1, 1, 2, 3);
    struct tensor t;

    expect_image(s, &colour, shape4(1, 3, 1, 2), "[1,3,1,2]", "\1\4\2\5\3\6");
    assert_true(image_read(s->diag, s->path, &options, &wanted, &t));
    expect_items(&t, "[1,1,2,3]", "\1\2\3\4\5\6");
}

static void unknown_extents_are_those_of_the_image(void **state)
{
    struct scratch *s = *state;

    expect_image(s, &colour, shape4(-1, -1, -1, -1), "[1,3,1,2]", "\1\4\2\5\3\6");
    expect_image(s, &grey, (struct shape){.rank = RANK_UNKNOWN}, "[1,1,2,3]",
                 "\0\x33\x66\x99\xCC\xFF");
}

static void transparency_is_dropped(void **state)
{
    static const struct picture p = {
        2, 1, PNG_COLOR_TYPE_RGB_ALPHA, 8, (const unsigned char *)"\1\2\3\0\4\5\6\x80", 8};

    expect_image(*state, &p, shape4(1, 3, 1, 2), "[1,3,1,2]", "\1\4\2\5\3\6");
}

static void palettes_and_deep_images_are_converted(void **state)
{
    static const struct picture indexed = {
        2, 1, PNG_COLOR_TYPE_PALETTE, 1, (const unsigned char *)"\x40", 1};
    static const struct picture deep = {
        2, 1, PNG_COLOR_TYPE_GRAY, 16, (const unsigned char *)"\x80\x80\x0A\x0A", 4};

    expect_image(*state, &indexed, shape4(1, 3, 1, 2), "[1,3,1,2]", "\x0A\x28\x14\x32\x1E\x3C");
    expect_image(*state, &deep, shape4(1, 1, 1, 2), "[1,1,1,2]", "\x80\x0A");
}

static void means_and_scales_apply_to_their_channels(void **state)
{
    struct scratch *s = *state;
    struct image_options options = {
        .means = 3, .mean = {0.485, 0.456, 0.406}, .scales = 1, .scale = {0.5}};
    struct shape wanted = shape4(1, 3, 1, 2);
    struct tensor t;

    assert_true(image_read(s->diag, put(s, &colour), &options, &wanted, &t));
    assert_true(fabs(tensor_item(&t, 0) - (1 / 255.0 - 0.485) / 0.5) < 1e-7);
    assert_true(fabs(tensor_item(&t, 5) - (6 / 255.0 - 0.406) / 0.5) < 1e-7);
    tensor_clear(&t);
    options.means = 2;
    assert_false(image_read(s->diag, s->path, &options, &wanted, &t));
    scratch_expect(s, DIAG_IMAGE, "2 means given for 3 channels");
}

static void expect_fault(struct scratch *s, struct shape wanted, const char *part)
{
    struct tensor t;

    assert_false(
        image_read(s->diag, s->path, &(struct image_options){.layout = IMAGE_NCHW}, &wanted, &t));
    scratch_expect(s, DIAG_IMAGE, part);
}

static void an_image_of_another_size_is_refused(void **state)
{
    struct scratch *s = *state;

    put(s, &grey);
    expect_fault(s, shape4(1, 1, 3, 2), "3 wide and 2 high, expected 2 wide and 3 high");
    expect_fault(s, shape4(2, 1, 2, 3), "cannot fill a batch of 2");
    expect_fault(s, shape4(1, 4, 2, 3), "1 or 3 channels, but shape [1,4,2,3] asks for 4");
    expect_fault(s, (struct shape){1, {6}}, "expected rank 2 to 4");
}

static void a_file_cut_anywhere_is_an_error(void **state)
{
    struct scratch *s = *state;
    struct shape wanted = shape4(1, 3, 1, 2);

    put(s, &colour);
    scratch_get(s, "t.png");
    /* Without its last chunk, of 12 bytes, libpng still takes it. */
    for (size_t size = s->size - 12; size-- > 8;) {
        scratch_put(s, "t.png", s->bytes, size);
        expect_fault(s, wanted, "unusable image");
    }
}

/* libpng would get memory for it first, 2 GB at most. */
static void a_chunk_longer_than_the_file_is_an_error(void **state)
{
    enum { AFTER_HEADER = 33 };
    struct scratch *s = *state;

    put(s, &grey);
    scratch_get(s, "t.png");
    memcpy(s->bytes + AFTER_HEADER, "\x70\0\0\0tEXt", 8);
    scratch_put(s, "t.png", s->bytes, s->size);
    expect_fault(s, shape4(-1, -1, -1, -1), "a chunk has 1879048192 bytes, ");
}

static void the_content_tells_the_form_of_a_file(void **state)
{
    struct scratch *s = *state;
    struct item_format format;
    struct shape wanted = shape4(1, 1, 2, 3);
    struct data_request request = {.image = {NULL, &wanted}};
    struct tensor t, back;

    assert_true(data_read(s->diag, put(s, &grey), &request, &t, NULL));
    assert_true(data_write(s->diag, scratch_path(s, "a.npy"), &t, NULL));
    assert_true(data_write(s->diag, scratch_path(s, "b"), &t, NULL));
    assert_true(data_read(s->diag, s->path, NULL, &back, &format));
    assert_true(format.type == ITEM_FLOAT && format.bits == 32);
    assert_memory_equal(back.data, t.data, tensor_bytes(&t));
    tensor_clear(&back);
    assert_true(data_read(s->diag, scratch_path(s, "a.npy"), NULL, &back, NULL));
    assert_memory_equal(back.data, t.data, tensor_bytes(&t));
    tensor_clear(&back);
    tensor_clear(&t);
}

static void other_forms_are_refused(void **state)
{
    struct scratch *s = *state;
    struct tensor t;

    assert_false(data_read(s->diag, scratch_put(s, "t", "P5 1 1 255", 10), NULL, &t, NULL));
    scratch_expect(s, DIAG_DATA_HEADER, "neither a tensor file");
    assert_false(data_read(s->diag, scratch_put(s, "t", "PK\3\4....", 8), NULL, &t, NULL));
    scratch_expect(s, DIAG_ARCHIVE, "cannot read archive");
    assert_false(data_read(s->diag, scratch_put(s, "t", "", 0), NULL, &t, NULL));
    scratch_expect(s, DIAG_DATA_HEADER, "neither a tensor file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(grey_fills_one_channel_or_three),
        scratch_test(colour_is_laid_out_by_channel_or_by_pixel),
        scratch_test(unknown_extents_are_those_of_the_image),
        scratch_test(transparency_is_dropped),
        scratch_test(palettes_and_deep_images_are_converted),
        scratch_test(means_and_scales_apply_to_their_channels),
        scratch_test(an_image_of_another_size_is_refused),
        scratch_test(a_file_cut_anywhere_is_an_error),
        scratch_test(a_chunk_longer_than_the_file_is_an_error),
        scratch_test(the_content_tells_the_form_of_a_file),
        scratch_test(other_forms_are_refused),
    };
    return cmocka_run_group_tests_name("image", tests, NULL, NULL);
}
