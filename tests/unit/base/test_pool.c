/* test_pool.c - blocks of a pool are apart, keep what is in them, and are taken again */
#include "base/pages.h"
#include "base/pool.h"
#include "support/t.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 64, STEPS = 5000, MOST = 200000, MEBIBYTE = 1 << 20 };

struct block {
    unsigned char *data; /* NULL: not taken */
    size_t size;
    unsigned char with;
};

static int setup(void **state)
{
    *state = pool_new();
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    pool_free(*state);
    return 0;
}

static bool is_filled(const struct block *block)
{
    for (size_t i = 0; i < block->size; i++)
        if (block->data[i] != block->with)
            return false;
    return true;
}

static void fill(struct pool *pool, struct block *block, size_t size, int with)
{
    *block = (struct block){pool_take(pool, size), size, (unsigned char)with};
    assert_non_null(block->data);
    assert_int_equal((uintptr_t)block->data % POOL_ALIGNMENT, 0);
    memset(block->data, with, size);
}

static void give(struct pool *pool, struct block *block)
{
    assert_true(is_filled(block));
    pool_give(pool, block->data, block->size);
    block->data = NULL;
}

static void test_blocks_keep_what_is_in_them(void **state)
{
    struct block blocks[BLOCKS] = {{0}};
    uint32_t random = 1;

    for (int i = 0; i < STEPS; i++) {
        random = random * 1664525 + 1013904223;
        struct block *block = &blocks[random >> 26];
        if (block->data)
            give(*state, block);
        else
            fill(*state, block, (random >> 4) % (random & 1 ? 300 : MOST), i);
        if (i % 1000 == 0)
            pool_trim(*state);
    }
    for (int i = 0; i < BLOCKS; i++)
        if (blocks[i].data)
            give(*state, &blocks[i]);
}

/* Of many layers, one after the other, only two take memory at a time. */
static void test_what_is_given_back_is_taken_again(void **state)
{
    struct block now = {0}, next;
    uintptr_t least = UINTPTR_MAX, most = 0;

    for (int i = 0; i < 100; i++) {
        fill(*state, &next, MEBIBYTE + (size_t)(i % 7) * 4096, i);
        least = (uintptr_t)next.data < least ? (uintptr_t)next.data : least;
        most = (uintptr_t)next.data > most ? (uintptr_t)next.data : most;
        if (now.data)
            give(*state, &now);
        now = next;
    }
#if !defined __SANITIZE_ADDRESS__ /* by which memory is kept back for some time */
    assert_true(most - least < 8 * (uintptr_t)MEBIBYTE);
#endif
}

static void test_large_blocks_and_none_are_blocks(void **state)
{
    struct block large, larger, none;

    fill(*state, &large, 17 * (size_t)MEBIBYTE + 5, 1);
    fill(*state, &larger, 40 * (size_t)MEBIBYTE, 2);
    fill(*state, &none, 0, 3);
    give(*state, &large);
    give(*state, &none);
    fill(*state, &large, 33 * (size_t)MEBIBYTE, 4);
    give(*state, &larger);
    assert_true(is_filled(&large));
    assert_null(pool_take(*state, SIZE_MAX - 1));
}

static void test_no_pool_is_freed_like_one(void **state)
{
    (void)state;
    pool_free(NULL);
    pages_free(NULL, 1);
}

static void test_pages_are_zero_again_once_unloaded(void **state)
{
    (void)state;
    enum { SIZE = 3 * MEBIBYTE + 100 };
    unsigned char *pages = pages_new(SIZE);

    assert_non_null(pages);
    assert_int_equal(pages[SIZE - 1], 0);
    memset(pages, 1, SIZE);
    pages_unload(pages + 10, (size_t)2 * MEBIBYTE);
    assert_int_equal(pages[9], 1);
    assert_int_equal(pages[MEBIBYTE], 0);
    assert_int_equal(pages[2 * MEBIBYTE + 10], 1);
    pages_free(pages, SIZE);
}

static bool is_zero(const unsigned char *items, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (items[i] != 0)
            return false;
    return true;
}

static void test_pages_are_zero_however_large_they_are(void **state)
{
    (void)state;
    enum { SIZE = 6 * MEBIBYTE + 100 };
    unsigned char *pages = pages_new(SIZE);

    assert_non_null(pages);
    assert_true(is_zero(pages, SIZE));
    pages_free(pages, SIZE);
}

static void test_what_is_populated_keeps_what_is_in_it(void **state)
{
    (void)state;
    enum { SIZE = MEBIBYTE + 100 };
    unsigned char *items = calloc(1, SIZE);

    assert_non_null(items);
    memset(items, 1, MEBIBYTE / 2);
    pages_populate(items, SIZE);
    pages_populate(items + SIZE, 0);
    for (size_t i = 0; i < SIZE; i++)
        assert_int_equal(items[i], i < MEBIBYTE / 2);
    free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_blocks_keep_what_is_in_them, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_is_given_back_is_taken_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_large_blocks_and_none_are_blocks, setup, teardown),
        cmocka_unit_test(test_no_pool_is_freed_like_one),
        cmocka_unit_test(test_pages_are_zero_again_once_unloaded),
        cmocka_unit_test(test_pages_are_zero_however_large_they_are),
        cmocka_unit_test(test_what_is_populated_keeps_what_is_in_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
