/* extent.c - numbers that depend on open extents; see extent.h */
#include "convert/onnx/extent.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/num.h"
#include "base/text.h"
#include "diag/context.h"

#include <inttypes.h>
#include <string.h>

/* Longest tensor whose items are computed one by one: amounts of Pad. */
enum { MOST_ITEMS = 2 * MAX_RANK };

/* constant + sum of factor[s] * extent of s; or, if `product`, constant * product of those s whose
 * factor is 1. */
struct form {
    bool product;
    int64_t constant;
    int64_t *factor; /* by symbol */
};

/* --- from numbers to forms ----------------------------------------------------------------- */

int64_t sample_item(const struct samples_of *tensors, int sample, int item)
{
    const char *data = tensors->tensor[sample]->raw_data.data;
    int64_t value;

    memcpy(&value, data + (size_t)item * sizeof value, sizeof value);
    return value;
}

bool sample_varies(const struct extents *extents, const struct samples_of *tensors, int item)
{
    for (int k = 1; k < extents->dynamic->nsample; k++)
        if (sample_item(tensors, k, item) != sample_item(tensors, 0, item))
            return true;
    return false;
}

/* The first sample that differs from sample 0 in symbol s alone. */
static int sample_of_symbol(const struct onnx_dynamic *dynamic, int s)
{
    for (int k = 1; k < dynamic->nsample; k++) {
        bool alone = dynamic->sample[k].extent[s] != dynamic->sample[0].extent[s];
        for (int t = 0; t < dynamic->nsymbol; t++)
            alone &= t == s || dynamic->sample[k].extent[t] == dynamic->sample[0].extent[t];
        if (alone)
            return k;
    }
    return 0;
}

/* What the form is at a sample; false if that does not fit an integer. */
static bool form_at(const struct extents *extents, const struct form *form, int sample,
                    int64_t *value)
{
    const int64_t *extent = extents->dynamic->sample[sample].extent;

    *value = form->constant;
    for (int s = 0; s < extents->dynamic->nsymbol; s++) {
        int64_t term;
        if (form->factor[s] == 0)
            continue;
        bool fits = form->product ? num_mul(*value, extent[s], value)
                                  : num_mul(form->factor[s], extent[s], &term) &&
                                        num_add(*value, term, value);
        if (!fits)
            return false;
    }
    return true;
}

static bool fits_all(const struct extents *extents, const struct form *form, const int64_t *value)
{
    int64_t made;

    for (int k = 0; k < extents->dynamic->nsample; k++)
        if (!form_at(extents, form, k, &made) || made != value[k])
            return false;
    return true;
}

static bool fit_sum(const struct extents *extents, const int64_t *value, struct form *form)
{
    const struct onnx_sample *sample = extents->dynamic->sample;

    form->product = false;
    form->constant = value[0];
    for (int s = 0; s < extents->dynamic->nsymbol; s++) {
        int k = sample_of_symbol(extents->dynamic, s);
        int64_t step = sample[k].extent[s] - sample[0].extent[s], rise, part;
        if (step == 0 || !num_sub(value[k], value[0], &rise) || rise % step != 0)
            return false;
        form->factor[s] = rise / step;
        if (!num_mul(form->factor[s], sample[0].extent[s], &part) ||
            !num_sub(form->constant, part, &form->constant))
            return false;
    }
    return fits_all(extents, form, value);
}

static bool fit_product(const struct extents *extents, const int64_t *value, struct form *form)
{
    const struct onnx_dynamic *dynamic = extents->dynamic;

    form->product = true;
    form->constant = value[0];
    for (int s = 0; s < dynamic->nsymbol; s++) {
        int64_t extent = dynamic->sample[0].extent[s];
        form->factor[s] = value[sample_of_symbol(dynamic, s)] != value[0];
        if (form->factor[s] && (extent == 0 || form->constant % extent != 0))
            return false;
        if (form->factor[s])
            form->constant /= extent;
    }
    return fits_all(extents, form, value);
}

static struct form form_new(const struct extents *extents)
{
    return (struct form){
        .factor = arena_array_of(extents->out->context->arena, int64_t, extents->dynamic->nsymbol)};
}

