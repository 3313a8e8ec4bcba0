/* record_json.c - records as JSON; view/overlay.c reads JSON, nothing else knows jansson */
#include "driver/memory.h"
#include "driver/record_priv.h"

#include <assert.h>
#include <inttypes.h>
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

/* Names of files and of ONNX may have any bytes, but a string of JSON is UTF-8. */
static json_t *text_json(const char *text)
{
    json_t *string = json_string(text);
    char *escaped = string ? NULL : text_escaped(text, NULL);

    string = must_have(escaped ? json_string(escaped) : string);
    free(escaped);
    return string;
}

/* Takes over the item, which is NULL if memory ran out. */
static void add_json(json_t *to, const char *key, json_t *item)
{
    json_t *name = key ? text_json(key) : NULL;

    assert((json_typeof(to) == JSON_OBJECT) == (key != NULL));
    int failed = key ? json_object_set_new(to, json_string_value(name), item)
                     : json_array_append_new(to, item);
    if (failed)
        end_without_memory();
    json_decref(name);
}

/* JSON has no number that is infinite or none, so that these are texts. */
static json_t *real_json(double value)
{
    if (isfinite(value))
        return json_real(value);
    return json_string(isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

static json_t *integer_json(int64_t value, bool is_unsigned)
{
    char digits[32];

    if (value >= 0 || !is_unsigned)
        return json_integer(value);
    snprintf(digits, sizeof digits, "%" PRIu64, (uint64_t)value);
    return json_string(digits);
}

/* NULL if memory ran out, but not if that was for a part. */
static json_t *to_json(const struct record *record)
{
    const struct nnefc_tensor *tensor = record->value.tensor;
    json_t *parts = NULL;

    switch (record->kind) {
    case RECORD_NULL:
        return json_null();
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
        parts = json_array();
        break;
    case RECORD_OBJECT:
        parts = json_object();
    }
    for (int64_t i = 0; record->kind == RECORD_TENSOR && i < nnefc_tensor_count(tensor); i++) {
        const void *items = nnefc_tensor_items(tensor);
        enum nnefc_dtype dtype = nnefc_tensor_type(tensor).dtype;
        add_json(must_have(parts), NULL,
                 dtype == NNEFC_INTEGER
                     ? integer_json(((const int64_t *)items)[i], nnefc_tensor_is_unsigned(tensor))
                 : dtype == NNEFC_LOGICAL ? json_boolean(((const unsigned char *)items)[i])
                                          : real_json(nnefc_tensor_item(tensor, i)));
    }
    /* A key that begins with '.' is for layouts only. */
    for (const struct record *part = record->first; part; part = part->next)
        if (!part->key || part->key[0] != '.')
            add_json(must_have(parts), part->key, to_json(part));
    return parts;
}

/* A callback of jansson; `data` is how many blanks a line begins with. */
static int print_indented(const char *text, size_t size, void *data)
{
    const int *indent = data;

    for (size_t at = 0, end; at < size; at = end) {
        const char *line = memchr(text + at, '\n', size - at);
        end = line ? (size_t)(line - text) + 1 : size;
        fwrite(text + at, 1, end - at, stdout);
        if (line && *indent > 0)
            printf("%*s", *indent, "");
    }
    return 0;
}

/* What cannot be written is noticed at the end of the program. */
void json_print(const struct record *record, enum json_style style, int indent)
{
    json_t *json = must_have(to_json(record));

    assert(indent >= 0);
    if (json_dump_callback(json, print_indented, &indent, json_flags[style]) != 0)
        end_without_memory();
    json_decref(json);
}

char *record_json(struct record *record, enum json_style style)
{
    json_t *json = must_have(to_json(record));
    /* json_dumps() of jansson 2.14 leaves characters out if its buffer cannot grow. */
    size_t size = json_dumpb(json, NULL, 0, json_flags[style]);
    char *text = zeroed_items(size + 1, 1);

    if (size == 0 || json_dumpb(json, text, size, json_flags[style]) != size)
        end_without_memory();
    json_decref(json);
    record_free(record);
    return text;
}

void record_print_json(struct record *record, enum json_style style, FILE *to)
{
    char *text = record_json(record, style);

    fprintf(to, "%s\n", text);
    free(text);
}
