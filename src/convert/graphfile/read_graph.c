/*
 * read_graph.c - makes the graph of a graph file anew
 *
 * Values are numbered in the order of the file: sources first, then results of nodes.  An operand
 * may refer to an earlier number only, so the order of the file is one in which the graph can run.
 */
#include "convert/graphfile/read.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/text.h"
#include "diag/context.h"
#include "ir/graph.h"
#include "lower/lower.h"
#include "op/graph_print.h"
#include "op/op_build.h"
#include "tensor/bytes.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* An operation of the file's table, with its attributes in the order that nodes store them in. */
struct stored_op {
    const struct op_desc *op;
    const struct signature *signature;
    const struct op_attr **attr;
    int nattr;
};

/* A node of a chain takes about 300 bytes, and 15 in the file. */
enum { GROWTH_RATIO = 32 };

struct graph_reader {
    struct graphfile_reader r;
    struct map copies; /* from items in the file to the first tensor with a copy of them */
    struct graph *graph;
    struct value **value;        /* by number */
    size_t count;                /* values so far */
    struct stored_op *operation; /* the table of operations */
    int noperation;
};

static struct arena *arena_of(const struct graph_reader *b)
{
    return b->r.context->arena;
}

/* --- values --------------------------------------------------------------------------------- */

/* Gives a value the next number. */
static void add_value(struct graph_reader *b, struct value *value)
{
    b->value = arena_list(arena_of(b), b->value, (int64_t)b->count, sizeof *b->value);
    b->value[b->count++] = value;
}

/* A value that was made before; NULL after a report. */
static struct value *read_value(struct graph_reader *b)
{
    uint64_t number = read_number(&b->r);

    if (!b->r.failed && number < b->count)
        return b->value[number];
    read_fault(&b->r, "value %" PRIu64 " is used, of %zu that were made", number, b->count);
    return NULL;
}

/* Interned; NULL stands for an empty one. */
static const char *read_name(struct graph_reader *b)
{
    const char *name = read_word(&b->r);

    return *name ? intern(b->r.context->names, name, strlen(name)) : NULL;
}

/* A type that a tensor can have, or if `generic` any, for operations may have no generic type. */
static enum dtype read_dtype(struct graph_reader *b, bool generic)
{
    uint64_t dtype = read_number(&b->r);

    if (dtype <= DTYPE_STRING && (generic || dtype_size((enum dtype)dtype) > 0))
        return (enum dtype)dtype;
    read_fault(&b->r, "a %s type of %" PRIu64 ", which is none", generic ? "generic" : "data",
               dtype);
    return generic ? DTYPE_UNKNOWN : DTYPE_SCALAR;
}

/* --- data ----------------------------------------------------------------------------------- */

/* Copies items of this machine's byte order; tensors that share items in the file share the copy.
 */
static void copy_items(struct graph_reader *b, struct tensor *tensor, const unsigned char *from)
{
    const struct tensor *first = map_get(&b->copies, from);
    size_t size = dtype_size(tensor->dtype), bytes = tensor_bytes(tensor);

    if (first && dtype_size(first->dtype) == size && tensor_bytes(first) == bytes) {
        tensor->data = first->data;
        return;
    }
    tensor->data = arena_alloc(arena_of(b), bytes);
    bytes_reverse(tensor->data, from, bytes / size, size);
    if (!first)
        map_set(&b->copies, from, tensor);
}

