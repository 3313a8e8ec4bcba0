/*
 * integers.c - operations that go item by item on integers, or on items of any type, as loops
 *
 * Of operations on integers it is the formula of their descriptor.  Quantized tensors are computed
 * as tensor/quantization.h has it, by text/quantized.h, and give the same integers.
 */
#include "backend/c/c.h"

#include "backend/c/nest.h"
#include "backend/c/writer.h"
#include "exec/planner.h"
#include "op/check.h"
#include "op/convolve.h"
#include "op/window.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { RESULT, OPERANDS = 3, WIDEST = 64 };
enum { LAYER_ZERO = CONV_BIAS + 1, MOST_ITEM = 1 << 17 }; /* of quantized_conv */

/* --- the loop ----------------------------------------------------------------------------------
 */

/* Over all items of the result: view 0 is the result, view 1 + k the operand that is broadcast. */
static void open_loop(struct c_writer *writer, const struct node *node, int operands,
                      struct nest *nest)
{
    const struct shape *shape = node->out[0].shape;
    int64_t result[MAX_RANK], from[OPERANDS][MAX_RANK];

    assert(operands <= OPERANDS);
    *nest = (struct nest){.letter = "i", .nview = 1 + operands};
    shape_strides(shape, result);
    for (int k = 0; k < operands; k++)
        shape_broadcast_strides(node->in[k].value->shape, shape, from[k]);
    for (int i = 0; i < shape->rank; i++) {
        int64_t stride[1 + OPERANDS] = {result[i]};
        for (int k = 0; k < operands; k++)
            stride[1 + k] = from[k][i];
        nest_add(nest, shape->extent[i], stride);
    }
    nest_open(writer, nest);
}

/* "const TYPE x = in0[..];" */
static void declare(struct c_writer *writer, const struct nest *nest, const char *type,
                    const char *name, int operand)
{
    struct text line = {0};

    text_add(&line, "const %s %s = in%d[", type, name, operand);
    nest_index(&line, nest, 1 + operand);
    text_add(&line, "];\n");
    c_code_v(writer, line.data, line.size);
    text_free(&line);
}

static void close_loop(struct c_writer *writer, const struct step *step, const struct nest *nest,
                       const char *result)
{
    const struct c_type *type = c_narrows(writer, step);
    struct text line = {0};

    text_add(&line, "out0[");
    nest_index(&line, nest, RESULT);
    text_add(&line, type ? "] = (%s)%s;\n" : "] = %s%s;\n", type ? type->name : "", result);
    c_code_v(writer, line.data, line.size);
    nest_close(writer, nest);
    text_free(&line);
}

static const char *const names[OPERANDS] = {"x", "y", "z"};

/* --- integers -------------------------------------------------------------------------------- */

/* The formula, in which `huge` is known, and the functions are those of op/text/integers.h. */
static void add_formula(struct c_writer *writer, struct text *to, const char *formula, bool huge)
{
    static const char name[] = "huge";
    const char *found;

    while ((found = strstr(formula, name))) {
        c_renamed(writer, to, formula, (size_t)(found - formula));
        text_add(to, "%d", huge);
        formula = found + sizeof name - 1;
    }
    c_renamed(writer, to, formula, strlen(formula));
}

