/*
 * extract.c - nnefc extract: a part of a model as a model, and the tensors at its ends if asked for
 *
 * To record tensors, another part of the same model is run: the one that computes all of them from
 * the inputs.
 */
#include "driver/extract.h"

#include "driver/compute.h"
#include "driver/names.h"
#include "driver/path.h"
#include "driver/record.h"
#include "driver/report.h"
#include "driver/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct extract_settings {
    struct command command;
    struct loading loading;
    struct feeding feeding;
    struct option_list from, to; /* char *: names with ',' between */
    const char *record;          /* a folder; NULL: nothing is recorded */
    enum target_format format;
    int profile; /* an enum nnefc_profile */
};

/* --- parts ------------------------------------------------------------------------------------ */

/* Behind these ports, the format may add others: for state, or 'unused'. */
static void add_ports(struct names *names, const struct nnefc_port_list *ports, int count)
{
    for (int i = 0; i < count && i < ports->count; i++)
        add_name(names, ports->at[i]->name);
}

/* The model, read and cut; `from` NULL: the part begins from the inputs. */
static enum nnefc_status load_part(const struct extract_settings *s, struct nnefc_model *model,
                                   const struct names *from, const struct names *to)
{
    enum nnefc_status status;

    load_prepared(&s->loading, model, s->command.operand[0]);
    status = loaded_status(&s->command, model);
    return status == NNEFC_OK ? extract_between(model, from, to) : status;
}

static enum nnefc_status write_part(const struct extract_settings *s, struct nnefc_model *model,
                                    const struct names *to)
{
    const struct text_cut cut = {&s->command, &s->loading, model, to};
    const struct target_form form = {s->command.operand[1], s->format,
                                     (enum nnefc_profile)s->profile, NULL, NULL};

    return s->profile == NNEFC_PROFILE_DOCUMENT ? extract_text(&cut) : target_write(&form, model);
}

/* --- recording -------------------------------------------------------------------------------- */

/* The inputs and results of a part, with their names in the model and in OUT. */
struct ends {
    struct names asked, written;
    int inputs;        /* how many of them are inputs */
    const char *quant; /* an option of the run of OUT, behind ' '; "": none */
};

/* The names that were asked for, each once: the recorded run computes these tensors. */
static struct names computed_names(const struct ends *ends)
{
    struct names names = {0};

    for (int i = 0; i < ends->asked.count; i++)
        add_name_once(&names, ends->asked.at[i]);
    return names;
}

/* The --quant option for a part in NNEF: alone, it may have too few entries for 'auto'. */
static const char *quant_option(const struct extract_settings *s, const struct nnefc_model *part)
{
    const struct nnefc_operation_list *list = nnefc_model_operations(part);
    int i = 0;

    if (s->format != TARGET_NNEF)
        return "";
    if (s->loading.quantization == NNEFC_QUANTIZATION_OFF)
        return " --quant=off";
    while (i < list->count && strcmp(list->at[i]->operation, "dequantize") != 0)
        i++;
    return i < list->count ? " --quant=integers" : "";
}

/* The command that runs OUT and compares its results with the recorded ones. */
static void show_check(const struct extract_settings *s, const struct ends *ends, char **paths)
{
    printf("nnefc run");
    print_word(stdout, "%s", s->command.operand[1]);
    for (int i = 0; i < ends->inputs; i++) {
        printf(" -i");
        print_word(stdout, "%s=%s", ends->written.at[i], paths[i]);
    }
    printf(" --expect");
    print_word(stdout, "%s/expected/", s->record);
    puts(ends->quant);
}

