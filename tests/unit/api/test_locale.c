/*
 * test_locale.c - a host that has set a locale: numbers and names are read and written as in the
 * "C" locale
 *
 * The locales are made in the test's own folder.  In German a number has a comma; in Turkish 'I' is
 * the capital of another letter than 'i'.
 */
#include "nnefc/nnefc.h"

#include <locale.h>
#include <sys/wait.h>

#include "support/t.h"
#include "tensor/bytes.h"
#include "unit/base/scratch.h"

/* --- locales ------------------------------------------------------------------------------ */

struct place {
    const char *name, *country, *charset;
};

static const struct place places[] = {
    {"de_DE.UTF-8", "de_DE", "UTF-8"},
    {"tr_TR.UTF-8", "tr_TR", "UTF-8"},
    {"tr_TR.ISO-8859-9", "tr_TR", "ISO-8859-9"}, /* where tolower('I') is no 'i' */
};

enum { PLACES = sizeof places / sizeof *places };

/* Let the system make a locale, as the administrator would; false if it cannot. */
static bool make_locale(struct scratch *s, const struct place *place)
{
    char path[SCRATCH_PATH];
    int status = -1;

    snprintf(path, sizeof path, "%s/%s", s->folder, place->name);
    pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        assert_non_null(freopen("/dev/null", "w", stderr));
        assert_non_null(freopen("/dev/null", "w", stdout));
        execlp("localedef", "localedef", bytes_are_native() ? "--little-endian" : "--big-endian",
               "-i", place->country, "-f", place->charset, path, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(process, &status, 0), process);
    return access(path, F_OK) == 0; /* localedef warns by its status */
}

/* The host sets it, as many do when they begin. */
static void set_locale(struct scratch *s, const struct place *place)
{
    assert_int_equal(setenv("LOCPATH", s->folder, 1), 0); /* NOLINT(concurrency-mt-unsafe) */
    assert_non_null(setlocale(LC_ALL, place->name));      /* NOLINT(concurrency-mt-unsafe) */
    snprintf(s->path, sizeof s->path, "%g", 0.5);
    assert_string_equal(s->path, "0,5"); /* all of them have commas */
}

/* --- what a client reads and writes ------------------------------------------------------- */

static const char net[] =
    "version 1.0;\n"
    "extension KHR_enable_operator_expressions;\n"
    "graph TITLE( INPUT ) -> ( id, out )\n{\n"
    "    INPUT = external<scalar>( shape = [1,2,2,2] );\n"
    "    id = INPUT * 0.1 + 1.5e-7;\n"
    "    a = clamp( INPUT, -1234567.25, 3.0e38 );\n"
    "    out = pad( a, padding = [(0,0),(0,0),(1,1),(1,1)], value = 0.25 ) / 3.3;\n}\n";

static const char pnnx[] = "7767517\n3 2\n"
                           "pnnx.Input in 0 1 0 #0=(1,2)f32\n"
                           "nn.LeakyReLU relu 1 1 0 1 negative_slope=1.250000e-02 #1=(1,2)f32\n"
                           "pnnx.Output out 1 0 1\n";

static const char faulty[] = "version 1.0;\n"
                             "graph g( x ) -> ( y )\n{\n"
                             "    x = external<scalar>( shape = [2] );\n"
                             "    y = clamp( x, 0.1234567890123, 1.0e39 );\n}\n";

static void add_text(FILE *to, char *text)
{
    fprintf(to, "%s\n", text ? text : "none");
    free(text);
}

/* A file that was written, with all of its bytes. */
static void add_file(struct scratch *s, FILE *to, const char *name)
{
    scratch_get(s, name);
    fwrite(s->bytes, 1, s->size, to);
}

static void add_diagnostics(FILE *to, struct nnefc_model *model)
{
    nnefc_model_print_diagnostics(model, to, NNEFC_PRINT_FULL, false);
    nnefc_model_clear_diagnostics(model);
}

