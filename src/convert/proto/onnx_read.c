/*
 * onnx_read.c - bytes to messages
 *
 * Each field on the way down has a frame on the stack, which is where a report takes the path from.
 */
#include "convert/proto/onnx_read.h"

#include "base/arena.h"
#include "base/text.h"
#include "convert/proto/message_priv.h"
#include "convert/proto/onnx_data.h"
#include "diag/diag.h"
#include "tensor/bytes.h"

#include <inttypes.h>
#include <string.h>

/* What messages take is about ten times their bytes; the smallest possible ones take a hundred. */
enum { MEMORY_FACTOR = 32, MEMORY_START = 64 << 20, ITEMS_MAX = 1 << 28 };

struct message_reader {
    struct diag *diag;
    struct arena *arena;
    const char *name;
    const unsigned char *start; /* of the file */
    size_t memory_max;
};

struct wire_cursor {
    const unsigned char *at, *end;
};

/* A field being read, and the ones that it is in; NULL: the message of the file. */
struct read_frame {
    const struct read_frame *outer;
    const struct message_field *field;
    int index; /* -1: not in a list */
    int depth;
};

static void add_path(struct text *text, const struct read_frame *f)
{
    if (f->outer) {
        add_path(text, f->outer);
        text_add(text, ".");
    }
    text_add(text, "%s", f->field->name);
    if (f->index >= 0)
        text_add(text, "[%d]", f->index);
}

static bool fault(const struct message_reader *r, const struct read_frame *f,
                  const unsigned char *at, enum diag_code code, const char *fmt, ...)
    PRINTF_LIKE(5, 6);

static bool fault(const struct message_reader *r, const struct read_frame *f,
                  const unsigned char *at, enum diag_code code, const char *fmt, ...)
{
    struct text text = {0};
    va_list args;

    text_add(&text, "byte %zu", (size_t)(at - r->start));
    if (f) {
        text_add(&text, ", ");
        add_path(&text, f);
    }
    text_add(&text, ": ");
    va_start(args, fmt);
    text_add_v(&text, fmt, args);
    va_end(args);
    diag_file_error(r->diag, r->name, code, "%s", text.data);
    text_free(&text);
    return false;
}

static bool read_varint(const struct message_reader *r, const struct read_frame *f,
                        struct wire_cursor *c, uint64_t *value)
{
    int took = varint_load(c->at, (size_t)(c->end - c->at), value);

    if (took == 0 && c->end - c->at < VARINT_MAX)
        return fault(r, f, c->at, DIAG_ONNX_WIRE, "a number reaches past the end of its message");
    if (took == 0)
        return fault(r, f, c->at, DIAG_ONNX_WIRE, "a number has more than 64 bits");
    c->at += took;
    return true;
}

/* `size` bytes, which *c is moved behind. */
static bool take(const struct message_reader *r, const struct read_frame *f, struct wire_cursor *c,
                 uint64_t size, struct wire_cursor *taken)
{
    size_t left = (size_t)(c->end - c->at);

    if (size > left)
        return fault(r, f, c->at, DIAG_ONNX_WIRE,
                     "a length of %" PRIu64 ", but its message ends after %zu", size, left);
    *taken = (struct wire_cursor){c->at, c->at + size};
    c->at += size;
    return true;
}

static bool take_sized(const struct message_reader *r, const struct read_frame *f,
                       struct wire_cursor *c, struct wire_cursor *taken)
{
    uint64_t size;

    return read_varint(r, f, c, &size) && take(r, f, c, size, taken);
}

static const char *wire_name(unsigned type)
{
    static const char *const name[] = {
        [WIRE_VARINT] = "a varint",
        [WIRE_64] = "8 bytes",
        [WIRE_SIZED] = "bytes with their length",
        [WIRE_32] = "4 bytes",
    };

    return name[type];
}

static bool check_wire_type(const struct message_reader *r, const struct read_frame *f,
                            const unsigned char *at, unsigned type)
{
    if (type == WIRE_GROUP || type == WIRE_GROUP_END)
        return fault(r, f, at, DIAG_ONNX_WIRE, "a group, which ONNX does not use");
    if (type > WIRE_32)
        return fault(r, f, at, DIAG_ONNX_WIRE, "a field of the unknown wire type %u", type);
    return true;
}

static bool skip(const struct message_reader *r, const struct read_frame *f, struct wire_cursor *c,
                 unsigned type)
{
    struct wire_cursor skipped;
    uint64_t number;

    if (type == WIRE_VARINT)
        return read_varint(r, f, c, &number);
    if (type == WIRE_SIZED)
        return take_sized(r, f, c, &skipped);
    return take(r, f, c, type == WIRE_32 ? 4 : 8, &skipped);
}