bool extents_is_sum(const struct extents *extents, const int64_t *value)
{
    struct form form = form_new(extents);

    return fit_sum(extents, value, &form);
}

/* --- what they are called ------------------------------------------------------------------ */

static void add_times(struct text *text, int64_t factor, const char *name)
{
    if (factor == -1)
        text_add(text, "-%s", name);
    else if (factor == 1)
        text_add(text, "%s", name);
    else
        text_add(text, "%" PRId64 "*%s", factor, name);
}

static void form_text(const struct extents *extents, const struct form *form, struct text *text)
{
    const struct onnx_symbol *symbol = extents->dynamic->symbol;
    size_t before = text->size;

    if (form->product && form->constant != 1)
        text_add(text, "%" PRId64, form->constant);
    for (int s = 0; s < extents->dynamic->nsymbol; s++) {
        const char *sign = form->product ? "*" : form->factor[s] > 0 ? "+" : "";
        if (form->factor[s] == 0)
            continue;
        text_add(text, "%s", text->size > before ? sign : "");
        add_times(text, form->factor[s], symbol[s].name);
    }
    if (!form->product && form->constant != 0)
        text_add(text, "%s%" PRId64, form->constant > 0 ? "+" : "", form->constant);
}

/* --- nodes ----------------------------------------------------------------------------------- */

static const char *kept_name(const struct extents *extents, const char *text)
{
    return intern(extents->out->context->names, text, strlen(text));
}

static const char *known(const struct extents *extents, const char *text)
{
    return map_get(&extents->names, kept_name(extents, text));
}

static const char *vector(const struct extents *extents, const int64_t *items, int count)
{
    const struct shape shape = {.rank = 1, .extent = {count}};

    return onnx_out_literal(extents->out, DTYPE_INTEGER, &shape, items);
}

/* A node of one output, called after what it computes. */
static const char *compute(struct extents *extents, const char *what, const char *type,
                           const char *const *in, int count)
{
    struct arena *arena = extents->out->context->arena;
    struct onnx_node_list before = extents->out->to->node;

    extents->out->to->node = extents->nodes;
    struct onnx_node *node = onnx_out_node(extents->out, type);
    extents->nodes = extents->out->to->node;
    extents->out->to->node = before;
    for (int i = 0; i < count; i++)
        onnx_node_input(arena, node, in[i]);
    node->name = onnx_out_unique(extents->out, what);
    onnx_node_output(arena, node, node->name);
    map_set(&extents->names, kept_name(extents, what), node->name);
    return node->name;
}

static const char *compute_text(struct extents *extents, struct text *what, const char *type,
                                const char *const *in, int count)
{
    const char *name = known(extents, what->data);

    if (!name)
        name = compute(extents, what->data, type, in, count);
    text_free(what);
    return name;
}

/* The extent of a symbol, as a vector of one item. */
static const char *symbol_tensor(struct extents *extents, int s)
{
    const struct onnx_symbol *symbol = &extents->dynamic->symbol[s];
    const int64_t axis = symbol->axis;
    struct text shape = {0};

    if (known(extents, symbol->name))
        return known(extents, symbol->name);
    text_add(&shape, "%s/Shape", symbol->input);
    const char *all = compute_text(extents, &shape, "Shape", &symbol->input, 1);
    const char *in[] = {all, vector(extents, &axis, 1)};
    return compute(extents, symbol->name, "Gather", in, 2);
}

static const char *times(struct extents *extents, int s, int64_t factor)
{
    const char *in[] = {symbol_tensor(extents, s),
                        factor == 1 ? NULL : vector(extents, &factor, 1)};
    struct text what = {0};

    if (factor == 1)
        return in[0];
    add_times(&what, factor, extents->dynamic->symbol[s].name);
    return compute_text(extents, &what, "Mul", in, 2);
}

/* What `part` is, of two operands that are known. */
static const char *combine(struct extents *extents, const struct form *part, const char *a,
                           const char *b)
{
    const char *in[] = {a, b};
    struct text what = {0};

    form_text(extents, part, &what);
    return compute_text(extents, &what, part->product ? "Mul" : "Add", in, 2);
}

