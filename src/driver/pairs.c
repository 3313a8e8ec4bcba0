/* pairs.c - correspondence by name, else by order */
#include "driver/pairs.h"

#include <stdlib.h>
#include <string.h>

struct matching {
    enum part part;
    const struct subject *subjects;
    int count[2];
    int *partner[2]; /* by index of the one: that in the other, or -1 */
};

static void join(struct matching *m, int a, int b)
{
    m->partner[0][a] = b;
    m->partner[1][b] = a;
}

/* --- by name ------------------------------------------------------------------------------ */

struct named {
    const char *name;
    int index;
};

/* Of equal names the first is first. */
static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Those that have a name, sorted; NULL if there is not enough memory. */
static struct named *sorted_names(const struct matching *m, int which, int *count)
{
    struct named *names = calloc((size_t)m->count[which] + 1, sizeof *names);

    *count = 0;
    for (int i = 0; names && i < m->count[which]; i++) {
        const char *name = subject_name(&m->subjects[which], m->part, i);
        if (name)
            names[(*count)++] = (struct named){name, i};
    }
    if (names)
        qsort(names, (size_t)*count, sizeof *names, by_name);
    return names;
}

static bool match_names(struct matching *m)
{
    int na, nb;
    struct named *a = sorted_names(m, 0, &na), *b = sorted_names(m, 1, &nb);
    bool ok = a && b;

    for (int i = 0, k = 0; ok && i < na && k < nb;) {
        int order = strcmp(a[i].name, b[k].name);
        if (order == 0)
            join(m, a[i].index, b[k].index);
        i += order <= 0;
        k += order >= 0;
    }
    free(a);
    free(b);
    return ok;
}

/* --- by order ----------------------------------------------------------------------------- */

static int left_over(const struct matching *m, int which)
{
    int count = 0;

    for (int i = 0; i < m->count[which]; i++)
        count += m->partner[which][i] < 0;
    return count;
}

static void match_rest(struct matching *m)
{
    bool recorded = m->subjects[0].recorded || m->subjects[1].recorded;

    if (recorded && (left_over(m, 0) != 1 || left_over(m, 1) != 1))
        return;
    for (int a = 0, b = 0; a < m->count[0]; a++) {
        if (m->partner[0][a] >= 0)
            continue;
        while (b < m->count[1] && m->partner[1][b] >= 0)
            b++;
        if (b == m->count[1])
            return;
        join(m, a, b);
    }
}

bool type_equal(const struct nnefc_type *a, const struct nnefc_type *b)
{
    bool same = a->dtype == b->dtype && a->rank == b->rank;

    for (int i = 0; same && i < a->rank; i++)
        same = a->extent[i] == b->extent[i];
    return same;
}

/* Can these be the same tensor of the same network?  If so they are joined. */
static bool match_structure(struct matching *m, int a, int b)
{
    const struct nnefc_computed *x = nnefc_model_computed(m->subjects[0].model)->at[a];
    const struct nnefc_computed *y = nnefc_model_computed(m->subjects[1].model)->at[b];
    bool joined = m->partner[0][a] == b;
    bool free_yet = m->partner[0][a] < 0 && m->partner[1][b] < 0;

    if (!joined &&
        !(free_yet && strcmp(x->operation, y->operation) == 0 && type_equal(&x->type, &y->type)))
        return false;
    join(m, a, b);
    return true;
}

static void match_structures(struct matching *m)
{
    int na = m->count[0], nb = m->count[1], least = na < nb ? na : nb, n = 0;

    if (m->subjects[0].recorded || m->subjects[1].recorded)
        return;
    while (n < least && match_structure(m, n, n))
        n++;
    for (int back = 1; back <= least - n && match_structure(m, na - back, nb - back);)
        back++;
}

/* --- all together ------------------------------------------------------------------------- */

static bool has_same_name(const struct matching *m, int a, int b)
{
    const char *x = subject_name(&m->subjects[0], m->part, a);
    const char *y = subject_name(&m->subjects[1], m->part, b);

    return x && y && strcmp(x, y) == 0;
}

static bool list_pairs(struct pairs *pairs, const struct matching *m)
{
    pairs->pair = calloc((size_t)m->count[0] + (size_t)m->count[1] + 1, sizeof *pairs->pair);
    if (!pairs->pair)
        return false;
    for (int a = 0; a < m->count[0]; a++) {
        int b = m->partner[0][a];
        pairs->pair[pairs->count++] = (struct pair){{a, b}, b >= 0 && !has_same_name(m, a, b)};
    }
    for (int b = 0; b < m->count[1]; b++)
        if (m->partner[1][b] < 0)
            pairs->pair[pairs->count++] = (struct pair){{-1, b}, false};
    return true;
}

static bool prepare(struct matching *m)
{
    for (int which = 0; which < 2; which++) {
        m->count[which] = subject_count(&m->subjects[which], m->part);
        m->partner[which] = malloc(((size_t)m->count[which] + 1) * sizeof(int));
        for (int i = 0; m->partner[which] && i < m->count[which]; i++)
            m->partner[which][i] = -1;
    }
    return m->partner[0] && m->partner[1];
}

bool pairs_match(struct pairs *pairs, const struct subject subjects[2], enum part part)
{
    struct matching m = {.part = part, .subjects = subjects};

    *pairs = (struct pairs){.part = part};
    bool ok = prepare(&m) && match_names(&m);
    if (ok && part == PART_COMPUTED)
        match_structures(&m);
    else if (ok && part != PART_VARIABLE)
        match_rest(&m);
    ok = ok && list_pairs(pairs, &m);
    free(m.partner[0]);
    free(m.partner[1]);
    return ok;
}

void pairs_free(struct pairs *pairs)
{
    free(pairs->pair);
    *pairs = (struct pairs){.count = 0};
}
