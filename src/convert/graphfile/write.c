/*
 * write.c - writes a graph as a graph file
 *
 * Everything is laid out before a byte is put, since the header holds sizes and checksums of all
 * that follows: first the graph as numbers and words, which gives each tensor its place in the
 * data, then the index of the blocks, then the table of sections.
 */
#include "convert/graphfile/graphfile.h"
#include "tensor/blocks.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/num.h"
#include "base/text.h"
#include "convert/graphfile/layout.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "file/out.h"
#include "ir/graph.h"
#include "op/op.h"
#include "op/op_build.h"
#include "tensor/bytes.h"

#include <assert.h>
#include <string.h>
#include <zlib.h>

/* A tensor in the section of the data. */
struct stored_data {
    const struct tensor *tensor;
    int kind; /* SOURCE_CONSTANT, ... */
};

/* A graph that is being written: its sections before they are put. */
struct graphfile_writer {
    struct graph *graph;
    const struct tensor_blocks *blocks; /* NULL: none */
    struct text text[SECTION_COUNT];    /* the sections of numbers and words */
    struct text *out;                   /* the one that is being made */
    uint32_t *number;                   /* by value id, in the order of the file */
    uint32_t numbered;
    const struct op_desc *op[OP_COUNT]; /* the different ones, in the order of first use */
    int nop;
    struct stored_data *data; /* each once, in their order */
    size_t *place;            /* of each, from the beginning of the section */
    int ndata;
    bool has_bytes, has_nibbles; /* some of them are (struct tensor) */
    struct map stored;           /* by address of the items: their place */
    size_t size;                 /* of the section of the data */
    size_t *block_place;         /* of each block, from the beginning of their section */
};

/* --- numbers and words ---------------------------------------------------------------------- */

static void put_number(struct graphfile_writer *w, uint64_t number)
{
    unsigned char bytes[VARINT_MAX];

    text_add_bytes(w->out, (const char *)bytes, (size_t)varint_store(bytes, number));
}

static void put_word(struct graphfile_writer *w, const char *word)
{
    size_t size = word ? strlen(word) : 0;

    put_number(w, size);
    text_add_bytes(w->out, word ? word : "", size);
}

/* Kind, then value; see read_datum(). */
static void put_datum(struct graphfile_writer *w, const struct datum *datum)
{
    unsigned char bytes[8];
    uint64_t bits;

    put_number(w, datum->kind);
    switch (datum->kind) {
    case DATUM_INTEGER:
        /* 0, -1, 1, -2, ... become 0, 1, 2, 3, ..., so that small negative numbers are short */
        put_number(w, ((uint64_t)datum->integer << 1) ^ (datum->integer < 0 ? UINT64_MAX : 0));
        break;
    case DATUM_SCALAR:
        memcpy(&bits, &datum->scalar, sizeof bits);
        bytes_store(bytes, sizeof bytes, bits);
        text_add_bytes(w->out, (const char *)bytes, sizeof bytes);
        break;
    case DATUM_LOGICAL:
        put_number(w, datum->logical);
        break;
    case DATUM_STRING:
        put_word(w, datum->string);
        break;
    case DATUM_ARRAY:
    case DATUM_TUPLE:
        put_number(w, (uint64_t)datum->count);
        for (int i = 0; i < datum->count; i++)
            put_datum(w, &datum->items[i]);
        break;
    case DATUM_NONE:
    case DATUM_TENSOR:
        break;
    }
}

/* --- sources -------------------------------------------------------------------------------- */

/* Many integers between these bounds are bytes or nibbles in the file if all can be. */
static int kind_within(int64_t low, int64_t high)
{
    if (low >= -8 && high <= 7)
        return SOURCE_SIGNED_NIBBLES;
    if (low >= 0 && high <= 15)
        return SOURCE_UNSIGNED_NIBBLES;
    if (low >= INT8_MIN && high <= INT8_MAX)
        return SOURCE_SIGNED;
    return low >= 0 && high <= UINT8_MAX ? SOURCE_UNSIGNED : SOURCE_VARIABLE;
}

