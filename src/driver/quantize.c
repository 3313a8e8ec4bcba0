/*
 * quantize.c - nnefc quantize: a model whose layers are of integers, and how near it is
 *
 * Samples are listed before the model is read, and are read themselves only while a run needs them.
 */
#include "driver/samples.h"

#include "driver/load.h"
#include "driver/memory.h"
#include "driver/path.h"
#include "driver/quantize_show.h"
#include "driver/report.h"
#include "driver/target.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct quantize_settings {
    struct command command;
    struct loading loading;
    struct rewriting rewriting;
    struct feeding feeding; /* how images are read */
    struct nnefc_quantize how;
    const char *data, *check, *report;
    enum target_format format;
    int opset, top;
    enum nnefc_onnx_quantized quantized;
    bool no_contrib;
};

/* What one call owns. */
struct job {
    const struct quantize_settings *settings;
    struct samples data, check;
    double start, shown; /* seconds; 0: nothing is shown yet */
};

/* --- samples ---------------------------------------------------------------------------------- */

enum { HELD_BACK = 4 }; /* every fourth sample is to measure with, unless --check is given */

static int count_checks(const struct job *job)
{
    return job->settings->check ? job->check.count : job->data.count / HELD_BACK;
}

static int count_samples(const struct job *job)
{
    return job->settings->check ? job->data.count : job->data.count - count_checks(job);
}

static enum nnefc_status feed(void *user, int sample, struct nnefc_run *run)
{
    const struct job *job = user;
    const int samples = count_samples(job);

    if (job->settings->check)
        return sample < samples ? samples_feed(&job->data, sample, run)
                                : samples_feed(&job->check, sample - samples, run);
    const int held = (sample - samples) * HELD_BACK + HELD_BACK - 1;
    return samples_feed(&job->data, sample < samples ? sample + sample / (HELD_BACK - 1) : held,
                        run);
}

static void show_progress(void *user, enum nnefc_work work, int64_t done, int64_t total)
{
    struct job *job = user;
    const double now = seconds_now();

    if (work != NNEFC_WORK_QUANTIZE || now - job->start < 1 || now - job->shown < 0.1)
        return;
    fprintf(stderr, "\r\033[Krun %lld of %lld", (long long)done, (long long)total);
    fflush(stderr);
    job->shown = now;
}

/* --- the command ------------------------------------------------------------------------------ */

static struct record *record_of(const struct job *job, const struct nnefc_quantized *found)
{
    const struct quantize_settings *s = job->settings;

    return quantized_record(found,
                            &(struct quantized_shown){s->command.operand[0], count_samples(job),
                                                      count_checks(job), s->top});
}

struct found_report {
    const struct job *job;
    const struct nnefc_quantized *found;
};

static void print_report(FILE *file, void *data)
{
    const struct found_report *report = data;

    quantized_write(record_of(report->job, report->found),
                    path_ends_in(report->job->settings->report, ".html"), file);
}

static enum nnefc_status write_report(const struct job *job, const struct nnefc_quantized *found)
{
    const char *path = job->settings->report;

    return path_write(path, print_report, &(struct found_report){job, found})
               ? NNEFC_OK
               : file_error(&job->settings->command, path, strerror(errno));
}

/* The first opset that has blocks, and 16 bits; 0: the usual one will do. */
static int least_opset(const struct quantize_settings *s, const struct nnefc_quantized *found)
{
    enum { BLOCKS_OPSET = 21 };
    bool needs = s->how.block > 0 || s->how.bits == 4;

    for (int i = 0; i < found->layers->count; i++)
        needs |= found->layers->at[i]->input_bits == 16;
    return needs ? BLOCKS_OPSET : 0;
}

static enum nnefc_status write_model(const struct quantize_settings *s, struct nnefc_model *model)
{
    const int usual = least_opset(s, nnefc_model_quantized(model));
    const struct nnefc_onnx onnx = {.size = sizeof onnx,
                                    .opset = s->opset ? s->opset : usual,
                                    .quantized = s->quantized,
                                    .no_contrib = s->no_contrib};
    const struct target_form form = {s->command.operand[1], s->format, NNEFC_PROFILE_CUSTOM, &onnx,
                                     NULL};

