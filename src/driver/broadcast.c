/* broadcast.c - nnefc broadcast: do these shapes go together, and what comes of it */
#include "driver/json_build.h"
#include "driver/message.h"
#include "driver/verb.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const rule_names[] = {"nnef", "onnx", "onnx-one-way", NULL};

static bool read_rule(const struct settings *settings, enum nnefc_broadcast_rule *rule)
{
    const char *name = settings->nmodel > 0 ? settings->models[0] : NULL;

    for (int i = 0; name && rule_names[i]; i++)
        if (strcmp(rule_names[i], name) == 0) {
            *rule = (enum nnefc_broadcast_rule)i;
            return true;
        }
    if (name)
        usage_error(settings, "'%s' is no rule, expected nnef, onnx or onnx-one-way", name);
    else
        usage_error(settings, "'broadcast' needs a rule and shapes; see 'nnefc help broadcast'");
    return false;
}

/* "2,3", "[2,3]", "(2,3,)"; "[]", "()" and "scalar" have no dimensions. */
static bool read_shape(const char *text, struct nnefc_type *shape)
{
    size_t open = strspn(text, "[("), size = strlen(text);
    const char *end = text + size - (size > 0 && strchr("])", text[size - 1]) ? 1 : 0);

    *shape = (struct nnefc_type){.rank = 0};
    if (strcmp(text, "scalar") == 0)
        return true;
    for (const char *at = text + open; at < end;) {
        char *stop;
        errno = 0;
        long long extent = strtoll(at, &stop, 10);
        if (stop == at || errno || shape->rank == NNEFC_MAX_RANK || (stop < end && *stop != ','))
            return false;
        shape->extent[shape->rank++] = extent;
        at = stop + (*stop == ',');
    }
    return open == (size_t)(text + size - end) && (open || shape->rank > 0);
}

static bool read_shapes(const struct settings *settings, struct nnefc_type *shapes)
{
    for (int i = 1; i < settings->nmodel; i++)
        if (!read_shape(settings->models[i], &shapes[i - 1])) {
            usage_error(settings, "'%s' is no shape, expected up to %d extents as in 1,16,7,7",
                        settings->models[i], NNEFC_MAX_RANK);
            return false;
        }
    if (settings->nmodel < 3)
        usage_error(settings, "'broadcast' needs two shapes or more");
    return settings->nmodel >= 3;
}

static void print_shape(const struct nnefc_type *shape)
{
    putchar('[');
    for (int i = 0; i < shape->rank; i++)
        printf(i ? ",%" PRId64 : "%" PRId64, shape->extent[i]);
    puts("]");
}

static bool print_json(const struct nnefc_type *shape, const char *why)
{
    json_t *extents = why ? json_null() : json_array();

    for (int i = 0; !why && i < shape->rank; i++)
        json_add(&extents, json_integer(shape->extent[i]));
    return json_print(json_pack("{s:o, s:s?}", "shape", extents, "reason", why), JSON_COMPACT);
}

static enum nnefc_status answer(const struct settings *settings, enum nnefc_broadcast_rule rule,
                                const struct nnefc_type *shapes)
{
    struct nnefc_type result = {.rank = 0};
    char *why = nnefc_broadcast(rule, shapes, settings->nmodel - 1, &result);
    enum nnefc_status status = why ? NNEFC_INVALID : NNEFC_OK;

    if (settings->json)
        status = print_json(&result, why) ? status : NNEFC_INTERNAL;
    else if (why)
        fprintf(stderr, "nnefc: %s\n", why);
    else
        print_shape(&result);
    free(why);
    return status;
}

enum nnefc_status broadcast_run(const struct settings *settings)
{
    struct nnefc_type *shapes = calloc((size_t)settings->nmodel + 1, sizeof *shapes);
    enum nnefc_broadcast_rule rule;
    enum nnefc_status status = NNEFC_USAGE;

    if (!shapes)
        return NNEFC_INTERNAL;
    if (read_rule(settings, &rule) && read_shapes(settings, shapes))
        status = answer(settings, rule, shapes);
    free(shapes);
    return status;
}