/* How the items of a variable are stored: as they lie, or else as small as they fit. */
static int variable_kind(const struct tensor *tensor)
{
    const int64_t count = shape_volume(&tensor->shape);
    int64_t low = 0, high = 0;

    if (tensor->bytes && tensor->are_nibbles)
        return tensor->bytes_are_signed ? SOURCE_SIGNED_NIBBLES : SOURCE_UNSIGNED_NIBBLES;
    if (tensor->bytes)
        return tensor->bytes_are_signed ? SOURCE_SIGNED : SOURCE_UNSIGNED;
    if (tensor->dtype != DTYPE_INTEGER || count < BYTES_MANY)
        return SOURCE_VARIABLE;
    for (int64_t i = 0; i < count; i++) {
        low = num_min(low, tensor_integer(tensor, i));
        high = num_max(high, tensor_integer(tensor, i));
    }
    return kind_within(low, high);
}

static bool is_nibbles(int kind)
{
    return kind == SOURCE_SIGNED_NIBBLES || kind == SOURCE_UNSIGNED_NIBBLES;
}

/* Of these, too. */
static bool is_bytes(int kind)
{
    return kind == SOURCE_SIGNED || kind == SOURCE_UNSIGNED || is_nibbles(kind);
}

static size_t size_in_file(const struct stored_data *data)
{
    const int64_t count = shape_volume(&data->tensor->shape);

    if (is_bytes(data->kind))
        return (size_t)(is_nibbles(data->kind) ? count - count / 2 : count);
    return (size_t)count * dtype_size(data->tensor->dtype);
}

/* Do both have the same bytes in the file, as their items are at one place? */
static bool is_alike(const struct stored_data *a, const struct stored_data *b)
{
    const bool bytes = a->tensor->bytes != NULL;

    return bytes == (b->tensor->bytes != NULL) &&
           a->tensor->are_nibbles == b->tensor->are_nibbles &&
           (a->kind == b->kind || (!is_bytes(a->kind) && !is_bytes(b->kind))) &&
           size_in_file(a) == size_in_file(b);
}

/* The place of the items in the data.  Items that several values share are stored once. */
static size_t place_of(struct graphfile_writer *w, const struct tensor *tensor, int kind)
{
    const size_t *known = map_get(&w->stored, tensor_place(tensor));
    const struct stored_data data = {tensor, kind};

    if (known && is_alike(&w->data[known - w->place], &data))
        return *known;
    int index = w->ndata++;
    assert(index < w->graph->variables.count + w->graph->constants.count);
    w->data[index] = data;
    w->place[index] = w->size;
    w->size = num_round_up(w->size + size_in_file(&data), GRAPHFILE_ALIGNMENT);
    map_set(&w->stored, tensor_place(tensor), &w->place[index]);
    return w->place[index];
}

static void put_source(struct graphfile_writer *w, const struct source *source)
{
    const struct value *value = source->value;
    int how = value->kind == VALUE_EXTERNAL                       ? SOURCE_EXTERNAL
              : value->kind == VALUE_VARIABLE                     ? variable_kind(source->tensor)
              : shape_equal(&source->tensor->shape, value->shape) ? SOURCE_CONSTANT
                                                                  : SOURCE_ONE_ITEM;

    assert(value->id < w->graph->value_count);
    w->number[value->id] = w->numbered++;
    put_number(w, (uint64_t)how);
    put_number(w, value->dtype);
    put_number(w, (uint64_t)value->shape->rank);
    for (int i = 0; i < value->shape->rank; i++)
        put_number(w, (uint64_t)value->shape->extent[i]);
    put_word(w, value->name);
    w->has_bytes |= is_bytes(how);
    w->has_nibbles |= is_nibbles(how);
    if (value->kind == VALUE_VARIABLE)
        put_word(w, source->label);
    if (how != SOURCE_EXTERNAL)
        put_number(w, place_of(w, source->tensor, how));
}

/* --- nodes ---------------------------------------------------------------------------------- */

/* The place of an operation in the table, to which it is added if it is not there. */
static uint64_t index_of(struct graphfile_writer *w, const struct op_desc *op)
{
    int index = 0;

    while (index < w->nop && w->op[index] != op)
        index++;
    if (index == w->nop)
        w->op[w->nop++] = op;
    return (uint64_t)index;
}

