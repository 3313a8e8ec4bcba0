/*
 * export_out.c - names, initializers and nodes of an ONNX graph that is being made
 *
 * Identifiers of the graph body are kept.  A tensor without identifier is named after the
 * identifier that it helps to compute, or the fragment that it is in, and its operator: "y/Mul",
 * "block/conv_2".
 */
#include "convert/onnx/export_out.h"

#include "convert/onnx/emit.h"
#include "convert/onnx/export.h"
#include "convert/proto/onnx_data.h"
#include "pass/bounds.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/num.h"
#include "base/text.h"
#include "diag/context.h"
#include "file/label.h"
#include "tensor/bytes.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COPIED_ITEMS = 4096,    /* of a constant that is stored again rather than reshaped, at most */
    FILLED_ITEMS = 1 << 16, /* of a constant that is filled rather than expanded, at most */
    SHARED_BYTES = 1024     /* of a literal that is compared with others, at most */
};

/* --- names ------------------------------------------------------------------------------- */

const char *onnx_out_key(const struct onnx_out *out, const char *text)
{
    return intern(out->context->names, text, strlen(text));
}

const char *onnx_out_text(const struct onnx_out *out, const char *fmt, ...)
{
    struct text text = {0};
    va_list args;

    va_start(args, fmt);
    text_add_v(&text, fmt, args);
    va_end(args);
    return intern_text(out->context->names, &text);
}

/* A name that no other tensor gets. */
struct taken_name {
    int number; /* the last one that was tried behind it */
};

static void reserve(struct onnx_out *out, const char *name)
{
    struct taken_name *taken = arena_new_of(out->context->arena, struct taken_name);

    taken->number = 1;
    map_set(&out->taken, onnx_out_key(out, name), taken);
}

/* The wish itself, or with the first number behind it that makes it free. */
const char *onnx_out_unique(struct onnx_out *out, const char *wish)
{
    const char *name = onnx_out_key(out, wish);
    struct taken_name *taken = map_get(&out->taken, name);

    while (map_get(&out->taken, name))
        name = onnx_out_text(out, "%s_%d", wish, ++taken->number);
    reserve(out, name);
    return name;
}

/* Variables of one label are one initializer; their types and shapes are the same. */
static void join_variables(struct onnx_out *out)
{
    struct map seen = {0};

    out->first =
        arena_array_of(out->context->arena, const struct value *, out->from->value_count + 1);
    for (const struct source *s = out->from->variables.first; s; s = s->next) {
        const char *key = label_key(out->context, s->label, out->from->provisional);
        struct value *first = map_get(&seen, key);
        if (!first)
            map_set(&seen, key, first = s->value);
        out->first[s->value->id] = first;
    }
    map_free(&seen);
}

const struct value *onnx_out_first(const struct onnx_out *out, const struct value *variable)
{
    assert(variable->id < out->from->value_count);
    assert(variable->kind == VALUE_VARIABLE && out->first[variable->id]);
    return out->first[variable->id];
}

void onnx_out_init(struct onnx_out *out, const struct graph *from, struct onnx_graph *to,
                   const struct onnx_options *options)
{
    struct context *context = from->context;

    *out = (struct onnx_out){.context = context, .from = from, .to = to, .opset = options->opset};
    out->allow_custom = options->allow_custom;
    out->open = options->open != NULL;
    out->bounds = bounds_of_values(from, out->open);
    out->name = arena_array_of(context->arena, const char *, from->value_count + 1);
    out->made = arena_array_of(context->arena, bool, from->value_count + 1);
    out->fed = arena_array_of(context->arena, bool, from->value_count + 1);
    out->typed = arena_array_of(context->arena, struct onnx_tensor *, from->value_count + 1);
    out->as = arena_array_of(context->arena, struct shape *, from->value_count + 1);
    join_variables(out);

    /* An input has the name of its port, as a quantized one has given its identifier away. */
    for (int i = 0; i < from->ninput; i++)
        out->name[from->inputs[i].value->id] = onnx_out_unique(out, from->inputs[i].name);

    /* An output has its name for itself, unless it is the result of a node that has the same. */
    for (int i = 0; i < from->noutput; i++) {
        const struct value *value = from->outputs[i].value;
        bool own = value->kind == VALUE_RESULT && value->name &&
                   !onnx_out_casts(out, &from->outputs[i]) &&
                   strcmp(value->name, from->outputs[i].name) == 0;
        if (!own)
            reserve(out, from->outputs[i].name);
    }
    for (const struct source *s = from->variables.first; s; s = s->next)
        out->name[s->value->id] = onnx_out_unique(out, s->value->name ? s->value->name : s->label);
    for (struct value *const *v = graph_values(from); *v; v++) /* which ports may have taken */
        if ((*v)->name && !out->name[(*v)->id])
            out->name[(*v)->id] = onnx_out_unique(out, (*v)->name);
}