/* --- single items: each stores what it read, for which there is room --- */

static bool read_int(const struct message_reader *r, const struct read_frame *f,
                     struct wire_cursor *c, void *to)
{
    uint64_t bits;

    if (!read_varint(r, f, c, &bits))
        return false;
    int64_t wide = (int64_t)bits;
    int32_t narrow = (int32_t)(uint32_t)bits; /* as protocol buffers cut it */
    if (f->field->kind == FIELD_INT32)
        memcpy(to, &narrow, sizeof narrow);
    else
        memcpy(to, &wide, sizeof wide);
    return true;
}

static bool read_float(const struct message_reader *r, const struct read_frame *f,
                       struct wire_cursor *c, void *to)
{
    struct wire_cursor item = *c;

    if (!take(r, f, c, sizeof(float), &item))
        return false;
    uint32_t bits = bytes_load32(item.at);
    memcpy(to, &bits, sizeof bits);
    return true;
}

static bool read_text(const struct message_reader *r, const struct read_frame *f,
                      struct wire_cursor *c, void *to)
{
    struct wire_cursor text = {0};

    if (!take_sized(r, f, c, &text))
        return false;
    size_t size = (size_t)(text.end - text.at);
    const unsigned char *zero = size ? memchr(text.at, 0, size) : NULL;
    if (zero)
        return fault(r, f, zero, DIAG_ONNX_FIELD, "a zero byte in a text");
    const char *copy = arena_strndup(r->arena, (const char *)text.at, size);
    memcpy(to, &copy, sizeof copy);
    return true;
}

static bool read_bytes(const struct message_reader *r, const struct read_frame *f,
                       struct wire_cursor *c, void *to)
{
    struct wire_cursor bytes = {0};

    if (!take_sized(r, f, c, &bytes))
        return false;
    struct onnx_bytes view = {bytes.at, (size_t)(bytes.end - bytes.at)};
    memcpy(to, &view, sizeof view);
    return true;
}

/* --- lists of items --- */

struct item_kind {
    bool (*read)(const struct message_reader *r, const struct read_frame *f, struct wire_cursor *c,
                 void *to);
    size_t size;
};

static bool check_count(const struct message_reader *r, const struct read_frame *f,
                        const struct wire_cursor *c, int count)
{
    return count < ITEMS_MAX ||
           fault(r, f, c->at, DIAG_ONNX_LIMIT, "more than %d items", ITEMS_MAX);
}

static bool read_item(const struct message_reader *r, const struct read_frame *f,
                      struct item_kind kind, struct wire_cursor *c, void *array)
{
    struct any_array before;

    memcpy(&before, array, sizeof before);
    return check_count(r, f, c, before.count) &&
           kind.read(r, f, c, any_array_append(r->arena, array, kind.size));
}

/* One item, or as many as are packed. */
static bool read_numbers(const struct message_reader *r, const struct read_frame *f, unsigned type,
                         struct wire_cursor *c, void *array)
{
    struct item_kind kind = f->field->kind == FIELD_INTS
                                ? (struct item_kind){read_int, sizeof(int64_t)}
                                : (struct item_kind){read_float, sizeof(float)};
    struct wire_cursor packed = {0};

    if (type != WIRE_SIZED)
        return read_item(r, f, kind, c, array);
    bool ok = take_sized(r, f, c, &packed);
    while (ok && packed.at < packed.end)
        ok = read_item(r, f, kind, &packed, array);
    return ok;
}

static bool count_varints(const struct message_reader *r, const struct read_frame *f,
                          struct wire_cursor c, size_t *count)
{
    uint64_t value;

    for (*count = 0; c.at < c.end; ++*count)
        if (!read_varint(r, f, &c, &value))
            return false;
    return true;
}

static bool count_packed(const struct message_reader *r, const struct read_frame *f,
                         struct wire_cursor c, size_t *count)
{
    size_t size = (size_t)(c.end - c.at), width = f->field->kind == FIELD_FLOATS32 ? 4 : 8;

    if (f->field->kind == FIELD_VARINTS)
        return count_varints(r, f, c, count);
    *count = size / width;
    return size % width == 0 ||
           fault(r, f, c.at, DIAG_ONNX_WIRE, "%zu bytes hold no numbers of %zu bytes", size, width);
}

