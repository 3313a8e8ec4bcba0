/*
 * onnx_write.c - messages to bytes
 *
 * A message is preceded by its size, so it is gone through twice: first to count, which notes the
 * size of each message inside, then to write, which meets them again in the same order.
 */
#include "convert/proto/onnx_write.h"

#include "base/arena.h"
#include "convert/proto/message_priv.h"
#include "diag/diag.h"
#include "file/file.h"
#include "tensor/bytes.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 256 };

struct message_writer {
    struct diag *diag;
    const struct sink *sink; /* NULL: count only */
    bool ok;
    uint64_t total; /* bytes so far */

    /* Of the messages in the order in which they begin. */
    uint64_t *size;
    size_t count, capacity, next;
};

static void put(struct message_writer *w, const void *data, size_t size)
{
    w->total += size;
    if (w->sink && size)
        w->sink->put(w->sink->to, data, size);
}

static void put_varint(struct message_writer *w, uint64_t value)
{
    unsigned char bytes[VARINT_MAX];

    put(w, bytes, (size_t)varint_store(bytes, value));
}

static void put_tag(struct message_writer *w, const struct message_field *f)
{
    put_varint(w, (uint64_t)f->number << 3 | (uint64_t)field_wire_type(f->kind));
}

static void put_sized(struct message_writer *w, const struct message_field *f, const void *data,
                      size_t size)
{
    put_tag(w, f);
    put_varint(w, size);
    put(w, data, size);
}

static void put_int(struct message_writer *w, const struct message_field *f, int64_t value)
{
    put_tag(w, f);
    put_varint(w, (uint64_t)value);
}

static void put_float(struct message_writer *w, const struct message_field *f, const float *value)
{
    unsigned char bytes[sizeof(uint32_t)];
    uint32_t bits;

    memcpy(&bits, value, sizeof bits);
    bytes_store(bytes, sizeof bytes, bits);
    put_tag(w, f);
    put(w, bytes, sizeof bytes);
}

/* A number that is there: not 0, or marked so. */
static void put_number(struct message_writer *w, const struct message_field *f, const void *member,
                       bool marked)
{
    int64_t wide = 0;
    int32_t narrow = 0;

    if (f->kind == FIELD_INT64) {
        memcpy(&wide, member, sizeof wide);
    } else {
        memcpy(&narrow, member, sizeof narrow);
        wide = narrow;
    }
    if (wide == 0 && !marked)
        return;
    if (f->kind == FIELD_FLOAT)
        put_float(w, f, member);
    else
        put_int(w, f, wide);
}

static size_t size_reserve(struct message_writer *w)
{
    if (w->count == w->capacity) {
        w->capacity = w->capacity ? w->capacity * 2 : FIRST_CAPACITY;
        uint64_t *size = realloc(w->size, w->capacity * sizeof *size);
        if (!size)
            arena_out_of_memory();
        w->size = size;
    }
    return w->count++;
}

static void put_fields(struct message_writer *w, const struct message *message, const void *object);

static void put_message(struct message_writer *w, const struct message_field *f, const void *object)
{
    put_tag(w, f);
    if (w->sink) {
        assert(w->next < w->count);
        put_varint(w, w->size[w->next++]);
        put_fields(w, f->type, object);
        return;
    }
    size_t index = size_reserve(w);
    uint64_t before = w->total;
    put_fields(w, f->type, object);
    w->size[index] = w->total - before;
    put_varint(w, w->size[index]);
}

static void put_list(struct message_writer *w, const struct message_field *f, const void *member)
{
    struct any_list list;

    memcpy(&list, member, sizeof list);
    for (const void *item = list.first; item && w->ok; memcpy(&item, item, sizeof item))
        put_message(w, f, item);
}

static void put_array(struct message_writer *w, const struct message_field *f, const void *member)
{
    struct any_array array;

    memcpy(&array, member, sizeof array);
    for (int i = 0; i < array.count; i++) {
        if (f->kind == FIELD_INTS)
            put_int(w, f, ((const int64_t *)array.item)[i]);
        else if (f->kind == FIELD_FLOATS)
            put_float(w, f, (const float *)array.item + i);
        else if (f->kind == FIELD_TEXTS) {
            const char *text = ((const char *const *)array.item)[i];
            put_sized(w, f, text, strlen(text));
        } else {
            const struct onnx_bytes *bytes = (const struct onnx_bytes *)array.item + i;
            put_sized(w, f, bytes->data, bytes->size);
        }
    }
}

