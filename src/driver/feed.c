/* feed.c - the options that say what models compute with */
#include "driver/feed.h"

#include "driver/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool set_quant(struct settings *settings, char *value)
{
    static const char *const words[] = {"off", "apply", NULL};
    int word = parse_word(value, words);

    settings->quantize = word == 1;
    return word >= 0;
}

static bool set_input(struct settings *settings, char *value)
{
    settings->inputs[settings->ninput++] = split_name(value);
    return *settings->inputs[settings->ninput - 1].file;
}

bool set_random(struct settings *settings, char *value)
{
    settings->random = true;
    return !value || parse_seed(value, &settings->seed);
}

static bool set_fill(struct settings *settings, char *value)
{
    char *end;

    settings->filled = true;
    settings->fill = strtod(value, &end);
    return end != value && !*end && isfinite(settings->fill);
}

static bool parse_channels(char *text, double *channel, int *count)
{
    *count = 0;
    for (char *item = next_item(&text); item; item = next_item(&text)) {
        char *end;
        if (*count == 4)
            return false;
        channel[*count] = strtod(item, &end);
        if (end == item || *end || !isfinite(channel[(*count)++]))
            return false;
    }
    return true;
}

static bool set_mean(struct settings *settings, char *value)
{
    settings->image_option = "--mean";
    return parse_channels(value, settings->image.mean, &settings->image.mean_count);
}

static bool set_scale(struct settings *settings, char *value)
{
    bool ok = parse_channels(value, settings->image.scale, &settings->image.scale_count);

    settings->image_option = "--scale";
    for (int i = 0; i < settings->image.scale_count; i++)
        ok &= settings->image.scale[i] != 0;
    return ok;
}

static bool set_layout(struct settings *settings, char *value)
{
    static const char *const words[] = {"nchw", "nhwc", NULL};
    int word = parse_word(value, words);

    settings->image_option = "--layout";
    settings->image.channels_last = word == 1;
    return word >= 0;
}

static bool set_steps(struct settings *settings, char *value)
{
    return parse_count(value, 1, &settings->steps);
}

bool set_data(struct settings *settings, char *value)
{
    settings->data = value;
    return *value;
}

bool set_threads(struct settings *settings, char *value)
{
    return parse_count(value, 1, &settings->threads) && settings->threads <= 1024;
}

enum nnefc_status feed_made(const struct settings *settings, struct nnefc_run *run, int index)
{
    if (nnefc_run_has_input(run, index))
        return NNEFC_OK;
    if (settings->random)
        return nnefc_run_randomize_input(run, index, settings->seed);
    return settings->filled ? nnefc_run_fill_input(run, index, settings->fill) : NNEFC_OK;
}

static bool set_backend(struct settings *settings, char *value)
{
    settings->backend = value;
    for (int i = 0; nnefc_backend_name(i); i++)
        if (strcmp(nnefc_backend_name(i), value) == 0)
            return true;
    return false;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): as the table has it */
static bool set_exact(struct settings *settings, char *value)
{
    (void)value;
    return settings->exact = true;
}

/* Who computes. */
const struct option backend_options[] = {
    {"--backend", NULL, "auto|portable|reference", "who computes (auto)", .set = set_backend},
    {"--exact", NULL, NULL, "use no algorithm that trades accuracy for speed", .set = set_exact},
    {0},
};

const struct option profile_options[] = {
    {"--profile", NULL, NULL,
     "tell where the time goes, and how near to the machine's peak each step is",
     .flag = offsetof(struct settings, steps_told)},
    {0},
};

/* What models compute with. */
const struct option feed_options[] = {
    {"--input", "-i", "[NAME=]FILE",
     "data of a parameter: .dat, .npy, .png, - (stdin), X.npz:ARRAY; X.npz feeds all",
     .set = set_input},
    {"--random", NULL, "[SEED]", "random data for parameters without --input (seed 1)",
     .expects = "a whole number from 0", .set = set_random},
    {"--fill", NULL, "V", "items of parameters without --input are all V", .expects = "a number",
     .set = set_fill},
    {"--quant", NULL, "off|apply", "quantize tensors as the quantization file says (off)",
     .set = set_quant},
    {"--mean", NULL, "V[,V...]", "images: subtract from values in 0..1, one or per channel",
     .expects = "one to four numbers", .set = set_mean},
    {"--scale", NULL, "V[,V...]", "images: then divide by",
     .expects = "one to four numbers other than 0", .set = set_scale},
    {"--layout", NULL, "nchw|nhwc", "images: order of the parameter's dimensions",
     .set = set_layout},
    {"--steps", NULL, "N", "run N times; updated variables keep their values",
     .expects = "a whole number from 1", .set = set_steps},
    {"--threads", NULL, "N", "use N threads; the results do not depend on it",
     .expects = "a whole number from 1 to 1024", .set = set_threads},
    {0},
};
