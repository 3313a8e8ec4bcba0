/*
 * test_roi.c - regions of interest (section 4.6)
 *
 * Expected values come from the formulas, item by item, with the corrections E22 to E25.
 */
#include "support/op_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct roi_case {
    const char *op, *input, *rois, *batch_index, *attrs, *output;
};

static const struct roi_case cases[] = {
    {"avg_roi_pool",
     "[2,2,5,6] 1 -6 -1 -9 1 2 0 1 -3 -9 3 -2 5 8 -7 -7 -8 -4 -1 5 -8 1 -2 2 -8 6 7 -4 8 5 -9 -9 0 "
     "9 -4 -2 -4 5 -8 8 -8 1 2 -5 -6 7 7 -9 7 9 9 2 -9 4 -4 7 -8 8 9 -7 -5 -1 3 7 1 7 -5 8 8 -1 -2 "
     "-9 7 0 -8 6 2 1 7 7 3 -5 3 3 7 -7 -2 9 -8 -6 4 9 -8 9 -7 -6 8 2 -2 -8 2 -9 7 2 -1 -1 5 3 -5 "
     "0 9 -4 0 1 8 0 -9 4 3 -2",
     "[3,4] 0 0 4 6 0.6 1.4 3.5 5.2 -2 3 2 9", "integer[3,1] 1 0 1", "output_size = [2,3]",
     "[3,2,2,3] -0.75 4.25 -0.75 5.25 -1 2.25 5.75 -2.25 -5 1 0.75 2.25 -0.25 -6.5 -5.25 -0.5 "
     "-5.25 -4 -3.5 0.25 3.5 1.75 3 1.75 0 0 0 1.25 -1 0 0 0 0 -1 -7.5 0"},
    {"max_roi_pool",
     "[2,2,5,6] 1 -6 -1 -9 1 2 0 1 -3 -9 3 -2 5 8 -7 -7 -8 -4 -1 5 -8 1 -2 2 -8 6 7 -4 8 5 -9 -9 0 "
     "9 -4 -2 -4 5 -8 8 -8 1 2 -5 -6 7 7 -9 7 9 9 2 -9 4 -4 7 -8 8 9 -7 -5 -1 3 7 1 7 -5 8 8 -1 -2 "
     "-9 7 0 -8 6 2 1 7 7 3 -5 3 3 7 -7 -2 9 -8 -6 4 9 -8 9 -7 -6 8 2 -2 -8 2 -9 7 2 -1 -1 5 3 -5 "
     "0 9 -4 0 1 8 0 -9 4 3 -2",
     "[3,4] 0 0 4 6 0.6 1.4 3.5 5.2 -2 3 2 9", "integer[3] 1 0 1", "output_size = [2,3]",
     "[3,2,2,3] 8 8 7 7 6 3 9 9 2 7 9 5 8 -3 3 8 1 1 5 8 8 9 9 7 0 0 0 7 7 0 0 0 0 9 -6 0"},
    {"roi_resample",
     "[2,2,5,6] 1 -6 -1 -9 1 2 0 1 -3 -9 3 -2 5 8 -7 -7 -8 -4 -1 5 -8 1 -2 2 -8 6 7 -4 8 5 -9 -9 0 "
     "9 -4 -2 -4 5 -8 8 -8 1 2 -5 -6 7 7 -9 7 9 9 2 -9 4 -4 7 -8 8 9 -7 -5 -1 3 7 1 7 -5 8 8 -1 -2 "
     "-9 7 0 -8 6 2 1 7 7 3 -5 3 3 7 -7 -2 9 -8 -6 4 9 -8 9 -7 -6 8 2 -2 -8 2 -9 7 2 -1 -1 5 3 -5 "
     "0 9 -4 0 1 8 0 -9 4 3 -2",
     "[3,4] 0 0 4 6 0.6 1.4 3.5 5.2 -2 3 2 9", "integer[3,1] 1 0 1",
     "output_size = [2,3], method = 'symmetric'",
     "[3,2,2,3] -0.75 4.25 -0.75 5.25 -1 2.25 5.75 -2.25 -5 1 0.75 2.25 -1.518333 -7.73 2.386667 "
     "-0.5316667 -5.295 -6.083333 -2.33 5.22 -6.781667 -1.536667 4.125 2.065 4 7 7 1.25 -1 -1 1 -6 "
     "-6 -1 -7.5 -7.5"},
    {"roi_resample",
     "[2,2,5,6] 1 -6 -1 -9 1 2 0 1 -3 -9 3 -2 5 8 -7 -7 -8 -4 -1 5 -8 1 -2 2 -8 6 7 -4 8 5 -9 -9 0 "
     "9 -4 -2 -4 5 -8 8 -8 1 2 -5 -6 7 7 -9 7 9 9 2 -9 4 -4 7 -8 8 9 -7 -5 -1 3 7 1 7 -5 8 8 -1 -2 "
     "-9 7 0 -8 6 2 1 7 7 3 -5 3 3 7 -7 -2 9 -8 -6 4 9 -8 9 -7 -6 8 2 -2 -8 2 -9 7 2 -1 -1 5 3 -5 "
     "0 9 -4 0 1 8 0 -9 4 3 -2",
     "[3,4] 0 0 4 6 0.6 1.4 3.5 5.2 -2 3 2 9", "integer[3] 1 0 1",
     "output_size = [2,3], method = 'asymmetric'",
     "[3,2,2,3] -5 3 1 7 -8 2 4 -8 -7 7 -1 5 -1.96 -6.733333 1.453333 1.89 -6.75 -7.626667 -2.28 4 "
     "-5.413333 -4.68 2.75 6.236667 7 7 7 7 7 7 9 -6 -6 9 -6 -6"},
    {"roi_resample",
     "[2,2,5,6] 1 -6 -1 -9 1 2 0 1 -3 -9 3 -2 5 8 -7 -7 -8 -4 -1 5 -8 1 -2 2 -8 6 7 -4 8 5 -9 -9 0 "
     "9 -4 -2 -4 5 -8 8 -8 1 2 -5 -6 7 7 -9 7 9 9 2 -9 4 -4 7 -8 8 9 -7 -5 -1 3 7 1 7 -5 8 8 -1 -2 "
     "-9 7 0 -8 6 2 1 7 7 3 -5 3 3 7 -7 -2 9 -8 -6 4 9 -8 9 -7 -6 8 2 -2 -8 2 -9 7 2 -1 -1 5 3 -5 "
     "0 9 -4 0 1 8 0 -9 4 3 -2",
     "[3,4] 0 0 4 6 0.6 1.4 3.5 5.2 -2 3 2 9", "integer[3,1] 1 0 1",
     "output_size = [2,3], method = 'aligned'",
     "[3,2,2,3] -5 5 7 7 -1 3 4 0.5 -6 -5 2.5 1 -1.96 -7.64 1.68 0.9 -3.9 -4.2 -2.28 5.76 -5.16 "
     "1.8 3.9 -1.3 7 7 7 -1 -9 -9 9 -6 -6 -8 -9 -9"},
    {"avg_roi_align",
     "[2,2,5,6] 1 -6 -1 -9 1 2 0 1 -3 -9 3 -2 5 8 -7 -7 -8 -4 -1 5 -8 1 -2 2 -8 6 7 -4 8 5 -9 -9 0 "
     "9 -4 -2 -4 5 -8 8 -8 1 2 -5 -6 7 7 -9 7 9 9 2 -9 4 -4 7 -8 8 9 -7 -5 -1 3 7 1 7 -5 8 8 -1 -2 "
     "-9 7 0 -8 6 2 1 7 7 3 -5 3 3 7 -7 -2 9 -8 -6 4 9 -8 9 -7 -6 8 2 -2 -8 2 -9 7 2 -1 -1 5 3 -5 "
     "0 9 -4 0 1 8 0 -9 4 3 -2",
     "[3,4] 0 0 4 6 0.6 1.4 3.5 5.2 -2 3 2 9", "integer[3] 1 0 1",
     "output_size = [2,3], sampling_rate = [2,1], resize_method = 'symmetric'",
     "[3,2,2,3] -0.75 4.25 -0.75 5.25 -1 2.25 5.75 -2.25 -5 1 0.75 2.25 -1.618333 -7.6175 1.261667 "
     "-0.6658333 -5.05875 -5.365833 -2.88 5.4075 -5.200417 -0.7433333 4.09875 0.86625 4 7 7 1.25 "
     "-1 -1 1 -6 -6 -1 -7.5 -7.5"},
    {"max_roi_align",
     "[2,2,5,6] 1 -6 -1 -9 1 2 0 1 -3 -9 3 -2 5 8 -7 -7 -8 -4 -1 5 -8 1 -2 2 -8 6 7 -4 8 5 -9 -9 0 "
     "9 -4 -2 -4 5 -8 8 -8 1 2 -5 -6 7 7 -9 7 9 9 2 -9 4 -4 7 -8 8 9 -7 -5 -1 3 7 1 7 -5 8 8 -1 -2 "
     "-9 7 0 -8 6 2 1 7 7 3 -5 3 3 7 -7 -2 9 -8 -6 4 9 -8 9 -7 -6 8 2 -2 -8 2 -9 7 2 -1 -1 5 3 -5 "
     "0 9 -4 0 1 8 0 -9 4 3 -2",
     "[3,4] 0 0 4 6 0.6 1.4 3.5 5.2 -2 3 2 9", "integer[3,1] 1 0 1",
     "output_size = [2,3], sampling_rate = [2,1], resize_method = 'asymmetric'",
     "[3,2,2,3] -5 8 1 7 3 3 8 -2 2 7 9 5 0.245 -6.733333 1.453333 1.89 -3.125 -3.18 -1.89 4 "
     "-2.405 5.76 3.958333 6.236667 7 7 7 7 7 7 9 -6 -6 9 -6 -6"},
    {"max_roi_align",
     "[2,2,5,6] 1 -6 -1 -9 1 2 0 1 -3 -9 3 -2 5 8 -7 -7 -8 -4 -1 5 -8 1 -2 2 -8 6 7 -4 8 5 -9 -9 0 "
     "9 -4 -2 -4 5 -8 8 -8 1 2 -5 -6 7 7 -9 7 9 9 2 -9 4 -4 7 -8 8 9 -7 -5 -1 3 7 1 7 -5 8 8 -1 -2 "
     "-9 7 0 -8 6 2 1 7 7 3 -5 3 3 7 -7 -2 9 -8 -6 4 9 -8 9 -7 -6 8 2 -2 -8 2 -9 7 2 -1 -1 5 3 -5 "
     "0 9 -4 0 1 8 0 -9 4 3 -2",
     "[3,4] 0 0 4 6 0.6 1.4 3.5 5.2 -2 3 2 9", "integer[3] 1 0 1",
     "output_size = [2,3], sampling_rate = [2,1], resize_method = 'aligned'",
     "[3,2,2,3] -5 5 7 7 -1 3 8 0.5 -6 7 2.5 3 0.006666667 -7.613333 1.68 1.653333 -3.9 -4.2 "
     "-1.413333 5.76 -3.866667 1.8 4.453333 2.466667 7 7 7 7 7 7 9 -6 -6 9 -6 -6"},
    {"avg_roi_pool", "[1,1,7] 5 -4 -8 -1 -1 9 0", "[3,2] 1.5 6.5 2 3 0.2 6.9", "integer[3,1] 0 0 0",
     "output_size = [2]", "[3,1,2] -3.333333 2.666667 -8 -8 -2 1.75"},
    {"max_roi_pool", "[1,1,7] 5 -4 -8 -1 -1 9 0", "[3,2] 1.5 6.5 2 3 0.2 6.9", "integer[3] 0 0 0",
     "output_size = [2]", "[3,1,2] -1 9 -8 -8 5 9"},
    {"roi_resample", "[1,1,7] 5 -4 -8 -1 -1 9 0", "[3,2] 1.5 6.5 2 3 0.2 6.9", "integer[3,1] 0 0 0",
     "output_size = [2], method = 'symmetric'", "[3,1,2] -6.25 6.5 -7 -6.25 -5.5 6.25"},
    {"roi_resample", "[1,1,7] 5 -4 -8 -1 -1 9 0", "[3,2] 1.5 6.5 2 3 0.2 6.9", "integer[3] 0 0 0",
     "output_size = [2], method = 'asymmetric'", "[3,1,2] -6 -1 -8 -4.5 3.2 -1"},
    {"roi_resample", "[1,1,7] 5 -4 -8 -1 -1 9 0", "[3,2] 1.5 6.5 2 3 0.2 6.9", "integer[3,1] 0 0 0",
     "output_size = [2], method = 'aligned'", "[3,1,2] -6 4.5 -8 -8 3.2 0.9"},
    {"avg_roi_align", "[1,1,7] 5 -4 -8 -1 -1 9 0", "[3,2] 1.5 6.5 2 3 0.2 6.9", "integer[3] 0 0 0",
     "output_size = [2], sampling_rate = [2], resize_method = 'symmetric'",
     "[3,1,2] -4.1875 2.9375 -7 -6.25 -3.175 1.46875"},
    {"max_roi_align", "[1,1,7] 5 -4 -8 -1 -1 9 0", "[3,2] 1.5 6.5 2 3 0.2 6.9",
     "integer[3,1] 0 0 0", "output_size = [2], sampling_rate = [2], resize_method = 'asymmetric'",
     "[3,1,2] -2.75 6.75 -6.25 -2.75 3.2 6.975"},
    {"max_roi_align", "[1,1,7] 5 -4 -8 -1 -1 9 0", "[3,2] 1.5 6.5 2 3 0.2 6.9", "integer[3] 0 0 0",
     "output_size = [2], sampling_rate = [2], resize_method = 'aligned'",
     "[3,1,2] -2.166667 4.5 -8 -8 3.2 0.9"},
    {"avg_roi_pool", "[1,1,3,3,3] -6 5 6 -3 7 0 -1 -5 -2 7 7 -2 3 6 8 -2 7 3 4 2 -8 6 9 0 1 0 0",
     "[2,6] 0 0 0 3 3 3 1 0 1 3 2 2", "integer[2,1] 0 0", "output_size = [2,1,2]",
     "[2,1,2,1,2] 2.083333 3.333333 4.166667 2.666667 6.5 6.5 5.5 5.5"},
    {"max_roi_pool", "[1,1,3,3,3] -6 5 6 -3 7 0 -1 -5 -2 7 7 -2 3 6 8 -2 7 3 4 2 -8 6 9 0 1 0 0",
     "[2,6] 0 0 0 3 3 3 1 0 1 3 2 2", "integer[2] 0 0", "output_size = [2,1,2]",
     "[2,1,2,1,2] 7 8 9 9 7 7 9 9"},
    {"roi_resample", "[1,1,3,3,3] -6 5 6 -3 7 0 -1 -5 -2 7 7 -2 3 6 8 -2 7 3 4 2 -8 6 9 0 1 0 0",
     "[2,6] 0 0 0 3 3 3 1 0 1 3 2 2", "integer[2,1] 0 0",
     "output_size = [2,1,2], method = 'symmetric'",
     "[2,1,2,1,2] 0.5625 3.1875 6 3.5625 6.125 5.625 5.375 3.125"},
    {"roi_resample", "[1,1,3,3,3] -6 5 6 -3 7 0 -1 -5 -2 7 7 -2 3 6 8 -2 7 3 4 2 -8 6 9 0 1 0 0",
     "[2,6] 0 0 0 3 3 3 1 0 1 3 2 2", "integer[2] 0 0",
     "output_size = [2,1,2], method = 'asymmetric'", "[2,1,2,1,2] -6 5.5 5.5 -0.25 7 2.5 2 -3"},
    {"roi_resample", "[1,1,3,3,3] -6 5 6 -3 7 0 -1 -5 -2 7 7 -2 3 6 8 -2 7 3 4 2 -8 6 9 0 1 0 0",
     "[2,6] 0 0 0 3 3 3 1 0 1 3 2 2", "integer[2,1] 0 0",
     "output_size = [2,1,2], method = 'aligned'", "[2,1,2,1,2] -6 6 4 -8 7 7 2 2"},
    {"avg_roi_align", "[1,1,3,3,3] -6 5 6 -3 7 0 -1 -5 -2 7 7 -2 3 6 8 -2 7 3 4 2 -8 6 9 0 1 0 0",
     "[2,6] 0 0 0 3 3 3 1 0 1 3 2 2", "integer[2] 0 0",
     "output_size = [2,1,2], sampling_rate = [2,1,3], resize_method = 'symmetric'",
     "[2,1,2,1,2] 1.479167 3.895833 6.0625 4.354167 5.6875 5.265625 5.46875 3.4375"},
    {"max_roi_align", "[1,1,3,3,3] -6 5 6 -3 7 0 -1 -5 -2 7 7 -2 3 6 8 -2 7 3 4 2 -8 6 9 0 1 0 0",
     "[2,6] 0 0 0 3 3 3 1 0 1 3 2 2", "integer[2,1] 0 0",
     "output_size = [2,1,2], sampling_rate = [2,1,3], resize_method = 'asymmetric'",
     "[2,1,2,1,2] 6.5 6 5.5 -0.25 7 2.5 2 -3"},
    {"max_roi_align", "[1,1,3,3,3] -6 5 6 -3 7 0 -1 -5 -2 7 7 -2 3 6 8 -2 7 3 4 2 -8 6 9 0 1 0 0",
     "[2,6] 0 0 0 3 3 3 1 0 1 3 2 2", "integer[2] 0 0",
     "output_size = [2,1,2], sampling_rate = [2,1,3], resize_method = 'aligned'",
     "[2,1,2,1,2] 5.6 6 6 3.466667 7 7 3.666667 3.666667"},
    {0},
};

