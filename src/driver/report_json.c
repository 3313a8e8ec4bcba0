/* report_json.c - a diagnostic as an object; docs/diagnostics.schema.json describes it */
#include "driver/report.h"

#include <stdlib.h>
#include <string.h>

/* What bytes that are no UTF-8 are shown as. */
static const char replacement[] = "\xEF\xBF\xBD";

/* How many bytes the character at text[0] has; 0 if it is none. jansson knows. */
static size_t character_size(const char *text, size_t size)
{
    for (size_t n = 1; n <= 4 && n <= size; n++) {
        json_t *character = json_stringn(text, n);
        json_decref(character);
        if (character)
            return n;
    }
    return 0;
}

static json_t *mended(const char *text)
{
    size_t size = strlen(text), used = 0;
    char *copy = malloc(size * strlen(replacement) + 1);

    if (!copy)
        return NULL;
    for (size_t at = 0, bytes; at < size; at += bytes ? bytes : 1) {
        bytes = character_size(text + at, size - at);
        const char *from = bytes ? text + at : replacement;
        size_t count = bytes ? bytes : strlen(replacement);
        memcpy(copy + used, from, count);
        used += count;
    }
    json_t *string = json_stringn(copy, used);
    free(copy);
    return string;
}

json_t *json_text(const char *text)
{
    if (!text)
        return json_null();
    json_t *string = json_string(text);
    return string ? string : mended(text);
}

static json_t *number_or_null(int number)
{
    return number > 0 ? json_integer(number) : json_null();
}

static void set_place(json_t *object, const struct nnefc_diagnostic *said)
{
    json_object_set_new(object, "file", json_text(said->file));
    json_object_set_new(object, "line", number_or_null(said->line));
    json_object_set_new(object, "column", number_or_null(said->column));
    json_object_set_new(object, "endLine", number_or_null(said->end_line));
    json_object_set_new(object, "endColumn", number_or_null(said->end_column));
    json_object_set_new(object, "message", json_text(said->text));
}

static json_t *remark_json(struct nnefc_diagnostic remark)
{
    json_t *object = json_object();

    set_place(object, &remark);
    return object;
}

static json_t *fix_json(const struct nnefc_fix *fix)
{
    return json_pack("{s:o, s:i, s:i, s:i, s:i, s:I, s:I, s:o}", "file", json_text(fix->file),
                     "line", fix->line, "column", fix->column, "endLine", fix->end_line,
                     "endColumn", fix->end_column, "begin", (json_int_t)fix->begin, "end",
                     (json_int_t)fix->end, "replacement", json_text(fix->replacement));
}

static json_t *labels_json(const struct report *r)
{
    json_t *list = json_array();

    for (int i = 0; i < r->said.label_count; i++)
        json_array_append_new(list,
                              remark_json(nnefc_model_diagnostic_label(r->model, r->index, i)));
    return list;
}

static json_t *notes_json(const struct report *r)
{
    json_t *list = json_array();

    for (int i = 0; i < r->said.note_count; i++)
        json_array_append_new(list,
                              remark_json(nnefc_model_diagnostic_note(r->model, r->index, i)));
    return list;
}

static json_t *fixes_json(const struct report *r)
{
    json_t *list = json_array();

    for (int i = 0; i < r->said.fix_count; i++) {
        struct nnefc_fix fix = nnefc_model_diagnostic_fix(r->model, r->index, i);
        if (fix.replacement)
            json_array_append_new(list, fix_json(&fix));
    }
    return list;
}

json_t *report_json(const struct report *report)
{
    const struct nnefc_diagnostic *said = &report->said;
    bool ruled = said->section && strcmp(said->section, "-") != 0;
    json_t *object = json_object();

    json_object_set_new(object, "code", json_text(said->code));
    json_object_set_new(object, "severity", json_string(severity_name(said->severity)));
    json_object_set_new(object, "warning", json_text(said->warning));
    json_object_set_new(object, "section", json_text(ruled ? said->section : NULL));
    set_place(object, said);
    json_object_set_new(object, "labels", labels_json(report));
    json_object_set_new(object, "notes", notes_json(report));
    json_object_set_new(object, "help", json_text(said->help));
    json_object_set_new(object, "fixes", fixes_json(report));
    return object;
}
