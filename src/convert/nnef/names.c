/* names.c - what the tensors and variables of a graph are called in a document of NNEF 1.0 */
#include "convert/nnef/names.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/text.h"
#include "diag/context.h"
#include "file/label.h"
#include "ir/graph.h"
#include "op/op.h"
#include "parser/parser.h"

#include <assert.h>
#include <string.h>

/* Names that must differ from each other: identifiers, or labels, which ignore case. */
struct name_pool {
    struct context *context;
    struct map entries;
    bool labels;
};

struct name_entry {
    bool taken;
    bool source;   /* the name of a tensor of the source, for that one only */
    size_t number; /* the last that was put behind the name */
};

/* --- names that are free -------------------------------------------------------------------- */

/* Files may be on a system where upper and lower case are the same, so labels differ by more. */
static const char *fold(const struct name_pool *pool, const char *name)
{
    return pool->labels ? label_key(pool->context, name, false)
                        : intern(pool->context->names, name, strlen(name));
}

/* The entry of a name, which is made if there is none. */
static struct name_entry *entry_of(struct name_pool *pool, const char *name)
{
    const char *folded = fold(pool, name);
    struct name_entry *entry = map_get(&pool->entries, folded);

    if (!entry) {
        entry = arena_new_of(pool->context->arena, struct name_entry);
        map_set(&pool->entries, folded, entry);
    }
    return entry;
}

/* Keep the name for the tensor that has it in the source. */
static void reserve(struct name_pool *pool, const char *name)
{
    entry_of(pool, name)->source = true;
}

/* True if nobody has taken the name before, and no tensor of the source has it but, if so, `own`.
 */
static bool take_if_free(struct name_pool *pool, const char *name, bool own)
{
    struct name_entry *entry = entry_of(pool, name);
    bool is_free = !entry->taken && (own || !entry->source);

    assert(name);
    entry->taken |= is_free;
    return is_free;
}

/* `name` with the first number behind it that makes it free. */
static const char *take_numbered(struct name_pool *pool, const char *name)
{
    struct name_entry *entry = entry_of(pool, name);
    const char *candidate;

    do {
        struct text text = {0};
        text_add(&text, "%s_%zu", name, ++entry->number);
        candidate = intern_text(pool->context->names, &text);
    } while (!take_if_free(pool, candidate, false));
    return candidate;
}

/* `legal` stands for the name `name` of the source; NULL: the source has no such name. */
static const char *take(struct name_pool *pool, const char *legal, const char *name)
{
    bool own = name && strcmp(legal, name) == 0;

    return take_if_free(pool, legal, own) ? legal : take_numbered(pool, legal);
}

/* --- names that are legal ------------------------------------------------------------------- */

/* Of the bytes of ASCII only, whatever the locale. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The name if NNEF allows it, or else with '_' for each byte that is no letter or digit. */
static const char *identifier(const struct name_pool *pool, const char *name)
{
    struct text text = {0};

    assert(name);
    if (is_identifier(name))
        return name;
    text_add(&text, "%s", is_digit(*name) ? "_" : "");
    for (const char *c = name; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
        text_add(&text, "%c", letter || is_digit(*c) ? *c : '_');
    }
    if (!text.data || !is_identifier(text.data))
        text_add(&text, "_");
    return intern_text(pool->context->names, &text);
}

static const char *label(const struct name_pool *pool, const char *name)
{
    struct text text = {0};

    if (label_valid(name, NULL))
        return name;
    label_make(name, &text);
    return intern_text(pool->context->names, &text);
}

/* --- what has no literal -------------------------------------------------------------------- */

static bool is_literal(const struct value *value)
{
    return value_is_literal(value) && tensor_is_finite(value->source->tensor);
}

/* --- the names of a graph ------------------------------------------------------------------- */

/* What a value without a name in the text is called: variables as their labels, with '_' for '/'.
 */
static const char *stand_in(struct name_pool *pool, const struct value *value)
{
    if (value->kind == VALUE_VARIABLE)
        return take(pool, identifier(pool, value->source->label), NULL);
    if (is_literal(value))
        return NULL;
    return take_numbered(pool, value->kind == VALUE_RESULT
                                   ? identifier(pool, value->producer->op->name)
                                   : "constant");
}

/* Names of the source, which only the tensors get that have them. */
static void reserve_names(struct name_pool *pool, const struct graph *graph)
{
    for (int i = 0; i < graph->nsource_name; i++)
        reserve(pool, graph->source_names[i]);
    for (int i = 0; i < graph->ninput; i++)
        reserve(pool, graph->inputs[i].name);
    for (int i = 0; i < graph->noutput; i++)
        reserve(pool, graph->outputs[i].name);
    for (struct value *const *v = graph_values(graph); *v; v++)
        if ((*v)->name)
            reserve(pool, (*v)->name);
}

