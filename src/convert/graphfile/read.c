/*
 * read.c - the sections of a graph file, the numbers and words in them, and the index of blocks
 *
 * docs/graph-file.md gives the layout.  Offsets and sizes are compared with what is left before any
 * byte is read, so that a file can neither lead outside itself nor ask for memory beyond its size.
 */
#include "convert/graphfile/read.h"

#include "base/arena.h"
#include "base/text.h"
#include "diag/context.h"
#include "tensor/bytes.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <zlib.h>

const struct graphfile_section_kind graphfile_sections[SECTION_COUNT] = {
    [SECTION_GRAPH] = {"GRPH", .required = true, .alignment = GRAPHFILE_ALIGNMENT},
    [SECTION_DATA] = {"DATA", .required = true, .is_data = true, .alignment = 1},
    [SECTION_TYPES] = {"TYPE", .alignment = 1},
    [SECTION_INDEX] = {"PIDX", .alignment = GRAPHFILE_PAGE},
    [SECTION_BLOCKS] = {"PACK", .is_data = true, .alignment = 1},
};

/* --- sections ------------------------------------------------------------------------------- */

bool graphfile_recognise(const void *bytes, size_t size)
{
    return size >= GRAPHFILE_MAGIC_SIZE &&
           memcmp(bytes, GRAPHFILE_MAGIC, GRAPHFILE_MAGIC_SIZE) == 0;
}

/* Reports what is wrong at a byte of the file; always false. */
static bool fault_at(const struct graphfile_reader *r, uint64_t offset, const char *what)
{
    return diag_file_error(r->context->diag, r->file->name, DIAG_NATIVE_FILE,
                           "at byte %" PRIu64 ": %s", offset, what);
}

static bool check_head(const struct graphfile_reader *r)
{
    static const unsigned char zeros[4];
    const unsigned char *head = r->file->bytes;
    size_t size = r->file->size;

    if (!graphfile_recognise(head, size))
        return fault_at(r, 0, "this is no graph file");
    if (size < HEADER_SIZE)
        return fault_at(r, size, "the file ends within its header");

    /* Later minor versions only add sections, which are skipped. */
    unsigned major = bytes_load16(head + HEADER_MAJOR), minor = bytes_load16(head + HEADER_MINOR);
    if (major != GRAPHFILE_MAJOR)
        return diag_file_error(r->context->diag, r->file->name, DIAG_NATIVE_VERSION,
                               "the file is of version %u.%u, expected %d", major, minor,
                               GRAPHFILE_MAJOR);
    if (minor > GRAPHFILE_MINOR)
        diag_file_warning(r->context->diag, r->file->name, WARNING_NEWER_FORMAT,
                          "the file is of version %u.%u, newer than %d.%d that is known", major,
                          minor, GRAPHFILE_MAJOR, GRAPHFILE_MINOR);

    if (bytes_load(head + HEADER_FILE_SIZE, 8) != size)
        return fault_at(r, size,
                        "the file is not as long as its header says: it was cut off, or "
                        "something was added");
    uint32_t sections = bytes_load32(head + HEADER_SECTIONS);
    if (sections > (size - HEADER_SIZE) / ENTRY_SIZE)
        return fault_at(r, HEADER_SECTIONS, "the table of sections reaches past the end");

    /* The checksum covers the header and the table; its own four bytes count as 0. */
    size_t behind = HEADER_SUM + sizeof zeros;
    uLong sum = crc32_z(0, head, HEADER_SUM);
    sum = crc32_z(sum, zeros, sizeof zeros);
    sum = crc32_z(sum, head + behind, HEADER_SIZE + (size_t)sections * ENTRY_SIZE - behind);
    return sum == bytes_load32(head + HEADER_SUM) ||
           fault_at(r, HEADER_SUM, "the sum of the header is wrong: the file is damaged");
}

/* Finds a section, whose view stays empty if there is none; checks its sum but for data, unless the
 * caller wants that. */
