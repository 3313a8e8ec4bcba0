/*
 * test_libonnx_data.c - the cases of libonnx-testdata, a package of Debian
 *
 * A case is a folder with model.onnx and data sets of inputs and expected results.  Inputs that
 * have to be known are bound: those that a report names, else small ones one by one.  Prints how
 * many are right, and why others are not.  Files whose type is not that of the model are not
 * judged.  With ONNX_NODE_TEST=TEXT only those with that text in their paths are run, and what is
 * reported is printed.
 *
 * The results of five kinds of cases are not judged: two resize by extents with a fraction, one
 * unpools by a smaller tensor (`disputed`), and Bernoulli and Dropout draw random numbers.
 */
#include "node_case.h"
#include "support/t.h"

#include "nnefc/nnefc.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static const char place[] = "/usr/share/libonnx-testdata/data";

/* LEAST of the cases have to be right. */
enum {
    PORTS = 64,
    SETS = 10,
    SMALL = 64,
    REASONS = 200,
    PATH = 512,
    LEAST = 968,
    LEAST_OPEN = 984
};

enum verdict { RIGHT, RIGHT_BOUND, NOT_JUDGED, WRONG, REFUSED, VERDICTS };

static const char *const words[] = {"right", "right, with inputs bound", "not judged", "wrong",
                                    "refused"};

/*
 * Expected are coordinates that go by an extent with a fraction, and indices of a smaller tensor
 * than the result (onnx issue 2398).  ONNX Runtime, since its pull request 2193, and we go by the
 * extents that result.
 */
static const char *const disputed[] = {
    "node/test_resize_downsample_scales_linear_align_corners",
    "node/test_resize_downsample_scales_cubic_align_corners",
    "node/test_maxunpool_export_with_output_shape",
};

/* Expected are numbers that another generator has drawn. */
static const char *const drawn[] = {"node/test_bernoulli", "node/test_training_dropout"};

struct reason {
    char text[64], example[PATH];
    int count;
};

struct tally {
    const char *only;
    bool open;
    int count[VERDICTS], wrong;
    struct reason reason[REASONS];
    int reasons;
};

/* --- one case --------------------------------------------------------------------------------- */

struct testcase {
    const char *folder;
    const struct onnx_graph *graph;
    const char *names[PORTS]; /* of its inputs, in the order of the file */
    struct given input[PORTS];
    bool there[PORTS], bound[PORTS];
    int count;
    struct nnefc_model *model;
    struct nnefc_run *run;
    bool any_bound, mistyped, told;
    bool open; /* nothing is bound: the model is kept open */
};

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Has the file the type that the model declares?  Not for BFLOAT16, whose bits are integers there.
 */
static bool is_typed(const struct onnx_value_info *info, const struct given *given)
{
    const struct onnx_tensor_type *type = info->type ? info->type->tensor_type : NULL;

    return !type || given->message->data_type == type->elem_type;
}

/* The items of a file that has no tensor, such as a sequence, are not there. */
static void read_inputs(struct testcase *c, int set)
{
    const struct onnx_value_info *info = c->graph->input.first;

    for (int i = 0; info && i < c->count; i++, info = info->next) {
        char path[PATH + 64];
        snprintf(path, sizeof path, "%s/test_data_set_%d/input_%d.pb", c->folder, set, i);
        if (!is_there(path))
            continue;
        c->there[i] = given_open(&c->input[i], path);
        if (!c->there[i])
            given_close(&c->input[i]);
        c->mistyped |= c->there[i] && !is_typed(info, &c->input[i]);
    }
}

static void close_inputs(struct testcase *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->there[i])
            given_close(&c->input[i]);
}

static void close_model(struct testcase *c)
{
    if (c->told && c->model)
        nnefc_model_print_diagnostics(c->model, stdout, NNEFC_PRINT_SHORT, false);
    nnefc_run_free(c->run);
    nnefc_model_free(c->model);
    c->run = NULL;
    c->model = NULL;
}

/* The first error; NULL: none. */
static const struct nnefc_diagnostic *first_error(const struct testcase *c)
{
    const struct nnefc_diagnostic_list *list = nnefc_model_diagnostics(c->model);

    for (int i = 0; i < list->count; i++)
        if (list->at[i]->severity == NNEFC_ERROR)
            return list->at[i];
    return NULL;
}