/* The table of operations: names of each and of its attributes, in the order of put_node(). */
static void put_operations(struct graphfile_writer *w)
{
    for (const struct node *n = w->graph->first; n; n = n->next)
        index_of(w, n->op);
    put_number(w, (uint64_t)w->nop);
    for (int i = 0; i < w->nop; i++) {
        const struct op_attr *attr = w->op[i]->attrs;
        int count = 0;
        while (attr && attr[count].name)
            count++;
        put_word(w, w->op[i]->name);
        put_number(w, (uint64_t)count);
        for (int k = 0; k < count; k++)
            put_word(w, attr[k].name);
    }
}

/* Operation, type, operands by number, attributes, names of results. */
static void put_node(struct graphfile_writer *w, const struct node *node)
{
    put_number(w, index_of(w, node->op));
    put_number(w, node->generic);
    put_number(w, node->nin);
    for (uint32_t i = 0; i < node->nin; i++) {
        assert(w->number[node->in[i].value->id] < w->numbered); /* nodes are in order */
        put_number(w, w->number[node->in[i].value->id]);
    }
    for (const struct op_attr *a = node->op->attrs; a && a->name; a++) {
        struct datum datum = op_attr_datum(w->graph, node, a);
        put_datum(w, &datum);
    }
    put_number(w, node->nout);
    for (uint32_t i = 0; i < node->nout; i++) {
        w->number[node->out[i].id] = w->numbered++;
        put_word(w, node->out[i].name);
    }
}

/* The inputs or the outputs of the graph, by name and number. */
static void put_ports(struct graphfile_writer *w, const struct port *port, int count)
{
    put_number(w, (uint64_t)count);
    for (int i = 0; i < count; i++) {
        put_word(w, port[i].name);
        put_number(w, w->number[port[i].value->id]);
    }
}

/* What a foreign model has in the inputs and the outputs, unless that is known of none. */
static void put_types(struct graphfile_writer *w)
{
    const struct port *const ports[] = {w->graph->inputs, w->graph->outputs};
    const int count[] = {w->graph->ninput, w->graph->noutput};
    struct text *types = &w->text[SECTION_TYPES];
    bool any = false;

    w->out = types;
    for (int which = 0; which < 2; which++)
        for (int i = 0; i < count[which]; i++) {
            const struct item_format *items = &ports[which][i].items;
            bool known = items->bits > 0 && item_dtype(items->type) == ports[which][i].value->dtype;
            put_number(w, known ? (uint64_t)items->bits : 0);
            put_number(w, known ? items->type : 0);
            any |= known;
        }
    if (!any)
        text_free(types);
}

/* --- blocks --------------------------------------------------------------------------------- */

/* Makes the index, and lays out the blocks. */
static void put_index(struct graphfile_writer *w)
{
    size_t end = 0;

    assert(w->blocks);
    w->out = &w->text[SECTION_INDEX];
    w->block_place = arena_array_of(w->graph->context->arena, size_t, w->blocks->count);
    put_word(w, w->blocks->maker);
    put_word(w, w->blocks->kind);
    put_number(w, (uint64_t)w->blocks->count);
    for (int i = 0; i < w->blocks->count; i++) {
        const struct tensor_block *block = &w->blocks->block[i];
        const size_t *source = map_get(&w->stored, block->source);
        bool small = block->size < GRAPHFILE_PAGE; /* a large block gets pages of its own */
        assert(source && block->size > 0);
        w->block_place[i] = num_round_up(end, small ? GRAPHFILE_ALIGNMENT : GRAPHFILE_PAGE);
        end = w->block_place[i] + block->size;
        put_word(w, block->key);
        put_number(w, *source);
        put_number(w, block->size);
        put_number(w, w->block_place[i]);
    }
}

/* --- what the format cannot hold ------------------------------------------------------------ */

/* Provisional models, custom operations and extents that are not known. */
static bool check_graph(const struct graph *graph)
{
    bool ok = true;

    if (graph->provisional)
        return diag_file_error(graph->context->diag, NULL, DIAG_NOT_IN_NATIVE,
                               "a model of provisional NNEF cannot be put into a graph file");
    for (struct value *const *v = graph_values(graph); *v; v++)
        if ((*v)->kind != VALUE_RESULT && !shape_known((*v)->shape))
            ok = diag_error(graph->context->diag, (*v)->source->span, DIAG_NOT_IN_NATIVE,
                            "'%s' has shape %s, expected extents that are known", VALUE_TEXT(*v),
                            SHAPE_TEXT((*v)->shape));
    for (const struct node *n = graph->first; n; n = n->next)
        if (n->op->traits & OP_CUSTOM)
            ok = diag_error(graph->context->diag, n->span, DIAG_NOT_IN_NATIVE,
                            "operation '%s' is a custom one, which a graph file does not hold",
                            n->op->name);
    return ok;
}

