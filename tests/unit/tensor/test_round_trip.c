/* test_round_trip.c - every item type and width goes from .dat to .npy and back, byte by byte */
#include "file/dat.h"
#include "file/data_file.h"
#include "file/npy.h"
#include "support/tensor_files.h"
#include "tensor/bytes.h"

#include "unit/base/scratch.h"

enum { COUNT = 13, HEADER = 128, ROOM = HEADER + COUNT * 8 };

/* Some item of this format; scalars are floats of 32 bits in memory. */
static uint64_t item_of(const struct item_format *format, int index)
{
    static const float values[] = {0, -0.0F, 1, -1.5F, 0.25F, 1024, 3.140625F};
    double wide = (double)values[index % 7];
    uint64_t pattern = UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)(index + 1);
    uint64_t bits = 0;

    switch (format->type) {
    case ITEM_FLOAT:
        if (format->bits == 16)
            return float16_encode(values[index % 7]);
        if (format->bits == 32)
            memcpy(&bits, &values[index % 7], sizeof(float));
        else
            memcpy(&bits, &wide, sizeof wide);
        return bits;
    case ITEM_BOOL:
        return (uint64_t)index % 3 == 0;
    case ITEM_UNSIGNED:
    case ITEM_QUANTIZED_UNSIGNED:
        return (pattern & INT64_MAX) >> (format->bits < 64 ? 63 - format->bits : 0);
    case ITEM_QUANTIZED_SIGNED:
    case ITEM_SIGNED:
    case ITEM_TYPE_COUNT:
        break;
    }
    return pattern >> (64 - format->bits);
}

/* Items of less than a byte begin at its highest bit. */
static void store_item(unsigned char *data, const struct item_format *format, int index,
                       uint64_t item)
{
    if (format->bits >= 8)
        bytes_store(data + (ptrdiff_t)index * (format->bits / 8), format->bits / 8, item);
    for (int bit = 0; format->bits < 8 && bit < format->bits; bit++) {
        int at = index * format->bits + bit;
        data[at / 8] |= (unsigned char)((item >> (format->bits - 1 - bit) & 1) << (7 - at % 8));
    }
}

static size_t make_file(const struct item_format *format, unsigned char file[ROOM])
{
    size_t size = (size_t)(COUNT * format->bits + 7) / 8;

    memset(file, 0, ROOM);
    bytes_store(file, 4, 0x01EF4E);
    bytes_store(file + 4, 4, size);
    bytes_store(file + 8, 4, 1);
    bytes_store(file + 12, 4, COUNT);
    bytes_store(file + 44, 4, (uint64_t)format->bits);
    bytes_store(file + 48, 2, format->type);
    for (int i = 0; i < COUNT; i++)
        store_item(file + HEADER, format, i, item_of(format, i));
    return HEADER + size;
}

static void expect_round_trip(struct scratch *s, const struct item_format *format)
{
    unsigned char file[ROOM];
    size_t size = make_file(format, file);
    struct dat_info info;
    struct tensor t;

    assert_true(dat_read(s->diag, scratch_put(s, "a.dat", file, size), &t, &info));
    assert_int_equal(info.format.type, format->type);
    assert_int_equal(info.format.bits, format->bits);
    assert_true(data_write(s->diag, scratch_path(s, "t.npy"), &t, NULL));
    tensor_clear(&t);
    assert_true(npy_read(s->diag, s->path, &t, NULL));
    assert_true(data_write(s->diag, scratch_path(s, "b.dat"), &t, format));
    tensor_clear(&t);
    scratch_get(s, "b.dat");
    if (s->size != size || memcmp(s->bytes, file, size) != 0)
        fail_msg("%s of %d bits", item_type_name(format->type), format->bits);
}

static void every_type_and_width_survives(void **state)
{
    struct scratch *s = *state;
    int count[ITEM_TYPE_COUNT] = {0};

    for (unsigned type = 0; type < ITEM_TYPE_COUNT; type++)
        for (int bits = 1; bits <= 64; bits++) {
            struct item_format format = {(enum item_type)type, bits, false};
            if (!item_format_valid(&format))
                continue;
            expect_round_trip(s, &format);
            count[type]++;
        }
    assert_int_equal(diag_count(s->diag), 0);
    assert_int_equal(count[ITEM_FLOAT], 3);
    assert_int_equal(count[ITEM_BOOL], 2);
    assert_int_equal(count[ITEM_UNSIGNED], 15);
    assert_int_equal(count[ITEM_SIGNED], 15);
    assert_int_equal(count[ITEM_QUANTIZED_UNSIGNED], 15);
    assert_int_equal(count[ITEM_QUANTIZED_SIGNED], 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {scratch_test(every_type_and_width_survives)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
