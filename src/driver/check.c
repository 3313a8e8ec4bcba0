/*
 * check.c - nnefc check: the diagnostics of a model, and dumps of its stages
 *
 * Dumps go to the standard output, diagnostics to the standard error. With --fix the files are
 * fixed first, and the model is checked after that.
 */
#include "driver/compute.h"
#include "driver/fix.h"
#include "driver/report.h"

#include <assert.h>
#include <stdlib.h>

/* What --dump prints: a stage, numbered as those of the library, or the plan of a run. */
enum dump { DUMP_NONE = -1, DUMP_PLAN = NNEFC_STAGE_GRAPH + 1 };

struct check_settings {
    struct command command;
    struct loading loading;
    struct rewriting rewriting;
    struct computing computing; /* of the plan */
    int dump;
    bool fix, diff;
};

/* Report on a loaded model, print the dump that was asked for, and free the model. */
static enum nnefc_status check_model(const struct check_settings *s, struct nnefc_model *model,
                                     const char *path)
{
    enum nnefc_status status = s->command.operand_count > 1 ? nnefc_model_status(model)
                                                            : loaded_status(&s->command, model);
    struct nnefc_run *run = NULL;
    char *text = NULL;

    report_model(&s->command, model);
    if (s->dump == DUMP_PLAN && status == NNEFC_OK) {
        /* The plan needs the data of variables; a failure to read them is reported. */
        status = start_run(&s->computing, "auto", model, &run);
        text = status == NNEFC_OK ? nnefc_run_dump_plan(run) : NULL;
        status = status == NNEFC_OK ? nnefc_model_status(model) : status;
    } else if (s->dump != DUMP_NONE && s->dump != DUMP_PLAN) {
        text = nnefc_model_dump(model, (enum nnefc_stage)s->dump);
        status = nnefc_model_status(model);
        if (!text && status == NNEFC_OK)
            status = usage_error(
                &s->command, "'%s' is no text of NNEF: it has a graph only, --dump=graph", path);
    }
    if (text) {
        char *shown = text_escaped(text, "\n\t");
        fputs(shown, stdout);
        free(shown);
    }
    free(text);
    nnefc_run_free(run);
    close_model(&s->command, model);
    return status;
}

static enum nnefc_status check_run(const void *settings)
{
    struct check_settings own = *(const struct check_settings *)settings, *s = &own;
    const struct command *command = &s->command;
    const struct computing *c = &s->computing;
    const char *option = s->diff ? "--diff" : "--fix";
    const char *of_plan = c->backend        ? "--backend"
                          : c->exact        ? "--exact"
                          : c->threads > 0  ? "--threads"
                          : s->loading.data ? "--data"
                                            : NULL;
    bool changes = s->fix || s->diff, dumps = s->dump != DUMP_NONE, reads = false;
    enum nnefc_status worst = NNEFC_OK;

    assert(command->operand_count > 0 && s->dump <= DUMP_PLAN);
    if (s->loading.quantization < 0)
        s->loading.quantization =
            s->dump == DUMP_PLAN ? NNEFC_QUANTIZATION_AUTO : NNEFC_QUANTIZATION_OFF;
    for (int i = 0; i < command->operand_count; i++)
        reads |= is_standard(command->operand[i]);
    if (!rewriting_agrees(command, &s->rewriting) || !loading_agrees(command, &s->loading))
        return NNEFC_USAGE;
    if (changes && is_standard(s->loading.quant_file))
        return usage_error(command, "%s needs the quantization file by its name", option);
    if (changes && dumps && (s->diff || reads)) /* a fixed standard input is printed */
        return usage_error(command, "standard output is used twice, by --dump and by %s", option);
    if (of_plan && s->dump != DUMP_PLAN)
        return usage_error(command, "%s is for --dump=plan", of_plan);
    /* Statuses are ordered by how bad they are.  Fixing and the model after that both count. */
    for (int i = 0; i < command->operand_count; i++) {
        const char *path = command->operand[i];
        struct mending mending = {
            .command = command, .loading = &s->loading, .path = path, .diff = s->diff};
        struct nnefc_model *model = NULL;
        enum nnefc_status status = changes ? mend(&mending) : NNEFC_OK;
        if (!changes) {
            struct loading loading = s->loading;
            loading.keeps_open = !dumps && !s->rewriting.how.passes && !s->rewriting.how.without;
            model = load_model(&loading, path);
            rewrite_model(&s->rewriting, model);
        } else if (status != NNEFC_USAGE && status != NNEFC_INTERNAL) {
            model = mend_load(&mending);
        }
        worst = status > worst ? status : worst;
        status = model ? check_model(s, model, path) : NNEFC_OK;
        worst = status > worst ? status : worst;
        if (changes)
            mend_end(&mending);
    }
    return worst;
}

#define FIELD(name) .field = offsetof(struct check_settings, name)

static const struct option check_options[] = {
    {"--fix", NULL, NULL, "mend the files: make the changes that diagnostics propose", FIELD(fix)},
    {"--diff", NULL, NULL, "print what --fix would change, and change nothing", FIELD(diff)},
    {"--dump", NULL, "ast|checked|graph|plan",
     "print the document as read or as checked, its graph, or the plan of a run", FIELD(dump)},
    THREADS_OPTION(offsetof(struct check_settings, computing), "plan for N threads"),
    {"--data", NULL, "DIR", "plan with the weights of this folder or archive (the model's)",
     .set = set_text, FIELD(loading.data)},
    QUANT_OPTION(offsetof(struct check_settings, loading), "off; auto with --dump=plan"),
    {0},
};

const struct verb check_verb = {
    .name = "check",
    .purpose = "say what is wrong with models",
    .examples = "  nnefc check model.nnef                      silent if nothing is wrong\n"
                "  nnefc check model/ --dump=graph             show operations and shapes\n"
                "  nnefc check model/ --dump=plan              show how it is run: kernels and "
                "memory\n"
                "  nnefc check *.nnef                          several models\n"
                "  nnefc check model/ --fix                    mend what can be mended\n"
                "  nnefc check model/ --diff                   print what --fix would change\n"
                "  nnefc check --message-format=json - < model.nnef\n",
    .operands = OPERANDS_MODELS,
    .usage = "MODEL...",
    VERB_SETTINGS(check, {.loading = {LOADING_UNSET, .quantization = -1}, .dump = DUMP_NONE}),
    .groups = {{check_options, 0, NULL},
               {backend_options, offsetof(struct check_settings, computing), RUN_TITLE},
               {pass_options, offsetof(struct check_settings, rewriting), PASS_TITLE},
               MODEL_GROUPS(check)},
    .run = check_run,
};
