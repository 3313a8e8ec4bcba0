/* library.c - texts of operations, parsed, checked and joined with descriptors */
#include "sema/sema_priv.h"

#include "base/arena.h"
#include "base/intern.h"
#include "parser/parser.h"
#include "sema/stdlib_text.h"

#include <assert.h>
#include <string.h>

/* An embedded text. */
struct text_of_library {
    const char *name; /* in diagnostics, of which a released library has none */
    const unsigned char *bytes;
    size_t size;
    enum dialect dialect;
};

/* Its document; NULL if it has errors. */
static struct document *parse_library(struct context *context, const struct text_of_library *text)
{
    const struct parse_options options = {
        .dialect = text->dialect == DIALECT_PROVISIONAL ? PARSE_PROVISIONAL : PARSE_1_0,
        .library = true};
    const char *bytes = (const char *)text->bytes;
    int errors = diag_error_count(context->diag);
    uint32_t base = sources_add(context->sources, text->name, bytes, text->size);

    if (!base) {
        diag_file_error(context->diag, text->name, DIAG_CANNOT_READ,
                        "too much text in one compilation");
        return NULL;
    }
    struct document *document = parse_text(context, base, bytes, text->size, &options);
    return diag_error_count(context->diag) == errors ? document : NULL;
}

/* By the interned name, as fragments are entered. */
static const struct signature *find(const struct checker *c, const char *name)
{
    return map_get(&c->operations, intern(c->context->names, name, strlen(name)));
}

/* `base` is what its bodies may invoke. */
static const struct library *load_text(struct context *context, const struct text_of_library *text,
                                       const struct library *base)
{
    int errors = diag_error_count(context->diag);
    struct document *document = parse_library(context, text);
    struct checker c;

    if (!document)
        return NULL;
    struct library *library = arena_new_of(context->arena, struct library);
    library->dialect = text->dialect;
    library->text = (const char *)text->bytes;
    library->base = base;
    library->more = arena_array_of(context->arena, const struct library *, LIBRARY_MORE);
    checker_begin(&c, context, document);
    c.library = library;
    for (const struct library *l = base; l; l = l->base) {
        library_enter(l, &c.operations);
        c.library = l;
    }
    c.types = library->types = base ? base->types : types_new(context->arena);
    c.standard = true;
    level_document(&c);
    checker_declare(&c);
    library->signatures = c.signatures;
    library->count = c.signature_count;
    if (!library->base) {
        static const char *const binary[] = {
            [BINARY_ADD] = "add", [BINARY_SUB] = "sub", [BINARY_MUL] = "mul", [BINARY_DIV] = "div",
            [BINARY_POW] = "pow", [BINARY_LT] = "lt",   [BINARY_LE] = "le",   [BINARY_GT] = "gt",
            [BINARY_GE] = "ge",   [BINARY_EQ] = "eq",   [BINARY_NE] = "ne",   [BINARY_AND] = "and",
            [BINARY_OR] = "or",
        };
        const char *copy = library->dialect == DIALECT_PROVISIONAL ? "idn" : "copy";
        for (int i = BINARY_ADD; i <= BINARY_OR; i++)
            library->binary[i] = find(&c, binary[i]);
        library->unary[UNARY_PLUS] = find(&c, copy);
        library->unary[UNARY_MINUS] = find(&c, "neg");
        library->unary[UNARY_NOT] = find(&c, "not");
    }
    library_join(&c, library);
    checker_fragments(&c);
    checker_end(&c);
    return diag_error_count(context->diag) == errors ? library : NULL;
}

/* What is read lives as long as the model, though it is for one of its graphs. */
static struct context *root_of(struct context *context)
{
    return context->parent ? context->parent : context;
}

const struct library *library_load(struct context *context, enum dialect dialect)
{
    struct context *root = root_of(context);
    bool provisional = dialect == DIALECT_PROVISIONAL;
    const struct library **library = &root->library[provisional];
    const struct text_of_library text = {
        provisional ? "<provisional library>" : "<standard library>",
        provisional ? nnefc_stdlib_provisional_text : nnefc_stdlib_1_0_text,
        provisional ? nnefc_stdlib_provisional_size : nnefc_stdlib_1_0_size, dialect};

    if (!*library)
        *library = load_text(root, &text, NULL);
    return *library;
}

/* The bodies of a text may invoke whatever is in those below, and hide it by fragments of the same
 * name.  Each is read when it is first asked for; NULL after a report. */
const struct library *library_above(struct context *context, const struct library *standard,
                                    enum library_more which)
{
    static const enum library_more belows[] = {[LIBRARY_ONNX] = LIBRARY_EXTENSIONS,
                                               [LIBRARY_PNNX] = LIBRARY_ONNX,
                                               [LIBRARY_MICROSOFT] = LIBRARY_ONNX};
    const struct text_of_library texts[] = {
        [LIBRARY_EXTENSIONS] = {"<extension library>", nnefc_stdlib_nnefc_ext_text,
                                nnefc_stdlib_nnefc_ext_size, DIALECT_1_0},
        [LIBRARY_ONNX] = {"<operators of ONNX>", nnefc_stdlib_onnx_text, nnefc_stdlib_onnx_size,
                          DIALECT_1_0},
        [LIBRARY_PNNX] = {"<operators of PNNX>", nnefc_stdlib_pnnx_text, nnefc_stdlib_pnnx_size,
                          DIALECT_1_0},
        [LIBRARY_MICROSOFT] = {"<operators of com.microsoft>", nnefc_stdlib_microsoft_text,
                               nnefc_stdlib_microsoft_size, DIALECT_1_0}};
    const struct library *below = standard;

    assert(!standard->base && which < LIBRARY_MORE);
    if (standard->more[which])
        return standard->more[which];
    if (which > LIBRARY_EXTENSIONS)
        below = library_above(context, standard, belows[which]);
    if (below)
        standard->more[which] = load_text(root_of(context), &texts[which], below);
    return standard->more[which];
}

void library_enter(const struct library *library, struct map *operations)
{
    for (int i = 0; i < library->count; i++)
        map_set(operations, library->signatures[i]->name, library->signatures[i]);
}

/* By name, in the text itself and not in those below it. */
const struct signature *library_find(const struct library *library, const char *name)
{
    assert(name);
    for (int i = 0; i < library->count; i++)
        if (strcmp(library->signatures[i]->name, name) == 0)
            return library->signatures[i];
    return NULL;
}

int library_count(const struct library *library)
{
    return library->count;
}

const struct signature *library_at(const struct library *library, int index)
{
    return library->signatures[index];
}

const struct signature *library_unary(const struct library *library, enum unary_op op)
{
    assert(op <= UNARY_NOT);
    return library->unary[op];
}

const struct signature *library_binary(const struct library *library, enum binary_op op)
{
    assert(op <= BINARY_IN);
    return library->binary[op];
}
