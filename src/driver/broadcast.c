/*
 * broadcast.c - nnefc broadcast: the common shape of a broadcast, or why shapes do not broadcast
 *
 * NNEF aligns shapes at their first dimension, ONNX at their last: models that were converted by
 * hand often fail there.
 */
#include "driver/report.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SHAPES = 64 };

static const char *const rule_names[] = {"nnef", "onnx", "onnx-one-way", NULL};

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

static const struct view answer_view = {.text = "{shape:shape}\n", .json = JSON_DENSE};

static enum nnefc_status broadcast_run(const void *settings)
{
    const struct command *command = settings;
    const char *name = command->operand[0];
    struct nnefc_type shapes[MAX_SHAPES], result = {.rank = 0};
    int rule = 0, count = command->operand_count - 1;

    while (name && rule_names[rule] && strcmp(rule_names[rule], name) != 0)
        rule++;
    if (!name)
        return usage_error(command,
                           "'broadcast' needs a rule and shapes; see 'nnefc help broadcast'");
    if (!rule_names[rule])
        return usage_error(command, "'%s' is no rule, expected nnef, onnx or onnx-one-way", name);
    if (count < 2)
        return usage_error(command, "'broadcast' needs two shapes or more");
    if (count > MAX_SHAPES)
        return usage_error(command, "'broadcast' takes %d shapes at most", MAX_SHAPES);
    for (int i = 0; i < count; i++)
        if (!read_shape(command->operand[i + 1], &shapes[i]))
            return usage_error(command,
                               "'%s' is no shape, expected up to %d extents as in 1,16,7,7",
                               command->operand[i + 1], NNEFC_MAX_RANK);

    /* The answer is the shape, or the reason why shapes do not broadcast. */
    char *why = nnefc_broadcast((enum nnefc_broadcast_rule)rule, shapes, count, &result);
    enum nnefc_status status = why ? NNEFC_INVALID : NNEFC_OK;
    assert(why || (result.rank >= 0 && result.rank <= NNEFC_MAX_RANK));
    if (why && command->form != FORM_JSON) {
        fprintf(stderr, "nnefc: %s\n", why);
    } else {
        struct record *record = record_new_object();
        struct record *extents = why ? NULL : record_list(record, "shape");
        for (int i = 0; i < result.rank; i++)
            record_integer(extents, NULL, result.extent[i]);
        if (why)
            record_null(record, "shape");
        record_text(record, "reason", why);
        record_print(record, command->form, &answer_view);
    }
    free(why);
    return status;
}

static const struct option broadcast_options[] = {
    FORM_OPTION("--json", FORM_JSON, "print the shape, or the reason, as JSON"),
    {0},
};

const struct verb broadcast_verb = {
    .name = "broadcast",
    .purpose = "print the shape that given shapes broadcast to",
    .examples = "  nnefc broadcast nnef 1,16,7,7 1,16          prints [1,16,7,7]\n"
                "  nnefc broadcast onnx 1,16,7,7 1,16          says why they do not\n"
                "  nnefc broadcast onnx-one-way 8,16 16        as PRelu and Gemm of ONNX do\n",
    .operands = OPERANDS_FREE,
    .usage = "RULE SHAPE SHAPE...",
    .size = sizeof(struct command),
    .defaults = &(const struct command){.form = FORM_TEXT},
    .groups = {{broadcast_options, 0, NULL}},
    .run = broadcast_run,
};
