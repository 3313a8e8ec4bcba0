/*
 * onnx_read.c - bytes to messages
 *
 * The table of messages.def drives one reader for all messages.  Each field on the way down has a
 * frame on the stack, and a report takes the path of the field from these frames.
 */
#include "convert/proto/onnx_read.h"

#include "base/arena.h"
#include "base/text.h"
#include "convert/proto/message_priv.h"
#include "convert/proto/onnx_data.h"
#include "diag/diag.h"
#include "tensor/bytes.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* Messages take about ten times the memory of their bytes; the smallest ones take a hundred. */
enum { MEMORY_FACTOR = 32, MEMORY_START = 64 << 20, ITEMS_MAX = 1 << 28 };

struct message_reader {
    struct diag *diag;
    struct arena *arena;
    const char *name;           /* of the file, for reports */
    const unsigned char *start; /* of the file; reports give offsets from here */
    size_t memory_max;          /* bytes of the arena that end the reading */
};

/* Bytes that are not read yet: those of a message or of one field. */
struct wire_cursor {
    const unsigned char *at, *end;
};

/* A field that is being read.  The frame of the file itself has neither `outer` nor `field`. */
struct read_frame {
    const struct message_reader *reader;
    const struct read_frame *outer;
    const struct message_field *field;
    int index; /* in its list; -1: the field is no list */
    int depth; /* of messages around the field */
};

/* "graph.node[3].attribute[0].t" */
static void add_path(struct text *text, const struct read_frame *f)
{
    if (f->outer->field) {
        add_path(text, f->outer);
        text_add(text, ".");
    }
    text_add(text, "%s", f->field->name);
    if (f->index >= 0)
        text_add(text, "[%d]", f->index);
}

/* Report a fault at a byte of the file, with the path of the field; false. */
static bool fault(const struct read_frame *f, const unsigned char *at, enum diag_code code,
                  const char *fmt, ...) PRINTF_LIKE(4, 5);

static bool fault(const struct read_frame *f, const unsigned char *at, enum diag_code code,
                  const char *fmt, ...)
{
    struct text text = {0};
    va_list args;

    assert(at >= f->reader->start);
    text_add(&text, "byte %zu", (size_t)(at - f->reader->start));
    if (f->field) {
        text_add(&text, ", ");
        add_path(&text, f);
    }
    text_add(&text, ": ");
    va_start(args, fmt);
    text_add_v(&text, fmt, args);
    va_end(args);
    diag_file_error(f->reader->diag, f->reader->name, code, "%s", text.data);
    text_free(&text);
    return false;
}

static bool read_varint(const struct read_frame *f, struct wire_cursor *c, uint64_t *value)
{
    assert(c->at <= c->end);
    int took = varint_load(c->at, (size_t)(c->end - c->at), value);

    if (took == 0 && c->end - c->at < VARINT_MAX)
        return fault(f, c->at, DIAG_ONNX_WIRE, "a number reaches past the end of its message");
    if (took == 0)
        return fault(f, c->at, DIAG_ONNX_WIRE, "a number has more than 64 bits");
    c->at += took;
    return true;
}

/* Move *c behind the next `size` bytes, which *taken becomes. */
static bool take(const struct read_frame *f, struct wire_cursor *c, uint64_t size,
                 struct wire_cursor *taken)
{
    assert(c->at <= c->end);
    size_t left = (size_t)(c->end - c->at);

    if (size > left)
        return fault(f, c->at, DIAG_ONNX_WIRE,
                     "a length of %" PRIu64 ", but its message ends after %zu", size, left);
    *taken = (struct wire_cursor){c->at, c->at + size};
    c->at += size;
    return true;
}

/* The same for bytes that their length precedes. */
static bool take_sized(const struct read_frame *f, struct wire_cursor *c, struct wire_cursor *taken)
{
    uint64_t size;

    return read_varint(f, c, &size) && take(f, c, size, taken);
}

