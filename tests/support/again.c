/* again.c - whether a graph computes what another one did */
#include "support/again.h"
#include "support/t.h"

#include "exec/run.h"
#include "ir/graph.h"

#include <string.h>

static void copy_tensor(struct tensor *to, const struct tensor *from)
{
    assert_true(tensor_allocate(to, from->dtype, &from->shape));
    memcpy(to->data, from->data, tensor_bytes(from));
}

static void compare(const struct tensor *a, const struct tensor *b)
{
    assert_true(shape_equal(&a->shape, &b->shape));
    assert_int_equal(a->dtype, b->dtype);
    assert_memory_equal(a->data, b->data, tensor_bytes(a));
}

void again_computes_same(const struct graph *second, const struct run *run,
                         const struct graph *first)
{
    struct run *again = run_new(second);

    assert_non_null(again);
    run_set_threads(again, 1);
    for (int i = 0; i < first->ninput; i++) {
        struct tensor input;
        copy_tensor(&input, run_tensor(run, first->inputs[i].value));
        run_set_input(again, i, &input);
    }
    assert_true(run_step(again));
    for (int i = 0; i < first->noutput; i++)
        compare(run_tensor(run, first->outputs[i].value),
                run_tensor(again, second->outputs[i].value));
    run_free(again);
}
