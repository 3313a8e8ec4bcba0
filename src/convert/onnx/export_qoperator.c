/*
 * export_qoperator.c - operators on integers instead of plain ones between DequantizeLinear and
 * QuantizeLinear
 *
 *     QuantizeLinear(Conv(DequantizeLinear(..), ..))   QLinearConv, and so on by a table
 *     Gemm(DequantizeLinear(..), ..)                   QGemm that gives numbers
 *     Relu, Clip, Min, Max before QuantizeLinear       Clip of the integers behind it
 *     Transpose(DequantizeLinear(..)), Reshape, ..     DequantizeLinear(Transpose(..))
 *     QuantizeLinear(DequantizeLinear(x))              x, by the same scale and zero point
 *
 * The nodes are those that export_quantized.c and others have made.  Rounding is monotone, so that
 * bounds may come behind it.  What has no such operator stays as it is.
 */
#include "convert/onnx/export_qoperator.h"

#include "base/arena.h"
#include "convert/onnx/export_out.h"
#include "convert/onnx/operators.h"
#include "diag/context.h"
#include "tensor/bytes.h"
#include "tensor/quantization.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct qoperators {
    struct onnx_out *out;
    bool contrib; /* operators of com.microsoft may be used */
    bool used;    /* one is */
    /* By name of a tensor: the node that makes it; the only reader, which may be the graph, or
     * `several`; the initializer that no feed replaces; the tensor that took its place. */
    struct map made, reader, fixed, instead;
};

static const struct onnx_node several;

static void *get(const struct qoperators *q, const struct map *map, const char *name)
{
    return map_get(map, onnx_out_key(q->out, name));
}

static void set(const struct qoperators *q, struct map *map, const char *name, const void *value)
{
    map_set(map, onnx_out_key(q->out, name), value);
}

static bool is_type(const struct onnx_node *node, const char *type)
{
    return !*node->domain && strcmp(node->op_type, type) == 0;
}

static const char *input(const struct onnx_node *node, int index)
{
    return index < node->input.count ? node->input.item[index] : "";
}

static const struct onnx_attribute *attribute(const struct onnx_node *node, const char *name)
{
    const struct onnx_attribute *a = node->attribute.first;

    while (a && strcmp(a->name, name) != 0)
        a = a->next;
    return a;
}

static int64_t int_of(const struct onnx_node *node, const char *name, int64_t otherwise)
{
    const struct onnx_attribute *a = attribute(node, name);

    return a ? a->i : otherwise;
}

static int64_t count_of(const struct onnx_tensor *tensor)
{
    int64_t count = 1;

    for (int i = 0; i < tensor->dims.count; i++)
        count *= tensor->dims.item[i];
    return count;
}

/* Item `index` of a tensor of FLOAT, whose only item may stand for all. */
static float float_at(const struct onnx_tensor *tensor, int64_t index)
{
    const unsigned char *bytes = tensor->raw_data.data;

    return float_of_bits(bytes_load32(bytes + (count_of(tensor) > 1 ? 4 * index : 0)));
}

/* The node that makes the tensor, if one node reads that and nothing else; else NULL. */
static struct onnx_node *inner(const struct qoperators *q, const char *name)
{
    const void *reader = get(q, &q->reader, name);

    return reader == &several || reader == q->out->to ? NULL : get(q, &q->made, name);
}

/* --- quantized tensors ----------------------------------------------------------------------- */

/* Integers, and initializers with what they stand for. */
struct onnx_coded {
    const char *items, *scale, *zero; /* zero "": 0, of INT32 */
    const struct onnx_tensor *scales; /* with its data */
    int32_t type;
    int axis; /* of scales that are not one for all */
};

static bool has_code(const struct qoperators *q, const struct onnx_node *node,
                     struct onnx_coded *coded)
{
    const struct onnx_tensor *scales = get(q, &q->fixed, input(node, 1));
    const struct onnx_tensor *zeros = get(q, &q->fixed, input(node, 2));