/* Move *c behind an item of a wire type that read_field() has checked. */
static bool skip(const struct read_frame *f, struct wire_cursor *c, unsigned type)
{
    struct wire_cursor skipped;
    uint64_t number;

    if (type == WIRE_VARINT)
        return read_varint(f, c, &number);
    if (type == WIRE_SIZED)
        return take_sized(f, c, &skipped);
    assert(type == WIRE_32 || type == WIRE_64);
    return take(f, c, type == WIRE_32 ? 4 : 8, &skipped);
}

/* --- items of fields --- */

/* One number, text or view of bytes, which is stored at `to`. */
static bool read_single(const struct read_frame *f, struct wire_cursor *c, void *to)
{
    const enum field_kind kind = f->field->kind;
    const enum wire_type wire = field_kinds[kind].wire;
    struct wire_cursor taken = *c;
    uint64_t bits;

    assert(wire == WIRE_VARINT || wire == WIRE_32 || wire == WIRE_SIZED);
    if (wire == WIRE_VARINT) {
        if (!read_varint(f, c, &bits))
            return false;
        int32_t narrow = (int32_t)(uint32_t)bits; /* as protocol buffers cut it */
        if (kind == FIELD_INT32)
            memcpy(to, &narrow, sizeof narrow);
        else
            memcpy(to, &bits, sizeof bits);
        return true;
    }
    if (wire == WIRE_32) {
        if (!take(f, c, sizeof(float), &taken))
            return false;
        uint32_t number = bytes_load32(taken.at);
        memcpy(to, &number, sizeof number);
        return true;
    }
    if (!take_sized(f, c, &taken))
        return false;
    struct onnx_bytes view = {taken.at, (size_t)(taken.end - taken.at)};
    if (kind == FIELD_BYTES || kind == FIELD_BLOBS) {
        memcpy(to, &view, sizeof view);
        return true;
    }
    /* Texts become strings of C, which cannot hold a zero byte. */
    const unsigned char *zero = view.size ? memchr(view.data, 0, view.size) : NULL;
    if (zero)
        return fault(f, zero, DIAG_ONNX_FIELD, "a zero byte in a text");
    const char *copy = arena_strndup(f->reader->arena, view.data, view.size);
    memcpy(to, &copy, sizeof copy);
    return true;
}

static bool check_count(const struct read_frame *f, const struct wire_cursor *c, int count)
{
    return count < ITEMS_MAX || fault(f, c->at, DIAG_ONNX_LIMIT, "more than %d items", ITEMS_MAX);
}

/* Append one item to an array, or as many numbers as are packed. */
static bool read_items(const struct read_frame *f, unsigned type, struct wire_cursor *c,
                       void *array)
{
    const enum field_kind kind = f->field->kind;
    bool is_packed = type == WIRE_SIZED && field_kinds[kind].wire != WIRE_SIZED;
    struct wire_cursor packed = {0}, *from = is_packed ? &packed : c;
    int count = f->index;

    if (is_packed && !take_sized(f, c, &packed))
        return false;
    while (!is_packed || packed.at < packed.end) {
        if (!check_count(f, from, count++) ||
            !read_single(f, from,
                         any_array_append(f->reader->arena, array, field_kinds[kind].item)))
            return false;
        if (!is_packed)
            break;
    }
    return true;
}

/* Numbers of a tensor stay as the wire has them.  They are a view as long as there is one piece. */
static bool read_packed(const struct read_frame *f, unsigned type, struct wire_cursor *c,
                        struct onnx_packed *packed)
{
    const size_t width = f->field->kind == FIELD_FLOATS32 ? 4 : 8;
    struct wire_cursor piece = *c;
    uint64_t value;