/* Does a help ask for that input, or, without one, is it small? */
static bool may_bind(const struct testcase *c, int index, const char *help)
{
    const char *at = help ? strstr(help, "--bind '") : NULL;
    size_t size = strlen(c->names[index]);

    if (!c->there[index] || c->bound[index])
        return false;
    if (!at)
        return shape_volume(&c->input[index].tensor.shape) <= SMALL;
    at += strlen("--bind '");
    return strncmp(at, c->names[index], size) == 0 && at[size] == '=';
}

/* Does something have to be known?  Then one more input is bound from now on. */
static bool wants_bound(struct testcase *c)
{
    const struct nnefc_diagnostic *error = first_error(c);

    if (!error || strcmp(error->code, "N0226") != 0)
        return false;
    for (int i = 0; i < c->count; i++)
        if (may_bind(c, i, error->help)) {
            c->any_bound = c->bound[i] = true;
            return true;
        }
    return false;
}

static enum nnefc_status load_model(struct testcase *c)
{
    enum nnefc_status status;
    char path[PATH + 64];

    snprintf(path, sizeof path, "%s/model.onnx", c->folder);
    do {
        close_model(c);
        c->model = nnefc_model_new();
        if (c->open)
            nnefc_model_keep_open(c->model);
        for (int i = 0; i < c->count; i++)
            if (c->bound[i])
                nnefc_model_bind(c->model, c->names[i],
                                 (const struct nnefc_tensor *)&c->input[i].tensor);
        status = nnefc_model_load(c->model, path);
    } while (status != NNEFC_OK && !c->open && wants_bound(c));
    return status;
}

static bool compute(struct testcase *c)
{
    const struct nnefc_port_list *inputs = nnefc_model_inputs(c->model);
    const struct nnefc_run_options options = {.size = sizeof options, .threads = 2};
    bool ok = (c->run = c->open ? nnefc_run_new_with(c->model, &options)
                                : nnefc_run_new(c->model)) != NULL;

    for (int i = 0; i < inputs->count && ok; i++)
        for (int k = 0; k < c->count; k++)
            if (strcmp(c->names[k], inputs->at[i]->name) == 0)
                ok &= c->there[k] &&
                      nnefc_run_set_input(
                          c->run, i, (const struct nnefc_tensor *)&c->input[k].tensor) == NNEFC_OK;
    return ok && nnefc_run_step(c->run) == NNEFC_OK;
}

static enum verdict compare_outputs(const struct testcase *c, int set)
{
    const struct onnx_value_info *info = c->graph->output.first;
    enum verdict verdict = c->any_bound ? RIGHT_BOUND : RIGHT;

    for (int i = 0; info && i < nnefc_model_outputs(c->model)->count; i++, info = info->next) {
        struct given given;
        char path[PATH + 64];
        snprintf(path, sizeof path, "%s/test_data_set_%d/output_%d.pb", c->folder, set, i);
        const struct tensor *got = (const struct tensor *)nnefc_run_output(c->run, i);
        bool read = given_open(&given, path);
        if (!read || !is_typed(info, &given))
            verdict = verdict == WRONG ? WRONG : NOT_JUDGED;
        else if (!same_tensor(i, got, &given.tensor, c->told))
            verdict = WRONG;
        given_close(&given);
    }
    return verdict;
}

static enum verdict judge(struct testcase *c, int set)
{
    if (load_model(c) != NNEFC_OK)
        return REFUSED;
    if (c->mistyped)
        return NOT_JUDGED;
    if (!compute(c))
        return REFUSED;
    return compare_outputs(c, set);
}

/* --- why -------------------------------------------------------------------------------------- */

/* "operator 'X'", or the code with the operator of the node that it is about. */
static void describe(const struct testcase *c, char text[64])
{
    const struct nnefc_diagnostic *error = c->model ? first_error(c) : NULL;
    const char *name = error ? strstr(error->text, "operator '") : NULL;
    const char *end = name ? strchr(name + strlen("operator '"), '\'') : NULL;

    if (end) {
        snprintf(text, 64, "%.*s", (int)(end + 1 - name), name);
        return;
    }
    end = error ? strstr(error->text, ") at byte ") : NULL;
    for (name = end; name && name > error->text && *name != '('; name--)
        continue;
    snprintf(text, 64, "%s %.*s", error ? error->code : "no report",
             end ? (int)(end - name - 1) : 0, end ? name + 1 : "");
}

static void count_reason(struct tally *tally, const struct testcase *c, const char *name)
{
    char text[64];
    int at = 0;

    describe(c, text);
    while (at < tally->reasons && strcmp(tally->reason[at].text, text) != 0)
        at++;
    if (at == REASONS)
        return;
    if (at == tally->reasons) {
        snprintf(tally->reason[at].text, sizeof tally->reason[at].text, "%s", text);
        snprintf(tally->reason[at].example, PATH, "%s", name);
        tally->reasons++;
    }
    tally->reason[at].count++;
}

