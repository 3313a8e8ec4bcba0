/*
 * source.h - the texts of one compilation, and places in them
 *
 * All texts share one space of 32-bit offsets, so that a span needs no file number.  Lines and
 * columns are computed when a diagnostic is printed; that is not safe for several threads at once.
 */
#ifndef NNEFC_DIAG_SOURCE_H
#define NNEFC_DIAG_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Half-open range of offsets; {0,0} is nowhere. */
struct span {
    uint32_t begin, end;
};

struct sources;

struct location {
    const char *file;
    int line, column; /* both from 1; the column counts bytes */
    const char *text; /* the line, not NUL-terminated */
    size_t size;      /* its bytes, without the line end */
    size_t offset;    /* of the place, from the beginning of the file's text */
};

struct sources *sources_new(void);
void sources_free(struct sources *sources);

/*
 * Enter a text under the name that diagnostics print.  `text` is not copied and must outlive
 * the sources.  Returns the offset of its first byte, or 0 if the 4 GiB of offsets are used up.
 */
uint32_t sources_add(struct sources *sources, const char *name, const char *text, size_t size);

/* The file, line and column of `offset`.  False if it is in no text. */
bool sources_locate(const struct sources *sources, uint32_t offset, struct location *where);

/* The beginning of line `line`, from 1, of the text with `offset`.  False if there is no such line.
 */
bool sources_line(const struct sources *sources, uint32_t offset, int line, struct location *where);

/* The offset of the first byte of the text that was entered under `name`; 0 if there is none. */
uint32_t sources_find(const struct sources *sources, const char *name);

/* The bytes of a span, *size of them; "" if the span is not within one text. */
const char *sources_text(const struct sources *sources, struct span span, size_t *size);

/* From the beginning of `a` to the end of `b`. */
static inline struct span span_join(struct span a, struct span b)
{
    return (struct span){a.begin, b.end};
}

#endif
