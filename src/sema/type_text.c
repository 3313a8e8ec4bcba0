/* type_text.c - types in the words of either dialect */
#include "sema/type.h"

#include "base/arena.h"
#include "base/text.h"

enum { LONGEST_TEXT = 120 };

static void add_type(const struct type *type, enum dialect dialect, struct text *to);

static void add_tensor(const struct type *type, enum dialect dialect, struct text *to)
{
    bool bare = dialect == DIALECT_PROVISIONAL && type->item &&
                (type->item->kind == TYPE_SCALAR || type->item->kind == TYPE_POISON);
    text_add(to, "tensor");
    if (bare)
        return;
    text_add(to, "<");
    if (type->item)
        add_type(type->item, dialect, to);
    text_add(to, ">");
}

static void add_tuple(const struct type *type, enum dialect dialect, struct text *to)
{
    for (int i = 0; i < type->count && to->size < LONGEST_TEXT; i++) {
        text_add(to, i ? "," : "(");
        add_type(type->items[i], dialect, to);
    }
    text_add(to, to->size < LONGEST_TEXT ? ")" : "...");
}

static void add_type(const struct type *type, enum dialect dialect, struct text *to)
{
    switch (type->kind) {
    case TYPE_INTEGER:
    case TYPE_SCALAR:
    case TYPE_LOGICAL:
    case TYPE_STRING:
    case TYPE_GENERIC:
        text_add(to, "%s", type_name_text(type_to_name(type), dialect));
        break;
    case TYPE_TENSOR:
        add_tensor(type, dialect, to);
        break;
    case TYPE_ARRAY:
        add_type(type->item, dialect, to);
        text_add(to, to->size < LONGEST_TEXT ? "[]" : "");
        break;
    case TYPE_TUPLE:
        add_tuple(type, dialect, to);
        break;
    case TYPE_EMPTY_ARRAY:
        text_add(to, "[]");
        break;
    case TYPE_POISON:
        text_add(to, "unknown");
        break;
    }
}

const char *type_text(const struct type *type, enum dialect dialect, struct arena *arena)
{
    struct text text = {0};

    add_type(type, dialect, &text);
    const char *copy = arena_strndup(arena, text.data, text.size);
    text_free(&text);
    return copy;
}
