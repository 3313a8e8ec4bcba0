/* test_random.c - reproducible random numbers */
#include "exec/random.h"

#include "support/t.h"

/* The first outputs of the authors' xoshiro256** from the state 1, 2, 3, 4. */
static void numbers_are_those_of_the_published_generator(void **state)
{
    struct random random = {{1, 2, 3, 4}};

    (void)state;
    assert_true(random_bits(&random) == 11520);
    assert_true(random_bits(&random) == 0);
    assert_true(random_bits(&random) == 1509978240);
    assert_true(random_bits(&random) == UINT64_C(1215971899390074240));
}

static void a_stream_depends_on_seed_and_name(void **state)
{
    struct random a = random_stream(1, "x"), b = random_stream(1, "x");
    struct random other_name = random_stream(1, "y"), other_seed = random_stream(2, "x");
    uint64_t first = random_bits(&a);

    (void)state;
    assert_true(first == random_bits(&b));
    assert_true(first != random_bits(&other_name));
    assert_true(first != random_bits(&other_seed));
}

static void scalars_keep_to_their_range(void **state)
{
    struct random random = random_stream(1, "x");
    struct shape shape = {2, {100, 100}};
    struct tensor tensor;
    double sum = 0;

    (void)state;
    assert_true(tensor_allocate(&tensor, DTYPE_SCALAR, &shape));
    random_fill(&random, &tensor, -1, 3);
    for (int i = 0; i < 10000; i++) {
        double item = tensor_item(&tensor, i);
        assert_true(item >= -1 && item <= 3);
        sum += item;
    }
    assert_true(sum / 10000 > 0.9 && sum / 10000 < 1.1);
    tensor_clear(&tensor);
}

static void integers_are_zero_or_one(void **state)
{
    struct random random = random_stream(1, "x");
    struct shape shape = {1, {1000}};
    struct tensor tensor;
    double sum = 0;

    (void)state;
    assert_true(tensor_allocate(&tensor, DTYPE_INTEGER, &shape));
    random_fill(&random, &tensor, -1, 3);
    for (int i = 0; i < 1000; i++) {
        double item = tensor_item(&tensor, i);
        assert_true(item == 0 || item == 1);
        sum += item;
    }
    assert_true(sum > 400 && sum < 600);
    tensor_clear(&tensor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_the_published_generator),
        cmocka_unit_test(a_stream_depends_on_seed_and_name),
        cmocka_unit_test(scalars_keep_to_their_range),
        cmocka_unit_test(integers_are_zero_or_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
