/*
 * message_priv.h - the fields of each message, for one reader and one writer
 *
 * Only the table knows the type of a member.  Reader and writer reach it by its offset and copy it.
 */
#ifndef NNEFC_CONVERT_PROTO_MESSAGE_PRIV_H
#define NNEFC_CONVERT_PROTO_MESSAGE_PRIV_H

#include "convert/proto/onnx.h"

struct arena;

enum wire_type { WIRE_VARINT, WIRE_64, WIRE_SIZED, WIRE_GROUP, WIRE_GROUP_END, WIRE_32 };

enum field_kind {
    FIELD_INT32, /* int32_t; enums, too */
    FIELD_INT64, /* int64_t */
    FIELD_FLOAT, /* float */
    FIELD_TEXT,  /* const char * */
    FIELD_BYTES, /* struct onnx_bytes */
    FIELD_ONE,   /* struct TYPE * */
    FIELD_INTS,  /* from here on: lists, whose items may be packed */
    FIELD_FLOATS,
    FIELD_TEXTS,
    FIELD_BLOBS,
    FIELD_MANY,     /* struct TYPE_list */
    FIELD_VARINTS,  /* struct onnx_packed */
    FIELD_FLOATS32, /* struct onnx_packed */
    FIELD_FLOATS64  /* struct onnx_packed */
};

struct message_field {
    const char *name;
    size_t offset;
    int number; /* below 32, for `has` */
    enum field_kind kind;
    const struct message *type; /* of ONE and MANY */
    bool alternative;           /* a message has one of these at most: the last */
};

/* Messages begin with `next`, for lists of them. */
struct message {
    size_t size, has; /* of the struct; the offset of its `has` */
    size_t at;        /* offset of a size_t: where in its file the message is; 0: none */
    const struct message_field *field; /* by number; name NULL behind the last */
};

extern const struct message message_model, message_graph, message_node, message_attribute,
    message_tensor, message_sparse_tensor, message_segment, message_value_info, message_type,
    message_tensor_type, message_shape, message_dim, message_entry, message_opset, message_function,
    message_type_of, message_map_type; /* messages.def */

/* How LIST_OF() lays out any list, and how struct onnx_ints and its like lay out any array. */
struct any_list {
    void *first, *last;
    int count;
};

struct any_array {
    void *item;
    int count;
};

struct field_kind_info {
    enum wire_type wire; /* how a single item is written */
    size_t size;         /* of the member */
    size_t item;         /* bytes of an item of INTS, FLOATS, TEXTS and BLOBS in memory; else 0 */
};

/* By enum field_kind. */
extern const struct field_kind_info field_kinds[];

/* A message without fields. */
void *message_new(struct arena *arena, const struct message *message);

/* Append a message that begins with `next` to a list of any type. */
void any_list_append(void *list, void *item);

/*
 * Append zeroed room for one item of `size` bytes to an array of any type.  The pointer is valid
 * until the next append.
 */
void *any_array_append(struct arena *arena, void *array, size_t size);

/* Is the field marked as present?  Numbers need that, since 0 may be one that the file has. */
bool message_marked(const struct message *message, const void *object,
                    const struct message_field *field);
void message_mark(const struct message *message, void *object, const struct message_field *field,
                  bool marked);

#endif
