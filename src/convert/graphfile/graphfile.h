/*
 * graphfile.h - the graph file: a graph with its data as it is, in one file
 *
 * docs/graph-file.md describes it.  Reading makes every node by op_build() again, so that whatever a
 * file says is checked; data are used where they lie.
 */
#ifndef NNEFC_CONVERT_GRAPHFILE_GRAPHFILE_H
#define NNEFC_CONVERT_GRAPHFILE_GRAPHFILE_H

#include <stdbool.h>
#include <stddef.h>

struct context;
struct graph;
struct library;
struct native_blocks;
struct sink;

/* Whether the bytes begin as such a file does. */
bool native_recognise(const void *bytes, size_t size);

/*
 * A graph all of whose variables have their tensors, and maybe blocks (blocks.h) made of tensors that it has;
 * NULL: none.  The same graph and blocks make the same bytes.  False after a report: of what the format
 * does not hold, before anything is put.
 */
bool native_write(struct graph *graph, const struct native_blocks *blocks, const struct sink *sink);

struct native_file {
    const char *name; /* for diagnostics */
    const void *bytes;
    size_t size;
    const struct library *library; /* of NNEF 1.0: what operations take */
    bool check_data;               /* compare the sum of the data, too, which reads all of them */
};

/*
 * Tensors are views of the bytes, which must outlast the graph.  So are blocks; *blocks is NULL if there are
 * none, or if numbers lie otherwise in the memory of this machine.  NULL after a report, which tells the byte.
 */
struct graph *native_read(struct context *context, const struct native_file *file,
                          const struct native_blocks **blocks);

#endif
