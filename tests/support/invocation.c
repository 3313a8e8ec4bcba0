/* invocation.c - random arguments by the names and types of parameters; see invocation.h */
#include "support/invocation.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_EXTENT = 6, ARRAY_TENSORS = 3 };

static int64_t between(struct invocation *inv, int64_t low, int64_t high)
{
    return low + (int64_t)(random_bits(&inv->random) % (uint64_t)(high - low + 1));
}

static bool coin(struct invocation *inv)
{
    return between(inv, 0, 1);
}

static const struct sig_param *find_param(const struct invocation *inv, const char *name)
{
    for (int i = 0; i < inv->signature->nparam; i++)
        if (strcmp(inv->signature->params[i].name, name) == 0)
            return &inv->signature->params[i];
    return NULL;
}

/* --- shapes of tensors -------------------------------------------------------------------- */

typedef void shape_rule(struct invocation *inv, struct shape *shape);

static void same_shape(struct invocation *inv, struct shape *shape)
{
    *shape = inv->shape;
}

/* One that broadcasts to the first. */
static void narrower_shape(struct invocation *inv, struct shape *shape)
{
    *shape = inv->shape;
    shape->rank = (int)between(inv, 1, inv->shape.rank);
    for (int i = 0; i < shape->rank; i++)
        if (coin(inv))
            shape->extent[i] = 1;
}

/* One that broadcasts with the first, which it may widen. */
static void other_shape(struct invocation *inv, struct shape *shape)
{
    narrower_shape(inv, shape);
    for (int i = 0; i < shape->rank; i++)
        if (inv->shape.extent[i] == 1)
            shape->extent[i] = between(inv, 1, 3);
}

/* [count,channels,...] with these extents behind. */
static void filter_shape(struct invocation *inv, struct shape *shape, int64_t channels,
                         int64_t greatest)
{
    shape->rank = inv->shape.rank;
    shape->extent[0] = inv->shape.extent[1] * (coin(inv) ? 1 : between(inv, 1, 2));
    shape->extent[1] = channels;
    for (int i = 2; i < shape->rank; i++)
        shape->extent[i] = between(inv, 1, greatest);
}

static void plane_filter_shape(struct invocation *inv, struct shape *shape)
{
    filter_shape(inv, shape, 1, 3);
}

static void point_filter_shape(struct invocation *inv, struct shape *shape)
{
    filter_shape(inv, shape, inv->shape.extent[1], 1);
}

/* Of a convolution, or the second factor of a matrix product. */
static void any_filter_shape(struct invocation *inv, struct shape *shape)
{
    if (find_param(inv, "border")) {
        plane_filter_shape(inv, shape);
        return;
    }
    *shape = inv->shape;
    shape->extent[shape->rank - 2] = between(inv, 1, 4);
}

static void bias_shape(struct invocation *inv, struct shape *shape)
{
    *shape = (struct shape){2, {1, coin(inv) ? 1 : inv->shape.extent[1]}};
}

static int64_t regions(const struct invocation *inv)
{
    return inv->shape.extent[0] + 1;
}

static void rois_shape(struct invocation *inv, struct shape *shape)
{
    *shape = (struct shape){2, {regions(inv), INT64_C(2) * (inv->shape.rank - 2)}};
}

static void batch_index_shape(struct invocation *inv, struct shape *shape)
{
    *shape = (struct shape){coin(inv) ? 2 : 1, {regions(inv), 1}};
}

/* Tensors by the name of their parameter: shape, and between what their items lie. */
static const struct tensor_rule {
    const char *param;
    shape_rule *shape;
    double low, high;
} tensor_rules[] = {
    {"x", same_shape, -4, 4},
    {"input", same_shape, -4, 4},
    {"y", other_shape, -4, 4},
    {"a", other_shape, -4, 4},
    {"b", other_shape, -4, 4},
    {"alpha", other_shape, -1, 1},
    {"mean", narrower_shape, -1, 1},
    {"variance", narrower_shape, 0.5, 2},
    {"offset", narrower_shape, -1, 1},
    {"scale", narrower_shape, 0.25, 2},
    {"zero_point", narrower_shape, -3, 3},
    {"min", narrower_shape, -4, -1},
    {"max", narrower_shape, 1, 8},
    {"filter", any_filter_shape, -1, 1},
    {"plane_filter", plane_filter_shape, -1, 1},
    {"point_filter", point_filter_shape, -1, 1},
    {"bias", bias_shape, -1, 1},
    {"rois", rois_shape, 0, 0},
    {"batch_index", batch_index_shape, 0, 1},
    {0},
};

