/* emit_c.c - nnefc emit-c: a model as C that stands alone */
#include "driver/load.h"
#include "driver/path.h"
#include "driver/report.h"

#include <errno.h>
#include <string.h>

enum arena { ARENA_STATIC, ARENA_CALLER };
enum order { ORDER_PLAIN, ORDER_CHANNELS_LAST };

struct emit_c_settings {
    struct command command;
    struct loading loading;
    struct rewriting rewriting;
    const char *target, *prefix;
    enum nnefc_c_weights weights;
    enum arena arena;
    enum order layout;
    int64_t limit;
    bool main, self_test, small, report;
    uint64_t seed;
};

/* --self-test[=SEED] */
static bool set_self_test(void *field, char *value)
{
    struct emit_c_settings *s = field;

    s->self_test = true;
    return !value || set_seed(&s->seed, value);
}

/* --arena-limit=BYTES */
static bool set_limit(void *field, char *value)
{
    return set_size(field, value) && *(int64_t *)field > 0;
}

static const struct view summary_view = {
    .text = "{file}: {steps} steps, arena {arena:bytes}, weights {weights:bytes}\n"
            "{peak?{peak*most memory, {bytes:bytes}, at step {step}}\n}"
            "{table?bytes in use at each step, and what lies where\n"
            "{table*{bytes:10d}  {step}\n{tensors*{at:10d}  to {.end}: {name}\n}}}",
    .json = JSON_LINES,
};

/* What is in use at each step. */
static void record_table(struct record *to, const struct nnefc_c_summary *summary)
{
    struct record *table = record_list(to, "table");

    for (int s = 0; s < summary->steps; s++) {
        const struct nnefc_c_step *step = &summary->step[s];
        struct record *row = record_object(table, NULL);
        record_text(row, "step", step->name);
        record_integer(row, "bytes", step->bytes);
        struct record *tensors = record_list(row, "tensors");
        for (int i = 0; i < step->ntensor; i++) {
            struct record *tensor = record_object(tensors, NULL);
            record_text(tensor, "name", step->tensor[i].name);
            record_integer(tensor, "at", step->tensor[i].at);
            record_integer(tensor, "bytes", step->tensor[i].bytes);
            record_integer(tensor, ".end", step->tensor[i].at + step->tensor[i].bytes);
        }
    }
}

static void print_summary(const struct emit_c_settings *s, const struct nnefc_c_summary *summary)
{
    struct record *record = record_new_object();

    record_text(record, "file", s->target);
    record_integer(record, "steps", summary->steps);
    record_integer(record, "arena", summary->arena_bytes);
    record_integer(record, "weights", summary->weights_bytes);
    if (summary->peak_step >= 0) {
        struct record *peak = record_object(record, "peak");
        record_integer(peak, "bytes", summary->peak_bytes);
        record_text(peak, "step", summary->peak_name);
    }
    if (s->report)
        record_table(record, summary);
    record_print(record, s->command.form, &summary_view);
}

static enum nnefc_status emit_c_run(const void *settings)
{
    const struct emit_c_settings *s = settings;
    const struct command *command = &s->command;
    struct rewriting rewriting = s->rewriting;
    struct nnefc_c_summary summary = {.size = sizeof summary};
    const struct nnefc_emit_c how = {.size = sizeof how,
                                     .prefix = s->prefix,
                                     .weights = s->weights,
                                     .caller_arena = s->arena == ARENA_CALLER,
                                     .main = s->main,
                                     .self_test = s->self_test,
                                     .seed = s->seed,
                                     .summary = &summary,
                                     .small = s->small,
                                     .channels_last = s->layout == ORDER_CHANNELS_LAST,
                                     .arena_limit = s->limit};

