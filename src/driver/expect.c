/*
 * expect.c - results that were recorded before, for nnefc run --expect
 *
 * They are in a file for each, or in a folder or archive for all, which goes by the names of
 * results, or by out0, out1 and so on as other programs record them. Results that nothing is
 * expected of are not compared.
 */
#include "driver/expect.h"

#include "driver/path.h"
#include "driver/report.h"

#include <assert.h>
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

/* One place for all results; it is opened, to see what is recorded there. */
static enum nnefc_status set_place(struct expected *expected, const struct named_file *given)
{
    if (given->name)
        return usage_error(expected->command, "'%s' is for all results, but '%s' is one",
                           given->file, given->name);
    if (expected->place)
        return usage_error(expected->command, "results are expected in '%s' or in '%s'",
                           expected->place, given->file);
    expected->place = given->file;
    expected->results = nnefc_results_open(expected->model, given->file);
    return expected->results ? NNEFC_OK : failure(expected);
}

/* A folder or an archive of arrays, in which results go by their names. */
static bool is_for_all(const struct named_file *file)
{
    return path_is_folder(file->file) || nnefc_is_npz(file->file);
}

/* The index of a recorded result; -1: there is none of the name. */
static int find_recorded(const struct expected *expected, const char *name)
{
    for (int i = 0; i < nnefc_results_list(expected->results)->count; i++)
        if (strcmp(nnefc_results_list(expected->results)->at[i]->name, name) == 0)
            return i;
    return -1;
}

/* By the name of the result; what no name tells by its number, "out0". */
static int recorded_for(const struct expected *expected, int output)
{
    char numbered[32];
    int index = find_recorded(expected, nnefc_model_outputs(expected->model)->at[output]->name);

    snprintf(numbered, sizeof numbered, "out%d", output);
    return index >= 0 ? index : find_recorded(expected, numbered);
}

/* Is any result recorded? */
static enum nnefc_status check_place(const struct expected *expected)
{
    const struct nnefc_port_list *results = nnefc_model_outputs(expected->model);
    bool found = !expected->place;

    for (int i = 0; i < results->count && !found; i++)
        found = expected->file[i] || recorded_for(expected, i) >= 0;
    if (found)
        return NNEFC_OK;
    return usage_error(expected->command, "'%s' has none of the results, such as '%s' or 'out0'",
                       expected->place, results->count ? results->at[0]->name : "");
}

enum nnefc_status expected_plan(struct expected *expected, const struct command *command,
                                const struct option_list *given, struct nnefc_model *model)
{
    struct side side = side_of_outputs(model);
    const struct named_file *file = given->item;
    enum nnefc_status status = NNEFC_OK;

    side.is_for_all = is_for_all;
    *expected = (struct expected){.command = command, .given = given, .model = model};
    expected->file = calloc((size_t)side.count + 1, sizeof *expected->file);
    if (!expected->file)
        return NNEFC_INTERNAL;
    for (int i = 0; i < given->count && status == NNEFC_OK; i++)
        if (is_for_all(&file[i]))
            status = set_place(expected, &file[i]);
    if (status == NNEFC_OK)
        status = files_assign(command, &side, given, expected->file);
    return status == NNEFC_OK ? check_place(expected) : status;
}

void expected_free(struct expected *expected)
{
    nnefc_results_free(expected->results);
    free(expected->file);
}

/* --- comparing ----------------------------------------------------------------------------- */

/* Where there is something for all results, one that it lacks is missing. */
static enum nnefc_status compare_result(const struct expected *expected,
                                        const struct nnefc_run *run, int output,
                                        const struct nnefc_tolerance *tolerance,
                                        struct finding *finding)
{
    const struct nnefc_tensor *result = nnefc_run_output(run, output);
    const char *name = nnefc_model_outputs(expected->model)->at[output]->name;
    const char *file = expected->file[output];
    int recorded = file ? -1 : recorded_for(expected, output);

    assert(result && (file || expected->place));
    *finding = (struct finding){.part = PART_OUTPUT,
                                .pair = {.index = {output, output}},
                                .name = {name, name},
                                .difference = {.worst = -1}};
    if (!file && recorded < 0) {
        finding->pair.index[1] = -1;
        finding->type[0] = nnefc_tensor_type(result);
        return NNEFC_DIFFERENT;
    }
    struct nnefc_tensor *reference = file ? nnefc_tensor_read(expected->model, file)
                                          : nnefc_results_read(expected->results, recorded);
    if (!reference)
        return failure(expected);
    enum nnefc_status status = finding_compare(finding, result, reference, tolerance);
    nnefc_tensor_free(reference);
    return status;
}

enum nnefc_status expected_compare(const struct expected *expected, const struct nnefc_run *run,
                                   const struct nnefc_tolerance *tolerance, enum form form)
{
    int count = nnefc_model_outputs(expected->model)->count;
    const struct named_file *given = expected->given->item;
    struct comparison c = {.command = expected->command,
                           .tolerance = tolerance,
                           .form = form,
                           .findings = calloc((size_t)count + 1, sizeof *c.findings)};
    enum nnefc_status status = NNEFC_OK, worst = status;

    assert(expected->given->count > 0);
    if (!c.findings)
        return NNEFC_INTERNAL;
    c.subject[0].path = expected->command->operand[0];
    c.subject[1].path = given[0].file;
    for (int i = 0; i < count && !comparison_failed(status); i++) {
        if (!expected->file[i] && !expected->place)
            continue;
        status = compare_result(expected, run, i, tolerance, &c.findings[c.nfinding++]);
        worst = status == NNEFC_OK ? worst : status;
    }
    worst = comparison_show(&c, worst);
    free(c.findings);
    return worst;
}