/* As a vector of one item; at least one symbol is in it. */
static const char *form_tensor(struct extents *extents, const struct form *form)
{
    int nsymbol = extents->dynamic->nsymbol;
    int64_t *factor = arena_array_of(extents->out->context->arena, int64_t, nsymbol);
    struct form part = {form->product, form->product ? form->constant : 0, factor};
    bool scaled = form->product && form->constant != 1;
    const char *name = scaled ? vector(extents, &form->constant, 1) : NULL;

    for (int s = 0; s < nsymbol; s++) {
        if (form->factor[s] == 0)
            continue;
        factor[s] = form->factor[s];
        const char *term = form->product ? symbol_tensor(extents, s) : times(extents, s, factor[s]);
        name = name ? combine(extents, &part, name, term) : term;
    }
    if (form->product || form->constant == 0)
        return name;
    part.constant = form->constant;
    return combine(extents, &part, name, vector(extents, &form->constant, 1));
}

/* --- tensors ------------------------------------------------------------------------------- */

/* Items in a row that are the same in all samples are one literal; of others, forms are added. */
struct pieces {
    const char *name[MOST_ITEMS];
    int count;
    int64_t fixed[MOST_ITEMS];
    int nfixed;
    struct text what; /* "[1,batch,7]" */
};

static void end_literal(const struct extents *extents, struct pieces *pieces)
{
    if (pieces->nfixed > 0)
        pieces->name[pieces->count++] = vector(extents, pieces->fixed, pieces->nfixed);
    pieces->nfixed = 0;
}

static bool add_item(struct extents *extents, const struct samples_of *tensors, int item,
                     struct pieces *pieces)
{
    int count = extents->dynamic->nsample;
    int64_t *value = arena_array_of(extents->out->context->arena, int64_t, count);
    struct form form = form_new(extents);

    for (int k = 0; k < count; k++)
        value[k] = sample_item(tensors, k, item);
    text_add(&pieces->what, item > 0 ? "," : "[");
    if (!sample_varies(extents, tensors, item)) {
        pieces->fixed[pieces->nfixed++] = value[0];
        text_add(&pieces->what, "%" PRId64, value[0]);
        return true;
    }
    if (!fit_sum(extents, value, &form) && !fit_product(extents, value, &form))
        return false;
    end_literal(extents, pieces);
    pieces->name[pieces->count++] = form_tensor(extents, &form);
    form_text(extents, &form, &pieces->what);
    return true;
}

/* Rank 1 out of its pieces, rank 0 out of one. */
static const char *join(struct extents *extents, int rank, struct pieces *pieces)
{
    static const int64_t axis[] = {0};
    const char *in[] = {pieces->name[0], NULL};
    const char *name;

    if (rank == 0) {
        text_add(&pieces->what, "/Squeeze");
        in[1] = vector(extents, axis, 1);
        return compute_text(extents, &pieces->what, "Squeeze", in, 2);
    }
    if (pieces->count == 1)
        return pieces->name[0];
    name = known(extents, pieces->what.data);
    if (name)
        return name;
    name = compute(extents, pieces->what.data, "Concat", pieces->name, pieces->count);
    onnx_node_int(extents->out->context->arena, extents->nodes.last, "axis", 0);
    return name;
}

const char *extents_tensor(struct extents *extents, const struct samples_of *tensors)
{
    const struct onnx_tensor *first = tensors->tensor[0];
    struct pieces pieces = {.count = 0};
    const char *name = NULL;
    bool ok =
        first->data_type == ONNX_INT64 && first->dims.count <= 1 && tensors->count <= MOST_ITEMS;

    for (int i = 0; ok && i < tensors->count; i++)
        ok = add_item(extents, tensors, i, &pieces);
    if (ok) {
        end_literal(extents, &pieces);
        text_add(&pieces.what, "]");
        name = join(extents, first->dims.count, &pieces);
    }
    text_free(&pieces.what);
    return name;
}
