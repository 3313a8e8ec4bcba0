/*
 * convert.c - nnefc convert and nnefc compile: a model in another format
 *
 * The name of the target decides the format. Faults of the command line are found before the model
 * is read, which may take long.
 */
#include "driver/load.h"
#include "driver/path.h"
#include "driver/report.h"
#include "driver/target.h"

#include <errno.h>
#include <string.h>

enum quant_target { QUANT_KEEP, QUANT_QDQ, QUANT_QOPERATOR, QUANT_APPLY };

/* Settings of both commands. The only operand of compile is the model. */
struct convert_settings {
    struct command command;
    struct loading loading;
    struct rewriting rewriting;
    const char *target;
    enum target_format format;
    int profile; /* an enum nnefc_profile; -1: not given */
    enum quant_target quant;
    struct nnefc_onnx onnx;
    struct option_list dynamic; /* struct nnefc_dynamic */
    bool pack, exact;           /* weights of a graph file, for runs with --exact */
};

/* --- writing ---------------------------------------------------------------------------------- */

static bool has_integers(const struct convert_settings *s)
{
    return s->quant == QUANT_QDQ || s->quant == QUANT_QOPERATOR;
}

/* Load the model as its new format needs it, and write it. */
static enum nnefc_status write_model(const struct convert_settings *s)
{
    struct loading loading = s->loading;
    struct rewriting rewriting = s->rewriting;
    struct nnefc_onnx onnx = s->onnx;
    const struct nnefc_run_options packing = {
        .size = sizeof packing, .backend = "portable", .exact = s->exact};
    /* Parts of this output repeat the text of the model, or show what the text means, and need no
     * data.  Such a model is rewritten only if --passes is given. */
    bool shows_text = path_is_stream(s->target) || s->profile == NNEFC_PROFILE_DOCUMENT;
    bool follows_text =
        s->onnx.functions || s->dynamic.count > 0 || (s->format == TARGET_NNEF && shows_text);

    onnx.size = sizeof onnx;
    onnx.dynamic = s->dynamic.item;
    onnx.dynamic_count = s->dynamic.count;
    if (s->format == TARGET_ONNX) {
        loading.keep = has_integers(s) ? NNEFC_KEEP_ONNX_QDQ : NNEFC_KEEP_ONNX;
        onnx.quantized = s->quant == QUANT_QOPERATOR ? NNEFC_ONNX_QOPERATOR : NNEFC_ONNX_QDQ;
        loading.keeps_open = true;
    }
    bool by_default = !follows_text && !rewriting.how.passes && !rewriting.raw;
    if (by_default)
        rewriting.how.passes = "default";
    if (!rewriting_agrees(&s->command, &rewriting))
        return NNEFC_USAGE;
    if (s->quant != QUANT_KEEP)
        loading.quantization =
            has_integers(s) ? NNEFC_QUANTIZATION_INTEGERS : NNEFC_QUANTIZATION_APPLY;
    loading.check_data = true;
    struct nnefc_model *model = prepare_model(&loading);
    if (s->format == TARGET_PNNX)
        nnefc_model_set_pnnx_reading(model, NNEFC_PNNX_TO_READ);
    load_prepared(&loading, model, s->command.operand[0]);
    /* There is no graph of an open model, or of one in parts, that passes could rewrite. */
    if (!by_default || nnefc_model_operations(model)->count > 0)
        rewrite_model(&rewriting, model);
    enum nnefc_status status = loaded_status(&s->command, model);
    const struct target_form form = {s->target, s->format,
                                     s->profile < 0 ? NNEFC_PROFILE_STRICT
                                                    : (enum nnefc_profile)s->profile,
                                     &onnx, s->pack ? &packing : NULL};
    if (status == NNEFC_OK)
        status = target_write(&form, model);
    close_model(&s->command, model);
    return status;
}

/* --- the commands ----------------------------------------------------------------------------- */

/* Of both commands: faults of the command line are found before anything is read. */
static enum nnefc_status convert_run(const void *settings)
{
    struct convert_settings s = *(const struct convert_settings *)settings;
    const struct command *command = &s.command;
    const struct loading *l = &s.loading;

    if (!s.target)
        s.target = command->operand[1];
    if (!s.target)
        return usage_error(command, "'compile' needs a file to write, -o FILE.ng");
    if (!loading_agrees(command, l))
        return NNEFC_USAGE;
    if (s.format == TARGET_BY_NAME && !target_find(command, s.target, &s.format))
        return NNEFC_USAGE;
    if (s.format != TARGET_ONNX && has_integers(&s))
        return usage_error(command, "--quant=%s is for ONNX, but '%s' is to be of another format",
                           s.quant == QUANT_QDQ ? "qdq" : "qoperator", s.target);
    if (s.onnx.no_contrib && s.quant != QUANT_QOPERATOR)
        return usage_error(command, "--no-contrib is for --quant=qoperator");
    if (options_fit(command, (enum nnefc_format)s.format, s.target, true) != NNEFC_OK)
        return NNEFC_USAGE;
    /* PNNX is written only as it was read: the graph does not hold all of its text. */
    if (s.format == TARGET_PNNX && !s.rewriting.raw)
        return usage_error(command,
                           "only an unchanged model of PNNX can be written as PNNX: add --raw, or "
                           "write NNEF, ONNX or a graph file");
    if (s.format == TARGET_PNNX && (l->shapes.count || l->extents.count || l->bindings.count))
        return usage_error(command,
                           "--shape, --dim and --bind have no effect on PNNX, which is written "
                           "as it was read");
    if (s.onnx.external_data && path_is_stream(s.target))
        return usage_error(
            command, "--external-data puts a file beside the model, but '%s' is no file", s.target);
    if (!path_is_folder(s.target) && !path_is_writable(s.target, false))
        return file_error(command, s.target, strerror(errno));
    return write_model(&s);
}

