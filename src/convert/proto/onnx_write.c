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
#include "file/out.h"
#include "tensor/bytes.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct message_writer {
    struct diag *diag;
    const struct sink *sink; /* NULL: count only */
    bool ok;
    uint64_t total; /* bytes so far */

    uint64_t *size;      /* of the messages, in the order in which they begin */
    int64_t count, next; /* of them; the next to be written */
};

/* Also the `put` of the sink that a producer of data writes to. */
static void put(void *to, const void *data, size_t size)
{
    struct message_writer *w = to;

    w->total += size;
    if (w->sink && size)
        w->sink->put(w->sink->to, data, size);
}

static void put_varint(struct message_writer *w, uint64_t value)
{
    unsigned char bytes[VARINT_MAX];

    put(w, bytes, (size_t)varint_store(bytes, value));
}

static void put_tag(struct message_writer *w, const struct message_field *f, enum wire_type type)
{
    assert(f->number > 0);
    put_varint(w, (uint64_t)f->number << 3 | (uint64_t)type);
}

static void put_sized(struct message_writer *w, const struct message_field *f, const void *data,
                      size_t size)
{
    put_tag(w, f, WIRE_SIZED);
    put_varint(w, size);
    put(w, data, size);
}

/* A number, a text or bytes, be it a member of its own or an item of an array. */
static void put_item(struct message_writer *w, const struct message_field *f, const void *item)
{
    const enum field_kind kind = f->kind;
    unsigned char bytes[sizeof(uint32_t)];
    struct onnx_bytes blob;
    const char *text;
    int64_t wide = 0;
    int32_t narrow;
    uint32_t bits;

    if (field_kinds[kind].wire == WIRE_VARINT) {
        if (kind == FIELD_INT32) {
            memcpy(&narrow, item, sizeof narrow);
            wide = narrow; /* negative numbers take 64 bits on the wire */
        } else {
            memcpy(&wide, item, sizeof wide);
        }
        put_tag(w, f, WIRE_VARINT);
        put_varint(w, (uint64_t)wide);
    } else if (field_kinds[kind].wire == WIRE_32) {
        memcpy(&bits, item, sizeof bits);
        bytes_store(bytes, sizeof bytes, bits);
        put_tag(w, f, WIRE_32);
        put(w, bytes, sizeof bytes);
    } else if (kind == FIELD_TEXT || kind == FIELD_TEXTS) {
        memcpy(&text, item, sizeof text);
        put_sized(w, f, text, strlen(text));
    } else {
        memcpy(&blob, item, sizeof blob);
        put_sized(w, f, blob.data, blob.size);
    }
}

static void put_fields(struct message_writer *w, const struct message *message, const void *object);

/* The first time through, the sizes of messages are noted; the second time they are written. */
static void put_message(struct message_writer *w, const struct message_field *f, const void *object)
{
    put_tag(w, f, WIRE_SIZED);
    if (w->sink) {
        assert(w->next < w->count);
        put_varint(w, w->size[w->next++]);
        put_fields(w, f->type, object);
        return;
    }
    w->size = heap_list(w->size, w->count, sizeof *w->size);
    int64_t index = w->count++;
    uint64_t before = w->total;
    put_fields(w, f->type, object);
    w->size[index] = w->total - before;
    put_varint(w, w->size[index]);
}

/* Data of a tensor that are made only now. */
static void put_produced(struct message_writer *w, const struct message_field *f,
                         const struct onnx_tensor *tensor)
{
    put_tag(w, f, WIRE_SIZED);
    put_varint(w, tensor->raw_data.size);
    if (!w->sink) {
        w->total += tensor->raw_data.size;
        return;
    }
    uint64_t before = w->total;
    w->ok = tensor->produce(w->diag, &(struct sink){w->sink->name, put, w}, tensor->from);
    assert(!w->ok || w->total - before == tensor->raw_data.size);
    (void)before;
}

/* Nothing is put for what is absent: see onnx.h for what counts as that. */
static void put_field(struct message_writer *w, const struct message *message,
                      const struct message_field *f, const void *object)
{
    static const unsigned char zero[sizeof(int64_t)] = {0};
    const unsigned char *member = (const unsigned char *)object + f->offset;
    const struct onnx_tensor *tensor = message == &message_tensor ? object : NULL;
    const struct onnx_packed *packed;
    const void *pointer;
    struct any_array array;
    struct any_list list;

    switch (f->kind) {
    case FIELD_INT32:
    case FIELD_FLOAT:
    case FIELD_INT64:
        if (message_marked(message, object, f) ||
            memcmp(member, zero, field_kinds[f->kind].size) != 0)
            put_item(w, f, member);
        return;
    case FIELD_TEXT:
    case FIELD_BYTES: /* both begin with a pointer */
        memcpy(&pointer, member, sizeof pointer);
        if (f->kind == FIELD_BYTES && tensor && tensor->produce)
            put_produced(w, f, tensor);
        else if (pointer && (f->kind == FIELD_BYTES || pointer != onnx_absent))
            put_item(w, f, member);
        return;
    case FIELD_ONE:
        memcpy(&pointer, member, sizeof pointer);
        if (pointer)
            put_message(w, f, pointer);
        return;
    case FIELD_MANY:
        memcpy(&list, member, sizeof list);
        for (const void *item = list.first; item && w->ok; memcpy(&item, item, sizeof item))
            put_message(w, f, item);
        return;
    case FIELD_INTS:
    case FIELD_FLOATS:
    case FIELD_TEXTS:
    case FIELD_BLOBS:
        memcpy(&array, member, sizeof array);
        for (size_t i = 0; i < (size_t)array.count; i++)
            put_item(w, f, (const unsigned char *)array.item + i * field_kinds[f->kind].item);
        return;
    case FIELD_VARINTS:
    case FIELD_FLOATS32:
    case FIELD_FLOATS64:
        packed = (const void *)member;
        if (packed->size > 0)
            put_sized(w, f, packed->data, packed->size);
        return;
    }
}

static void put_fields(struct message_writer *w, const struct message *message, const void *object)
{
    for (const struct message_field *f = message->field; f->name && w->ok; f++)
        put_field(w, message, f, object);
}

static struct message_writer counted(struct diag *diag, const struct onnx_model *model)
{
    struct message_writer w = {.diag = diag, .ok = true};

    put_fields(&w, &message_model, model);
    return w;
}

uint64_t onnx_model_size(const struct onnx_model *model)
{
    struct message_writer w = counted(NULL, model);

    free(w.size);
    return w.total;
}

bool onnx_model_put(struct diag *diag, const struct sink *sink, const struct onnx_model *model)
{
    struct message_writer w = counted(diag, model);
    uint64_t size = w.total;

    if (size > ONNX_SIZE_MAX) {
        diag_file_error(diag, sink->name, DIAG_ONNX_SIZE,
                        "the model takes %" PRIu64 " bytes, a file of ONNX at most %d", size,
                        ONNX_SIZE_MAX);
        free(w.size);
        return false;
    }
    w.sink = sink;
    w.total = 0;
    put_fields(&w, &message_model, model);
    assert(!w.ok || (w.total == size && w.next == w.count));
    free(w.size);
    return w.ok;
}