void onnx_out_clear(struct onnx_out *out)
{
    map_free(&out->taken);
    map_free(&out->literals);
    map_free(&out->origin);
}

/* --- initializers ------------------------------------------------------------------------ */

enum onnx_data_type onnx_type_of(enum dtype dtype)
{
    switch (dtype) {
    case DTYPE_SCALAR:
        return ONNX_FLOAT;
    case DTYPE_INTEGER:
        return ONNX_INT64;
    case DTYPE_LOGICAL:
        return ONNX_BOOL;
    case DTYPE_STRING:
    case DTYPE_UNKNOWN:
        return ONNX_UNDEFINED;
    }
    return ONNX_UNDEFINED;
}

/* Integers of 4 bits came with opset 21.  Those of 2 bits, which came with opset 25, are written as
 * the widest ones. */
enum onnx_data_type onnx_out_port_type(const struct onnx_out *out, const struct port *port)
{
    enum { PACKED_BITS = 4, PACKED_OPSET = 21 };
    const int least = out->opset < PACKED_OPSET ? 8 : PACKED_BITS;
    int32_t type = onnx_type_of_items(&port->items);
    bool is_known = port->items.bits >= least && onnx_type_dtype(type) == port->value->dtype;

    return is_known ? (enum onnx_data_type)type : onnx_type_of((enum dtype)port->value->dtype);
}

bool onnx_out_casts(const struct onnx_out *out, const struct port *port)
{
    return onnx_out_port_type(out, port) != onnx_out_made_type(out, port->value);
}

static struct onnx_tensor *add_tensor(struct onnx_out *out, const char *name,
                                      enum onnx_data_type type, const struct shape *shape)
{
    struct onnx_tensor *tensor =
        onnx_tensor_new(out->context->arena, name, type, shape->extent, shape->rank);

    out->to->initializer = onnx_tensor_append(out->to->initializer, tensor);
    return tensor;
}

/* An initializer that refers to `data`, or to a copy if the machine is not little-endian. */
static const char *add_initializer(struct onnx_out *out, const char *name, enum dtype dtype,
                                   const struct shape *shape, const void *data)
{
    struct onnx_tensor *tensor = add_tensor(out, name, onnx_type_of(dtype), shape);
    size_t count = (size_t)shape_volume(shape), size = dtype_size(dtype);

    if (!bytes_are_native()) {
        unsigned char *stored = arena_array(out->context->arena, count, size);
        bytes_reverse(stored, data, count, size);
        data = stored;
    }
    onnx_tensor_raw(tensor, data, count * size);
    return name;
}

/* "1.5", "int64_3", "true", and of more items "const". */
static const char *literal_name(struct onnx_out *out, enum dtype dtype, const struct shape *shape,
                                void *data)
{
    struct tensor tensor = {.shape = *shape, .dtype = dtype, .data = data};
    const struct datum item = item_literal(&tensor, 0);
    struct text name = {0};

    if (shape->rank > 0) {
        text_add(&name, dtype == DTYPE_INTEGER ? "ints" : "const");
    } else {
        text_add(&name, dtype == DTYPE_INTEGER ? "int64_" : "");
        datum_print(&item, &name);
    }
    const char *unique = onnx_out_unique(out, name.data);
    text_free(&name);
    return unique;
}

