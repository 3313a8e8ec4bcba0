/* record_json.c - records as JSON; the only file of the program that knows jansson */
#include "driver/record_priv.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static_assert(JSON_DENSE == 3, "json_flags has all styles");
static const size_t json_flags[] = {
    [JSON_LINES] = JSON_INDENT(2),
    [JSON_FLOATS] = JSON_REAL_PRECISION(9), /* digits that tell any two floats apart */
    [JSON_DOUBLES] = JSON_REAL_PRECISION(15),
    [JSON_DENSE] = JSON_COMPACT,
};

/* --- texts ------------------------------------------------------------------------------------ */

/* How many bytes the character at text[0] has; 0 if they are no UTF-8, which jansson knows. */
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

/* Names of files and of ONNX may have any bytes: those that are no UTF-8 become U+FFFD. */
static json_t *text_json(const char *text)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    size_t size = strlen(text), used = 0;
    json_t *string = json_string(text);

    if (string)
        return string;
    char *copy = malloc(size * strlen(replacement) + 1);
    if (!copy)
        return NULL;
    for (size_t at = 0, bytes; at < size; at += bytes ? bytes : 1) {
        bytes = character_size(text + at, size - at);
        size_t count = bytes ? bytes : strlen(replacement);
        memcpy(copy + used, bytes ? text + at : replacement, count);
        used += count;
    }
    string = json_stringn(copy, used);
    free(copy);
    return string;
}

/* --- trees ------------------------------------------------------------------------------------ */

/* jansson refuses NULL, for want of memory; then all of it is dropped. */
static bool add_json(json_t *to, const char *key, json_t *item)
{
    assert((json_typeof(to) == JSON_OBJECT) == (key != NULL));
    if (!key)
        return json_array_append_new(to, item) == 0;
    json_t *name = text_json(key);
    bool ok = json_object_set_new(to, name ? json_string_value(name) : NULL, item) == 0;

    json_decref(name);
    return ok;
}

/* JSON has no number that is infinite or none. */
static json_t *real_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* In the type of the tensor. */
static json_t *item_json(const struct nnefc_tensor *tensor, enum nnefc_dtype dtype, int64_t index)
{
    const void *items = nnefc_tensor_items(tensor);

    switch (dtype) {
    case NNEFC_INTEGER:
        return json_integer(((const int64_t *)items)[index]);
    case NNEFC_LOGICAL:
        return json_boolean(((const unsigned char *)items)[index]);
    case NNEFC_SCALAR:
    case NNEFC_DTYPE_UNKNOWN:
        break;
    }
    return real_json(nnefc_tensor_item(tensor, index));
}

static json_t *to_json(const struct record *record);

/* The items of a list or tensor, or the members of an object; NULL if memory ran out. */
static json_t *parts_json(const struct record *record)
{
    const struct nnefc_tensor *tensor = record->value.tensor;
    json_t *parts = record->kind == RECORD_OBJECT ? json_object() : json_array();
    bool ok = parts;

    if (record->kind == RECORD_TENSOR)
        for (int64_t i = 0; ok && i < nnefc_tensor_count(tensor); i++)
            ok = add_json(parts, NULL, item_json(tensor, nnefc_tensor_type(tensor).dtype, i));
    for (const struct record *part = record->first; part && ok; part = part->next)
        if (!record_is_hidden(part))
            ok = add_json(parts, part->key, to_json(part));
    if (ok)
        return parts;
    json_decref(parts);
    return NULL;
}

/* NULL if memory ran out. */
static json_t *to_json(const struct record *record)
{
    switch (record->kind) {
    case RECORD_BOOL:
        return json_boolean(record->value.logical);
    case RECORD_INTEGER:
        return json_integer(record->value.integer);
    case RECORD_REAL:
        return real_json(record->value.real);
    case RECORD_TEXT:
        return text_json(record->text);
    case RECORD_TENSOR:
    case RECORD_LIST:
    case RECORD_OBJECT:
        return parts_json(record);
    case RECORD_NULL:
        break;
    }
    return json_null();
}

/* --- printing --------------------------------------------------------------------------------- */

/* A callback of jansson; `data` is how many blanks a line begins with. */
static int print_indented(const char *text, size_t size, void *data)
{
    const int *indent = data;

    for (size_t i = 0; i < size; i++) {
        putchar(text[i]);
        if (text[i] == '\n')
            printf("%*s", *indent, "");
    }
    return 0;
}

bool json_print(const struct record *record, enum json_style style, int indent)
{
    json_t *json = to_json(record);
    bool ok = json != NULL;

    assert(indent >= 0);
    if (ok && indent > 0)
        ok = json_dump_callback(json, print_indented, &indent, json_flags[style]) == 0;
    else if (ok)
        ok = json_dumpf(json, stdout, json_flags[style]) == 0;
    json_decref(json);
    return ok;
}

char *record_json(struct record *record, enum json_style style)
{
    json_t *json = record && !record->failed ? to_json(record) : NULL;
    char *text = json ? json_dumps(json, json_flags[style]) : NULL;

    json_decref(json);
    record_free(record);
    return text;
}
