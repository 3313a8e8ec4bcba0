/* amount.c - large numbers, in full and in short */
#include "driver/amount.h"

#include "nnefc/nnefc.h"

#include <inttypes.h>
#include <stdio.h>

struct unit {
    double size;
    const char *name; /* NULL: too small for any */
};

static const struct unit decimal[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "K"}, {0, NULL}};
static const struct unit binary[] = {{1099511627776.0, "TiB"},
                                     {1073741824.0, "GiB"},
                                     {1048576.0, "MiB"},
                                     {1024.0, "KiB"},
                                     {0, NULL}};
static const struct unit none = {0, NULL};

static const struct unit *units_of(enum amount_kind kind)
{
    switch (kind) {
    case AMOUNT_TENSORS:
        return &none;
    case AMOUNT_COUNT:
        return decimal;
    case AMOUNT_BYTES:
        return binary;
    }
    return &none;
}

void amount_print(const char *what, int64_t amount, enum amount_kind kind)
{
    const struct unit *unit = units_of(kind);

    printf("%s ", what);
    if (amount == NNEFC_UNKNOWN) {
        puts("unknown");
        return;
    }
    printf("%" PRId64, amount);
    while (unit->name && (double)amount < unit->size)
        unit++;
    if (unit->name)
        printf(" (%.1f %s)", (double)amount / unit->size, unit->name);
    putchar('\n');
}