static int by_count(const void *a, const void *b)
{
    const struct reason *x = a, *y = b;

    return x->count != y->count ? y->count - x->count : strcmp(x->text, y->text);
}

/* --- all of them ------------------------------------------------------------------------------ */

static bool is_disputed(const char *name)
{
    for (size_t i = 0; i < sizeof disputed / sizeof *disputed; i++)
        if (strcmp(disputed[i], name) == 0)
            return true;
    return false;
}

static bool is_drawn(const char *name)
{
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
        if (strncmp(drawn[i], name, strlen(drawn[i])) == 0)
            return true;
    return false;
}

/* The worst of all data sets. */
static void run_case(struct tally *tally, const char *name)
{
    struct testcase c = {.told = tally->only != NULL, .open = tally->open};
    char folder[PATH + 64], path[PATH + 128];
    struct given file = {.diag = diag_new(NULL), .arena = arena_new()};
    enum verdict worst = RIGHT;

    snprintf(folder, sizeof folder, "%s/%s", place, name);
    snprintf(path, sizeof path, "%s/model.onnx", folder);
    c.folder = folder;
    bool read = file_open(file.diag, path, &(struct file_request){.budget = INT64_MAX}, &file.file);
    assert_true(read);
    struct onnx_bytes bytes = {file.file.data, file.file.size};
    const struct onnx_model *model = onnx_model_read(file.diag, file.arena, path, bytes);
    assert_non_null(model);
    c.graph = model->graph;
    for (const struct onnx_value_info *i = c.graph->input.first; i && c.count < PORTS; i = i->next)
        c.names[c.count++] = i->name;
    for (int set = 0; set < SETS && worst != REFUSED; set++) {
        snprintf(path, sizeof path, "%s/test_data_set_%d", folder, set);
        if (!is_there(path))
            break;
        read_inputs(&c, set);
        enum verdict verdict = judge(&c, set);
        if (verdict == WRONG && is_drawn(name))
            verdict = NOT_JUDGED;
        worst = verdict > worst ? verdict : worst;
        if (verdict == REFUSED)
            count_reason(tally, &c, name);
        close_model(&c);
        close_inputs(&c);
    }
    tally->count[worst]++;
    tally->wrong += worst == WRONG && !is_disputed(name);
    if (tally->only || worst == WRONG)
        printf("%s: %s%s\n", name, words[worst], is_disputed(name) ? ", disputed" : "");
    given_close(&file);
}

static int is_name(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void run_kind(struct tally *tally, const char *kind)
{
    struct dirent **entry;
    char path[PATH], name[PATH];

    snprintf(path, sizeof path, "%s/%s", place, kind);
    int count = scandir(path, &entry, is_name, alphasort);
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s/%s", kind, entry[i]->d_name);
        if (!tally->only || strstr(name, tally->only))
            run_case(tally, name);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
}

static void judge_all(struct tally *tally, int least)
{
    static const char *const kinds[] = {"node", "pytorch-converted", "pytorch-operator", "simple"};

    if (!is_there(place)) {
        print_message("skipped: no %s, of the package libonnx-testdata\n", place);
        skip();
    }
    tally->only = getenv("ONNX_NODE_TEST");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        run_kind(tally, kinds[i]);
    for (int i = 0; i < VERDICTS; i++)
        printf("%5d %s\n", tally->count[i], words[i]);
    qsort(tally->reason, (size_t)tally->reasons, sizeof *tally->reason, by_count);
    for (int i = 0; i < tally->reasons; i++)
        printf("%9d %s, such as %s\n", tally->reason[i].count, tally->reason[i].text,
               tally->reason[i].example);
    assert_int_equal(tally->wrong, 0);
    assert_true(tally->only || tally->count[RIGHT] + tally->count[RIGHT_BOUND] >= least);
}

static void no_case_of_libonnx_testdata_is_wrong(void **state)
{
    static struct tally tally;

    (void)state;
    judge_all(&tally, LEAST);
}

/* By the fast backend: what has to be known is found, and what is computed cuts the model. */
static void no_input_has_to_be_bound(void **state)
{
    static struct tally tally = {.open = true};

    (void)state;
    judge_all(&tally, LEAST_OPEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_case_of_libonnx_testdata_is_wrong),
        cmocka_unit_test(no_input_has_to_be_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
