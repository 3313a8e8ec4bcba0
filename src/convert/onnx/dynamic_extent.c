/*
 * dynamic_extent.c - numbers of a model that depend on open extents, computed when it runs
 *
 * A number is known by its value in each sample, to which a form is fitted.  Its nodes stand at the
 * beginning of the model: first Shape of the input, then arithmetic.
 */
#include "convert/onnx/dynamic.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/text.h"
#include "diag/context.h"
#include "tensor/bytes.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* Longest tensor whose items are computed one by one: amounts of Pad. */
enum { MOST_ITEMS = 2 * MAX_RANK };

/*
 * constant + sum of factor[s] * extent of s; or, if `product`, constant * product of the extents of
 * those s whose factor is 1.
 */
struct extent_form {
    bool product;
    int64_t constant;
    int64_t *factor; /* by symbol */
};

/* --- from numbers to forms ----------------------------------------------------------------- */

int64_t sampled_item(const struct sampled_tensor *tensor, int sample, int item)
{
    const void *data = tensor->tensor[sample]->raw_data.data;
    enum { SIZE = sizeof(int64_t) };

    if (tensor->instead && tensor->instead[item] != SAMPLED_AS_IT_IS)
        return tensor->instead[item];
    return (int64_t)bytes_load((const unsigned char *)data + (size_t)item * SIZE, SIZE);
}

bool sampled_item_varies(const struct dynamic *d, const struct sampled_tensor *tensor, int item)
{
    for (int k = 1; k < d->nsample; k++)
        if (sampled_item(tensor, k, item) != sampled_item(tensor, 0, item))
            return true;
    return false;
}

/* The first sample that differs from sample 0 in symbol s alone. */
static int sample_of_symbol(const struct dynamic *d, int s)
{
    for (int k = 1; k < d->nsample; k++) {
        bool alone = d->sample[k].extent[s] != d->sample[0].extent[s];
        for (int t = 0; t < d->nsymbol; t++)
            alone &= t == s || d->sample[k].extent[t] == d->sample[0].extent[t];
        if (alone)
            return k;
    }
    return 0;
}

/* Is the form value[k] at each sample k?  No, if it does not fit an integer. */
static bool fits_all(const struct dynamic *d, const struct extent_form *form, const int64_t *value)
{
    for (int k = 0; k < d->nsample; k++) {
        const int64_t *extent = d->sample[k].extent;
        int64_t made = form->constant, term;
        bool fits = true;
        for (int s = 0; s < d->nsymbol && fits; s++)
            if (form->product && form->factor[s])
                fits = num_mul(made, extent[s], &made);
            else if (form->factor[s])
                fits = num_mul(form->factor[s], extent[s], &term) && num_add(made, term, &made);
        if (!fits || made != value[k])
            return false;
    }
    return true;
}

/* The slope of each symbol shows in the sample that differs in it alone. */
static bool fit_sum(const struct dynamic *d, const int64_t *value, struct extent_form *form)
{
    const struct dynamic_sample *sample = d->sample;

    form->product = false;
    form->constant = value[0];
    for (int s = 0; s < d->nsymbol; s++) {
        int k = sample_of_symbol(d, s);
        int64_t step = sample[k].extent[s] - sample[0].extent[s], rise, part;
        if (step == 0 || !num_sub(value[k], value[0], &rise) || rise % step != 0)
            return false;
        form->factor[s] = rise / step;
        if (!num_mul(form->factor[s], sample[0].extent[s], &part) ||
            !num_sub(form->constant, part, &form->constant))
            return false;
    }
    return fits_all(d, form, value);
}

/* A symbol is a factor if the number changes with it. */
static bool fit_product(const struct dynamic *d, const int64_t *value, struct extent_form *form)
{
    form->product = true;
    form->constant = value[0];
    for (int s = 0; s < d->nsymbol; s++) {
        int64_t extent = d->sample[0].extent[s];
        form->factor[s] = value[sample_of_symbol(d, s)] != value[0];
        if (form->factor[s] && (extent == 0 || form->constant % extent != 0))
            return false;
        if (form->factor[s])
            form->constant /= extent;
    }
    return fits_all(d, form, value);
}

static struct extent_form form_new(const struct dynamic *d)
{
    return (struct extent_form){.factor = arena_array_of(d->context->arena, int64_t, d->nsymbol)};
}

