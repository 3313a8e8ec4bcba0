/* message.c - what reader, writer and builder share; the messages are made of messages.def */
#include "convert/proto/message_priv.h"

#include "base/arena.h"

#include <assert.h>
#include <string.h>

const char onnx_absent[] = "";

/* Lists and arrays of any type are laid out as one of these. */
static_assert(sizeof(struct any_list) == sizeof(struct onnx_tensor_list), "as LIST_OF() has it");
static_assert(sizeof(struct any_array) == sizeof(struct onnx_ints), "as arrays of numbers");
static_assert(sizeof(struct any_array) == sizeof(struct onnx_texts), "as arrays of texts");
static_assert(offsetof(struct onnx_tensor, next) == 0, "lists are linked by the first member");

const struct field_kind_info field_kinds[] = {
    [FIELD_INT32] = {WIRE_VARINT, sizeof(int32_t), 0},
    [FIELD_INT64] = {WIRE_VARINT, sizeof(int64_t), 0},
    [FIELD_FLOAT] = {WIRE_32, sizeof(float), 0},
    [FIELD_TEXT] = {WIRE_SIZED, sizeof(char *), 0},
    [FIELD_BYTES] = {WIRE_SIZED, sizeof(struct onnx_bytes), 0},
    [FIELD_ONE] = {WIRE_SIZED, sizeof(void *), 0},
    [FIELD_INTS] = {WIRE_VARINT, sizeof(struct onnx_ints), sizeof(int64_t)},
    [FIELD_FLOATS] = {WIRE_32, sizeof(struct onnx_floats), sizeof(float)},
    [FIELD_TEXTS] = {WIRE_SIZED, sizeof(struct onnx_texts), sizeof(char *)},
    [FIELD_BLOBS] = {WIRE_SIZED, sizeof(struct onnx_blobs), sizeof(struct onnx_bytes)},
    [FIELD_MANY] = {WIRE_SIZED, sizeof(struct any_list), 0},
    [FIELD_VARINTS] = {WIRE_VARINT, sizeof(struct onnx_packed), 0},
    [FIELD_FLOATS32] = {WIRE_32, sizeof(struct onnx_packed), 0},
    [FIELD_FLOATS64] = {WIRE_64, sizeof(struct onnx_packed), 0},
};

void *message_new(struct arena *arena, const struct message *message)
{
    const char *absent = onnx_absent;
    unsigned char *object = arena_alloc(arena, message->size);

    for (const struct message_field *f = message->field; f->name; f++)
        if (f->kind == FIELD_TEXT)
            memcpy(object + f->offset, &absent, sizeof absent);
    return object;
}

static uint32_t load_marks(const struct message *message, const void *object)
{
    uint32_t marks;

    memcpy(&marks, (const unsigned char *)object + message->has, sizeof marks);
    return marks;
}

bool message_marked(const struct message *message, const void *object,
                    const struct message_field *field)
{
    assert(field->number < 32);
    return load_marks(message, object) >> field->number & 1;
}

void message_mark(const struct message *message, void *object, const struct message_field *field,
                  bool marked)
{
    uint32_t bit = UINT32_C(1) << field->number, marks = load_marks(message, object);

    assert(field->number > 0 && field->number < 32);
    marks = marked ? marks | bit : marks & ~bit;
    memcpy((unsigned char *)object + message->has, &marks, sizeof marks);
}

void any_list_append(void *list, void *item)
{
    struct any_list l;

    assert(item);
    memcpy(&l, list, sizeof l);
    if (l.last)
        memcpy(l.last, &item, sizeof item);
    else
        l.first = item;
    l.last = item;
    l.count++;
    memcpy(list, &l, sizeof l);
}

void *any_array_append(struct arena *arena, void *array, size_t size)
{
    struct any_array a;

    memcpy(&a, array, sizeof a);
    a.item = arena_list(arena, a.item, a.count, size);
    unsigned char *room = (unsigned char *)a.item + (size_t)a.count * size;
    a.count++;
    memcpy(array, &a, sizeof a);
    return room;
}

/* --- the table ------------------------------------------------------------------------------ */

#define MEMBER(message, id, member, what)                                             \
    .name = #member, .offset = offsetof(struct onnx_##message, member), .number = id, \
    .kind = FIELD_##what

/* clang-format off */
#define MESSAGE(message, at) static const struct message_field message##_fields[] = {
#define FIELD(message, id, member, what) \
    {MEMBER(message, id, member, what)},
#define CHILD(message, id, member, what, of) \
    {MEMBER(message, id, member, what), .type = &message_##of},
#define CHOICE(message, id, member, what) \
    {MEMBER(message, id, member, what), .alternative = true},
#define CHOICE_OF(message, id, member, what, of) \
    {MEMBER(message, id, member, what), .type = &message_##of, .alternative = true},
#define ASIDE(member)
#define END(message) {.name = NULL}};
/* clang-format on */
#include "convert/proto/messages.def"

#define MESSAGE(type, at)                                              \
    const struct message message_##type = {sizeof(struct onnx_##type), \
                                           offsetof(struct onnx_##type, has), at, type##_fields};
#define FIELD(...)
#define CHILD(...)
#define CHOICE(...)
#define CHOICE_OF(...)
#define ASIDE(member)
#define END(message)
#include "convert/proto/messages.def"
