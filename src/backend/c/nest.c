/* nest.c - see nest.h */
#include "backend/c/nest.h"

#include "backend/c/c.h"

#include <assert.h>
#include <inttypes.h>

void nest_add(struct nest *nest, int64_t extent, const int64_t *stride)
{
    int last = nest->rank - 1;
    bool merges = last >= 0;

    if (extent == 1)
        return;
    for (int v = 0; v < nest->nview && merges; v++)
        merges = nest->stride[v][last] == stride[v] * extent;
    if (!merges)
        nest->extent[++last] = 1;
    assert(last < NEST_RANK);
    nest->rank = last + 1;
    nest->extent[last] *= extent;
    for (int v = 0; v < nest->nview; v++)
        nest->stride[v][last] = stride[v];
}

void nest_open(struct c_writer *writer, const struct nest *nest)
{
    for (int i = 0; i < nest->rank; i++)
        c_code(writer, "for (int %s%d = 0; %s%d < %" PRId64 "; %s%d++) {\n", nest->letter, i,
               nest->letter, i, nest->extent[i], nest->letter, i);
}

void nest_close(struct c_writer *writer, const struct nest *nest)
{
    for (int i = 0; i < nest->rank; i++)
        c_code(writer, "}\n");
}

void nest_index(struct text *to, const struct nest *nest, int view)
{
    const char *plus = "";

    if (nest->at[view] > 0) {
        text_add(to, "%" PRId64, nest->at[view]);
        plus = " + ";
    }
    for (int i = 0; i < nest->rank; i++) {
        int64_t stride = nest->stride[view][i];
        if (stride == 0)
            continue;
        text_add(to, "%s%s%d",
                 stride < 0 && *plus ? " - "
                 : stride < 0        ? "-"
                                     : plus,
                 nest->letter, i);
        if (stride != 1 && stride != -1)
            text_add(to, " * %" PRId64, stride < 0 ? -stride : stride);
        plus = " + ";
    }
    if (!*plus)
        text_add(to, "0");
}
