/* read_blocks.c - which blocks a graph file has; what lies in them is not looked at */
#include "convert/graphfile/blocks.h"
#include "convert/graphfile/read.h"

#include "base/arena.h"
#include "convert/graphfile/layout.h"
#include "diag/context.h"
#include "tensor/bytes.h"

#include <inttypes.h>

/* A stretch of a section, aligned in the file; NULL after a report. */
static const void *read_stretch(struct reader *r, const struct section_view *section, uint64_t size,
                                const char *what)
{
    uint64_t place = read_number(r);

    if (place > section->size || size > section->size - place)
        read_fault(r, "%s at byte %" PRIu64 " of their section reaches past its end", what, place);
    else if ((section->offset + place) % NATIVE_ALIGNMENT != 0)
        read_fault(r, "%s at byte %" PRIu64 " of their section is not aligned", what, place);
    return r->failed ? NULL : section->bytes + place;
}

static void read_block(struct reader *r, struct native_block *block)
{
    block->key = read_word(r);
    block->source = read_stretch(r, &r->data, 1, "the tensor of a block");
    uint64_t size = read_number(r);
    block->size = (size_t)size;
    if (size == 0 || size > SIZE_MAX)
        read_fault(r, "a block of %" PRIu64 " bytes, expected 1 or more", size);
    block->items = read_stretch(r, &r->blocks, size, "a block");
}

const struct native_blocks *read_blocks(struct reader *r)
{
    struct arena *arena = r->context->arena;
    struct native_blocks *blocks = arena_new_of(arena, struct native_blocks);

    if (r->index.size == 0)
        return NULL;
    r->in = &r->index;
    r->at = 0;
    blocks->maker = read_word(r);
    blocks->kind = read_word(r);
    blocks->count = read_count(r, "blocks");
    blocks->block = arena_array_of(arena, struct native_block, blocks->count);
    for (int i = 0; i < blocks->count && !r->failed; i++)
        read_block(r, &blocks->block[i]);
    read_end(r, NATIVE_PAGE);
    r->in = &r->graph;
    r->at = 0;
    return r->failed || !bytes_are_native() ? NULL : blocks;
}
