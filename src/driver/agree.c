/* agree.c - whether the options of a command line fit each other */
#include "driver/verb.h"

#include "driver/message.h"
#include "driver/path.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool shapes_agree(const struct settings *s)
{
    for (int i = 0; i < s->nshape; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(s->shapes[i].name, s->shapes[k].name) == 0) {
                usage_error(s, "two shapes for '%s'", s->shapes[i].name);
                return false;
            }
    return true;
}

static bool is_standard(const char *file)
{
    return file && strcmp(file, "-") == 0;
}

/* Standard input and output can be used once. */
static bool streams_agree(const struct settings *s)
{
    int in = is_standard(s->data) + is_standard(s->data_of_b) + is_standard(s->quant_file);
    int out = s->json || s->dump || (s->nexpected && !s->quiet);

    for (int i = 0; i < s->nmodel; i++)
        in += is_standard(s->models[i]);
    for (int i = 0; i < s->ninput; i++)
        in += is_standard(s->inputs[i].file);
    for (int i = 0; i < s->noutput; i++)
        out += is_standard(s->outputs[i].file);
    if (in > 1)
        usage_error(s, "standard input is used twice");
    else if (out > 1 && s->noutput > 0)
        usage_error(s, s->json ? "standard output is used twice, by --json and by --output -"
                               : "standard output is used twice");
    return in <= 1 && (out <= 1 || s->noutput == 0);
}

/* Of several models, too, standard input is one at most; what is mended of it is printed. */
static bool mending_agrees(const struct settings *s)
{
    const char *option = s->diff ? "--diff" : "--fix";
    int in = is_standard(s->data) + is_standard(s->quant_file);
    bool changes = s->fix || s->diff;
    int models = 0;

    for (int i = 0; i < s->nmodel; i++)
        models += is_standard(s->models[i]);
    if (in + models > 1)
        usage_error(s, "standard input is used twice");
    else if (changes && is_standard(s->quant_file))
        usage_error(s, "%s needs the quantization file by its name", option);
    else if (changes && s->dump && (s->diff || models > 0))
        usage_error(s, "standard output is used twice, by --dump and by %s", option);
    else
        return true;
    return false;
}

/* By its first bytes; what cannot be looked into twice may well be one. */
static bool may_be_image(const char *path)
{
    static const unsigned char png[] = {0x89, 'P', 'N', 'G'};
    unsigned char bytes[sizeof png];
    struct stat status;

    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return true;
    FILE *file = fopen(path, "rb");
    if (!file)
        return true;
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return size == sizeof png && memcmp(bytes, png, size) == 0;
}

static bool images_agree(const struct settings *s)
{
    bool image = !s->image_option;

    for (int i = 0; i < s->ninput; i++)
        image |= may_be_image(s->inputs[i].file);
    if (!image && s->ninput > 0)
        usage_error(s, "%s is for images, but '%s' is none", s->image_option, s->inputs[0].file);
    else if (!image)
        usage_error(s, "%s is for images, but no input is one", s->image_option);
    return image;
}

static bool outputs_agree(const struct settings *s)
{
    bool ok = true;

    for (int i = 0; i < s->noutput && ok; i++)
        ok = path_is_for_results(s, s->outputs[i].file);
    return ok;
}

static bool feeds_agree(const struct settings *s)
{
    if (s->random && s->filled)
        usage_error(s, "--random or --fill");
    return !s->random || !s->filled;
}

bool settings_agree(const struct settings *settings)
{
    return warnings_agree(settings) && shapes_agree(settings) && streams_agree(settings) &&
           mending_agrees(settings) && images_agree(settings) && outputs_agree(settings) &&
           feeds_agree(settings);
}
