/* test_packed.c - packed weights serve kernels that have the same name and byte order only */
#include "base/arena.h"
#include "exec/packed.h"
#include "kernel/kernels.h"
#include "tensor/bytes.h"

#include "support/t.h"

#include <stdio.h>

static void blocks_of_the_other_byte_order_are_not_taken(void **state)
{
    struct arena *arena = arena_new();
    struct tensor_blocks blocks = packed_nothing(arena).blocks;
    char other[64];

    (void)state;
    assert_true(packed_fits(&blocks));
    snprintf(other, sizeof other, "%s%s", kernels_variant(0)->name,
             bytes_are_native() ? ", big-endian" : "");
    assert_string_not_equal(other, blocks.kind);
    blocks.kind = other;
    assert_false(packed_fits(&blocks));
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_the_other_byte_order_are_not_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
