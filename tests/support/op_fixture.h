/*
 * op_fixture.h - one operator on given operands, for cmocka tests of shape rules and kernels
 *
 *     fixture_feed(f, "input", "[2,3] 1 2 3 4 5 6");
 *     fixture_run(f, "sum_reduce", "axes = [1], normalize = false");
 *     fixture_expect(f, 0, "[2,1] 6 15");
 *
 * A tensor is written as shape and values, in front of it its data type unless that is scalar:
 * "integer[2] 0 1", "logical[] true"; a single value fills the shape.  With an extent that is
 * unknown, "[?,3]", or without values only shapes are inferred.  Attributes are written as in
 * NNEF; one that is left out is zero, whatever its default.  Every run starts with the operands
 * fed since the run before.
 */
#ifndef NNEFC_TESTS_SUPPORT_OP_FIXTURE_H
#define NNEFC_TESTS_SUPPORT_OP_FIXTURE_H

#include "diag/diag.h"
#include "op/op_build.h"

#include <stdbool.h>

enum { FIXTURE_TENSORS = 16 };

struct op_fixture {
    struct context *context;
    struct graph *graph; /* ->provisional may be set */
    enum dtype generic;  /* what '?' stands for; UNKNOWN: the type of the first operand */
    double tolerance;    /* absolute and relative of scalars; 1e-5 */

    struct op_operand operand[FIXTURE_TENSORS];
    struct tensor in[FIXTURE_TENSORS], out[FIXTURE_TENSORS];
    bool valued; /* all operands have values */
    int nin, nout;
    const struct node *node; /* of the last run */
};

/* setup and teardown of a cmocka test; *state is the fixture */
int op_fixture_setup(void **state);
int op_fixture_teardown(void **state);

#define OP_TEST(test) cmocka_unit_test_setup_teardown(test, op_fixture_setup, op_fixture_teardown)

/* Add an operand for the next run, named as in the signature. */
void fixture_feed(struct op_fixture *f, const char *param, const char *tensor);

/* Build and evaluate. False if either reported an error. */
bool fixture_run(struct op_fixture *f, const char *op, const char *attrs);

/* Result `index` of the last run has this type, this shape and, if given, these values. */
void fixture_expect(const struct op_fixture *f, int index, const char *tensor);

/* The next run reports exactly one error, of this code. */
void fixture_expect_error(struct op_fixture *f, const char *op, const char *attrs,
                          enum diag_code code);

/* Let external, constant or variable make a value of type f->generic; NULL if it reports. */
const struct value *fixture_introduce(struct op_fixture *f, const char *op, const char *attrs);

#endif
