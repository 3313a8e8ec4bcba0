/*
 * rewrite.c - passes over a model, and what they did
 *
 * What -v prints is a record with a layout for text only: it is for a person who studies one model.
 */
#include "driver/load.h"
#include "driver/report.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- options ------------------------------------------------------------------------------ */

/* --fold-limit; 0 would be taken for the default. */
static bool set_growth(void *field, char *value)
{
    return set_size(field, value) && *(int64_t *)field > 0;
}

/* The answer to --list-passes. */
static void passes_print(void)
{
    struct nnefc_catalogue *catalogue = must_have(nnefc_catalogue_new());
    const struct nnefc_pass_list *passes = nnefc_catalogue_passes(catalogue);

    for (int i = 0; i < passes->count; i++)
        printf("%-22s %-8s %s\n", passes->at[i]->name, passes->at[i]->by_default ? "default" : "",
               passes->at[i]->purpose);
    nnefc_catalogue_free(catalogue);
}

#define FIELD(name) .field = offsetof(struct rewriting, name)

const struct option pass_options[] = {
    {"--passes", NULL, "NAME[,NAME...]",
     "rewrite the graph by these passes; 'default', 'all', 'none'; see --list-passes",
     .set = set_text, FIELD(how.passes)},
    {"--no-pass", NULL, "NAME[,NAME...]", "leave out these passes", .set = set_text,
     FIELD(how.without)},
    {"--raw", NULL, NULL, "leave the graph as it is: --passes=none", FIELD(raw)},
    {"--fold-limit", NULL, "N",
     "most items of a computed constant that replaces smaller ones (65536)",
     .expects = "a whole number from 1, perhaps with K, M, G or T", .set = set_growth,
     FIELD(how.growth)},
    {"--prune-inputs", NULL, NULL, "drop graph parameters that no result depends on",
     FIELD(how.prune_inputs)},
    {"--verify-passes", NULL, NULL, "check the graph after each pass", FIELD(how.verify)},
    {"--list-passes", NULL, NULL, "list the passes in their order, and which are 'default'",
     .answer = passes_print},
    {"--verbose", "-v", NULL, "print what passes changed, and what they did not change and why",
     FIELD(verbose)},
    {0},
};

/* --- what passes did -------------------------------------------------------------------------- */

/* How often there is an operation before and after. */
struct rewrite_tally {
    const char *operation;
    int count[2];
};

struct tallies {
    struct rewrite_tally *item;
    int count;
};

static const char changes_layout[] =
    "operation                          before    after\n"
    "{operations*{operation:-32s} {before:8d} {after:8d}\n}"
    "all                              {before:8d} {after:8d}\n"
    "{passes*{pass}: {changes} changed\n}"
    "{remarks*{pass}: '{operation}' of '{name}' was left: {reason}\n}"
    "{rounds?passes still changed something after {rounds} rounds\n}";

/*
 * Count each operation, once for each of its results.  The tallies are sorted by name, so that
 * those of two models can be compared.
 */
static void count_operations(struct tallies *tallies, struct nnefc_model *model, int when)
{
    const struct nnefc_computed_list *computed = nnefc_model_computed(model);
    struct rewrite_tally *item = tallies->item;

    assert(when == 0 || when == 1);
    for (int i = 0; i < computed->count; i++) {
        const char *operation = computed->at[i]->operation;
        int at = 0;
        while (at < tallies->count && strcmp(item[at].operation, operation) < 0)
            at++;
        if (at == tallies->count || strcmp(item[at].operation, operation) != 0) {
            item = resize_items(item, (size_t)tallies->count + 1, sizeof *item);
            memmove(item + at + 1, item + at, (size_t)(tallies->count - at) * sizeof *item);
            item[at] = (struct rewrite_tally){.operation = operation};
            tallies->item = item;
            tallies->count++;
        }
        item[at].count[when]++;
    }
}

bool rewriting_agrees(const struct command *command, const struct rewriting *rewriting)
{
    const struct nnefc_rewrite *how = &rewriting->how;
    bool rewrites = how->passes || how->without;
    const char *option = how->growth         ? "--fold-limit"
                         : how->prune_inputs ? "--prune-inputs"
                         : how->verify       ? "--verify-passes"
                                             : NULL;

    if (rewriting->raw && rewrites)
        return usage_error(command, "--raw leaves no passes for %s",
                           how->passes ? "--passes" : "--no-pass") == NNEFC_OK;
    if (option && !rewrites)
        return usage_error(command, "%s has no effect without --passes", option) == NNEFC_OK;
    return true;
}

void rewrite_model(const struct rewriting *rewriting, struct nnefc_model *model)
{
    struct nnefc_rewrite how = rewriting->how;
    struct tallies tallies = {0};
    int sum[2] = {0};

    how.size = sizeof how;
    if (rewriting->raw || !(how.passes || how.without) || nnefc_model_status(model) != NNEFC_OK)
        return;
    if (rewriting->verbose)
        count_operations(&tallies, model, 0);
    if (nnefc_model_rewrite(model, &how) == NNEFC_OK && rewriting->verbose) {
        count_operations(&tallies, model, 1);
        struct record *record = record_new_object();
        struct record *operations = record_list(record, "operations");
        for (int i = 0; i < tallies.count; i++) {
            const struct rewrite_tally *t = &tallies.item[i];
            struct record *item = record_object(operations, NULL);
            record_text(item, "operation", t->operation);
            record_integer(item, "before", t->count[0]);
            record_integer(item, "after", t->count[1]);
            sum[0] += t->count[0];
            sum[1] += t->count[1];
        }
        record_integer(record, "before", sum[0]);
        record_integer(record, "after", sum[1]);
        /* The changes of each pass, and the operations that it left, with the reasons. */
        const struct nnefc_remark_list *remarks = nnefc_model_remarks(model);
        struct nnefc_catalogue *catalogue = must_have(nnefc_catalogue_new());
        const struct nnefc_pass_list *passes = nnefc_catalogue_passes(catalogue);
        struct record *list = record_list(record, "passes");
        for (int i = 0; i < passes->count; i++) {
            int changes = nnefc_model_pass_changes(model, i);
            if (!changes)
                continue;
            struct record *item = record_object(list, NULL);
            record_text(item, "pass", passes->at[i]->name);
            record_integer(item, "changes", changes);
        }
        nnefc_catalogue_free(catalogue);
        list = record_list(record, "remarks");
        for (int i = 0; i < remarks->count; i++) {
            struct record *item = record_object(list, NULL);
            record_text(item, "pass", remarks->at[i]->pass);
            record_text(item, "operation", remarks->at[i]->operation);
            record_text(item, "name", remarks->at[i]->name);
            record_text(item, "reason", remarks->at[i]->reason);
        }
        if (!nnefc_model_settled(model))
            record_integer(record, "rounds", nnefc_model_pass_rounds(model));
        record_print_text(record, changes_layout, stderr);
    }
    free(tallies.item);
}
