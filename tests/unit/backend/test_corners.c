/*
 * test_corners.c - NaN, infinities, zeros of both signs and numbers smaller than normal ones
 *
 * Whatever kernels of whatever processor compute from them is what the reference does.  Only
 * algorithms that add before they multiply spread what is not finite, and these keep to their share
 * if results must be exact.
 */
#include "kernel/kernels.h"
#include "support/doc.h"
#include "support/doc_backend.h"
#include "support/files.h"
#include "support/random_graph.h"
#include "support/random_layer.h"

#include "support/t.h"

#include <stdlib.h>
#include <string.h>

enum { SEEDS = 25, DOCUMENT_SEEDS = 1 };

static const char *const variants[] = {"generic", "avx2", "avx2_vnni", "avx512", "avx512_vnni"};

enum { VARIANTS = sizeof variants / sizeof variants[0] };

/* Kernels of one variant only. */
static bool use_variant(int i)
{
    setenv("NNEFC_KERNELS", variants[i], 1);
    return strcmp(kernels_variant(0)->name, variants[i]) == 0;
}

static int use_all(void **state)
{
    (void)state;
    unsetenv("NNEFC_KERNELS");
    return 0;
}

struct how {
    enum corners corners;
    bool exact;
};

static void compute_by(struct doc *doc, const struct how *how, uint64_t seed)
{
    doc->corners = how->corners;
    doc->exact = how->exact;
    doc->seed = seed;
    if (!doc_run_planned(doc))
        fail_msg("by %s, seed %llu, %s: %s%.2000s", kernels_variant(0)->name,
                 (unsigned long long)seed, how->exact ? "exactly" : "fast", doc->complaints.data,
                 doc->text);
}

static void compute_text(const char *text, const struct how *how, uint64_t seed)
{
    struct doc doc;

    doc_read_text(&doc, "graph.nnef", text);
    doc.scaled = true;
    compute_by(&doc, how, seed);
    doc_clear(&doc);
}

/* --- all there is --------------------------------------------------------------------------- */

static void compute_random(const struct how *how)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct random_graph *graph = random_graph_new(seed);
        struct text text = {0}, layer = {0};
        random_graph_text(graph, &text);
        random_layer_text(seed, &layer);
        compute_text(text.data, how, seed);
        compute_text(layer.data, how, seed);
        text_free(&layer);
        text_free(&text);
        random_graph_free(graph);
    }
}

static void graphs_and_layers_compute_the_same_from_corners(void **state)
{
    (void)state;
    for (int i = 0; i < VARIANTS; i++)
        if (use_variant(i)) {
            compute_random(&(struct how){CORNERS_ALL, .exact = true});
            compute_random(&(struct how){CORNERS_FINITE, .exact = false});
        }
}

static void try_document(void *to, const char *path)
{
    static const struct how how = {CORNERS_ALL, true};

    for (uint64_t seed = 1; seed <= DOCUMENT_SEEDS; seed++) {
        struct doc doc;
        doc_read(&doc, path);
        if (doc.has_values && doc.complaints.size == 0)
            compute_by(&doc, &how, seed);
        *(int *)to += doc.has_values;
        doc_clear(&doc);
    }
}

static void documents_compute_the_same_from_corners(void **state)
{
    int tried = 0;

    (void)state;
    for (int i = 0; i < VARIANTS; i++)
        if (use_variant(i))
            assert_true(files_below("tests/op", ".nnef", try_document, &tried));
    assert_true(tried > 0);
}

/* --- activations ---------------------------------------------------------------------------- */

/* By sums of products that they are part of: %s is the operation, of which 24 channels fill no
 * vector. */
static const char *const activated[] = {
    "    f = variable<scalar>(shape = [24,3,3,3], label = 'f'); #< 0.25\n"
    "    c = conv(x, f, 0.5);\n",
    "    f = variable<scalar>(shape = [24,1,3,3], label = 'f'); #< 0.25\n"
    "    b = variable<scalar>(shape = [1,24,1,1], label = 'b'); #< 1.0\n"
    "    w = mul(max_reduce(x, axes = [1]), b);\n"
    "    c = conv(w, f, 0.5, groups = 0);\n",
    "    f = variable<scalar>(shape = [3,24,2,2], label = 'f'); #< 0.25\n"
    "    c = deconv(x, f, 0.5, stride = [2,2]);\n",
    "    f = variable<scalar>(shape = [1,1,9,9], label = 'f'); #< 0.25\n"
    "    c = matmul(x, f);\n",
};

static const char *const activations[] = {
    "relu(c)",
    "clamp(c, -1.0, 2.0)",
    "sigmoid(c)",
    "tanh(c)",
    "elu(c, alpha = 0.5)",
    "leaky_relu(c, alpha = 0.1)",
    "clamp(c, 0.0, 6.0)",
    "gelu(c)",
    "silu(c)",
    "softplus(c)",
    "max(c, 1.0)",
    "min(c, 1.0)",
    "abs(c)",
};

static void compute_activated(const char *sums, const char *activation)
{
    struct text text = {0};

    text_add(&text,
             "version 1.0;\n"
             "extension KHR_enable_operator_expressions;\n"
             "graph g(x) -> (y) {\n"
             "    x = external<scalar>(shape = [1,3,9,9]); #< 0.75\n"
             "%s    y = %s;\n}\n",
             sums, activation);
    for (uint64_t seed = 1; seed <= 4; seed++)
        compute_text(text.data, &(struct how){CORNERS_ALL, true}, seed);
    text_free(&text);
}

static void activations_of_sums_are_as_those_of_items(void **state)
{
    (void)state;
    for (int i = 0; i < VARIANTS; i++)
        for (size_t k = 0; k < sizeof activated / sizeof activated[0] && use_variant(i); k++)
            for (size_t j = 0; j < sizeof activations / sizeof activations[0]; j++)
                compute_activated(activated[k], activations[j]);
}

/* --- algorithms that spread what is not finite ----------------------------------------------- */

static const char *const spreading =
    "version 1.0;\n"
    "graph g(x, m) -> (y, z) {\n"
    "    x = external<scalar>(shape = [1,16,24,24]); #< 0.75\n"
    "    m = external<scalar>(shape = [512,256]);    #< 0.75\n"
    "    f = variable<scalar>(shape = [16,16,3,3], label = 'f'); #< 0.0625\n"
    "    y = conv(x, f, 1.0);                        #> [1,16,24,24]\n"
    "    v = variable<scalar>(shape = [128,256], label = 'v'); #< 0.0625\n"
    "    z = linear(m, v, 1.0);                      #> [512,128]\n"
    "}\n";

static void what_is_not_finite_is_not_lost_by_fewer_products(void **state)
{
    (void)state;
    for (int i = 0; i < VARIANTS; i++)
        for (uint64_t seed = 1; seed <= 2 && use_variant(i); seed++) {
            compute_text(spreading, &(struct how){CORNERS_ALL, false}, seed);
            compute_text(spreading, &(struct how){CORNERS_ALL, true}, seed);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(graphs_and_layers_compute_the_same_from_corners, use_all),
        cmocka_unit_test_teardown(documents_compute_the_same_from_corners, use_all),
        cmocka_unit_test_teardown(activations_of_sums_are_as_those_of_items, use_all),
        cmocka_unit_test_teardown(what_is_not_finite_is_not_lost_by_fewer_products, use_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