static void print_integers(struct c_writer *writer, const struct step *step)
{
    const struct node *node = step->nodes[0];
    int64_t bits = attr_bits(node);
    bool truth = node->out[0].dtype == DTYPE_LOGICAL;
    bool divides =
        is_op(node, OP_integer_div) || is_op(node, OP_integer_rest) || is_op(node, OP_integer_mod);
    struct text text = {0};
    struct nest nest;

    assert(node->nin <= OPERANDS);
    c_needs(writer, C_TEXT_integers);
    open_loop(writer, node, (int)node->nin, &nest);
    for (uint32_t k = 0; k < node->nin; k++)
        declare(writer, &nest, "int64_t", names[k], (int)k);
    if (divides &&
        (node->in[1].value->kind != VALUE_CONSTANT || c_is_within(node->in[1].value, 0, 0) ||
         !c_is_within(node->in[1].value, 1, INT64_MAX))) {
        c_may_fail(writer);
        c_code(writer, "if (y == 0)\n    return 1;\n");
    }
    text_add(&text, truth           ? "(unsigned char)(("
                    : bits < WIDEST ? "@_wrap((int64_t)("
                                    : "(int64_t)(");
    add_formula(writer, &text, node->op->expression, bits == WIDEST && !attr_is_signed(node));
    if (truth)
        text_add(&text, ") != 0)");
    else if (bits < WIDEST)
        text_add(&text, "), %d, %d)", (int)bits, attr_is_signed(node));
    else
        text_add(&text, ")");
    close_loop(writer, step, &nest, text.data);
    text_free(&text);
}

static const struct c_kernel integers = C_NARROW("integers", print_integers);

unsigned c_integers_match(const struct planner *planner, const struct group *group, void *match)
{
    (void)planner;
    (void)match;
    return group->count == 1 ? IN_PLAIN : 0;
}

bool c_integers_make(struct planner *planner, const struct group *group, struct step *step)
{
    return c_make_plain(planner, group, step, &integers);
}

/* --- items of any type -------------------------------------------------------------------------
 */

static void print_copies(struct c_writer *writer, const struct node *node)
{
    int64_t count = shape_volume(node->out[0].shape);

    for (uint32_t i = 0; i < node->nout; i++)
        c_code(writer, "for (int i = 0; i < %" PRId64 "; i++)\n    out%u[i] = in0[i];\n", count, i);
}

static void print_typed(struct c_writer *writer, const struct step *step)
{
    static const char *const formats[] = {
        [FORMAT_FLOAT32] = "32", [FORMAT_FLOAT16] = "16", [FORMAT_BFLOAT16] = "b16"};
    const struct node *node = step->nodes[0];
    enum dtype from = (enum dtype)node->in[0].value->dtype, to = (enum dtype)node->out[0].dtype;
    struct text text = {0};
    struct nest nest;

    if (is_op(node, OP_copy_n) || is_op(node, OP_update)) {
        print_copies(writer, node);
        return;
    }
    open_loop(writer, node, (int)node->nin, &nest);
    if (is_op(node, OP_select)) {
        text_add(&text, "in0[");
        nest_index(&text, &nest, 1);
        for (int k = 1; k < OPERANDS; k++) {
            text_add(&text, k == 1 ? "] ? in1[" : "] : in2[");
            nest_index(&text, &nest, 1 + k);
        }
        text_add(&text, "]");
    } else {
        declare(writer, &nest, c_type_of(from)->name, "x", 0);
        if (!is_op(node, OP_cast)) {
            c_needs(writer, C_TEXT_bits);
            text_add(&text, "@_%s%s(x)", to == DTYPE_INTEGER ? "bits" : "scalar",
                     formats[attr_format(node)]);
        } else if (to == DTYPE_INTEGER && from == DTYPE_SCALAR) {
            c_needs(writer, C_TEXT_integers);
            text_add(&text, "@_truncated(x)");
        } else {
            text_add(&text, "%s",
                     to == DTYPE_LOGICAL  ? "x != 0"
                     : to == DTYPE_SCALAR ? "(float)x"
                                          : "x");
        }
    }
    close_loop(writer, step, &nest, text.data);
    text_free(&text);
}

static const struct c_kernel typed = C_NARROW("items", print_typed);

unsigned c_typed_match(const struct planner *planner, const struct group *group, void *match)
{
    return c_integers_match(planner, group, match);
}

bool c_typed_make(struct planner *planner, const struct group *group, struct step *step)
{
    return c_make_plain(planner, group, step, &typed);
}

