/* test_matmul.c - matrix products and the linear layer (NNEF 1.0.5, sections 4.7, 4.9.2) */
#include "support/op_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct product_case {
    const char *attrs, *a, *b, *c;
};

#define NN "transposeA = false, transposeB = false"
#define NT "transposeA = false, transposeB = true"
#define TN "transposeA = true, transposeB = false"
#define TT "transposeA = true, transposeB = true"

static const struct product_case cases[] = {
    {NN, "[2,3] 1 2 3 4 5 6", "[3,2] 1 2 3 4 5 6", "[2,2] 22 28 49 64"},
    {NT, "[2,3] 1 2 3 4 5 6", "[2,3] 1 3 5 2 4 6", "[2,2] 22 28 49 64"},
    {TN, "[3,2] 1 4 2 5 3 6", "[3,2] 1 2 3 4 5 6", "[2,2] 22 28 49 64"},
    {TT, "[3,2] 1 4 2 5 3 6", "[2,3] 1 3 5 2 4 6", "[2,2] 22 28 49 64"},
    {NN, "[1,3] 1 2 3", "[3,1] 4 5 6", "[1,1] 32"},
    {NN, "[3,1] 1 2 3", "[1,2] 4 5", "[3,2] 4 5 8 10 12 15"},
    {NN, "[2,1,2] 1 2 3 4", "[2,2,1] 5 6 7 8", "[2,1,1] 17 53"},
    {NN, "[1,1,2] 1 2", "[2,2,1] 5 6 7 8", "[2,1,1] 17 23"},
    {NN, "[2,1,2] 1 2 3 4", "[1,2,1] 5 6", "[2,1,1] 17 39"},
    {NN, "[2,1,1,1] 1 2", "[1,3,1,1] 3 4 5", "[2,3,1,1] 3 4 5 6 8 10"},
    {NT, "[1,2,1,1,2] 1 2 3 4", "[2,1,1,2,2] 1 0 0 1 2 0 0 2", "[2,2,1,1,2] 1 2 3 4 2 4 6 8"},
    {NN, "[2,0]", "[0,2]", "[2,2] 0"},
};

static bool run_case(struct op_fixture *f, const struct product_case *c)
{
    fixture_feed(f, "A", c->a);
    fixture_feed(f, "B", c->b);
    return fixture_run(f, "matmul", c->attrs);
}

static void values_are_those_of_the_formula(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!run_case(*state, &cases[i]))
            fail_msg("case %d reports", (int)i);
        fixture_expect(*state, 0, cases[i].c);
    }
}

/* c[i,j] is the sum of a row of ones, however many blocks the columns take */
static void wide_products_are_whole(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "A", "[3,7] 1");
    fixture_feed(f, "B", "[7,150] 2");
    assert_true(fixture_run(f, "matmul", NN));
    fixture_expect(f, 0, "[3,150] 14");
}

static void unknown_extents_pass(void **state)
{
    struct op_fixture *f = *state;

    fixture_feed(f, "A", "[?,4,3]");
    fixture_feed(f, "B", "[2,?,5]");
    fixture_run(f, "matmul", NN);
    fixture_expect(f, 0, "[2,4,5]");
    fixture_feed(f, "A", "[?,3]");
    fixture_feed(f, "B", "[3,5]");
    fixture_run(f, "matmul", NN);
    fixture_expect(f, 0, "[?,5]");
}

static void expect_matmul_error(struct op_fixture *f, const char *a, const char *b,
                                enum diag_code code)
{
    fixture_feed(f, "A", a);
    fixture_feed(f, "B", b);
    fixture_expect_error(f, "matmul", NN, code);
}

static void operands_must_agree(void **state)
{
    expect_matmul_error(*state, "[2,3] 0", "[2,3] 0", DIAG_SHAPE_MISMATCH);
    expect_matmul_error(*state, "[3] 0", "[3] 0", DIAG_RANK);
    expect_matmul_error(*state, "[] 0", "[3,3] 0", DIAG_RANK);
    expect_matmul_error(*state, "[2,3] 0", "[1,3,2] 0", DIAG_RANK);
    expect_matmul_error(*state, "[2,3] 0", "[3] 0", DIAG_RANK);
    expect_matmul_error(*state, "[2,1,1] 0", "[3,1,1] 0", DIAG_BROADCAST);
}

