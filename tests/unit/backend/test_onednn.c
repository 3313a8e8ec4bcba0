/* test_onednn.c - what oneDNN computes, against the reference */
#include "base/text.h"
#include "nnefc/backend.h"
#include "support/t.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- what is computed ------------------------------------------------------------------------- */

/* Statements of a graph where '$' is the number of the row: externals x$ and r$, variables f$ and b$. */
struct row {
    const char *x, *r, *f, *b; /* shapes; NULL: there is none */
    const char *statements;    /* y$ is the result */
    bool elsewhere;            /* the library has no code for it, or another meaning */
};

#define SAME "border = 'constant', padding = [(1,1),(1,1)]"

static const struct row rows[] = {
    /* convolutions: ranks, channels, windows */
    {"[1,3,13,11]", NULL, "[16,3,3,3]", NULL, "y$ = conv(x$, f$, " SAME ");", false},
    {"[1,3,29,31]", NULL, "[17,3,7,7]", "[1,17]",
     "y$ = conv(x$, f$, b$, padding = [(3,3),(3,3)], stride = [2,2]);", false},
    {"[2,5,7,9]", NULL, "[7,5,1,1]", "[1,7]", "y$ = conv(x$, f$, b$, padding = [(0,0),(0,0)]);",
     false},
    {"[1,64,7,7]", NULL, "[70,64,1,1]", NULL,
     "y$ = conv(x$, f$, 0.5, padding = [(0,0),(0,0)], stride = [2,2]);", false},
    {"[1,4,9,8]", NULL, "[6,4,2,3]", NULL,
     "y$ = conv(x$, f$, padding = [(0,1),(2,0)], stride = [1,2], dilation = [2,1]);", false},
    {"[1,4,9,8]", NULL, "[6,4,3,3]", NULL, "y$ = conv(x$, f$);", false},
    {"[1,4,10,8]", NULL, "[6,4,3,3]", NULL, "y$ = conv(x$, f$, stride = [3,2]);", false},
    {"[1,33,9,9]", NULL, "[33,1,3,3]", "[1,33]", "y$ = conv(x$, f$, b$, " SAME ", groups = 0);",
     false},
    {"[1,16,9,9]", NULL, "[16,1,5,5]", NULL,
     "y$ = conv(x$, f$, padding = [(2,2),(2,2)], stride = [2,2], groups = 16);", false},
    {"[1,32,9,7]", NULL, "[48,16,3,3]", NULL, "y$ = conv(x$, f$, " SAME ", groups = 2);", false},
    {"[2,8,19]", NULL, "[12,8,3]", "[1,12]", "y$ = conv(x$, f$, b$, padding = [(1,1)]);", false},
    {"[1,4,5,6,7]", NULL, "[8,4,3,3,3]", NULL, "y$ = conv(x$, f$, padding = [(1,1),(1,1),(1,1)]);",
     false},
    {"[1,4,9,8]", NULL, "[6,4,3,3]", NULL,
     "y$ = conv(x$, f$, border = 'replicate', padding = [(1,1),(1,1)]);", true},
    {"[1,4,9,8]", NULL, "[6,4,3,3]", NULL, "y$ = conv(x$, f$, padding = [(-1,0),(0,0)]);", true},
    /* with what follows */
    {"[1,16,9,9]", NULL, "[24,16,3,3]", "[1,24]", "c$ = conv(x$, f$, b$, " SAME "); y$ = relu(c$);",
     false},
    {"[1,16,9,9]", "[1,24,9,9]", "[24,16,3,3]", "[1,24]",
     "c$ = conv(x$, f$, b$, " SAME "); a$ = add(c$, r$); y$ = relu(a$);", false},
    {"[1,16,9,9]", "[1,16,9,9]", "[16,16,1,1]", NULL,
     "s$ = max(r$, x$); c$ = conv(x$, f$); a$ = add(s$, c$); y$ = relu(a$);", false},
    {"[1,16,9,9]", NULL, "[16,16,1,1]", NULL, "c$ = conv(x$, f$); y$ = add(c$, x$);", false},
    {"[1,16,9,9]", "[1,16,9,9]", "[16,16,3,3]", NULL,
     "s$ = max(r$, x$); c$ = conv(s$, f$, " SAME "); y$ = add(s$, c$);", false},
    {"[1,16,9,9]", "[1,16,9,9]", "[16,16,3,3]", NULL,
     "c$ = conv(x$, f$, " SAME "); u$ = relu(c$); y$ = mul(u$, r$);", false},
    {"[1,16,9,9]", NULL, "[16,16,3,3]", NULL,
     "c$ = conv(x$, f$, " SAME "); y$ = clamp(c$, 0.0, 0.25);", false},
    {"[1,16,9,9]", NULL, "[16,16,3,3]", NULL,
     "c$ = conv(x$, f$, " SAME "); y$ = leaky_relu(c$, alpha = 0.1);", false},
    {"[1,16,9,9]", NULL, "[16,16,3,3]", NULL,
     "c$ = conv(x$, f$, " SAME "); y$ = elu(c$, alpha = 0.5);", false},
    {"[1,16,9,9]", NULL, "[16,16,3,3]", NULL, "c$ = conv(x$, f$, " SAME "); y$ = sigmoid(c$);",
     false},
    {"[1,16,9,9]", NULL, "[16,16,3,3]", NULL, "c$ = conv(x$, f$, " SAME "); y$ = tanh(c$);", false},
    {"[1,16,9,9]", NULL, "[16,16,3,3]", NULL, "c$ = conv(x$, f$, " SAME "); y$ = silu(c$);", false},
    {"[1,16,9,9]", NULL, "[16,16,3,3]", NULL, "c$ = conv(x$, f$, " SAME "); y$ = gelu(c$);", false},
    {"[1,16,9,9]", NULL, "[16,16,3,3]", NULL,
     "c$ = conv(x$, f$, " SAME
     "); u$ = relu(c$); v$ = sub(0.5, u$); w$ = min(v$, 0.4); y$ = tanh(w$);",
     false},
    {"[1,33,9,9]", "[1,33,9,9]", "[33,1,3,3]", NULL,
     "c$ = conv(x$, f$, " SAME ", groups = 0); a$ = add(r$, c$); y$ = relu(a$);", false},
    /* back again */
    {"[1,6,5,7]", NULL, "[6,5,3,3]", "[1,5]", "y$ = deconv(x$, f$, b$, " SAME ", stride = [2,2]);",
     false},
    {"[1,16,5,7]", NULL, "[16,8,2,2]", NULL,
     "c$ = deconv(x$, f$, padding = [(0,0),(0,0)], stride = [2,2]); y$ = relu(c$);", false},
    {"[1,16,5,7]", NULL, "[16,4,4,4]", NULL,
     "y$ = deconv(x$, f$, " SAME ", stride = [2,2], groups = 2);", false},
    {"[1,6,5,7]", NULL, "[6,5,3,3]", NULL,
     "y$ = deconv(x$, f$, padding = [(1,0),(0,1)], stride = [1,3], dilation = [2,1]);", false},
    /* windows */
    {"[1,19,13,12]", NULL, NULL, NULL,
     "y$ = max_pool(x$, size = [1,1,3,3], border = 'ignore', stride = [1,1,2,2], padding = "
     "[(0,0),(0,0),(1,1),(0,1)]);",
     false},
    {"[1,19,13,12]", NULL, NULL, NULL,
     "y$ = max_pool(x$, size = [1,1,2,3], padding = [(0,0),(0,0),(0,0),(0,0)]);", false},
    {"[1,16,13,12]", NULL, NULL, NULL,
     "y$ = max_pool(x$, size = [1,1,3,3], padding = [(0,0),(0,0),(1,1),(1,1)]);", true},
    {"[1,19,13,12]", NULL, NULL, NULL,
     "y$ = avg_pool(x$, size = [1,1,3,3], border = 'ignore', stride = [1,1,2,1], padding = "
     "[(0,0),(0,0),(1,1),(0,2)]);",
     false},
    {"[1,19,13,12]", NULL, NULL, NULL,
     "y$ = avg_pool(x$, size = [1,1,3,3], border = 'constant', padding = "
     "[(0,0),(0,0),(1,1),(0,1)]);",
     false},
    {"[1,19,13]", NULL, NULL, NULL,
     "y$ = box(x$, size = [1,1,4], padding = [(0,0),(0,0),(0,0)], stride = [1,1,4], normalize = "
     "true);",
     false},
    {"[2,19,5,7]", NULL, NULL, NULL, "y$ = mean_reduce(x$, axes = [2,3]);", false},
    /* products */
    {"[7,37]", NULL, "[19,37]", "[1,19]", "l$ = linear(x$, f$, b$); y$ = relu(l$);", false},
    {"[5,37]", NULL, "[19,37]", NULL, "l$ = linear(x$, f$, 0.25); y$ = sigmoid(l$);", false},
    {"[5,37]", "[5,19]", "[19,37]", "[1,19]",
     "l$ = linear(x$, f$, b$); s$ = sqr(r$); a$ = add(l$, s$); y$ = relu(a$);", false},
    {"[7,37]", NULL, "[37,20]", NULL, "l$ = matmul(x$, f$); y$ = relu(l$);", false},
    {"[37,7]", NULL, "[20,37]", NULL,
     "l$ = matmul(x$, f$, transposeA = true, transposeB = true); y$ = tanh(l$);", false},
    {"[2,3,7,37]", NULL, "[1,1,37,20]", "[1,1,1,20]", "l$ = matmul(x$, f$); y$ = add(b$, l$);",
     false},
    {"[2,3,7,5]", "[2,3,5,6]", NULL, NULL, "y$ = matmul(x$, r$);", false},
    {"[2,3,7,5]", "[2,3,6,5]", NULL, NULL, "y$ = matmul(x$, r$, transposeB = true);", false},
    {"[2,3,5,7]", "[1,1,5,6]", NULL, NULL, "y$ = matmul(x$, r$, transposeA = true);", false},
    {"[1,1,7,5]", "[2,3,5,6]", NULL, NULL, "l$ = matmul(x$, r$); y$ = gelu(l$);", false},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

/* --- as a document ---------------------------------------------------------------------------- */

static void add_row_text(struct text *text, int row, const char *statements)
{
    for (const char *c = statements; *c; c++)
        if (*c == '$')
            text_add(text, "%d", row);
        else
            text_add(text, "%c", *c);
    text_add(text, "\n");
}

static void add_source(struct text *text, int row, const char *name, const char *shape)
{
    if (shape && (*name == 'x' || *name == 'r'))
        text_add(text, "    %s%d = external<scalar>(shape = %s);\n", name, row, shape);
    else if (shape)
        text_add(text, "    %s%d = variable<scalar>(shape = %s, label = '%s%d');\n", name, row,
                 shape, name, row);
}

static void add_parameters(struct text *text)
{
    for (int i = 0; i < ROWS; i++) {
        text_add(text, "%sx%d", i > 0 ? ", " : "", i);
        if (rows[i].r)
            text_add(text, ", r%d", i);
    }
}

static struct text document(void)
{
    struct text text = {0};

    text_add(&text, "version 1.0;\ngraph net(");
    add_parameters(&text);
    text_add(&text, ") -> (");
    for (int i = 0; i < ROWS; i++)
        text_add(&text, "%sy%d", i > 0 ? ", " : "", i);
    text_add(&text, ")\n{\n");
    for (int i = 0; i < ROWS; i++) {
        add_source(&text, i, "x", rows[i].x);
        add_source(&text, i, "r", rows[i].r);
        add_source(&text, i, "f", rows[i].f);
        add_source(&text, i, "b", rows[i].b);
        add_row_text(&text, i, rows[i].statements);
    }
    text_add(&text, "}\n");
    return text;
}

/* --- a model in a folder ---------------------------------------------------------------------- */

struct fixture {
    char folder[64];
    struct nnefc_model *model;
};

static void remove_folder(const char *folder)
{
    DIR *listing = opendir(folder);
    const struct dirent *entry;
    char path[512];

    while (listing && (entry = readdir(listing))) { /* NOLINT(concurrency-mt-unsafe) */
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        (void)unlink(path);
    }
    if (listing)
        closedir(listing);
    (void)rmdir(folder);
}

static struct nnefc_model *load(const char *folder)
{
    struct nnefc_model *model = nnefc_model_new();

    if (nnefc_model_load(model, folder) != NNEFC_OK)
        nnefc_model_print_diagnostics(model, stderr, NNEFC_PRINT_SHORT, false);
    assert_int_equal(nnefc_model_status(model), NNEFC_OK);
    return model;
}

static void write_document(const char *folder)
{
    struct text text = document();
    char path[512];

    (void)snprintf(path, sizeof path, "%s/graph.nnef", folder);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fwrite(text.data, 1, text.size, file), text.size);
    assert_int_equal(fclose(file), 0);
    text_free(&text);
}

