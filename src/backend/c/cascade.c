/*
 * cascade.c - convolutions one after the other, a band of rows at a time, by text/cascade.h
 *
 * What is between two of them is a ring of rows in memory that the step alone has.  A step that is
 * to be quick is a cascade where the portable backend has one; one that is to be small wherever
 * that saves memory, with bands of one row.
 */
#include "backend/c/c.h"

#include "backend/c/image_layer.h"
#include "backend/portable/conv.h"
#include "backend/portable/portable.h"
#include "base/arena.h"
#include "exec/cascade.h"
#include "exec/planner.h"
#include "op/convolve.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

struct cascade_print {
    struct cascade cascade; /* bands and rings */
    struct c_image_layer layer[CASCADE_STAGES];
    int residual[CASCADE_STAGES]; /* the operand that a stage adds to its sums; STEP_NONE */
};

/* --- matching -------------------------------------------------------------------------------- */

static bool match_stages(const struct planner *planner, struct cascade_match *chain)
{
    for (int i = 0; i < chain->count; i++) {
        struct conv_match *r = &chain->conv[i];
        if (!match_conv(planner, &chain->part[i], r) || !c_image_fits(&r->conv) ||
            !epilogue_is_clamp(&r->conv.epilogue))
            return false;
    }
    return true;
}

static void set_stages(const struct planner *planner, const struct cascade_match *chain, int count,
                       struct cascade *c)
{
    c->count = count;
    for (int i = 0; i < count; i++)
        c->stage[i] = (struct cascade_stage){.conv = chain->conv[i].conv};
    cascade_fill(c, planner->options->memory == PLAN_FOR_TIME ? CASCADE_BAND : 0);
}

static size_t result_bytes(const struct cascade_match *chain, int stage)
{
    return (size_t)shape_volume(group_result(&chain->part[stage])->shape) * sizeof(float);
}

/* Does it save memory that the last stage joins?  Ahead: is its ring smaller than what it takes the
 * place of?  Else: does less suffice than if it is a step behind the others? */
static bool saves(const struct planner *planner, const struct cascade_match *chain,
                  const struct cascade *with)
{
    const struct value *source = chain->part[0].nodes[0]->in[CONV_INPUT].value;
    size_t in = source->kind == VALUE_RESULT ? plan_size(planner, source) : 0;
    size_t between = result_bytes(chain, chain->count - 2);
    size_t out = result_bytes(chain, chain->count - 1);
    struct cascade without = {.count = 0};

    if (chain->count > 2)
        set_stages(planner, chain, chain->count - 1, &without);
    if (planner->options->memory == PLAN_SAVING_AHEAD)
        return with->member < without.member + between;
    size_t before = in + without.member;
    return in + with->member + out < between + (before > out ? before : out);
}

unsigned c_cascade_match(const struct planner *planner, const struct group *group, void *match)
{
    struct cascade_match *chain = match;
    struct cascade c;

    if (!cascade_split(group, chain) || !match_stages(planner, chain))
        return 0;
    set_stages(planner, chain, chain->count, &c);
    bool pays = planner->options->memory == PLAN_FOR_TIME ? cascade_pays(planner, chain, &c)
                                                          : saves(planner, chain, &c);
    return pays ? IN_CHANNELS_LAST : 0;
}

/* --- printing -------------------------------------------------------------------------------- */

/* The images of stage 0 or of the last one, or a residual, at image n. */
static void add_image(struct text *to, const char *kind, int index, int64_t image, int64_t batch)
{
    text_add(to, "%s%d", kind, index);
    if (batch > 1)
        text_add(to, " + n * %" PRId64, image);
}

/* "first1" and "end1" are the rows that stage 1 is to have. */
static void print_wanted(struct c_writer *writer, const struct cascade *c)
{
    int last = c->count - 1;

    c_code(writer, "const int end%d = @_least(first%d + %" PRId64 ", %" PRId64 ");\n", last, last,
           c->band, c->stage[last].conv.out.y);
    for (int i = last - 1; i >= 0; i--)
        c_code(writer,
               "const int first%d = @_first_read(&stage%d, first%d);\n"
               "const int end%d = @_end_read(&stage%d, end%d);\n",
               i, i + 1, i + 1, i, i + 1, i + 1);
    c_code(writer, "\n");
}