/* Ports go first, then names of the text, then labels of variables; the rest is numbered. */
static void name_values(struct name_pool *pool, const struct graph *graph,
                        const struct names *names)
{
    for (int i = 0; i < graph->ninput; i++)
        names->value[graph->inputs[i].value->id] =
            take(pool, identifier(pool, graph->inputs[i].name), graph->inputs[i].name);

    /* The first output that shows a value gives it its name, so that it need not be copied. */
    for (int i = 0; i < graph->noutput; i++) {
        const struct value *value = graph->outputs[i].value;
        const char **name = &names->value[value->id];
        names->output[i] =
            take(pool, identifier(pool, graph->outputs[i].name), graph->outputs[i].name);
        if (!*name && !is_literal(value))
            *name = names->output[i];
    }
    struct value *const *values = graph_values(graph);
    for (struct value *const *v = values; *v; v++)
        if ((*v)->name && !names->value[(*v)->id])
            names->value[(*v)->id] = take(pool, identifier(pool, (*v)->name), (*v)->name);
    for (struct value *const *v = values; *v; v++)
        if (!names->value[(*v)->id])
            names->value[(*v)->id] = stand_in(pool, *v);
}

/* Variables of equal labels share their data, and so go on doing. */
static void name_labels(struct name_pool *pool, const struct graph *graph,
                        const struct names *names)
{
    struct map done = {0};
    int i = 0;

    for (const struct source *s = graph->variables.first; s; s = s->next, i++) {
        const char *folded = fold(pool, s->label), **first = map_get(&done, folded);
        names->label[i] = first ? *first : take(pool, label(pool, s->label), s->label);
        map_set(&done, folded, &names->label[i]);
    }
    map_free(&done);
}

struct names *names_new(const struct graph *graph)
{
    struct arena *arena = graph->context->arena;
    struct names *names = arena_new_of(arena, struct names);
    struct name_pool identifiers = {.context = graph->context};
    struct name_pool labels = {.context = graph->context, .labels = true};

    assert(graph->name);
    names->value = arena_array_of(arena, const char *, graph->value_count);
    names->output = arena_array_of(arena, const char *, graph->noutput);
    names->label = arena_array_of(arena, const char *, graph->variables.count);
    names->stored = arena_array_of(arena, const char *, graph->constants.count);
    names->graph = identifier(&identifiers, graph->name);
    reserve_names(&identifiers, graph);
    for (const struct source *v = graph->variables.first; v; v = v->next)
        reserve(&labels, v->label);
    name_values(&identifiers, graph, names);
    names->unused = graph->ninput ? NULL : take(&identifiers, "unused", NULL);
    name_labels(&labels, graph, names);
    int i = 0;
    for (const struct source *s = graph->constants.first; s; s = s->next, i++)
        if (!tensor_is_finite(s->tensor)) /* stored by its name as label */
            names->stored[i] = take(&labels, names->value[s->value->id], NULL);
    map_free(&identifiers.entries);
    map_free(&labels.entries);
    return names;
}

/* --- what was changed ----------------------------------------------------------------------- */

/* Control characters become \x0a, so that a comment stays one line. */
static void add_change(struct text *to, const char *as, const char *name, bool label)
{
    if (!as || !name || strcmp(as, name) == 0)
        return;
    struct text quoted = {0};
    text_add_quoted(&quoted, name);
    text_add(to, label ? "# label '%s' = " : "# %s = ", as);
    for (const char *c = quoted.data; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            text_add(to, "\\x%02x", (unsigned)*c);
        else
            text_add_bytes(to, c, 1);
    text_add(to, "\n");
    text_free(&quoted);
}

/* Ports come first: a value that has the name of a port is written with it. */
void names_table(const struct graph *graph, const struct names *names, struct text *to)
{
    bool *written = arena_array_of(graph->context->arena, bool, graph->value_count);
    int i = 0;

    for (int k = 0; k < graph->ninput; k++) {
        const struct port *port = &graph->inputs[k];
        add_change(to, names->value[port->value->id], port->name, false);
        written[port->value->id] = true;
    }
    for (int k = 0; k < graph->noutput; k++) {
        const struct port *port = &graph->outputs[k];
        add_change(to, names->output[k], port->name, false);
        written[port->value->id] |= names->value[port->value->id] == names->output[k];
    }
    for (struct value *const *v = graph_values(graph); *v; v++)
        if (!written[(*v)->id])
            add_change(to, names->value[(*v)->id], (*v)->name, false);
    for (const struct source *s = graph->variables.first; s; s = s->next, i++)
        add_change(to, names->label[i], s->label, true);
}
