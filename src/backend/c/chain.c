/*
 * chain.c - operations that go item by item, and chains of them, as one loop
 *
 * What an operation makes of an item is the formula of its descriptor (struct op_desc), which the
 * reference computes in double and C code in float.
 */
#include "backend/c/c.h"

#include "backend/c/nest.h"
#include "base/arena.h"
#include "exec/move.h"
#include "exec/planner.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { OPERANDS = ITEM_OPERANDS, RESULT = 0 };

/* Where an operand of an operation comes from. */
struct origin {
    int operand; /* of the step; STEP_NONE: a number, or what is computed so far */
    double number;
    bool so_far;
};

struct item_loop {
    struct origin (*origin)[OPERANDS]; /* by node */
    const struct value **value;        /* by operand of the step, whose buffer may be another's */
};

/* --- formulas -------------------------------------------------------------------------------- */

/* The formula of a node, and what its operands are. */
struct formula {
    const struct node *node;
    const char *in[OPERANDS];
};

/* The words of a formula: operands, attributes, functions. */
static void add_word(struct c_writer *writer, struct text *to, const struct formula *f,
                     const char *word, size_t size)
{
    bool call = word[size] == '(';

    if (size == 1 && *word >= 'x' && *word <= 'z') {
        text_add(to, "%s", f->in[*word - 'x']);
    } else if (size == 5 && memcmp(word, "alpha", size) == 0) {
        c_number(to, attr_alpha(f->node));
    } else if (size == 6 && memcmp(word, "lambda", size) == 0) {
        c_number(to, attr_lambda(f->node));
    } else if (call && size > 4 && memcmp(word, "num_", 4) == 0) {
        c_needs(writer, C_TEXT_items);
        text_add(to, "@_%.*s", (int)size - 4, word + 4);
    } else if (call && !(size == 5 && memcmp(word, "isnan", size) == 0)) {
        struct text name = {0};
        text_add(&name, "%.*sf", (int)size, word);
        c_needs_math(writer, name.data, name.size);
        text_add(to, "%s", name.data);
        text_free(&name);
    } else {
        text_add(to, "%.*s", (int)size, word);
    }
}

/* As an expression of floats. */
static void add_formula(struct c_writer *writer, struct text *to, const struct formula *f)
{
    const char *at = f->node->op->expression;

    while (*at) {
        size_t size = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_.");
        if (size == 0) {
            /* Texts that the preprocessor makes have "x *y" of what was laid out so. */
            bool spaced = *at == '*' && at[1] != ' ';
            text_add(to, "%c%s", *at, spaced ? " " : "");
            size = 1;
        } else if (*at >= 'a') {
            add_word(writer, to, f, at, size);
        } else {
            text_add(to, "%.*s%s", (int)size, at, memchr(at, '.', size) ? "F" : "");
        }
        at += size;
    }
}

void c_print_activation(struct c_writer *writer, const struct node *node)
{
    const struct formula f = {node, {"out0[i]"}};
    struct text line = {0};

    text_add(&line, "for (int i = 0; i < %" PRId64 "; i++)\n    out0[i] = ",
             shape_volume(node->out[0].shape));
    add_formula(writer, &line, &f);
    text_add(&line, ";\n");
    c_code_v(writer, line.data, line.size);
    text_free(&line);
}

/* --- printing -------------------------------------------------------------------------------- */

/* A loop over the result, with a view for it and for each operand. */
static void loop_over(const struct step *step, struct nest *nest)
{
    const struct item_loop *loop = step->state;
    const struct shape *shape = step->nodes[step->count - 1]->out[0].shape;
    struct shape lies = layout_shape(shape, shape->rank, step->layout);
    int64_t strides[MAX_RANK][NEST_VIEWS] = {{0}}, pitch = 1;

    *nest = (struct nest){.letter = "i", .nview = 1 + step->nin};
    for (int i = lies.rank - 1; i >= 0; i--) {
        strides[i][RESULT] = pitch;
        pitch *= lies.extent[i];
    }
    for (int v = 0; v < step->nin; v++) {
        const struct shape *own = loop->value[v]->shape;
        pitch = 1;
        for (int i = lies.rank - 1; i >= 0; i--) {
            int64_t extent = shape_extent(own, layout_axis(lies.rank, step->layout, i));
            strides[i][1 + v] = extent == 1 ? 0 : pitch;
            pitch *= extent;
        }
    }
    for (int i = 0; i < lies.rank; i++)
        nest_add(nest, lies.extent[i], strides[i]);
}

