/* explain.h - explanations of all codes: a table generated from docs/diagnostics/explain.txt */
#ifndef NNEFC_DIAG_EXPLAIN_H
#define NNEFC_DIAG_EXPLAIN_H

#include "diag/diag.h"

/* The kind of the examples; explain.txt describes each. */
enum explain_as {
    EXPLAIN_DOCUMENT,
    EXPLAIN_PEDANTIC,
    EXPLAIN_WALL,
    EXPLAIN_RUN,
    EXPLAIN_QUANT,
    EXPLAIN_PNNX,
    EXPLAIN_COMMAND,
    EXPLAIN_CLIENT,
    EXPLAIN_NOTHING, /* there are none */
};

/* Every text is lines that end with '\n'; a line of `text` is a paragraph. */
struct explanation {
    const char *chapter, *text;
    const char *wrong, *right; /* NULL: EXPLAIN_NOTHING */
    enum explain_as as;
};

extern const struct explanation explain_table[DIAG_CODE_COUNT];

/* The index of each code: EXPLAIN_N0001. */
enum explain_index {
#define DIAG(code, name, ...) EXPLAIN_##code = DIAG_##name,
#include "diag/diag.def"
#undef DIAG
};

#endif