/* Small literals are found again by their type, shape and bytes. */
const char *onnx_out_literal(struct onnx_out *out, enum dtype dtype, const struct shape *shape,
                             const void *data)
{
    size_t size = (size_t)shape_volume(shape) * dtype_size(dtype);
    const char *key = NULL, *name;

    assert(dtype_size(dtype) > 0);
    if (size <= SHARED_BYTES) {
        struct text text = {0};
        text_add(&text, "%d %s ", (int)dtype, SHAPE_TEXT(shape));
        text_add_bytes(&text, data, size);
        key = intern_text(out->context->names, &text);
        name = map_get(&out->literals, key);
        if (name)
            return name;
    }
    char *copy = arena_strndup(out->context->arena, data, size);
    name = add_initializer(out, literal_name(out, dtype, shape, copy), dtype, shape, copy);
    if (key)
        map_set(&out->literals, key, name);
    return name;
}

const char *onnx_out_stored(struct onnx_out *out, const char *wish, enum onnx_data_type type,
                            const struct shape *shape, const void *bytes)
{
    const size_t size =
        (size_t)num_divide_up(shape_volume(shape) * onnx_type_bits((int32_t)type), CHAR_BIT);
    struct text text = {0};

    text_add(&text, "stored %d %s ", (int)type, SHAPE_TEXT(shape));
    text_add_bytes(&text, bytes, size);
    const char *key = intern_text(out->context->names, &text), *name = map_get(&out->literals, key);
    if (name)
        return name;
    name = onnx_out_unique(out, wish);
    onnx_tensor_raw(add_tensor(out, name, type, shape),
                    arena_strndup(out->context->arena, bytes, size), size);
    map_set(&out->literals, key, name);
    return name;
}

const char *onnx_out_vector(struct onnx_out *out, const int64_t *items, int count)
{
    const struct shape shape = {.rank = 1, .extent = {count}};

    assert(count >= 0);
    return onnx_out_literal(out, DTYPE_INTEGER, &shape, items);
}

/* A constant of which one item is stored for many. */
static bool is_filled(const struct value *value)
{
    return value->kind == VALUE_CONSTANT && shape_volume(&value->source->tensor->shape) == 1 &&
           shape_volume(value->shape) != 1;
}

/* The node is made for the node of NNEF that is being emitted. */
static void note_origin(struct onnx_out *out, const struct onnx_node *node)
{
    map_set(&out->origin, node, out->node);
}

/* A node that repeats the one item of a constant. */
static const char *expand_constant(struct onnx_out *out, const char *name,
                                   const struct value *value)
{
    const struct shape item = {0};
    const struct tensor *tensor = value->source->tensor;
    struct onnx_node *node = onnx_node_new(out->context->arena, out->to, "Expand");

    onnx_text_add(out->context->arena, &node->input,
                  onnx_out_literal(out, tensor->dtype, &item, tensor->data));
    onnx_text_add(out->context->arena, &node->input,
                  onnx_out_vector(out, value->shape->extent, value->shape->rank));
    note_origin(out, node);
    onnx_text_add(out->context->arena, &node->output, name);
    node->name = name;
    return name;
}

/* The data of a constant or variable as an initializer, or as a node if it would be large. */
static const char *add_source(struct onnx_out *out, const char *name, const struct value *value,
                              const struct shape *shape)
{
    const struct tensor *tensor = value->source->tensor;
    int64_t count = shape_volume(shape);
    size_t size = dtype_size(tensor->dtype);

    assert(count == shape_volume(value->shape));
    if (!is_filled(value))
        return add_initializer(out, name, (enum dtype)value->dtype, shape, tensor->data);
    if (count > FILLED_ITEMS)
        return expand_constant(out, name, value);
    unsigned char *data = arena_array(out->context->arena, (size_t)count, size);
    for (int64_t i = 0; i < count; i++)
        memcpy(data + (size_t)i * size, tensor->data, size);
    return add_initializer(out, name, (enum dtype)value->dtype, shape, data);
}

/* Constants without identifier are all called "const". */
static const char *source_name(struct onnx_out *out, const struct value *value)
{
    const char **name = &out->name[value->id];

    if (!*name)
        *name = onnx_out_unique(out, "const");
    return *name;
}

/* The name of an initializer with the items of a value in a shape that is not that of its name. */
static const char *name_in_shape(struct onnx_out *out, const struct value *value,
                                 const struct shape *shape)
{
    return onnx_out_text(out, "%s/%s", source_name(out, value), SHAPE_TEXT(shape));
}