static void put_packed(struct message_writer *w, const struct message_field *f, const void *member)
{
    const struct onnx_packed *packed = member;

    if (packed->size == 0)
        return;
    put_varint(w, (uint64_t)f->number << 3 | WIRE_SIZED);
    put_varint(w, packed->size);
    put(w, packed->data, packed->size);
}

static void pass_on(void *to, const void *data, size_t size)
{
    put(to, data, size);
}

static void put_produced(struct message_writer *w, const struct message_field *f,
                         const struct onnx_tensor *tensor)
{
    put_tag(w, f);
    put_varint(w, tensor->raw_data.size);
    if (!w->sink) {
        w->total += tensor->raw_data.size;
        return;
    }
    uint64_t before = w->total;
    w->ok = tensor->produce(w->diag, &(struct sink){w->sink->name, pass_on, w}, tensor->from);
    assert(!w->ok || w->total - before == tensor->raw_data.size);
    (void)before;
}

static void put_bytes(struct message_writer *w, const struct message *message,
                      const struct message_field *f, const void *object)
{
    const struct onnx_tensor *tensor = message == &message_tensor ? object : NULL;
    struct onnx_bytes bytes;

    memcpy(&bytes, (const unsigned char *)object + f->offset, sizeof bytes);
    if (tensor && tensor->produce)
        put_produced(w, f, tensor);
    else if (bytes.data)
        put_sized(w, f, bytes.data, bytes.size);
}

static void put_text(struct message_writer *w, const struct message_field *f, const void *member)
{
    const char *text;

    memcpy(&text, member, sizeof text);
    if (text && text != onnx_absent)
        put_sized(w, f, text, strlen(text));
}

static void put_one(struct message_writer *w, const struct message_field *f, const void *member)
{
    const void *child;

    memcpy(&child, member, sizeof child);
    if (child)
        put_message(w, f, child);
}

static void put_field(struct message_writer *w, const struct message *message,
                      const struct message_field *f, const void *object)
{
    const unsigned char *member = (const unsigned char *)object + f->offset;

    switch (f->kind) {
    case FIELD_INT32:
    case FIELD_INT64:
    case FIELD_FLOAT:
        put_number(w, f, member, message_marked(message, object, f));
        return;
    case FIELD_TEXT:
        put_text(w, f, member);
        return;
    case FIELD_BYTES:
        put_bytes(w, message, f, object);
        return;
    case FIELD_ONE:
        put_one(w, f, member);
        return;
    case FIELD_MANY:
        put_list(w, f, member);
        return;
    case FIELD_INTS:
    case FIELD_FLOATS:
    case FIELD_TEXTS:
    case FIELD_BLOBS:
        put_array(w, f, member);
        return;
    case FIELD_VARINTS:
    case FIELD_FLOATS32:
    case FIELD_FLOATS64:
        put_packed(w, f, member);
        return;
    }
}

static void put_fields(struct message_writer *w, const struct message *message, const void *object)
{
    for (const struct message_field *f = message->field; f->name && w->ok; f++)
        put_field(w, message, f, object);
}

static struct message_writer counted(struct diag *diag, const struct message *message,
                                     const void *object)
{
    struct message_writer w = {.diag = diag, .ok = true};

    put_fields(&w, message, object);
    return w;
}

/* Ends the writer. */
static bool put_counted(struct message_writer *w, const struct sink *sink,
                        const struct message *message, const void *object)
{
    uint64_t size = w->total;

    w->sink = sink;
    w->total = 0;
    put_fields(w, message, object);
    assert(!w->ok || w->total == size);
    (void)size;
    free(w->size);
    return w->ok;
}

static bool too_large(struct message_writer *w, const char *name)
{
    diag_file_error(w->diag, name, DIAG_ONNX_SIZE,
                    "the model takes %" PRIu64 " bytes, a file of ONNX at most %d", w->total,
                    ONNX_SIZE_MAX);
    free(w->size);
    return false;
}

uint64_t onnx_model_size(const struct onnx_model *model)
{
    struct message_writer w = counted(NULL, &message_model, model);

    free(w.size);
    return w.total;
}

bool onnx_model_put(struct diag *diag, const struct sink *sink, const struct onnx_model *model)
{
    struct message_writer w = counted(diag, &message_model, model);

    if (w.total > ONNX_SIZE_MAX)
        return too_large(&w, sink->name);
    return put_counted(&w, sink, &message_model, model);
}