/* The form that an item has; false if it has none. */
static bool fit_item(const struct dynamic *d, const struct sampled_tensor *tensor, int item,
                     struct extent_form *form)
{
    int64_t *value = arena_array_of(d->context->arena, int64_t, d->nsample);

    *form = form_new(d);
    for (int k = 0; k < d->nsample; k++)
        value[k] = sampled_item(tensor, k, item);
    return fit_sum(d, value, form) || fit_product(d, value, form);
}

bool sampled_item_has_form(const struct dynamic *d, const struct sampled_tensor *tensor, int item)
{
    struct extent_form form;

    return fit_item(d, tensor, item, &form);
}

bool dynamic_is_sum(const struct dynamic *d, const int64_t *value)
{
    struct extent_form form = form_new(d);

    return fit_sum(d, value, &form);
}

/* --- what they are called ------------------------------------------------------------------ */

/* A symbol in the text of a form: its name, or its number if the name might be read as a form. */
static const char *label_of(const struct dynamic *d, int s)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_.0123456789";
    const char *name = d->symbol[s].name;
    bool plain = !name[strspn(name, letters)] && *name && !(*name >= '0' && *name <= '9');

    return plain ? name : text_format(d->context->arena, "{%d}", s);
}

/* A factor of 1 is not written. */
static void add_times(struct text *text, int64_t factor, const char *name)
{
    if (factor == -1)
        text_add(text, "-%s", name);
    else if (factor == 1)
        text_add(text, "%s", name);
    else
        text_add(text, "%" PRId64 "*%s", factor, name);
}

/* "2*batch+1", "batch*width": also the name of the tensor that holds it. */
static void form_text(const struct dynamic *d, const struct extent_form *form, struct text *text)
{
    size_t before = text->size;

    if (form->product && form->constant != 1)
        text_add(text, "%" PRId64, form->constant);
    for (int s = 0; s < d->nsymbol; s++) {
        const char *sign = form->product ? "*" : form->factor[s] > 0 ? "+" : "";
        if (form->factor[s] == 0)
            continue;
        text_add(text, "%s", text->size > before ? sign : "");
        add_times(text, form->factor[s], label_of(d, s));
    }
    if (!form->product && form->constant != 0)
        text_add(text, "%s%" PRId64, form->constant > 0 ? "+" : "", form->constant);
}

/* --- nodes ----------------------------------------------------------------------------------- */

/* A node of one output, called after what it computes, unless that was computed before. */
static const char *compute(struct dynamic *d, const char *what, const char *type,
                           const char *const *in, int count)
{
    const char *key = onnx_out_key(d->out, what), *known = map_get(&d->names, key);
    struct arena *arena = d->context->arena;
    struct onnx_node_list before = d->out->to->node;

    if (known)
        return known;
    d->out->to->node = d->nodes;
    struct onnx_node *node = onnx_out_node(d->out, type);
    d->nodes = d->out->to->node;
    d->out->to->node = before;
    for (int i = 0; i < count; i++)
        onnx_text_add(arena, &node->input, in[i]);
    if (strcmp(type, "Concat") == 0)
        onnx_node_int(arena, node, "axis", 0);
    node->name = onnx_out_unique(d->out, what);
    onnx_text_add(arena, &node->output, node->name);
    map_set(&d->names, key, node->name);
    return node->name;
}

/* The same; frees `what`. */
static const char *compute_text(struct dynamic *d, struct text *what, const char *type,
                                const char *const *in, int count)
{
    const char *name = compute(d, what->data, type, in, count);

    text_free(what);
    return name;
}

/* The extent of a symbol, as a vector of one item. */
static const char *symbol_tensor(struct dynamic *d, int s)
{
    const struct onnx_symbol *symbol = &d->symbol[s];
    const int64_t axis = symbol->axis;
    const char *shape = onnx_out_text(d->out, "%s/Shape", symbol->input);
    const char *all = compute(d, shape, "Shape", &symbol->input, 1);
    const char *in[] = {all, onnx_out_vector(d->out, &axis, 1)};
    return compute(d, label_of(d, s), "Gather", in, 2);
}

