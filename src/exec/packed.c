/* packed.c - see packed.h */
#include "exec/packed.h"

#include "base/arena.h"
#include "base/text.h"
#include "diag/context.h"
#include "exec/planner.h"
#include "ir/graph.h"
#include "kernel/kernels.h"
#include "tensor/bytes.h"
#include "tensor/shared.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* --- weights in a file ------------------------------------------------------------------------ */

/* Blocks hold numbers as this machine has them: the variant of the kernels, and the byte order. */
static const char *kind_of_blocks(struct text *text)
{
    text_add(text, "%s%s", kernels_variant(0)->name, bytes_are_native() ? "" : ", big-endian");
    return text->data;
}

struct packed_list packed_nothing(struct arena *arena)
{
    struct text text = {0};

    kind_of_blocks(&text);
    return (struct packed_list){.blocks = {.maker = PACKED_BY, .kind = text_keep(&text, arena)},
                                .arena = arena};
}

bool packed_fits(const struct tensor_blocks *blocks)
{
    struct text text = {0};
    bool same =
        strcmp(blocks->maker, PACKED_BY) == 0 && strcmp(blocks->kind, kind_of_blocks(&text)) == 0;

    text_free(&text);
    return same;
}

/* Plans are alike, so that a block is mostly found right behind the one before. */
static const struct tensor_block *find_block(const struct tensor_blocks *blocks, int from,
                                             const char *key, const void *source)
{
    for (int i = 0; i < blocks->count; i++) {
        const struct tensor_block *block = &blocks->block[(from + i) % blocks->count];
        if (block->source == source && strcmp(block->key, key) == 0)
            return block;
    }
    return NULL;
}

/* Add a block to the list, unless it is there. */
static void note_packed(struct packed_list *list, const struct tensor_block *block)
{
    struct tensor_blocks *blocks = &list->blocks;

    if (find_block(blocks, 0, block->key, block->source))
        return;
    blocks->block = arena_list(list->arena, blocks->block, blocks->count, sizeof *blocks->block);
    blocks->block[blocks->count] = *block;
    blocks->block[blocks->count++].key = arena_strndup(list->arena, block->key, strlen(block->key));
}

/* All that packing goes by, besides the kernel and the items: see struct conv_kernel.  A file may
 * have these in another form, which comes to the same. */
enum { CHANNELS = 3, PLANES = 4, STEPS = 5 };

struct packing_key {
    int64_t number[CHANNELS + 2 * PLANES + STEPS];
    int count, steps; /* steps: where they begin */
};

static struct packing_key key_of(const struct weight_packing *packing)
{
    const struct conv *c = packing->conv;
    const struct filter *f = &packing->filter;
    const struct plane plane[PLANES] = {c->kernel, c->stride, c->dilation, c->before};
    const int64_t channels[CHANNELS] = {c->groups, c->in_channels, c->out_channels};
    const int64_t steps[STEPS] = {f->out, f->in, f->y, f->x, f->group};
    const int planes = packing->kernel->packs_phases ? PLANES : 1;
    struct packing_key key = {.count = 0};

    for (int i = 0; i < CHANNELS; i++)
        key.number[key.count++] = channels[i];
    for (int i = 0; i < planes; i++) {
        key.number[key.count++] = plane[i].y;
        key.number[key.count++] = plane[i].x;
    }
    key.steps = key.count;
    for (int i = 0; i < STEPS; i++)
        key.number[key.count++] = steps[i];
    return key;
}

/* Zeros of a filter of integers, which packing goes by, too: one for all, or one for each channel.
 */
static int64_t zeros_of(const struct weight_packing *packing)
{
    const struct filter *f = &packing->filter;

    return !f->zero ? 0 : f->zero_step ? packing->conv->out_channels : 1;
}

/* As it stands in a file. */
static void add_key(struct text *text, const struct weight_packing *packing,
                    const struct packing_key *key)
{
    text_add(text, "%s:", packing->kernel->name);
    for (int i = 0; i < key->count; i++) {
        bool second = i >= CHANNELS && i < key->steps && (i - CHANNELS) % 2 == 1;
        text_add(text, "%c%" PRId64, second ? 'x' : ' ', key->number[i]);
    }
    for (int64_t i = 0; i < zeros_of(packing); i++)
        text_add(text, " %" PRId64, packing->filter.zero[i]);
}

