/* recipe.c - new nodes and constants for passes */
#include "base/arena.h"
#include "base/text.h"
#include "diag/context.h"
#include "ir/literal.h"
#include "op/op_build.h"
#include "pass/pass_priv.h"
#include "tensor/retained.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* A tensor of so many items is written into the text, a larger one into a file. */
enum { CONSTANT_MAX = 16, LARGE = 4096 /* items, from which on they come from a pool */ };

/* --- attributes --------------------------------------------------------------------------- */

struct datum datum_of_integer(int64_t number)
{
    return (struct datum){.kind = DATUM_INTEGER, .integer = number};
}

struct datum datum_of_number(double number)
{
    return (struct datum){.kind = DATUM_SCALAR, .scalar = number};
}

struct datum datum_of_word(const char *word)
{
    return (struct datum){.kind = DATUM_STRING, .count = (int)strlen(word), .string = word};
}

struct datum datum_of_list(struct pass *pass, const int64_t *items, int count)
{
    struct datum *data = pass_room(pass, count, sizeof *data);

    for (int i = 0; i < count; i++)
        data[i] = datum_of_integer(items[i]);
    return (struct datum){.kind = DATUM_ARRAY, .count = count, .items = data};
}

struct datum datum_of_pair_list(struct pass *pass, const int64_t (*items)[2], int count)
{
    struct datum *data = pass_room(pass, count, sizeof *data);

    for (int i = 0; i < count; i++) {
        data[i] = datum_of_list(pass, items[i], 2);
        data[i].kind = DATUM_TUPLE;
    }
    return (struct datum){.kind = DATUM_ARRAY, .count = count, .items = data};
}

/* --- nodes -------------------------------------------------------------------------------- */

static const struct op_attr *attr_of(const struct op_desc *op, const char *name)
{
    const struct op_attr *attr = op->attrs;

    while (attr && attr->name && strcmp(attr->name, name) != 0)
        attr++;
    assert(attr && attr->name);
    return attr;
}

struct datum node_attr(const struct pass *pass, const struct node *node, const char *name)
{
    return op_attr_datum(pass->graph, node, attr_of(node->op, name));
}

/* Errors in what a pass asks for are our own; limits are not. */
static struct node *build(struct pass *pass, struct op_call *call)
{
    struct diag *diag = pass->graph->context->diag;
    int before = diag_error_count(diag);

    if (pass->at) {
        call->span = pass->at->span;
        call->site = pass->at->site;
    }
    struct node *node = op_build(pass->graph, call);
    if (node && diag_error_count(diag) == before)
        return node;
    pass->failed = true;
    return NULL;
}

static struct op_operand *operands_of(struct pass *pass, struct value *const *in, int count)
{
    struct op_operand *operands = pass_room(pass, count, sizeof *operands);

    for (int i = 0; i < count; i++)
        operands[i] = (struct op_operand){.param = "operand", .value = in[i]};
    return operands;
}

struct value *pass_make(struct pass *pass, const struct recipe *recipe)
{
    struct value *const *in = recipe->many ? recipe->many : recipe->in;
    struct op_call call = {.op = op_table[recipe->op], .nin = recipe->count};
    struct op_argument args[RECIPE_ATTRS];

    while (!recipe->many && call.nin < RECIPE_OPERANDS && in[call.nin])
        call.nin++;
    for (; call.nargs < RECIPE_ATTRS && recipe->attr[call.nargs].name; call.nargs++)
        args[call.nargs] =
            (struct op_argument){.attr = attr_of(call.op, recipe->attr[call.nargs].name),
                                 .value = recipe->attr[call.nargs].value};
    call.in = operands_of(pass, in, call.nin);
    call.args = args;
    if (call.op->result[0] == OP_RESULT_GENERIC)
        call.generic = recipe->generic ? recipe->generic : (enum dtype)in[0]->dtype;
    struct node *node = build(pass, &call);
    return node ? &node->out[0] : NULL;
}

static int attr_count(const struct op_desc *op)
{
    int count = 0;

    while (op->attrs && op->attrs[count].name)
        count++;
    return count;
}

/* Those of the node, but for the ones that `changed` has. */
static struct op_argument *arguments_of(struct pass *pass, const struct node *node,
                                        const struct recipe_attr *changed)
{
    int count = attr_count(node->op);
    struct op_argument *args = pass_room(pass, count, sizeof *args);

    for (int i = 0; i < count; i++) {
        args[i].attr = &node->op->attrs[i];
        args[i].value = op_attr_datum(pass->graph, node, args[i].attr);
        for (const struct recipe_attr *c = changed; c && c->name; c++)
            if (strcmp(c->name, args[i].attr->name) == 0)
                args[i].value = c->value;
    }
    return args;
}