/* The rule of the parameter that graph input `input`, "NAME" or "NAME_2", belongs to. */
static const struct tensor_rule *rule_of(const char *input)
{
    size_t size = strcspn(input, "0123456789");

    size -= input[size] && input[size - 1] == '_';
    for (const struct tensor_rule *rule = tensor_rules; rule->param; rule++)
        if (strlen(rule->param) == size && strncmp(rule->param, input, size) == 0)
            return rule;
    return NULL;
}

/* --- attributes --------------------------------------------------------------------------- */

typedef void attribute_rule(struct invocation *inv, struct text *to);

static void write_list(struct invocation *inv, struct text *to, int count, int64_t low,
                       int64_t high)
{
    text_add(to, "[");
    for (int i = 0; i < count; i++)
        text_add(to, "%s%" PRId64, i ? "," : "", between(inv, low, high));
    text_add(to, "]");
}

static int spatial(const struct invocation *inv)
{
    return inv->shape.rank - 2;
}

/* Items of padding, stride or dilation: pooling windows cover all dimensions.  The provisional
 * dialect lets the last ones out. */
static int window_items(struct invocation *inv)
{
    int count = find_param(inv, "size") ? inv->shape.rank : spatial(inv);

    return inv->provisional ? (int)between(inv, 0, count) : coin(inv) ? count : 0;
}

/* Divisors of the extents, so that down-sampling comes out even. */
static void write_factor(struct invocation *inv, struct text *to)
{
    text_add(to, "[");
    for (int i = 2; i < inv->shape.rank; i++) {
        int64_t factor = between(inv, 1, 3);
        while (inv->shape.extent[i] % factor)
            factor--;
        text_add(to, "%s%" PRId64, i > 2 ? "," : "", factor);
    }
    text_add(to, "]");
}

static void write_axes(struct invocation *inv, struct text *to)
{
    int64_t first = between(inv, 0, inv->shape.rank - 1);
    int64_t step = coin(inv) ? 1 : inv->shape.rank - 1;
    int64_t count = between(inv, 1, inv->shape.rank);

    text_add(to, "[");
    for (int64_t i = 0; i < count; i++)
        text_add(to, "%s%" PRId64, i ? "," : "", (first + i * step) % inv->shape.rank);
    text_add(to, "]");
}

static void write_size(struct invocation *inv, struct text *to)
{
    write_list(inv, to, inv->shape.rank, 1, 3);
}

static void write_output_size(struct invocation *inv, struct text *to)
{
    write_list(inv, to, spatial(inv), 1, 3);
}

static void write_sampling_rate(struct invocation *inv, struct text *to)
{
    write_list(inv, to, spatial(inv), 1, 2);
}

static void write_steps(struct invocation *inv, struct text *to)
{
    write_list(inv, to, window_items(inv), 1, 2);
}

static void write_padding(struct invocation *inv, struct text *to)
{
    int count = window_items(inv);

    text_add(to, "[");
    for (int i = 0; i < count; i++)
        text_add(to, "%s(%" PRId64 ",%" PRId64 ")", i ? "," : "",
                 between(inv, inv->provisional ? 0 : -1, 2), between(inv, 0, 2));
    text_add(to, "]");
}

static void write_border(struct invocation *inv, struct text *to)
{
    static const char *const borders[] = {"constant", "replicate", "reflect", "reflect-even",
                                          "ignore"};

    text_add(to, "'%s'", borders[between(inv, 0, 4)]);
}

static void write_method(struct invocation *inv, struct text *to)
{
    static const char *const methods[] = {"symmetric", "asymmetric", "aligned"};

    text_add(to, "'%s'", methods[between(inv, 0, 2)]);
}

