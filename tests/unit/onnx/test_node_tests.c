/*
 * test_node_tests.c - models of single operators with inputs and expected results
 *
 * What computes the results is written as NNEF, and has to compute them again when that is read.
 *
 * They are those of onnx-node-tests/ in NNEFC_SHARED, or in ../shared; without them the test is
 * skipped.  With ONNX_NODE_TEST=TEXT only tests are run whose path has that text, and what is
 * reported is printed.
 */
#include "node_case.h"
#include "support/t.h"

#include "nnefc/nnefc.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* SAYABLE: the first classes are of what NNEF can say.  The next one, EXTENDED, is of what takes an
 * extension; it has no data, and a test passes if its model loads and holds what it declares. */
enum { COLUMNS = 10, PORTS = 64, CLASSES = 5, SAYABLE = 3, EXTENDED = 3 };
enum { LEAST_SAYABLE = 995, LEAST_EXTENDED = 800 }; /* of 1000 that have to pass */
enum column { PATH, OP, CLASS, OPSET, NODES, TYPES, FLAGS, BIND, ORT, WHY };
enum { DISPUTED = 2 }; /* tests, see below */
enum verdict { PASSED, REFUSED, FAILED, VERDICTS };

static const char classes[] = "ABCDX";

struct tally {
    const char *folder, *only;
    char archive[64]; /* of what is written */
    bool open;        /* no input is bound: those decide that have to be known */
    int count[CLASSES][VERDICTS];
};

static bool is_listed(const char *list, const char *name)
{
    size_t size = strlen(name);

    for (const char *at = list; (at = strstr(at, name)); at += size)
        if ((at == list || at[-1] == ',') && (at[size] == ',' || at[size] == '\0'))
            return true;
    return false;
}

/* Inputs to bind that the index does not tell. */
static const char *also_bound(const char *path)
{
    static const char *const known[][2] = {
        {"r1.23dev/test_affine_grid_2d_align_corners_expanded", "size"},
        {"r1.23dev/test_affine_grid_3d_align_corners_expanded", "size"},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i][0], path) == 0)
            return known[i][1];
    return "";
}

/* Is there anything to bind? */
static bool has_bound(char *const *column)
{
    return (*column[BIND] && strcmp(column[BIND], "-") != 0) || *also_bound(column[PATH]);
}

static bool is_bound(char *const *column, const char *name)
{
    return is_listed(column[BIND], name) || is_listed(also_bound(column[PATH]), name);
}

/* Expected are coordinates that go by an extent with a fraction; ONNX Runtime, and we, go by the
 * one that results. */
static const char disputed[] = "test_resize_downsample_scales_linear_align_corners";

/* --- one test ----------------------------------------------------------------------------- */

struct test {
    const char *folder; /* of the data set */
    const struct tally *tally;
    char **column;
    struct nnefc_model *model;
    struct nnefc_run *run;
    const char *names[PORTS]; /* of all inputs, in the order of the file */
    int parameter[PORTS]; /* of the model, for each of them; -1: has an initializer, or is bound */
    int count;
};

static void file_name(const struct test *test, const char *kind, int index, char path[512])
{
    snprintf(path, 512, "%s/%s/test_data_set_0/%s_%d.pb", test->tally->folder, test->column[PATH],
             kind, index);
}

/* Names of inputs without an initializer of files of old versions. */
static bool read_names(struct test *test, struct given *file, const char *path)
{
    *file = (struct given){.diag = diag_new(NULL), .arena = arena_new()};
    if (!file_open(file->diag, path, &(struct file_request){.budget = INT64_MAX}, &file->file))
        return false;
    struct onnx_bytes bytes = {file->file.data, file->file.size};
    const struct onnx_model *model = onnx_model_read(file->diag, file->arena, path, bytes);
    for (const struct onnx_value_info *i = model ? model->graph->input.first : NULL;
         i && test->count < PORTS; i = i->next)
        test->names[test->count++] = i->name;
    return model;
}

static bool bind_inputs(struct test *test)
{
    bool ok = true;
    char path[512];

    for (int i = 0; i < test->count; i++) {
        struct given given;
        if (!is_bound(test->column, test->names[i]))
            continue;
        file_name(test, "input", i, path);
        ok &= given_open(&given, path) &&
              nnefc_model_bind(test->model, test->names[i],
                               (const struct nnefc_tensor *)&given.tensor) == NNEFC_OK;
        given_close(&given);
    }
    return ok;
}