/* --- the file ------------------------------------------------------------------------------- */

static void put_zeros(const struct sink *sink, size_t count)
{
    static const char zeros[GRAPHFILE_PAGE];

    sink->put(sink->to, zeros, count);
}

/* Integers of 64 bits as bytes, or two of them in each. */
static void put_bytes(const struct tensor *tensor, bool nibbles, const struct sink *sink)
{
    const int64_t count = shape_volume(&tensor->shape), step = nibbles ? 2 : 1;
    unsigned char bytes[BYTES_MANY];

    for (int64_t i = 0; i < count;) {
        int64_t part = 0;
        for (; part < BYTES_MANY && i < count; part++, i += step) {
            const int64_t second = nibbles && i + 1 < count ? tensor_integer(tensor, i + 1) : 0;
            const int64_t first = tensor_integer(tensor, i);
            bytes[part] = (unsigned char)(nibbles ? (first & 15) | (second & 15) << 4 : first);
        }
        sink->put(sink->to, bytes, (size_t)part);
    }
}

/* The items of a tensor in the byte order of the file. */
static void put_items(const struct stored_data *data, const struct sink *sink)
{
    const size_t size = is_bytes(data->kind) ? 1 : dtype_size(data->tensor->dtype);
    const size_t bytes = size_in_file(data);
    const unsigned char *items = tensor_place(data->tensor);
    unsigned char item[8];

    if (is_bytes(data->kind) && !data->tensor->bytes) {
        put_bytes(data->tensor, is_nibbles(data->kind), sink);
    } else if (bytes_are_native() || size == 1) {
        sink->put(sink->to, items, bytes);
    } else {
        for (size_t at = 0; at < bytes; at += size) {
            bytes_reverse(item, items + at, 1, size);
            sink->put(sink->to, item, size);
        }
    }
}

/* The tensors, each with zeros up to the place of the next. */
static void put_data(const struct graphfile_writer *w, const struct sink *sink)
{
    for (int i = 0; i < w->ndata; i++) {
        const size_t end = w->place[i] + size_in_file(&w->data[i]);
        const size_t next = i + 1 < w->ndata ? w->place[i + 1] : w->size;
        put_items(&w->data[i], sink);
        assert(next >= end);
        put_zeros(sink, next - end);
    }
}

/* The blocks, each with zeros before it up to its place. */
static void put_blocks(const struct graphfile_writer *w, const struct sink *sink)
{
    size_t end = 0;

    for (int i = 0; i < w->blocks->count; i++) {
        const struct tensor_block *block = &w->blocks->block[i];
        assert(w->block_place[i] >= end);
        put_zeros(sink, w->block_place[i] - end);
        sink->put(sink->to, block->items, block->size);
        end = w->block_place[i] + block->size;
    }
}

static void put_section(const struct graphfile_writer *w, enum graphfile_section section,
                        const struct sink *sink)
{
    const struct text *text = &w->text[section];

    if (section == SECTION_DATA)
        put_data(w, sink);
    else if (section == SECTION_BLOCKS)
        put_blocks(w, sink);
    else
        sink->put(sink->to, text->data, text->size);
}

static bool has_section(const struct graphfile_writer *w, enum graphfile_section section)
{
    if (section == SECTION_INDEX || section == SECTION_BLOCKS)
        return w->blocks != NULL;
    return section != SECTION_TYPES || w->text[SECTION_TYPES].size > 0;
}

/* What is known of a section once it has been put. */
struct section_extent {
    uint64_t size;
    uLong sum;
};

static void measure(void *to, const void *bytes, size_t size)
{
    struct section_extent *extent = to;

    extent->size += size;
    extent->sum = crc32_z(extent->sum, bytes, size);
}

