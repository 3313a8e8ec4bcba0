/* recipe.c - new nodes and constants for passes */
#include "diag/context.h"
#include "op/op_build.h"
#include "pass/pass_priv.h"
#include "tensor/retained.h"

#include <assert.h>
#include <string.h>

/* A tensor of so many items is written into the text, a larger one into a file. */
enum { CONSTANT_MAX = 16, LARGE = 4096 /* items, from which on they come from a pool */ };

/* --- nodes -------------------------------------------------------------------------------- */

/* Result 0 of a new node, unless anything was reported: NULL, and the pass ends.  Errors in what a
 * pass asks for are our own; limits are not. */
static struct value *first_result(struct pass *pass, struct node *node, int errors_before)
{
    if (node && diag_error_count(pass->graph->context->diag) == errors_before)
        return &node->out[0];
    pass->failed = true;
    return NULL;
}

struct value *pass_make(struct pass *pass, const struct recipe *recipe)
{
    struct value *const *in = recipe->many ? recipe->many : recipe->in;
    int count = recipe->count, before = diag_error_count(pass->graph->context->diag);
    struct op_origin origin = {.generic = recipe->generic};

    assert(count >= 0 && (count <= RECIPE_OPERANDS || recipe->many));
    if (pass->at) {
        origin.span = pass->at->span;
        origin.site = pass->at->site;
    }
    while (!recipe->many && count < RECIPE_OPERANDS && in[count])
        count++;
    return first_result(pass, op_append(pass->graph, recipe->op, in, count, &origin), before);
}

struct value *pass_remake(struct pass *pass, const struct node *node, struct value *const *in,
                          const void *attrs)
{
    struct op_operand *operands = pass_room(pass, node->nin, sizeof *operands);
    int before = diag_error_count(pass->graph->context->diag);
    struct op_call call = {.op = node->op,
                           .in = operands,
                           .nin = (int)node->nin,
                           .group = node->group,
                           .attrs = attrs ? attrs : node->attrs,
                           .generic = node->generic};

    assert(!node->op->introduces);
    for (uint32_t i = 0; i < node->nin; i++)
        operands[i] =
            (struct op_operand){.param = "operand", .value = in ? in[i] : node->in[i].value};
    if (pass->at) {
        call.span = pass->at->span;
        call.site = pass->at->site;
    }
    return first_result(pass, op_build(pass->graph, &call), before);
}

/* --- constants ---------------------------------------------------------------------------- */

struct value *pass_literal(struct pass *pass, double number)
{
    struct datum datum = {.kind = DATUM_SCALAR, .scalar = number};

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
    const struct shape single = {.rank = 0};
    struct tensor one;

    if (!tensor_repeats(tensor) || !tensor_allocate(&one, tensor->dtype, &single))
        return;
    memcpy(one.data, tensor->data, dtype_size(tensor->dtype));
    tensor_clear(tensor);
    *tensor = one;
}

/* Can a text hold all items?  If they are the same, one is left. */
static bool is_short(const struct tensor *tensor)
{
    return shape_volume(&tensor->shape) <= CONSTANT_MAX && tensor_is_finite(tensor);
}

/* The value of a tensor that stays as long as the graph. */
static struct value *place(struct pass *pass, struct tensor *kept, const struct shape *shape,
                           const struct value *like)
{
    bool is_constant = !(like && like->kind == VALUE_VARIABLE && shape->rank > 0) && is_short(kept);
    struct datum literal =
        is_constant && shape->rank == 0 ? item_literal(kept, 0) : (struct datum){0};

    if (literal.kind != DATUM_NONE)
        return graph_literal(pass->graph, &literal);
    struct value *value =
        graph_add_source(pass->graph, is_constant ? VALUE_CONSTANT : VALUE_VARIABLE, kept->dtype,
                         shape, pass->at ? pass->at->span : (struct span){0});
    pass->all->unmerged = true;
    value->source->tensor = kept;
    value->source->label_span = value->source->span;
    if (!is_constant) {
        const char *label = like && like->kind == VALUE_VARIABLE ? like->source->label : NULL;
        value->source->made = true;
        value->source->label = labels_take(&pass->all->labels, label ? label : "constant");
    }
    return value;
}

struct value *pass_found(struct pass *pass, const struct shared_key *key, const struct shape *shape,
                         const struct value *like)
{
    struct tensor *tensor = shared_find(key);

    return tensor ? place(pass, tensor, shape, like) : NULL;
}

struct value *pass_fixed(struct pass *pass, const struct shared_key *key, struct tensor *tensor,
                         const struct value *like)
{
    const struct shape shape = tensor->shape;

    assert(tensor->dtype != DTYPE_UNKNOWN);
    if (!(like && like->kind == VALUE_VARIABLE && shape.rank > 0) && tensor_is_finite(tensor))
        shrink(tensor);
    struct tensor *kept = key ? shared_put(key, tensor) : NULL;
    if (!kept)
        kept = tensor_retain(pass->graph->context, pass->all->kept, tensor);
    return place(pass, kept, &shape, like);
}

struct shared_key pass_key(const struct pass *pass, const char *recipe)
{
    return shared_key(pass->graph->context->shared, recipe);
}

void pass_key_value(struct shared_key *key, const struct value *value)
{
    shared_key_number(key, value->kind);
    shared_key_number(key, value->shape->rank);
    shared_key_add(key, value->shape->extent,
                   (size_t)value->shape->rank * sizeof *value->shape->extent);
    shared_key_tensor(key, value_items(value));
}