static int open_model(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    strcpy(f->folder, "/tmp/nnefc-test-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    write_document(f->folder);
    struct nnefc_model *model = load(f->folder);
    assert_int_equal(nnefc_model_init_weights(model, 1, true), NNEFC_OK);
    nnefc_model_free(model);
    f->model = load(f->folder);
    *state = f;
    return 0;
}

static int close_model(void **state)
{
    struct fixture *f = *state;

    nnefc_model_free(f->model);
    remove_folder(f->folder);
    free(f);
    return 0;
}

/* Without Winograd's algorithm, for which the portable backend is asked first. */
static struct nnefc_run *run_by(struct fixture *f, const char *backend, int threads)
{
    const struct nnefc_run_options options = {
        .backend = backend, .threads = threads, .exact = true};
    struct nnefc_run *run = nnefc_run_new_with(f->model, &options);

    assert_non_null(run);
    for (int i = 0; i < nnefc_model_input_count(f->model); i++)
        assert_int_equal(nnefc_run_randomize_input(run, i, 1), NNEFC_OK);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    return run;
}

/* --- tests ------------------------------------------------------------------------------------ */

static bool is_there(void)
{
    for (int i = 0; nnefc_backend_name(i); i++)
        if (strcmp(nnefc_backend_name(i), "onednn") == 0)
            return nnefc_backend_facts(i);
    return false;
}

static void skip_without(void)
{
    if (is_there())
        return;
    print_message("there is no oneDNN\n");
    skip();
}

/* The largest difference, as a part of the largest item. */
static double distance(const struct nnefc_tensor *a, const struct nnefc_tensor *b)
{
    double most = 0, largest = 0;

    assert_int_equal(nnefc_tensor_count(a), nnefc_tensor_count(b));
    for (int64_t i = 0; i < nnefc_tensor_count(a); i++) {
        double x = nnefc_tensor_item(a, i), y = nnefc_tensor_item(b, i);
        most = most > fabs(x - y) || isnan(most) ? most : fabs(x - y);
        largest = fmax(largest, fabs(y));
    }
    return most / fmax(largest, 1e-3);
}

static void compare_runs(const struct nnefc_run *run, const struct nnefc_run *reference)
{
    for (int i = 0; i < ROWS; i++) {
        double far = distance(nnefc_run_output(run, i), nnefc_run_output(reference, i));
        if (!(far < 1e-5))
            fail_msg("row %d is off by %g: %s", i, far, rows[i].statements);
    }
}

static void it_agrees_with_the_reference(void **state)
{
    skip_without();
    for (int threads = 1; threads <= 3; threads++) {
        struct nnefc_run *run = run_by(*state, "onednn", threads);
        struct nnefc_run *reference = run_by(*state, "reference", 1);
        assert_string_equal(nnefc_run_backend(run), "onednn");
        compare_runs(run, reference);
        assert_int_equal(nnefc_run_step(run), NNEFC_OK);
        compare_runs(run, reference);
        nnefc_run_free(reference);
        nnefc_run_free(run);
    }
}

/* Who computes y of a row; NULL: there is none of that name. */
static const char *backend_of(struct nnefc_run *run, int row)
{
    char name[16];

    (void)snprintf(name, sizeof name, "y%d", row);
    for (int i = 0; i < nnefc_run_step_count(run); i++) {
        struct nnefc_step step = nnefc_run_step_at(run, i);
        if (step.name && strcmp(step.name, name) == 0)
            return step.backend;
    }
    return NULL;
}

static void it_does_all_of_each_row_but_what_it_cannot(void **state)
{
    skip_without();
    struct nnefc_run *run = run_by(*state, "onednn", 2);

    for (int i = 0; i < ROWS; i++) {
        const char *backend = backend_of(run, i);
        assert_non_null(backend);
        if (rows[i].elsewhere == (strcmp(backend, "onednn") == 0))
            fail_msg("row %d is done by '%s': %s", i, backend, rows[i].statements);
    }
    nnefc_run_free(run);
}

static void two_runs_of_one_model_do_not_disturb_each_other(void **state)
{
    skip_without();
    struct nnefc_run *a = run_by(*state, "onednn", 2), *b = run_by(*state, "onednn", 1);
    struct nnefc_run *reference = run_by(*state, "reference", 1);

    assert_int_equal(nnefc_run_step(a), NNEFC_OK);
    compare_runs(b, reference);
    nnefc_run_free(b);
    assert_int_equal(nnefc_run_step(a), NNEFC_OK);
    compare_runs(a, reference);
    nnefc_run_free(reference);
    nnefc_run_free(a);
}

/* Where it is there, tests of the program see to a program without it. */
static void a_backend_that_is_not_there_is_a_warning(void **state)
{
    struct fixture *f = *state;
    struct nnefc_run_options options = {.backend = "onednn"};
    int before = nnefc_model_diagnostic_count(f->model);

    if (is_there())
        skip();
    struct nnefc_run *run = nnefc_run_new_with(f->model, &options);
    assert_string_equal(nnefc_run_backend(run), "portable");
    assert_int_equal(nnefc_model_diagnostic_count(f->model), before + 1);
    nnefc_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_agrees_with_the_reference),
        cmocka_unit_test(it_does_all_of_each_row_but_what_it_cannot),
        cmocka_unit_test(two_runs_of_one_model_do_not_disturb_each_other),
        cmocka_unit_test(a_backend_that_is_not_there_is_a_warning),
    };

    return cmocka_run_group_tests(tests, open_model, close_model);
}