static void feed(struct op_fixture *f, const struct roi_case *c)
{
    fixture_feed(f, "input", c->input);
    fixture_feed(f, "rois", c->rois);
    fixture_feed(f, "batch_index", c->batch_index);
}

static void regions_are_brought_to_one_size(void **state)
{
    for (const struct roi_case *c = cases; c->op; c++) {
        feed(*state, c);
        fixture_run(*state, c->op, c->attrs);
        fixture_expect(*state, 0, c->output);
    }
}

/* Whatever the numbers, nothing is read outside the map. */
static void regions_beyond_the_map_do_no_harm(void **state)
{
    static const struct roi_case wild[] = {
        {"max_roi_pool", "[1,1,2] 1 2", "[4,2] nan 1 inf -inf 1e30 2e30 3 1", "integer[4] 0",
         "output_size = [2]", "[4,1,2]"},
        {"avg_roi_pool", "[1,1,2] 1 2", "[4,2] nan 1 -inf inf -1e30 2e30 3 1", "integer[4] 0",
         "output_size = [2]", "[4,1,2]"},
        {"roi_resample", "[1,1,2] 1 2", "[4,2] nan 1 -inf inf -1e30 2e30 3 1", "integer[4] 0",
         "output_size = [2]", "[4,1,2]"},
    };

    for (size_t i = 0; i < sizeof wild / sizeof wild[0]; i++) {
        feed(*state, &wild[i]);
        assert_true(fixture_run(*state, wild[i].op, wild[i].attrs));
        fixture_expect(*state, 0, wild[i].output);
    }
}

