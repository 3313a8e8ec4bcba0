/*
 * layout.h - the constants of the graph file; see docs/graph-file.md
 *
 * HEADER_* and ENTRY_* are byte offsets, each with the size of its field; numbers of fixed size
 * are little-endian.
 */
#ifndef NNEFC_CONVERT_GRAPHFILE_LAYOUT_H
#define NNEFC_CONVERT_GRAPHFILE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#define GRAPHFILE_MAGIC "\x89NNG\r\n\x1a\n"

enum {
    GRAPHFILE_MAJOR = 1,
    GRAPHFILE_MINOR = 3,       /* there are variables of nibbles, */
    GRAPHFILE_MINOR_BYTES = 2, /* or none, but of bytes, */
    GRAPHFILE_MINOR_TYPES = 1, /* or neither, but a section of types; 0: nothing of all that */
    GRAPHFILE_MAGIC_SIZE = 8,

    /* header, then the table of sections */
    HEADER_MAJOR = 8,      /* 2 bytes */
    HEADER_MINOR = 10,     /* 2 */
    HEADER_SECTIONS = 12,  /* 4: how many */
    HEADER_FILE_SIZE = 16, /* 8 */
    HEADER_SUM = 24,       /* 4: CRC-32 of header and table with these as 0 */
    HEADER_SIZE = 32,

    ENTRY_NAME = 0,    /* 4 letters */
    ENTRY_SUM = 4,     /* 4: CRC-32 */
    ENTRY_OFFSET = 8,  /* 8: from the beginning of the file */
    ENTRY_LENGTH = 16, /* 8 */
    ENTRY_SIZE = 24,

    GRAPHFILE_ALIGNMENT = 64, /* of the data, and of each tensor in them, and of blocks */
    GRAPHFILE_PAGE = 4096,    /* of the blocks, and of each that is not smaller */
};

/* The sections in the order of the file.  The first two are always there, that of types if the
 * types of some input or output are known, the last two if there are blocks. */
enum graphfile_section {
    SECTION_GRAPH,
    SECTION_DATA,
    SECTION_TYPES,
    SECTION_INDEX, /* what blocks there are */
    SECTION_BLOCKS,
    SECTION_COUNT
};

/* Their names; data and blocks are no numbers and words, and are looked at where they are used. */
struct graphfile_section_kind {
    const char *name;
    bool required, is_data;
    size_t alignment; /* of its end, by zeros that are part of it */
};

extern const struct graphfile_section_kind graphfile_sections[SECTION_COUNT];

/* Kinds of values that no node computes; ONE_ITEM is a constant of one item, repeated to its shape.
 */
enum {
    SOURCE_EXTERNAL,
    SOURCE_VARIABLE,
    SOURCE_CONSTANT,
    SOURCE_ONE_ITEM,
    SOURCE_UNSIGNED, /* a variable of integers that are bytes (struct tensor) */
    SOURCE_SIGNED,
    SOURCE_UNSIGNED_NIBBLES, /* likewise of nibbles */
    SOURCE_SIGNED_NIBBLES
};

enum { GRAPHFILE_DATUM_DEPTH = 8 }; /* of arrays within each other */

#endif
