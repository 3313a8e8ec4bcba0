/* test_threads.c - any number of threads computes the same bytes, also for two runs at a time */
#include "exec/random.h"
#include "exec/run.h"

#include "diag/context.h"
#include "diag/diag.h"
#include "ir/graph.h"
#include "lower/lower.h"
#include "parser/parser.h"

#include "support/t.h"

#include <pthread.h>
#include <string.h>

/* Every kind of loop that is shared, over tensors so large that it is. */
static const char document[] =
    "version 1.0;\n"
    "extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;\n"
    "fragment layer_normalization(input: tensor<scalar>, scale: tensor<scalar>,\n"
    "    offset: tensor<scalar>, axes: integer[], epsilon: scalar) -> (output: tensor<scalar>);\n"
    "fragment attention(query: tensor<scalar>, key: tensor<scalar>, value: tensor<scalar>,\n"
    "    axis: integer = 3, scale: scalar = 1.0) -> (output: tensor<scalar>);\n"
    "fragment gru(input: tensor<scalar>, filter: tensor<scalar>, recurrence: tensor<scalar>,\n"
    "    bias: tensor<scalar> = 0.0, initial_state: tensor<scalar> = 0.0,\n"
    "    direction: string = 'forward', activations: string[] = [], alpha: scalar[] = [],\n"
    "    beta: scalar[] = [], clip: scalar = 0.0, linear_before_reset: logical = false)\n"
    "-> (output: tensor<scalar>, state: tensor<scalar>);\n"
    "graph net( x, w, w1, w2, b, r, n )\n"
    "-> ( conv1, deconv1, box1, max1, index1, desample1, sample1, tanh1, select1, sum1, arg1,\n"
    "     softmax1, up1, transpose1, matmul1, linear1, align1, cast1, norm1, attention1, gru1, "
    "state1 )\n"
    "{\n"
    "    x = external<scalar>( shape = [2,8,40,40] );\n"
    "    w = external<scalar>( shape = [8,8,3,3] );\n"
    "    w1 = external<scalar>( shape = [1,120,40] );\n"
    "    w2 = external<scalar>( shape = [1,120,40] );\n"
    "    b = external<scalar>( shape = [1,8] );\n"
    "    r = external<scalar>( shape = [50,4] );\n"
    "    n = external<integer>( shape = [50] );\n"
    "    c = constant<scalar>( shape = [1,8,1,1], value = [0.5] );\n"
    "    conv1 = conv( x, w, b );\n"
    "    deconv1 = deconv( x, w, b, stride = [2,2] );\n"
    "    box1 = box( x, size = [1,1,3,3], normalize = true );\n"
    "    max1, index1 = max_pool_with_index( x, size = [1,1,2,2], stride = [1,1,2,2], border = "
    "'ignore' );\n"
    "    desample1 = desample( max1, index1, size = [1,1,2,2], stride = [1,1,2,2] );\n"
    "    sample1 = sample( x, index1, size = [1,1,2,2], stride = [1,1,2,2] );\n"
    "    tanh1 = tanh( x * c );\n"
    "    select1 = select( x < conv1, x, conv1 );\n"
    "    sum1 = sum_reduce( x, axes = [1] );\n"
    "    arg1 = argmax_reduce( x, axes = [1] );\n"
    "    softmax1 = softmax( x, axes = [1] );\n"
    "    up1 = multilinear_upsample( x, factor = [2,2], border = 'replicate' );\n"
    "    transpose1 = transpose( x, axes = [0,2,3,1] );\n"
    "    matmul1 = matmul( x, x );\n"
    "    linear1 = linear( reshape( x, shape = [640,40] ), reshape( w1, shape = [120,40] ), 0.25 "
    ");\n"
    "    align1 = avg_roi_align( x, r, n, output_size = [4,4], sampling_rate = [2,2] );\n"
    "    cast1 = cast<integer>( x * 9.0 );\n"
    "    norm1 = layer_normalization( x, 2.0, 1.0, axes = [2,3], epsilon = 0.01 );\n"
    "    attention1 = attention( x, x, x );\n"
    "    gru1, state1 = gru( reshape( x, shape = [10,64,40] ), w1, w2 );\n"
    "}\n";