static void write_groups(struct invocation *inv, struct text *to)
{
    text_add(to, "%" PRId64, between(inv, inv->provisional, 2));
}

static void write_nothing(struct invocation *inv, struct text *to)
{
    (void)inv;
    text_add(to, "[]");
}

static void write_bits(struct invocation *inv, struct text *to)
{
    text_add(to, "%" PRId64, between(inv, 1, 8));
}

static void write_times(struct invocation *inv, struct text *to)
{
    inv->length = between(inv, 1, 3);
    text_add(to, "%" PRId64, inv->length);
}

static void write_logical(struct invocation *inv, struct text *to)
{
    text_add(to, coin(inv) ? "true" : "false");
}

static void write_scalar(struct invocation *inv, struct text *to)
{
    text_add_scalar(to, random_between(&inv->random, 0.125, 2));
}

static const struct {
    const char *param;
    attribute_rule *write;
} attribute_rules[] = {
    {"factor", write_factor},
    {"axes", write_axes},
    {"size", write_size},
    {"output_size", write_output_size},
    {"sampling_rate", write_sampling_rate},
    {"resize_method", write_method},
    {"border", write_border},
    {"padding", write_padding},
    {"stride", write_steps},
    {"dilation", write_steps},
    {"output_shape", write_nothing},
    {"groups", write_groups},
    {"bits", write_bits},
    {"times", write_times},
    {"signed", write_logical},
    {"symmetric", write_logical},
    {"alpha", write_scalar},
    {"beta", write_scalar},
    {"lambda", write_scalar},
    {"bias", write_scalar},
    {"epsilon", write_scalar},
    {0},
};

static void write_attribute(struct invocation *inv, const struct sig_param *param, struct text *to)
{
    text_add(to, "%s = ", param->name);
    for (int i = 0; attribute_rules[i].param; i++)
        if (strcmp(attribute_rules[i].param, param->name) == 0)
            attribute_rules[i].write(inv, to);
}

/* --- the document ------------------------------------------------------------------------- */

/* What is being written: the parts of the document. */
struct parts {
    struct text inputs, definitions, arguments;
};

static void add_comma(struct text *to)
{
    if (to->size > 0)
        text_add(to, ", ");
}

static const struct type *item_type(const struct type *type)
{
    while (type->kind == TYPE_ARRAY)
        type = type->item;
    return type->item;
}

static enum dtype dtype_of(const struct invocation *inv, const struct sig_param *param)
{
    const struct type *item = item_type(param->type);

    return item->kind == TYPE_GENERIC ? inv->generic : type_dtype(item);
}

static void add_input(struct invocation *inv, const struct sig_param *param, const char *name,
                      struct parts *parts)
{
    const char *dtype = dtype_name(dtype_of(inv, param));
    struct shape shape = {0};

    rule_of(name)->shape(inv, &shape);
    add_comma(&parts->inputs);
    text_add(&parts->inputs, "%s", name);
    text_add(&parts->definitions, "    %s = external", name);
    if (!inv->provisional)
        text_add(&parts->definitions, "<%s>", dtype);
    text_add(&parts->definitions, "(shape = %s);\n", SHAPE_TEXT(&shape));
}

static void add_array(struct invocation *inv, const struct sig_param *param, struct parts *parts)
{
    int64_t count = between(inv, 1, ARRAY_TENSORS);

    text_add(&parts->arguments, "[");
    for (int64_t i = 1; i <= count; i++) {
        struct text name = {0};
        text_add(&name, "%s_%" PRId64, param->name, i);
        add_input(inv, param, name.data, parts);
        text_add(&parts->arguments, "%s%s", i > 1 ? ", " : "", name.data);
        text_free(&name);
    }
    text_add(&parts->arguments, "]");
}

static void add_argument(struct invocation *inv, const struct sig_param *param, struct parts *parts)
{
    if (param->has_default && coin(inv))
        return;
    add_comma(&parts->arguments);
    if (!param->type->has_tensor) {
        write_attribute(inv, param, &parts->arguments);
    } else if (param->type->kind == TYPE_ARRAY) {
        add_array(inv, param, parts);
    } else {
        add_input(inv, param, param->name, parts);
        text_add(&parts->arguments, "%s", param->name);
    }
}