/* A value that only this node reads may be stored in any shape, whatever its size. */
const char *onnx_out_reshaped(struct onnx_out *out, const struct value *value,
                              const struct shape *shape)
{
    bool stored = value->kind == VALUE_CONSTANT || value->kind == VALUE_VARIABLE;

    if (value->kind == VALUE_VARIABLE)
        value = onnx_out_first(out, value);
    if (!stored || out->made[value->id] || !value->source->tensor ||
        shape_volume(shape) > (value->uses && !value->uses->next ? INT64_MAX : COPIED_ITEMS))
        return NULL;
    if (is_filled(value) && shape_volume(shape) > FILLED_ITEMS)
        return NULL;
    if (value_is_literal(value)) /* which other operations share */
        return onnx_out_literal(out, (enum dtype)value->dtype, shape, value->source->tensor->data);
    /* It goes by its own name if it is needed in one shape only. */
    struct shape **as = &out->as[value->id];
    if (*as && shape_equal(*as, shape))
        return source_name(out, value);
    if (!*as && value->uses && !value->uses->next) {
        *as = arena_new_of(out->context->arena, struct shape);
        **as = *shape;
        return add_source(out, source_name(out, value), value, shape);
    }
    const char *name = name_in_shape(out, value, shape);
    if (map_get(&out->taken, name))
        return name;
    reserve(out, name);
    return add_source(out, name, value, shape);
}

const char *onnx_out_input(struct onnx_out *out, const struct value *variable)
{
    assert(onnx_out_first(out, variable) == variable);
    out->made[variable->id] = out->fed[variable->id] = true;
    return source_name(out, variable);
}

void onnx_out_default(struct onnx_out *out, const struct value *variable)
{
    add_source(out, source_name(out, variable), variable, variable->shape);
}

const char *onnx_out_value(struct onnx_out *out, const struct value *value)
{
    bool stored = value->kind == VALUE_CONSTANT || value->kind == VALUE_VARIABLE;

    if (value->kind == VALUE_VARIABLE)
        value = onnx_out_first(out, value);
    if (stored && !out->made[value->id]) {
        const struct tensor *tensor = value->source->tensor;
        assert(tensor); /* variables have their data before they are exported */
        if (value_is_literal(value))
            out->name[value->id] = onnx_out_literal(out, tensor->dtype, value->shape, tensor->data);
        else if (out->as[value->id])
            out->name[value->id] =
                add_source(out, onnx_out_unique(out, name_in_shape(out, value, value->shape)),
                           value, value->shape);
        else
            add_source(out, source_name(out, value), value, value->shape);
        out->made[value->id] = true;
    }
    assert(out->name[value->id]);
    return out->name[value->id];
}

/* --- nodes ------------------------------------------------------------------------------- */

/* A tensor without identifier is called after the result it helps to compute, or a fragment. */
static const char *new_name(struct onnx_out *out, const char *type)
{
    const struct node *node = out->node;
    const char *base = out->from->name;

    if (node) {
        assert(node->nout == 0 || node->out);
        base = node->site ? node->site->fragment : node->op->name;
        for (uint32_t i = node->nout; i > 0; i--)
            if (node->out[i - 1].name)
                base = node->out[i - 1].name;
    }
    return onnx_out_unique(out, onnx_out_text(out, "%s/%s", base, type));
}

const char *onnx_out_found(const struct onnx_out *out, const struct value *variable,
                           enum onnx_data_type type)
{
    const struct onnx_tensor *tensor = out->typed[variable->id];

    return tensor && tensor->data_type == (int32_t)type ? tensor->name : NULL;
}

struct onnx_tensor *onnx_out_typed(struct onnx_out *out, const struct onnx_typed *typed)
{
    struct onnx_tensor **own = typed->variable ? &out->typed[typed->variable->id] : NULL;
    const char *name =
        typed->variable ? source_name(out, typed->variable) : new_name(out, typed->part);

    assert(!typed->variable != !typed->part);
    if (own && *own) /* it has another type */
        name = onnx_out_unique(out, name);
    struct onnx_tensor *tensor = add_tensor(out, name, typed->type, typed->shape);
    if (own && !*own)
        *own = tensor;
    return tensor;
}

