/* type_text.c - types in the words of either dialect */
#include "sema/type.h"

#include "base/arena.h"
#include "base/text.h"

enum { LONGEST_TEXT = 120 }; /* about, in bytes: types can be longer than anybody reads */

/* What is longer than LONGEST_TEXT ends in dots. */
static void add_type(const struct type *type, enum dialect dialect, struct text *to)
{
    const struct type *item = type->item;
    bool bare;

    switch (type->kind) {
    case TYPE_INTEGER:
    case TYPE_SCALAR:
    case TYPE_LOGICAL:
    case TYPE_STRING:
    case TYPE_GENERIC:
        text_add(to, "%s", type_name_text(type_to_name(type), dialect));
        break;
    case TYPE_TENSOR:
        /* The provisional dialect writes no data types of tensors. */
        bare = dialect == DIALECT_PROVISIONAL && item &&
               (item->kind == TYPE_SCALAR || item->kind == TYPE_POISON);
        text_add(to, bare ? "tensor" : "tensor<");
        if (item && !bare)
            add_type(item, dialect, to);
        text_add(to, bare ? "" : ">");
        break;
    case TYPE_ARRAY:
        add_type(item, dialect, to);
        text_add(to, to->size < LONGEST_TEXT ? "[]" : "");
        break;
    case TYPE_TUPLE:
        for (int i = 0; i < type->count && to->size < LONGEST_TEXT; i++) {
            text_add(to, i ? "," : "(");
            add_type(type->items[i], dialect, to);
        }
        text_add(to, to->size < LONGEST_TEXT ? ")" : "...");
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
    return text_keep(&text, arena);
}
