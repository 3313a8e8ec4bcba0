/* onnx_same.c - whether two models of ONNX are the same, by the tables of their fields */
#include "support/onnx_message.h"

#include "convert/proto/message_priv.h"

#include <string.h>

static bool same_message(const struct message *message, const void *a, const void *b,
                         struct text *where);

static bool same_bytes(struct onnx_bytes a, struct onnx_bytes b)
{
    if (!a.data || !b.data)
        return a.data == b.data;
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

/* By their bits, since -0 is not 0 and NaN is itself. */
static bool same_floats(float a, float b)
{
    uint32_t one, other;

    memcpy(&one, &a, sizeof one);
    memcpy(&other, &b, sizeof other);
    return one == other;
}

static bool same_text(const char *a, const char *b)
{
    bool a_absent = !a || a == onnx_absent, b_absent = !b || b == onnx_absent;

    return a_absent || b_absent ? a_absent == b_absent : strcmp(a, b) == 0;
}

static bool same_lists(const struct message_field *f, const void *a, const void *b,
                       struct text *where)
{
    struct any_list one, other;

    memcpy(&one, a, sizeof one);
    memcpy(&other, b, sizeof other);
    const void *x = one.first, *y = other.first;
    while (x && y && same_message(f->type, x, y, where)) {
        memcpy(&x, x, sizeof x);
        memcpy(&y, y, sizeof y);
    }
    return !x && !y && one.count == other.count;
}

static bool same_items(const struct message_field *f, const struct any_array *a,
                       const struct any_array *b, int i)
{
    if (f->kind == FIELD_INTS)
        return ((const int64_t *)a->item)[i] == ((const int64_t *)b->item)[i];
    if (f->kind == FIELD_FLOATS)
        return same_floats(((const float *)a->item)[i], ((const float *)b->item)[i]);
    if (f->kind == FIELD_TEXTS)
        return strcmp(((const char *const *)a->item)[i], ((const char *const *)b->item)[i]) == 0;
    return same_bytes(((const struct onnx_bytes *)a->item)[i],
                      ((const struct onnx_bytes *)b->item)[i]);
}

static bool same_arrays(const struct message_field *f, const void *a, const void *b)
{
    struct any_array one, other;

    memcpy(&one, a, sizeof one);
    memcpy(&other, b, sizeof other);
    bool same = one.count == other.count;
    for (int i = 0; same && i < one.count; i++)
        same = same_items(f, &one, &other, i);
    return same;
}

static bool same_packed(const void *a, const void *b)
{
    const struct onnx_packed *one = a, *other = b;

    return one->count == other->count && one->size == other->size &&
           (one->size == 0 || memcmp(one->data, other->data, one->size) == 0);
}

static bool same_pointers(const struct message_field *f, const void *a, const void *b,
                          struct text *where)
{
    const void *one, *other;

    memcpy(&one, a, sizeof one);
    memcpy(&other, b, sizeof other);
    if (f->kind == FIELD_TEXT)
        return same_text(one, other);
    return one && other ? same_message(f->type, one, other, where) : one == other;
}

static bool same_members(const struct message_field *f, const void *a, const void *b,
                         struct text *where)
{
    struct onnx_bytes one, other;

    switch (f->kind) {
    case FIELD_INT32:
    case FIELD_FLOAT:
        return memcmp(a, b, sizeof(int32_t)) == 0;
    case FIELD_INT64:
        return memcmp(a, b, sizeof(int64_t)) == 0;
    case FIELD_TEXT:
    case FIELD_ONE:
        return same_pointers(f, a, b, where);
    case FIELD_BYTES:
        memcpy(&one, a, sizeof one);
        memcpy(&other, b, sizeof other);
        return same_bytes(one, other);
    case FIELD_MANY:
        return same_lists(f, a, b, where);
    case FIELD_INTS:
    case FIELD_FLOATS:
    case FIELD_TEXTS:
    case FIELD_BLOBS:
        return same_arrays(f, a, b);
    case FIELD_VARINTS:
    case FIELD_FLOATS32:
    case FIELD_FLOATS64:
        return same_packed(a, b);
    }
    return false;
}

/* A number that is not 0 need not be marked to be there. */
static bool same_presence(const struct message *message, const struct message_field *f,
                          const unsigned char *a, const unsigned char *b)
{
    static const unsigned char zero[sizeof(int64_t)];
    size_t size = f->kind == FIELD_INT64 ? sizeof(int64_t) : sizeof(int32_t);

    return f->kind > FIELD_FLOAT || memcmp(a + f->offset, zero, size) != 0 ||
           message_marked(message, a, f) == message_marked(message, b, f);
}

static bool same_message(const struct message *message, const void *a, const void *b,
                         struct text *where)
{
    const unsigned char *one = a, *other = b;

    for (const struct message_field *f = message->field; f->name; f++)
        if (!same_presence(message, f, one, other) ||
            !same_members(f, one + f->offset, other + f->offset, where)) {
            text_add(where, "%s%s", where->size ? " in " : "", f->name);
            return false;
        }
    return true;
}

bool onnx_models_same(const struct onnx_model *a, const struct onnx_model *b, struct text *where)
{
    return same_message(&message_model, a, b, where);
}
