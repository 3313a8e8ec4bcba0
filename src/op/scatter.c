/*
 * scatter.c - scatter_elements and scatter_nd, of the extensions
 *
 * The result is the input, in which each part that the indices name is replaced by an update, or
 * combined with it, in the order of the updates.  Sums and products of scalars are kept in double.
 * Where updates replace parts there is no order: if two of the same part differ, that is an error.
 */
#include "op/check.h"
#include "op/lookup.h"
#include "op/op_build.h"

#include "base/num.h"
#include "base/text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT, INDICES, UPDATES };

/* --- shapes ------------------------------------------------------------------------------- */

static bool fits(struct infer *infer, const struct shape *parts, enum combining how)
{
    infer->out[0] = *infer_in(infer, 0);
    if (how != COMBINING_NONE && infer->call->in[0].value->dtype == DTYPE_LOGICAL)
        return infer_error(infer, "reduction", DIAG_ENUM_VALUE,
                           "'%s' has reduction '%s' of logicals, expected 'none'",
                           infer_name(infer), combining_words[how]);
    return check_shape(infer, UPDATES, parts, false);
}

static bool scatter_elements_infer(struct infer *infer)
{
    const struct scatter_elements_attrs *attrs = infer->attrs;
    struct shape parts;

    return infer_elements(infer, attrs->axis, &parts) && fits(infer, &parts, attrs->combining);
}

static bool scatter_nd_infer(struct infer *infer)
{
    const struct scatter_nd_attrs *attrs = infer->attrs;
    struct shape parts;

    return infer_sections(infer, 0, &parts) && fits(infer, &parts, attrs->combining);
}

/* --- updates ------------------------------------------------------------------------------ */

struct scattering {
    const struct eval *eval;
    struct lookup lookup;
    enum combining how;
    double *sums;           /* of scalars: what the result will be; NULL: it is there already */
    unsigned char *written; /* of each part that updates replace */
};

static void add_item(struct text *to, const struct tensor *tensor, int64_t index)
{
    if (tensor->dtype == DTYPE_INTEGER)
        text_add(to, "%" PRId64, ((const int64_t *)tensor->data)[index]);
    else
        text_add(to, "%.9g", tensor_item(tensor, index));
}

/* The first item in which two updates of a part differ. */
static bool report_clash(const struct scattering *s, int64_t at, int64_t from)
{
    const struct tensor *out = s->eval->out[0], *updates = s->eval->in[UPDATES];
    const size_t size = dtype_size(out->dtype);
    struct shape place = {.rank = out->shape.rank};
    int64_t strides[MAX_RANK];
    struct text text = {0};

    while (memcmp((unsigned char *)out->data + (size_t)at * size,
                  (unsigned char *)updates->data + (size_t)from * size, size) == 0) {
        at++;
        from++;
    }
    shape_strides(&out->shape, strides);
    for (int i = 0; i < place.rank; i++)
        place.extent[i] = at / strides[i] % out->shape.extent[i];
    text_add(&text, "'indices' of '%s' name item %s twice, for the updates ",
             s->eval->node->op->name, SHAPE_TEXT(&place));
    add_item(&text, out, at);
    text_add(&text, " and ");
    add_item(&text, updates, from);
    eval_error(s->eval, DIAG_RUN_CLASH, "%s, expected one of them or equal ones", text.data);
    text_free(&text);
    return false;
}

/* Update number `part`, whose items begin at `from`, replaces the items at `at`. */
static bool replace(const struct scattering *s, int64_t at, int64_t from)
{
    const size_t size = dtype_size(s->eval->out[0]->dtype), bytes = (size_t)s->lookup.size * size;
    unsigned char *to = (unsigned char *)s->eval->out[0]->data + (size_t)at * size;
    const unsigned char *update = (unsigned char *)s->eval->in[2]->data + (size_t)from * size;

    assert(s->written);
    unsigned char *written = &s->written[at / s->lookup.size];
    if (*written && memcmp(to, update, bytes) != 0)
        return report_clash(s, at, from);
    *written = 1;
    memcpy(to, update, bytes);
    return true;
}

static double combined(enum combining how, double x, double y)
{
    switch (how) {
    case COMBINING_ADD:
        return x + y;
    case COMBINING_MUL:
        return x * y;
    case COMBINING_MAX:
        return num_greater(x, y);
    case COMBINING_MIN:
        return num_lesser(x, y);
    case COMBINING_NONE:
        break;
    }
    return y;
}

/* Of 64 bits, at which sums and products wrap. */
static int64_t combined_integer(enum combining how, int64_t x, int64_t y)
{
    switch (how) {
    case COMBINING_ADD:
        return (int64_t)((uint64_t)x + (uint64_t)y);
    case COMBINING_MUL:
        return (int64_t)((uint64_t)x * (uint64_t)y);
    case COMBINING_MAX:
        return num_max(x, y);
    case COMBINING_MIN:
        return num_min(x, y);
    case COMBINING_NONE:
        break;
    }
    return y;
}

static void combine(const struct scattering *s, int64_t at, int64_t from)
{
    const float *update = s->eval->in[2]->data;
    const int64_t *integer = s->eval->in[2]->data;
    int64_t *to = s->eval->out[0]->data;

    for (int64_t i = 0; i < s->lookup.size; i++)
        if (s->sums)
            s->sums[at + i] = combined(s->how, s->sums[at + i], (double)update[from + i]);
        else
            to[at + i] = combined_integer(s->how, to[at + i], integer[from + i]);
}

static bool update_all(const struct scattering *s)
{
    const int64_t rows = shape_volume(&s->lookup.rows);
    int64_t from = 0;

    for (int64_t i = 0; i < rows; i++) {
        struct lookup_row row = lookup_begin(&s->lookup, i);
        for (int64_t k = 0; k < s->lookup.length; k++, from += s->lookup.size) {
            int64_t at = lookup_next(&row);
            if (s->how != COMBINING_NONE)
                combine(s, at, from);
            else if (!replace(s, at, from))
                return false;
        }
    }
    return true;
}

/* --- kernels ------------------------------------------------------------------------------ */

static bool scatter_eval(const struct eval *eval)
{
    struct scattering s = {
        .eval = eval, .lookup = lookup_of(eval), .how = attr_combining(eval->node)};
    struct tensor *out = eval->out[0];
    const int64_t volume = shape_volume(&out->shape);
    const bool replaces = s.how == COMBINING_NONE;
    const bool sums = !replaces && out->dtype == DTYPE_SCALAR;
    float *item = out->data;

    if (!lookup_check(eval, &s.lookup))
        return false;
    memcpy(out->data, eval->in[0]->data, tensor_bytes(out));
    if (volume == 0 || shape_volume(&eval->in[2]->shape) == 0)
        return true;
    s.sums = sums ? malloc((size_t)volume * sizeof *s.sums) : NULL;
    s.written = replaces ? calloc((size_t)(volume / s.lookup.size), 1) : NULL;
    bool ok = (s.sums || !sums) && (s.written || !replaces);
    if (!ok)
        eval_no_memory(eval);
    for (int64_t i = 0; ok && sums && i < volume; i++)
        s.sums[i] = (double)item[i];
    ok = ok && update_all(&s);
    for (int64_t i = 0; ok && sums && i < volume; i++)
        item[i] = (float)s.sums[i];
    free(s.sums);
    free(s.written);
    return ok;
}

DESCRIPTOR(scatter_elements, 0, .kind = "move", .infer = scatter_elements_infer,
           .eval = scatter_eval);

DESCRIPTOR(scatter_nd, 0, .kind = "move", .infer = scatter_nd_infer, .eval = scatter_eval);