static void a_batch_index_out_of_range_is_reported(void **state)
{
    static const struct roi_case wrong[] = {
        {"max_roi_pool", "[1,1,2] 1", "[1,2] 0 1", "integer[1] 1", "output_size = [2]", NULL},
        {"roi_resample", "[1,1,2] 1", "[1,2] 0 1", "integer[1] -1", "output_size = [2]", NULL},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        feed(*state, &wrong[i]);
        fixture_expect_error(*state, wrong[i].op, wrong[i].attrs, DIAG_RUN_INDEX);
    }
}

struct refusal {
    struct roi_case wrong;
    enum diag_code code;
};

/* Rules V41 and V42. */
static const struct refusal refusals[] = {
    {{"avg_roi_pool", "[1,1,4,4]", "[5,3]", "integer[5]", "output_size = [2,2]", NULL},
     DIAG_SHAPE_MISMATCH},
    {{"max_roi_pool", "[1,1,4,4]", "[5,4,1]", "integer[5]", "output_size = [2,2]", NULL},
     DIAG_SHAPE_MISMATCH},
    {{"roi_resample", "[1,1,4,4]", "[5,4]", "integer[4,1]", "output_size = [2,2]", NULL},
     DIAG_SHAPE_MISMATCH},
    {{"roi_resample", "[1,1,4,4]", "[5,4]", "integer[5,2]", "output_size = [2,2]", NULL},
     DIAG_SHAPE_MISMATCH},
    {{"avg_roi_pool", "[1,1,4,4]", "[5,4]", "integer[5]", "output_size = [2]", NULL},
     DIAG_ITEM_COUNT},
    {{"avg_roi_pool", "[1,1,4,4]", "[5,4]", "integer[5]", "output_size = [2,0]", NULL},
     DIAG_ITEM_VALUE},
    {{"avg_roi_pool", "[1,4]", "[5,4]", "integer[5]", "output_size = []", NULL}, DIAG_RANK},
    {{"roi_resample", "[1,1,4]", "[5,2]", "integer[5]", "output_size = [2], method = 'cubic'",
      NULL},
     DIAG_ENUM_VALUE},
    {{"avg_roi_align", "[1,1,4,4]", "[5,4]", "integer[5]",
      "output_size = [2,2], sampling_rate = [2]", NULL},
     DIAG_ITEM_COUNT},
    {{"max_roi_align", "[1,1,4]", "[5,2]", "integer[5]", "output_size = [2], sampling_rate = [0]",
      NULL},
     DIAG_ITEM_VALUE},
    {{0}, DIAG_SYNTAX},
};

static void arguments_are_checked(void **state)
{
    for (const struct refusal *r = refusals; r->wrong.op; r++) {
        feed(*state, &r->wrong);
        fixture_expect_error(*state, r->wrong.op, r->wrong.attrs, r->code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(regions_are_brought_to_one_size, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(regions_beyond_the_map_do_no_harm, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(a_batch_index_out_of_range_is_reported, op_fixture_setup,
                                        op_fixture_teardown),
        cmocka_unit_test_setup_teardown(arguments_are_checked, op_fixture_setup,
                                        op_fixture_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
