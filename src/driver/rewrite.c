/* rewrite.c - passes over a model, and what they did */
#include "driver/rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- options ------------------------------------------------------------------------------ */

static bool set_growth(void *field, char *value)
{
    return set_size(field, value) && *(int64_t *)field > 0;
}

/* The answer to --list-passes. */
static void passes_print(void)
{
    struct nnefc_catalogue *catalogue = nnefc_catalogue_new();
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
     "items of a computed constant in the place of smaller ones, at most (65536)",
     .expects = "a whole number from 1, perhaps with K, M, G or T", .set = set_growth,
     FIELD(how.growth)},
    {"--prune-inputs", NULL, NULL, "drop graph parameters that no result depends on",
     FIELD(how.prune_inputs)},
    {"--verify-passes", NULL, NULL, "check the graph after each pass", FIELD(how.verify)},
    {"--list-passes", NULL, NULL, "list the passes in their order, and which are 'default'",
     .answer = passes_print},
    {"--verbose", "-v", NULL, "say what passes changed, and what they left and why",
     FIELD(verbose)},
    {0},
};

#undef FIELD

/* --- how often there is an operation, before and after ------------------------------------- */

struct tally {
    const char *operation;
    int count[2];
};

struct tallies {
    struct tally *item;
    int count;
};

static struct tally *tally_of(struct tallies *tallies, const char *operation)
{
    for (int i = 0; i < tallies->count; i++)
        if (strcmp(tallies->item[i].operation, operation) == 0)
            return &tallies->item[i];
    struct tally *grown =
        realloc(tallies->item, ((size_t)tallies->count + 1) * sizeof *tallies->item);
    if (!grown)
        return NULL;
    tallies->item = grown;
    grown[tallies->count] = (struct tally){.operation = operation};
    return &grown[tallies->count++];
}

/* An operation with several results is counted once for each of them. */
static void count_operations(struct tallies *tallies, struct nnefc_model *model, int when)
{
    for (int i = 0; i < nnefc_model_computed(model)->count; i++) {
        struct tally *tally = tally_of(tallies, nnefc_model_computed(model)->at[i]->operation);
        if (tally)
            tally->count[when]++;
    }
}

static int compare_tallies(const void *a, const void *b)
{
    return strcmp(((const struct tally *)a)->operation, ((const struct tally *)b)->operation);
}

static void print_tallies(const struct tallies *tallies)
{
    int sum[2] = {0};

    if (tallies->count)
        qsort(tallies->item, (size_t)tallies->count, sizeof *tallies->item, compare_tallies);
    fprintf(stderr, "%-32s %8s %8s\n", "operation", "before", "after");
    for (int i = 0; i < tallies->count; i++) {
        const struct tally *t = &tallies->item[i];
        fprintf(stderr, "%-32s %8d %8d\n", t->operation, t->count[0], t->count[1]);
        sum[0] += t->count[0];
        sum[1] += t->count[1];
    }
    fprintf(stderr, "%-32s %8d %8d\n", "all", sum[0], sum[1]);
}

/* --- what passes did ----------------------------------------------------------------------- */

static void print_changes(const struct nnefc_model *model)
{
    const struct nnefc_remark_list *remarks = nnefc_model_remarks(model);
    struct nnefc_catalogue *catalogue = nnefc_catalogue_new();
    const struct nnefc_pass_list *passes = nnefc_catalogue_passes(catalogue);

    for (int i = 0; i < passes->count; i++)
        if (nnefc_model_pass_changes(model, i))
            fprintf(stderr, "%s: %d changed\n", passes->at[i]->name,
                    nnefc_model_pass_changes(model, i));
    nnefc_catalogue_free(catalogue);
    for (int i = 0; i < remarks->count; i++) {
        const struct nnefc_remark *remark = remarks->at[i];
        fprintf(stderr, "%s: '%s' of '%s' was left: %s\n", remark->pass, remark->operation,
                remark->name, remark->reason);
    }
    if (!nnefc_model_settled(model))
        fprintf(stderr, "passes still changed something after %d rounds\n",
                nnefc_model_pass_rounds(model));
}

void rewrite_model(const struct rewriting *rewriting, struct nnefc_model *model)
{
    const struct nnefc_rewrite *how = &rewriting->how;
    struct tallies tallies = {0};

    if (rewriting->raw || !(how->passes || how->without) || nnefc_model_status(model) != NNEFC_OK)
        return;
    if (rewriting->verbose)
        count_operations(&tallies, model, 0);
    if (nnefc_model_rewrite(model, how) == NNEFC_OK && rewriting->verbose) {
        count_operations(&tallies, model, 1);
        print_tallies(&tallies);
        print_changes(model);
    }
    free(tallies.item);
}
