/* attribute.c - values of attributes as text */
#include "driver/view/attribute.h"

#include <inttypes.h>

static void print_items(FILE *to, const struct nnefc_datum *datum, const char *brackets)
{
    fputc(brackets[0], to);
    for (int i = 0; i < nnefc_datum_count(datum); i++) {
        if (i > 0)
            fputc(',', to);
        attribute_print(to, nnefc_datum_item(datum, i)); /* nested no deeper than a text may be */
    }
    fputc(brackets[1], to);
}

void attribute_print(FILE *to, const struct nnefc_datum *datum)
{
    switch (nnefc_datum_kind(datum)) {
    case NNEFC_DATUM_INTEGER:
        fprintf(to, "%" PRId64, nnefc_datum_integer(datum));
        return;
    case NNEFC_DATUM_SCALAR:
        fprintf(to, "%.9g", nnefc_datum_scalar(datum));
        return;
    case NNEFC_DATUM_LOGICAL:
        fputs(nnefc_datum_logical(datum) ? "true" : "false", to);
        return;
    case NNEFC_DATUM_STRING:
        fprintf(to, "'%s'", nnefc_datum_string(datum));
        return;
    case NNEFC_DATUM_ARRAY:
        print_items(to, datum, "[]");
        return;
    case NNEFC_DATUM_TUPLE:
        print_items(to, datum, "()");
        return;
    case NNEFC_DATUM_NONE:
        break;
    }
    fputs("none", to);
}