static void print_stage(struct c_writer *writer, const struct cascade_print *p, int i,
                        const struct c_image_names *names)
{
    static const char *const kinds[] = {
        [LAYER_CONV] = "CONV", [LAYER_DEPTHWISE] = "DEPTHWISE", [LAYER_POINTWISE] = "POINTWISE"};
    const struct cascade *c = &p->cascade;
    const struct conv *conv = &c->stage[i].conv;
    bool is_last = i == c->count - 1;
    struct text from = {0}, residual = {0}, to = {0};

    if (i == 0)
        add_image(&from, "in", 0, conv->src.image, conv->batch);
    else
        text_add(&from, "ring%d", i - 1);
    if (p->residual[i] == STEP_NONE)
        text_add(&residual, "NULL");
    else
        add_image(&residual, "in", p->residual[i], conv->dst.image, conv->batch);
    if (is_last)
        add_image(&to, "out", 0, conv->dst.image, conv->batch);
    else
        text_add(&to, "ring%d", i);
    c_code(writer, "@_band(@@%s, &stage%d, %s, %s, %s, %s, %s, %" PRId64 ", ",
           kinds[p->layer[i].kind], i, from.data, names->weights, names->bias, residual.data,
           to.data, is_last ? 0 : c->rows[i]);
    if (is_last)
        c_code(writer, "first%d, end%d);\n", i, i);
    else
        c_code(writer, "@_most(first%d, done%d), end%d);\ndone%d = @_most(done%d, end%d);\n", i, i,
               i, i, i, i);
    text_free(&from);
    text_free(&residual);
    text_free(&to);
}

static void print_cascade(struct c_writer *writer, const struct step *step)
{
    const struct cascade_print *p = step->state;
    const struct cascade *c = &p->cascade;
    const struct conv *last = &c->stage[c->count - 1].conv;
    struct c_image_names names[CASCADE_STAGES];

    c_needs(writer, C_TEXT_cascade);
    for (int i = 0; i < c->count; i++) {
        char name[24];
        snprintf(name, sizeof name, "stage%d", i);
        names[i] = c_image_layer_print(writer, &p->layer[i], name, i > 0 ? c->rows[i - 1] : 0);
    }
    for (int i = 0; i + 1 < c->count; i++)
        c_code(writer, "float *const ring%d = scratch + %zu;\n", i, c->at[i] / sizeof(float));
    c_code(writer, "\n");
    if (last->batch > 1)
        c_code(writer, "for (int n = 0; n < %" PRId64 "; n++) {\n", last->batch);
    c_code(writer, "int done0 = 0");
    for (int i = 1; i + 1 < c->count; i++)
        c_code(writer, ", done%d = 0", i);
    c_code(writer, ";\n\nfor (int first%d = 0; first%d < %" PRId64 "; first%d += %" PRId64 ") {\n",
           c->count - 1, c->count - 1, last->out.y, c->count - 1, c->band);
    print_wanted(writer, c);
    for (int i = 0; i < c->count; i++)
        print_stage(writer, p, i, &names[i]);
    c_code(writer, last->batch > 1 ? "}\n}\n" : "}\n");
}

static const struct c_kernel cascade = C_KERNEL("cascade", print_cascade);

/* May the result overwrite the image that the first stage reads, and the last one adds?  What it
 * reads later lies behind the rows that are written. */
static bool stays_ahead(const struct cascade_match *chain)
{
    int64_t ahead = -chain->conv[0].conv.before.y;

    for (int i = 0; i < chain->count; i++) {
        const struct conv *c = &chain->conv[i].conv;
        if (c->stride.y != 1)
            return false;
        if (i > 0)
            ahead += (c->kernel.y - 1) * c->dilation.y - c->before.y;
    }
    return ahead >= 0;
}

/* --- making ---------------------------------------------------------------------------------- */

bool c_cascade_make(struct planner *planner, const struct group *group, struct step *step)
{
    struct cascade_print *p = arena_new_of(planner->plan->arena, struct cascade_print);
    const struct cascade_match *chain = group->match;

    assert(chain->count > 1 && chain->count <= CASCADE_STAGES);
    *p = (struct cascade_print){.cascade.count = 0};
    set_stages(planner, chain, chain->count, &p->cascade);
    step->kernel = &cascade.kernel;
    step->state = p;
    step->scratch = p->cascade.member;
    for (int i = 0; i < chain->count; i++) {
        p->layer[i].clamps = chain->conv[i].conv.epilogue.activation != ACTIVATION_NONE;
        if (!c_image_layer_make(planner, &chain->conv[i], &p->layer[i]))
            return false;
    }
    const struct value *source = group->nodes[0]->in[CONV_INPUT].value;
    if (!plan_read(planner, step, source, step->layout))
        return false;
    for (int i = 0; i < chain->count; i++) {
        const struct value *residual = chain->conv[i].fused.residual;
        bool is_source = residual == source && i == chain->count - 1 && stays_ahead(chain);
        p->residual[i] = is_source ? 0 : residual ? step->nin : STEP_NONE;
        if (residual && !is_source && !plan_read(planner, step, residual, step->layout))
            return false;
    }
    /* The last results may overwrite the tensor that is added to them. */
    step->reused = p->residual[chain->count - 1];
    return plan_write(planner, step, group_result(group));
}