    if (!s->target)
        return usage_error(command, "'emit-c' needs a file to write, -o FILE.c");
    if (!loading_agrees(command, &s->loading))
        return NNEFC_USAGE;
    if (path_is_stream(s->target) && (s->main || s->weights == NNEFC_C_WEIGHTS_FILE))
        return usage_error(command, "%s puts a file beside the C, but '%s' is no file",
                           s->main ? "--main" : "--weights=file", s->target);
    if (!path_is_stream(s->target) && !path_ends_in(s->target, ".c"))
        return usage_error(command, "cannot write '%s': the name of a C file ends in .c",
                           s->target);
    if (s->report && (path_is_stream(s->target) || command->quiet))
        return usage_error(command, "--report prints where %s",
                           command->quiet ? "--quiet prints nothing" : "the C goes");
    if (!path_is_writable(s->target, false))
        return file_error(command, s->target, strerror(errno));
    if (!rewriting.how.passes && !rewriting.raw)
        rewriting.how.passes = "default";
    if (!rewriting_agrees(command, &rewriting))
        return NNEFC_USAGE;
    struct nnefc_model *model = load_model(&s->loading, command->operand[0]);
    rewrite_model(&rewriting, model);
    enum nnefc_status status = loaded_status(command, model);
    if (status == NNEFC_OK)
        status = nnefc_model_write_c(model, s->target, &how);
    if (status == NNEFC_OK && !path_is_stream(s->target) && !command->quiet)
        print_summary(s, &summary);
    close_model(command, model);
    return status;
}

#define FIELD(name) .field = offsetof(struct emit_c_settings, name)

static const struct option emit_c_options[] = {
    {"--output", "-o", "FILE", "the C file to write, with a header beside it; or - (stdout)",
     .set = set_text, FIELD(target)},
    {"--prefix", NULL, "NAME", "prefix of all public names (the name of FILE)", .set = set_text,
     FIELD(prefix)},
    {"--weights", NULL, "array|string|file",
     "weights as numbers, as bytes in strings (C on little-endian machines), or in FILE.bin",
     FIELD(weights)},
    {"--arena", NULL, "static|caller", "memory for tensors: in the C file, or given by the caller",
     FIELD(arena)},
    {"--small", NULL, NULL, "plan for little memory: convolutions row by row where that saves some",
     FIELD(small)},
    {"--arena-limit", NULL, "BYTES",
     "as --small if the arena needs more; if it still does, name the steps", .set = set_limit,
     .expects = "a whole number above 0, perhaps with K, M, G or T", FIELD(limit)},
    {"--layout", NULL, "plain|channels-last", "order of inputs and results of 4 dimensions or more",
     FIELD(layout)},
    {"--report", NULL, NULL, "also print which tensors lie where in the arena at each step",
     FIELD(report)},
    {"--main", NULL, NULL, "also write FILE_main.c, which reads inputs and prints results",
     FIELD(main)},
    {"--self-test", NULL, "[SEED]",
     "also write a function that compares results with those of the reference",
     .set = set_self_test},
    FORM_OPTION("--json", FORM_JSON, "print what the C needs as JSON"),
    DATA_OPTION(offsetof(struct emit_c_settings, loading)),
    QUANT_OPTION(offsetof(struct emit_c_settings, loading), "auto"),
    FORCE_OPTION(offsetof(struct emit_c_settings, loading)),
    {0},
};

const struct verb emit_c_verb = {
    .name = "emit-c",
    .purpose = "write a model as C that needs no library and allocates nothing",
    .examples = "  nnefc emit-c model/ -o net.c                net.c and net.h\n"
                "  nnefc emit-c model.onnx -o net.c --weights=file     and net.bin beside them\n"
                "  nnefc emit-c model/ -o net.c --main         and net_main.c, a program to try\n"
                "  nnefc emit-c model/ -o net.c --small --layout=channels-last --report\n"
                "                                      with as little memory as possible\n"
                "  nnefc emit-c model/ -o - --prefix=digits    everything to standard output\n",
    .operands = OPERANDS_MODEL,
    .usage = "MODEL",
    VERB_SETTINGS(emit_c, {.loading = {LOADING_UNSET, .quantization = NNEFC_QUANTIZATION_AUTO}}),
    .groups = {{emit_c_options, 0, NULL},
               {pass_options, offsetof(struct emit_c_settings, rewriting), PASS_TITLE},
               MODEL_GROUPS(emit_c)},
    .run = emit_c_run,
};
