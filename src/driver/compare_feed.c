/*
 * compare_feed.c - the same inputs for both models
 *
 * Parameters that correspond share a slot. Its file is read once, for A if A has the parameter, and
 * B gets a copy. So both get the same random data, and the standard input is read once.
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

/* For struct side: the slot whose parameter has this name in A, or else in B; -1 after a report. */
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

/* The model that is given what both get: A, unless it leaves the shape open and B does not. */
static int fed_first(const struct comparison *c, const struct pair *pair)
{
    if (!pair_is_whole(pair))
        return pair->index[0] < 0;
    const struct nnefc_port a = subject_port(&c->subject[0], PART_INPUT, pair->index[0]);
    const struct nnefc_port b = subject_port(&c->subject[1], PART_INPUT, pair->index[1]);
    return type_is_open(&a.type) && !type_is_open(&b.type);
}

/* Feed all slots, so that all faults are reported. */
static enum nnefc_status feed_slots(struct slots *slots)
{
    const struct comparison *c = slots->c;
    enum nnefc_status status = NNEFC_OK, fed;
    bool own[2] = {false, false};

    for (int i = 0; i < slots->pairs.count; i++) {
        const struct pair *pair = &slots->pairs.pair[i];
        own[pair->index[0] < 0] = true;
        if (pair->by_order) /* names that differ may be those of other inputs */
            usage_note(
                c->command,
                "parameter '%s' of A and '%s' of B get the same input, because no names match",
                subject_port(&c->subject[0], PART_INPUT, pair->index[0]).name,
                subject_port(&c->subject[1], PART_INPUT, pair->index[1]).name);
    }
    /* B reads an archive only if it has a parameter that A does not have. */
    for (int which = 0; which < 2 && status == NNEFC_OK; which++)
        if (own[which])
            status = feed_archives(c->feeding, c->subject[which].run);
    for (int i = 0; i < slots->pairs.count; i++) {
        const struct pair *pair = &slots->pairs.pair[i];
        int which = fed_first(c, pair), index = pair->index[which];
        struct nnefc_run *run = c->subject[which].run;
        assert(index >= 0);
        fed = slots->file[i] ? nnefc_run_read_input(run, index, slots->file[i])
                             : feed_made(c->feeding, run, index);
        if (fed == NNEFC_OK && pair_is_whole(pair) && nnefc_run_has_input(run, index))
            fed = nnefc_run_set_input(c->subject[1 - which].run, pair->index[1 - which],
                                      nnefc_run_input(run, index));
        status = status == NNEFC_OK ? fed : status;
    }
    return status;
}

enum nnefc_status comparison_feed(struct comparison *c)
{
    struct slots slots = {.c = c, .pairs = pairs_match(c->subject, PART_INPUT)};
    struct side side = side_of(c->subject[0].model, false);

    slots.file = zeroed_items((size_t)slots.pairs.count, sizeof *slots.file);
    side.count = slots.pairs.count;
    side.find = find_slot;
    side.data = &slots;
    enum nnefc_status status = files_assign(c->command, &side, &c->feeding->inputs, slots.file);
    assert(!c->findings);
    if (status == NNEFC_OK)
        c->findings = zeroed_items((size_t)slots.pairs.count, sizeof *c->findings);
    /* Parameters whose types or shapes differ cannot get the same data. */
    for (int i = 0; i < slots.pairs.count && c->findings; i++) {
        const struct pair *pair = &slots.pairs.pair[i];
        if (!pair_is_whole(pair))
            continue;
        struct nnefc_port a = subject_port(&c->subject[0], PART_INPUT, pair->index[0]);
        struct nnefc_port b = subject_port(&c->subject[1], PART_INPUT, pair->index[1]);
        bool same = a.type.dtype == b.type.dtype;
        if (!type_fits(&a.type, &b.type))
            c->findings[c->nfinding++] = (struct finding){
                .part = PART_INPUT,
                .pair = *pair,
                .name = {a.name, b.name},
                .type = {a.type, b.type},
                .difference = {.worst = -1,
                               .agreement = same ? NNEFC_OTHER_SHAPE : NNEFC_OTHER_TYPE}};
    }
    if (c->nfinding > 0)
        status = NNEFC_DIFFERENT;
    if (status == NNEFC_OK)
        status = feed_slots(&slots);
    free(slots.file);
    pairs_free(&slots.pairs);
    return status;
}
