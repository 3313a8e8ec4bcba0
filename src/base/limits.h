/* limits.h - limits on the cost of any input; each has a diagnostic for input beyond it */
#ifndef NNEFC_BASE_LIMITS_H
#define NNEFC_BASE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct limits {
    int nesting;          /* depth of an expression or type; bounds recursion */
    int expansion_depth;  /* of invocations of fragments in fragments */
    int64_t nodes;        /* of the graph */
    int64_t array_length; /* of a compile-time array or string */
    int64_t work;         /* expressions evaluated at compile time */
    int64_t growth;       /* bytes of graph and expansion, beyond those for the document */
    int64_t volume;       /* items of one tensor */
    int64_t kernel_work;  /* items that windows of one operation read */
    int64_t total_work;   /* items that all operations of a run read, in one step */
    int64_t text;         /* bytes of a document or quantization file */
    int64_t members;      /* of an archive */
    int64_t unpacked;     /* bytes of all members, beyond 16 times those of the archive */
    int64_t trips;        /* of all loops that a step runs */
    int64_t plans;        /* graphs of an open model that are kept */
    int64_t plan_memory;  /* bytes of these; 0: a quarter of `memory` */
    int64_t memory;       /* bytes of all that is allocated for the model */
    bool read_files;      /* files are read into memory, not mapped (file/file.h) */
};

/* The limits unless the user sets others; context_new() sets `memory` by the machine. */
extern const struct limits limits_standard;

/*
 * Bytes: three quarters of the memory of the machine, or of the address space of the process if
 * that is smaller.
 */
int64_t limits_machine_memory(void);

#endif
