/*
 * compare.c - nnefc compare: whether two models, or a model and recorded results, compute the same
 *
 * B is the reference: tolerances are relative to it. Both are loaded and started before anything is
 * compared, so that all faults of both are reported. A difference is no error: it has an exit
 * status of its own.
 */
#include "driver/comparison.h"
#include "driver/report.h"
#include "driver/view/findings.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- findings --------------------------------------------------------------------------------- */

bool finding_agrees(const struct finding *finding)
{
    return pair_is_whole(&finding->pair) && finding->difference.agreement == NNEFC_AGREES;
}

/* The item itself, not only its value as a double: integers beyond 2^53 differ, too. */
static struct item item_of(const struct nnefc_tensor *tensor, int64_t index)
{
    struct item item = {.dtype = nnefc_tensor_type(tensor).dtype,
                        .scalar = nnefc_tensor_item(tensor, index),
                        .is_unsigned = nnefc_tensor_is_unsigned(tensor)};

    item.integer = item.dtype == NNEFC_INTEGER
                       ? ((const int64_t *)nnefc_tensor_items(tensor))[index]
                       : item.scalar != 0;
    return item;
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

/* How close all items are. */
static void measure_closeness(struct finding *finding, const struct nnefc_tensor *a,
                              const struct nnefc_tensor *b)
{
    int64_t count = nnefc_tensor_count(a);
    double off = 0, square = 0, aa = 0, bb = 0, ab = 0;

    if (nnefc_tensor_count(b) != count)
        count = 0; /* finding_compare() says so */
    for (int64_t i = 0; i < count; i++) {
        double x = nnefc_tensor_item(a, i), y = nnefc_tensor_item(b, i);
        off += fabs(x - y);
        square += (x - y) * (x - y);
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    finding->mean = count > 0 ? off / (double)count : 0;
    finding->error = square == 0 ? 0 : fabs(sqrt(square / bb)); /* NaN has no sign then */
    finding->cosine = aa > 0 && bb > 0 ? ab / sqrt(aa) / sqrt(bb) : (double)NAN;
}

/* If a tensor cannot be had, either that is reported or memory ran out. */
enum nnefc_status finding_make(struct finding *finding, struct comparison *c, enum part part,
                               const struct pair *pair)
{
    const struct nnefc_tensor *tensor[2] = {NULL};

    *finding = (struct finding){.part = part, .pair = *pair, .difference = {.worst = -1}};
    for (int which = 0; which < 2; which++) {
        struct subject *subject = &c->subject[which];
        int index = pair->index[which];
        if (index < 0)
            continue;
        finding->name[which] = subject_port(subject, part, index).name;
        tensor[which] = subject_tensor(subject, part, index);
        if (!tensor[which])
            return model_failure(subject->model);
        finding->type[which] = nnefc_tensor_type(tensor[which]);
    }
    assert(tensor[0] || tensor[1]);
    if (!pair_is_whole(pair))
        return NNEFC_DIFFERENT;
    if (c->all_layers)
        measure_closeness(finding, tensor[0], tensor[1]);
    return finding_compare(finding, tensor[0], tensor[1], c->tolerance);
}

enum nnefc_status comparison_add(struct comparison *c, enum part part)
{
    struct subject_pairs pairs = pairs_match(c->subject, part);
    size_t room = (size_t)c->nfinding + (size_t)pairs.count + 1;
    enum nnefc_status status = NNEFC_OK;

    assert(part != PART_INPUT && part != PART_COMPUTED);
    c->findings = resize_items(c->findings, room, sizeof *c->findings);
    for (int i = 0; !comparison_failed(status) && i < pairs.count; i++) {
        const struct pair *pair = &pairs.pair[i];
        struct finding *finding = &c->findings[c->nfinding];
        bool left_out = !pair_is_whole(pair) && part == PART_VARIABLE;
        int which = pair->index[0] < 0;
        /* A recorded tensor that --layers has compared need not be an output. */
        for (int k = 0; k < c->computed.count && c->subject[which].recorded; k++)
            left_out |= !pair_is_whole(pair) && pair_is_whole(&c->computed.pair[k]) &&
                        c->computed.pair[k].index[which] == pair->index[which];
        if (left_out)
            continue;
        status = finding_make(finding, c, part, pair);
        c->nfinding += part != PART_VARIABLE || status == NNEFC_DIFFERENT;
        if (pair->by_order)
            usage_note(c->command, "'%s' of A is compared with '%s' of B, because no names match",
                       finding->name[0], finding->name[1]);
    }
    pairs_free(&pairs);
    return comparison_failed(status) ? status : NNEFC_OK;
}

bool comparison_agrees(const struct comparison *c)
{
    bool agrees = c->layers.step == 0;

    assert(c->nfinding == 0 || c->findings);
    for (int i = 0; i < c->nfinding && agrees; i++)
        agrees = finding_agrees(&c->findings[i]);
    return agrees;
}

bool comparison_failed(enum nnefc_status status)
{
    return status != NNEFC_OK && status != NNEFC_DIFFERENT;
}

/* --- the command ------------------------------------------------------------------------------ */

struct compare_settings {
    struct command command;
    struct loading loading;
    struct rewriting rewriting;
    struct computing computing;
    struct feeding feeding;
    struct nnefc_tolerance tolerance;
    bool layers, all_layers;
    const char *page;        /* NULL: none */
    struct option_list data; /* const char *: of both, or of A and of B */
};

/* The statuses are ordered by how bad they are. */
static enum nnefc_status worse_of(enum nnefc_status a, enum nnefc_status b)
{
    return a > b ? a : b;
}

/* Open both, so that all faults of both are reported, then start, feed, compute and compare. */
static enum nnefc_status compare(struct comparison *c)
{
    struct subject *a = &c->subject[0], *b = &c->subject[1];
    enum nnefc_status status = subject_open(a);

    status = worse_of(status, subject_open(b));
    for (int i = 0; i < 2 && status == NNEFC_OK; i++)
        if (!c->subject[i].recorded)
            status = keeps_model(c->command, c->subject[i].model, c->subject[i].path, c->page);
    if (status == NNEFC_OK && c->by_layers && a->recorded && b->recorded)
        return usage_error(c->command, "--layers is for models, but both are recorded results");
    if (status == NNEFC_OK) {
        status = subject_start(a, &c->feeding->image);
        status = worse_of(status, subject_start(b, &c->feeding->image));
    }
    if (status == NNEFC_OK)
        status = comparison_feed(c);
    if (status == NNEFC_OK && c->by_layers)
        status = comparison_step_by_layers(c);
    for (int which = 0; which < 2 && status == NNEFC_OK && !c->by_layers; which++) {
        struct nnefc_run *run = c->subject[which].run;
        if (!c->subject[which].recorded)
            status = progress_steps(c->command, c->feeding->steps, run, compute_step, run);
    }
    if (status == NNEFC_OK)
        status = comparison_add(c, PART_OUTPUT);
    if (status == NNEFC_OK && !a->recorded && !b->recorded)
        status = comparison_add(c, PART_STATE);
    if (status == NNEFC_OK)
        status = comparison_judge_layers(c);
    return status == NNEFC_OK && !comparison_agrees(c) ? NNEFC_DIFFERENT : status;
}

static enum nnefc_status compare_run(const void *settings)
{
    const struct compare_settings *s = settings;
    const struct command *command = &s->command;
    const char *const *data = s->data.item;
    struct comparison c = {.command = command,
                           .feeding = &s->feeding,
                           .tolerance = &s->tolerance,
                           .by_layers = s->layers || s->page,
                           .all_layers = s->all_layers || s->page,
                           .page = s->page};
    int streams = loading_streams(command, &s->loading);

    for (int i = 0; i < s->data.count; i++)
        streams += is_standard(data[i]);
    if (!rewriting_agrees(command, &s->rewriting) || !loading_agrees(command, &s->loading) ||
        !feeding_agrees(command, &s->feeding, streams))
        return NNEFC_USAGE;
    if (command->operand_count < 2)
        return usage_error(command, "'compare' needs two models, or a model and recorded results; "
                                    "see 'nnefc help compare'");
    if (s->data.count > 2)
        return usage_error(command, "--data is given %d times, but there are two models",
                           s->data.count);
    enum nnefc_status status = page_fits(command, s->page);
    if (status != NNEFC_OK)
        return status;
    struct loading each[2];
    loading_split(&s->loading, command->operand, each);
    for (int which = 0; which < 2; which++) {
        struct subject *subject = &c.subject[which];
        *subject = (struct subject){.command = command,
                                    .loading = each[which],
                                    .rewriting = &s->rewriting,
                                    .computing = &s->computing,
                                    .path = command->operand[which]};
        feeding_tell(&s->feeding, &subject->loading);
        subject->loading.half_memory = true;        /* each model gets half of the limit */
        subject->loading.keeps_open = !c.by_layers; /* layers are those of one graph */
        if (s->data.count > 0)
            subject->loading.data = data[which < s->data.count ? which : 0];
    }
    status = compare(&c);
    subject_report(&c.subject[0]);
    subject_report(&c.subject[1]);
    status = comparison_show(&c, status);
    if (s->page && !comparison_failed(status) && !comparison_write(&c, s->page))
        status = file_error(command, s->page, strerror(errno));
    for (int which = 0; which < 2; which++)
        subject_close(&c.subject[which]);
    loading_join(each);
    pairs_free(&c.computed);
    free(c.findings);
    free(c.layers.all);
    return status;
}

/* --- options ---------------------------------------------------------------------------------- */

const struct option tolerance_options[] = {
    {"--atol", NULL, "X", "allow items to be off by X + RTOL * |B|; 0: exact (1e-5)",
     .expects = "a number from 0", .set = set_amount,
     .field = offsetof(struct nnefc_tolerance, absolute), .needs = "--expect"},
    {"--rtol", NULL, "Y", "allow items to be off by ATOL + Y * |B| (1e-5)",
     .expects = "a number from 0", .set = set_amount,
     .field = offsetof(struct nnefc_tolerance, relative), .needs = "--expect"},
    {0},
};

static bool set_layers(void *field, char *value)
{
    struct compare_settings *settings = field;

    settings->layers = true;
    settings->all_layers = value;
    return !value || strcmp(value, "all") == 0;
}

#define FIELD(name) .field = offsetof(struct compare_settings, name)

static const struct option compare_options[] = {
    {"--layers", NULL, "[all]", "find the first computed tensor that differs; all: compare each",
     .expects = "all", .set = set_layers},
    {"--html", NULL, "FILE.html",
     "write a page: how far all computed tensors are apart, and the models coloured by it",
     .set = set_text, FIELD(page)},
    {"--data", NULL, "DIR", "folder or archive of the weights of both; twice: of A, then of B",
     .set = set_text, FIELD(data), .item_size = sizeof(const char *)},
    QUANT_OPTION(offsetof(struct compare_settings, loading), "auto"),
    THREADS_OPTION(offsetof(struct compare_settings, computing),
                   "use N threads; the results do not depend on it"),
    FORM_OPTION("--json", FORM_JSON, "print the differences as JSON"),
    {0},
};

const struct verb compare_verb = {
    .name = "compare",
    .purpose = "say whether two models compute the same",
    .examples = "  nnefc compare a/ b.nnef --random            the same random input for both\n"
                "  nnefc compare a/ b/ -i x=x.npy --layers     where they begin to differ\n"
                "  nnefc compare a/ expected/ -i x=x.npy       results recorded by 'run -o "
                "expected/'\n",
    .operands = OPERANDS_PAIR,
    .usage = "A B",
    VERB_SETTINGS(compare, {.loading = {LOADING_UNSET, .quantization = NNEFC_QUANTIZATION_AUTO},
                            .feeding = FEEDING_DEFAULTS,
                            .tolerance = TOLERANCE_DEFAULTS}),
    .groups = {{compare_options, 0, NULL},
               {tolerance_options, offsetof(struct compare_settings, tolerance), NULL},
               {feed_options, offsetof(struct compare_settings, feeding), FEED_TITLE},
               {image_options, offsetof(struct compare_settings, feeding), FEED_TITLE},
               {steps_options, offsetof(struct compare_settings, feeding), FEED_TITLE},
               {pass_options, offsetof(struct compare_settings, rewriting), PASS_TITLE},
               MODEL_GROUPS(compare)},
    .run = compare_run,
};
