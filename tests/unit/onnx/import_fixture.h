/* import_fixture.h - the models of import_build.h are loaded and run */
#ifndef NNEFC_TESTS_UNIT_ONNX_IMPORT_FIXTURE_H
#define NNEFC_TESTS_UNIT_ONNX_IMPORT_FIXTURE_H

#include "file/out.h"
#include "import_build.h"

#include "nnefc/extensions.h"

#include <math.h>

static inline void put_in_text(void *to, const void *data, size_t size)
{
    text_add_bytes(to, data, size);
}

static inline enum nnefc_status load(struct fixture *f)
{
    struct diag *diag = diag_new(NULL);
    struct text bytes = {0};

    assert_true(onnx_model_put(diag, &(struct sink){"t.onnx", put_in_text, &bytes}, f->onnx));
    enum nnefc_status status = nnefc_model_load_text(f->model, "t.onnx", bytes.data, bytes.size);
    text_free(&bytes);
    diag_free(diag);
    return status;
}

static inline void must_load(struct fixture *f)
{
    if (load(f) != NNEFC_OK)
        fail_msg("%s", nnefc_model_diagnostics(f->model)->at[0]->text);
    if (nnefc_model_verify(f->model, true) != NNEFC_OK)
        fail_msg("%s", nnefc_model_diagnostics(f->model)->at[0]->text);
}

/* The report of that index has that code, and says that. */
static inline void expect(const struct fixture *f, int index, const char *code, const char *text)
{
    const struct nnefc_diagnostic *d = nnefc_model_diagnostics(f->model)->at[index];

    assert_true(index < nnefc_model_diagnostics(f->model)->count);
    assert_string_equal(d->file, "t.onnx");
    if (!strstr(d->text, text))
        fail_msg("'%s' has no '%s'", d->text, text);
    assert_string_equal(d->code, code);
}

static inline void expect_dump(const struct fixture *f, const char *text, bool there)
{
    char *dump = nnefc_model_dump(f->model, NNEFC_STAGE_GRAPH);

    assert_non_null(dump);
    if (!strstr(dump, text) == there)
        fail_msg("'%s' is %sin:\n%s", text, there ? "not " : "", dump);
    free(dump);
}

static inline void feed(struct fixture *f, int index, const double *items)
{
    struct nnefc_type type = nnefc_model_inputs(f->model)->at[index]->type;
    struct nnefc_tensor *tensor = nnefc_tensor_new(&type);

    assert_non_null(tensor);

    /* NOLINTBEGIN(clang-analyzer-core.uninitialized.Assign): there are as many as it takes */
    for (int64_t i = 0; i < nnefc_tensor_count(tensor); i++) {
        if (type.dtype == NNEFC_INTEGER)
            ((int64_t *)nnefc_tensor_data(tensor))[i] = (int64_t)items[i];
        else
            ((float *)nnefc_tensor_data(tensor))[i] = (float)items[i];
    }
    /* NOLINTEND(clang-analyzer-core.uninitialized.Assign) */
    assert_int_equal(nnefc_run_set_input(f->run, index, tensor), NNEFC_OK);
    nnefc_tensor_free(tensor);
}

/* Output 0, of `count` items, for these items of input 0, if there is one and they are given. */
static inline const struct nnefc_tensor *result_of(struct fixture *f, const double *items,
                                                   int count)
{
    f->run = nnefc_run_new(f->model);
    assert_non_null(f->run);
    if (items)
        feed(f, 0, items);
    else if (nnefc_model_inputs(f->model)->count > 0)
        assert_int_equal(nnefc_run_randomize_input(f->run, 0, 1), NNEFC_OK);
    assert_int_equal(nnefc_run_step(f->run), NNEFC_OK);
    const struct nnefc_tensor *got = nnefc_run_output(f->run, 0);
    assert_int_equal(nnefc_tensor_count(got), count);
    return got;
}

static inline void runs(struct fixture *f, const double *items, const double *expected, int count)
{
    const struct nnefc_tensor *got = result_of(f, items, count);

    for (int i = 0; i < count; i++)
        if (!(fabs(nnefc_tensor_item(got, i) - expected[i]) <= 1e-5 ||
              (isinf(expected[i]) && signbit(expected[i]) == signbit(nnefc_tensor_item(got, i)) &&
               isinf(nnefc_tensor_item(got, i)))))
            fail_msg("item %d is %g, expected %g", i, nnefc_tensor_item(got, i), expected[i]);
}

/* Written in NNEF: the model that is read from that. */
static inline struct nnefc_model *reread_as(const struct fixture *f, enum nnefc_profile profile)
{
    struct nnefc_model *again = nnefc_model_new();
    char path[64];

    snprintf(path, sizeof path, "/tmp/nnefc-import-%ld.tar", (long)getpid());
    if (nnefc_model_write_profile(f->model, path, profile) != NNEFC_OK)
        fail_msg("%s", nnefc_model_diagnostics(f->model)->at[0]->text);
    assert_int_equal(nnefc_model_set_pedantic(again, profile == NNEFC_PROFILE_STRICT), NNEFC_OK);
    enum nnefc_status status = nnefc_model_load(again, path);
    assert_int_equal(remove(path), 0);
    if (status != NNEFC_OK)
        fail_msg("%s", nnefc_model_diagnostics(again)->at[0]->text);
    return again;
}

static inline struct nnefc_model *reread(const struct fixture *f)
{
    return reread_as(f, NNEFC_PROFILE_STRICT);
}

static inline void go_on_with(struct fixture *f, struct nnefc_model *model)
{
    nnefc_run_free(f->run);
    nnefc_model_free(f->model);
    f->run = NULL;
    f->model = model;
}

/* The model, and then what is written of it in NNEF; f->model is that. */
static inline void computes(struct fixture *f, const double *items, const double *expected,
                            int count)
{
    must_load(f);
    runs(f, items, expected, count);
    go_on_with(f, reread(f));
    runs(f, items, expected, count);
}

/* A node that does not fit, and what is said of it. */
struct misfit {
    const char *type, *inputs;
    const char *attribute; /* NULL: none */
    const char *word;      /* its value; NULL: `number` */
    int64_t number;
    const char *code, *says;
};

/* Each in a model of its own; `feed_node` makes what it takes, and may add attributes. */
static inline void expect_misfits(const struct misfit *misfits, size_t count, int64_t opset,
                                  void (*feed_node)(struct fixture *f, struct onnx_node *n))
{
    for (const struct misfit *m = misfits; m < misfits + count; m++) {
        void *fresh = NULL;
        assert_int_equal(setup(&fresh), 0);
        struct fixture *f = fresh;
        struct onnx_node *n = node(f, m->type, m->inputs, "y");
        feed_node(f, n);
        if (m->word)
            onnx_node_string(f->arena, n, m->attribute, m->word);
        else if (m->attribute)
            onnx_node_int(f->arena, n, m->attribute, m->number);
        f->onnx->opset_import.first->version = opset;
        output(f, "y");
        assert_int_not_equal(load(f), NNEFC_OK);
        assert_int_equal(nnefc_model_diagnostics(f->model)->count, 1);
        expect(f, 0, m->code, m->says);
        assert_int_equal(teardown(&fresh), 0);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

#endif