/* Zeros up to where the next section begins, so that some checksum covers every byte. */
static void pad_section(struct graphfile_writer *w, enum graphfile_section section, uint64_t offset)
{
    struct text *text = &w->text[section];

    while ((offset + text->size) % graphfile_sections[section].alignment != 0)
        text_add_bytes(text, "", 1);
}

/* Header and table; returns how many bytes these are. */
static size_t make_head(struct graphfile_writer *w,
                        unsigned char head[HEADER_SIZE + SECTION_COUNT * ENTRY_SIZE])
{
    unsigned char *entry = head + HEADER_SIZE;
    uint32_t count = 0;

    for (enum graphfile_section i = 0; i < SECTION_COUNT; i++)
        count += has_section(w, i);
    size_t size = HEADER_SIZE + count * (size_t)ENTRY_SIZE;
    uint64_t end = size;
    for (enum graphfile_section i = 0; i < SECTION_COUNT; i++) {
        struct section_extent extent = {0, crc32_z(0, NULL, 0)};
        if (!has_section(w, i))
            continue;
        pad_section(w, i, end);
        put_section(w, i, &(struct sink){.put = measure, .to = &extent});
        memcpy(entry + ENTRY_NAME, graphfile_sections[i].name, 4);
        bytes_store(entry + ENTRY_SUM, 4, extent.sum);
        bytes_store(entry + ENTRY_OFFSET, 8, end);
        bytes_store(entry + ENTRY_LENGTH, 8, extent.size);
        entry += ENTRY_SIZE;
        end += extent.size;
    }
    memcpy(head, GRAPHFILE_MAGIC, GRAPHFILE_MAGIC_SIZE);
    bytes_store(head + HEADER_MAJOR, 2, GRAPHFILE_MAJOR);
    bytes_store(head + HEADER_MINOR, 2,
                w->has_nibbles                  ? GRAPHFILE_MINOR
                : w->has_bytes                  ? GRAPHFILE_MINOR_BYTES
                : has_section(w, SECTION_TYPES) ? GRAPHFILE_MINOR_TYPES
                                                : 0);
    bytes_store(head + HEADER_SECTIONS, 4, count);
    bytes_store(head + HEADER_FILE_SIZE, 8, end);
    bytes_store(head + HEADER_SUM, 4, crc32_z(0, head, size));
    return size;
}

static void put_file(struct graphfile_writer *w, const struct sink *sink)
{
    unsigned char head[HEADER_SIZE + SECTION_COUNT * ENTRY_SIZE] = {0};

    sink->put(sink->to, head, make_head(w, head));
    for (enum graphfile_section i = 0; i < SECTION_COUNT; i++)
        if (has_section(w, i))
            put_section(w, i, sink);
}

bool graphfile_write(struct graph *graph, const struct tensor_blocks *blocks,
                     const struct sink *sink)
{
    struct arena *arena = graph->context->arena;
    size_t most = (size_t)graph->variables.count + (size_t)graph->constants.count;
    struct graphfile_writer w = {.graph = graph, .blocks = blocks};
    uint64_t nodes = 0;

    if (!check_graph(graph))
        return false;
    w.out = &w.text[SECTION_GRAPH];
    w.number = arena_array_of(arena, uint32_t, graph->value_count);
    w.data = arena_array_of(arena, struct stored_data, most + 1);
    w.place = arena_array_of(arena, size_t, most + 1);
    put_word(&w, graph->name);
    put_number(&w, (uint64_t)graph->externals.count + most);
    for (struct value *const *v = graph_values(graph); *v; v++)
        if ((*v)->kind != VALUE_RESULT)
            put_source(&w, (*v)->source);
    put_operations(&w);
    for (const struct node *n = graph->first; n; n = n->next)
        nodes++;
    put_number(&w, nodes);
    for (const struct node *n = graph->first; n; n = n->next)
        put_node(&w, n);
    put_ports(&w, graph->inputs, graph->ninput);
    put_ports(&w, graph->outputs, graph->noutput);
    put_types(&w);
    if (blocks)
        put_index(&w);
    put_file(&w, sink);
    for (enum graphfile_section i = 0; i < SECTION_COUNT; i++)
        text_free(&w.text[i]);
    map_free(&w.stored);
    return true;
}
