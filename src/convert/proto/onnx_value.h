/* onnx_value.h - what the messages of onnx.h are made of: lists, entries and tensors */
#ifndef NNEFC_CONVERT_PROTO_ONNX_VALUE_H
#define NNEFC_CONVERT_PROTO_ONNX_VALUE_H

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
    int count, capacity;
};

struct onnx_floats {
    float *item;
    int count, capacity;
};

struct onnx_texts {
    const char **item; /* each NUL-terminated */
    int count, capacity;
};

struct onnx_blobs {
    struct onnx_bytes *item;
    int count, capacity;
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

struct onnx_entry { /* StringStringEntryProto */
    struct onnx_entry *next;
    uint32_t has;
    const char *key, *value;
};
LIST_OF(onnx_entry);

struct onnx_opset { /* OperatorSetIdProto */
    struct onnx_opset *next;
    uint32_t has;
    const char *domain; /* "": ONNX itself */
    int64_t version;
};
LIST_OF(onnx_opset);

struct onnx_segment { /* TensorProto.Segment */
    uint32_t has;
    int64_t begin, end;
};

/*
 * Puts exactly raw_data.size bytes of a tensor to the sink.  False after a report, which ends the
 * writing.
 */
typedef bool onnx_producer(struct diag *diag, const struct sink *sink, const void *from);

struct onnx_tensor { /* TensorProto */
    struct onnx_tensor *next;
    uint32_t has;
    int32_t data_type; /* enum onnx_data_type, or one we do not know */
    struct onnx_ints dims;
    struct onnx_segment *segment;
    struct onnx_packed float_data, int32_data;
    struct onnx_blobs string_data;
    struct onnx_packed int64_data;
    const char *name;
    struct onnx_bytes raw_data; /* little-endian, not aligned */
    struct onnx_packed double_data, uint64_data;
    const char *doc_string;
    struct onnx_entry_list external_data;
    int32_t data_location;
    struct onnx_entry_list metadata_props;

    onnx_producer *produce; /* for writing: makes raw_data, instead of raw_data.data */
    const void *from;
};
LIST_OF(onnx_tensor);

struct onnx_sparse_tensor { /* SparseTensorProto */
    struct onnx_sparse_tensor *next;
    uint32_t has;
    struct onnx_tensor *values, *indices;
    struct onnx_ints dims;
};
LIST_OF(onnx_sparse_tensor);

#endif