/* Views the items in the file, or copies them if this machine has another byte order. */
static struct tensor *read_tensor(struct graph_reader *b, enum dtype dtype,
                                  const struct shape *shape)
{
    struct tensor *tensor = arena_new_of(arena_of(b), struct tensor);

    assert(dtype_size(dtype) > 0);
    tensor->dtype = dtype;
    tensor->shape = *shape;
    const size_t size = tensor_bytes(tensor);
    const unsigned char *bytes = read_stretch(&b->r, SECTION_DATA, size, "a tensor");
    if (b->r.failed)
        return NULL;
    if (size == 0) { /* the file may have no data at all */
        tensor->data = arena_alloc(arena_of(b), 1);
        return tensor;
    }
    if (bytes_are_native()) {
        tensor->mapped = b->r.file->mapped;
        memcpy(&tensor->data, &bytes, sizeof tensor->data);
    } else
        copy_items(b, tensor, bytes);

    /* Kernels rely on logicals being 0 or 1. */
    unsigned char all = 0;
    for (size_t i = 0; i < size && dtype == DTYPE_LOGICAL; i++)
        all |= bytes[i];
    if (all > 1)
        read_fault(&b->r, "a logical is neither 0 nor 1");
    return tensor;
}

/* Integers that stay bytes of the file, or nibbles. */
static struct tensor *read_bytes(struct graph_reader *b, const struct shape *shape, uint64_t how)
{
    struct tensor *tensor = arena_new_of(arena_of(b), struct tensor);
    const int64_t count = shape_volume(shape);
    const bool nibbles = how >= SOURCE_UNSIGNED_NIBBLES;

    *tensor =
        (struct tensor){.shape = *shape,
                        .dtype = DTYPE_INTEGER,
                        .bytes_are_signed = how == SOURCE_SIGNED || how == SOURCE_SIGNED_NIBBLES,
                        .are_nibbles = nibbles,
                        .mapped = b->r.file->mapped};
    const unsigned char *bytes = read_stretch(
        &b->r, SECTION_DATA, (size_t)(nibbles ? count - count / 2 : count), "a tensor");
    memcpy(&tensor->bytes, &bytes, sizeof tensor->bytes);
    if (!b->r.failed && count < BYTES_MANY)
        read_fault(&b->r, "a variable of %" PRId64 " %s, expected at least %d", count,
                   nibbles ? "nibbles" : "bytes", BYTES_MANY);
    return b->r.failed ? NULL : tensor;
}

/* --- sources -------------------------------------------------------------------------------- */

/* A value that no node computes: kind, type, shape, name, and what the kind needs. */
static void read_source(struct graph_reader *b)
{
    static const enum value_kind kinds[] = {
        [SOURCE_EXTERNAL] = VALUE_EXTERNAL,         [SOURCE_VARIABLE] = VALUE_VARIABLE,
        [SOURCE_CONSTANT] = VALUE_CONSTANT,         [SOURCE_ONE_ITEM] = VALUE_CONSTANT,
        [SOURCE_UNSIGNED] = VALUE_VARIABLE,         [SOURCE_SIGNED] = VALUE_VARIABLE,
        [SOURCE_UNSIGNED_NIBBLES] = VALUE_VARIABLE, [SOURCE_SIGNED_NIBBLES] = VALUE_VARIABLE};
    const struct shape one = {0};
    uint64_t how = read_number(&b->r);

    if (how > SOURCE_SIGNED_NIBBLES)
        read_fault(&b->r, "a value of kind %" PRIu64 ", which is none", how);
    enum dtype dtype = read_dtype(b, false);
    struct shape shape = read_shape(&b->r);
    const char *name = read_name(b);
    const bool bytes = how >= SOURCE_UNSIGNED;
    if (bytes && dtype != DTYPE_INTEGER)
        read_fault(&b->r, "bytes of type '%s', expected integers", dtype_name(dtype));
    if (b->r.failed)
        return;
    struct value *value =
        graph_add_source(b->graph, kinds[how], dtype, &shape, (struct span){0, 0});
    value->name = name;
    if (value->kind == VALUE_VARIABLE) {
        value->source->label = read_word(&b->r);
        value->source->made = true;
    }
    if (bytes)
        value->source->tensor = read_bytes(b, &shape, how);
    else if (how != SOURCE_EXTERNAL)
        value->source->tensor = read_tensor(b, dtype, how == SOURCE_ONE_ITEM ? &one : &shape);
    add_value(b, value);
}