static bool find_section(struct graphfile_reader *r, enum graphfile_section section)
{
    const struct graphfile_section_kind *kind = &graphfile_sections[section];
    const unsigned char *head = r->file->bytes;
    struct graphfile_view *view = &r->section[section];
    uint32_t count = bytes_load32(head + HEADER_SECTIONS);

    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *entry = head + HEADER_SIZE + (size_t)i * ENTRY_SIZE;
        uint64_t offset = bytes_load(entry + ENTRY_OFFSET, 8);
        uint64_t size = bytes_load(entry + ENTRY_LENGTH, 8);
        if (memcmp(entry + ENTRY_NAME, kind->name, 4) != 0)
            continue;
        if (offset > r->file->size || size > r->file->size - offset)
            return fault_at(r, (uint64_t)(entry - head), "a section reaches past the end");
        *view = (struct graphfile_view){head + offset, (size_t)size, offset};
        return (kind->is_data && !r->file->check_data) ||
               crc32_z(0, view->bytes, view->size) == bytes_load32(entry + ENTRY_SUM) ||
               fault_at(r, offset, "the sum of the section is wrong: the file is damaged");
    }
    return !kind->required || fault_at(r, HEADER_SIZE, "a section is missing");
}

void read_section(struct graphfile_reader *r, enum graphfile_section section)
{
    r->in = &r->section[section];
    r->at = 0;
}

bool read_sections(struct graphfile_reader *r)
{
    assert(r->context && r->file->bytes);
    read_section(r, SECTION_GRAPH);
    bool ok = check_head(r);
    for (enum graphfile_section i = 0; ok && i < SECTION_COUNT; i++)
        ok = find_section(r, i);
    return ok;
}

/* --- numbers and words ---------------------------------------------------------------------- */

bool read_fault(struct graphfile_reader *r, const char *fmt, ...)
{
    va_list args;

    assert(r->in);
    if (r->failed)
        return false;
    va_start(args, fmt);
    fault_at(r, r->in->offset + r->at, text_format_v(r->context->arena, fmt, args));
    va_end(args);
    r->failed = true;
    return false;
}

uint64_t read_number(struct graphfile_reader *r)
{
    uint64_t number = 0;
    int size = 0;

    assert(r->in && r->at <= r->in->size);
    if (!r->failed)
        size = varint_load(r->in->bytes + r->at, r->in->size - r->at, &number);
    if (size == 0)
        read_fault(r, "a number reaches past the end of the section");
    r->at += (size_t)size;
    return size ? number : 0;
}

int read_count(struct graphfile_reader *r, const char *what)
{
    uint64_t count = read_number(r), left = r->in->size - r->at;

    if (count <= left && count <= INT32_MAX)
        return (int)count;
    read_fault(r, "%" PRIu64 " %s in %" PRIu64 " bytes", count, what, left);
    return 0;
}

const char *read_word(struct graphfile_reader *r)
{
    int size = read_count(r, "characters");
    const char *word = (const char *)r->in->bytes + r->at;

    if (r->failed || size == 0)
        return "";
    if (memchr(word, '\0', (size_t)size)) {
        read_fault(r, "a name has a zero in it");
        return "";
    }
    r->at += (size_t)size;
    return arena_strndup(r->context->arena, word, (size_t)size);
}

struct shape read_shape(struct graphfile_reader *r)
{
    uint64_t rank = read_number(r);
    struct shape shape = {0};
    int64_t volume;

    if (rank > MAX_RANK)
        read_fault(r, "a rank of %" PRIu64 ", expected at most %d", rank, MAX_RANK);
    for (; !r->failed && (uint64_t)shape.rank < rank; shape.rank++) {
        uint64_t extent = read_number(r);
        shape.extent[shape.rank] = (int64_t)(extent & INT64_MAX);
        if (extent > INT64_MAX)
            read_fault(r, "an extent of %" PRIu64 ", expected less than 2^63", extent);
    }
    if (!r->failed && !shape_volume_checked(&shape, r->context->limits.volume, &volume))
        read_fault(r, "shape %s has more items than the limit of %" PRId64, SHAPE_TEXT(&shape),
                   r->context->limits.volume);
    return r->failed ? (struct shape){0} : shape;
}

