/*
 * decide.c - inputs whose items decide what the graph is
 *
 * A shape, an axis, a number of trips or the condition of a branch has to be known when the graph
 * is made.  If it is computed from a few items of inputs, these inputs decide: the graph is made
 * for their items, and another one for others.
 */
#include "base/arena.h"
#include "convert/onnx/import_make.h"
#include "convert/onnx/import_priv.h"
#include "diag/context.h"
#include "ir/graph.h"

#include <assert.h>
#include <string.h>

enum { VALUES_MAX = 4096 /* that are looked at on the way to inputs */ };

struct decision {
    struct import *import;
    struct map seen; /* values */
    const struct value **value;
    int count;
    int64_t items;
};

/* NULL: no input of the model. */
static const struct port *port_of(const struct graph *graph, const struct value *value)
{
    for (int i = 0; i < graph->ninput; i++)
        if (graph->inputs[i].value == value)
            return &graph->inputs[i];
    return NULL;
}

/* False: there are too many. */
static bool add(struct decision *d, const struct value *value)
{
    if (map_get(&d->seen, value))
        return true;
    if (d->count == VALUES_MAX)
        return false;
    map_set(&d->seen, value, value);
    d->value = arena_list(d->import->builder.context->arena, d->value, d->count, sizeof *d->value);
    d->value[d->count++] = value;
    return true;
}

static bool is_list_of_numbers(enum dtype dtype, const struct shape *shape)
{
    return dtype == DTYPE_SCALAR && shape->rank > 0;
}

bool onnx_may_decide(enum dtype dtype, const struct shape *shape)
{
    enum { NUMBERS_MAX = 2 * MAX_RANK };
    int64_t most = is_list_of_numbers(dtype, shape) ? NUMBERS_MAX : ONNX_DECIDING_MAX, volume;

    return shape_volume_checked(shape, most, &volume);
}

/* May the graph be made anew for other items of that value? */
static bool is_small(struct decision *d, const struct value *value)
{
    int64_t volume;

    if (value->kind != VALUE_EXTERNAL)
        return true;
    /* A list of numbers is another one in each step, unless it is asked for itself, as scales. */
    if (!onnx_may_decide((enum dtype)value->dtype, value->shape) ||
        (d->count > 1 && is_list_of_numbers((enum dtype)value->dtype, value->shape)))
        return false;
    if (!shape_volume_checked(value->shape, ONNX_DECIDING_MAX - d->items, &volume))
        return false;
    d->items += volume;
    return true;
}

/* All that the value is computed from. */
static bool collect(struct decision *d, const struct value *value)
{
    bool ok = add(d, value);

    for (int i = 0; ok && i < d->count; i++) {
        const struct value *from = d->value[i];
        ok = is_small(d, from);
        for (uint32_t k = 0; from->kind == VALUE_RESULT && ok && k < from->producer->nin; k++)
            ok = add(d, from->producer->in[k].value);
    }
    return ok && d->items > 0;
}

static void note(struct decision *d, const struct port *port)
{
    struct onnx_deciding *deciding = d->import->options->deciding;

    for (int i = 0; i < deciding->count; i++)
        if (strcmp(deciding->input[i], port->name) == 0)
            return;
    deciding->input = heap_list(deciding->input, deciding->count, sizeof *deciding->input);
    deciding->input[deciding->count++] = port->name;
}

/* Numbers that these operators look for are data, which are others in each step. */
bool import_takes_data(const struct import_row *row, const struct imported *imported)
{
    import_function *const takers[] = {import_non_zero, import_unique, import_non_max_suppression};

    for (size_t i = 0; i < sizeof takers / sizeof *takers; i++)
        if (row && row->import == takers[i])
            return is_list_of_numbers(dtype_of(imported->type), &imported->shape);
    return false;
}

bool import_decides(struct import *import, const struct imported *imported)
{
    struct decision d = {.import = import};

    if (!import->options->deciding || !imported->value)
        return false;
    bool ok = collect(&d, imported->value);
    map_free(&d.seen);
    for (int i = 0; ok && i < d.count; i++)
        if (d.value[i]->kind == VALUE_EXTERNAL) {
            const struct port *port = port_of(import->builder.graph, d.value[i]);
            assert(port);
            note(&d, port);
        }
    return ok;
}