/* Pack to memory of the plan; NULL after a report. */
static const float *pack(struct planner *planner, const struct weight_packing *packing, size_t size)
{
    float *packed = plan_memory(planner, size);

    if (packed && planner->options->pack_into) /* padding goes to the file, too */
        memset(packed, 0, size);
    if (packed)
        packing->kernel->pack(packing->conv, &packing->filter, packed, plan_team(planner, size));
    return packed;
}

/* Pack to memory that the plans of other graphs of the model have, too, unless one of them has done
 * so before: then *made is false.  NULL: the weights are of this graph alone. */
static const float *share_packed(struct planner *planner, const struct weight_packing *packing,
                                 const struct packing_key *by, size_t size, bool *made)
{
    const struct tensor *weights = plan_constant(planner, packing->weights);

    if (!weights || size == 0)
        return NULL;
    struct shared_key key = shared_key(planner->graph->context->shared, packing->kernel->name);
    shared_key_add(&key, by->number, (size_t)by->count * sizeof *by->number);
    shared_key_add(&key, packing->filter.zero, (size_t)zeros_of(packing) * sizeof(int64_t));
    shared_key_tensor(&key, weights);
    shared_key_number(&key,
                      (const char *)packing->filter.items - (const char *)tensor_place(weights));
    float *packed = plan_share(&key, size, made);
    if (*made)
        packing->kernel->pack(packing->conv, &packing->filter, packed, plan_team(planner, size));
    return packed;
}

static const float *make_packed(struct planner *planner, const struct weight_packing *packing,
                                const struct packing_key *by, const char *key, size_t size)
{
    struct packed_list *list = planner->options->pack_into;
    bool made = false;
    const float *packed = list ? NULL : share_packed(planner, packing, by, size, &made);

    if (packed && !made)
        return packed; /* nothing was read of the constant */
    packed = packed ? packed : pack(planner, packing, size);
    if (!packed)
        return NULL;
    /* If nobody else reads the constant, its memory is given back once the step is made. */
    if (planner->npacked < PACKED)
        planner->packed[planner->npacked++] = packing->weights;
    if (list && size > 0)
        note_packed(list, &(struct tensor_block){key, packing->filter.items, packed, size});
    return packed;
}

enum filter_form filter_form_of(const struct tensor *integers)
{
    if (!integers->bytes)
        return FILTER_WIDE;
    if (integers->are_nibbles)
        return integers->bytes_are_signed ? FILTER_SIGNED_NIBBLES : FILTER_UNSIGNED_NIBBLES;
    return integers->bytes_are_signed ? FILTER_SIGNED : FILTER_UNSIGNED;
}

const float *packed_weights(struct planner *planner, const struct weight_packing *packing)
{
    const float *items = packing->filter.items;
    const struct tensor_blocks *blocks = planner->options->packed;
    size_t size = packing->kernel->packed_size(packing->conv);
    const struct packing_key by = key_of(packing);
    struct text key = {0};

    assert(packing->kernel->fits(packing->conv));
    planner->plan->packings++;
    if (blocks || planner->options->pack_into)
        add_key(&key, packing, &by);

    /* A file is not trusted, and the system decides where its bytes lie. */
    const struct tensor_block *found =
        blocks && packed_fits(blocks) ? find_block(blocks, planner->plan->taken, key.data, items)
                                      : NULL;
    bool usable = found && found->size == size && (uintptr_t)found->items % KERNEL_ALIGNMENT == 0;
    planner->plan->taken += usable;
    const float *packed =
        usable ? found->items : make_packed(planner, packing, &by, key.data, size);
    text_free(&key);
    return packed;
}

/* --- giving back the memory of constants that are packed -------------------------------------- */

enum { WORTH_IT = 1 << 16 }; /* bytes */

static bool has_other(const struct source_list *list, const struct source *than)
{
    for (const struct source *s = list->first; s; s = s->next)
        if (s != than && s->tensor == than->tensor)
            return true;
    return false;
}

void unload_packed(struct planner *planner)
{
    const struct graph *graph = planner->graph;

    assert(planner->npacked <= PACKED);
    for (int i = 0; i < planner->npacked; i++) {
        const struct value *value = planner->packed[i];
        const struct tensor *tensor = plan_constant(planner, value);
        if (!tensor || tensor_bytes(tensor) < WORTH_IT)
            continue;
        tensor_unload(tensor);
        /* Items are needed if another node, or another constant or variable, reads them. */
        bool needed = planner->live.holds[value->id] > 1 ||
                      has_other(&graph->variables, value->source) ||
                      has_other(&graph->constants, value->source);
        if (planner->options->discard && !needed)
            planner->options->discard(planner->options->discard_data, tensor);
    }
    planner->npacked = 0;
}
