/* onnx_fill.c - models of ONNX with anything in them, by the tables of their fields */
#include "support/onnx_message.h"

#include "base/arena.h"
#include "convert/proto/message_priv.h"
#include "exec/random.h"
#include "tensor/bytes.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 8, ITEMS = 3 }; /* levels of messages; numbers in a list, at most */

struct filler {
    struct arena *arena;
    struct random random;
    int percent;
};

static int below(struct filler *f, int count)
{
    return (int)(random_bits(&f->random) >> 33) % count;
}

static bool chance(struct filler *f)
{
    return below(f, 100) < f->percent;
}

/* Often an extreme. */
static int64_t any_int(struct filler *f)
{
    static const int64_t extreme[] = {0,         1,         -1,        127,      128,
                                      INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
    int index = below(f, 12);

    return index < 9 ? extreme[index] : (int64_t)random_bits(&f->random);
}

static float any_float(struct filler *f)
{
    static const float extreme[] = {0, -0.0F, 1e-45F, -3.4e38F};
    int index = below(f, 6);

    return index < 4 ? extreme[index] : (float)random_between(&f->random, -9, 9);
}

static const char *any_text(struct filler *f)
{
    static const char *const text[] = {"", "x", "a longer name/with:anything",
                                       "\xC3\xA4\xE2\x82\xAC"};
    char number[24];
    int index = below(f, 6);

    if (index < 4)
        return text[index];
    int size = snprintf(number, sizeof number, "n%d", below(f, 1000));
    return arena_strndup(f->arena, number, (size_t)size);
}

static struct onnx_bytes any_bytes(struct filler *f, size_t size)
{
    unsigned char *bytes = arena_alloc(f->arena, size + 1);

    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)random_bits(&f->random);
    return (struct onnx_bytes){bytes, size};
}

static struct onnx_packed any_varints(struct filler *f, size_t count, bool narrow)
{
    unsigned char *bytes = arena_alloc(f->arena, count * VARINT_MAX);
    size_t size = 0;

    for (size_t i = 0; i < count; i++) {
        int64_t item = any_int(f);
        if (narrow)
            item = (int32_t)(uint32_t)item;
        size += (size_t)varint_store(bytes + size, (uint64_t)item);
    }
    return (struct onnx_packed){.data = bytes, .size = size, .count = count};
}

static struct onnx_packed any_fixed(struct filler *f, size_t count, size_t width)
{
    struct onnx_bytes bytes = any_bytes(f, count * width);

    return (struct onnx_packed){.data = bytes.data, .size = bytes.size, .count = count};
}

/* Dimensions, a type and data that fit, in any of the fields for them. */
static void fill_data(struct filler *f, struct onnx_tensor *tensor)
{
    static const int32_t type[] = {ONNX_UNDEFINED, ONNX_FLOAT16, ONNX_FLOAT,
                                   ONNX_BFLOAT16,  ONNX_STRING,  ONNX_INT64,
                                   ONNX_DOUBLE,    ONNX_UINT32,  ONNX_INT8};
    int place = below(f, 9);
    size_t count = 2 * (size_t)below(f, ITEMS);

    tensor->dims.item = arena_array_of(f->arena, int64_t, 2);
    tensor->dims.item[0] = 2;
    tensor->dims.item[1] = (int64_t)count / 2;
    tensor->dims.count = 2;
    tensor->data_type = type[place];
    if (place == 1)
        tensor->raw_data = any_bytes(f, count * 2);
    else if (place == 2)
        tensor->float_data = any_fixed(f, count, 4);
    else if (place == 3)
        tensor->int32_data = any_varints(f, count, true);
    else if (place == 5)
        tensor->int64_data = any_varints(f, count, false);
    else if (place == 6)
        tensor->double_data = any_fixed(f, count, 8);
    else if (place == 7)
        tensor->uint64_data = any_varints(f, count, false);
    else if (place == 8)
        tensor->data_location = ONNX_LOCATION_EXTERNAL;
    for (size_t i = 0; place == 4 && i < count; i++) {
        struct onnx_bytes *room = any_array_append(f->arena, &tensor->string_data, sizeof *room);
        *room = any_bytes(f, i);
    }
}