/* --- operations ----------------------------------------------------------------------------- */

/* A line of the table of operations: names of the operation and its attributes. */
static void read_operation(struct graph_reader *b, struct stored_op *o)
{
    const char *name = read_word(&b->r);

    o->op = op_find(name);
    o->signature = o->op ? lower_signature(b->graph, b->r.file->library, o->op) : NULL;
    if (!o->signature || o->op->introduces) {
        read_fault(&b->r, "there is no operation '%s'", name);
        return;
    }
    o->nattr = read_count(&b->r, "attributes");
    o->attr = arena_array_of(arena_of(b), const struct op_attr *, o->nattr);
    for (int i = 0; i < o->nattr && !b->r.failed; i++) {
        const char *attr = read_word(&b->r);
        const struct op_attr *a = o->op->attrs;
        while (a && a->name && strcmp(a->name, attr) != 0)
            a++;
        o->attr[i] = a;
        if (!a || !a->name)
            read_fault(&b->r, "operation '%s' has no attribute '%s'", name, attr);
    }
}

/* --- nodes ---------------------------------------------------------------------------------- */

/* The attributes in the order of the table, each of the kind that its signature declares. */
static void read_attrs(struct graph_reader *b, const struct stored_op *o, struct op_call *call)
{
    struct op_argument *args = arena_array_of(arena_of(b), struct op_argument, o->nattr);

    for (int i = 0; i < o->nattr && !b->r.failed; i++) {
        args[i].attr = o->attr[i];
        args[i].value = read_datum(&b->r, GRAPHFILE_DATUM_DEPTH);
        if (!b->r.failed && !fit_attr(o->signature, o->attr[i], &args[i].value))
            read_fault(&b->r, "attribute '%s' of '%s' is of another kind", o->attr[i]->name,
                       o->op->name);
    }
    call->args = args;
    call->nargs = o->nattr;
}

/* Operands have to fit the signature; the shape rule checks the rest. */
static void read_node(struct graph_reader *b, int index)
{
    struct call_site *site = arena_new_of(arena_of(b), struct call_site);
    struct diag *diag = b->r.context->diag;
    uint64_t which = read_number(&b->r), count;
    int before = diag_error_count(diag);

    if (which >= (uint64_t)b->noperation) {
        read_fault(&b->r, "operation %" PRIu64 " of %d", which, b->noperation);
        return;
    }
    /* The site names the node in reports, both while it is made and when it runs. */
    const struct stored_op *o = &b->operation[which];
    site->file = b->r.file->name;
    site->fragment = text_format(arena_of(b), "operation %d", index);
    struct op_call call = {.site = site, .op = o->op, .generic = read_dtype(b, true)};
    call.nin = read_count(&b->r, "operands");
    struct op_operand *in = arena_array_of(arena_of(b), struct op_operand, call.nin);
    for (int i = 0; i < call.nin && !b->r.failed; i++)
        in[i] = (struct op_operand){.param = "operand", .value = read_value(b)};
    call.in = in;
    read_attrs(b, o, &call);
    if (!b->r.failed && !fit_operands(o->signature, &call))
        read_fault(&b->r, "operands of '%s' do not fit its declaration", o->op->name);
    if (b->r.failed)
        return;
    struct node *node = op_build(b->graph, &call);
    b->r.failed |= diag_error_count(diag) != before;
    if (b->r.failed || !node)
        return;

    count = read_number(&b->r);
    if (count != node->nout)
        read_fault(&b->r, "'%s' makes %u results, not %" PRIu64, node->op->name, node->nout, count);
    for (uint32_t i = 0; !b->r.failed && i < node->nout; i++) {
        node->out[i].name = read_name(b);
        add_value(b, &node->out[i]);
    }
}