static const char *operand_text(struct arena *arena, const struct origin *origin,
                                const struct nest *nest)
{
    struct text text = {0};

    if (origin->so_far) {
        text_add(&text, "x");
    } else if (origin->operand == STEP_NONE) {
        c_number(&text, origin->number);
    } else {
        text_add(&text, "in%d[", origin->operand);
        nest_index(&text, nest, 1 + origin->operand);
        text_add(&text, "]");
    }
    return text_keep(&text, arena);
}

static void print_chain(struct c_writer *writer, const struct step *step)
{
    const struct item_loop *loop = step->state;
    struct arena *arena = arena_new();
    struct nest nest;
    struct text line = {0};

    loop_over(step, &nest);
    nest_open(writer, &nest);
    for (int at = 0; at < step->count; at++) {
        struct formula f = {.node = step->nodes[at]};
        for (uint32_t k = 0; k < step->nodes[at]->nin; k++)
            f.in[k] = operand_text(arena, &loop->origin[at][k], &nest);
        bool last = at == step->count - 1;
        bool truth = step->nodes[at]->out[0].dtype == DTYPE_LOGICAL;
        if (last) {
            text_add(&line, "out0[");
            nest_index(&line, &nest, RESULT);
            text_add(&line, "] = %s", truth ? "(unsigned char)(" : "");
        } else {
            text_add(&line, "%sx = %s", at == 0 ? "float " : "", truth ? "(float)(" : "");
        }
        add_formula(writer, &line, &f);
        text_add(&line, "%s;\n", truth ? ")" : "");
    }
    c_code_v(writer, line.data, line.size);
    nest_close(writer, &nest);
    text_free(&line);
    arena_free(arena);
}

static const struct c_kernel items = C_KERNEL("items", print_chain);

/* --- making ---------------------------------------------------------------------------------- */

static bool has_expression(const struct node *node)
{
    return node->op->expression != NULL;
}

unsigned c_chain_match(const struct planner *planner, const struct group *group, void *match)
{
    (void)planner;
    (void)match;
    return group_item_layouts(group, has_expression);
}

/* The operand of the step for a value; STEP_NONE after a report. */
static int operand_of(struct planner *planner, const struct group *group, struct step *step,
                      const struct value *value)
{
    const struct item_loop *loop = step->state;
    const struct value *result = group_result(group);
    uint32_t reads = 0;

    for (int i = 0; i < step->nin; i++)
        if (loop->value[i] == value)
            return i;
    loop->value[step->nin] = value;
    if (!plan_read(planner, step, value, step->layout))
        return STEP_NONE;
    for (int i = 0; i < group->count; i++)
        for (uint32_t k = 0; k < group->nodes[i]->nin; k++)
            reads += group->nodes[i]->in[k].value == value;
    bool used_up = value->kind == VALUE_RESULT && planner->live.holds[value->id] == reads;
    if (step->reused == STEP_NONE && used_up && value->dtype == result->dtype &&
        shape_equal(value->shape, result->shape))
        step->reused = step->nin - 1;
    return step->nin - 1;
}

static bool find_origin(struct planner *planner, const struct group *group, struct step *step,
                        const struct value *value, struct origin *origin)
{
    const struct tensor *constant = plan_constant(planner, value);

    *origin = (struct origin){.operand = STEP_NONE};
    if (constant && constant->dtype == DTYPE_SCALAR && shape_volume(&constant->shape) == 1) {
        origin->number = tensor_item(constant, 0);
        return true;
    }
    origin->operand = operand_of(planner, group, step, value);
    return origin->operand != STEP_NONE;
}

bool c_chain_make(struct planner *planner, const struct group *group, struct step *step)
{
    struct arena *arena = planner->plan->arena;
    struct item_loop *loop = arena_new_of(arena, struct item_loop);

    loop->value = arena_array_of(arena, const struct value *, group->count *OPERANDS);
    loop->origin = arena_array(arena, (size_t)group->count, sizeof *loop->origin);
    step->kernel = &items.kernel;
    step->state = loop;
    for (int at = 0; at < group->count; at++)
        for (uint32_t i = 0; i < group->nodes[at]->nin; i++) {
            struct origin *origin = &loop->origin[at][i];
            if (group_is_inner(group, at, i))
                *origin = (struct origin){.operand = STEP_NONE, .so_far = true};
            else if (!find_origin(planner, group, step, group->nodes[at]->in[i].value, origin))
                return false;
        }
    return plan_write(planner, step, group_result(group));
}
