/* test_library.c - the standard operations and their descriptors */
#include "sema_fixture.h"
#include "support/library_verify.h"

#include "op/op.h"

static void verify(struct fixture *f, enum dialect dialect, int count)
{
    const struct library *library = library_load(f->context, dialect);

    if (!library || !library_verify(f->context, library))
        diag_print(f->diag, stderr, DIAG_STYLE_FULL, false);
    assert_non_null(library);
    assert_int_equal(diag_count(f->diag), 0);
    if (library_count(library) < count)
        fail_msg("%d operations, but the standard has %d: stdlib/ has lost some",
                 library_count(library), count);
}

static void library_of_1_0_5_agrees_with_the_operators(void **state)
{
    verify(*state, DIALECT_1_0, 118);
}

static void provisional_library_agrees_with_the_operators(void **state)
{
    verify(*state, DIALECT_PROVISIONAL, 85);
}

static void extensions_agree_with_the_operators(void **state)
{
    struct fixture *f = *state;
    const struct library *standard = library_load(f->context, DIALECT_1_0);
    const struct library *library = library_above(f->context, standard, LIBRARY_EXTENSIONS);

    if (!library || !library_verify(f->context, library))
        diag_print(f->diag, stderr, DIAG_STYLE_FULL, false);
    assert_non_null(library);
    assert_int_equal(diag_count(f->diag), 0);
    assert_ptr_equal(library, library_above(f->context, standard, LIBRARY_EXTENSIONS));
    for (int i = 0; i < library_count(library); i++)
        assert_null(library_find(standard, library_at(library, i)->name));
}

static void renamed_attribute_lands_in_the_same_row(void **state)
{
    struct fixture *f = *state;
    const struct library *now = library_load(f->context, DIALECT_1_0);
    const struct library *then = library_load(f->context, DIALECT_PROVISIONAL);
    const struct signature *transpose = library_find(now, "transpose");
    const struct signature *permuted = library_find(then, "transpose");

    assert_string_equal(transpose->params[1].name, "axes");
    assert_string_equal(permuted->params[1].name, "perm");
    assert_non_null(transpose->params[1].attr);
    assert_ptr_equal(transpose->params[1].attr, permuted->params[1].attr);
    assert_ptr_equal(library_unary(now, UNARY_PLUS)->op, library_unary(then, UNARY_PLUS)->op);
}

static void provisional_compound_of_another_meaning_is_expanded(void **state)
{
    static const char *const expanded[] = {"elu",
                                           "l1_normalization",
                                           "l2_normalization",
                                           "local_variance_normalization",
                                           "local_contrast_normalization",
                                           "planewise_conv"};
    static const char *const kept[] = {"relu", "tanh", "softmax", "batch_normalization",
                                       "max_pool"};
    struct fixture *f = *state;
    const struct library *library = library_load(f->context, DIALECT_PROVISIONAL);

    for (size_t i = 0; i < sizeof expanded / sizeof *expanded; i++)
        assert_null(library_find(library, expanded[i])->op);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        assert_non_null(library_find(library, kept[i])->op);
}

static void every_operator_on_tensors_has_its_fragment(void **state)
{
    struct fixture *f = *state;

    for (int dialect = DIALECT_1_0; dialect <= DIALECT_PROVISIONAL; dialect++) {
        const struct library *library = library_load(f->context, (enum dialect)dialect);
        for (int i = UNARY_PLUS; i <= UNARY_NOT; i++)
            assert_int_equal(library_unary(library, (enum unary_op)i)->nparam, 1);
        for (int i = BINARY_ADD; i <= BINARY_OR; i++)
            assert_int_equal(library_binary(library, (enum binary_op)i)->nparam, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(library_of_1_0_5_agrees_with_the_operators, begin, end),
        cmocka_unit_test_setup_teardown(provisional_library_agrees_with_the_operators, begin, end),
        cmocka_unit_test_setup_teardown(extensions_agree_with_the_operators, begin, end),
        cmocka_unit_test_setup_teardown(renamed_attribute_lands_in_the_same_row, begin, end),
        cmocka_unit_test_setup_teardown(provisional_compound_of_another_meaning_is_expanded, begin,
                                        end),
        cmocka_unit_test_setup_teardown(every_operator_on_tensors_has_its_fragment, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
