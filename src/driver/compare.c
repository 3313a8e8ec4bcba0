/* compare.c - nnefc compare: do two models, or a model and recorded results, say the same */
#include "driver/comparison.h"
#include "driver/message.h"
#include "driver/progress.h"
#include "driver/verb.h"

#include <stdlib.h>

/* --- findings ----------------------------------------------------------------------------- */

bool finding_agrees(const struct finding *finding)
{
    return finding->pair.index[0] >= 0 && finding->pair.index[1] >= 0 &&
           finding->difference.agreement == NNEFC_AGREES;
}

static struct item item_of(const struct nnefc_tensor *tensor, int64_t index)
{
    struct item item = {.dtype = nnefc_tensor_type(tensor).dtype,
                        .scalar = nnefc_tensor_item(tensor, index)};

    item.integer = item.dtype == NNEFC_INTEGER
                       ? ((const int64_t *)nnefc_tensor_items(tensor))[index]
                       : item.scalar != 0;
    return item;
}

static void set_names(struct finding *finding, const struct comparison *c, enum part part,
                      const struct pair *pair)
{
    *finding = (struct finding){.part = part, .pair = *pair, .difference = {.worst = -1}};
    for (int which = 0; which < 2; which++)
        if (pair->index[which] >= 0)
            finding->name[which] = subject_name(&c->subject[which], part, pair->index[which]);
}

/* The tensor of one side, which has one; NULL after a report. */
static const struct nnefc_tensor *tensor_of(struct finding *finding, struct comparison *c,
                                            int which)
{
    const struct nnefc_tensor *tensor =
        subject_tensor(&c->subject[which], finding->part, finding->pair.index[which]);

    if (tensor)
        finding->type[which] = nnefc_tensor_type(tensor);
    return tensor;
}

static enum nnefc_status failure(const struct comparison *c)
{
    enum nnefc_status a = subject_status(&c->subject[0]), b = subject_status(&c->subject[1]);
    enum nnefc_status worse = a > b ? a : b;

    return worse == NNEFC_OK ? NNEFC_INTERNAL : worse;
}

enum nnefc_status finding_compare(struct finding *finding, const struct nnefc_tensor *a,
                                  const struct nnefc_tensor *b,
                                  const struct nnefc_tolerance *tolerance)
{
    finding->type[0] = nnefc_tensor_type(a);
    finding->type[1] = nnefc_tensor_type(b);
    enum nnefc_status status = nnefc_tensor_compare(a, b, tolerance, &finding->difference);
    if (finding->difference.worst >= 0) {
        finding->worst[0] = item_of(a, finding->difference.worst);
        finding->worst[1] = item_of(b, finding->difference.worst);
    }
    return status;
}

enum nnefc_status finding_make(struct finding *finding, struct comparison *c, enum part part,
                               const struct pair *pair)
{
    set_names(finding, c, part, pair);
    const struct nnefc_tensor *a = tensor_of(finding, c, 0), *b = tensor_of(finding, c, 1);

    return a && b ? finding_compare(finding, a, b, &c->settings->tolerance) : failure(c);
}
/* What one of them has alone. */
static enum nnefc_status note_alone(struct finding *finding, struct comparison *c, enum part part,
                                    const struct pair *pair)
{
    set_names(finding, c, part, pair);
    return tensor_of(finding, c, pair->index[0] < 0) ? NNEFC_DIFFERENT : failure(c);
}

/* A recorded tensor that --layers looked at need be no output. */
static bool is_recorded_layer(const struct comparison *c, const struct pair *pair)
{
    int which = pair->index[0] < 0;

    for (int i = 0; i < c->computed.count && c->subject[which].recorded; i++)
        if (c->computed.pair[i].index[which] == pair->index[which])
            return c->computed.pair[i].index[!which] >= 0;
    return false;
}

static enum nnefc_status add_pair(struct comparison *c, enum part part, const struct pair *pair)
{
    struct finding *finding = &c->findings[c->nfinding];
    bool alone = pair->index[0] < 0 || pair->index[1] < 0;

    if (alone && is_recorded_layer(c, pair))
        return NNEFC_OK;
    c->nfinding++;
    if (alone)
        return note_alone(finding, c, part, pair);
    enum nnefc_status status = finding_make(finding, c, part, pair);
    if (pair->by_order)
        usage_note(c->settings, "'%s' of A is compared with '%s' of B, as no name tells",
                   finding->name[0], finding->name[1]);
    return status;
}

static bool make_room(struct comparison *c, int more)
{
    struct finding *list =
        realloc(c->findings, ((size_t)c->nfinding + (size_t)more + 1) * sizeof *list);

    if (list)
        c->findings = list;
    return list;
}