    *coded = (struct onnx_coded){.items = input(node, 0),
                                 .scale = input(node, 1),
                                 .zero = input(node, 2),
                                 .scales = scales,
                                 .type = zeros ? zeros->data_type : ONNX_INT32,
                                 .axis = (int)int_of(node, "axis", 1)};
    return scales && scales->raw_data.data && scales->data_type == ONNX_FLOAT &&
           (zeros || !*coded->zero);
}

static bool coded_at(const struct qoperators *q, const struct onnx_node *node, int index,
                     struct onnx_coded *coded)
{
    const struct onnx_node *maker = get(q, &q->made, input(node, index));

    return maker && is_type(maker, "DequantizeLinear") && has_code(q, maker, coded);
}

static bool is_single(const struct onnx_coded *coded)
{
    return coded->scales->dims.count == 0;
}

/* Is more a greater integer?  So it is unless the scale is not above 0. */
static bool grows(const struct onnx_coded *coded)
{
    return float_at(coded->scales, 0) > 0;
}

static bool is_byte(int32_t type)
{
    return type == ONNX_UINT8 || type == ONNX_INT8;
}

/* One scale and zero point for all of those bytes, which have that type; UNDEFINED: any. */
static bool operand_at(const struct qoperators *q, const struct onnx_node *node, int index,
                       struct onnx_coded *coded, int32_t type)
{
    return coded_at(q, node, index, coded) && is_single(coded) && is_byte(coded->type) &&
           (type == ONNX_UNDEFINED || coded->type == type);
}

static void add_code(const struct qoperators *q, struct onnx_texts *to,
                     const struct onnx_coded *coded)
{
    struct arena *arena = q->out->context->arena;

    if (coded->items)
        onnx_text_add(arena, to, coded->items);
    onnx_text_add(arena, to, coded->scale);
    onnx_text_add(arena, to, coded->zero);
}

/* --- operands of operators -------------------------------------------------------------------- */

/* The result, from the QuantizeLinear that makes it, or of an operator that makes numbers. */
struct onnx_result {
    struct onnx_coded code; /* without items; a scale NULL: numbers */
    struct saturation to;
    struct onnx_node *node;
};

/* Collects the operands of an operator in the place of `node`; false: there is none. */
typedef bool operands_function(struct qoperators *q, const struct onnx_node *node,
                               const struct onnx_result *y, struct onnx_texts *in);

/* Operands of a product.  Runtimes have it for weights without a sign only if x has none. */
static bool factors(const struct qoperators *q, const struct onnx_node *node,
                    const struct onnx_result *y, struct onnx_coded factor[2])
{
    struct onnx_coded *x = &factor[0], *w = &factor[1];

    return operand_at(q, node, 0, x, y->code.type) && coded_at(q, node, 1, w) &&
           (w->type == ONNX_INT8 || (w->type == ONNX_UINT8 && x->type == ONNX_UINT8));
}

/* Is the scale of a bias that of the sums, but for what a writer rounded? */
static bool is_scale_of_sums(const struct onnx_coded *bias, const struct onnx_coded factor[2])
{
    const int64_t a = count_of(bias->scales), b = count_of(factor[1].scales);

    if ((a != b && a != 1 && b != 1) || bias->type != ONNX_INT32 || *bias->zero)
        return false;
    for (int64_t i = 0; i < (a > b ? a : b); i++) {
        const float sums = float_at(factor[0].scales, 0) * float_at(factor[1].scales, i);
        if (!(fabsf(float_at(bias->scales, i) - sums) <= 1e-5F * sums))
            return false;
    }
    return true;
}