    return target_write(&form, model);
}

static enum nnefc_status quantize(struct job *job, struct nnefc_model *model)
{
    const struct quantize_settings *s = job->settings;
    const struct command *command = &s->command;
    struct nnefc_quantize how = s->how;
    const struct nnefc_hooks hooks = {.size = sizeof hooks, .progress = show_progress, .user = job};

    how.size = sizeof how;
    how.samples = count_samples(job);
    how.checks = count_checks(job);
    how.feed = feed;
    how.user = job;
    if (!command->quiet && isatty(STDERR_FILENO))
        nnefc_model_set_hooks(model, &hooks);
    enum nnefc_status status = nnefc_model_quantize(model, &how);
    if (job->shown > 0)
        fputs("\r\033[K", stderr);
    nnefc_model_set_hooks(model, NULL);
    if (status != NNEFC_OK)
        return status;
    const struct nnefc_quantized *found = nnefc_model_quantized(model);
    status = write_model(s, model);
    if (status == NNEFC_OK && s->report)
        status = write_report(job, found);
    if (status == NNEFC_OK && !command->quiet)
        quantized_print(record_of(job, found),
                        path_is_stream(command->operand[1]) ? stderr : stdout);
    return status == NNEFC_OK && !found->reached ? NNEFC_DIFFERENT : status;
}

static bool is_sample(const struct samples *samples, const char *path)
{
    for (int i = 0; i < samples->count; i++)
        if (path_same(samples->path[i], path))
            return true;
    return false;
}

/* Ranges are those of samples, but weights alone have theirs. */
static bool needs_samples(const struct nnefc_quantize *how)
{
    return how->activations == NNEFC_ACTIVATIONS_AUTO ? how->block == 0 && how->bits != 4
                                                      : how->activations != NNEFC_ACTIVATIONS_FLOAT;
}

/* Faults of the command line, and the samples there are. */
static enum nnefc_status begin(struct job *job, enum target_format *format)
{
    const struct quantize_settings *s = job->settings;
    const struct command *command = &s->command;
    const char *target = command->operand[1];

    if (!rewriting_agrees(command, &s->rewriting) || !loading_agrees(command, &s->loading))
        return NNEFC_USAGE;
    if (!s->data && (needs_samples(&s->how) || s->check))
        return usage_error(command, "'quantize' needs samples of inputs, --data=FOLDER");
    if (*format == TARGET_BY_NAME && !target_find(command, target, format))
        return NNEFC_USAGE;
    if (s->no_contrib && s->quantized != NNEFC_ONNX_QOPERATOR)
        return usage_error(command, "--no-contrib is for --quant=qoperator");
    if (*format == TARGET_PNNX)
        return usage_error(command, "a quantized model cannot be written as PNNX");
    if (options_fit(command, (enum nnefc_format) * format, target, true) != NNEFC_OK)
        return NNEFC_USAGE;
    if (!path_is_folder(target) && !path_is_writable(target, false))
        return file_error(command, target, strerror(errno));
    if (s->report && !path_ends_in(s->report, ".html") && !path_ends_in(s->report, ".json"))
        return usage_error(command, "the report '%s' does not end in .html or .json", s->report);
    if (s->report && path_same(s->report, target))
        return usage_error(command, "'%s' is to be the model and the report", target);
    if (s->report && !path_is_writable(s->report, false))
        return file_error(command, s->report, strerror(errno));
    enum nnefc_status status = s->data ? samples_list(&job->data, s->data) : NNEFC_OK;
    if (status == NNEFC_OK && s->check)
        status = samples_list(&job->check, s->check);
    return status == NNEFC_OK && (is_sample(&job->data, target) || is_sample(&job->check, target))
               ? file_error(command, target, "it is a sample")
               : status;
}

static enum nnefc_status quantize_run(const void *settings)
{
    struct quantize_settings s = *(const struct quantize_settings *)settings;
    struct job job = {.settings = &s, .start = seconds_now()};
    enum nnefc_status status;