/* "r1, r2": of an array as many as it has items. */
static void write_results(const struct invocation *inv, struct text *to)
{
    const struct signature *s = inv->signature;
    int64_t count = s->results[0].type->kind == TYPE_ARRAY ? inv->length : s->nresult;

    for (int64_t i = 1; i <= count; i++)
        text_add(to, "%sr%" PRId64, i > 1 ? ", " : "", i);
}

static void write_target(const struct invocation *inv, struct text *to)
{
    const struct signature *s = inv->signature;
    bool array = s->results[0].type->kind == TYPE_ARRAY;

    text_add(to, "    %s", array ? "[" : s->nresult > 1 ? "(" : "");
    write_results(inv, to);
    text_add(to, "%s = ", array ? "]" : s->nresult > 1 ? ")" : "");
}

static void write_document(struct invocation *inv, const struct parts *parts)
{
    struct text *to = &inv->text;

    text_add(to, "version 1.0%s\ngraph net(%s) -> (", inv->provisional ? "" : ";",
             parts->inputs.data);
    write_results(inv, to);
    text_add(to, ")\n{\n%s", parts->definitions.data);
    write_target(inv, to);
    text_add(to, "%s(%s);\n}\n", inv->signature->name, parts->arguments.data);
}

static void draw_shape(struct invocation *inv, int rank)
{
    inv->shape.rank = rank;
    for (int i = 0; i < rank; i++)
        inv->shape.extent[i] = between(inv, 1, i < 2 || rank > 3 ? 3 : MAX_EXTENT);
    inv->shape.extent[rank - 1] = between(inv, 1, MAX_EXTENT);
}

void invocation_draw(struct invocation *inv, const struct signature *signature, bool provisional,
                     int rank, uint64_t seed)
{
    static const enum dtype generics[] = {DTYPE_SCALAR, DTYPE_INTEGER, DTYPE_LOGICAL};
    struct parts parts = {{0}, {0}, {0}};

    *inv = (struct invocation){.signature = signature, .provisional = provisional, .length = 1};
    inv->random = random_stream(seed, signature->name);
    inv->generic = provisional ? DTYPE_SCALAR : generics[between(inv, 0, 2)];
    draw_shape(inv, rank);
    for (int i = 0; i < signature->nparam; i++)
        add_argument(inv, &signature->params[i], &parts);
    write_document(inv, &parts);
    text_free(&parts.inputs);
    text_free(&parts.definitions);
    text_free(&parts.arguments);
}

/* --- data --------------------------------------------------------------------------------- */

/* Starts in the first half of each extent, ends in the second. */
static void fill_regions(struct invocation *inv, struct tensor *tensor)
{
    int columns = (int)tensor->shape.extent[1];
    float *item = tensor->data;

    for (int64_t i = 0; i < shape_volume(&tensor->shape); i++) {
        int64_t column = i % columns;
        double half = (double)inv->shape.extent[2 + column % (columns / 2)] / 2;
        double low = column < columns / 2 ? 0 : half;
        item[i] = (float)random_between(&inv->random, low, low + half);
    }
}

static void fill_integers(struct invocation *inv, const struct tensor_rule *rule,
                          const struct tensor *tensor)
{
    int64_t high =
        rule->shape == batch_index_shape ? inv->shape.extent[0] - 1 : (int64_t)rule->high;
    int64_t *item = tensor->data;

    for (int64_t i = 0; i < shape_volume(&tensor->shape); i++)
        item[i] = between(inv, (int64_t)rule->low, high);
}

void invocation_fill(struct invocation *inv, const char *input, struct tensor *tensor)
{
    const struct tensor_rule *rule = rule_of(input);

    if (rule->low == rule->high)
        fill_regions(inv, tensor);
    else if (tensor->dtype == DTYPE_INTEGER)
        fill_integers(inv, rule, tensor);
    else
        random_fill(&inv->random, tensor, rule->low, rule->high);
}