struct value *pass_remake(struct pass *pass, const struct node *node, struct value *const *in,
                          const struct recipe_attr *attrs)
{
    struct value **own = pass_room(pass, node->nin, sizeof *own);

    for (uint32_t i = 0; i < node->nin; i++)
        own[i] = in ? in[i] : node->in[i].value;
    struct op_call call = {.op = node->op,
                           .in = operands_of(pass, own, (int)node->nin),
                           .nin = (int)node->nin,
                           .group = node->group,
                           .args = arguments_of(pass, node, attrs),
                           .nargs = attr_count(node->op),
                           .generic = node->generic};
    struct node *made = build(pass, &call);
    return made ? &made->out[0] : NULL;
}

/* --- constants ---------------------------------------------------------------------------- */

struct value *pass_literal(struct pass *pass, double number)
{
    struct datum datum = datum_of_number(number);

    return graph_literal(pass->graph, &datum);
}

bool pass_tensor(struct pass *pass, struct tensor *tensor, enum dtype dtype,
                 const struct shape *shape)
{
    struct context *context = pass->graph->context;
    int64_t room = context_budget(context) / (int64_t)sizeof(int64_t), volume;
    bool ok = shape_volume_checked(shape, room, &volume);

    if (ok && volume >= LARGE && pass->options->pool)
        ok = tensor_allocate_in(tensor, dtype, shape, pass->options->pool);
    else if (ok)
        ok = tensor_allocate(tensor, dtype, shape);
    if (ok)
        return true;
    pass->failed = true;
    return diag_file_error(context->diag, NULL, DIAG_MEMORY_LIMIT,
                           "a constant of shape %s takes more memory than is left",
                           SHAPE_TEXT(shape));
}

/* One item stands for all if they are the same bit by bit. */
static void shrink(struct tensor *tensor)
{
    size_t bytes = tensor_bytes(tensor), size = dtype_size(tensor->dtype);
    const unsigned char *data = tensor->data;
    const struct shape single = {.rank = 0};
    struct tensor one;

    if (bytes <= size || memcmp(data, data + size, bytes - size) != 0 ||
        !tensor_allocate(&one, tensor->dtype, &single))
        return;
    memcpy(one.data, data, size);
    tensor_clear(tensor);
    *tensor = one;
}

static bool is_finite(const struct tensor *tensor)
{
    for (int64_t i = 0, volume = shape_volume(&tensor->shape); i < volume; i++) {
        double difference = tensor_item(tensor, i) - tensor_item(tensor, i);
        if (difference < 0 || difference > 0 || difference != difference)
            return false;
    }
    return true;
}

static const char *label_like(const struct pass *pass, const struct value *like)
{
    const char *label = like && like->kind == VALUE_VARIABLE ? like->source->label : NULL;

    return labels_take(&pass->all->labels, label ? label : "constant");
}

/* Can a text hold its items?  If they are all the same, one is left. */
static bool becomes_constant(struct tensor *tensor)
{
    if (!is_finite(tensor))
        return false;
    shrink(tensor);
    return shape_volume(&tensor->shape) <= CONSTANT_MAX;
}

struct value *pass_fixed(struct pass *pass, struct tensor *tensor, const struct value *like)
{
    const struct shape shape = tensor->shape;
    bool is_parameter = like && like->kind == VALUE_VARIABLE && shape.rank > 0;
    bool is_constant = !is_parameter && becomes_constant(tensor);
    struct tensor *kept = tensor_retain(pass->graph->context, pass->all->kept, tensor);
    struct datum literal =
        is_constant && shape.rank == 0 ? item_literal(kept, 0) : (struct datum){0};

    if (literal.kind != DATUM_NONE)
        return graph_literal(pass->graph, &literal);
    struct value *value =
        graph_add_source(pass->graph, is_constant ? VALUE_CONSTANT : VALUE_VARIABLE, kept->dtype,
                         &shape, pass->at ? pass->at->span : (struct span){0});
    value->source->tensor = kept;
    value->source->label_span = value->source->span;
    if (!is_constant) {
        value->source->made = true;
        value->source->label = label_like(pass, like);
    }
    return value;
}