static void provisional_matrices_ignore_trailing_ones(void **state)
{
    struct op_fixture *f = *state;

    f->graph->provisional = true;
    fixture_feed(f, "A", "[2,3,1,1] 1 2 3 4 5 6");
    fixture_feed(f, "B", "[3] 1 2 3");
    fixture_run(f, "matmul", NN);
    fixture_expect(f, 0, "[2,1] 14 32");
    expect_matmul_error(f, "[2,1,3] 0", "[3,2] 0", DIAG_RANK);
}

static void feed_linear(struct op_fixture *f, const char *input, const char *filter,
                        const char *bias)
{
    fixture_feed(f, "input", input);
    fixture_feed(f, "filter", filter);
    fixture_feed(f, "bias", bias);
}

static void linear_multiplies_by_rows_of_the_filter(void **state)
{
    struct op_fixture *f = *state;

    feed_linear(f, "[2,3] 1 2 3 4 5 6", "[2,3] 1 0 1 0 1 0", "[1,2] 10 20");
    fixture_run(f, "linear", NULL);
    fixture_expect(f, 0, "[2,2] 14 22 20 25");
    feed_linear(f, "[1,2] 1 2", "[3,2] 1 1 2 2 3 3", "[] 0.5");
    fixture_run(f, "linear", NULL);
    fixture_expect(f, 0, "[1,3] 3.5 6.5 9.5");
}

/* all that the body says: batches, and a bias that widens the product */
static void linear_is_its_body(void **state)
{
    struct op_fixture *f = *state;

    feed_linear(f, "[2,1,2] 1 2 3 4", "[1,2,2] 1 0 0 1", "[1,1,2] 10 20");
    fixture_run(f, "linear", NULL);
    fixture_expect(f, 0, "[2,1,2] 11 22 13 24");
    feed_linear(f, "[1,2] 1 2", "[1,2] 1 1", "[2,1,2] 1 2 3 4");
    fixture_run(f, "linear", NULL);
    fixture_expect(f, 0, "[2,1,2] 4 5 6 7");
}

static void linear_checks_its_operands(void **state)
{
    struct op_fixture *f = *state;

    feed_linear(f, "[1,2] 0", "[3,4] 0", "[] 0");
    fixture_expect_error(f, "linear", NULL, DIAG_SHAPE_MISMATCH);
    feed_linear(f, "[2,4] 0", "[3,4] 0", "[3] 0");
    fixture_expect_error(f, "linear", NULL, DIAG_BROADCAST);
    feed_linear(f, "[1,2,1,1] 0", "[3,2] 0", "[] 0");
    fixture_expect_error(f, "linear", NULL, DIAG_RANK);
}

static void linear_takes_unknown_batches(void **state)
{
    struct op_fixture *f = *state;

    feed_linear(f, "[?,4]", "[3,4] 0", "[1,3] 0");
    fixture_run(f, "linear", NULL);
    fixture_expect(f, 0, "[?,3]");
}

static void provisional_linear_ignores_trailing_ones(void **state)
{
    struct op_fixture *f = *state;

    f->graph->provisional = true;
    feed_linear(f, "[1,2,1,1] 1 2", "[3,2] 1 1 2 2 3 3", "[1,3,1,1] 1 2 3");
    fixture_run(f, "linear", NULL);
    fixture_expect(f, 0, "[1,3] 4 8 12");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        OP_TEST(values_are_those_of_the_formula),
        OP_TEST(wide_products_are_whole),
        OP_TEST(unknown_extents_pass),
        OP_TEST(operands_must_agree),
        OP_TEST(provisional_matrices_ignore_trailing_ones),
        OP_TEST(linear_multiplies_by_rows_of_the_filter),
        OP_TEST(linear_is_its_body),
        OP_TEST(linear_checks_its_operands),
        OP_TEST(linear_takes_unknown_batches),
        OP_TEST(provisional_linear_ignores_trailing_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
