/* convert_table.c - which function says an operator of PNNX */
#include "convert/pnnx/convert_functions.h"

#include <string.h>

static const struct say_row rows[] = {
#define SAY(types, function) {types, say_##function},
#include "convert/pnnx/convert_list.def"
#undef SAY
};

/* Is `type` the word of `size` bytes, in which "*d" stands for a number of dimensions? */
static bool matches(const char *word, size_t size, const char *type)
{
    for (; size > 0 && *type; word++, type++, size--)
        if (*word != *type && !(*word == '*' && *type >= '1' && *type <= '3'))
            return false;
    return size == 0 && !*type;
}

static bool lists(const char *types, const char *type)
{
    for (const char *word = types; *word;) {
        size_t size = strcspn(word, " ");
        if (matches(word, size, type))
            return true;
        word += size;
        word += strspn(word, " ");
    }
    return false;
}

const struct say_row *say_find(const char *type)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (lists(rows[i].types, type))
            return &rows[i];
    return NULL;
}