    job.data = job.check = (struct samples){.command = &s.command, .feeding = &s.feeding};
    status = begin(&job, &s.format);
    if (status == NNEFC_OK) {
        struct option_list first = {0};
        if (job.data.path)
            first = samples_files(&job.data, 0);
        s.loading.fed = job.data.path ? &first : NULL;
        if (s.how.again)
            s.loading.quantization = NNEFC_QUANTIZATION_OFF;
        s.loading.channels_last = s.feeding.image.channels_last;
        s.loading.keep = s.format == TARGET_ONNX ? NNEFC_KEEP_ONNX : NNEFC_KEEP_KERNELS;
        if (!s.rewriting.how.passes && !s.rewriting.raw)
            s.rewriting.how.passes = "default";
        struct nnefc_model *model = load_model(&s.loading, s.command.operand[0]);
        job.data.model = job.check.model = model;
        rewrite_model(&s.rewriting, model);
        status = loaded_status(&s.command, model);
        if (status == NNEFC_OK && !s.loading.force)
            status = keeps_model(&s.command, model, s.command.operand[0], s.report);
        if (status == NNEFC_OK)
            status = quantize(&job, model);
        close_model(&s.command, model);
        samples_files_free(&first);
    }
    samples_free(&job.data);
    samples_free(&job.check);
    return status;
}

/* --- options ---------------------------------------------------------------------------------- */

/* minmax, percentile[:P], mse or auto */
static bool set_range(void *field, char *value)
{
    static const char *const names[] = {"auto", "minmax", "percentile", "mse"};
    struct nnefc_quantize *how = field;
    char *rest = value, *name = next_part(&rest, ':');

    for (int i = 0; name && i < 4; i++) {
        if (strcmp(name, names[i]) != 0)
            continue;
        how->range = (enum nnefc_range)i;
        return !rest || (i == NNEFC_RANGE_PERCENTILE && parse_real(rest, &how->percentile) &&
                         how->percentile > 50 && how->percentile <= 100);
    }
    return false;
}

static bool set_weights(void *field, char *value)
{
    static const char *const names[] = {"int4", "int8"};

    for (int i = 0; i < 2; i++)
        if (strcmp(value, names[i]) == 0) {
            *(int *)field = 4 * (i + 1);
            return true;
        }
    return false;
}

static bool set_block(void *field, char *value)
{
    const int *block = field;

    return set_number(field, value) && *block >= 16 && *block <= 256 && *block % 8 == 0;
}

static bool set_percent(void *field, char *value)
{
    return set_amount(field, value) && *(double *)field > 0 && *(double *)field <= 100;
}

#define FIELD(name) .field = offsetof(struct quantize_settings, name)

