/* overlay.c - what other programs or commands have put in files of JSON: numbers for names,
 * findings */
#include "driver/report.h"
#include "driver/view/facts.h"
#include "driver/view/strings.h"

#include <jansson.h>
#include <stdlib.h>

/* Write only these members again, so that nothing else gets into the page. */
static char *write_overlay(const json_t *unit, json_t *values)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = must_have(open_memstream(&text, &size));
    const char *name, *separator = "";
    json_t *value;

    fputs("{\"unit\":", to);
    json_text(to, unit ? json_string_value(unit) : "", "");
    fputs(",\"values\":{", to);
    json_object_foreach (values, name, value) {
        fputs(separator, to);
        json_text(to, name, "");
        fprintf(to, ":%.9g", json_number_value(value));
        separator = ",";
    }
    fputs("}}", to);
    if (fclose(to) != 0)
        end_without_memory();
    return text;
}

char *overlay_read(const struct command *command, const char *path)
{
    json_error_t error;
    json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, &error), *value;
    json_t *values = json_object_get(json, "values"), *unit = json_object_get(json, "unit");
    bool numbers = json_is_object(values) && (!unit || json_is_string(unit));
    const char *name;
    char *text = NULL;

    json_object_foreach (values, name, value) {
        numbers &= json_is_number(value);
    }
    if (!json)
        usage_error(command, "cannot read the overlay '%s': %s", path, error.text);
    else if (!numbers)
        usage_error(command,
                    "'%s' is no overlay, expected JSON such as "
                    "{\"unit\":\"ms\",\"values\":{\"relu1\":0.41}}",
                    path);
    else
        text = write_overlay(unit, values);
    json_decref(json);
    return text;
}

/* A page knows tensors by their names as it shows them. */
void overlay_check(const struct command *command, const char *overlay, const struct net *net)
{
    json_t *json = must_have(json_loads(overlay, 0, NULL)), *names = must_have(json_object());
    json_t *values = json_object_get(json, "values"), *value;
    const char *name, *first = NULL;
    int unknown = 0;

    for (int i = 0; i < net->values; i++) {
        char *shown = net->value[i].name ? text_escaped(net->value[i].name, "") : NULL;
        if (shown && json_object_set_new_nocheck(names, shown, json_true()))
            end_without_memory();
        free(shown);
    }
    json_object_foreach (values, name, value) {
        if (json_object_get(names, name))
            continue;
        first = first ? first : name;
        unknown++;
    }
    if (unknown > 0)
        usage_warning(command, "the overlay has %d of %zu names that no tensor has, such as '%s'",
                      unknown, json_object_size(values), first);
    json_decref(names);
    json_decref(json);
}

/* Is it the JSON of diff, of compare with all layers, or of bench? */
static bool are_findings(const json_t *json)
{
    const json_t *layers = json_object_get(json, "layers");

    return json_is_array(json_object_get(json, "changes")) ||
           json_is_array(json_object_get(layers, "all")) ||
           json_is_number(json_object_get(json, "medianMs"));
}

char *findings_read(const struct command *command, const char *path)
{
    json_error_t error;
    json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    char *text = NULL;

    if (!json) {
        usage_error(command, "cannot read the findings '%s': %s", path, error.text);
    } else if (!are_findings(json)) {
        usage_error(command,
                    "'%s' has no findings, expected what --json of bench, diff or compare "
                    "--layers=all prints",
                    path);
    } else {
        char *whole = must_have(json_dumps(json, JSON_REAL_PRECISION(9)));
        text = json_without_markup(whole);
        free(whole);
    }
    json_decref(json);
    return text;
}
