/* limits.c - limits by name and number (nnefc.h, docs/limits.md) */
#include "base/limits.h"

#include "api/api_priv.h"

#include <assert.h>
#include <stddef.h>

/* Where a limit is in struct limits. */
struct field {
    const char *name; /* as options have it */
    size_t offset;
    bool is_int; /* else an int64_t */
};

#define FIELD(name, field)                                                                \
    {                                                                                     \
        name, offsetof(struct limits, field), sizeof limits_standard.field == sizeof(int) \
    }

/* All of them are counted in items, bytes or steps; nnefc.h says what each of them bounds. */
static const struct field fields[] = {
    [NNEFC_LIMIT_NESTING] = FIELD("nesting", nesting),
    [NNEFC_LIMIT_EXPANSION] = FIELD("depth", expansion_depth),
    [NNEFC_LIMIT_NODES] = FIELD("nodes", nodes),
    [NNEFC_LIMIT_ARRAY_LENGTH] = FIELD("array-length", array_length),
    [NNEFC_LIMIT_WORK] = FIELD("steps", work),
    [NNEFC_LIMIT_MEMORY] = FIELD("memory", memory),
    [NNEFC_LIMIT_VOLUME] = FIELD("volume", volume),
    [NNEFC_LIMIT_GROWTH] = FIELD("growth", growth),
    [NNEFC_LIMIT_KERNEL_WORK] = FIELD("work", kernel_work),
    [NNEFC_LIMIT_TEXT] = FIELD("text", text),
    [NNEFC_LIMIT_MEMBERS] = FIELD("members", members),
    [NNEFC_LIMIT_UNPACKED] = FIELD("unpacked", unpacked),
    [NNEFC_LIMIT_TOTAL_WORK] = FIELD("total-work", total_work),
    [NNEFC_LIMIT_TRIPS] = FIELD("trips", trips),
    [NNEFC_LIMIT_PLANS] = FIELD("plans", plans),
    [NNEFC_LIMIT_PLAN_MEMORY] = FIELD("plan-memory", plan_memory),
};

enum { FIELDS = sizeof fields / sizeof fields[0] };
static_assert(FIELDS == NNEFC_LIMIT_PLAN_MEMORY + 1, "the table has all limits");

/* NULL for a number that is none. */
static const struct field *field_of(enum nnefc_limit limit)
{
    return (unsigned)limit < FIELDS ? &fields[limit] : NULL;
}

const char *nnefc_limit_name(enum nnefc_limit limit)
{
    const struct field *field = field_of(limit);

    return field ? field->name : NULL;
}

int64_t nnefc_model_limit(const struct nnefc_model *model, enum nnefc_limit limit)
{
    const struct field *field = field_of(limit);

    if (!model || !field)
        return 0;
    const void *at = (const char *)&model->context->limits + field->offset;
    return field->is_int ? *(const int *)at : *(const int64_t *)at;
}

bool api_model_set_limit(struct nnefc_model *model, enum nnefc_limit limit, int64_t value)
{
    const struct field *field = field_of(limit);

    if (value < 0 || !field)
        return misuse(model, "limit %d cannot be %lld", (int)limit, (long long)value);
    if (limit == NNEFC_LIMIT_NESTING && value > limits_standard.nesting)
        value = limits_standard.nesting; /* beyond, our own recursion might exhaust the stack */
    if ((limit == NNEFC_LIMIT_ARRAY_LENGTH || limit == NNEFC_LIMIT_NODES) && value > INT32_MAX)
        value = INT32_MAX; /* they are counted by int */
    void *at = (char *)&model->context->limits + field->offset;
    if (field->is_int)
        *(int *)at = value > INT32_MAX ? INT32_MAX : (int)value;
    else
        *(int64_t *)at = value;
    return true;
}
