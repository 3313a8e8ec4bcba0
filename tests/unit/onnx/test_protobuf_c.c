/*
 * test_protobuf_c.c - our tables, reader and writer against those that protoc-c makes of onnx.proto
 *
 * `onnx` is the file of Debian's libonnx-dev as it is, `flipped` the same with packed and unpacked
 * numbers exchanged.  Without it, or protoc-c, the tests are skipped.
 */
#include "unit/onnx/onnx_fixture.h"

#ifndef HAS_PROTOBUF_C
static void skipped(void **state)
{
    (void)state;
    print_message("skipped: no protoc-c, libprotobuf-c-dev and libonnx-dev to compare with\n");
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(skipped)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
#include "convert/proto/message_priv.h"
#include "support/onnx_message.h"
#include "tensor/bytes.h"

#include "flipped.pb-c.h"
#include "onnx.pb-c.h"

/* What a later onnx.proto has than that of Debian 12, and what we do not read. */
static const char *const later[] = {
    "onnx.NodeProto.overload",
    "onnx.NodeProto.metadata_props",
    "onnx.GraphProto.metadata_props",
    "onnx.TensorProto.metadata_props",
    "onnx.ValueInfoProto.metadata_props",
    "onnx.FunctionProto.attribute_proto",
    "onnx.FunctionProto.value_info",
    "onnx.FunctionProto.overload",
    "onnx.FunctionProto.metadata_props",
};
static const char *const unread[] = {
    "onnx.ModelProto.training_info",      "onnx.GraphProto.quantization_annotation",
    "onnx.AttributeProto.graphs",         "onnx.AttributeProto.type_protos",
    "onnx.AttributeProto.sparse_tensors", "onnx.TensorShapeProto.Dimension.denotation",
    "onnx.TypeProto.denotation",
};

static bool is_among(const char *const *names, size_t count, const char *message, const char *field)
{
    char name[128];

    snprintf(name, sizeof name, "%s.%s", message, field);
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* --- the tables --- */

static bool same_type(enum field_kind kind, const ProtobufCFieldDescriptor *d)
{
    switch (kind) {
    case FIELD_INT32:
        return d->type == PROTOBUF_C_TYPE_INT32 || d->type == PROTOBUF_C_TYPE_ENUM;
    case FIELD_INT64:
    case FIELD_INTS:
        return d->type == PROTOBUF_C_TYPE_INT64;
    case FIELD_FLOAT:
    case FIELD_FLOATS:
    case FIELD_FLOATS32:
        return d->type == PROTOBUF_C_TYPE_FLOAT;
    case FIELD_FLOATS64:
        return d->type == PROTOBUF_C_TYPE_DOUBLE;
    case FIELD_TEXT:
    case FIELD_TEXTS:
        return d->type == PROTOBUF_C_TYPE_STRING;
    case FIELD_BYTES:
    case FIELD_BLOBS:
        return d->type == PROTOBUF_C_TYPE_BYTES;
    case FIELD_ONE:
    case FIELD_MANY:
        return d->type == PROTOBUF_C_TYPE_MESSAGE;
    case FIELD_VARINTS:
        return d->type == PROTOBUF_C_TYPE_INT32 || d->type == PROTOBUF_C_TYPE_INT64 ||
               d->type == PROTOBUF_C_TYPE_UINT64;
    }
    return false;
}

static void check_field(const struct message_field *f, const ProtobufCMessageDescriptor *message)
{
    const ProtobufCFieldDescriptor *d =
        protobuf_c_message_descriptor_get_field(message, (unsigned)f->number);

    if (!d) {
        if (!is_among(later, sizeof later / sizeof *later, message->name, f->name))
            fail_msg("%s has no field %d, our '%s'", message->name, f->number, f->name);
        return;
    }
    assert_string_equal(f->name, d->name);
    assert_true(same_type(f->kind, d));
    assert_int_equal(f->kind >= FIELD_INTS, d->label == PROTOBUF_C_LABEL_REPEATED);
    assert_int_equal(f->alternative, (d->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0);
    assert_int_equal(f->kind >= FIELD_VARINTS, (d->flags & PROTOBUF_C_FIELD_FLAG_PACKED) != 0);
}

static void check_table(const struct message *ours, const ProtobufCMessageDescriptor *theirs,
                        int depth)
{
    for (const struct message_field *f = ours->field; f->name; f++) {
        const ProtobufCFieldDescriptor *d =
            protobuf_c_message_descriptor_get_field(theirs, (unsigned)f->number);
        check_field(f, theirs);
        if (d && f->type && depth < 8)
            check_table(f->type, d->descriptor, depth + 1);
    }
    for (unsigned i = 0; i < theirs->n_fields; i++) {
        const struct message_field *f = ours->field;
        while (f->name && (unsigned)f->number != theirs->fields[i].id)
            f++;
        if (!f->name &&
            !is_among(unread, sizeof unread / sizeof *unread, theirs->name, theirs->fields[i].name))
            fail_msg("we lack %s.%s", theirs->name, theirs->fields[i].name);
    }
}

static void our_tables_are_those_of_onnx_proto(void **state)
{
    (void)state;
    check_table(&message_model, &onnx__model_proto__descriptor, 0);
    check_table(&message_tensor, &onnx__tensor_proto__descriptor, 0);
}

/* --- values --- */

static void compare_message(const struct message *ours, const void *object,
                            const ProtobufCMessage *theirs);

/* Whether they have it, and where: the member, and the count of a list. */
static bool their_member(const ProtobufCFieldDescriptor *d, const ProtobufCMessage *theirs,
                         const void **member, size_t *count)
{
    const unsigned char *base = (const unsigned char *)theirs;
    const void *quantifier = base + d->quantifier_offset;
    const void *pointer = NULL;

    *member = base + d->offset;
    *count = 0;
    if (d->label == PROTOBUF_C_LABEL_REPEATED) {
        memcpy(count, quantifier, sizeof *count);
        memcpy(member, base + d->offset, sizeof *member);
        return *count > 0;
    }
    if (d->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
        return *(const uint32_t *)quantifier == d->id;
    if (d->type == PROTOBUF_C_TYPE_STRING || d->type == PROTOBUF_C_TYPE_MESSAGE) {
        memcpy(&pointer, *member, sizeof pointer);
        return pointer != NULL && pointer != d->default_value;
    }
    return *(const protobuf_c_boolean *)quantifier;
}

static void compare_single(const struct message_field *f, const void *ours, const void *theirs)
{
    struct onnx_bytes bytes;
    ProtobufCBinaryData data;
    const char *a, *b;

    if (f->kind == FIELD_TEXT || f->kind == FIELD_TEXTS) {
        memcpy(&a, ours, sizeof a);
        memcpy(&b, theirs, sizeof b);
        assert_string_equal(a, b);
    } else if (f->kind == FIELD_BYTES || f->kind == FIELD_BLOBS) {
        memcpy(&bytes, ours, sizeof bytes);
        memcpy(&data, theirs, sizeof data);
        assert_int_equal(bytes.size, data.len);
        assert_true(data.len == 0 || memcmp(bytes.data, data.data, data.len) == 0);
    } else {
        bool wide = f->kind == FIELD_INT64 || f->kind == FIELD_INTS;
        assert_memory_equal(ours, theirs, wide ? 8 : 4);
    }
}

static void compare_list(const struct message_field *f, const void *ours, const void *theirs,
                         size_t count)
{
    ProtobufCMessage *const *message = theirs;
    struct any_list list;

    memcpy(&list, ours, sizeof list);
    assert_int_equal(list.count, count);
    const void *item = list.first;
    for (size_t i = 0; i < count; i++) {
        compare_message(f->type, item, message[i]);
        memcpy(&item, item, sizeof item);
    }
}

static void compare_array(const struct message_field *f, const void *ours, const void *theirs,
                          size_t count)
{
    struct any_array array;
    size_t our_size = sizeof(float), their_size = sizeof(float);

    if (f->kind == FIELD_INTS)
        our_size = their_size = sizeof(int64_t);
    else if (f->kind == FIELD_TEXTS)
        our_size = their_size = sizeof(char *);
    else if (f->kind == FIELD_BLOBS) {
        our_size = sizeof(struct onnx_bytes);
        their_size = sizeof(ProtobufCBinaryData);
    }
    memcpy(&array, ours, sizeof array);
    assert_int_equal(array.count, count);
    for (size_t i = 0; i < count; i++)
        compare_single(f, (const char *)array.item + i * our_size,
                       (const char *)theirs + i * their_size);
}

static void compare_packed(const struct message_field *f, const struct onnx_packed *ours,
                           const ProtobufCFieldDescriptor *d, const void *theirs)
{
    size_t at = 0, size = d->type == PROTOBUF_C_TYPE_INT32 ? 4 : 8;
    uint64_t value = 0;

    if (f->kind != FIELD_VARINTS) { /* on a machine whose floats are stored so */
        assert_memory_equal(ours->data, theirs, ours->size);
        return;
    }
    for (size_t i = 0; i < ours->count; i++) {
        at += (size_t)varint_load(ours->data + at, ours->size - at, &value);
        uint32_t narrow = (uint32_t)value;
        assert_memory_equal((const char *)theirs + i * size,
                            size == 4 ? (const void *)&narrow : (const void *)&value, size);
    }
}

static bool we_have(const struct message *message, const struct message_field *f,
                    const void *object)
{
    static const unsigned char zero[8];
    const unsigned char *member = (const unsigned char *)object + f->offset;
    struct any_array array;
    struct any_list list;
    const void *pointer;

    if (f->kind >= FIELD_VARINTS)
        return ((const struct onnx_packed *)(const void *)member)->count > 0;
    if (f->kind == FIELD_MANY) {
        memcpy(&list, member, sizeof list);
        return list.count > 0;
    }
    if (f->kind >= FIELD_INTS) {
        memcpy(&array, member, sizeof array);
        return array.count > 0;
    }
    if (f->kind <= FIELD_FLOAT)
        return message_marked(message, object, f) ||
               memcmp(member, zero, f->kind == FIELD_INT64 ? 8 : 4) != 0;
    memcpy(&pointer, member, sizeof pointer);
    return pointer && pointer != onnx_absent;
}

static void compare_field(const struct message_field *f, const void *ours,
                          const ProtobufCFieldDescriptor *d, const void *theirs, size_t count)
{
    const ProtobufCMessage *message;
    const void *child;

    if (f->kind == FIELD_ONE) {
        memcpy(&child, ours, sizeof child);
        memcpy(&message, theirs, sizeof message);
        compare_message(f->type, child, message);
    } else if (f->kind < FIELD_INTS) {
        compare_single(f, ours, theirs);
    } else if (f->kind == FIELD_MANY) {
        compare_list(f, ours, theirs, count);
    } else if (f->kind < FIELD_MANY) {
        compare_array(f, ours, theirs, count);
    } else {
        assert_int_equal(((const struct onnx_packed *)ours)->count, count);
        compare_packed(f, ours, d, theirs);
    }
}

static void compare_message(const struct message *ours, const void *object,
                            const ProtobufCMessage *theirs)
{
    for (const struct message_field *f = ours->field; f->name; f++) {
        const ProtobufCFieldDescriptor *d =
            protobuf_c_message_descriptor_get_field(theirs->descriptor, (unsigned)f->number);
        const void *member;
        size_t count;
        if (!d)
            continue;
        bool there = their_member(d, theirs, &member, &count);
        if (there != we_have(ours, f, object))
            fail_msg("%s.%s is there for one of us only", theirs->descriptor->name, f->name);
        if (there)
            compare_field(f, (const unsigned char *)object + f->offset, d, member, count);
    }
}

/* Their reading of our bytes, compared, and what they make of it, read by us. */
static void expect_agreement(struct onnx_fixture *f, const struct onnx_model *model,
                             const ProtobufCMessageDescriptor *descriptor)
{
    struct onnx_bytes bytes = write_model(f, model);
    ProtobufCMessage *theirs = protobuf_c_message_unpack(descriptor, NULL, bytes.size, bytes.data);
    struct text where = {0};

    assert_non_null(theirs);
    compare_message(&message_model, model, theirs);
    size_t size = protobuf_c_message_get_packed_size(theirs);
    unsigned char *packed = arena_alloc(f->arena, size);
    assert_int_equal(protobuf_c_message_pack(theirs, packed), size);
    const struct onnx_model *back = read_model(f, (struct onnx_bytes){packed, size});
    compare_message(&message_model, back, theirs);
    if (!onnx_models_same(model, back, &where))
        fail_msg("they wrote something else: %s", where.data);
    protobuf_c_message_free_unpacked(theirs, NULL);
}

static void every_field_is_understood_both_ways(void **state)
{
    struct onnx_fixture *f = *state;

    expect_agreement(f, onnx_random_model(f->arena, 1, 100), &onnx__model_proto__descriptor);
    expect_agreement(f, onnx_random_model(f->arena, 1, 100), &flipped__model_proto__descriptor);
}

static void fields_that_are_absent_are_absent_both_ways(void **state)
{
    struct onnx_fixture *f = *state;

    for (uint64_t seed = 0; seed < 200; seed++) {
        const struct onnx_model *model =
            onnx_random_model(f->arena, seed, 20 + (int)(seed % 4) * 15);
        expect_agreement(f, model, &onnx__model_proto__descriptor);
        expect_agreement(f, model, &flipped__model_proto__descriptor);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_tables_are_those_of_onnx_proto),
        onnx_test(every_field_is_understood_both_ways),
        onnx_test(fields_that_are_absent_are_absent_both_ways),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