/* The new value of a variable, which run() takes over. */
static const struct c_kernel update = C_NARROW("update", print_typed);

unsigned c_update_match(const struct planner *planner, const struct group *group, void *match)
{
    return c_integers_match(planner, group, match);
}

bool c_update_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct node *node = group->nodes[0];

    step->kernel = &update.kernel;
    return plan_read(planner, step, node->in[1].value, LAYOUT_PLAIN) &&
           plan_write(planner, step, &node->out[0]);
}

/* --- sums of products --------------------------------------------------------------------------
 */

/* How large an operand less its zero can be; false: anything. */
static bool greatest(const struct c_writer *writer, const struct step *step, int operand, int zero,
                     double *most)
{
    int64_t low, high, low_zero, high_zero;

    if (!c_range(writer, step, operand, &low, &high) ||
        !c_range(writer, step, zero, &low_zero, &high_zero))
        return false;
    double above = (double)high - (double)low_zero, below = (double)high_zero - (double)low;
    *most = above > below ? above : below;
    return true;
}

bool c_sums_fit(const struct c_writer *writer, const struct step *step, int64_t depth, int zero)
{
    double left, right;
    int64_t low, high;

    return greatest(writer, step, 0, zero, &left) && greatest(writer, step, 1, zero + 1, &right) &&
           c_range(writer, step, 2, &low, &high) && low > INT32_MIN && high < INT32_MAX &&
           left * right * (double)depth + (double)(high > -low ? high : -low) < INT32_MAX;
}

/* An item less its zero has at most 16 bits and a sign. */
static void check_range(struct c_writer *writer, const struct step *step, int operand, int zero)
{
    const int64_t count = shape_volume(step->nodes[0]->in[operand].value->shape);
    const int64_t zeros = shape_volume(step->nodes[0]->in[zero].value->shape);
    double most;

    if (greatest(writer, step, operand, zero, &most) && most < MOST_ITEM)
        return;
    c_may_fail(writer);
    c_code(writer,
           "for (int i = 0; i < %" PRId64 "; i++) {\n"
           "const double item = (double)in%d[i] - (double)in%d[i / %" PRId64 "];\n\n"
           "if (item <= -%d || item >= %d)\n    return 1;\n}\n",
           count, operand, zero, zeros > 1 ? count / zeros : count + !count, MOST_ITEM, MOST_ITEM);
}

/* Windows one after the other, and all channels for each tap. */
static void print_layer(struct c_writer *writer, const struct step *step)
{
    const struct node *node = step->nodes[0];
    const struct shape *in = node->in[CONV_INPUT].value->shape, *out = node->out[0].shape;
    const struct shape *filter = node->in[CONV_FILTER].value->shape;
    const struct window w = plan_window(node);
    int64_t groups = conv_groups(in, filter, out, false), plane = 1, outs = 1, taps = 1;
    int64_t channels = shape_extent(in, 1) / groups, results = shape_extent(out, 1) / groups;

    for (int i = 0; i < w.rank; i++) {
        plane *= w.dim[i].in;
        outs *= w.dim[i].out;
        taps *= w.dim[i].size;
    }
    const char *type =
        c_sums_fit(writer, step, channels * taps, LAYER_ZERO) ? "int32_t" : "int64_t";
    check_range(writer, step, CONV_INPUT, LAYER_ZERO);
    check_range(writer, step, CONV_FILTER, LAYER_ZERO + 1);
    c_window(writer, &w);
    c_code(writer,
           "for (int n = 0; n < %" PRId64 "; n++)\n    for (int k = 0; k < %" PRId64
           "; k++)\n        for (int o = 0; o < %" PRId64 "; o++)\n"
           "            out0[(n * %" PRId64 " + k) * %" PRId64 " + o] = in2[%s];\n",
           shape_extent(out, 0), results * groups, outs, results * groups, outs,
           shape_volume(node->in[CONV_BIAS].value->shape) > 1 ? "k" : "0");
    c_code(writer,
           "for (int n = 0; n < %" PRId64 "; n++) {\nfor (int o = 0; o < %" PRId64
           "; o++) {\nfor (int tap = 0; tap < %" PRId64 "; tap++) {\n"
           "const int at = @_find(&window, o, tap);\n\n"
           "for (int k = 0; at >= 0 && k < %" PRId64 "; k++) {\n",
           shape_extent(out, 0), outs, taps, results * groups);
    c_code(writer,
           "const int first = n * %" PRId64 " + k / %" PRId64 " * %" PRId64 ";\n"
           "const %s zero = (%s)in4[%s];\n%s sum = 0;\n\n",
           channels * groups, results, channels, type, type,
           shape_volume(node->in[LAYER_ZERO + 1].value->shape) > 1 ? "k" : "0", type);
    c_code(writer,
           "for (int c = 0; c < %" PRId64 "; c++)\n"
           "    sum += ((%s)in0[(first + c) * %" PRId64
           " + at] - (%s)*in3) * ((%s)in1[(k * %" PRId64 " + c) * %" PRId64 " + tap] - zero);\n"
           "out0[(n * %" PRId64 " + k) * %" PRId64 " + o] += sum;\n}\n}\n}\n}\n",
           channels, type, plane, type, type, channels, taps, results * groups, outs);
}