/* The inputs or the outputs of the graph. */
static struct port *read_ports(struct graph_reader *b, int *count)
{
    *count = read_count(&b->r, "inputs or outputs");
    struct port *port = arena_array_of(arena_of(b), struct port, *count);

    for (int i = 0; i < *count && !b->r.failed; i++) {
        const char *name = read_word(&b->r);
        port[i] = (struct port){.name = intern(b->r.context->names, name, strlen(name)),
                                .value = read_value(b)};
    }
    return port;
}

/* What a foreign model has in some inputs or outputs; 0 bits and type 0: that is not known. */
static void read_types(struct graph_reader *b, struct port *port, int count)
{
    for (int i = 0; i < count && !b->r.failed; i++) {
        uint64_t bits = read_number(&b->r), type = read_number(&b->r);
        const struct item_format items = {(enum item_type)(type & 0xFF), (int)(bits & 0xFF), false};
        if (bits == 0 && type == 0)
            continue;
        port[i].items = items;
        if (bits > 64 || type >= ITEM_TYPE_COUNT || !item_format_valid(&items) ||
            item_dtype(items.type) != port[i].value->dtype)
            read_fault(&b->r, "'%s' cannot have items of type %" PRIu64 " and %" PRIu64 " bits",
                       port[i].name, type, bits);
    }
}

/* The section of types, if there is one. */
static void read_all_types(struct graph_reader *b)
{
    if (b->r.failed || b->r.section[SECTION_TYPES].size == 0)
        return;
    read_section(&b->r, SECTION_TYPES);
    read_types(b, b->graph->inputs, b->graph->ninput);
    read_types(b, b->graph->outputs, b->graph->noutput);
    read_end(&b->r, 1);
}

/* Lets the blocks refer to the copies of items, where there are some. */
static void move_sources(const struct graph_reader *b, const struct tensor_blocks *blocks)
{
    for (int i = 0; blocks && i < blocks->count; i++) {
        const struct tensor *tensor = map_get(&b->copies, blocks->block[i].source);
        if (tensor)
            blocks->block[i].source = tensor->data; /* bytes are never copied */
    }
}

/* --- the whole ------------------------------------------------------------------------------ */

struct graph *graphfile_read(struct context *context, const struct graphfile *file,
                             const struct tensor_blocks **blocks)
{
    struct graph_reader b = {.r = {.context = context, .file = file}};
    struct text why = {0};

    assert(file->library);
    *blocks = NULL;
    if (!read_sections(&b.r))
        return NULL;
    context->may_grow = context->limits.growth + GROWTH_RATIO * (int64_t)file->size;
    const struct tensor_blocks *found = read_blocks(&b.r);
    if (b.r.failed)
        return NULL;
    b.graph = graph_new(context, read_name(&b));
    if (!b.graph->name)
        read_fault(&b.r, "the graph has no name");
    for (int count = read_count(&b.r, "values"); count > 0 && !b.r.failed; count--)
        read_source(&b);
    b.noperation = read_count(&b.r, "operations");
    b.operation = arena_array_of(context->arena, struct stored_op, b.noperation);
    for (int i = 0; i < b.noperation && !b.r.failed; i++)
        read_operation(&b, &b.operation[i]);
    for (int i = 0, count = read_count(&b.r, "operations"); i < count && !b.r.failed; i++)
        read_node(&b, i);
    b.graph->inputs = read_ports(&b, &b.graph->ninput);
    b.graph->outputs = read_ports(&b, &b.graph->noutput);
    read_end(&b.r, GRAPHFILE_ALIGNMENT); /* up to where the data begin */
    read_all_types(&b);
    if (!b.r.failed && !graph_verify(b.graph, &why))
        read_fault(&b.r, "%s", why.data);
    text_free(&why);
    move_sources(&b, found);
    map_free(&b.copies);
    if (b.r.failed)
        return NULL;
    *blocks = found;
    return b.graph;
}
