/* packed.c - see packed.h */
#include "exec/packed.h"

#include "base/arena.h"
#include "base/text.h"
#include "exec/planner.h"
#include "kernel/kernels.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* --- whose they are --------------------------------------------------------------------------- */

struct packed_list packed_nothing(struct arena *arena)
{
    return (struct packed_list){.blocks = {.maker = PACKED_BY, .kind = kernels_variant(0)->name},
                                .arena = arena};
}

bool packed_fits(const struct tensor_blocks *blocks)
{
    return strcmp(blocks->maker, PACKED_BY) == 0 &&
           strcmp(blocks->kind, kernels_variant(0)->name) == 0;
}

static void add_plane(struct text *key, struct plane plane)
{
    text_add(key, " %" PRId64 "x%" PRId64, plane.y, plane.x);
}

/* All that an algorithm can go by when it packs. */
static void add_key(struct text *key, const struct weight_packing *packing)
{
    const struct conv *c = packing->conv;
    const struct filter *f = &packing->filter;

    text_add(key, "%s: %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, packing->kernel->name,
             c->batch, c->groups, c->in_channels, c->out_channels);
    add_plane(key, c->in);
    add_plane(key, c->out);
    add_plane(key, c->kernel);
    add_plane(key, c->stride);
    add_plane(key, c->dilation);
    add_plane(key, c->before);
    text_add(key, " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, f->out, f->in, f->y,
             f->x, f->group);
}

/* --- those there are -------------------------------------------------------------------------- */

/* Plans are alike, so that the one sought is mostly the one behind that found last. */
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

/* What a file says is not trusted, and where its bytes lie is for the system to decide. */
static bool is_usable(const struct tensor_block *block, size_t size)
{
    return block->size == size && (uintptr_t)block->items % KERNEL_ALIGNMENT == 0;
}

static const float *take_packed(struct planner *planner, const struct weight_packing *packing,
                                const char *key, size_t size)
{
    const struct tensor_blocks *blocks = planner->options->packed;
    const struct tensor_block *found = NULL;

    if (blocks && packed_fits(blocks))
        found = find_block(blocks, planner->plan->taken, key, packing->filter.items);
    if (!found || !is_usable(found, size))
        return NULL;
    planner->plan->taken++;
    return found->items;
}

/* --- new ones --------------------------------------------------------------------------------- */

static void note_packed(struct packed_list *list, const struct tensor_block *block)
{
    struct tensor_blocks *blocks = &list->blocks;

    if (find_block(blocks, 0, block->key, block->source))
        return;
    if (blocks->count == list->room) {
        struct tensor_block *old = blocks->block;
        list->room = 2 * list->room + 64;
        blocks->block = arena_array_of(list->arena, struct tensor_block, list->room);
        if (old)
            memcpy(blocks->block, old, (size_t)blocks->count * sizeof *old);
    }
    blocks->block[blocks->count] = *block;
    blocks->block[blocks->count++].key = arena_strndup(list->arena, block->key, strlen(block->key));
}

static const float *make_packed(struct planner *planner, const struct weight_packing *packing,
                                const char *key, size_t size)
{
    struct packed_list *list = planner->options->pack_into;
    float *packed = plan_memory(planner, size);

    if (!packed)
        return NULL;
    if (list) /* what no weight fills is written, too */
        memset(packed, 0, size);
    packing->kernel->pack(packing->conv, &packing->filter, packed, plan_team(planner, size));
    plan_release(planner, packing->weights);
    if (list && size > 0)
        note_packed(list, &(struct tensor_block){key, packing->filter.items, packed, size});
    return packed;
}

const float *packed_weights(struct planner *planner, const struct weight_packing *packing)
{
    size_t size = packing->kernel->packed_size(packing->conv);
    struct text key = {0};

    assert(packing->kernel->fits(packing->conv));
    planner->plan->packings++;
    add_key(&key, packing);
    const float *packed = take_packed(planner, packing, key.data, size);
    if (!packed)
        packed = make_packed(planner, packing, key.data, size);
    text_free(&key);
    return packed;
}

/* --- constants that are packed: their memory is given back while others are still to be --------
 */

enum { WORTH_IT = 1 << 16 }; /* bytes */

void plan_release(struct planner *planner, const struct value *value)
{
    if (planner->npacked < PACKED)
        planner->packed[planner->npacked++] = value;
}

static bool has_other(const struct source_list *list, const struct source *than)
{
    for (const struct source *s = list->first; s; s = s->next)
        if (s != than && s->tensor == than->tensor)
            return true;
    return false;
}

/* Does anybody but the step that has copied them read the items? */
static bool is_needed(const struct planner *planner, const struct value *value)
{
    const struct graph *graph = planner->graph;

    return planner->live.holds[value->id] > 1 || has_other(&graph->variables, value->source) ||
           has_other(&graph->constants, value->source);
}

void unload_packed(struct planner *planner)
{
    for (int i = 0; i < planner->npacked; i++) {
        const struct value *value = planner->packed[i];
        const struct tensor *tensor = plan_constant(planner, value);
        if (!tensor || tensor_bytes(tensor) < WORTH_IT)
            continue;
        tensor_unload(tensor);
        if (planner->options->discard && !is_needed(planner, value))
            planner->options->discard(planner->options->discard_data, tensor);
    }
    planner->npacked = 0;
}