static const struct option quantize_options[] = {
    {"--data", NULL, "PATH",
     "samples: a folder of .npy, .dat, .png, .npz, or of folders with a file per parameter",
     .set = set_text, FIELD(data)},
    {"--check", NULL, "PATH", "samples to measure with (every fourth of --data)", .set = set_text,
     FIELD(check)},
    {"--to", NULL, "nnef|onnx|graph", "format of OUT (by its name)", .first_word = TARGET_NNEF,
     FIELD(format)},
    {"--opset", NULL, "N", "version of ONNX's operators, 13 to 28 (17)",
     .expects = "a whole number from 13 to 28", .set = set_number, FIELD(opset),
     .writes = FOR_ONNX},
    {"--quant", NULL, "qdq|qoperator",
     "QuantizeLinear and DequantizeLinear (qdq), or operators such as QLinearConv",
     FIELD(quantized), .writes = FOR_ONNX},
    {"--no-contrib", NULL, NULL, "write no operators of domain com.microsoft", FIELD(no_contrib),
     .writes = FOR_ONNX},
    {"--weights", NULL, "int8|int4", "type of quantized weights (int8); int4: in blocks",
     .expects = "int8 or int4", .set = set_weights, FIELD(how.bits)},
    {"--block", NULL, "N",
     "quantize only weights of products, with a scale for each N of them (32)",
     .expects = "a multiple of 8 from 16 to 256", .set = set_block, FIELD(how.block)},
    {"--activations", NULL, "uint8|float|int16|mixed",
     "type of the inputs of layers (uint8; float with blocks, which needs no samples); "
     "mixed: int16 for the worst, by --min-snr or --budget",
     .first_word = NNEFC_ACTIVATIONS_UINT8, FIELD(how.activations)},
    {"--range", NULL, "RULE",
     "ranges of tensors: auto, minmax, percentile[:P] or mse (auto: the best)",
     .expects = "auto, minmax, percentile[:P] with P above 50, or mse", .set = set_range,
     FIELD(how)},
    {"--rounding", NULL, "auto|nearest|adapt",
     "round weights to the nearest, or make up for errors of other weights (auto: the better)",
     .first_word = NNEFC_ROUNDING_AUTO, FIELD(how.rounding)},
    {"--equalize", NULL, NULL,
     "scale channels so that weights of two layers are equally large (if better)",
     .first_word = NNEFC_CHOICE_YES, FIELD(how.equalize)},
    {"--no-equalize", NULL, NULL, "do not scale channels", .first_word = NNEFC_CHOICE_NO,
     FIELD(how.equalize)},
    {"--correct-bias", NULL, NULL, "correct biases by the mean error of rounding (if better)",
     .first_word = NNEFC_CHOICE_YES, FIELD(how.correct_bias)},
    {"--no-correct-bias", NULL, NULL, "leave biases as they are", .first_word = NNEFC_CHOICE_NO,
     FIELD(how.correct_bias)},
    {"--per-tensor", NULL, NULL, "one scale for all weights of a layer (one for each channel)",
     FIELD(how.per_tensor)},
    {"--keep", NULL, "NAME[,NAME...]", "layers that stay floats, by their results", .set = set_text,
     FIELD(how.keep)},
    {"--keep-op", NULL, "OP[,OP...]", "layers that stay floats: conv, linear, matmul",
     .set = set_text, FIELD(how.keep_op)},
    {"--only", NULL, "NAME[,NAME...]", "the layers to quantize, by their results (all)",
     .set = set_text, FIELD(how.only)},
    {"--again", NULL, NULL, "drop the quantization that the model has, then quantize it",
     FIELD(how.again)},
    {"--min-snr", NULL, "DB",
     "make the worst layers floats, or int16 if mixed, until the results reach this SNR",
     .expects = "a number from 0", .set = set_amount, FIELD(how.min_snr)},
    {"--budget", NULL, "PERCENT", "largest share of the multiply-adds that may not have 8 bits",
     .expects = "a number above 0, up to 100", .set = set_percent, FIELD(how.budget)},
    {"--outputs", NULL, "NAME[,NAME...]", "tensors to measure (results, before a last softmax)",
     .set = set_text, FIELD(how.outputs)},
    {"--report", NULL, "FILE.html|.json", "write all measurements, as a page or as JSON",
     .set = set_text, FIELD(report)},
    {"--top", NULL, "N", "print the N worst layers (20; 0: all)", .expects = "a whole number",
     .set = set_count, FIELD(top)},
    {"--threads", NULL, "N", "use N threads; the model written does not depend on it",
     .expects = "a whole number from 1 to 1024", .set = set_threads, FIELD(how.threads)},
    FORCE_OPTION(offsetof(struct quantize_settings, loading)),
    {0},
};

const struct verb quantize_verb = {
    .name = "quantize",
    .purpose = "make a model with 8-bit integer layers or 4-bit weights, and measure its error",
    .examples = "  nnefc quantize model/ small.onnx --data=samples/\n"
                "  nnefc quantize model.onnx small.onnx --data=samples/ --mean=0.5 --scale=0.25\n"
                "  nnefc quantize model/ small.onnx --data=samples/ --min-snr=25 --budget=5\n"
                "  nnefc quantize model/ small.onnx --data=samples/ --report=report.html --top=5\n"
                "  nnefc quantize model/ small/ --weights=int4 --block=32\n",
    .operands = OPERANDS_MODEL_TARGET,
    .usage = "MODEL OUT",
    VERB_SETTINGS(quantize, {.loading = LOADING_DEFAULTS, .feeding = FEEDING_DEFAULTS, .top = 20}),
    .groups = {{quantize_options, 0, NULL},
               {image_options, offsetof(struct quantize_settings, feeding), FEED_TITLE},
               {pass_options, offsetof(struct quantize_settings, rewriting), PASS_TITLE},
               MODEL_GROUPS(quantize)},
    .run = quantize_run,
};
