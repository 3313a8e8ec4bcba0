/* test_files.c - the files of an ONNX model: which there are, what is in them, all or none */
#include "unit/onnx/onnx_fixture.h"

#include "convert/onnx/files.h"
#include "unit/base/scratch.h"

enum { LARGE = 5000, SMALL = 1000, PAGE = 4096 };

struct fixture {
    struct onnx_fixture *onnx;
    struct scratch *scratch;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    *state = f;
    return onnx_setup((void **)&f->onnx) || scratch_setup((void **)&f->scratch);
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    void *onnx = f->onnx, *scratch = f->scratch;

    free(f);
    return onnx_teardown(&onnx) || scratch_teardown(&scratch);
}

static struct onnx_tensor *add(struct fixture *f, struct onnx_model *model, const char *name,
                               int64_t extent)
{
    struct onnx_tensor *tensor = onnx_tensor_new(f->onnx->arena, name, ONNX_UINT8, &extent, 1);

    model->graph->initializer = onnx_tensor_append(model->graph->initializer, tensor);
    return tensor;
}

/* `from` is the byte to put LARGE times; NULL: it fails. */
static bool produce(struct diag *diag, const struct sink *sink, const void *from)
{
    if (!from)
        return diag_file_error(diag, "weights", DIAG_CANNOT_READ, "gone");
    for (int i = 0; i < LARGE; i++)
        sink->put(sink->to, from, 1);
    return true;
}

/* Of a large tensor, a small one, and another large one that is made when it is written. */
static struct onnx_model *model_of(struct fixture *f, const char *made)
{
    static unsigned char bytes[LARGE];
    struct onnx_model *model = onnx_model_new(f->onnx->arena, 8, "g");

    memset(bytes, 'a', sizeof bytes);
    onnx_tensor_raw(add(f, model, "large", LARGE), bytes, LARGE);
    onnx_tensor_raw(add(f, model, "small", SMALL), bytes, SMALL);
    onnx_tensor_produce(add(f, model, "made", LARGE), LARGE, produce, made);
    return model;
}

static bool write_files(struct fixture *f, struct onnx_files *files, const char *made)
{
    char path[SCRATCH_PATH];

    snprintf(path, sizeof path, "%s", scratch_path(f->scratch, "net.onnx"));
    if (!files->path)
        files->path = path;
    bool ok = onnx_files_write(f->scratch->diag, f->onnx->arena, model_of(f, made), files);
    files->path = NULL;
    return ok;
}

static const struct onnx_model *read_back(struct fixture *f)
{
    scratch_get(f->scratch, "net.onnx");
    return read_model(f->onnx, (struct onnx_bytes){f->scratch->bytes, f->scratch->size});
}

static const char *entry(const struct onnx_tensor *tensor, const char *key)
{
    for (const struct onnx_entry *e = tensor->external_data.first; e; e = e->next)
        if (strcmp(e->key, key) == 0)
            return e->value;
    return "";
}

static void weights_stay_in_the_model_as_long_as_it_may_hold_them(void **state)
{
    struct fixture *f = *state;
    uint64_t size = onnx_model_size(model_of(f, "b"));
    struct onnx_files files = {.size = size};

    assert_true(write_files(f, &files, "b"));
    assert_int_equal(scratch_count(f->scratch), 1);
    assert_int_equal(read_back(f)->graph->initializer.first->raw_data.size, LARGE);

    files.size = size - 1;
    assert_true(write_files(f, &files, "b"));
    assert_int_equal(scratch_count(f->scratch), 2);
    assert_int_equal(read_back(f)->graph->initializer.first->raw_data.size, 0);
}

static void large_weights_are_told_by_places_that_can_be_mapped(void **state)
{
    struct fixture *f = *state;
    struct onnx_files files = {.external = true, .size = ONNX_SIZE_MAX};

    assert_true(write_files(f, &files, "b"));
    const struct onnx_tensor *large = read_back(f)->graph->initializer.first;
    const struct onnx_tensor *small = large->next, *made = small->next;
    assert_int_equal(large->data_location, ONNX_LOCATION_EXTERNAL);
    assert_string_equal(entry(large, "location"), "net.onnx.data");
    assert_string_equal(entry(large, "offset"), "0");
    assert_string_equal(entry(large, "length"), "5000");
    assert_int_equal(small->data_location, ONNX_LOCATION_DEFAULT);
    assert_int_equal(small->raw_data.size, SMALL);
    assert_string_equal(entry(made, "location"), "net.onnx.data");
    assert_string_equal(entry(made, "offset"), "8192");
    assert_string_equal(entry(made, "length"), "5000");

    scratch_get(f->scratch, "net.onnx.data");
    /* Behind the weights, a stamp of one block of SHA-1, which begins at a whole one. */
    assert_int_equal(f->scratch->size, (2 * PAGE + LARGE + 63) / 64 * 64 + 64);
    assert_int_equal(f->scratch->bytes[LARGE - 1], 'a');
    assert_int_equal(f->scratch->bytes[LARGE], 0);
    assert_int_equal(f->scratch->bytes[(size_t)2 * PAGE], 'b');
}

static void nothing_is_left_when_a_part_fails(void **state)
{
    struct fixture *f = *state;
    struct onnx_files files = {.external = true, .size = ONNX_SIZE_MAX};

    assert_false(write_files(f, &files, NULL));
    scratch_expect(f->scratch, DIAG_CANNOT_READ, "gone");
    assert_int_equal(scratch_count(f->scratch), 0);

    files.external = false;
    scratch_put(f->scratch, "net.onnx", "old", 3);
    assert_false(write_files(f, &files, NULL));
    scratch_expect(f->scratch, DIAG_CANNOT_READ, "gone");
    scratch_get(f->scratch, "net.onnx");
    assert_int_equal(f->scratch->size, 3);
    assert_int_equal(scratch_count(f->scratch), 1);

    unlink(f->scratch->path);
    files.external = true;
    char folder[SCRATCH_PATH];
    snprintf(folder, sizeof folder, "%s", scratch_path(f->scratch, "net.onnx"));
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_false(write_files(f, &files, "b"));
    scratch_expect(f->scratch, DIAG_CANNOT_WRITE, "Is a directory");
    assert_int_equal(scratch_count(f->scratch), 1);
}

static void a_stream_is_for_a_model_alone(void **state)
{
    static float item[1] = {1};
    static const struct tensor tensor = {.dtype = DTYPE_SCALAR, .data = item};
    static const struct npz_array array = {"h", &tensor};
    struct fixture *f = *state;
    struct onnx_files files = {.path = "-", .external = true, .size = ONNX_SIZE_MAX};

    assert_false(write_files(f, &files, "b"));
    scratch_expect(f->scratch, DIAG_CANNOT_WRITE,
                   "cannot write the weights into a file beside this");
    files = (struct onnx_files){.path = "/dev/null", .size = ONNX_SIZE_MAX, .state = {&array, 1}};
    assert_false(write_files(f, &files, "b"));
    scratch_expect(f->scratch, DIAG_CANNOT_WRITE, "cannot write what the state is at first");
}

#define test(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(weights_stay_in_the_model_as_long_as_it_may_hold_them),
        test(large_weights_are_told_by_places_that_can_be_mapped),
        test(nothing_is_left_when_a_part_fails),
        test(a_stream_is_for_a_model_alone),
    };
    return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