/* A view as long as there is but one piece. */
static void packed_append(struct arena *arena, struct onnx_packed *packed, struct wire_cursor piece,
                          size_t count)
{
    size_t size = (size_t)(piece.end - piece.at), sum = packed->size + size;

    if (packed->size == 0) {
        *packed = (struct onnx_packed){.data = piece.at, .size = size, .count = count};
        return;
    }
    if (sum > packed->capacity) {
        size_t capacity = sum > 2 * packed->capacity ? sum : 2 * packed->capacity;
        unsigned char *data = arena_alloc(arena, capacity);
        memcpy(data, packed->data, packed->size);
        packed->data = packed->own = data;
        packed->capacity = capacity;
    }
    memcpy(packed->own + packed->size, piece.at, size);
    packed->size = sum;
    packed->count += count;
}

static bool read_packed(const struct message_reader *r, const struct read_frame *f, unsigned type,
                        struct wire_cursor *c, void *member)
{
    struct wire_cursor piece = *c;
    size_t count;
    bool ok;

    if (type == WIRE_SIZED) {
        ok = take_sized(r, f, c, &piece);
    } else {
        ok = skip(r, f, c, type);
        piece.end = c->at;
    }
    if (!ok || !count_packed(r, f, piece, &count))
        return false;
    packed_append(r->arena, member, piece, count);
    return true;
}

/* --- messages --- */

static bool read_fields(const struct message_reader *r, const struct read_frame *f,
                        const struct message *message, void *object, struct wire_cursor c);

static bool read_message(const struct message_reader *r, const struct read_frame *f,
                         struct wire_cursor *c, void *object)
{
    struct wire_cursor inner;

    if (f->depth >= ONNX_NESTING_MAX)
        return fault(r, f, c->at, DIAG_ONNX_LIMIT, "messages are nested deeper than %d levels",
                     ONNX_NESTING_MAX);
    return take_sized(r, f, c, &inner) && read_fields(r, f, f->field->type, object, inner);
}

static bool read_one(const struct message_reader *r, const struct read_frame *f,
                     struct wire_cursor *c, void *member)
{
    void *child;

    memcpy(&child, member, sizeof child);
    if (!child)
        child = message_new(r->arena, f->field->type);
    memcpy(member, &child, sizeof child);
    return read_message(r, f, c, child);
}

static bool read_many(const struct message_reader *r, const struct read_frame *f,
                      struct wire_cursor *c, void *member)
{
    if (!check_count(r, f, c, f->index))
        return false;
    void *item = message_new(r->arena, f->field->type);
    any_list_append(member, item);
    return read_message(r, f, c, item);
}

static bool read_member(const struct message_reader *r, const struct read_frame *f, unsigned type,
                        struct wire_cursor *c, void *member)
{
    switch (f->field->kind) {
    case FIELD_INT32:
    case FIELD_INT64:
        return read_int(r, f, c, member);
    case FIELD_FLOAT:
        return read_float(r, f, c, member);
    case FIELD_TEXT:
        return read_text(r, f, c, member);
    case FIELD_BYTES:
        return read_bytes(r, f, c, member);
    case FIELD_ONE:
        return read_one(r, f, c, member);
    case FIELD_MANY:
        return read_many(r, f, c, member);
    case FIELD_INTS:
    case FIELD_FLOATS:
        return read_numbers(r, f, type, c, member);
    case FIELD_TEXTS:
        return read_item(r, f, (struct item_kind){read_text, sizeof(char *)}, c, member);
    case FIELD_BLOBS:
        return read_item(r, f, (struct item_kind){read_bytes, sizeof(struct onnx_bytes)}, c,
                         member);
    case FIELD_VARINTS:
    case FIELD_FLOATS32:
    case FIELD_FLOATS64:
        return read_packed(r, f, type, c, member);
    }
    return false;
}

/* How many items the field has so far; -1 if it is no list. */
static int index_of(const struct message_field *field, const unsigned char *member)
{
    struct any_array array;
    struct any_list list;

    switch (field->kind) {
    case FIELD_MANY:
        memcpy(&list, member, sizeof list);
        return list.count;
    case FIELD_INTS:
    case FIELD_FLOATS:
    case FIELD_TEXTS:
    case FIELD_BLOBS:
        memcpy(&array, member, sizeof array);
        return array.count;
    case FIELD_INT32:
    case FIELD_INT64:
    case FIELD_FLOAT:
    case FIELD_TEXT:
    case FIELD_BYTES:
    case FIELD_ONE:
    case FIELD_VARINTS:
    case FIELD_FLOATS32:
    case FIELD_FLOATS64:
        break;
    }
    return -1;
}