static const struct c_kernel layer = C_NARROW("layer", print_layer);

unsigned c_layer_match(const struct planner *planner, const struct group *group, void *match)
{
    const struct window w = plan_window(group->nodes[0]);

    return c_window_fits(&w) ? c_integers_match(planner, group, match) : 0;
}

bool c_layer_make(struct planner *planner, const struct group *group, struct step *step)
{
    return c_make_plain(planner, group, step, &layer);
}

/* --- quantized tensors -------------------------------------------------------------------------
 */

enum { ITEMS, SCALE, ZERO, SCALES = 2, ZEROS = 5 };

/* Zeros have at most 32 bits. */
static void check_zeros(struct c_writer *writer, const struct step *step, int operand)
{
    const struct value *zero = step->nodes[0]->in[operand].value;
    int64_t low, high;

    if (c_range(writer, step, operand, &low, &high) && low >= INT32_MIN && high <= UINT32_MAX)
        return;
    c_may_fail(writer);
    c_code(writer,
           "for (int i = 0; i < %" PRId64 "; i++)\n    if (in%d[i] < INT32_MIN || in%d[i] > "
           "(int64_t)UINT32_MAX)\n        return 1;\n",
           shape_volume(zero->shape), operand, operand);
}

static void add_bounds(struct text *to, const struct node *node)
{
    text_add(to, ", ");
    c_integer(to, attr_low(node));
    text_add(to, ", ");
    c_integer(to, attr_high(node));
    text_add(to, ")");
}

static void print_pair(struct c_writer *writer, const struct step *step)
{
    const struct node *node = step->nodes[0];
    bool adds = is_op(node, OP_quantized_add);
    struct text text = {0};
    struct nest nest;

    for (int i = 0; i < OPERANDS; i++)
        check_zeros(writer, step, ZEROS + i);
    if (adds)
        c_code(writer, "const struct @_sum sum = @_sum_of(*in2, *in3, *in4, *in5, *in6, *in7);\n");
    else
        c_code(writer, "const float factor = *in2 * *in3 / *in4;\n");
    open_loop(writer, node, 2, &nest);
    declare(writer, &nest, "int64_t", "x", 0);
    declare(writer, &nest, "int64_t", "y", 1);
    if (adds) {
        c_needs_math(writer, "fmaf", 4);
        text_add(&text, "@_integer(fmaf((float)x, sum.a, fmaf((float)y, sum.b, sum.offset)), 0");
    } else {
        text_add(&text, "@_integer(@_product(x, *in5, y, *in6) * factor, *in7");
    }
    add_bounds(&text, node);
    close_loop(writer, step, &nest, text.data);
    text_free(&text);
}

