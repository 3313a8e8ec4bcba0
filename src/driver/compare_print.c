/* compare_print.c - what comes of a comparison, for people: a table and a verdict */
#include "driver/comparison.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME, TYPE, ABSOLUTE, RELATIVE, BEYOND, WORST, OF_A, OF_B, COLUMNS, CELL = 256 };

struct row {
    char cell[COLUMNS][CELL];
    bool remark; /* the third cell is a sentence, and the last */
};

static const struct row head = {
    .cell = {"result", "type", "max abs", "max rel", "beyond", "worst at", "A", "B"}};

static void put(char cell[CELL], const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put(char cell[CELL], const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(cell, CELL, fmt, args);
    va_end(args);
}

/* --- cells -------------------------------------------------------------------------------- */

static void put_extents(char cell[CELL], const int64_t *extent, int rank)
{
    size_t used = strlen(cell);

    for (int i = 0; i < rank && used < CELL; i++)
        used += (size_t)snprintf(cell + used, CELL - used, "%s%" PRId64, i ? "," : "[", extent[i]);
    if (used < CELL)
        snprintf(cell + used, CELL - used, rank ? "]" : "[]");
}

static void put_type(char cell[CELL], const struct nnefc_type *type)
{
    put(cell, "%s", nnefc_dtype_name(type->dtype));
    put_extents(cell, type->extent, type->rank);
}

static void put_item(char cell[CELL], const struct item *item)
{
    switch (item->dtype) {
    case NNEFC_INTEGER:
        put(cell, "%" PRId64, item->integer);
        return;
    case NNEFC_LOGICAL:
        put(cell, "%s", item->integer ? "true" : "false");
        return;
    case NNEFC_SCALAR:
    case NNEFC_DTYPE_UNKNOWN:
        break;
    }
    put(cell, "%.9g", item->scalar);
}

static void put_name(char cell[CELL], const struct finding *finding)
{
    const char *a = finding->name[0], *b = finding->name[1], *name = a ? a : b;

    if (finding->part == PART_STATE || finding->part == PART_VARIABLE)
        put(cell, "%s (variable)", name);
    else if (finding->part == PART_INPUT)
        put(cell, "%s (parameter)", name);
    else if (finding->pair.by_order && a && b)
        put(cell, "%s, %s", a, b);
    else
        put(cell, "%s", name ? name : "(no name)");
}

/* --- rows --------------------------------------------------------------------------------- */

static void put_other(char cell[CELL], const struct nnefc_type *type, const char *what)
{
    char text[CELL];

    put_type(text, type);
    put(cell, "other %s in B: %s", what, text);
}

static void put_numbers(struct row *row, const struct finding *finding)
{
    const struct nnefc_difference *d = &finding->difference;

    put(row->cell[ABSOLUTE], "%.3g", d->max_absolute);
    put(row->cell[RELATIVE], "%.3g", d->max_relative);
    put(row->cell[BEYOND], "%" PRId64 " of %" PRId64, d->beyond, d->count);
    if (d->worst < 0)
        return;
    put_extents(row->cell[WORST], d->index, finding->type[1].rank);
    put_item(row->cell[OF_A], &finding->worst[0]);
    put_item(row->cell[OF_B], &finding->worst[1]);
}

static void fill(struct row *row, const struct finding *finding)
{
    const struct pair *pair = &finding->pair;
    bool in_a = pair->index[0] >= 0, in_b = pair->index[1] >= 0;
    enum nnefc_agreement agreement = finding->difference.agreement;

    memset(row, 0, sizeof *row);
    put_name(row->cell[NAME], finding);
    put_type(row->cell[TYPE], &finding->type[!in_a]);
    row->remark = !in_a || !in_b || agreement == NNEFC_OTHER_TYPE || agreement == NNEFC_OTHER_SHAPE;
    if (!in_a || !in_b)
        put(row->cell[ABSOLUTE], "only in %s", in_a ? "A" : "B");
    else if (row->remark)
        put_other(row->cell[ABSOLUTE], &finding->type[1],
                  agreement == NNEFC_OTHER_TYPE ? "type" : "shape");
    else
        put_numbers(row, finding);
}

static void widen(int width[COLUMNS], const struct row *row)
{
    for (int i = 0; i < (row->remark ? ABSOLUTE : COLUMNS); i++) {
        int size = (int)strlen(row->cell[i]);
        width[i] = size > width[i] ? size : width[i];
    }
}

static void print_row(const struct row *row, const int width[COLUMNS])
{
    int last = 0;

    for (int i = 0; i < COLUMNS; i++)
        last = row->cell[i][0] ? i : last;
    for (int i = 0; i < last; i++)
        printf("%-*s  ", width[i], row->cell[i]);
    puts(row->cell[last]);
}

/* The tensor that --layers found comes first. */
static const struct finding *finding_at(const struct comparison *c, int index)
{
    if (c->layers.step == 0)
        return &c->findings[index];
    return index == 0 ? &c->layers.first : &c->findings[index - 1];
}

static void print_table(const struct comparison *c)
{
    int width[COLUMNS] = {0}, count = c->nfinding + (c->layers.step > 0);
    struct row row;

    widen(width, &head);
    for (int i = 0; i < count; i++) {
        fill(&row, finding_at(c, i));
        widen(width, &row);
    }
    print_row(&head, width);
    for (int i = 0; i < count; i++) {
        fill(&row, finding_at(c, i));
        print_row(&row, width);
    }
}

/* --- layers ------------------------------------------------------------------------------- */

/* Recorded results are seldom those of all operations. */
static void print_alone(const struct comparison *c)
{
    const int *alone = c->layers.alone;

    if (alone[0] == 0 && alone[1] == 0)
        return;
    printf("not compared: %d computed in A only, %d in B only\n", alone[0], alone[1]);
}

static void print_origin(char which, const struct nnefc_computed *made)
{
    if (!made->operation)
        return;
    printf("    %c: by '%s'", which, made->operation);
    if (made->file)
        printf(" at %s:%d:%d", made->file, made->line, made->column);
    if (made->fragment)
        printf(" in fragment '%s'", made->fragment);
    putchar('\n');
}

static void print_first(const struct comparison *c)
{
    const struct layers *layers = &c->layers;
    char name[CELL];

    put_name(name, &layers->first);
    printf("first to differ: '%s', after %d that %s", name, layers->compared - 1,
           layers->compared == 2 ? "agrees" : "agree");
    if (c->settings->steps > 1)
        printf(", in step %d of %d", layers->step, c->settings->steps);
    putchar('\n');
    print_origin('A', &layers->made[0]);
    print_origin('B', &layers->made[1]);
    print_alone(c);
}

/* --- verdict ------------------------------------------------------------------------------ */

static void print_verdict(const struct comparison *c)
{
    const struct nnefc_tolerance *t = &c->settings->tolerance;
    int agree = 0;

    for (int i = 0; i < c->nfinding; i++)
        agree += finding_agrees(&c->findings[i]);
    printf("A and B %s: ", comparison_agrees(c) ? "agree" : "differ");
    if (c->layers.step == 0)
        printf("%d of %d results within", agree, c->nfinding);
    else
        fputs("not within", stdout);
    printf(" %g + %g * |B|\n", t->absolute, t->relative);
}

void comparison_print(const struct comparison *c)
{
    if (c->layers.step > 0) {
        print_first(c);
    } else {
        if (c->layers.compared > 0) {
            printf("%d computed tensors agree\n", c->layers.compared);
            print_alone(c);
        }
    }
    print_table(c);
    print_verdict(c);
}

/* --- either way ---------------------------------------------------------------------------- */

bool comparison_failed(enum nnefc_status status)
{
    return status != NNEFC_OK && status != NNEFC_DIFFERENT;
}

enum nnefc_status comparison_show(const struct comparison *c, enum nnefc_status status)
{
    if (comparison_failed(status))
        return status;
    if (c->settings->json)
        return comparison_print_json(c) ? status : NNEFC_INTERNAL;
    if (!c->settings->quiet)
        comparison_print(c);
    return status;
}
