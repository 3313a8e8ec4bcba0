/*
 * test_c_operators.c - every operator of both libraries can be written as C, or expanded
 */
#include "support/t.h"

#include "backend/c/c.h"
#include "diag/context.h"
#include "ir/graph.h"
#include "lower/lower.h"
#include "op/op.h"
#include "sema/sema.h"

/* Values are no operations, and no client's operation has a form in C. */
static bool needs_none(const struct op_desc *op)
{
    return op->introduces || op->traits & OP_CUSTOM;
}

static void all_are_printed_or_expanded(void **state)
{
    struct context *context = context_new();
    const struct library *library = library_load(context, DIALECT_1_0);
    struct graph *graph = graph_new(context, "net");

    (void)state;
    assert_non_null(library);
    for (int i = 0; i < OP_COUNT; i++) {
        const struct op_desc *op = op_table[i];
        const struct node node = {.op = op};
        if (needs_none(op) || lower_can_replace(graph, library, op) || c_knows(&node))
            continue;
        print_error("there is no C for '%s'\n", op->name);
        fail();
    }
    context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_printed_or_expanded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
