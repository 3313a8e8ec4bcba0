/* read_graph.c - the graph of a graph file, made anew */
#include "convert/graphfile/read.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/text.h"
#include "convert/graphfile/fit.h"
#include "convert/graphfile/layout.h"
#include "diag/context.h"
#include "ir/graph.h"
#include "op/graph_print.h"
#include "op/op_build.h"
#include "tensor/bytes.h"

#include <inttypes.h>
#include <string.h>

/* An operation as the file has it: where its attributes go. */
struct operation {
    const struct op_desc *op;
    const struct signature *signature;
    const struct op_attr **attr;
    int nattr;
};

struct building {
    struct reader r;
    struct graph *graph;
    struct value **value; /* by number */
    size_t count, capacity;
    struct operation *operation;
    int noperation;
};

static struct arena *arena_of(const struct building *b)
{
    return b->r.context->arena;
}

/* --- values ------------------------------------------------------------------------------- */

static void add_value(struct building *b, struct value *value)
{
    if (b->count == b->capacity) {
        struct value **old = b->value;
        b->capacity = 2 * b->capacity + 64;
        b->value = arena_array_of(arena_of(b), struct value *, b->capacity);
        if (b->count)
            memcpy(b->value, old, b->count * sizeof(struct value *));
    }
    b->value[b->count++] = value;
}

/* One that was made before; NULL after a report. */
static struct value *read_value(struct building *b)
{
    uint64_t number = read_number(&b->r);

    if (!b->r.failed && number < b->count)
        return b->value[number];
    read_fault(&b->r, "value %" PRIu64 " is used, of %zu that were made", number, b->count);
    return NULL;
}

static const char *read_name(struct building *b)
{
    const char *name = read_word(&b->r);

    return *name ? intern(b->r.context->names, name, strlen(name)) : NULL;
}

static enum dtype read_dtype(struct building *b)
{
    uint64_t dtype = read_number(&b->r);

    if (dtype <= DTYPE_STRING && dtype_size((enum dtype)dtype) > 0)
        return (enum dtype)dtype;
    read_fault(&b->r, "a data type of %" PRIu64 ", which is none", dtype);
    return DTYPE_SCALAR;
}

/* Of an operation, which may have none. */
static enum dtype read_generic(struct building *b)
{
    uint64_t dtype = read_number(&b->r);

    if (dtype <= DTYPE_STRING)
        return (enum dtype)dtype;
    read_fault(&b->r, "a generic type of %" PRIu64 ", which is none", dtype);
    return DTYPE_UNKNOWN;
}

/* --- data --------------------------------------------------------------------------------- */

/* A logical is 0 or 1, and nothing else may be read as one. */
static bool are_items(const struct tensor *tensor)
{
    const unsigned char *item = tensor->data;
    unsigned char all = 0;

    if (tensor->dtype != DTYPE_LOGICAL)
        return true;
    for (size_t i = 0, size = tensor_bytes(tensor); i < size; i++)
        all |= item[i];
    return all <= 1;
}

/* Items in the byte order of this machine: those of the file, though not called const, or a copy. */
static void set_items(const struct building *b, struct tensor *tensor, const unsigned char *bytes)
{
    size_t item = dtype_size(tensor->dtype), size = tensor_bytes(tensor);

    tensor->mapped = bytes_are_native();
    if (tensor->mapped) {
        memcpy(&tensor->data, &bytes, sizeof tensor->data);
        return;
    }
    unsigned char *swapped = tensor->data = arena_alloc(arena_of(b), size);
    for (size_t i = 0; i < size; i++)
        swapped[i] = bytes[i - i % item + item - 1 - i % item];
}

static struct tensor *read_tensor(struct building *b, enum dtype dtype, const struct shape *shape)
{
    struct tensor *tensor = arena_new_of(arena_of(b), struct tensor);
    uint64_t place = read_number(&b->r);
    const struct section_view *data = &b->r.data;

