/* test_bytes.c - integers that stay bytes of a file, and what is made of them */
#include "tensor/tensor.h"

#include "tensor/item.h"

#include <stdint.h>

#include "support/t.h"

enum { COUNT = 4 };

static const struct shape shape = {.rank = 2, .extent = {2, 2}};

/* As two's complement, and as plain numbers. */
static uint8_t bytes[COUNT] = {0, 127, 128, 255};
static const int64_t with_sign[COUNT] = {0, 127, -128, -1}, without[COUNT] = {0, 127, 128, 255};

static struct tensor view(bool is_signed)
{
    return (struct tensor){
        .shape = shape, .dtype = DTYPE_INTEGER, .bytes = bytes, .bytes_are_signed = is_signed};
}

static void items_have_the_sign_of_their_type(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const struct tensor tensor = view(k == 0);
        const int64_t *expected = k == 0 ? with_sign : without;
        struct tensor whole;
        assert_true(tensor_spread(&whole, &tensor, &shape));
        assert_null(whole.bytes);
        for (int i = 0; i < COUNT; i++) {
            assert_int_equal(tensor_integer(&tensor, i), expected[i]);
            assert_true(tensor_item(&tensor, i) == (double)expected[i]);
            assert_int_equal(((const int64_t *)whole.data)[i], expected[i]);
        }
        tensor_clear(&whole);
    }
}

static void only_items_in_memory_are_whole(void **state)
{
    const struct tensor tensor = view(true);
    struct tensor whole;

    (void)state;
    assert_false(tensor_is_whole(&tensor, &shape));
    assert_true(tensor_spread(&whole, &tensor, &shape));
    assert_true(tensor_is_whole(&whole, &shape));
    assert_false(tensor_is_whole(&whole, &(struct shape){.rank = 1, .extent = {COUNT}}));
    assert_ptr_equal(tensor_place(&tensor), bytes);
    assert_ptr_equal(tensor_place(&whole), whole.data);
    assert_int_equal(tensor_memory(&tensor), 0);
    tensor_clear(&whole);
}

/* One item for all: 5 * 8 bytes. */
static void one_byte_may_stand_for_all_items(void **state)
{
    static uint8_t one = 200;
    const struct shape wide = {.rank = 1, .extent = {5}};
    const struct tensor tensor = {.dtype = DTYPE_INTEGER, .bytes = &one};
    struct tensor whole;

    (void)state;
    assert_true(tensor_spread(&whole, &tensor, &wide));
    assert_int_equal(tensor_bytes(&whole), 40);
    for (int i = 0; i < 5; i++)
        assert_int_equal(tensor_integer(&whole, i), 200);
    tensor_clear(&whole);
}

static void bytes_repeat_as_items_do(void **state)
{
    static uint8_t same[COUNT] = {9, 9, 9, 9};
    struct tensor tensor = view(false);

    (void)state;
    assert_false(tensor_repeats(&tensor));
    tensor.bytes = same;
    assert_true(tensor_repeats(&tensor));
}

static void bytes_are_written_as_they_were_read(void **state)
{
    const struct item_format format = {.type = ITEM_SIGNED, .bits = 8};
    const struct tensor tensor = view(true);
    uint8_t written[COUNT];
    int64_t bad;

    (void)state;
    assert_true(items_encode(&format, &tensor, (struct item_range){0, COUNT}, written, &bad));
    assert_memory_equal(written, bytes, COUNT);
    const struct tensor unsigned_one = view(false);
    assert_int_equal(items_beyond(&format, &unsigned_one), 2); /* 128 */
}

/* The first one is in the lower half of a byte. */
static void nibbles_are_integers_of_4_bits(void **state)
{
    enum { MANY = 5 };
    static uint8_t packed[] = {0x70, 0x8F, 0x01};
    static const int64_t numbers[2][MANY] = {{0, 7, -1, -8, 1}, {0, 7, 15, 8, 1}};
    const struct shape five = {.rank = 1, .extent = {MANY}};

    (void)state;
    for (int k = 0; k < 2; k++) {
        const struct tensor tensor = {.shape = five,
                                      .dtype = DTYPE_INTEGER,
                                      .bytes = packed,
                                      .bytes_are_signed = k == 0,
                                      .are_nibbles = true};
        struct tensor whole;
        assert_int_equal(tensor_size(&tensor), sizeof packed);
        assert_true(tensor_spread(&whole, &tensor, &five));
        for (int i = 0; i < MANY; i++) {
            assert_int_equal(tensor_integer(&tensor, i), numbers[k][i]);
            assert_int_equal(((const int64_t *)whole.data)[i], numbers[k][i]);
        }
        tensor_clear(&whole);
    }
}

static void nibbles_repeat_if_both_halves_do(void **state)
{
    static uint8_t halves[] = {0x21, 0x21}, same[] = {0x33, 0x33};
    struct tensor tensor = {
        .shape = shape, .dtype = DTYPE_INTEGER, .bytes = halves, .are_nibbles = true};

    (void)state;
    assert_false(tensor_repeats(&tensor));
    tensor.bytes = same;
    assert_true(tensor_repeats(&tensor));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_have_the_sign_of_their_type),
        cmocka_unit_test(only_items_in_memory_are_whole),
        cmocka_unit_test(one_byte_may_stand_for_all_items),
        cmocka_unit_test(bytes_repeat_as_items_do),
        cmocka_unit_test(bytes_are_written_as_they_were_read),
        cmocka_unit_test(nibbles_are_integers_of_4_bits),
        cmocka_unit_test(nibbles_repeat_if_both_halves_do),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