/* What `part` is, of two operands that are known. */
static const char *combine(struct dynamic *d, const struct extent_form *part, const char *a,
                           const char *b)
{
    const char *in[] = {a, b};
    struct text what = {0};

    form_text(d, part, &what);
    return compute_text(d, &what, part->product ? "Mul" : "Add", in, 2);
}

/* As a vector of one item; at least one symbol is in it. */
static const char *form_tensor(struct dynamic *d, const struct extent_form *form)
{
    int nsymbol = d->nsymbol;
    int64_t *factor = arena_array_of(d->context->arena, int64_t, nsymbol);
    struct extent_form part = {form->product, form->product ? form->constant : 0, factor};
    bool scaled = form->product && form->constant != 1;
    const char *name = scaled ? onnx_out_vector(d->out, &form->constant, 1) : NULL;

    for (int s = 0; s < nsymbol; s++) {
        if (form->factor[s] == 0)
            continue;
        factor[s] = form->factor[s];
        const char *term = symbol_tensor(d, s);
        if (factor[s] != 1) { /* of a product it is 1 */
            const char *in[] = {term, onnx_out_vector(d->out, &factor[s], 1)};
            struct text what = {0};
            add_times(&what, factor[s], label_of(d, s));
            term = compute_text(d, &what, "Mul", in, 2);
        }
        name = name ? combine(d, &part, name, term) : term;
    }
    assert(name);
    if (form->product || form->constant == 0)
        return name;
    part.constant = form->constant;
    return combine(d, &part, name, onnx_out_vector(d->out, &form->constant, 1));
}

/* --- tensors ------------------------------------------------------------------------------- */

/* Items in a row that are the same in all samples are one literal; each other item is a form. */
struct vector_pieces {
    const char *name[MOST_ITEMS];
    int count;
    int64_t fixed[MOST_ITEMS];
    int nfixed;
    struct text what; /* "[1,batch,7]" */
};

static void end_literal(const struct dynamic *d, struct vector_pieces *pieces)
{
    assert(pieces->count < MOST_ITEMS || pieces->nfixed == 0);
    if (pieces->nfixed > 0)
        pieces->name[pieces->count++] = onnx_out_vector(d->out, pieces->fixed, pieces->nfixed);
    pieces->nfixed = 0;
}

/* False if no form fits the item. */
static bool add_item(struct dynamic *d, const struct sampled_tensor *tensor, int item,
                     struct vector_pieces *pieces)
{
    struct extent_form form;

    text_add(&pieces->what, item > 0 ? "," : "[");
    if (!sampled_item_varies(d, tensor, item)) {
        pieces->fixed[pieces->nfixed++] = sampled_item(tensor, 0, item);
        text_add(&pieces->what, "%" PRId64, sampled_item(tensor, 0, item));
        return true;
    }
    if (!fit_item(d, tensor, item, &form))
        return false;
    end_literal(d, pieces);
    pieces->name[pieces->count++] = form_tensor(d, &form);
    form_text(d, &form, &pieces->what);
    return true;
}

/* Rank 1 out of its pieces, rank 0 out of one. */
static const char *join(struct dynamic *d, int rank, struct vector_pieces *pieces)
{
    static const int64_t axis[] = {0};
    const char *in[] = {pieces->name[0], NULL};

    if (rank == 0) {
        text_add(&pieces->what, "/Squeeze");
        in[1] = onnx_out_vector(d->out, axis, 1);
        return compute_text(d, &pieces->what, "Squeeze", in, 2);
    }
    if (pieces->count == 1)
        return pieces->name[0];
    return compute(d, pieces->what.data, "Concat", pieces->name, pieces->count);
}

/* Amounts of Pad are the longest tensors of this kind. */
const char *dynamic_tensor(struct dynamic *d, const struct sampled_tensor *tensor)
{
    const struct onnx_tensor *first = tensor->tensor[0];
    struct vector_pieces pieces = {.count = 0};
    const char *name = NULL;
    bool ok =
        first->data_type == ONNX_INT64 && first->dims.count <= 1 && tensor->count <= MOST_ITEMS;

    for (int i = 0; ok && i < tensor->count; i++)
        ok = add_item(d, tensor, i, &pieces);
    if (ok) {
        end_literal(d, &pieces);
        text_add(&pieces.what, "]");
        name = join(d, first->dims.count, &pieces);
    }
    text_free(&pieces.what);
    return name;
}
