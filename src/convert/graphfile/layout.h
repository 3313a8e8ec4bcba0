/*
 * layout.h - the constants of the graph file; see docs/graph-file.md
 *
 * HEADER_* and SECTION_* are byte offsets, each with the size of its field; numbers of fixed size
 * are little-endian.
 */
#ifndef NNEFC_CONVERT_GRAPHFILE_LAYOUT_H
#define NNEFC_CONVERT_GRAPHFILE_LAYOUT_H

#define GRAPHFILE_MAGIC "\x89NNG\r\n\x1a\n"

enum {
    GRAPHFILE_MAJOR = 1,
    GRAPHFILE_MINOR = 1, /* 0: without the section of types */
    GRAPHFILE_MAGIC_SIZE = 8,

    /* header, then the table of sections */
    HEADER_MAJOR = 8,      /* 2 bytes */
    HEADER_MINOR = 10,     /* 2 */
    HEADER_SECTIONS = 12,  /* 4: how many */
    HEADER_FILE_SIZE = 16, /* 8 */
    HEADER_SUM = 24,       /* 4: CRC-32 of header and table with these as 0 */
    HEADER_SIZE = 32,

    SECTION_NAME = 0,    /* 4 letters */
    SECTION_SUM = 4,     /* 4: CRC-32 */
    SECTION_OFFSET = 8,  /* 8: from the beginning of the file */
    SECTION_LENGTH = 16, /* 8 */
    SECTION_SIZE = 24,

    GRAPHFILE_SECTIONS = 2,   /* that are always written: the graph and the data */
    TYPE_SECTIONS = 1,        /* that are if the types of some input or output are known */
    BLOCK_SECTIONS = 2,       /* that are if there are blocks: what they are, and the blocks */
    GRAPHFILE_ALIGNMENT = 64, /* of the data, and of each tensor in them, and of blocks */
    GRAPHFILE_PAGE = 4096,    /* of the blocks, and of each that is not smaller */
};

#define SECTION_GRAPH  "GRPH"
#define SECTION_DATA   "DATA"
#define SECTION_TYPES  "TYPE"
#define SECTION_INDEX  "PIDX"
#define SECTION_BLOCKS "PACK"

/* Kinds of values that no node computes; ONE_ITEM is a constant of one item, repeated to its shape.
 */
enum { SOURCE_EXTERNAL, SOURCE_VARIABLE, SOURCE_CONSTANT, SOURCE_ONE_ITEM };

enum { GRAPHFILE_DATUM_DEPTH = 8 }; /* of arrays within each other */

#endif