static void add_models(struct scratch *s, FILE *to)
{
    struct nnefc_model *model = nnefc_model_new();

    nnefc_model_set_keep(model, NNEFC_KEEP_ONNX);
    assert_int_equal(nnefc_model_load_text(model, "net", net, sizeof net - 1), NNEFC_OK);
    for (int stage = NNEFC_STAGE_AST; stage <= NNEFC_STAGE_GRAPH; stage++)
        add_text(to, nnefc_model_dump(model, (enum nnefc_stage)stage));
    assert_int_equal(nnefc_model_write_nnef(model, scratch_path(s, "net.nnef")), NNEFC_OK);
    add_file(s, to, "net.nnef");
    assert_int_equal(nnefc_model_write_onnx(model, scratch_path(s, "net.onnx"), NULL), NNEFC_OK);
    add_file(s, to, "net.onnx");
    assert_int_equal(nnefc_model_write_c(model, scratch_path(s, "net.c"), NULL), NNEFC_OK);
    add_file(s, to, "net.c");
    assert_int_equal(nnefc_model_find_input(model, "INPUT"), 0);
    nnefc_model_find_output(model, "ID");

    struct nnefc_run *run = nnefc_run_new_with(model, NULL);
    assert_int_equal(nnefc_run_fill_input(run, 0, 0.1), NNEFC_OK);
    assert_int_equal(nnefc_run_step(run), NNEFC_OK);
    for (int i = 0; i < 2; i++) /* by its bits, which print alike */
        add_text(to, nnefc_run_dump_plan(run));
    float item = (float)nnefc_tensor_item(nnefc_run_output(run, 0), 0);
    fwrite(&item, sizeof item, 1, to);
    nnefc_run_fill_input(run, 0, 1e300);
    add_diagnostics(to, model);
    nnefc_run_free(run);
    nnefc_model_free(model);
}

static void add_others(struct scratch *s, FILE *to)
{
    struct nnefc_model *model = nnefc_model_new();
    static const char *const titles[] = {"identity", "INPUT", NULL};

    nnefc_model_set_pedantic(model, true);
    (void)nnefc_model_load_text(model, "faulty", faulty, sizeof faulty - 1);
    add_diagnostics(to, model);
    nnefc_model_free(model);
    model = nnefc_model_new();
    scratch_put(s, "net.pnnx.param", pnnx, sizeof pnnx - 1);
    assert_int_equal(nnefc_model_load(model, s->path), NNEFC_OK);
    add_text(to, nnefc_model_dump(model, NNEFC_STAGE_GRAPH));
    nnefc_model_free(model);
    model = nnefc_model_new();
    assert_int_equal(nnefc_model_set_pnnx_reading(model, NNEFC_PNNX_TO_READ), NNEFC_OK);
    assert_int_equal(nnefc_model_load(model, s->path), NNEFC_OK);
    assert_int_equal(nnefc_model_write_pnnx(model, scratch_path(s, "again.pnnx.param")), NNEFC_OK);
    add_file(s, to, "again.pnnx.param");
    assert_int_equal(nnefc_model_set_warning(model, "mixed-logic", NNEFC_WARNING_OFF), NNEFC_OK);
    nnefc_model_free(model);
    fputs(nnefc_nearest("IDENTITI", titles) ? "near\n" : "none\n", to);
}

/* All that was written, NUL-terminated; the caller frees it. */
static char *everything(struct scratch *s, size_t *size)
{
    char *bytes = NULL;
    FILE *to = open_memstream(&bytes, size);

    assert_non_null(to);
    add_models(s, to);
    add_others(s, to);
    assert_int_equal(fclose(to), 0);
    return bytes;
}

/* The part of the first difference, for people. */
static void assert_same(const char *name, const char *a, const char *b, size_t size)
{
    size_t at = 0;

    while (at < size && a[at] == b[at])
        at++;
    size_t from = at < 60 ? 0 : at - 60;
    if (at < size)
        fail_msg("%s: \"%.70s\" instead of \"%.70s\"", name, b + from, a + from);
}

static void numbers_are_alike_in_every_locale(void **state)
{
    size_t size, other_size;

    for (int i = 0; i < PLACES; i++)
        if (!make_locale(*state, &places[i])) {
            puts("skipped: numbers with commas, no locale can be made here");
            skip();
        }
    char *plain = everything(*state, &size), *other;
    for (int i = 0; i < PLACES; i++) {
        set_locale(*state, &places[i]);
        other = everything(*state, &other_size);
        setlocale(LC_ALL, "C"); /* NOLINT(concurrency-mt-unsafe) */
        assert_same(places[i].name, plain, other, size < other_size ? size : other_size);
        assert_int_equal(size, other_size);
        free(other);
    }
    free(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(numbers_are_alike_in_every_locale),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