    if (!(type == WIRE_SIZED ? take_sized(f, c, &piece) : skip(f, c, type)))
        return false;
    if (type != WIRE_SIZED)
        piece.end = c->at;
    size_t size = (size_t)(piece.end - piece.at), sum = packed->size + size, count = size / width;
    if (f->field->kind == FIELD_VARINTS) {
        count = 0;
        for (struct wire_cursor rest = piece; rest.at < rest.end; count++)
            if (!read_varint(f, &rest, &value))
                return false;
    } else if (size % width) {
        return fault(f, piece.at, DIAG_ONNX_WIRE, "%zu bytes hold no numbers of %zu bytes", size,
                     width);
    }
    if (packed->size == 0) {
        *packed = (struct onnx_packed){.data = piece.at, .size = size, .count = count};
        return true;
    }
    if (sum > packed->capacity) {
        size_t capacity = sum > 2 * packed->capacity ? sum : 2 * packed->capacity;
        unsigned char *data = arena_alloc(f->reader->arena, capacity);
        memcpy(data, packed->data, packed->size);
        packed->data = packed->own = data;
        packed->capacity = capacity;
    }
    memcpy(packed->own + packed->size, piece.at, size);
    packed->size = sum;
    packed->count += count;
    return true;
}

/* --- messages --- */

static bool read_fields(const struct read_frame *f, const struct message *message, void *object,
                        struct wire_cursor c);

static bool read_message(const struct read_frame *f, struct wire_cursor *c, void *object)
{
    struct wire_cursor inner;

    assert(f->field->type);
    if (f->depth >= ONNX_NESTING_MAX)
        return fault(f, c->at, DIAG_ONNX_LIMIT, "messages are nested deeper than %d levels",
                     ONNX_NESTING_MAX);
    return take_sized(f, c, &inner) && read_fields(f, f->field->type, object, inner);
}

/* Read what a field has into its member.  Messages that come twice are merged. */
static bool read_member(const struct read_frame *f, unsigned type, struct wire_cursor *c,
                        void *member)
{
    void *child;

    switch (f->field->kind) {
    case FIELD_INT32:
    case FIELD_INT64:
    case FIELD_FLOAT:
    case FIELD_TEXT:
    case FIELD_BYTES:
        return read_single(f, c, member);
    case FIELD_ONE:
        memcpy(&child, member, sizeof child);
        if (!child)
            child = message_new(f->reader->arena, f->field->type);
        memcpy(member, &child, sizeof child);
        return read_message(f, c, child);
    case FIELD_MANY:
        if (!check_count(f, c, f->index))
            return false;
        child = message_new(f->reader->arena, f->field->type);
        any_list_append(member, child);
        return read_message(f, c, child);
    case FIELD_INTS:
    case FIELD_FLOATS:
    case FIELD_TEXTS:
    case FIELD_BLOBS:
        return read_items(f, type, c, member);
    case FIELD_VARINTS:
    case FIELD_FLOATS32:
    case FIELD_FLOATS64:
        return read_packed(f, type, c, member);
    }
    return false;
}

/* How many items the field has so far; -1 if it is no list. */
static int count_of(const struct message_field *field, const unsigned char *member)
{
    struct any_array array;
    struct any_list list;

    if (field->kind == FIELD_MANY) {
        memcpy(&list, member, sizeof list);
        return list.count;
    }
    if (field_kinds[field->kind].item == 0)
        return -1;
    memcpy(&array, member, sizeof array);
    return array.count;
}

/* Of several alternatives the last one counts, as if it alone had been there. */
static void forget_others(const struct message *message, const struct message_field *field,
                          unsigned char *object)
{
    const void *absent = onnx_absent;

    for (const struct message_field *f = message->field; field->alternative && f->name; f++) {
        if (!f->alternative || f == field)
            continue;
        memset(object + f->offset, 0, field_kinds[f->kind].size);
        if (f->kind == FIELD_TEXT)
            memcpy(object + f->offset, &absent, sizeof absent);
        message_mark(message, object, f, false);
    }
}

