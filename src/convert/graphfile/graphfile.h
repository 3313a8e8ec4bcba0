/*
 * graphfile.h - the graph file: a graph with its data, in one file
 *
 * docs/graph-file.md describes the format.  Reading makes every node by op_build() again, so that
 * whatever a file says is checked; data are used where they lie in the file. A reading and a
 * writing each stay on one thread.
 */
#ifndef NNEFC_CONVERT_GRAPHFILE_GRAPHFILE_H
#define NNEFC_CONVERT_GRAPHFILE_GRAPHFILE_H

#include <stdbool.h>
#include <stddef.h>

struct context;
struct graph;
struct library;
struct sink;
struct tensor_blocks;

/* Do the bytes begin as a graph file does? */
bool graphfile_recognise(const void *bytes, size_t size);

/*
 * Writes a graph all of whose variables have their tensors.  `blocks` (tensor/blocks.h) were made
 * from tensors of the graph; NULL: there are none.  The same graph and blocks make the same bytes.
 * False after a report of what the format cannot hold; nothing was put into the sink then.
 */
bool graphfile_write(struct graph *graph, const struct tensor_blocks *blocks,
                     const struct sink *sink);

/* A file that is to be read. */
struct graphfile {
    const char *name; /* for diagnostics */
    const void *bytes;
    size_t size;
    const struct library *library; /* of NNEF 1.0: the signatures that nodes are checked against */
    bool check_data; /* compare the checksum of the data too, which reads all of them */
    bool mapped;     /* the bytes are a mapped file, from which pages can be read again */
};

/*
 * Reads a graph, which lies in the arena of the context.  Its tensors and *blocks are views of the
 * bytes, which must outlast both; on a big-endian machine the tensors are copies.  *blocks is NULL
 * if the file has none.  NULL after a report, which names the byte.
 */
struct graph *graphfile_read(struct context *context, const struct graphfile *file,
                             const struct tensor_blocks **blocks);

#endif
