/* broadcast.c - nnefc broadcast: do these shapes go together, and what comes of it */
#include "driver/load.h"
#include "driver/report.h"
#include "driver/verbs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct broadcast_settings {
    struct command command;
    enum form form;
};

static const char *const rule_names[] = {"nnef", "onnx", "onnx-one-way", NULL};

static bool read_rule(const struct broadcast_settings *s, enum nnefc_broadcast_rule *rule)
{
    const char *name = s->command.operand_count > 0 ? s->command.operand[0] : NULL;

    for (int i = 0; name && rule_names[i]; i++)
        if (strcmp(rule_names[i], name) == 0) {
            *rule = (enum nnefc_broadcast_rule)i;
            return true;
        }
    if (name)
        usage_error(&s->command, "'%s' is no rule, expected nnef, onnx or onnx-one-way", name);
    else
        usage_error(&s->command, "'broadcast' needs a rule and shapes; see 'nnefc help broadcast'");
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

static bool read_shapes(const struct broadcast_settings *s, struct nnefc_type *shapes)
{
    for (int i = 1; i < s->command.operand_count; i++)
        if (!read_shape(s->command.operand[i], &shapes[i - 1])) {
            usage_error(&s->command, "'%s' is no shape, expected up to %d extents as in 1,16,7,7",
                        s->command.operand[i], NNEFC_MAX_RANK);
            return false;
        }
    if (s->command.operand_count < 3)
        usage_error(&s->command, "'broadcast' needs two shapes or more");
    return s->command.operand_count >= 3;
}

static const struct view answer_view = {.text = "{.shape}\n", .json = JSON_DENSE};

static struct record *answer_record(const struct nnefc_type *shape, const char *why)
{
    struct record *record = record_new_object();
    struct record *extents = why ? NULL : record_list(record, "shape");
    char text[NNEFC_MAX_RANK * 24 + 8];
    size_t used = (size_t)snprintf(text, sizeof text, "[");

    if (why)
        record_null(record, "shape");
    for (int i = 0; i < shape->rank; i++) {
        record_integer(extents, NULL, shape->extent[i]);
        used += (size_t)snprintf(text + used, sizeof text - used, i ? ",%" PRId64 : "%" PRId64,
                                 shape->extent[i]);
    }
    record_print_to(record, ".shape", "%s]", text);
    record_text(record, "reason", why);
    return record;
}

static enum nnefc_status answer(const struct broadcast_settings *s, enum nnefc_broadcast_rule rule,
                                const struct nnefc_type *shapes)
{
    struct nnefc_type result = {.rank = 0};
    char *why = nnefc_broadcast(rule, shapes, s->command.operand_count - 1, &result);
    enum nnefc_status status = why ? NNEFC_INVALID : NNEFC_OK;

    if (why && s->form != FORM_JSON)
        fprintf(stderr, "nnefc: %s\n", why);
    else if (!record_print(answer_record(&result, why), s->form, &answer_view))
        status = NNEFC_INTERNAL;
    free(why);
    return status;
}

static enum nnefc_status broadcast_run(const void *settings)
{
    const struct broadcast_settings *s = settings;
    struct nnefc_type *shapes = calloc((size_t)s->command.operand_count + 1, sizeof *shapes);
    enum nnefc_broadcast_rule rule;
    enum nnefc_status status = NNEFC_USAGE;

    if (!shapes)
        return NNEFC_INTERNAL;
    if (read_rule(s, &rule) && read_shapes(s, shapes))
        status = answer(s, rule, shapes);
    free(shapes);
    return status;
}

static const struct option broadcast_options[] = {
    {"--json", NULL, NULL, "print the shape, or the reason, as JSON", .set = set_json,
     .field = offsetof(struct broadcast_settings, form)},
    {0},
};

const struct verb broadcast_verb = {
    .name = "broadcast",
    .purpose = "say what shape others broadcast to",
    .examples = "  nnefc broadcast nnef 1,16,7,7 1,16          prints [1,16,7,7]\n"
                "  nnefc broadcast onnx 1,16,7,7 1,16          says why they do not\n"
                "  nnefc broadcast onnx-one-way 8,16 16        as PRelu and Gemm of ONNX do\n",
    .operands = OPERANDS_FREE,
    .usage = "RULE SHAPE SHAPE...",
    VERB_SETTINGS(broadcast, {.form = FORM_TEXT}),
    .groups = {{broadcast_options, 0, NULL}},
    .run = broadcast_run,
};
