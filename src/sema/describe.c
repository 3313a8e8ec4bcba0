/*
 * describe.c - reads the comments of the library's text
 *
 *     # 4.2.1 element-wise unary operations     heading of a section
 *     #: as x; since 1.0.2; border as conv      note on the fragments below, up to the next one
 */
#include "sema/sema.h"

#include "base/arena.h"
#include "base/text.h"
#include "diag/context.h"
#include "op/op.h"
#include "sema/sema_priv.h"

#include <assert.h>
#include <string.h>

/* A piece of the library's text. */
struct text_piece {
    const char *text;
    size_t size;
};

/* As a string in the arena of the context. */
static const char *copy_piece(struct context *context, struct text_piece piece)
{
    return arena_strndup(context->arena, piece.text, piece.size);
}

static bool begins_with(struct text_piece piece, const char *prefix)
{
    size_t size = strlen(prefix);

    return piece.size >= size && memcmp(piece.text, prefix, size) == 0;
}

/* Cut the part before `separator` from the front of *rest, spaces before it aside. */
static struct text_piece cut(struct text_piece *rest, char separator)
{
    while (rest->size > 0 && rest->text[0] == ' ')
        *rest = (struct text_piece){rest->text + 1, rest->size - 1};
    const char *end = rest->size ? memchr(rest->text, separator, rest->size) : NULL;
    size_t size = end ? (size_t)(end - rest->text) : rest->size;
    size_t skip = end ? size + 1 : size;
    struct text_piece piece = {rest->text, size};

    *rest = (struct text_piece){rest->text + skip, rest->size - skip};
    return piece;
}

/* The heading and the note that hold for a place in the text. */
struct comments {
    struct text_piece heading, note;
};

/* The values that its attribute `border` takes, with spaces between; NULL if it has none. */
static const char *borders_of(struct context *context, const struct signature *signature)
{
    const struct op_attr *attr = NULL;
    struct text text = {0};

    for (int i = 0; i < signature->nparam && !attr; i++)
        if (strcmp(signature->params[i].name, "border") == 0)
            attr = signature->params[i].attr;
    for (int i = 0; attr && attr->names[i]; i++)
        text_add(&text, "%s%s", i ? " " : "", attr->names[i]);
    return attr ? text_keep(&text, context->arena) : NULL;
}

/* On one line: what separates words becomes one space. */
static const char *declaration_of(struct context *context, const struct signature *signature)
{
    struct text text = {0};
    bool gap = false;
    size_t size;
    const char *at = sources_text(context->sources, signature->fragment->span, &size);

    assert(size > 0); /* a fragment of the library ends in '{' or ';' behind its results */
    for (; *at != '{' && *at != ';'; at++) {
        bool space = *at == ' ' || *at == '\n';
        if (!space)
            text_add(&text, "%s%c", gap ? " " : "", *at);
        gap = space;
    }
    return text_keep(&text, context->arena);
}

struct description library_describe(struct context *context, const struct library *library,
                                    const struct signature *signature)
{
    struct comments comments = {{NULL, 0}, {NULL, 0}};
    struct location where = {0};
    bool located = sources_locate(context->sources, signature->fragment->span.begin, &where);

    assert(located);
    (void)located;
    struct text_piece text = {library->text, (size_t)(where.text - library->text)};

    while (text.size > 0) {
        struct text_piece line = cut(&text, '\n');
        if (begins_with(line, "# ") && line.size > 2 && line.text[2] >= '0' && line.text[2] <= '9')
            comments = (struct comments){.heading = {line.text + 2, line.size - 2}};
        else if (begins_with(line, "#:"))
            comments.note = (struct text_piece){line.text + 2, line.size - 2};
    }
    struct description d = {.declaration = declaration_of(context, signature),
                            .borders = borders_of(context, signature)};
    d.section = copy_piece(context, cut(&comments.heading, ' '));
    d.title = copy_piece(context, comments.heading);
    d.shape = copy_piece(context, cut(&comments.note, ';'));
    while (comments.note.size > 0) {
        struct text_piece field = cut(&comments.note, ';');
        struct text_piece value = field;
        if (begins_with(field, "since ")) {
            cut(&value, ' ');
            d.since = copy_piece(context, value);
        } else {
            /* What "border as NAME" stands for. */
            const char *prefix = "border as ";
            struct text_piece name = {field.text + strlen(prefix), field.size - strlen(prefix)};
            assert(begins_with(field, prefix));
            const struct signature *other = library_find(library, copy_piece(context, name));
            d.borders = other ? borders_of(context, other) : NULL;
        }
    }
    return d;
}
