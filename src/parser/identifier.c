/* identifier.c - which words are identifiers (section 3.1) */
#include "parser/parser_priv.h"

#include <string.h>

static bool is_type(const char *word)
{
    for (int type = TYPE_NAME_INTEGER; type <= TYPE_NAME_STRING; type++)
        if (strcmp(type_name_text((enum type_name)type, DIALECT_1_0), word) == 0)
            return true;
    return false;
}

static bool is_builtin(const char *word)
{
    for (int builtin = BUILTIN_SHAPE_OF; builtin <= BUILTIN_STRING; builtin++)
        if (strcmp(builtin_text((enum builtin)builtin, DIALECT_1_0), word) == 0)
            return true;
    return false;
}

bool is_identifier(const char *name)
{
    static const char digits_and_letters[] = "0123456789"
                                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "abcdefghijklmnopqrstuvwxyz_";
    return (strspn(name, digits_and_letters) == strlen(name) && strspn(name, "0123456789") == 0 &&
            *name) &&
           !grammar_has_keyword(name) && !is_type(name) && !is_builtin(name);
}