/* A bias of floats in integers of the sums' scale; NULL: 32 bits do not hold them. */
static const char *rounded_bias(const struct qoperators *q, const struct onnx_tensor *bias,
                                const struct onnx_coded factor[2])
{
    const struct saturation all = {0, INT32_MIN, INT32_MAX};
    const int64_t count = count_of(bias);
    const struct shape shape = {.rank = 1, .extent = {count}};
    unsigned char *bytes = arena_array(q->out->context->arena, (size_t)count, 4);

    for (int64_t i = 0; i < count; i++) {
        const float sums = float_at(factor[0].scales, 0) * float_at(factor[1].scales, i);
        const float steps = float_at(bias, i) / sums;
        if (!(fabsf(steps) < 0x1p31F))
            return NULL;
        bytes_store(bytes + 4 * i, 4, (uint64_t)quantized_integer(steps, &all));
    }
    return onnx_out_stored(q->out, "bias", ONNX_INT32, &shape, bytes);
}

/* An initializer with one dimension, which holds the same. */
static const char *as_vector(struct qoperators *q, const struct onnx_tensor *tensor)
{
    const int64_t count = count_of(tensor);

    if (tensor->dims.count == 1)
        return tensor->name;
    const char *name = onnx_out_unique(q->out, tensor->name);
    struct onnx_tensor *vector = onnx_tensor_new(q->out->context->arena, name,
                                                 (enum onnx_data_type)tensor->data_type, &count, 1);
    vector->raw_data = tensor->raw_data;
    vector->produce = tensor->produce;
    vector->from = tensor->from;
    q->out->to->initializer = onnx_tensor_append(q->out->to->initializer, vector);
    return name;
}

/* Input 2 of a layer in integers, "" if it has none; NULL: they do not stand for it. */
static const char *bias_of(struct qoperators *q, const struct onnx_node *node,
                           const struct onnx_coded factor[2])
{
    const struct onnx_tensor *fixed = get(q, &q->fixed, input(node, 2));
    const struct onnx_node *maker = get(q, &q->made, input(node, 2));
    struct onnx_coded bias;

    if (!*input(node, 2))
        return "";
    if (maker && (is_type(maker, "Reshape") || is_type(maker, "Squeeze")))
        node = maker;
    if (coded_at(q, node, node == maker ? 0 : 2, &bias)) {
        fixed = get(q, &q->fixed, bias.items);
        return fixed && is_scale_of_sums(&bias, factor) ? as_vector(q, fixed) : NULL;
    }
    return fixed && fixed->raw_data.data && fixed->data_type == ONNX_FLOAT &&
                   (is_single(&factor[1]) || count_of(fixed) == count_of(factor[1].scales))
               ? rounded_bias(q, fixed, factor)
               : NULL;
}

static bool conv_operands(struct qoperators *q, const struct onnx_node *node,
                          const struct onnx_result *y, struct onnx_texts *in)
{
    struct onnx_coded factor[2];

    if (!factors(q, node, y, factor) || (!is_single(&factor[1]) && factor[1].axis != 0))
        return false;
    const char *bias = bias_of(q, node, factor);
    if (!bias)
        return false;
    add_code(q, in, &factor[0]);
    add_code(q, in, &factor[1]);
    add_code(q, in, &y->code);
    if (*bias)
        onnx_text_add(q->out->context->arena, in, bias);
    return true;
}

/* Scales of the right matrix may be those of its columns. */
static bool matmul_operands(struct qoperators *q, const struct onnx_node *node,
                            const struct onnx_result *y, struct onnx_texts *in)
{
    struct onnx_coded factor[2];

    if (!factors(q, node, y, factor))
        return false;
    const struct onnx_tensor *matrix = get(q, &q->fixed, factor[1].items);
    if (!is_single(&factor[1]) && !(matrix && matrix->dims.count == 2 && factor[1].axis == 1))
        return false;
    add_code(q, in, &factor[0]);
    add_code(q, in, &factor[1]);
    add_code(q, in, &y->code);
    return true;
}

/* The exporter writes no factors.  A result without a code is numbers, whose bias is not rounded.
 */
