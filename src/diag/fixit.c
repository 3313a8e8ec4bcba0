/*
 * fixit.c - decides which fix-its are made, and makes them (see fixit_apply())
 *
 * The changes are visited in the order of the text.  Each is compared with the last one before it
 * that will be made.  If the two touch, the later report loses all its changes, even if another
 * report lost because of it before.  The first report that proposes a change never loses, so
 * repeated checking and fixing comes to an end.
 */
#include "diag/diag.h"

#include "base/arena.h"
#include "diag/diag_priv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct edit {
    const struct diag_fix *fix;
    int report, number; /* index of the report, and of the change in it */
};

/* The decision on a report. */
struct report_fate {
    bool made;
    int twin; /* an earlier report that proposes the same changes; -1: none */
};

struct fixit {
    const struct diag *diag;
    struct span at;
    struct edit *change;
    size_t count;
    struct report_fate *fate;
};

/* List the changes of all reports whose changes lie in the text. */
static void collect(struct fixit *m)
{
    const struct diag *d = m->diag;
    size_t room = 0;

    for (int i = 0; i < d->count; i++)
        room += (size_t)d->report[i].fix_count;
    m->change = heap_array(room, sizeof *m->change);
    m->fate = heap_array((size_t)d->count, sizeof *m->fate);
    for (int i = 0; i < d->count; i++) {
        const struct diag_entry *r = &d->report[i];
        bool inside = r->fix_count > 0;
        for (int k = 0; k < r->fix_count; k++) {
            struct span here = r->fixes[k].at;
            inside &= here.begin >= m->at.begin && here.begin <= here.end && here.end <= m->at.end;
        }
        m->fate[i] = (struct report_fate){inside, -1};
        for (int k = 0; inside && k < r->fix_count; k++)
            m->change[m->count++] = (struct edit){&r->fixes[k], i, k};
    }
}

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_place(const void *left, const void *right)
{
    const struct edit *a = left, *b = right;
    int place = compare(a->fix->at.begin, b->fix->at.begin);
    int report = compare(a->report, b->report);

    return place ? place : report ? report : compare(a->number, b->number);
}

static bool are_same(const struct diag *d, int a, int b)
{
    const struct diag_entry *one = &d->report[a], *other = &d->report[b];
    bool same = one->fix_count == other->fix_count;

    for (int i = 0; i < one->fix_count && same; i++) {
        const struct diag_fix *x = &one->fixes[i], *y = &other->fixes[i];
        same = x->at.begin == y->at.begin && x->at.end == y->at.end &&
               strcmp(x->replacement, y->replacement) == 0;
    }
    return same;
}

/* Decide which reports are fixed. */
static void settle(struct fixit *m)
{
    const struct edit *last = NULL;

    qsort(m->change, m->count, sizeof *m->change, by_place);
    for (size_t i = 0; i < m->count; i++) {
        const struct edit *c = &m->change[i];
        if (!m->fate[c->report].made)
            continue;
        /* Two insertions at one place touch, because their order would be arbitrary. */
        bool touch = last && (c->fix->at.begin < last->fix->at.end ||
                              c->fix->at.begin == last->fix->at.begin);
        if (!touch || !m->fate[last->report].made) {
            last = c;
            continue;
        }
        int first = last->report < c->report ? last->report : c->report;
        int second = last->report < c->report ? c->report : last->report;
        m->fate[second].made = false;
        if (first != second && are_same(m->diag, first, second))
            m->fate[second].twin = first;
        if (last->report == second)
            last = c;
    }
}

int fixit_apply(const struct diag *diag, struct span at, struct text *mended)
{
    struct fixit m = {.diag = diag, .at = at};
    size_t size, done = 0;
    const char *text = sources_text(diag->sources, at, &size);
    int count = 0;

    assert(at.begin <= at.end && !mended->data);
    collect(&m);
    settle(&m);
    for (int i = 0; i < diag->count; i++) {
        int twin = m.fate[i].twin;
        count += m.fate[i].made || (twin >= 0 && m.fate[twin].made);
    }
    for (size_t i = 0; i < m.count; i++) {
        const struct edit *c = &m.change[i];
        if (!m.fate[c->report].made)
            continue;
        text_add_bytes(mended, text + done, c->fix->at.begin - at.begin - done);
        text_add_bytes(mended, c->fix->replacement, strlen(c->fix->replacement));
        done = c->fix->at.end - at.begin;
    }
    text_add_bytes(mended, text + done, size - done);
    free(m.change);
    free(m.fate);
    /* Changes that leave the text as it was fix nothing. */
    if (count > 0 && (mended->size != size || memcmp(mended->data, text, size) != 0))
        return count;
    text_free(mended);
    return 0;
}
