/* value.h - types, shapes and values as the text of a model of PNNX has them */
#ifndef NNEFC_CONVERT_PNNX_VALUE_H
#define NNEFC_CONVERT_PNNX_VALUE_H

#include "diag/source.h"

#include <stdbool.h>
#include <stdint.h>

/* The numbers are those that PNNX itself gives to types. */
enum pnnx_type {
    PNNX_NULL,
    PNNX_F32,
    PNNX_F64,
    PNNX_F16,
    PNNX_I32,
    PNNX_I64,
    PNNX_I16,
    PNNX_I8,
    PNNX_U8,
    PNNX_BOOL,
    PNNX_C64,
    PNNX_C128,
    PNNX_C32,
    PNNX_BF16,
    PNNX_TYPE_COUNT
};

const char *pnnx_type_name(enum pnnx_type type);     /* as in a text: "f32" */
const char *pnnx_type_old_name(enum pnnx_type type); /* in older files; NULL: the same */
int pnnx_type_size(enum pnnx_type type);             /* bytes of an item; 0 if unknown */

enum { PNNX_ANY = -1 }; /* an extent that is not known */

/* An extent of a shape: "3", "?" or "%symbol". */
struct pnnx_dim {
    int64_t extent;     /* or PNNX_ANY */
    const char *symbol; /* what an extent that is not known is called; NULL: "?" */
};

struct pnnx_shape {
    struct pnnx_dim *dim;
    int rank;
    enum pnnx_type type;
    bool old_name; /* the type is spelled as older versions do: cp64 */
    struct span span;
};

/* The product of the extents that are known times the size of an item; false if it does not fit. */
bool pnnx_shape_bytes(const struct pnnx_shape *shape, int64_t *bytes);

enum pnnx_kind {
    PNNX_NONE,
    PNNX_LOGICAL,
    PNNX_INTEGER,
    PNNX_REAL,
    PNNX_COMPLEX,
    PNNX_TEXT,
    PNNX_LIST
};

/* The value of a parameter, or an item of a list; lists are not nested. */
struct pnnx_value {
    struct pnnx_value *next; /* in a list; of a list, the last item */
    enum pnnx_kind kind;
    const char *text; /* as it is written; of a list NULL */
    int64_t integer;  /* also whether a logical is true */
    double real;      /* also of an integer, and of a text that is inf or nan */
    double imaginary; /* of a complex number */
    bool is_number;   /* `real` says what it is */
    struct pnnx_value *first;
    int count;    /* items of a list */
    char bracket; /* that a list begins with */
    struct span span;
};

#endif