/* "graph.nnef:12", without the folder; nothing if there is no place. */
static void add_place(const struct onnx_out *out, struct span at, struct text *to)
{
    struct location where;

    if (at.end == 0 || !sources_locate(out->context->sources, at.begin, &where))
        return;
    const char *slash = strrchr(where.file, '/');
    text_add(to, "%s:%d", slash ? slash + 1 : where.file, where.line);
}

const char *onnx_out_place(struct onnx_out *out, struct span at, const struct call_site *site)
{
    struct text text = {0};

    add_place(out, at, &text);
    for (const struct call_site *s = site; s; s = s->caller) {
        text_add(&text, " in '%s' from ", s->fragment);
        add_place(out, s->invocation, &text);
    }
    return intern_text(out->context->names, &text);
}

struct onnx_node *onnx_out_node(struct onnx_out *out, const char *type)
{
    struct onnx_node *node = onnx_node_new(out->context->arena, out->to, type);

    if (out->node && out->node->span.end > 0)
        node->doc_string = onnx_out_place(out, out->node->span, out->node->site);
    note_origin(out, node);
    return out->last = node;
}

const char *onnx_out_tensor(struct onnx_out *out)
{
    struct onnx_node *node = out->last;
    const char *name = new_name(out, node->op_type);

    if (node->output.count == 0)
        node->name = name;
    onnx_text_add(out->context->arena, &node->output, name);
    return name;
}

/* The name that a tensor had before is free again. */
const char *onnx_out_result(struct onnx_out *out, int result, const char *x)
{
    int index = 0;

    assert(result >= 0 && (uint32_t)result < out->node->nout);
    const char **name = &out->name[out->node->out[result].id];
    if (x == *name)
        return x;
    for (uint32_t i = 0; i < out->node->nout; i++)
        assert(out->name[out->node->out[i].id] != x); /* a tensor is one result */
    while (out->last && index < out->last->output.count && out->last->output.item[index] != x)
        index++;
    if (!out->last || index == out->last->output.count) {
        onnx_text_add(out->context->arena, &onnx_out_node(out, "Identity")->input, x);
        x = onnx_out_tensor(out);
        index = 0;
    }
    if (!*name)
        return *name = x;
    map_set(&out->taken, x, NULL);
    out->last->output.item[index] = *name;
    if (index == 0)
        out->last->name = *name;
    return *name;
}

/* --- what nothing reads -------------------------------------------------------------------- */

static bool reshapes(const struct onnx_node *node)
{
    return strcmp(node->op_type, "Reshape") == 0 || strcmp(node->op_type, "Unsqueeze") == 0 ||
           strcmp(node->op_type, "Squeeze") == 0;
}

/* Without nodes that reshape what is read before (emit_in_before()) and by nobody else. */
static void prune_nodes(struct onnx_out *out, struct map *read)
{
    struct onnx_node_list kept = {0};

    for (const struct onnx_value_info *v = out->to->output.first; v; v = v->next)
        map_set(read, onnx_out_key(out, v->name), out->to);
    for (struct onnx_node *n = out->to->node.first, *next; n; n = next) {
        next = n->next;
        n->next = NULL;
        if (!reshapes(n) || map_get(read, onnx_out_key(out, n->output.item[0])))
            kept = onnx_node_append(kept, n);
    }
    out->to->node = kept;
}

static void note_reads(struct onnx_out *out, struct map *read)
{
    for (const struct onnx_node *n = out->to->node.first; n; n = n->next)
        for (int i = 0; i < n->input.count; i++)
            map_set(read, onnx_out_key(out, n->input.item[i]), out->to);
}

/* An initializer of the name of an input is its default, and stays. */
void onnx_out_prune(struct onnx_out *out)
{
    struct onnx_tensor_list kept = {0};
    struct map read = {0};

    note_reads(out, &read);
    prune_nodes(out, &read);
    map_free(&read);
    read = (struct map){0};
    note_reads(out, &read);
    for (const struct onnx_value_info *v = out->to->input.first; v; v = v->next)
        map_set(&read, onnx_out_key(out, v->name), out->to);
    for (struct onnx_tensor *t = out->to->initializer.first, *next; t; t = next) {
        next = t->next;
        t->next = NULL;
        if (map_get(&read, onnx_out_key(out, t->name)))
            kept = onnx_tensor_append(kept, t);
    }
    out->to->initializer = kept;
    map_free(&read);
}
