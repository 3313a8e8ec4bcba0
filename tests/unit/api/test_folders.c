/* test_folders.c - a folder that cannot be read to its end is not taken for a smaller one */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): RTLD_NEXT is not in POSIX */

#include "nnefc/compare.h"
#include "nnefc/nnefc.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "support/t.h"

/* Reading goes wrong after so many entries; below 0 it never does. */
static int entries_left = -1;

/* Stands before that of the system, in the library too. */
/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): the system's is reserved */
struct dirent *readdir(DIR *folder)
{
    static struct dirent *(*next)(DIR * folder);
    const char *name = sizeof(off_t) > sizeof(long) ? "readdir64" : "readdir";

    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, name); /* POSIX promises that this works */
    if (entries_left == 0) {
        errno = EOVERFLOW;
        return NULL;
    }
    entries_left -= entries_left > 0;
    return next(folder);
}

static void what_goes_wrong_is_reported(void **state)
{
    struct nnefc_model *model = nnefc_model_new();
    const char *const folder = "examples/nnef/digits/conv1";

    (void)state;
    for (int left = 0; left < 3; left++) {
        entries_left = left;
        assert_null(nnefc_results_open(model, folder));
        entries_left = -1;
        const struct nnefc_diagnostic_list *list = nnefc_model_diagnostics(model);
        assert_int_equal(list->count, left + 1);
        assert_string_equal(list->at[left]->code, "N0180");
        assert_non_null(strstr(list->at[left]->text, strerror(EOVERFLOW)));
    }
    struct nnefc_results *results = nnefc_results_open(model, folder);
    assert_non_null(results);
    nnefc_results_free(results);
    nnefc_model_free(model);
}

/* The label of a variable differs in case from the folder that has its items. */
static void no_name_is_missed_for_its_case(void **state)
{
    static const char text[] =
        "version 1.0; graph net(x) -> (y) { x = external(shape = [1,16]); "
        "v = variable(shape = [1,16], label = 'CONV1/bias'); y = add(x, v); }";

    (void)state;
    for (int left = -1; left < 3; left++) {
        struct nnefc_model *model = nnefc_model_new();
        assert_int_equal(nnefc_model_set_data_folder(model, "examples/nnef/digits"), NNEFC_OK);
        assert_int_equal(nnefc_model_load_text(model, "net", text, strlen(text)), NNEFC_OK);
        entries_left = left;
        struct nnefc_run *run = nnefc_run_new(model);
        entries_left = -1;
        assert_true(!run == (left >= 0));
        const struct nnefc_diagnostic_list *list = nnefc_model_diagnostics(model);
        assert_int_equal(list->count, left >= 0);
        if (left >= 0)
            assert_non_null(strstr(list->at[0]->text, strerror(EOVERFLOW)));
        nnefc_run_free(run);
        nnefc_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_wrong_is_reported),
        cmocka_unit_test(no_name_is_missed_for_its_case),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
