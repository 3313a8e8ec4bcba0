/* test_shrinking.c - files that are cut off while a model is there: those that are read, and not
 * mapped, do no harm */
#include "nnefc/nnefc.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/t.h"
#include "tensor/bytes.h"
#include "unit/base/scratch.h"

enum { ITEMS = 10 };

/* The digits with their data in files of every form that is used where it is mapped. */
static const char *const files[] = {"net/graph.nnef", "net.onnx", "net.ng"};

enum { FILES = sizeof files / sizeof *files };

/* "net/" and others in the folder. */
static void write_models(struct scratch *s)
{
    const struct nnefc_onnx external = {.size = sizeof external, .external_data = true};
    struct nnefc_model *model = nnefc_model_new();

    assert_int_equal(nnefc_model_set_keep(model, NNEFC_KEEP_ONNX), NNEFC_OK);
    assert_int_equal(nnefc_model_load(model, "examples/nnef/digits"), NNEFC_OK);
    assert_int_equal(nnefc_model_write_nnef(model, scratch_path(s, "net")), NNEFC_OK);
    assert_int_equal(nnefc_model_write_onnx(model, scratch_path(s, "net.onnx"), &external),
                     NNEFC_OK);
    assert_int_equal(nnefc_model_write_graph(model, scratch_path(s, "net.ng")), NNEFC_OK);
    nnefc_model_free(model);
}

/* All files below a folder have no bytes from now on. */
static void cut_off(const char *folder) /* NOLINT(misc-no-recursion) */
{
    DIR *listing = opendir(folder);
    const struct dirent *entry;
    char path[SCRATCH_PATH + 256 + 2];
    struct stat status;

    assert_non_null(listing);
    while ((entry = readdir(listing))) { /* NOLINT(concurrency-mt-unsafe) */
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || stat(path, &status) != 0)
            continue;
        if (S_ISDIR(status.st_mode))
            cut_off(path);
        else
            assert_int_equal(truncate(path, 0), 0);
    }
    closedir(listing);
}

/* A run of the reference, which has the weights where their files are. */
static struct nnefc_run *start(struct scratch *s, const char *file, bool map)
{
    struct nnefc_model *model = nnefc_model_new();

    write_models(s);
    assert_int_equal(nnefc_model_set_map_files(model, map), NNEFC_OK);
    assert_int_equal(nnefc_model_load(model, scratch_path(s, file)), NNEFC_OK);
    struct nnefc_run *run = nnefc_run_new(model);
    assert_non_null(run);
    assert_int_equal(nnefc_run_randomize_input(run, 0, 1), NNEFC_OK);
    nnefc_model_free(model); /* which goes with the run */
    return run;
}

static void files_that_are_read_may_be_cut_off(void **state)
{
    const char *folder = ((const struct scratch *)*state)->folder;

    for (int i = 0; i < FILES; i++) {
        struct nnefc_run *run = start(*state, files[i], false);
        double before[ITEMS];
        assert_int_equal(nnefc_run_step(run), NNEFC_OK);
        for (int k = 0; k < ITEMS; k++)
            before[k] = nnefc_tensor_item(nnefc_run_output(run, 0), k);
        cut_off(folder);
        assert_int_equal(nnefc_run_step(run), NNEFC_OK);
        for (int k = 0; k < ITEMS; k++)
            assert_true(nnefc_tensor_item(nnefc_run_output(run, 0), k) == before[k]);
        nnefc_run_free(run);
    }
}

/* So the test above can fail: what is mapped is not there any more. */
static void files_that_are_mapped_may_not(void **state)
{
    const char *folder = ((const struct scratch *)*state)->folder;

    if (!bytes_are_native()) {
        print_message("skipped: data that are mapped, which this machine copies\n");
        skip();
    }
    for (int i = 0; i < FILES; i++) {
        int status = 0;
        pid_t process = fork();
        assert_true(process >= 0);
        if (process == 0) {
            signal(SIGBUS, SIG_DFL);
            struct nnefc_run *run = start(*state, files[i], true);
            cut_off(folder);
            _exit(nnefc_run_step(run) == NNEFC_OK ? 0 : 1);
        }
        assert_int_equal(waitpid(process, &status, 0), process);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGBUS);
    }
}

/* The limit on memory holds for files that are read. */
static void files_that_are_read_take_memory(void **state)
{
    struct nnefc_model *model = nnefc_model_new();

    write_models(*state);
    assert_int_equal(nnefc_model_set_map_files(model, false), NNEFC_OK);
    assert_int_equal(nnefc_model_set_limit(model, NNEFC_LIMIT_MEMORY, 1 << 16), NNEFC_OK);
    assert_int_equal(nnefc_model_load(model, scratch_path(*state, "net.ng")), NNEFC_INVALID);
    assert_string_equal(nnefc_model_diagnostics(model)->at[0]->code, "N0241");
    nnefc_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(files_that_are_read_may_be_cut_off),
        scratch_test(files_that_are_mapped_may_not),
        scratch_test(files_that_are_read_take_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