/* The fields that fill_data() is for. */
static bool is_data(const struct message *message, const struct message_field *field)
{
    return message == &message_tensor && field->kind != FIELD_TEXT && field->kind != FIELD_ONE &&
           field->kind != FIELD_MANY;
}

static void *any_message(struct filler *f, const struct message *message, int depth);

static void fill_item(struct filler *f, const struct message_field *field, void *member)
{
    if (field->kind == FIELD_INTS)
        *(int64_t *)any_array_append(f->arena, member, sizeof(int64_t)) = any_int(f);
    else if (field->kind == FIELD_FLOATS)
        *(float *)any_array_append(f->arena, member, sizeof(float)) = any_float(f);
    else if (field->kind == FIELD_TEXTS)
        *(const char **)any_array_append(f->arena, member, sizeof(char *)) = any_text(f);
    else
        *(struct onnx_bytes *)any_array_append(f->arena, member, sizeof(struct onnx_bytes)) =
            any_bytes(f, (size_t)below(f, ITEMS));
}

static void fill_single(struct filler *f, const struct message_field *field, void *member)
{
    int64_t wide = any_int(f);
    int32_t narrow = (int32_t)(uint32_t)wide;
    float real = any_float(f);
    const char *text = any_text(f);
    struct onnx_bytes bytes = any_bytes(f, (size_t)below(f, ITEMS));

    if (field->kind == FIELD_INT32)
        memcpy(member, &narrow, sizeof narrow);
    else if (field->kind == FIELD_INT64)
        memcpy(member, &wide, sizeof wide);
    else if (field->kind == FIELD_FLOAT)
        memcpy(member, &real, sizeof real);
    else if (field->kind == FIELD_TEXT)
        memcpy(member, &text, sizeof text);
    else
        memcpy(member, &bytes, sizeof bytes);
}

static void fill_field(struct filler *f, const struct message_field *field, void *member, int depth)
{
    int count = 1 + below(f, ITEMS);
    void *child;

    if (field->kind == FIELD_ONE) {
        child = any_message(f, field->type, depth + 1);
        memcpy(member, &child, sizeof child);
    } else if (field->kind < FIELD_INTS) {
        fill_single(f, field, member);
    } else if (field->kind == FIELD_MANY) {
        for (int i = 0; i < count; i++)
            any_list_append(member, any_message(f, field->type, depth + 1));
    } else {
        for (int i = 0; i < count; i++)
            fill_item(f, field, member);
    }
}

/* Of several alternatives one at most. */
static bool is_chosen(struct filler *f, const struct message_field *field, bool *taken)
{
    if (!chance(f) || (field->alternative && *taken))
        return false;
    if (field->alternative && below(f, 3) > 0)
        return false;
    *taken |= field->alternative;
    return true;
}

static void *any_message(struct filler *f, const struct message *message, int depth)
{
    bool taken = false;

    assert(message);
    unsigned char *object = message_new(f->arena, message);

    for (const struct message_field *field = message->field; field->name; field++) {
        bool deep = field->type && depth >= DEPTH_MAX;
        if (deep || is_data(message, field) || !is_chosen(f, field, &taken))
            continue;
        fill_field(f, field, object + field->offset, depth);
        message_mark(message, object, field, true);
    }
    if (message == &message_tensor && chance(f))
        fill_data(f, (struct onnx_tensor *)(void *)object);
    return object;
}

struct onnx_model *onnx_random_model(struct arena *arena, uint64_t seed, int percent)
{
    struct filler f = {arena, random_stream(seed, "model"), percent};
    struct onnx_model *model = any_message(&f, &message_model, 1);

    if (!model->graph)
        model->graph = any_message(&f, &message_graph, 2);
    return model;
}
