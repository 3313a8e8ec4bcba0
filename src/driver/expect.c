/*
 * expect.c - results that were recorded before, for nnefc run --expect
 *
 * Each has a file, or all are in a folder or archive, under the names of the results, or as out0,
 * out1 and so on, which other programs write. A result without an expected one is not compared.
 */
#include "driver/path.h"
#include "driver/report.h"
#include "driver/run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A folder or an archive of arrays, in which results go by their names. */
static bool is_for_all(const struct named_file *file)
{
    return path_is_folder(file->file) || nnefc_is_npz(file->file);
}

/* The index of the recorded result of this name; -1: no such result. */
static int find_recorded(const struct expected *expected, const char *name)
{
    for (int i = 0; i < nnefc_results_list(expected->results)->count; i++)
        if (strcmp(nnefc_results_list(expected->results)->at[i]->name, name) == 0)
            return i;
    return -1;
}

/* The index of what was recorded for a result: by its name, or else by its number, as "out0". */
static int recorded_for(const struct expected *expected, int output)
{
    char numbered[32];
    int index = find_recorded(expected, nnefc_model_outputs(expected->model)->at[output]->name);

    snprintf(numbered, sizeof numbered, "out%d", output);
    return index >= 0 ? index : find_recorded(expected, numbered);
}

enum nnefc_status expected_plan(struct expected *expected, const struct command *command,
                                const struct option_list *given, struct nnefc_model *model)
{
    const struct nnefc_port_list *results = nnefc_model_outputs(model);
    struct side side = side_of(model, true);
    const struct named_file *file = given->item;

    side.is_for_all = is_for_all;
    *expected = (struct expected){.command = command, .given = given, .model = model};
    expected->file = zeroed_items((size_t)side.count, sizeof *expected->file);
    /* There may be one place for all results. */
    for (int i = 0; i < given->count; i++) {
        if (!is_for_all(&file[i]))
            continue;
        if (file[i].name)
            return usage_error(command, "'%s' is for all results, but '%s' is one", file[i].file,
                               file[i].name);
        if (expected->place)
            return usage_error(command, "results are expected in '%s' or in '%s'", expected->place,
                               file[i].file);
        expected->place = file[i].file;
        expected->results = nnefc_results_open(model, file[i].file);
        if (!expected->results)
            return model_failure(expected->model);
    }
    enum nnefc_status status = files_assign(command, &side, given, expected->file);
    bool found = status != NNEFC_OK || !expected->place;
    for (int i = 0; i < results->count && !found; i++)
        found = expected->file[i] || recorded_for(expected, i) >= 0;
    if (found)
        return status;
    return usage_error(command, "'%s' has none of the results, such as '%s' or 'out0'",
                       expected->place, results->count ? results->at[0]->name : "");
}

void expected_free(struct expected *expected)
{
    nnefc_results_free(expected->results);
    free(expected->file);
}

enum nnefc_status expected_compare(const struct expected *expected, const struct nnefc_run *run,
                                   const struct nnefc_tolerance *tolerance)
{
    const struct nnefc_port_list *results = nnefc_model_outputs(expected->model);
    const struct named_file *given = expected->given->item;
    struct comparison c = {.command = expected->command,
                           .tolerance = tolerance,
                           .findings = zeroed_items((size_t)results->count, sizeof *c.findings)};
    enum nnefc_status status = NNEFC_OK, worst = status;

    assert(expected->given->count > 0);
    c.subject[0].path = expected->command->operand[0];
    c.subject[1].path = given[0].file;
    for (int i = 0; i < results->count && !comparison_failed(status); i++) {
        const char *file = expected->file[i], *name = results->at[i]->name;
        if (!file && !expected->place)
            continue;
        const struct nnefc_tensor *result = nnefc_run_output(run, i);
        struct finding *finding = &c.findings[c.nfinding++];
        int recorded = file ? -1 : recorded_for(expected, i);
        *finding = (struct finding){.part = PART_OUTPUT,
                                    .pair = {.index = {i, i}},
                                    .name = {name, name},
                                    .type = {nnefc_tensor_type(result)},
                                    .difference = {.worst = -1}};
        struct nnefc_tensor *reference = NULL;
        if (file)
            reference = nnefc_tensor_read(expected->model, file);
        else if (recorded >= 0)
            reference = nnefc_results_read(expected->results, recorded);
        if (reference)
            status = finding_compare(finding, result, reference, tolerance);
        else
            status = file || recorded >= 0 ? model_failure(expected->model) : NNEFC_DIFFERENT;
        if (!file && recorded < 0) /* a result that the place for all lacks is missing */
            finding->pair.index[1] = -1;
        nnefc_tensor_free(reference);
        worst = status == NNEFC_OK ? worst : status;
    }
    worst = comparison_show(&c, worst);
    free(c.findings);
    return worst;
}