static bool read_field(const struct read_frame *outer, const struct message *message,
                       unsigned char *object, struct wire_cursor *c)
{
    static const char *const wire_name[] = {
        [WIRE_VARINT] = "a varint",
        [WIRE_64] = "8 bytes",
        [WIRE_SIZED] = "bytes with their length",
        [WIRE_32] = "4 bytes",
    };
    const struct message_field *field = message->field;
    const unsigned char *start = c->at;
    uint64_t tag;

    if (!read_varint(outer, c, &tag))
        return false;
    unsigned type = tag & 7;
    if (tag >> 3 == 0 || tag > UINT32_MAX)
        return fault(outer, start, DIAG_ONNX_WIRE, "%" PRIu64 " is no number of a field", tag >> 3);
    if (type == WIRE_GROUP || type == WIRE_GROUP_END)
        return fault(outer, start, DIAG_ONNX_WIRE, "a group, which ONNX does not use");
    if (type > WIRE_32)
        return fault(outer, start, DIAG_ONNX_WIRE, "a field of the unknown wire type %u", type);
    while (field->name && (uint64_t)field->number != tag >> 3)
        field++;
    if (!field->name)
        return skip(outer, c, type);

    unsigned char *member = object + field->offset;
    struct read_frame f = {outer->reader, outer, field, count_of(field, member), outer->depth + 1};
    enum wire_type single = field_kinds[field->kind].wire;
    /* Any list may be packed, whatever a single item looks like. */
    if (type != (unsigned)single && !(type == WIRE_SIZED && field->kind >= FIELD_INTS))
        return fault(&f, c->at, DIAG_ONNX_FIELD, "the field is written as %s, expected %s",
                     wire_name[type], wire_name[single]);
    if (arena_used(f.reader->arena) > f.reader->memory_max)
        return fault(&f, c->at, DIAG_ONNX_LIMIT, "the messages take too much memory");
    forget_others(message, field, object);
    message_mark(message, object, field, true);
    return read_member(&f, type, c, member);
}

/* All fields of a message.  A tensor is checked as soon as it is complete. */
static bool read_fields(const struct read_frame *f, const struct message *message, void *object,
                        struct wire_cursor c)
{
    const unsigned char *start = c.at;
    size_t at = (size_t)(c.at - f->reader->start);

    if (message->at)
        memcpy((unsigned char *)object + message->at, &at, sizeof at);
    while (c.at < c.end)
        if (!read_field(f, message, object, &c))
            return false;
    if (message != &message_tensor)
        return true;
    const struct onnx_tensor *tensor = object;
    struct text why = {0};
    bool ok = !onnx_tensor_fault(tensor, &why) ||
              fault(f, start, DIAG_ONNX_TENSOR, "%s%s%s%s", *tensor->name ? "tensor '" : "",
                    tensor->name, *tensor->name ? "': " : "", why.data);
    text_free(&why);
    return ok;
}

static void *read_file(struct diag *diag, struct arena *arena, const char *name,
                       const struct message *message, struct onnx_bytes file)
{
    size_t memory =
        file.size < SIZE_MAX / MEMORY_FACTOR / 2 ? file.size * MEMORY_FACTOR : SIZE_MAX / 2;
    struct message_reader r = {diag, arena, name, file.data,
                               arena_used(arena) + MEMORY_START + memory};
    struct read_frame f = {.reader = &r, .index = -1};
    struct wire_cursor whole = {r.start, r.start + file.size};
    void *object = message_new(arena, message);

    return read_fields(&f, message, object, whole) ? object : NULL;
}

struct onnx_model *onnx_model_read(struct diag *diag, struct arena *arena, const char *name,
                                   struct onnx_bytes file)
{
    struct onnx_model *model = read_file(diag, arena, name, &message_model, file);

    if (!model || model->graph)
        return model;
    diag_file_error(diag, name, DIAG_ONNX_FIELD, "no graph, so this is no model of ONNX");
    return NULL;
}

struct onnx_tensor *onnx_tensor_read(struct diag *diag, struct arena *arena, const char *name,
                                     struct onnx_bytes file)
{
    return read_file(diag, arena, name, &message_tensor, file);
}
