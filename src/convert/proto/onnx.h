/*
 * onnx.h - the messages of an ONNX file (onnx.proto up to IR version 13) as plain structs
 *
 * Members have the names of onnx.proto.  The reader skips fields that are not here (training,
 * devices).  Everything lies in an arena, unless it is said to be borrowed.
 *
 * How absence is marked:
 *   text     it is onnx_absent, an empty string, and never NULL; the writer does put any other ""
 *   message  NULL
 *   bytes    their data are NULL
 *   number   it is 0, and the bit of its field, 1 << number, is not set in `has`; reading sets it
 *
 * struct onnx_TYPE and struct onnx_TYPE_list are made of messages.def, which names the members.
 */
#ifndef NNEFC_CONVERT_PROTO_ONNX_H
#define NNEFC_CONVERT_PROTO_ONNX_H

#include "base/list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum onnx_data_type { /* TensorProto.DataType */
#define TYPE(name, bits, place, item) ONNX_##name,
#include "convert/proto/onnx_types.def"
#undef TYPE
                      ONNX_DATA_TYPE_COUNT
};

enum onnx_attribute_type { /* AttributeProto.AttributeType */
                           ONNX_ATTR_UNDEFINED,
                           ONNX_ATTR_FLOAT,
                           ONNX_ATTR_INT,
                           ONNX_ATTR_STRING,
                           ONNX_ATTR_TENSOR,
                           ONNX_ATTR_GRAPH,
                           ONNX_ATTR_FLOATS,
                           ONNX_ATTR_INTS,
                           ONNX_ATTR_STRINGS,
                           ONNX_ATTR_TENSORS,
                           ONNX_ATTR_GRAPHS,
                           ONNX_ATTR_SPARSE_TENSOR,
                           ONNX_ATTR_SPARSE_TENSORS,
                           ONNX_ATTR_TYPE_PROTO,
                           ONNX_ATTR_TYPE_PROTOS
};

enum { ONNX_LOCATION_DEFAULT, ONNX_LOCATION_EXTERNAL }; /* TensorProto.DataLocation */

struct diag;
struct sink;

/* Stands for text that the file does not have; only its address counts. */
extern const char onnx_absent[];

/* A view: of the file that was read, or of memory that lasts as long as the message. */
struct onnx_bytes {
    const void *data;
    size_t size;
};

struct onnx_ints {
    int64_t *item;
    int count;
};

struct onnx_floats {
    float *item;
    int count;
};

struct onnx_texts {
    const char **item; /* each NUL-terminated */
    int count;
};

struct onnx_blobs {
    struct onnx_bytes *item;
    int count;
};

/*
 * Numbers as the wire has them, one after the other: little-endian of fixed width, or varints. They
 * are a view of the file unless it has them in several pieces; the reader joins these in `own`.
 */
struct onnx_packed {
    const unsigned char *data;
    size_t size, count; /* bytes, numbers */

    unsigned char *own; /* equal to `data`, or NULL for a view */
    size_t capacity;    /* of `own` */
};

/*
 * Puts exactly raw_data.size bytes of a tensor to the sink.  False after a report, which ends the
 * writing.
 */
typedef bool onnx_producer(struct diag *diag, const struct sink *sink, const void *from);

/* --- the messages ---------------------------------------------------------------------------- */

/* clang-format off */
#define MESSAGE(type, at) LIST_OF(onnx_##type);
#define FIELD(message, id, member, what)
#define CHILD(message, id, member, what, of)
#define CHOICE(message, id, member, what)
#define CHOICE_OF(message, id, member, what, of)
#define ASIDE(member)
#define END(message)
#include "convert/proto/messages.def"

/* The members of each kind of field. */
#define MEMBER_INT32 int32_t
#define MEMBER_INT64 int64_t
#define MEMBER_FLOAT float
#define MEMBER_TEXT const char *
#define MEMBER_BYTES struct onnx_bytes
#define MEMBER_INTS struct onnx_ints
#define MEMBER_FLOATS struct onnx_floats
#define MEMBER_TEXTS struct onnx_texts
#define MEMBER_BLOBS struct onnx_blobs
#define MEMBER_VARINTS struct onnx_packed
#define MEMBER_FLOATS32 struct onnx_packed
#define MEMBER_FLOATS64 struct onnx_packed
#define MEMBER_ONE(of) struct onnx_##of *
#define MEMBER_MANY(of) struct onnx_##of##_list

#define MESSAGE(type, at) struct onnx_##type { struct onnx_##type *next; uint32_t has;
#define FIELD(message, id, member, what) MEMBER_##what member;
#define CHILD(message, id, member, what, of) MEMBER_##what(of) member;
#define CHOICE FIELD
#define CHOICE_OF CHILD
#define ASIDE(member) member;
#define END(message) };
#include "convert/proto/messages.def"
/* clang-format on */

enum { ONNX_DIM_VALUE = 1 << 1, ONNX_ATTR_HAS_F = 1 << 2, ONNX_ATTR_HAS_I = 1 << 3 };

#endif