static bool gemm_operands(struct qoperators *q, const struct onnx_node *node,
                          const struct onnx_result *y, struct onnx_texts *in)
{
    const int columns = int_of(node, "transB", 0) ? 0 : 1;
    struct onnx_coded factor[2];

    if (attribute(node, "alpha") || attribute(node, "beta") || !factors(q, node, y, factor) ||
        (!is_single(&factor[1]) && factor[1].axis != columns) ||
        (!y->code.scale && get(q, &q->fixed, input(node, 2))))
        return false;
    const char *bias = bias_of(q, node, factor);
    if (!bias)
        return false;
    add_code(q, in, &factor[0]);
    add_code(q, in, &factor[1]);
    onnx_text_add(q->out->context->arena, in, bias);
    if (y->code.scale)
        add_code(q, in, &y->code);
    return true;
}

/* Inputs from `first` on, with their codes. */
static bool add_inputs(const struct qoperators *q, const struct onnx_node *node, int first,
                       const struct onnx_result *y, struct onnx_texts *in)
{
    struct onnx_coded x;

    for (int i = first; i < node->input.count; i++) {
        if (!operand_at(q, node, i, &x, y->code.type))
            return false;
        add_code(q, in, &x);
    }
    return true;
}

static bool pair_operands(struct qoperators *q, const struct onnx_node *node,
                          const struct onnx_result *y, struct onnx_texts *in)
{
    if (!add_inputs(q, node, 0, y, in))
        return false;
    add_code(q, in, &y->code);
    return true;
}

static bool single_operand(struct qoperators *q, const struct onnx_node *node,
                           const struct onnx_result *y, struct onnx_texts *in)
{
    return node->input.count == 1 && !attribute(node, "dilations") && pair_operands(q, node, y, in);
}

static bool where_operands(struct qoperators *q, const struct onnx_node *node,
                           const struct onnx_result *y, struct onnx_texts *in)
{
    onnx_text_add(q->out->context->arena, in, input(node, 0));
    if (!add_inputs(q, node, 1, y, in))
        return false;
    add_code(q, in, &y->code);
    return true;
}

static bool concat_operands(struct qoperators *q, const struct onnx_node *node,
                            const struct onnx_result *y, struct onnx_texts *in)
{
    add_code(q, in, &y->code);
    return add_inputs(q, node, 0, y, in);
}

/* Parts that have the code of the whole are joined as they are. */
static bool joined_operands(struct qoperators *q, const struct onnx_node *node,
                            const struct onnx_result *y, struct onnx_texts *in)
{
    struct onnx_coded x;

    for (int i = 0; i < node->input.count; i++) {
        if (!operand_at(q, node, i, &x, y->code.type) || strcmp(x.scale, y->code.scale) != 0 ||
            strcmp(x.zero, y->code.zero) != 0)
            return false;
        onnx_text_add(q->out->context->arena, in, x.items);
    }
    return true;
}

/* The first row that fits counts. */
static const struct rule {
    const char *from, *to;
    bool contrib;
    operands_function *operands;
} rules[] = {
    {"Conv", "QLinearConv", false, conv_operands},
    {"MatMul", "QLinearMatMul", false, matmul_operands},
    {"Gemm", "QGemm", true, gemm_operands},
    {"Add", "QLinearAdd", true, pair_operands},
    {"Mul", "QLinearMul", true, pair_operands},
    {"AveragePool", "QLinearAveragePool", true, single_operand},
    {"GlobalAveragePool", "QLinearGlobalAveragePool", true, single_operand},
    {"Concat", "Concat", false, joined_operands},
    {"Concat", "QLinearConcat", true, concat_operands},
    {"Sigmoid", "QLinearSigmoid", true, single_operand},
    {"LeakyRelu", "QLinearLeakyRelu", true, single_operand},
    {"Softmax", "QLinearSoftmax", true, single_operand},
    {"Where", "QLinearWhere", true, where_operands},
};

/* --- bounds ----------------------------------------------------------------------------------- */

