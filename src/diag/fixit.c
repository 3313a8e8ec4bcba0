/*
 * fixit.c - which of the proposed changes are made, and the text that they make
 *
 * Changes are looked at in the order of the text, each beside the last one before it that is to be
 * made: where these touch, the later report stands back with all its changes, though it may have
 * kept others back before.  The first report that proposes anything never does, so that looking
 * again until nothing is proposed comes to an end.
 */
#include "diag/diag.h"

#include "base/arena.h"
#include "diag/diag_priv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct edit {
    const struct diag_fix *fix;
    int report, number; /* which it is of those of the report */
};

/* What becomes of a report. */
struct report_fate {
    bool made;
    int twin; /* an earlier one that proposes the same; -1: none */
};

struct fixit {
    const struct diag *diag;
    struct span at;
    struct edit *change;
    size_t count;
    struct report_fate *fate;
};

static bool lies_in(const struct diag_entry *r, struct span at)
{
    bool inside = true;

    for (int i = 0; i < r->fix_count; i++) {
        struct span here = r->fixes[i].at;
        inside &= here.begin >= at.begin && here.begin <= here.end && here.end <= at.end;
    }
    return inside;
}

static void add_changes(struct fixit *m, int report)
{
    const struct diag_entry *r = &m->diag->report[report];

    for (int i = 0; i < r->fix_count; i++)
        m->change[m->count++] = (struct edit){&r->fixes[i], report, i};
}

static void collect(struct fixit *m)
{
    const struct diag *d = m->diag;
    size_t room = 1;

    for (int i = 0; i < d->count; i++)
        room += (size_t)d->report[i].fix_count;
    m->change = malloc(room * sizeof *m->change);
    m->fate = calloc((size_t)d->count + 1, sizeof *m->fate);
    if (!m->change || !m->fate)
        arena_out_of_memory();
    for (int i = 0; i < d->count; i++) {
        const struct diag_entry *r = &d->report[i];
        m->fate[i] = (struct report_fate){r->fix_count > 0 && lies_in(r, m->at), -1};
        if (m->fate[i].made)
            add_changes(m, i);
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

/* Of two in order; what is put at one place has no order of its own. */
static bool touch(const struct edit *a, const struct edit *b)
{
    return b->fix->at.begin < a->fix->at.end || b->fix->at.begin == a->fix->at.begin;
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

static void settle(struct fixit *m)
{
    const struct edit *last = NULL;

    qsort(m->change, m->count, sizeof *m->change, by_place);
    for (size_t i = 0; i < m->count; i++) {
        const struct edit *c = &m->change[i];
        if (!m->fate[c->report].made)
            continue;
        if (!last || !m->fate[last->report].made || !touch(last, c)) {
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

static int count_mended(const struct fixit *m)
{
    int count = 0;

    for (int i = 0; i < m->diag->count; i++) {
        int twin = m->fate[i].twin;
        count += m->fate[i].made || (twin >= 0 && m->fate[twin].made);
    }
    return count;
}

/* Whether that made another text. */
static bool apply(const struct fixit *m, struct text *mended)
{
    size_t size, done = 0;
    const char *text = sources_text(m->diag->sources, m->at, &size);

    for (size_t i = 0; i < m->count; i++) {
        const struct edit *c = &m->change[i];
        if (!m->fate[c->report].made)
            continue;
        size_t begin = c->fix->at.begin - m->at.begin;
        text_add_bytes(mended, text + done, begin - done);
        text_add_bytes(mended, c->fix->replacement, strlen(c->fix->replacement));
        done = c->fix->at.end - m->at.begin;
    }
    text_add_bytes(mended, text + done, size - done);
    return mended->size != size || memcmp(mended->data, text, size) != 0;
}

int fixit_apply(const struct diag *diag, struct span at, struct text *mended)
{
    struct fixit m = {.diag = diag, .at = at};
    int count;

    assert(at.begin <= at.end);
    collect(&m);
    settle(&m);
    count = count_mended(&m);
    if (count > 0 && !apply(&m, mended)) {
        text_free(mended);
        count = 0;
    }
    free(m.change);
    free(m.fate);
    return count;
}
