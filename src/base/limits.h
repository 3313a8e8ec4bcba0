/* limits.h - bounds on what any input may cost; beyond each stands a diagnostic */
#ifndef NNEFC_BASE_LIMITS_H
#define NNEFC_BASE_LIMITS_H

#include <stdint.h>

struct limits {
    int nesting;          /* depth of an expression or type; bounds our recursion */
    int expansion_depth;  /* fragments within fragments */
    int64_t nodes;        /* of the graph */
    int64_t array_length; /* of a compile-time array or string */
    int64_t work;         /* expressions evaluated at compile time */
    int64_t growth;       /* bytes of graph and expansion, beyond what the document is worth */
    int64_t volume;       /* items of one tensor */
    int64_t kernel_work;  /* items that windows of one operation read */
    int64_t total_work;   /* items that all operations of a run read, in one step */
    int64_t text;         /* bytes of a document or quantization file */
    int64_t members;      /* of an archive */
    int64_t unpacked;     /* bytes of all members, beyond 16 times those of the archive */
    int64_t memory;       /* bytes of all that is allocated for the model */
};

/* Of `memory` it is what context_new() has where the machine does not tell what it has. */
extern const struct limits limits_standard;

/*
 * Three quarters of the memory of the machine, or of the address space of the process if that is
 * less.
 */
int64_t limits_machine_memory(void);

#endif
