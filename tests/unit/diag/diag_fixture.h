/* diag_fixture.h - reports about texts in strings, and how they are printed */
#ifndef NNEFC_TESTS_DIAG_FIXTURE_H
#define NNEFC_TESTS_DIAG_FIXTURE_H

#include "diag/diag.h"
#include "diag/source.h"

#include <stdlib.h>
#include <string.h>

#include "support/t.h"

struct fixture {
    struct sources *sources;
    struct diag *diag;
    const char *text;
    uint32_t base;
    char *printed;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    f->sources = sources_new();
    f->diag = diag_new(f->sources);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    diag_free(f->diag);
    sources_free(f->sources);
    free(f->printed);
    free(f);
    return 0;
}

static inline void enter(struct fixture *f, const char *text)
{
    f->text = text;
    f->base = sources_add(f->sources, "g.nnef", text, strlen(text));
}

/* Where `part` stands in the text entered last. */
static inline struct span at(const struct fixture *f, const char *part)
{
    const char *found = strstr(f->text, part);

    assert_non_null(found);
    uint32_t begin = f->base + (uint32_t)(found - f->text);
    return (struct span){begin, begin + (uint32_t)strlen(part)};
}

static inline const char *print(struct fixture *f, enum diag_style style, bool colour)
{
    size_t size;

    free(f->printed);
    f->printed = NULL;
    FILE *to = open_memstream(&f->printed, &size);
    assert_non_null(to);
    diag_print(f->diag, to, style, colour);
    fclose(to);
    return f->printed;
}

#endif