/* Narrows the integers by a bound of the numbers, which is a single one; false: it is none. */
static bool bound_by(const struct qoperators *q, const char *name, const struct onnx_result *y,
                     int64_t *bound)
{
    const struct onnx_tensor *number = get(q, &q->fixed, name);

    if (!number || number->dims.count > 0 || number->data_type != ONNX_FLOAT)
        return false;
    const float steps = float_at(number, 0) / float_at(y->code.scales, 0);
    *bound = quantized_integer(steps, &y->to);
    return !isnan(steps);
}

/* Is the node nothing but a bound of input 0?  Else nothing is changed. */
static bool take_bound(const struct qoperators *q, const struct onnx_node *node,
                       struct onnx_result *y)
{
    struct saturation to = y->to;
    bool is_bound = false;

    if (is_type(node, "Relu")) {
        to.low = quantized_integer(0, &y->to);
        is_bound = true;
    } else if (is_type(node, "Clip")) {
        is_bound = (!*input(node, 1) || bound_by(q, input(node, 1), y, &to.low)) &&
                   (!*input(node, 2) || bound_by(q, input(node, 2), y, &to.high));
    } else if (is_type(node, "Min") || is_type(node, "Max")) {
        is_bound = node->input.count == 2 &&
                   bound_by(q, input(node, 1), y, is_type(node, "Max") ? &to.low : &to.high);
    }
    if (!is_bound || to.low > to.high)
        return false;
    y->to = to;
    return true;
}

static const char *byte_of(const struct qoperators *q, const struct onnx_result *y, int64_t item)
{
    const struct shape single = {0};
    const unsigned char byte = (unsigned char)item;

    return onnx_out_stored(q->out, "bound", (enum onnx_data_type)y->code.type, &single, &byte);
}

/* --- nodes --------------------------------------------------------------------------------------
 */

/* Append a node, whose results are known from now on. */
static void put(struct qoperators *q, struct onnx_node *node)
{
    q->out->to->node = onnx_node_append(q->out->to->node, node);
    for (int i = 0; i < node->output.count; i++)
        set(q, &q->made, node->output.item[i], node);
}

/* A node for the same node of NNEF as another one, which makes a tensor of that name. */
static struct onnx_node *put_like(struct qoperators *q, const struct onnx_node *like,
                                  const char *type, const char *output)
{
    struct onnx_node *node = onnx_node_new(q->out->context->arena, q->out->to, type);

    node->name = output;
    node->doc_string = like->doc_string;
    onnx_text_add(q->out->context->arena, &node->output, output);
    map_set(&q->out->origin, node, map_get(&q->out->origin, like));
    set(q, &q->made, output, node);
    return node;
}

static const char *new_name(const struct qoperators *q, const char *output, const char *part)
{
    return onnx_out_unique(q->out, onnx_out_text(q->out, "%s/%s", output, part));
}

/* What numbers make the integers of `node`, and their bounds; false: there are none of 8 bits. */
static bool find_result(const struct qoperators *q, struct onnx_node *node, struct onnx_result *y)
{
    *y = (struct onnx_result){.node = node};
    if (!has_code(q, node, &y->code) || !is_single(&y->code) || !is_byte(y->code.type) ||
        !grows(&y->code))
        return false;
    const struct onnx_tensor *zero = get(q, &q->fixed, y->code.zero);
    const unsigned char *byte = zero->raw_data.data;
    const bool is_signed = y->code.type == ONNX_INT8;

    y->code.items = NULL;
    y->to = is_signed ? (struct saturation){(int8_t)*byte, INT8_MIN, INT8_MAX}
                      : (struct saturation){*byte, 0, UINT8_MAX};
    return true;
}

/* The integers less or more than the bounds are cut: `items`, or if they are none the results of
 * y->node, which is put, too. */
static void put_bounded(struct qoperators *q, const struct onnx_result *y, const char *items)
{
    struct arena *arena = q->out->context->arena;
    const char *output = y->node->output.item[0];

    if (!items) {
        items = y->node->name = y->node->output.item[0] = new_name(q, output, "unbounded");
        put(q, y->node);
    }
    struct onnx_node *clip = put_like(q, y->node, "Clip", output);
    onnx_text_add(arena, &clip->input, items);
    onnx_text_add(arena, &clip->input, byte_of(q, y, y->to.low));
    onnx_text_add(arena, &clip->input, byte_of(q, y, y->to.high));
}