/* Files in DIR/input/ for the inputs of OUT, and in DIR/expected/ for its results. */
static enum nnefc_status write_recorded(const struct extract_settings *s, struct nnefc_run *run,
                                        const struct ends *ends, const struct names *computed)
{
    const int count = ends->asked.count;
    struct nnefc_output_file *files = zeroed_items((size_t)count + 1, sizeof *files);
    char **paths = zeroed_items((size_t)count + 1, sizeof *paths);
    enum nnefc_status status = NNEFC_OK;

    for (int i = 0; i < count; i++) {
        char *folder = path_join(s->record, i < ends->inputs ? "input" : "expected");
        paths[i] = path_of_result(folder, ends->written.at[i]);
        free(folder);
        if (!path_make_folders(paths[i]) && status == NNEFC_OK)
            status = file_error(&s->command, paths[i], strerror(errno));
        files[i] = (struct nnefc_output_file){index_of(computed, ends->asked.at[i]), paths[i]};
    }
    if (status == NNEFC_OK)
        status = nnefc_run_write_files(run, files);
    if (status == NNEFC_OK && !s->command.quiet)
        show_check(s, ends, paths);
    for (int i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
    free(files);
    return status;
}

static enum nnefc_status run_recorded(const struct extract_settings *s, struct nnefc_model *model,
                                      const struct ends *ends, const struct names *computed)
{
    static const struct computing computing = {0};
    struct nnefc_run *run = NULL;
    struct feed feed = {0};
    enum nnefc_status status = feed_plan(&feed, &s->command, &s->feeding, model);

    if (status == NNEFC_OK && feed.steps > 1)
        status = usage_error(&s->command, "--record is for inputs that are given once");
    if (status == NNEFC_OK)
        status = start_run(&computing, "reference", model, &run);
    feed.run = run;
    if (status == NNEFC_OK)
        status = feed_step(&feed, 0);
    if (status == NNEFC_OK)
        status = progress_steps(&s->command, 1, run, compute_step, run);
    if (status == NNEFC_OK)
        status = write_recorded(s, run, ends, computed);
    feed_free(&feed);
    nnefc_run_free(run);
    return status;
}

/* The format of OUT may have changed names, so OUT is read. */
static enum nnefc_status record_part(const struct extract_settings *s, struct ends *ends)
{
    static const struct loading plain = LOADING_DEFAULTS;
    const char *out = s->command.operand[1];
    const bool stream = path_is_stream(out);
    struct nnefc_model *written = stream ? NULL : load_model(&plain, out);
    struct nnefc_model *model = prepare_model(&s->loading);
    struct names computed = computed_names(ends);
    enum nnefc_status status = load_part(s, model, NULL, &computed);

    if (written) {
        add_ports(&ends->written, nnefc_model_inputs(written), ends->inputs);
        add_ports(&ends->written, nnefc_model_outputs(written), ends->asked.count - ends->inputs);
    }
    if (status == NNEFC_OK && written)
        status = nnefc_model_status(written);
    if (status == NNEFC_OK) {
        const struct ends same = {ends->asked, ends->asked, ends->inputs, ends->quant};
        status = run_recorded(s, model, stream ? &same : ends, &computed);
    }
    close_model(&s->command, model);
    if (written)
        close_model(&s->command, written);
    free(computed.at);
    return status;
}

/* --- the command ------------------------------------------------------------------------------ */

/* Faults of the command line are found before the model is read. */
static enum nnefc_status check_settings(struct extract_settings *s, const struct names *from,
                                        const struct names *to)
{
    const struct command *command = &s->command;
    const struct feeding *feeding = &s->feeding;
    const char *out = command->operand[1];
    const bool fed = feeding->inputs.count > 0 || feeding->random || !isnan(feeding->fill);

    if (to->count == 0)
        return usage_error(command, "--to has to name the tensors that the part is to compute");
    if (!loading_agrees(command, &s->loading) ||
        !feeding_agrees(command, feeding, loading_streams(command, &s->loading)))
        return NNEFC_USAGE;
    if (fed && !s->record)
        return usage_error(command, "inputs have no effect without --record");
    if (s->record && is_standard(command->operand[0]))
        return usage_error(command, "--record reads the model twice, which standard input cannot");
    if (s->record && is_standard(out))
        return usage_error(command, "--record prints the command that runs the part, whose file "
                                    "has to have a name");
    if (s->format == TARGET_BY_NAME && !target_find(command, out, &s->format))
        return NNEFC_USAGE;
    if (s->format == TARGET_PNNX)
        return usage_error(command, "a part of a model cannot be written in PNNX");
    if (s->profile == NNEFC_PROFILE_DOCUMENT && is_standard(command->operand[0]))
        return usage_error(command,
                           "--profile=document reads the model again, which standard input cannot");
    if (s->format == TARGET_NNEF && s->loading.quantization == NNEFC_QUANTIZATION_APPLY)
        return usage_error(command,
                           "--quant=apply is for a part in another format than NNEF, whose "
                           "quantization file remains");
    for (int i = 0; i < from->count + to->count && s->format == TARGET_ONNX; i++)
        if (*(i < from->count ? from->at[i] : to->at[i - from->count]) == '%')
            return usage_error(command,
                               "operations have other numbers in ONNX than '%s': extract "
                               "a part in NNEF, and convert that",
                               i < from->count ? from->at[i] : to->at[i - from->count]);
    if (options_fit(command, (enum nnefc_format)s->format, out, true) != NNEFC_OK)
        return NNEFC_USAGE;
    if (!path_is_folder(out) && !path_is_writable(out, false))
        return file_error(command, out, strerror(errno));
    return NNEFC_OK;
}

/* In ONNX an updated variable is an input and a result, which are not among the asked names. */
static enum nnefc_status check_state(const struct extract_settings *s,
                                     const struct nnefc_model *model)
{
    const struct nnefc_variable_list *variables = nnefc_model_variables(model);

    for (int i = 0; i < variables->count && s->record && s->format == TARGET_ONNX; i++)
        if (variables->at[i]->is_updated)
            return usage_error(&s->command,
                               "--record cannot store the state of ONNX that variable '%s' "
                               "becomes: extract a part in NNEF, and convert that",
                               variables->at[i]->label);
    return NNEFC_OK;
}

static enum nnefc_status extract(struct extract_settings *s, const struct names *from,
                                 const struct names *to)
{
    struct loading *loading = &s->loading;
    struct ends ends = {0};

    feeding_tell(&s->feeding, loading);
    loading->check_data = true;
    loading->keep = s->format == TARGET_ONNX ? NNEFC_KEEP_ONNX : NNEFC_KEEP_KERNELS;
    struct nnefc_model *model = prepare_model(loading);
    enum nnefc_status status = load_part(s, model, from->count > 0 ? from : NULL, to);
    if (status == NNEFC_OK)
        status = check_state(s, model);
    if (status == NNEFC_OK)
        status = write_part(s, model, to);
    if (status == NNEFC_OK && s->record) {
        const struct nnefc_port_list *inputs = nnefc_model_inputs(model);
        for (int i = 0; i < inputs->count; i++)
            add_name(&ends.asked, from->count > 0 ? from->at[i] : inputs->at[i]->name);
        ends.inputs = inputs->count;
        ends.quant = quant_option(s, model);
        for (int i = 0; i < to->count; i++)
            add_name(&ends.asked, to->at[i]);
        report_model(&s->command, model);
        status = record_part(s, &ends);
    }
    close_model(&s->command, model);
    free(ends.asked.at);
    free(ends.written.at);
    return status;
}

static enum nnefc_status extract_run(const void *settings)
{
    struct extract_settings s = *(const struct extract_settings *)settings;
    struct names from = names_of(&s.from), to = names_of(&s.to);
    enum nnefc_status status = check_settings(&s, &from, &to);

    if (status == NNEFC_OK)
        status = extract(&s, &from, &to);
    free(from.at);
    free(to.at);
    return status;
}

/* --- options ---------------------------------------------------------------------------------- */

#define FIELD(name) .field = offsetof(struct extract_settings, name)

static const struct option extract_options[] = {
    {"--from", NULL, "NAME[,NAME...]",
     "tensors that become the inputs (those of MODEL that are needed)", .set = set_text,
     FIELD(from), .item_size = sizeof(char *)},
    {"--to", NULL, "NAME[,NAME...]", "tensors that become the results", .set = set_text, FIELD(to),
     .item_size = sizeof(char *)},
    {"--record", NULL, "DIR",
     "run the model, and store tensors of --from in DIR/input/, those of --to in DIR/expected/",
     .set = set_text, FIELD(record)},
    {"--format", NULL, "nnef|onnx|graph", "format of OUT (by its name)", .first_word = TARGET_NNEF,
     FIELD(format)},
    {"--profile", NULL, "strict|compound|custom|document",
     "operations that NNEF lacks: as NNEF operations (strict), fragments or declarations; or all "
     "of it "
     "as the text has it",
     FIELD(profile), .writes = FOR_NNEF},
    DATA_OPTION(offsetof(struct extract_settings, loading)),
    QUANT_OPTION(offsetof(struct extract_settings, loading), "auto"),
    FORCE_OPTION(offsetof(struct extract_settings, loading)),
    {0},
};

const struct verb extract_verb = {
    .name = "extract",
    .purpose = "write the part of a model between given tensors as a model",
    .examples = "  nnefc extract model/ head/ --to=pool2              from the inputs to pool2\n"
                "  nnefc extract model/ part.onnx --from=pool2 --to=features,scores\n"
                "  nnefc extract model/ part/ --from=pool2 --to=scores --record=seen -i image.png\n"
                "                                                    and the values at both ends\n",
    .operands = OPERANDS_MODEL_TARGET,
    .usage = "MODEL OUT",
    VERB_SETTINGS(extract, {.loading = {LOADING_UNSET, .quantization = NNEFC_QUANTIZATION_AUTO},
                            .feeding = FEEDING_DEFAULTS}),
    .groups = {{extract_options, 0, NULL},
               {feed_options, offsetof(struct extract_settings, feeding), FEED_TITLE},
               {image_options, offsetof(struct extract_settings, feeding), FEED_TITLE},
               PART_GROUPS(extract)},
    .run = extract_run,
};