/* Of several alternatives the last one counts, as if it alone had been there. */
static void forget_others(const struct message *message, const struct message_field *field,
                          unsigned char *object)
{
    const void *none = NULL, *absent = onnx_absent;
    const int64_t zero = 0;

    for (const struct message_field *f = message->field; field->alternative && f->name; f++) {
        if (!f->alternative || f == field)
            continue;
        if (f->kind == FIELD_TEXT)
            memcpy(object + f->offset, &absent, sizeof absent);
        else if (f->kind == FIELD_ONE)
            memcpy(object + f->offset, &none, sizeof none);
        else if (f->kind == FIELD_INT64)
            memcpy(object + f->offset, &zero, sizeof zero);
        message_mark(message, object, f, false);
    }
}

/* How it is written, or packed. */
static bool wire_type_fits(const struct message_field *field, unsigned type)
{
    enum wire_type single = field_wire_type(field->kind);

    return type == (unsigned)single || (type == WIRE_SIZED && field->kind >= FIELD_INTS);
}

static bool check_field(const struct message_reader *r, const struct read_frame *f,
                        const struct wire_cursor *c, unsigned type)
{
    if (!wire_type_fits(f->field, type))
        return fault(r, f, c->at, DIAG_ONNX_FIELD, "the field is written as %s, expected %s",
                     wire_name(type), wire_name(field_wire_type(f->field->kind)));
    if (arena_used(r->arena) > r->memory_max)
        return fault(r, f, c->at, DIAG_ONNX_LIMIT, "the messages take too much memory");
    return true;
}

/* Where a message is to be put. */
struct read_target {
    const struct message *message;
    unsigned char *object;
};

static bool read_known(const struct message_reader *r, const struct read_frame *f, unsigned type,
                       struct read_target to, struct wire_cursor *c)
{
    if (!check_field(r, f, c, type))
        return false;
    forget_others(to.message, f->field, to.object);
    message_mark(to.message, to.object, f->field, true);
    return read_member(r, f, type, c, to.object + f->field->offset);
}

static const struct message_field *find_field(const struct message *message, uint64_t number)
{
    for (const struct message_field *f = message->field; f->name; f++)
        if ((uint64_t)f->number == number)
            return f;
    return NULL;
}

static bool read_field(const struct message_reader *r, const struct read_frame *outer,
                       struct read_target to, struct wire_cursor *c)
{
    const unsigned char *start = c->at;
    uint64_t tag;

    if (!read_varint(r, outer, c, &tag))
        return false;
    unsigned type = tag & 7;
    if (tag >> 3 == 0 || tag > UINT32_MAX)
        return fault(r, outer, start, DIAG_ONNX_WIRE, "%" PRIu64 " is no number of a field",
                     tag >> 3);
    if (!check_wire_type(r, outer, start, type))
        return false;
    const struct message_field *field = find_field(to.message, tag >> 3);
    if (!field)
        return skip(r, outer, c, type);
    struct read_frame inner = {outer, field, index_of(field, to.object + field->offset),
                               outer ? outer->depth + 1 : 1};
    return read_known(r, &inner, type, to, c);
}

static bool check_tensor(const struct message_reader *r, const struct read_frame *f,
                         const unsigned char *start, const struct onnx_tensor *tensor)
{
    struct text why = {0};
    bool ok = !onnx_tensor_fault(tensor, &why) ||
              fault(r, f, start, DIAG_ONNX_TENSOR, "%s%s%s%s", *tensor->name ? "tensor '" : "",
                    tensor->name, *tensor->name ? "': " : "", why.data);

    text_free(&why);
    return ok;
}

static bool read_fields(const struct message_reader *r, const struct read_frame *f,
                        const struct message *message, void *object, struct wire_cursor c)
{
    const unsigned char *start = c.at;
    struct read_target to = {message, object};
    size_t at = (size_t)(c.at - r->start);

    if (message->at)
        memcpy((unsigned char *)object + message->at, &at, sizeof at);
    while (c.at < c.end)
        if (!read_field(r, f, to, &c))
            return false;
    return message != &message_tensor || check_tensor(r, f, start, object);
}

static void *read_file(struct diag *diag, struct arena *arena, const char *name,
                       const struct message *message, struct onnx_bytes file)
{
    size_t memory =
        file.size < SIZE_MAX / MEMORY_FACTOR / 2 ? file.size * MEMORY_FACTOR : SIZE_MAX / 2;
    struct message_reader r = {diag, arena, name, file.data,
                               arena_used(arena) + MEMORY_START + memory};
    struct wire_cursor whole = {r.start, r.start + file.size};
    void *object = message_new(arena, message);

    return read_fields(&r, NULL, message, object, whole) ? object : NULL;
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
