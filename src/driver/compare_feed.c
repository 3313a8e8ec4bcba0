/* compare_feed.c - the same inputs for both models */
#include "driver/comparison.h"
#include "driver/report.h"

#include <stdlib.h>
#include <string.h>

/* The parameters of both models, those that correspond in one slot. */
struct slots {
    struct comparison *c;
    struct pairs pairs;
    const char **file; /* by slot; NULL: no file */
    struct named_file *given;
    int ngiven; /* files that are not for all parameters */
};

/* --- which files ------------------------------------------------------------------------- */

/* A slot goes by the names it has in both models. */
static int find_slot(void *data, const char *name)
{
    const struct slots *slots = data;

    for (int which = 0; which < 2; which++)
        for (int i = 0; i < slots->pairs.count; i++) {
            int index = slots->pairs.pair[i].index[which];
            const struct subject *subject = &slots->c->subject[which];
            if (index >= 0 && strcmp(subject_name(subject, PART_INPUT, index), name) == 0)
                return i;
        }
    return nnefc_model_find_input(slots->c->subject[slots->c->subject[0].recorded].model, name);
}

static enum nnefc_status assign_files(struct slots *slots)
{
    const struct list *inputs = &slots->c->feeding->inputs;
    const struct named_file *input = inputs->item;
    struct side side = {"input", slots->pairs.count, find_slot, slots};

    for (int i = 0; i < inputs->count; i++)
        if (!file_is_for_all(&input[i]))
            slots->given[slots->ngiven++] = input[i];
    return files_assign(slots->c->command, &side, slots->given, slots->ngiven, slots->file);
}

/* --- do they go together ------------------------------------------------------------------ */

static bool is_in_both(const struct pair *pair)
{
    return pair->index[0] >= 0 && pair->index[1] >= 0;
}

static bool fits(const struct slots *slots, const struct pair *pair, struct finding *finding)
{
    const struct subject *subjects = slots->c->subject;

    *finding = (struct finding){.part = PART_INPUT, .pair = *pair, .difference = {.worst = -1}};
    for (int which = 0; which < 2; which++) {
        finding->name[which] = subject_name(&subjects[which], PART_INPUT, pair->index[which]);
        finding->type[which] = subject_type(&subjects[which], PART_INPUT, pair->index[which]);
    }
    bool same_dtype = finding->type[0].dtype == finding->type[1].dtype;
    finding->difference.agreement = same_dtype ? NNEFC_OTHER_SHAPE : NNEFC_OTHER_TYPE;
    return type_equal(&finding->type[0], &finding->type[1]);
}

/* Parameters of other types or shapes cannot get the same data. */
static enum nnefc_status check_types(struct slots *slots)
{
    struct comparison *c = slots->c;

    c->findings = calloc((size_t)slots->pairs.count + 1, sizeof *c->findings);
    if (!c->findings)
        return NNEFC_INTERNAL;
    for (int i = 0; i < slots->pairs.count; i++) {
        const struct pair *pair = &slots->pairs.pair[i];
        if (is_in_both(pair) && !fits(slots, pair, &c->findings[c->nfinding]))
            c->nfinding++;
    }
    return c->nfinding > 0 ? NNEFC_DIFFERENT : NNEFC_OK;
}

static void tell_order(const struct slots *slots)
{
    const struct subject *subjects = slots->c->subject;

    for (int i = 0; i < slots->pairs.count; i++) {
        const struct pair *pair = &slots->pairs.pair[i];
        if (pair->by_order)
            usage_note(slots->c->command,
                       "parameter '%s' of A and '%s' of B get the same input, as no name tells",
                       subject_name(&subjects[0], PART_INPUT, pair->index[0]),
                       subject_name(&subjects[1], PART_INPUT, pair->index[1]));
    }
}

/* --- feeding ------------------------------------------------------------------------------ */

/* A takes from an archive what it can, B only what A has no parameter for. */
static bool has_own(const struct slots *slots, int which)
{
    for (int i = 0; i < slots->pairs.count; i++)
        if (slots->pairs.pair[i].index[which] >= 0 &&
            (which == 0 || slots->pairs.pair[i].index[0] < 0))
            return true;
    return false;
}

static enum nnefc_status feed_archive(struct slots *slots, const char *path)
{
    enum nnefc_status status = NNEFC_OK;

    for (int which = 0; which < 2 && status == NNEFC_OK; which++)
        if (has_own(slots, which))
            status = nnefc_run_read_inputs(slots->c->subject[which].run, path);
    return status;
}

static enum nnefc_status feed_slot(const struct slots *slots, int slot)
{
    const struct pair *pair = &slots->pairs.pair[slot];
    int which = pair->index[0] < 0, index = pair->index[which];
    struct nnefc_run *run = slots->c->subject[which].run;
    enum nnefc_status status = NNEFC_OK;

    if (slots->file[slot])
        status = nnefc_run_read_input(run, index, slots->file[slot]);
    else
        status = feed_made(slots->c->feeding, run, index);
    if (status == NNEFC_OK && is_in_both(pair) && nnefc_run_has_input(run, index))
        status = nnefc_run_set_input(slots->c->subject[1].run, pair->index[1],
                                     nnefc_run_input(run, index));
    return status;
}

static enum nnefc_status feed_all(struct slots *slots)
{
    const struct list *inputs = &slots->c->feeding->inputs;
    const struct named_file *input = inputs->item;
    enum nnefc_status status = NNEFC_OK, first;

    for (int i = 0; i < inputs->count && status == NNEFC_OK; i++)
        if (file_is_for_all(&input[i]))
            status = feed_archive(slots, input[i].file);
    first = status;
    for (int i = 0; i < slots->pairs.count; i++) {
        status = feed_slot(slots, i);
        first = first == NNEFC_OK ? status : first;
    }
    return first;
}

static enum nnefc_status feed(struct slots *slots)
{
    enum nnefc_status status = assign_files(slots);

    if (status == NNEFC_OK)
        status = check_types(slots);
    if (status != NNEFC_OK)
        return status;
    tell_order(slots);
    return feed_all(slots);
}

enum nnefc_status comparison_feed(struct comparison *c)
{
    struct slots slots = {.c = c};
    enum nnefc_status status = NNEFC_INTERNAL;

    if (pairs_match(&slots.pairs, c->subject, PART_INPUT)) {
        slots.file = calloc((size_t)slots.pairs.count + 1, sizeof *slots.file);
        slots.given = calloc((size_t)c->feeding->inputs.count + 1, sizeof *slots.given);
    }
    if (slots.file && slots.given)
        status = feed(&slots);
    free(slots.file);
    free(slots.given);
    pairs_free(&slots.pairs);
    return status;
}