/* y->node, a QuantizeLinear or `node` itself, becomes the operator that computes both. */
static bool use_operator(struct qoperators *q, const struct onnx_node *node,
                         const struct onnx_result *y)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const struct rule *rule = &rules[i];
        struct onnx_texts in = {0};
        if (!is_type(node, rule->from) || (rule->contrib && !q->contrib) ||
            !rule->operands(q, node, y, &in))
            continue;
        y->node->op_type = rule->to;
        y->node->input = in;
        y->node->attribute = node->attribute;
        if (strcmp(rule->from, "Softmax") == 0) /* whose rules it follows */
            onnx_node_int(q->out->context->arena, y->node, "opset", 13);
        if (rule->contrib)
            y->node->domain = NAME_MICROSOFT;
        q->used |= rule->contrib;
        return true;
    }
    return false;
}

/* Quotients of numbers by extreme scales are too far off. */
static bool is_plain_scale(float scale)
{
    return scale > 0x1p-80F && scale < 0x1p80F;
}

static void visit_quantize(struct qoperators *q, struct onnx_node *node)
{
    struct onnx_result y;
    struct onnx_coded x;
    const struct onnx_node *maker = NULL, *last = node;

    if (!find_result(q, node, &y)) {
        put(q, node);
        return;
    }
    const struct saturation all = y.to;
    while ((maker = inner(q, input(last, 0))) && take_bound(q, maker, &y))
        last = maker;
    const bool bounded = y.to.low > all.low || y.to.high < all.high;
    const bool back = operand_at(q, last, 0, &x, y.code.type) &&
                      strcmp(x.scale, y.code.scale) == 0 && strcmp(x.zero, y.code.zero) == 0 &&
                      is_plain_scale(float_at(x.scales, 0));
    const bool is_output = get(q, &q->reader, node->output.item[0]) == q->out->to;
    if (back && bounded)
        put_bounded(q, &y, x.items);
    else if (back && !is_output)
        set(q, &q->instead, node->output.item[0], x.items);
    else if (!back && maker && use_operator(q, maker, &y) && bounded)
        put_bounded(q, &y, NULL);
    else
        put(q, node);
}

/* Is the result quantized behind operators that may only be bounds? */
static bool is_quantized_next(const struct qoperators *q, const struct onnx_node *node)
{
    while (node->output.count == 1) {
        const void *reader = get(q, &q->reader, node->output.item[0]);
        if (!reader || reader == &several || reader == q->out->to)
            return false;
        node = reader;
        if (is_type(node, "QuantizeLinear"))
            return true;
        if (!is_type(node, "Relu") && !is_type(node, "Clip") && !is_type(node, "Min") &&
            !is_type(node, "Max"))
            return false;
    }
    return false;
}

static void visit_gemm(struct qoperators *q, struct onnx_node *node)
{
    const struct onnx_result numbers = {.node = node};

    if (!is_quantized_next(q, node))
        use_operator(q, node, &numbers);
    put(q, node);
}

/* Operators of one result that move items of input 0, or pick some. */
static bool is_move(const struct onnx_node *node)
{
    static const char *const type[] = {"Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten",
                                       "Slice",   "MaxPool",   "Expand",  "Gather",    "Tile"};

    for (size_t i = 0; i < sizeof type / sizeof type[0]; i++)
        if (is_type(node, type[i]))
            return node->output.count == 1;
    return false;
}