enum { STEPS = 2, RUNS = 2, THREADS = 4 };

struct fixture {
    struct context *context;
    struct graph *graph;
};

static int setup(void **state)
{
    static struct fixture f;
    const struct parse_options parse = {.dialect = PARSE_AUTO};
    const struct sema_options sema = {0};
    const struct lower_options options = {0};
    size_t size = sizeof document - 1;

    f.context = context_new();
    uint32_t base = sources_add(f.context->sources, "shared.nnef", document, size);
    const struct checked *checked =
        sema_check(f.context, parse_text(f.context, base, document, size, &parse), &sema);
    f.graph = checked ? lower(checked, &options) : NULL;
    diag_print(f.context->diag, stderr, DIAG_STYLE_SHORT, false);
    assert_non_null(f.graph);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    context_free(f->context);
    return 0;
}

/* --- a run that anybody may make ------------------------------------------------------------- */

struct job {
    const struct graph *graph;
    int threads;
    struct run *run; /* after some steps; NULL: something went wrong */
};

static bool feed(struct run *run, int index, const struct port *port)
{
    struct random random = random_stream(1, port->name);
    struct tensor tensor;

    if (!tensor_allocate(&tensor, (enum dtype)port->value->dtype, port->value->shape))
        return false;
    random_fill(&random, &tensor, -1, 1);
    run_set_input(run, index, &tensor);
    return true;
}

static void *work(void *data)
{
    struct job *job = data;
    bool ok = (job->run = run_new(job->graph));

    if (ok)
        run_set_threads(job->run, job->threads);
    for (int i = 0; ok && i < STEPS; i++) {
        for (int k = 0; ok && k < job->graph->ninput; k++)
            ok = feed(job->run, k, &job->graph->inputs[k]);
        ok = ok && run_step(job->run);
    }
    if (!ok) {
        run_free(job->run);
        job->run = NULL;
    }
    return NULL;
}

static struct run *run_with(const struct fixture *f, int threads)
{
    struct job job = {f->graph, threads, NULL};

    work(&job);
    assert_non_null(job.run);
    return job.run;
}

static void assert_same_results(const struct graph *graph, const struct run *a, const struct run *b)
{
    for (int i = 0; i < graph->noutput; i++) {
        const struct tensor *x = run_tensor(a, graph->outputs[i].value);
        const struct tensor *y = run_tensor(b, graph->outputs[i].value);
        if (memcmp(x->data, y->data, tensor_bytes(x)) != 0)
            fail_msg("'%s' differs", graph->outputs[i].name);
    }
}

/* --- tests ----------------------------------------------------------------------------------- */

static void any_number_of_threads_computes_the_same(void **state)
{
    const struct fixture *f = *state;
    struct run *alone = run_with(f, 1);

    for (int threads = 0; threads <= THREADS; threads++) {
        struct run *run = run_with(f, threads);
        assert_same_results(f->graph, alone, run);
        run_free(run);
    }
    run_free(alone);
}

static void runs_of_one_graph_go_on_at_a_time(void **state)
{
    const struct fixture *f = *state;
    struct run *alone = run_with(f, 1);
    struct job jobs[RUNS];
    pthread_t threads[RUNS];

    for (int i = 0; i < RUNS; i++) {
        jobs[i] = (struct job){f->graph, THREADS, NULL};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    for (int i = 0; i < RUNS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < RUNS; i++) {
        assert_non_null(jobs[i].run);
        assert_same_results(f->graph, alone, jobs[i].run);
        run_free(jobs[i].run);
    }
    run_free(alone);
}

static void threads_may_be_told_between_steps(void **state)
{
    const struct fixture *f = *state;
    struct run *alone = run_with(f, 1), *run = run_with(f, 2);

    run_set_threads(run, 3);
    assert_true(run_step(run));
    run_set_threads(run, 1);
    assert_true(run_step(run));
    assert_same_results(f->graph, alone, run);
    run_free(run);
    run_free(alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_computes_the_same),
        cmocka_unit_test(runs_of_one_graph_go_on_at_a_time),
        cmocka_unit_test(threads_may_be_told_between_steps),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