enum nnefc_status comparison_add(struct comparison *c, enum part part)
{
    enum nnefc_status status = NNEFC_INTERNAL;
    struct pairs pairs;

    if (pairs_match(&pairs, c->subject, part) && make_room(c, pairs.count))
        status = NNEFC_OK;
    for (int i = 0; !comparison_failed(status) && i < pairs.count; i++)
        status = add_pair(c, part, &pairs.pair[i]);
    pairs_free(&pairs);
    return comparison_failed(status) ? status : NNEFC_OK;
}

enum nnefc_status comparison_add_variables(struct comparison *c)
{
    enum nnefc_status status = NNEFC_INTERNAL;
    struct pairs pairs;

    if (pairs_match(&pairs, c->subject, PART_VARIABLE) && make_room(c, pairs.count))
        status = NNEFC_OK;
    for (int i = 0; !comparison_failed(status) && i < pairs.count; i++) {
        const struct pair *pair = &pairs.pair[i];
        if (pair->index[0] < 0 || pair->index[1] < 0)
            continue;
        status = finding_make(&c->findings[c->nfinding], c, PART_VARIABLE, pair);
        c->nfinding += status == NNEFC_DIFFERENT;
    }
    pairs_free(&pairs);
    return comparison_failed(status) ? status : NNEFC_OK;
}

bool comparison_agrees(const struct comparison *c)
{
    bool agrees = c->layers.step == 0;

    for (int i = 0; i < c->nfinding && agrees; i++)
        agrees = finding_agrees(&c->findings[i]);
    return agrees;
}

bool comparison_failed(enum nnefc_status status)
{
    return status != NNEFC_OK && status != NNEFC_DIFFERENT;
}

/* --- the job ------------------------------------------------------------------------------ */

/* Both are opened, so that all that is wrong with them is said. */
static enum nnefc_status open_both(struct comparison *c)
{
    const struct settings *s = c->settings;
    enum nnefc_status a = subject_open(&c->subject[0], s, s->models[0], s->data);
    enum nnefc_status b =
        subject_open(&c->subject[1], s, s->models[1], s->data_of_b ? s->data_of_b : s->data);

    if (a != NNEFC_OK || b != NNEFC_OK)
        return a > b ? a : b;
    if (s->layers && c->subject[0].recorded && c->subject[1].recorded)
        return usage_error(s, "--layers is for models, but both are recorded results");
    return NNEFC_OK;
}

static enum nnefc_status start_both(struct comparison *c)
{
    enum nnefc_status a = subject_start(&c->subject[0]), b = subject_start(&c->subject[1]);

    return a > b ? a : b;
}

static enum nnefc_status compute_both(struct comparison *c)
{
    enum nnefc_status status = NNEFC_OK;

    if (c->settings->layers)
        return comparison_step_by_layers(c);
    for (int which = 0; which < 2 && status == NNEFC_OK; which++)
        if (!c->subject[which].recorded)
            status = progress_steps(c->settings, c->subject[which].run);
    return status;
}

static enum nnefc_status compare_both(struct comparison *c)
{
    enum nnefc_status status = comparison_add(c, PART_OUTPUT);

    if (status == NNEFC_OK && !c->subject[0].recorded && !c->subject[1].recorded)
        status = comparison_add(c, PART_STATE);
    if (status == NNEFC_OK && !comparison_agrees(c))
        status = NNEFC_DIFFERENT;
    return status;
}

static enum nnefc_status compare(struct comparison *c)
{
    static enum nnefc_status (*const stages[])(struct comparison *) = {
        open_both, start_both, comparison_feed, compute_both, compare_both};
    enum nnefc_status status = NNEFC_OK;

    for (size_t i = 0; i < sizeof stages / sizeof stages[0] && status == NNEFC_OK; i++)
        status = stages[i](c);
    return status;
}

static enum nnefc_status check_operands(const struct settings *settings)
{
    if (settings->nmodel < 2)
        return usage_error(settings, "'compare' needs two models, or a model and recorded results; "
                                     "see 'nnefc help compare'");
    if (settings->data_count > 2)
        return usage_error(settings, "--data is given %d times, but there are two models",
                           settings->data_count);
    return NNEFC_OK;
}

enum nnefc_status compare_run(const struct settings *settings)
{
    struct settings shared = *settings;
    struct comparison c = {.settings = &shared};
    enum nnefc_status status = check_operands(settings);

    if (status != NNEFC_OK)
        return status;
    shared.shares_memory = true;
    status = compare(&c);
    subject_tell(&c.subject[0]);
    subject_tell(&c.subject[1]);
    status = comparison_show(&c, status);
    for (int which = 0; which < 2; which++)
        subject_close(&c.subject[which]);
    pairs_free(&c.computed);
    free(c.findings);
    return status;
}