static void find_parameters(struct test *test)
{
    int count = nnefc_model_inputs(test->model)->count;

    for (int i = 0; i < test->count; i++) {
        test->parameter[i] = -1;
        for (int k = 0; k < count; k++)
            if (strcmp(nnefc_model_inputs(test->model)->at[k]->name, test->names[i]) == 0)
                test->parameter[i] = k;
    }
}

static bool feed_inputs(struct test *test)
{
    bool ok = true;
    char path[512];

    for (int i = 0; i < test->count; i++) {
        struct given given;
        if (test->parameter[i] < 0)
            continue;
        file_name(test, "input", i, path);
        ok &= given_open(&given, path) &&
              nnefc_run_set_input(test->run, test->parameter[i],
                                  (const struct nnefc_tensor *)&given.tensor) == NNEFC_OK;
        given_close(&given);
    }
    return ok;
}

static bool compare_outputs(struct test *test)
{
    bool ok = true;
    char path[512];

    for (int i = 0; i < nnefc_model_outputs(test->model)->count; i++) {
        const struct nnefc_tensor *got = nnefc_run_output(test->run, i);
        struct given given;
        file_name(test, "output", i, path);
        ok &= given_open(&given, path) &&
              same_tensor(i, (const struct tensor *)got, &given.tensor, test->tally->only != NULL);
        given_close(&given);
    }
    return ok;
}

/* The parameter that a graph without any is given in NNEF. */
static bool feed_unused(struct test *test)
{
    for (int i = 0; i < test->count; i++)
        if (test->parameter[i] >= 0)
            return true;
    return nnefc_model_inputs(test->model)->count == 0 ||
           nnefc_run_randomize_input(test->run, 0, 1) == NNEFC_OK;
}

static bool compute(struct test *test)
{
    test->run = nnefc_run_new(test->model);
    return test->run && feed_inputs(test) && feed_unused(test) &&
           nnefc_run_step(test->run) == NNEFC_OK;
}

static void close_model(struct test *test)
{
    if (test->tally->only)
        nnefc_model_print_diagnostics(test->model, stdout, NNEFC_PRINT_SHORT, false);
    nnefc_run_free(test->run);
    nnefc_model_free(test->model);
    test->run = NULL;
    test->model = NULL;
}

/* From what is written of the model in NNEF. */
static bool computes_again(struct test *test)
{
    const char *archive = test->tally->archive;
    bool ok = nnefc_model_write_nnef(test->model, archive) == NNEFC_OK;

    /* Integers that may be beyond 2^24 are no scalars: the extensions have operations for them. */
    if (!ok)
        ok = nnefc_model_write_profile(test->model, archive, NNEFC_PROFILE_CUSTOM) == NNEFC_OK;
    if (!ok) {
        printf("cannot be written: ");
        return false;
    }
    close_model(test);
    test->model = nnefc_model_new();
    ok = nnefc_model_load(test->model, archive) == NNEFC_OK && compute(test) &&
         compare_outputs(test);
    if (!ok)
        printf("once written in NNEF: ");
    return ok;
}

static enum verdict judge(struct test *test)
{
    char path[512];

    snprintf(path, sizeof path, "%s/%s/model.onnx", test->tally->folder, test->column[PATH]);
    bool supported = !strchr("DX", *test->column[CLASS]); /* these have no data */
    if (supported &&
        !(test->tally->open ? nnefc_model_keep_open(test->model) == NNEFC_OK : bind_inputs(test)))
        return FAILED;
    enum nnefc_status status = nnefc_model_load(test->model, path);
    if (status == NNEFC_INTERNAL)
        return FAILED;
    if (status != NNEFC_OK)
        return !supported || status == NNEFC_UNSUPPORTED ? REFUSED : FAILED;
    if (!test->tally->open && nnefc_model_verify(test->model, true) != NNEFC_OK)
        return FAILED;
    if (!supported)
        return PASSED;
    find_parameters(test);
    if (!compute(test))
        return FAILED;
    if (strstr(test->column[PATH], disputed))
        return REFUSED;
    if (test->tally->open) /* what is known by now serves a second time */
        return compare_outputs(test) && nnefc_run_step(test->run) == NNEFC_OK &&
                       compare_outputs(test)
                   ? PASSED
                   : FAILED;
    return compare_outputs(test) && computes_again(test) ? PASSED : FAILED;
}

