/* record_priv.h - the tree behind record.h, for the files that build and print it */
#ifndef NNEFC_DRIVER_RECORD_PRIV_H
#define NNEFC_DRIVER_RECORD_PRIV_H

#include "driver/record.h"

enum record_kind {
    RECORD_NULL,
    RECORD_BOOL,
    RECORD_INTEGER,
    RECORD_REAL,
    RECORD_TEXT,
    RECORD_TENSOR,
    RECORD_LIST,
    RECORD_OBJECT,
};

struct record {
    enum record_kind kind;
    const char *key; /* NULL: an item of a list, or a root */
    struct record *next, *first, *last;
    union {
        bool logical;
        int64_t integer;
        double real;
        const struct nnefc_tensor *tensor;
    } value;
    char text[]; /* of RECORD_TEXT */
};

/* Print by a layout. */
void layout_print(const char *layout, const struct record *record, FILE *to);

/* Print as JSON after `indent` blanks in each further line. */
void json_print(const struct record *record, enum json_style style, int indent);

#endif
