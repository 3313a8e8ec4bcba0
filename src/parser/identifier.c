/* identifier.c - which words are identifiers (section 3.1) */
#include "parser/parser_priv.h"

#include <assert.h>
#include <string.h>

bool is_identifier(const char *name)
{
    static const char allowed[] = "0123456789"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz_";

    assert(name);
    if (!*name || (*name >= '0' && *name <= '9') || name[strspn(name, allowed)] ||
        grammar_has_keyword(name))
        return false;
    for (int type = TYPE_NAME_INTEGER; type <= TYPE_NAME_STRING; type++)
        if (strcmp(type_name_text((enum type_name)type, DIALECT_1_0), name) == 0)
            return false;
    for (int builtin = BUILTIN_SHAPE_OF; builtin <= BUILTIN_STRING; builtin++)
        if (strcmp(builtin_text((enum builtin)builtin, DIALECT_1_0), name) == 0)
            return false;
    return true;
}