struct datum read_datum(struct graphfile_reader *r, int depth)
{
    uint64_t kind = read_number(r), number, bits;
    struct datum datum = {.kind = kind < DATUM_TENSOR ? (enum datum_kind)kind : DATUM_NONE};
    struct datum *items;

    assert(depth >= 0);
    switch (datum.kind) {
    case DATUM_INTEGER: /* 0, -1, 1, -2, ... are stored as 0, 1, 2, 3, ... */
        number = read_number(r);
        datum.integer = (int64_t)(number >> 1 ^ (number & 1 ? UINT64_MAX : 0));
        break;
    case DATUM_SCALAR:
        if (r->in->size - r->at < sizeof bits) {
            read_fault(r, "a number reaches past the end of the section");
            break;
        }
        bits = bytes_load(r->in->bytes + r->at, sizeof bits);
        memcpy(&datum.scalar, &bits, sizeof bits);
        r->at += sizeof bits;
        break;
    case DATUM_LOGICAL:
        datum.logical = read_number(r) != 0;
        break;
    case DATUM_STRING:
        datum.string = read_word(r);
        datum.count = (int)strlen(datum.string);
        break;
    case DATUM_ARRAY:
    case DATUM_TUPLE:
        if (depth == 0) {
            read_fault(r, "arrays are nested too deeply");
            break;
        }
        datum.count = read_count(r, "items");
        items = arena_array_of(r->context->arena, struct datum, datum.count);
        for (int i = 0; i < datum.count && !r->failed; i++)
            items[i] = read_datum(r, depth - 1);
        datum.items = items;
        break;
    case DATUM_NONE:
    case DATUM_TENSOR:
        read_fault(r, "an attribute of kind %" PRIu64 ", which is none", kind);
        break;
    }
    return datum;
}

void read_end(struct graphfile_reader *r, size_t most)
{
    size_t left = r->in->size - r->at;

    for (size_t i = 0; !r->failed && i < left; i++)
        if (left >= most || r->in->bytes[r->at + i])
            read_fault(r, "there is more than was expected");
}

/* --- blocks: the index only; their bytes are not looked at ---------------------------------- */

const void *read_stretch(struct graphfile_reader *r, enum graphfile_section which, uint64_t size,
                         const char *what)
{
    const struct graphfile_view *section = &r->section[which];
    uint64_t place = read_number(r);

    assert(graphfile_sections[which].is_data);
    if (place > section->size || size > section->size - place)
        read_fault(r, "%s at byte %" PRIu64 " of their section reaches past its end", what, place);
    else if ((section->offset + place) % GRAPHFILE_ALIGNMENT != 0)
        read_fault(r, "%s at byte %" PRIu64 " of their section is not aligned", what, place);
    return r->failed ? NULL : section->bytes + place;
}

const struct tensor_blocks *read_blocks(struct graphfile_reader *r)
{
    struct arena *arena = r->context->arena;
    struct tensor_blocks *blocks = arena_new_of(arena, struct tensor_blocks);

    assert(!r->failed);
    if (r->section[SECTION_INDEX].size == 0)
        return NULL;
    read_section(r, SECTION_INDEX);
    blocks->maker = read_word(r);
    blocks->kind = read_word(r);
    blocks->count = read_count(r, "blocks");
    blocks->block = arena_array_of(arena, struct tensor_block, blocks->count);
    for (int i = 0; i < blocks->count && !r->failed; i++) {
        struct tensor_block *block = &blocks->block[i];
        block->key = read_word(r);
        block->source = read_stretch(r, SECTION_DATA, 1, "the tensor of a block");
        uint64_t size = read_number(r);
        block->size = (size_t)size;
        if (size == 0 || size > SIZE_MAX)
            read_fault(r, "a block of %" PRIu64 " bytes, expected 1 or more", size);
        block->items = read_stretch(r, SECTION_BLOCKS, size, "a block");
    }
    read_end(r, GRAPHFILE_PAGE);
    read_section(r, SECTION_GRAPH);
    return r->failed ? NULL : blocks;
}
