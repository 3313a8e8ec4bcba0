/*
 * check.c - the function with which a network tells that it computes what the reference does
 *
 * It makes one input by a generator, which the compiler runs, too: text/check.h is part of both.
 */
#include "backend/c/check.h"

#include "backend/c/writer.h"
#include "base/num.h"
#include "exec/planner.h"
#include "tensor/tensor.h"

#include <inttypes.h>
#include <math.h>

/* clang-format off */
#include "backend/c/text/common.h"
#include "backend/c/text/check.h"
/* clang-format on */

/* Items of a result that are compared, and how far they may be apart, of the largest. */
enum { ITEMS = 32 };
#define APART 1e-4

bool c_check_fill(uint32_t *state, struct tensor *tensor)
{
    int64_t count = shape_volume(&tensor->shape);

    if (count > INT32_MAX)
        return false;
    if (tensor->dtype == DTYPE_SCALAR)
        nn_fill_scalars(state, tensor->data, (int32_t)count);
    else if (tensor->dtype == DTYPE_INTEGER)
        nn_fill_integers(state, tensor->data, (int32_t)count);
    else
        nn_fill_logicals(state, tensor->data, (int32_t)count);
    return true;
}

/* --- printing -------------------------------------------------------------------------------- */

static void add_inputs(const struct c_writer *writer, struct text *to)
{
    const struct graph *graph = writer->plan->graph;

    for (int i = 0; i < graph->ninput; i++) {
        const struct value *value = graph->inputs[i].value;
        const char *kind = value->dtype == DTYPE_SCALAR    ? "scalars"
                           : value->dtype == DTYPE_INTEGER ? "integers"
                                                           : "logicals";
        text_add(to, "    %s_fill_%s(&seed, %s, %" PRId64 ");\n", writer->options->prefix, kind,
                 writer->input[i], shape_volume(value->shape));
    }
}

static int64_t place_of(int64_t item, int64_t checked, int64_t count)
{
    return item * count / checked;
}

/* Where item `at` of a result lies as the caller has it. */
static int64_t outer_place(const struct c_writer *writer, int result, int64_t at)
{
    const struct value *value = writer->plan->graph->outputs[result].value;
    const struct shape *shape = value->shape;
    const struct strided_view view =
        view_in_order(shape, plan_outer_layout(writer->options->channels_last, value));
    int64_t place = 0;

    for (int i = shape->rank - 1; i >= 0; at /= shape->extent[i--])
        place += at % shape->extent[i] * view.stride[i];
    return place;
}

static double tolerance_of(const struct tensor *tensor)
{
    double largest = 0;

    for (int64_t i = 0, count = shape_volume(&tensor->shape); i < count; i++)
        if (isfinite(tensor_item(tensor, i)))
            largest = fmax(largest, fabs(tensor_item(tensor, i)));
    return APART * (largest > 0 ? largest : 1);
}

/* Returns how many items are looked at. */
static int64_t add_table(const struct c_writer *writer, struct text *to, int result)
{
    const struct tensor *tensor = &writer->options->check->results[result];
    int64_t count = shape_volume(&tensor->shape), checked = num_min(count, ITEMS);
    const char *prefix = writer->options->prefix;

    if (tensor->dtype != DTYPE_SCALAR || checked == 0)
        return checked;
    text_add(to, "\nstatic const struct %s_expected %s_expected%d[%" PRId64 "] = {", prefix, prefix,
             result, checked);
    for (int64_t i = 0; i < checked; i++) {
        int64_t at = place_of(i, checked, count);
        text_add(to, "%s{%" PRId64 ", ", i % 4 == 0 ? "\n    " : " ",
                 outer_place(writer, result, at));
        c_number(to, tensor_item(tensor, at));
        text_add(to, "},");
    }
    text_add(to, "\n};\n");
    return checked;
}

static void add_comparison(const struct c_writer *writer, struct text *to, int result,
                           int64_t checked)
{
    const struct tensor *tensor = &writer->options->check->results[result];
    int64_t count = shape_volume(&tensor->shape);
    const char *prefix = writer->options->prefix, *name = writer->result[result];

    if (tensor->dtype == DTYPE_SCALAR && checked > 0) {
        text_add(to, "    apart += %s_apart(%s, %s_expected%d, %" PRId64 ", ", prefix, name, prefix,
                 result, checked);
        c_number(to, tolerance_of(tensor));
        text_add(to, ");\n");
        return;
    }
    for (int64_t i = 0; i < checked; i++) {
        int64_t at = place_of(i, checked, count);
        text_add(to, "    apart += %s[%" PRId64 "] != ", name, outer_place(writer, result, at));
        c_integer(to, tensor->dtype == DTYPE_INTEGER ? ((const int64_t *)tensor->data)[at]
                                                     : ((const unsigned char *)tensor->data)[at]);
        text_add(to, ";\n");
    }
}

/* Of run(), which are the parameters. */
static void add_arguments(const struct c_writer *writer, struct text *to)
{
    const struct graph *graph = writer->plan->graph;
    const char *fixed[] = {writer->options->caller_arena ? "memory" : NULL,
                           writer->options->weights == C_WEIGHTS_FILE ? "items" : NULL,
                           writer->keeps ? "state" : NULL};
    const char *comma = "";

    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        if (fixed[i]) {
            text_add(to, "%s%s", comma, fixed[i]);
            comma = ", ";
        }
    for (int i = 0; i < graph->ninput; i++, comma = ", ")
        text_add(to, "%s%s", comma, writer->input[i]);
    for (int i = 0; i < graph->noutput; i++, comma = ", ")
        text_add(to, "%s%s", comma, writer->result[i]);
}

void c_write_check(const struct c_writer *writer, struct text *to)
{
    const struct c_options *o = writer->options;
    const struct graph *graph = writer->plan->graph;
    struct text comparisons = {0};

    for (int i = 0; i < graph->noutput; i++)
        add_comparison(writer, &comparisons, i, add_table(writer, to, i));
    text_add(to, "\n");
    c_prototype(writer, to, "check");
    text_add(to, "\n{\n");
    if (graph->ninput > 0)
        text_add(to, "    uint32_t seed = UINT32_C(%" PRIu32 ");\n", o->check->seed);
    text_add(to, "    int apart = 0;\n\n");
    add_inputs(writer, to);
    if (writer->keeps)
        text_add(to, "    %s_reset(state%s);\n", o->prefix,
                 o->weights == C_WEIGHTS_FILE ? ", items" : "");
    text_add(to, "    if (%s_run(", o->prefix);
    add_arguments(writer, to);
    text_add(to, ") != 0)\n        return -1;\n");
    if (comparisons.size > 0)
        text_add_bytes(to, comparisons.data, comparisons.size);
    text_add(to, "    return apart;\n}\n");
    text_free(&comparisons);
}

void c_declare_check(const struct c_writer *writer, struct text *to)
{
    text_add(
        to,
        "\n/*\n * Does it compute here what it computed where it was written?  Fills the inputs "
        "with numbers of a\n * generator that starts at %" PRIu32
        ", runs, and compares up to %d items of each result with those\n * of the reference: "
        "scalars may be apart by 1e-4 of the largest.  Returns how many are apart\n * by more,"
        " so that 0 is right, or -1 if %s_run() fails.\n */\n",
        writer->options->check->seed, ITEMS, writer->options->prefix);
    c_prototype(writer, to, "check");
    text_add(to, ";\n");
}
