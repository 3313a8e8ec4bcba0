/*
 * compare_feed.c - the same inputs for both models
 *
 * Parameters that correspond share a slot. A file is read once, for A if A has the parameter, and
 * B gets a copy: that holds for the standard input and random data, too.
 */
#include "driver/comparison.h"
#include "driver/report.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The parameters of both models, those that correspond in one slot. */
struct slots {
    struct comparison *c;
    struct subject_pairs pairs;
    const char **file; /* by slot; NULL: no file */
};

/* --- do they go together ---------------------------------------------------------------------- */

/* A slot goes by the names it has in both models; -1 after a report. */
static int find_slot(void *data, const char *name)
{
    const struct slots *slots = data;
    const struct subject *subjects = slots->c->subject;

    for (int which = 0; which < 2; which++)
        for (int i = 0; i < slots->pairs.count; i++) {
            int index = slots->pairs.pair[i].index[which];
            if (index >= 0 &&
                strcmp(subject_port(&subjects[which], PART_INPUT, index).name, name) == 0)
                return i;
        }
    return nnefc_model_find_input(subjects[subjects[0].recorded].model, name);
}

/* Parameters of other types or shapes cannot get the same data. */
static enum nnefc_status check_types(struct slots *slots)
{
    struct comparison *c = slots->c;

    assert(!c->findings);
    c->findings = calloc((size_t)slots->pairs.count + 1, sizeof *c->findings);
    if (!c->findings)
        return NNEFC_INTERNAL;
    for (int i = 0; i < slots->pairs.count; i++) {
        const struct pair *pair = &slots->pairs.pair[i];
        if (!pair_is_whole(pair))
            continue;
        struct nnefc_port a = subject_port(&c->subject[0], PART_INPUT, pair->index[0]);
        struct nnefc_port b = subject_port(&c->subject[1], PART_INPUT, pair->index[1]);
        bool same = a.type.dtype == b.type.dtype;
        if (!type_equal(&a.type, &b.type))
            c->findings[c->nfinding++] = (struct finding){
                .part = PART_INPUT,
                .pair = *pair,
                .name = {a.name, b.name},
                .type = {a.type, b.type},
                .difference = {.worst = -1,
                               .agreement = same ? NNEFC_OTHER_SHAPE : NNEFC_OTHER_TYPE}};
    }
    return c->nfinding > 0 ? NNEFC_DIFFERENT : NNEFC_OK;
}

/* Names that differ may be those of other inputs: say which were taken for the same. */
static void note_order(const struct slots *slots)
{
    const struct subject *subjects = slots->c->subject;

    for (int i = 0; i < slots->pairs.count; i++) {
        const struct pair *pair = &slots->pairs.pair[i];
        if (pair->by_order)
            usage_note(slots->c->command,
                       "parameter '%s' of A and '%s' of B get the same input, as no name tells",
                       subject_port(&subjects[0], PART_INPUT, pair->index[0]).name,
                       subject_port(&subjects[1], PART_INPUT, pair->index[1]).name);
    }
}

/* --- feeding ---------------------------------------------------------------------------------- */

/* A takes from an archive what it can, B only what A has no parameter for. */
static bool has_own(const struct slots *slots, int which)
{
    for (int i = 0; i < slots->pairs.count; i++)
        if (slots->pairs.pair[i].index[which] >= 0 &&
            (which == 0 || slots->pairs.pair[i].index[0] < 0))
            return true;
    return false;
}

/* B gets a copy of what A got, so that both have the same random data, too. */
static enum nnefc_status feed_slot(const struct slots *slots, int slot)
{
    const struct pair *pair = &slots->pairs.pair[slot];
    int which = pair->index[0] < 0, index = pair->index[which];
    struct nnefc_run *run = slots->c->subject[which].run;
    enum nnefc_status status = NNEFC_OK;

    assert(index >= 0);
    if (slots->file[slot])
        status = nnefc_run_read_input(run, index, slots->file[slot]);
    else
        status = feed_made(slots->c->feeding, run, index);
    if (status == NNEFC_OK && pair_is_whole(pair) && nnefc_run_has_input(run, index))
        status = nnefc_run_set_input(slots->c->subject[1].run, pair->index[1],
                                     nnefc_run_input(run, index));
    return status;
}

/* All slots are fed, so that all faults are reported. */
static enum nnefc_status feed_all(struct slots *slots)
{
    enum nnefc_status status = NNEFC_OK, first;

    note_order(slots);
    for (int which = 0; which < 2 && status == NNEFC_OK; which++)
        if (has_own(slots, which))
            status = feed_archives(slots->c->feeding, slots->c->subject[which].run);
    first = status;
    for (int i = 0; i < slots->pairs.count; i++) {
        status = feed_slot(slots, i);
        first = first == NNEFC_OK ? status : first;
    }
    return first;
}

enum nnefc_status comparison_feed(struct comparison *c)
{
    struct slots slots = {.c = c};
    enum nnefc_status status = NNEFC_INTERNAL;

    if (pairs_match(&slots.pairs, c->subject, PART_INPUT))
        slots.file = calloc((size_t)slots.pairs.count + 1, sizeof *slots.file);
    if (slots.file) {
        struct side side = side_of_inputs(c->subject[0].model);
        side.count = slots.pairs.count;
        side.find = find_slot;
        side.data = &slots;
        status = files_assign(c->command, &side, &c->feeding->inputs, slots.file);
    }
    if (status == NNEFC_OK)
        status = check_types(&slots);
    if (status == NNEFC_OK)
        status = feed_all(&slots);
    free(slots.file);
    pairs_free(&slots.pairs);
    return status;
}
