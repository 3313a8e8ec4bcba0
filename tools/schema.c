/*
 * schema.c - do JSON values satisfy a schema?
 *
 *     schema SCHEMA <VALUES
 *
 * Each line of standard input is a value.  Of JSON Schema it knows what
 * docs/diagnostics.schema.json uses, and refuses a schema with anything else.  Status 0: all are
 * satisfied, and there is one.
 */
#include <jansson.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LINE_SIZE = 1 << 20, PLACE_SIZE = 256 };

/* A value, where it stands, and the schema of the whole. */
struct spot {
    json_t *value;
    const char *place;
    json_t *root;
};

static bool check(json_t *schema, const struct spot *at);

static bool fault(const struct spot *at, const char *what)
{
    printf("%s: %s\n", at->place, what);
    return false;
}

static const char *type_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "object";
    case JSON_ARRAY:
        return "array";
    case JSON_STRING:
        return "string";
    case JSON_INTEGER:
        return "integer";
    case JSON_REAL:
        return "number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "boolean";
    case JSON_NULL:
        return "null";
    }
    return "";
}

/* Is the value among those of a list? */
static bool is_among(const json_t *list, const json_t *value)
{
    size_t index;
    json_t *item;

    json_array_foreach (list, index, item)
        if (json_equal(item, value))
            return true;
    return false;
}

static bool check_type(json_t *wanted, const struct spot *at)
{
    json_t *name = json_string(type_name(at->value));
    bool ok = json_is_array(wanted) ? is_among(wanted, name) : json_equal(wanted, name);

    json_decref(name);
    return ok || fault(at, "is of the wrong type");
}

static bool check_enum(json_t *wanted, const struct spot *at)
{
    return is_among(wanted, at->value) || fault(at, "is none of the values allowed");
}

static bool check_pattern(json_t *wanted, const struct spot *at)
{
    regex_t regex;

    if (!json_is_string(at->value))
        return true;
    if (regcomp(&regex, json_string_value(wanted), REG_EXTENDED | REG_NOSUB) != 0)
        return fault(at, "has a pattern that is none");
    bool ok = regexec(&regex, json_string_value(at->value), 0, NULL, 0) == 0;
    regfree(&regex);
    return ok || fault(at, "does not match its pattern");
}

static bool check_minimum(json_t *wanted, const struct spot *at)
{
    return !json_is_integer(at->value) ||
           json_integer_value(at->value) >= json_integer_value(wanted) || fault(at, "is too small");
}

static bool check_inner(json_t *schema, const struct spot *at, json_t *value, const char *name)
{
    char place[PLACE_SIZE];

    snprintf(place, sizeof place, "%s.%s", at->place, name);
    const struct spot inner = {value, place, at->root};
    return schema ? check(schema, &inner) : fault(&inner, "is not a member allowed");
}

static bool check_items(json_t *wanted, const struct spot *at)
{
    size_t index;
    json_t *item;
    bool ok = true;

    json_array_foreach (at->value, index, item)
        ok &= check_inner(wanted, at, item, "item");
    return ok;
}

static bool check_required(json_t *wanted, const struct spot *at)
{
    size_t index;
    json_t *name;
    bool ok = true;

    json_array_foreach (wanted, index, name)
        if (json_is_object(at->value) && !json_object_get(at->value, json_string_value(name))) {
            printf("%s lacks '%s'\n", at->place, json_string_value(name));
            ok = false;
        }
    return ok;
}

static bool check_properties(json_t *wanted, const struct spot *at)
{
    const char *name;
    json_t *member;
    bool ok = true;

    json_object_foreach (at->value, name, member)
        ok &= check_inner(json_object_get(wanted, name), at, member, name);
    return ok;
}

/* "#/definitions/NAME" */
static bool check_reference(json_t *wanted, const struct spot *at)
{
    static const char prefix[] = "#/definitions/";
    const char *name = json_string_value(wanted);
    json_t *schema = NULL;

    if (name && strncmp(name, prefix, sizeof prefix - 1) == 0)
        schema =
            json_object_get(json_object_get(at->root, "definitions"), name + sizeof prefix - 1);
    return schema ? check(schema, at) : fault(at, "has a reference to nowhere");
}

static const struct {
    const char *name;
    bool (*check)(json_t *wanted, const struct spot *at);
} keywords[] = {
    {"$schema", NULL},
    {"title", NULL},
    {"description", NULL},
    {"definitions", NULL},
    {"additionalProperties", NULL}, /* false, which check_properties() supposes */
    {"type", check_type},
    {"enum", check_enum},
    {"pattern", check_pattern},
    {"minimum", check_minimum},
    {"items", check_items},
    {"required", check_required},
    {"properties", check_properties},
    {"$ref", check_reference},
};

static bool check_keyword(const char *name, json_t *wanted, const struct spot *at)
{
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        if (strcmp(keywords[i].name, name) == 0)
            return !keywords[i].check || keywords[i].check(wanted, at);
    return fault(at, "has a schema with an unknown keyword");
}

static bool check(json_t *schema, const struct spot *at)
{
    bool ok = true;

    for (void *i = json_object_iter(schema); i; i = json_object_iter_next(schema, i))
        ok &= check_keyword(json_object_iter_key(i), json_object_iter_value(i), at);
    return ok;
}

static bool check_line(json_t *root, const char *line, int number)
{
    char place[PLACE_SIZE];
    json_error_t error;
    json_t *value = json_loads(line, JSON_REJECT_DUPLICATES, &error);

    snprintf(place, sizeof place, "line %d", number);
    const struct spot at = {value, place, root};
    bool ok = value ? check(root, &at) : fault(&at, error.text);
    json_decref(value);
    return ok;
}

static bool check_lines(json_t *root)
{
    static char line[LINE_SIZE];
    int number = 0;
    bool ok = true;

    while (fgets(line, sizeof line, stdin))
        ok &= check_line(root, line, ++number);
    return ok && number > 0;
}

int main(int argc, char **argv)
{
    json_error_t error;
    json_t *root = argc == 2 ? json_load_file(argv[1], 0, &error) : NULL;

    if (!root) {
        fprintf(stderr, "schema: %s\n", argc == 2 ? error.text : "usage: schema SCHEMA <VALUES");
        return 2;
    }
    bool ok = check_lines(root);
    json_decref(root);
    return !ok;
}
