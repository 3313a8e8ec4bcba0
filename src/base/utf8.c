/*
 * utf8.c - decodes UTF-8 (RFC 3629: no surrogates, no overlong forms), and widths of characters
 *
 * Neither depends on the locale.
 */
#include "base/text.h"

#include <assert.h>
#include <stdbool.h>

struct code_range {
    uint32_t first, last;
};

static bool within(const struct code_range *range, size_t count, uint32_t c)
{
    for (size_t i = 0; i < count; i++)
        if (c >= range[i].first && c <= range[i].last)
            return true;
    return false;
}

#define WITHIN(table, c) within((table), sizeof(table) / sizeof *(table), (c))

size_t utf8_decode(const char *text, size_t size, uint32_t *character)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char lead = (unsigned char)text[0];
    size_t length = lead < 0x80                    ? 1
                    : lead >= 0xC2 && lead <= 0xDF ? 2
                    : lead >= 0xE0 && lead <= 0xEF ? 3
                    : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                   : 0; /* no character begins so */
    uint32_t c = length > 1 ? lead & (0x7Fu >> length) : lead;

    assert(size > 0);
    *character = UTF8_INVALID;
    if (length == 0 || length > size)
        return 1;
    for (size_t i = 1; i < length; i++) {
        unsigned char next = (unsigned char)text[i];
        if ((next & 0xC0) != 0x80)
            return 1;
        c = c << 6 | (next & 0x3Fu);
    }
    if (c < smallest[length] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
        return 1;
    *character = c;
    return length;
}

int utf8_width(uint32_t character)
{
    static const struct code_range unfit[] = {
        {0x00, 0x1F},     {0x7F, 0x9F},     {0x200E, 0x200F},        {0x2028, 0x202E},
        {0x2066, 0x2069}, {0xFEFF, 0xFEFF}, {0x110000, UTF8_INVALID}};
    static const struct code_range zero[] = {{0x300, 0x36F}, {0x200B, 0x200D}, {0xFE00, 0xFE0F}};
    static const struct code_range wide[] = {
        {0x1100, 0x115F},   {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
        {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
        {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD},
    };

    if (character >= 0x20 && character < 0x7F)
        return 1;
    if (WITHIN(unfit, character))
        return -1;
    if (WITHIN(zero, character))
        return 0;
    return WITHIN(wide, character) ? 2 : 1;
}
