/* test_write_into.c - what is joined, and what is transposed for a product, takes no step of its
 * own */
#include "base/text.h"
#include "exec/backend.h"
#include "exec/plan.h"
#include "ir/graph.h"
#include "support/doc.h"
#include "support/doc_backend.h"

#include "support/t.h"

#include <string.h>

/* Parts side by side, joined ones among them. */
static const char *const joined =
    "version 1.0;\n"
    "graph g(x) -> (y) {\n"
    "    x = external<scalar>(shape = [2,3,4,5]);              #< 0.5\n"
    "    f = variable<scalar>(shape = [7,3,3,3], label = 'f');   #< 0.25\n"
    "    a = conv(x, f, 1.0);\n"
    "    b = conv(x, f, -3.0);\n"
    "    c = max_pool(b, size = [1,1,2,2], border = 'ignore');\n"
    "    i = concat([a, c], axis = 1);\n"
    "    d = box(x, size = [1,1,2,2], border = 'constant');\n"
    "    j = concat([d, i], axis = 1);\n"
    "    g = variable<scalar>(shape = [5,17,1,1], label = 'g');  #< 0.5\n"
    "    y = conv(j, g, 0.0);                                  #> [2,5,4,5]\n"
    "}\n";

/* One part is a parameter, one is there twice, and one is a result, too. */
static const char *const partly =
    "version 1.0;\n"
    "graph g(x) -> (y, c) {\n"
    "    x = external<scalar>(shape = [1,3,4,5]);              #< 0.5\n"
    "    a = exp(x);\n"
    "    b = neg(x);\n"
    "    c = sqr(x);                                           #> [1,3,4,5]\n"
    "    j = concat([a, x, b, b, c], axis = 1);\n"
    "    k = relu(a);\n"
    "    l = concat([j, k], axis = 1);\n"
    "    y = abs(l);                                           #> [1,18,4,5]\n"
    "}\n";

static const char *const shown =
    "version 1.0;\n"
    "graph g(x) -> (y, c) {\n"
    "    x = external<scalar>(shape = [1,3,4,5]);              #< 0.5\n"
    "    c = sqr(x);                                           #> [1,3,4,5]\n"
    "    j = concat([c, x], axis = 1);\n"
    "    y = abs(j);                                           #> [1,6,4,5]\n"
    "}\n";

static const char *const heads =
    "version 1.0;\n"
    "graph g(x, z) -> (y) {\n"
    "    x = external<scalar>(shape = [2,9,3,4,5]);            #< 0.5\n"
    "    z = external<scalar>(shape = [2,9,4,5]);              #< -0.25\n"
    "    t = transpose(x, axes = [2,0,3,1,4]);\n"
    "    s1 = slice(t, axes = [0], begin = [1], end = [2]);\n"
    "    s2 = slice(t, axes = [0], begin = [2], end = [3]);\n"
    "    k = squeeze(s1, axes = [0]);\n"
    "    v = squeeze(s2, axes = [0]);\n"
    "    q = transpose(z, axes = [0,2,1,3]);\n"
    "    w = matmul(q, k, transposeB = true);\n"
    "    e = softmax(w, axes = [3]);\n"
    "    m = matmul(e, v);\n"
    "    o = transpose(m, axes = [0,2,1,3]);\n"
    "    y = reshape(o, shape = [2,9,20]);                     #> [2,9,20]\n"
    "}\n";

/* The items that are joined are read in their own shape, too, when the join is gone. */
static const char *const flattened =
    "version 1.0;\n"
    "graph g(x) -> (y, z) {\n"
    "    x = external<scalar>(shape = [1,3,4,5]);              #< 0.5\n"
    "    a = exp(x);\n"
    "    b = neg(x);\n"
    "    c = reshape(a, shape = [1,60]);\n"
    "    d = reshape(b, shape = [1,60]);\n"
    "    j = concat([c, d], axis = 1);\n"
    "    y = sum_reduce(j, axes = [1]);                        #> [1,1]\n"
    "    p = max_reduce(a, axes = [1]);\n"
    "    q = max_reduce(b, axes = [1]);\n"
    "    z = add(p, q);                                        #> [1,1,4,5]\n"
    "}\n";

static void print_plan(void *to, const struct doc *doc, struct graph *graph, const struct run *run)
{
    const struct plan_options options = {.backend = &backend_portable, .threads = 1};
    struct plan *plan = plan_new(graph, &options);

    (void)doc;
    (void)run;
    assert_non_null(plan);
    plan_print(plan, to);
    plan_free(plan);
}

static int count(const char *text, const char *word)
{
    int count = 0;

    for (text = strstr(text, word); text; text = strstr(text + 1, word))
        count++;
    return count;
}

/* How often the word is in the plan. */
static int count_in_plan(const char *text, const char *word)
{
    struct text plan = {0};
    const struct doc_watcher watcher = {.computed = print_plan, .to = &plan};
    struct doc doc;

    doc_read_text(&doc, "graph.nnef", text);
    doc_watch(&doc, &watcher);
    int found = count(plan.data, word);
    doc_clear(&doc);
    text_free(&plan);
    return found;
}

static void computes(const char *text)
{
    struct doc doc;

    doc_read_text(&doc, "graph.nnef", text);
    doc.scaled = true;
    if (!doc_run_planned(&doc))
        fail_msg("%s", doc.complaints.data);
    doc_clear(&doc);
}

static void what_layers_write_into_a_join_is_not_moved(void **state)
{
    (void)state;
    computes(joined);
    assert_int_equal(count_in_plan(joined, "= concat"), 0);
    assert_int_equal(count_in_plan(joined, "part of j"), 3);
}

static void what_cannot_be_written_into_a_join_is_moved(void **state)
{
    (void)state;
    computes(partly);
    assert_int_equal(count_in_plan(partly, "= concat"), 1);
    assert_int_equal(count_in_plan(partly, "by portable, move, the rest"), 1);
}

/* The memory of the join can be used again when the join was read. */
static void a_result_of_the_graph_is_part_of_no_join(void **state)
{
    (void)state;
    computes(shown);
    assert_int_equal(count_in_plan(shown, "part of"), 0);
}

/* Within the join, either would keep the memory of both. */
static void what_is_read_in_its_own_shape_too_is_part_of_no_join(void **state)
{
    (void)state;
    computes(flattened);
    assert_int_equal(count_in_plan(flattened, "part of"), 0);
}

static void heads_of_attention_are_read_and_written_where_they_are(void **state)
{
    (void)state;
    computes(heads);
    assert_int_equal(count_in_plan(heads, "= transpose"), 0);
    assert_int_equal(count_in_plan(heads, "= slice"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_layers_write_into_a_join_is_not_moved),
        cmocka_unit_test(what_cannot_be_written_into_a_join_is_moved),
        cmocka_unit_test(a_result_of_the_graph_is_part_of_no_join),
        cmocka_unit_test(what_is_read_in_its_own_shape_too_is_part_of_no_join),
        cmocka_unit_test(heads_of_attention_are_read_and_written_where_they_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
