/* settings.c - see settings.h */
#include "api/settings.h"

#include "api/api_priv.h"

#include <assert.h>
#include <string.h>

enum { MOST_BYTES = 4096 }; /* of a struct of any version; a size that is not set is often more */

bool settings_take(const struct nnefc_model *model, const void *from, void *to, size_t known)
{
    const unsigned char *bytes = from;
    size_t size = known;

    assert(known >= sizeof size && known <= MOST_BYTES);
    memset(to, 0, known);
    if (from)
        memcpy(&size, from, sizeof size);
    bool ok = size >= sizeof size && size <= MOST_BYTES;
    for (size_t i = known; i < size && ok; i++)
        ok = bytes[i] == 0;
    if (!ok) {
        misuse(model,
               "a struct says that it has %zu bytes, expected %zu in 'size', or as many as a newer "
               "version has, with 0 in what is new",
               size, known);
        return false;
    }
    if (from)
        memcpy(to, from, size < known ? size : known);
    memcpy(to, &known, sizeof known);
    return true;
}
