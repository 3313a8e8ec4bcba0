/* expect.c - what is expected of results is in a file for each, or in a folder or archive for all */
#include "driver/expect.h"

#include "driver/files.h"
#include "driver/message.h"
#include "driver/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- planning ------------------------------------------------------------------------------ */

/* What was not reported is want of memory. */
static enum nnefc_status failure(const struct expected *expected)
{
    enum nnefc_status status = nnefc_model_status(expected->model);

    return status == NNEFC_OK ? NNEFC_INTERNAL : status;
}

static bool is_for_all(const struct named_file *given)
{
    return path_is_folder(given->file) || nnefc_is_npz(given->file);
}

static enum nnefc_status set_place(struct expected *expected, const struct named_file *given)
{
    if (given->name)
        return usage_error(&expected->settings, "'%s' is for all results, but '%s' is one",
                           given->file, given->name);
    if (expected->place)
        return usage_error(&expected->settings, "results are expected in '%s' or in '%s'",
                           expected->place, given->file);
    expected->place = given->file;
    expected->results = nnefc_results_open(expected->model, given->file);
    return expected->results ? NNEFC_OK : failure(expected);
}

/* Files of single results go to `file`, of which there are *count. */
static enum nnefc_status sort_files(struct expected *expected, struct named_file *file, int *count)
{
    const struct settings *s = &expected->settings;
    enum nnefc_status status = NNEFC_OK;

    for (int i = 0; i < s->nexpected && status == NNEFC_OK; i++)
        if (is_for_all(&s->expected[i]))
            status = set_place(expected, &s->expected[i]);
        else
            file[(*count)++] = s->expected[i];
    return status;
}

static int find_recorded(const struct expected *expected, const char *name)
{
    for (int i = 0; i < nnefc_results_count(expected->results); i++)
        if (strcmp(nnefc_results_name(expected->results, i), name) == 0)
            return i;
    return -1;
}

/* By the name of the result; what no name tells by its number, "out0". */
static int recorded_for(const struct expected *expected, int output)
{
    char numbered[32];
    int index = find_recorded(expected, nnefc_model_output_name(expected->model, output));

    snprintf(numbered, sizeof numbered, "out%d", output);
    return index >= 0 ? index : find_recorded(expected, numbered);
}

static enum nnefc_status check_place(const struct expected *expected)
{
    int count = nnefc_model_output_count(expected->model);

    if (!expected->place)
        return NNEFC_OK;
    for (int i = 0; i < count; i++)
        if (expected->file[i] || recorded_for(expected, i) >= 0)
            return NNEFC_OK;
    return usage_error(&expected->settings, "'%s' has none of the results, such as '%s' or 'out0'",
                       expected->place, count ? nnefc_model_output_name(expected->model, 0) : "");
}

enum nnefc_status expected_plan(struct expected *expected, const struct settings *settings,
                                struct nnefc_model *model)
{
    struct side side = {settings, "output", nnefc_model_output_count(model), files_find_output,
                        model};
    struct named_file *given = calloc((size_t)settings->nexpected + 1, sizeof *given);
    enum nnefc_status status = NNEFC_INTERNAL;
    int count = 0;

    *expected = (struct expected){.settings = *settings, .model = model};
    expected->file = calloc((size_t)side.count + 1, sizeof *expected->file);
    if (given && expected->file)
        status = sort_files(expected, given, &count);
    if (status == NNEFC_OK)
        status = files_assign(&side, given, count, expected->file);
    if (status == NNEFC_OK)
        status = check_place(expected);
    free(given);
    return status;
}

void expected_free(struct expected *expected)
{
    nnefc_results_free(expected->results);
    free(expected->file);
}

/* --- comparing ----------------------------------------------------------------------------- */

/* A result that nothing was said of where there is something for all of them. */
static bool is_missing(const struct expected *expected, int output)
{
    return expected->place && !expected->file[output] && recorded_for(expected, output) < 0;
}

static bool is_expected(const struct expected *expected, int output)
{
    return expected->file[output] || expected->place;
}

static struct nnefc_tensor *read_expected(const struct expected *expected, int output)
{
    if (expected->file[output])
        return nnefc_tensor_read(expected->model, expected->file[output]);
    return nnefc_results_read(expected->results, recorded_for(expected, output));
}

static enum nnefc_status compare_result(const struct expected *expected,
                                        const struct nnefc_run *run, int output,
                                        struct finding *finding)
{
    const struct nnefc_tensor *result = nnefc_run_output(run, output);
    const char *name = nnefc_model_output_name(expected->model, output);

    *finding = (struct finding){.part = PART_OUTPUT,
                                .pair = {.index = {output, output}},
                                .name = {name, name},
                                .difference = {.worst = -1}};
    if (is_missing(expected, output)) {
        finding->pair.index[1] = -1;
        finding->type[0] = nnefc_tensor_type(result);
        return NNEFC_DIFFERENT;
    }
    struct nnefc_tensor *reference = read_expected(expected, output);
    if (!reference)
        return failure(expected);
    enum nnefc_status status =
        finding_compare(finding, result, reference, &expected->settings.tolerance);
    nnefc_tensor_free(reference);
    return status;
}

static enum nnefc_status compare_all(const struct expected *expected, const struct nnefc_run *run,
                                     struct comparison *c)
{
    enum nnefc_status status = NNEFC_OK, worst = NNEFC_OK;

    for (int i = 0; i < nnefc_model_output_count(expected->model) && !comparison_failed(status);
         i++) {
        if (!is_expected(expected, i))
            continue;
        status = compare_result(expected, run, i, &c->findings[c->nfinding++]);
        worst = status == NNEFC_OK ? worst : status;
    }
    return worst;
}

enum nnefc_status expected_compare(const struct expected *expected, const struct nnefc_run *run)
{
    const struct settings *s = &expected->settings;
    size_t room = (size_t)nnefc_model_output_count(expected->model) + 1;
    struct comparison c = {.settings = s, .findings = calloc(room, sizeof *c.findings)};
    enum nnefc_status status = NNEFC_INTERNAL;

    c.subject[0].settings.model = s->model;
    c.subject[1].settings.model = s->expected[0].file;
    if (c.findings)
        status = comparison_show(&c, compare_all(expected, run, &c));
    free(c.findings);
    return status;
}