    tensor->dtype = dtype;
    tensor->shape = *shape;
    if (place > data->size || tensor_bytes(tensor) > data->size - place)
        read_fault(&b->r, "items at byte %" PRIu64 " of the data reach past their end", place);
    else if ((data->offset + place) % NATIVE_ALIGNMENT != 0)
        read_fault(&b->r, "items at byte %" PRIu64 " of the data are not aligned", place);
    if (b->r.failed)
        return NULL;
    set_items(b, tensor, data->bytes + place);
    if (!are_items(tensor))
        read_fault(&b->r, "a logical is neither 0 nor 1");
    return tensor;
}

/* --- sources ------------------------------------------------------------------------------ */

static void read_source(struct building *b)
{
    static const enum value_kind kinds[] = {[SOURCE_EXTERNAL] = VALUE_EXTERNAL,
                                            [SOURCE_VARIABLE] = VALUE_VARIABLE,
                                            [SOURCE_CONSTANT] = VALUE_CONSTANT,
                                            [SOURCE_ONE_ITEM] = VALUE_CONSTANT};
    const struct shape one = {0};
    uint64_t how = read_number(&b->r);

    if (how > SOURCE_ONE_ITEM)
        read_fault(&b->r, "a value of kind %" PRIu64 ", which is none", how);
    enum dtype dtype = read_dtype(b);
    struct shape shape = read_shape(&b->r);
    const char *name = read_name(b);
    if (b->r.failed)
        return;
    struct value *value =
        graph_add_source(b->graph, kinds[how], dtype, &shape, (struct span){0, 0});
    value->name = name;
    if (how == SOURCE_VARIABLE) {
        value->source->label = read_word(&b->r);
        value->source->made = true;
    }
    if (how != SOURCE_EXTERNAL)
        value->source->tensor = read_tensor(b, dtype, how == SOURCE_ONE_ITEM ? &one : &shape);
    add_value(b, value);
}

static void read_sources(struct building *b)
{
    for (int count = read_count(&b->r, "values"); count > 0 && !b->r.failed; count--)
        read_source(b);
}

/* --- operations --------------------------------------------------------------------------- */

static const struct op_attr *find_attr(const struct op_desc *op, const char *name)
{
    for (const struct op_attr *a = op->attrs; a && a->name; a++)
        if (strcmp(a->name, name) == 0)
            return a;
    return NULL;
}

static void read_operation(struct building *b, struct operation *o)
{
    const char *name = read_word(&b->r);

    o->op = op_find(name);
    o->signature = o->op ? fit_signature(b->r.context, b->r.file->library, name) : NULL;
    if (!o->signature || o->op->introduces) {
        read_fault(&b->r, "there is no operation '%s'", name);
        return;
    }
    o->nattr = read_count(&b->r, "attributes");
    o->attr = arena_array_of(arena_of(b), const struct op_attr *, o->nattr);
    for (int i = 0; i < o->nattr && !b->r.failed; i++) {
        const char *attr = read_word(&b->r);
        o->attr[i] = find_attr(o->op, attr);
        if (!o->attr[i])
            read_fault(&b->r, "operation '%s' has no attribute '%s'", name, attr);
    }
}

static void read_operations(struct building *b)
{
    b->noperation = read_count(&b->r, "operations");
    b->operation = arena_array_of(arena_of(b), struct operation, b->noperation);
    for (int i = 0; i < b->noperation && !b->r.failed; i++)
        read_operation(b, &b->operation[i]);
}

/* --- nodes -------------------------------------------------------------------------------- */

static void read_operands(struct building *b, struct op_call *call)
{
    struct op_operand *in;

    call->nin = read_count(&b->r, "operands");
    call->in = in = arena_array_of(arena_of(b), struct op_operand, call->nin);
    for (int i = 0; i < call->nin && !b->r.failed; i++)
        in[i] = (struct op_operand){.param = "operand", .value = read_value(b)};
}

static void read_attrs(struct building *b, const struct operation *o, struct op_call *call)
{
    struct op_argument *args = arena_array_of(arena_of(b), struct op_argument, o->nattr);

    for (int i = 0; i < o->nattr && !b->r.failed; i++) {
        args[i].attr = o->attr[i];
        args[i].value = read_datum(&b->r, NATIVE_DATUM_DEPTH);
        if (!b->r.failed && !fit_attr(o->signature, o->attr[i], &args[i].value))
            read_fault(&b->r, "attribute '%s' of '%s' is of another kind", o->attr[i]->name,
                       o->op->name);
    }
    call->args = args;
    call->nargs = o->nattr;
}

