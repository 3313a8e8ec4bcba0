/* test_place.c - how much memory the tensors of a run take */
#include "exec/backend.h"
#include "exec/planner.h"
#include "support/doc.h"

#include "support/t.h"

/* 256, 64, 4096 and 64 bytes; s fits where a was, and l where b was. */
static const char *const gaps = "version 1.0;\n"
                                "graph g(x, w, v) -> (k, m, s, l) {\n"
                                "    x = external<scalar>(shape = [1,64]);   #< 0.5\n"
                                "    w = external<scalar>(shape = [64,16]);  #< 0.25\n"
                                "    v = external<scalar>(shape = [1,16]);   #< 0.25\n"
                                "    a = exp(x);\n"
                                "    k = exp(v);\n"
                                "    b = exp(w);\n"
                                "    m = matmul(a, b);\n"
                                "    s = neg(x);                             #> [1,64] -0.5\n"
                                "    l = neg(w);\n"
                                "}\n";

static const char *const chain =
    "version 1.0;\n"
    "graph g(x) -> (y) {\n"
    "    x = external<scalar>(shape = [1,1,4,64]);        #< 0.5\n"
    "    a = max_pool(x, size = [1,1,2,2], border = 'ignore');\n"
    "    y = neg(a);                                      #> [1,1,4,64] -0.5\n"
    "}\n";

static void measure(void *to, const struct doc *doc, struct graph *graph, const struct run *run)
{
    const struct plan_options options = {.backend = &backend_portable, .threads = 1};
    struct plan *plan = plan_new(graph, &options);

    (void)doc;
    (void)run;
    assert_non_null(plan);
    *(size_t *)to = plan->tensors;
    plan_free(plan);
}

static size_t bytes_of(const char *text)
{
    size_t bytes = 0;
    const struct doc_watcher watcher = {.computed = measure, .to = &bytes};
    struct doc doc;

    doc_read_text(&doc, "graph.nnef", text);
    doc_watch(&doc, &watcher);
    doc_clear(&doc);
    return bytes;
}

static void a_result_takes_the_smallest_gap_that_is_large_enough(void **state)
{
    (void)state;
    assert_int_equal(bytes_of(gaps), 256 + 64 + 4096 + 64);
}

static void a_chain_takes_the_memory_of_what_it_reads_last(void **state)
{
    (void)state;
    assert_int_equal(bytes_of(chain), 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_takes_the_smallest_gap_that_is_large_enough),
        cmocka_unit_test(a_chain_takes_the_memory_of_what_it_reads_last),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