static void run_one(struct tally *tally, char **column)
{
    static const char *const words[] = {"passed", "refused", "FAILED"};
    struct test test = {.tally = tally, .column = column, .model = nnefc_model_new()};
    struct given file;
    char path[512];

    snprintf(path, sizeof path, "%s/%s/model.onnx", tally->folder, column[PATH]);
    enum verdict verdict = read_names(&test, &file, path) ? judge(&test) : FAILED;
    tally->count[strchr(classes, *column[CLASS]) - classes][verdict]++;
    if (tally->only || verdict == FAILED)
        printf("%s %s %s (%s)\n", words[verdict], column[CLASS], column[PATH], column[NODES]);
    close_model(&test);
    given_close(&file);
}

/* --- all of them -------------------------------------------------------------------------- */

static bool split_line(char *line, char **column)
{
    line[strcspn(line, "\n")] = '\0';
    for (int i = 0; i < COLUMNS; i++) {
        column[i] = line;
        line += strcspn(line, "\t");
        if (*line)
            *line++ = '\0';
    }
    return *column[CLASS] && strchr(classes, *column[CLASS]);
}

static void run_all(struct tally *tally, FILE *index)
{
    char line[4096], *column[COLUMNS];

    while (fgets(line, sizeof line, index))
        if (split_line(line, column) && (!tally->only || strstr(column[PATH], tally->only)) &&
            (!tally->open || (has_bound(column) && !strchr("DX", *column[CLASS]))))
            run_one(tally, column);
    for (int i = 0; i < CLASSES; i++)
        printf("class %c: %d passed, %d refused, %d failed\n", classes[i], tally->count[i][PASSED],
               tally->count[i][REFUSED], tally->count[i][FAILED]);
}

/* Have so many of 1000 tests of these classes passed? */
static bool passed(const struct tally *tally, int class, int end, int least)
{
    int sum[VERDICTS] = {0};

    for (; class < end; class ++)
        for (int i = 0; i < VERDICTS; i++)
            sum[i] += tally->count[class][i];
    return 1000 * sum[PASSED] >= least * (sum[PASSED] + sum[REFUSED] + sum[FAILED]);
}

/* All tests, or those with inputs that have to be known. */
static void judge_all(struct tally *tally, char folder[SHARED_PATH_SIZE])
{
    char path[SHARED_PATH_SIZE];

    tally->folder = folder;
    tally->only = getenv("ONNX_NODE_TEST");
    if (!shared_path(folder, "onnx-node-tests") || !shared_path(path, "onnx-node-tests/index.tsv"))
        skip();
    FILE *index = fopen(path, "r");
    assert_non_null(index);
    snprintf(tally->archive, sizeof tally->archive, "/tmp/nnefc-node-test-%ld.tar", (long)getpid());
    run_all(tally, index);
    fclose(index);
    remove(tally->archive);
    for (int i = 0; i < CLASSES; i++)
        assert_int_equal(tally->count[i][FAILED], 0);
}

/* What is not supported is said so; whatever is computed is right. */
static void no_node_test_gives_a_wrong_result(void **state)
{
    char folder[SHARED_PATH_SIZE];
    struct tally tally = {0};

    (void)state;
    judge_all(&tally, folder);
    if (tally.only)
        return;
    assert_true(passed(&tally, 0, SAYABLE, LEAST_SAYABLE));
    assert_true(passed(&tally, EXTENDED, EXTENDED + 1, LEAST_EXTENDED));
}

/* An input that has to be known decides by its items, without being bound. */
static void inputs_decide_by_themselves(void **state)
{
    char folder[SHARED_PATH_SIZE];
    struct tally tally = {.open = true};

    (void)state;
    judge_all(&tally, folder);
    int refused = 0;
    for (int i = 0; i < SAYABLE; i++)
        refused += tally.count[i][REFUSED];
    assert_true(refused <= DISPUTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_decide_by_themselves),
        cmocka_unit_test(no_node_test_gives_a_wrong_result),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