/* The integers are moved, and dequantized behind. */
static void visit_move(struct qoperators *q, struct onnx_node *node)
{
    struct onnx_coded x;
    const char *output = node->output.item[0];

    if (!coded_at(q, node, 0, &x) || !is_single(&x) || !is_byte(x.type) ||
        (is_type(node, "MaxPool") && !grows(&x))) {
        put(q, node);
        return;
    }
    node->input.item[0] = x.items;
    x.items = node->name = node->output.item[0] = new_name(q, output, "integers");
    put(q, node);
    add_code(q, &put_like(q, node, "DequantizeLinear", output)->input, &x);
}

/* --- the whole ----------------------------------------------------------------------------------
 */

static void note_tensors(struct qoperators *q)
{
    const struct onnx_graph *graph = q->out->to;

    for (const struct onnx_tensor *t = graph->initializer.first; t; t = t->next)
        set(q, &q->fixed, t->name, t);
    for (const struct onnx_value_info *v = graph->input.first; v; v = v->next)
        set(q, &q->fixed, v->name, NULL);
    for (const struct onnx_node *n = graph->node.first; n; n = n->next)
        for (int i = 0; i < n->input.count; i++)
            set(q, &q->reader, n->input.item[i],
                get(q, &q->reader, n->input.item[i]) ? &several : n);
    for (const struct onnx_value_info *v = graph->output.first; v; v = v->next)
        set(q, &q->reader, v->name, graph);
}

/* Keep nodes that outputs of the graph depend on. */
static void drop_unread(struct qoperators *q)
{
    struct onnx_graph *graph = q->out->to;
    const int count = graph->node.count;
    struct onnx_node **node = arena_array_of(q->out->context->arena, struct onnx_node *, count + 1);
    bool *kept = arena_array_of(q->out->context->arena, bool, count + 1);
    struct map read = {0};
    int at = 0;

    for (struct onnx_node *n = graph->node.first; n; n = n->next)
        node[at++] = n;
    for (const struct onnx_value_info *v = graph->output.first; v; v = v->next)
        set(q, &read, v->name, graph);
    for (int i = count - 1; i >= 0; i--) {
        for (int k = 0; k < node[i]->output.count; k++)
            kept[i] |= get(q, &read, node[i]->output.item[k]) != NULL;
        for (int k = 0; kept[i] && k < node[i]->input.count; k++)
            set(q, &read, node[i]->input.item[k], graph);
    }
    graph->node = (struct onnx_node_list){0};
    for (int i = 0; i < count; i++) {
        node[i]->next = NULL;
        if (kept[i])
            graph->node = onnx_node_append(graph->node, node[i]);
        for (int k = 0; !kept[i] && k < node[i]->output.count; k++)
            set(q, &q->made, node[i]->output.item[k], NULL);
    }
    map_free(&read);
}

/* Results of NNEF that no tensor holds any more. */
static void forget_names(struct qoperators *q)
{
    for (const struct node *n = q->out->from->first; n; n = n->next)
        for (uint32_t i = 0; i < n->nout; i++) {
            const char **name = &q->out->name[n->out[i].id];
            if (*name && !get(q, &q->made, *name))
                *name = NULL;
        }
}

bool onnx_use_qoperators(struct onnx_out *out, bool contrib)
{
    struct qoperators q = {.out = out, .contrib = contrib};
    struct onnx_node *node = out->to->node.first, *next;

    note_tensors(&q);
    out->to->node = (struct onnx_node_list){0};
    for (; node; node = next) {
        next = node->next;
        node->next = NULL;
        for (int i = 0; i < node->input.count; i++) {
            const char *instead = get(&q, &q.instead, node->input.item[i]);
            node->input.item[i] = instead ? instead : node->input.item[i];
        }
        if (is_type(node, "QuantizeLinear"))
            visit_quantize(&q, node);
        else if (is_type(node, "Gemm"))
            visit_gemm(&q, node);
        else if (is_move(node))
            visit_move(&q, node);
        else
            put(&q, node);
    }
    drop_unread(&q);
    forget_names(&q);
    map_free(&q.made);
    map_free(&q.reader);
    map_free(&q.fixed);
    map_free(&q.instead);
    return q.used;
}