/* For reports about the node while it is made and when it runs. */
static const struct call_site *site_of(struct building *b, int index)
{
    struct call_site *site = arena_new_of(arena_of(b), struct call_site);
    struct text text = {0};

    text_add(&text, "operation %d", index);
    site->file = b->r.file->name;
    site->fragment = arena_strndup(arena_of(b), text.data, text.size);
    text_free(&text);
    return site;
}

/* NULL after a report. */
static struct node *build(struct building *b, const struct operation *o, struct op_call *call)
{
    struct diag *diag = b->r.context->diag;
    int before = diag_error_count(diag);
    struct node *node = NULL;

    if (!b->r.failed && !fit_operands(o->signature, call))
        read_fault(&b->r, "operands of '%s' do not fit its declaration", o->op->name);
    if (!b->r.failed)
        node = op_build(b->graph, call);
    b->r.failed |= diag_error_count(diag) != before;
    return b->r.failed ? NULL : node;
}

static void read_results(struct building *b, struct node *node)
{
    uint64_t count = read_number(&b->r);

    if (count != node->nout)
        read_fault(&b->r, "'%s' makes %u results, not %" PRIu64, node->op->name, node->nout, count);
    for (uint32_t i = 0; !b->r.failed && i < node->nout; i++) {
        node->out[i].name = read_name(b);
        add_value(b, &node->out[i]);
    }
}

static void read_node(struct building *b, int index)
{
    uint64_t which = read_number(&b->r);
    struct op_call call = {.site = site_of(b, index)};

    if (which >= (uint64_t)b->noperation) {
        read_fault(&b->r, "operation %" PRIu64 " of %d", which, b->noperation);
        return;
    }
    const struct operation *o = &b->operation[which];
    call.op = o->op;
    call.generic = read_generic(b);
    read_operands(b, &call);
    read_attrs(b, o, &call);
    struct node *node = build(b, o, &call);
    if (node)
        read_results(b, node);
}

static void read_nodes(struct building *b)
{
    int count = read_count(&b->r, "operations");

    for (int i = 0; i < count && !b->r.failed; i++)
        read_node(b, i);
}

static struct port *read_ports(struct building *b, int *count)
{
    *count = read_count(&b->r, "inputs or outputs");
    struct port *port = arena_array_of(arena_of(b), struct port, *count);

    for (int i = 0; i < *count && !b->r.failed; i++) {
        const char *name = read_word(&b->r);
        port[i] =
            (struct port){intern(b->r.context->names, name, strlen(name)), read_value(b), {0, 0}};
    }
    return port;
}

/* --- the whole ---------------------------------------------------------------------------- */

static void check_sound(struct building *b)
{
    struct text why = {0};

    read_end(&b->r, NATIVE_ALIGNMENT); /* up to where the data begin */
    if (!b->r.failed && !graph_verify(b->graph, &why))
        read_fault(&b->r, "%s", why.data);
    text_free(&why);
}

struct graph *native_read(struct context *context, const struct native_file *file,
                          const struct native_blocks **blocks)
{
    struct building b = {.r = {.context = context, .file = file}};

    *blocks = NULL;
    if (!read_sections(&b.r))
        return NULL;
    context->may_grow = context->limits.growth + (int64_t)file->size;
    *blocks = read_blocks(&b.r);
    if (b.r.failed)
        return NULL;
    b.graph = graph_new(context, read_name(&b));
    if (!b.graph->name)
        read_fault(&b.r, "the graph has no name");
    read_sources(&b);
    read_operations(&b);
    read_nodes(&b);
    b.graph->inputs = read_ports(&b, &b.graph->ninput);
    b.graph->outputs = read_ports(&b, &b.graph->noutput);
    check_sound(&b);
    return b.r.failed ? NULL : b.graph;
}
