/* findings.c - pages of what commands have found: the models, and the record of the command */
#include "driver/view/findings.h"

#include "driver/memory.h"
#include "driver/path.h"
#include "driver/report.h"
#include "driver/view/drawing.h"
#include "driver/view/strings.h"

#include <errno.h>
#include <string.h>

enum nnefc_status page_fits(const struct command *command, const char *path)
{
    if (!path)
        return NNEFC_OK;
    if (strcmp(path, "-") == 0)
        return usage_error(command, "'-' is for the verdict, the page is a file");
    if (!path_is_writable(path, false))
        return file_error(command, path, strerror(errno));
    return NNEFC_OK;
}

static void write_page(FILE *file, void *drawing)
{
    html_write(file, drawing);
}

bool findings_write(const char *path, const struct findings *findings)
{
    char *record = record_json(findings->record, JSON_FLOATS);
    char *json = json_without_markup(record);
    struct drawing drawing = {.findings = json};

    for (int i = 0; i < 2; i++) {
        if (!findings->model[i])
            continue;
        const char side = findings->run ? '\0' : "ab"[i];
        drawing.title = nnefc_model_name(findings->model[i]);
        drawing.of[drawing.models++] =
            drawn_new(findings->model[i], side ? (i ? "B" : "A") : NULL, side);
    }
    if (findings->run)
        drawing.plan = planned_of(findings->run, &drawing.of[0].net);
    bool ok = path_write(path, write_page, &drawing);
    drawing_free(&drawing);
    free(json);
    free(record);
    return ok;
}