/* --- options ---------------------------------------------------------------------------------- */

/* The versions that the exporter knows. */
static bool set_opset(void *field, char *value)
{
    return set_number(field, value) && *(int *)field >= 13 && *(int *)field <= 28;
}

#define FIELD(name) .field = offsetof(struct convert_settings, name)

static const struct option convert_options[] = {
    {"--to", NULL, "nnef|onnx|graph|pnnx", "format of OUT (by its name)", .first_word = TARGET_NNEF,
     FIELD(format)},
    {"--profile", NULL, "strict|compound|custom|document",
     "operations that NNEF lacks: as NNEF operations (strict), fragments or declarations; or "
     "the document with its own fragments",
     FIELD(profile), .writes = FOR_NNEF},
    {"--opset", NULL, "N",
     "version of ONNX's operators, 13 to 28 (17; that of a model that keeps its operators)",
     .expects = "a whole number from 13 to 28", .set = set_opset, FIELD(onnx.opset),
     .writes = FOR_ONNX},
    {"--functions", NULL, NULL, "keep fragments of the document, as functions of the model",
     FIELD(onnx.functions), .writes = FOR_ONNX},
    {"--allow-custom", NULL, NULL, "write what ONNX lacks as operations of domain 'nnef'",
     FIELD(onnx.allow_custom), .writes = FOR_ONNX},
    {"--external-data", NULL, NULL, "write weights into OUT.data (done if OUT would pass 2 GiB)",
     FIELD(onnx.external_data), .writes = FOR_ONNX},
    {"--quant", NULL, "keep|qdq|qoperator|apply",
     "write graph.quant as metadata (keep), QuantizeLinear, operators such as QLinearConv, or "
     "ordinary operations",
     FIELD(quant)},
    {"--no-contrib", NULL, NULL, "write no operators of domain com.microsoft",
     FIELD(onnx.no_contrib), .writes = FOR_ONNX},
    {"--state", NULL, "inputs|default",
     "first values of updated variables: in OUT.state.npz (inputs), or in the model",
     FIELD(onnx.state), .writes = FOR_ONNX},
    {"--dynamic", NULL, "TENSOR:AXIS=NAME",
     "leave this extent of a graph parameter open, under this name",
     .expects = "a graph parameter, an axis from 0 and an identifier", .set = set_dynamic,
     FIELD(dynamic), .item_size = sizeof(struct nnefc_dynamic), .writes = FOR_ONNX},
    DATA_OPTION(offsetof(struct convert_settings, loading)),
    FORCE_OPTION(offsetof(struct convert_settings, loading)),
    {0},
};

const struct verb convert_verb = {
    .name = "convert",
    .purpose = "write a model as ONNX or flat NNEF, or a PNNX model as it was read",
    .examples =
        "  nnefc convert model/ model.onnx             for ONNX Runtime and others\n"
        "  nnefc convert model.nnef model.onnx --opset=13\n"
        "  nnefc convert model/ model.onnx --external-data     weights in model.onnx.data\n"
        "  nnefc convert model/ flat/                  fragments expanded, weights beside "
        "it\n"
        "  nnefc convert model.onnx model/ -v          and print what passes changed\n"
        "  nnefc convert model/ - --to=nnef            print the text with fragments expanded\n"
        "  nnefc convert net.param copy.param --raw    copy a PNNX model, with copy.bin\n",
    .operands = OPERANDS_MODEL_TARGET,
    .usage = "MODEL OUT",
    VERB_SETTINGS(convert, {.loading = LOADING_DEFAULTS, .profile = -1}),
    .groups = {{convert_options, 0, NULL},
               {pass_options, offsetof(struct convert_settings, rewriting), PASS_TITLE},
               MODEL_GROUPS(convert)},
    .run = convert_run,
};

static const struct option compile_options[] = {
    {"--output", "-o", "FILE", "the graph file to write: .ng, or - (stdout)", .set = set_text,
     FIELD(target)},
    {"--pack", NULL, NULL,
     "also store weights packed for kernels of this processor, for a faster start", FIELD(pack)},
    {"--exact", NULL, NULL, "pack for runs with --exact", FIELD(exact), .needs = "--pack"},
    QUANT_OPTION(offsetof(struct convert_settings, loading), "off"),
    DATA_OPTION(offsetof(struct convert_settings, loading)),
    FORCE_OPTION(offsetof(struct convert_settings, loading)),
    {0},
};

const struct verb compile_verb = {
    .name = "compile",
    .purpose = "write a graph file, which loads fast and needs no other file",
    .examples =
        "  nnefc compile model/ -o net.ng\n"
        "  nnefc run net.ng --input image.png\n"
        "  nnefc compile model/ -o net.ng --pack       with packed weights, for a faster start\n",
    .operands = OPERANDS_MODEL,
    .usage = "MODEL",
    VERB_SETTINGS(convert, {.loading = LOADING_DEFAULTS, .format = TARGET_GRAPH, .profile = -1}),
    .groups = {{compile_options, 0, NULL},
               {pass_options, offsetof(struct convert_settings, rewriting), PASS_TITLE},
               MODEL_GROUPS(convert)},
    .run = convert_run,
};