static void print_quantized(struct c_writer *writer, const struct step *step)
{
    const struct node *node = step->nodes[0];
    struct text text = {0};
    struct nest nest;

    c_needs(writer, C_TEXT_quantized);
    if (node->nin > OPERANDS) {
        print_pair(writer, step);
        return;
    }
    check_zeros(writer, step, ZERO);
    open_loop(writer, node, OPERANDS, &nest);
    declare(writer, &nest, is_op(node, OP_quantize) ? "float" : "int64_t", "x", ITEMS);
    declare(writer, &nest, "float", "scale", SCALE);
    declare(writer, &nest, "int64_t", "zero", ZERO);
    if (is_op(node, OP_dequantize)) {
        text_add(&text, "@_number(x, zero, scale)");
    } else {
        text_add(&text, "@_integer(%s, zero",
                 is_op(node, OP_quantize) ? "x / scale" : "(float)x * scale");
        add_bounds(&text, node);
    }
    close_loop(writer, step, &nest, text.data);
    text_free(&text);
}

static const struct c_kernel quantized = C_NARROW("quantized", print_quantized);

/* In any order if items of all operands that have some lie alike. */
unsigned c_quantized_match(const struct planner *planner, const struct group *group, void *match)
{
    const struct node *node = group->nodes[0];
    const struct shape *shape = node->out[0].shape;
    bool alike = shape->rank > 2;

    for (uint32_t i = 0; i < node->nin; i++) {
        const struct shape *own = node->in[i].value->shape;
        alike &= shape_volume(own) == 1 || shape_equal(own, shape);
    }
    const unsigned plain = c_integers_match(planner, group, match);
    return plain && alike ? plain | IN_CHANNELS_LAST : plain;
}

bool c_quantized_make(struct planner *planner, const struct group *group, struct step *step)
{
    const struct node *node = group->nodes[0];
    bool ok = true;

    step->kernel = &quantized.kernel;
    for (uint32_t i = 0; i < node->nin && ok; i++) {
        const struct value *value = node->in[i].value;
        const bool has_one = shape_volume(value->shape) == 1;
        ok = plan_read(planner, step, value, has_one ? LAYOUT_PLAIN : step->layout);
    }
    return ok && plan_write(planner, step, &node->out[0]);
}

/* --- numbers rounded to steps ------------------------------------------------------------------
 */

/* Of the provisional dialect, whose operations have no bodies. */
static void print_steps(struct c_writer *writer, const struct step *step)
{
    const struct node *node = step->nodes[0];
    const struct quantize_attrs *attrs = node->attrs;
    bool linear = is_op(node, OP_linear_quantize);
    struct text text = {0};
    struct nest nest;

    assert(node->nin <= OPERANDS);
    c_needs(writer, C_TEXT_steps);
    open_loop(writer, node, (int)node->nin, &nest);
    for (uint32_t k = 0; k < node->nin; k++)
        declare(writer, &nest, "float", names[k], (int)k);
    if (!linear) {
        c_may_fail(writer);
        c_code(writer, "if (!(y > 0))\n    return 1;\n");
    }
    text_add(&text, linear ? "@_linear_step((double)x, (double)y, (double)z, "
                           : "@_power_step((double)x, (double)y, ");
    c_double(&text, quantize_greatest(attrs->bits) - (attrs->is_signed && attrs->symmetric));
    text_add(&text, ")");
    close_loop(writer, step, &nest, text.data);
    text_free(&text);
}

static const struct c_kernel steps = C_KERNEL("items", print_steps);

unsigned c_steps_match(const struct planner *planner, const struct group *group, void *match)
{
    return c_integers_match(planner, group, match);
}

bool c_steps_make(struct planner *planner, const struct group *group, struct step *step)
{
    return c_make_plain(planner, group, step, &steps);
}
