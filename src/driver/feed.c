/*
 * feed.c - the inputs of models: options, and which file is for which parameter
 *
 * A file with a name is for that parameter; the others are for the rest, in order. The data of
 * --random depend on the seed and the parameter only, so that two models that are compared get the
 * same.
 */
#include "driver/compute.h"
#include "driver/report.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- options ---------------------------------------------------------------------------------- */

/* --random[=SEED] */
static bool set_random(void *field, char *value)
{
    struct feeding *feeding = field;

    feeding->random = true;
    return !value || set_seed(&feeding->seed, value);
}

/* One number for all channels, or one for each of up to four. */
static bool parse_channels(char *text, double channel[4], int *count)
{
    *count = 0;
    for (char *item; (item = next_part(&text, ','));)
        if (*count == 4 || !parse_real(item, &channel[(*count)++]))
            return false;
    return true;
}

/* --mean=V[,V...] */
static bool set_mean(void *field, char *value)
{
    struct feeding *feeding = field;

    feeding->image_option = "--mean";
    return parse_channels(value, feeding->image.mean, &feeding->image.mean_count);
}

/* --scale=V[,V...], by which is divided: none may be 0. */
static bool set_scale(void *field, char *value)
{
    struct feeding *feeding = field;
    struct nnefc_image *image = &feeding->image;
    bool ok = parse_channels(value, image->scale, &image->scale_count);

    feeding->image_option = "--scale";
    for (int i = 0; i < image->scale_count && ok; i++)
        ok = image->scale[i] != 0;
    return ok;
}

/* --layout=nchw|nhwc */
static bool set_layout(void *field, char *value)
{
    struct feeding *feeding = field;

    feeding->image_option = "--layout";
    feeding->image.channels_last = strcmp(value, "nhwc") == 0;
    return feeding->image.channels_last || strcmp(value, "nchw") == 0;
}

const struct option feed_options[] = {
    {"--input", "-i", "[NAME=]FILE",
     "data of a parameter: .dat, .npy, .png, - (stdin), X.npz:ARRAY; X.npz feeds all",
     .set = set_named_file, .field = offsetof(struct feeding, inputs),
     .item_size = sizeof(struct named_file)},
    {"--random", NULL, "[SEED]", "random data for parameters without --input (seed 1)",
     .expects = "a whole number from 0", .set = set_random},
    {"--fill", NULL, "V", "items of parameters without --input are all V", .expects = "a number",
     .set = set_real, .field = offsetof(struct feeding, fill)},
    {0},
};

const struct option image_options[] = {
    {"--mean", NULL, "V[,V...]", "images: subtract from values in 0..1, one or per channel",
     .expects = "one to four numbers", .set = set_mean},
    {"--scale", NULL, "V[,V...]", "images: then divide by these, one or per channel",
     .expects = "one to four numbers other than 0", .set = set_scale},
    {"--layout", NULL, "nchw|nhwc", "images: order of the parameter's dimensions",
     .set = set_layout},
    {0},
};

const struct option steps_options[] = {
    {"--steps", NULL, "N", "run N times; updated variables keep their values",
     .expects = "a whole number from 1", .set = set_number,
     .field = offsetof(struct feeding, steps)},
    {0},
};

bool feeding_agrees(const struct command *command, const struct feeding *feeding, int streams)
{
    static const unsigned char png[] = {0x89, 'P', 'N', 'G'};
    const struct named_file *inputs = feeding->inputs.item;
    const char *option = feeding->image_option;
    bool image = !option;

    for (int i = 0; i < feeding->inputs.count; i++) {
        const char *path = inputs[i].file;
        unsigned char bytes[sizeof png];
        struct stat status;
        streams += is_standard(path);
        /* A stream, which can be read only once, may be an image; a file tells by its first bytes.
         */
        FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "rb") : NULL;
        image |= !file || (fread(bytes, 1, sizeof png, file) == sizeof png &&
                           memcmp(bytes, png, sizeof png) == 0);
        if (file)
            fclose(file);
    }
    if (!input_is_used_once(command, streams))
        return false;
    if (!image && feeding->inputs.count > 0)
        usage_error(command, "%s is for images, but '%s' is no image", option, inputs[0].file);
    else if (!image)
        usage_error(command, "%s is for images, but no input is an image", option);
    else if (feeding->random && !isnan(feeding->fill))
        usage_error(command, "--random and --fill exclude each other");
    return image && !(feeding->random && !isnan(feeding->fill));
}

/* --- feeding ---------------------------------------------------------------------------------- */

void feeding_tell(const struct feeding *feeding, struct loading *loading)
{
    loading->fed = &feeding->inputs;
    loading->channels_last = feeding->image.channels_last;
}

enum nnefc_status feed_made(const struct feeding *feeding, struct nnefc_run *run, int index)
{
    if (nnefc_run_has_input(run, index))
        return NNEFC_OK;
    if (feeding->random)
        return nnefc_run_randomize_input(run, index, feeding->seed);
    return isnan(feeding->fill) ? NNEFC_OK : nnefc_run_fill_input(run, index, feeding->fill);
}

/* An archive of arrays without a name feeds the parameters by the names in it. */
static bool feeds_all(const struct named_file *input)
{
    return !input->name && nnefc_is_npz(input->file);
}

enum nnefc_status feed_archives(const struct feeding *feeding, struct nnefc_run *run)
{
    const struct named_file *input = feeding->inputs.item;
    enum nnefc_status status = NNEFC_OK;

    for (int i = 0; i < feeding->inputs.count && status == NNEFC_OK; i++)
        if (feeds_all(&input[i]))
            status = nnefc_run_read_inputs(run, input[i].file);
    return status;
}

struct side side_of(struct nnefc_model *model, bool outputs)
{
    return (struct side){.what = outputs ? "output" : "input",
                         .count = outputs ? nnefc_model_outputs(model)->count
                                          : nnefc_model_inputs(model)->count,
                         .model = model,
                         .outputs = outputs,
                         .is_for_all = outputs ? NULL : feeds_all};
}

enum nnefc_status files_assign(const struct command *command, const struct side *side,
                               const struct option_list *given, const char **file)
{
    const struct named_file *item = given->item;

    assert(side->is_for_all && side->count >= 0);
    for (int i = 0; i < given->count; i++) {
        if (!item[i].name || side->is_for_all(&item[i]))
            continue;
        int index = side->find      ? side->find(side->data, item[i].name)
                    : side->outputs ? nnefc_model_find_output(side->model, item[i].name)
                                    : nnefc_model_find_input(side->model, item[i].name);
        if (index < 0)
            return NNEFC_USAGE;
        assert(index < side->count);
        if (file[index])
            return usage_error(command, "two files as %s '%s': '%s' and '%s'", side->what,
                               item[i].name, file[index], item[i].file);
        file[index] = item[i].file;
    }
    for (int i = 0, index = 0; i < given->count; i++) {
        if (item[i].name || side->is_for_all(&item[i]))
            continue;
        while (index < side->count && file[index])
            index++;
        if (index == side->count)
            return usage_error(command, "no %s is left for '%s': the graph has %d", side->what,
                               item[i].file, side->count);
        file[index] = item[i].file;
    }
    return NNEFC_OK;
}

/* --- several steps ---------------------------------------------------------------------------- */

/* Is that the same input?  Without names they are if the model has one input only. */
static bool same_input(const struct named_file *a, const struct named_file *b, bool single)
{
    return a->name && b->name ? strcmp(a->name, b->name) == 0 : single && !a->name && !b->name;
}

/* Which of the files for its input is file `index`, from 0, and how many are there? */
static int number_of(const struct option_list *given, int index, bool single, int *count)
{
    const struct named_file *file = given->item;
    int number = 0;

    *count = 0;
    for (int i = 0; i < given->count; i++)
        if (same_input(&file[i], &file[index], single)) {
            number += i < index;
            ++*count;
        }
    return number;
}

/* An input that is given several times has another file in each step; others have that many, or
 * one.  False after a message. */
static bool count_steps(struct feed *feed, bool single)
{
    const struct option_list *given = &feed->feeding->inputs;
    const struct named_file *file = given->item;
    int count;

    feed->steps = 1;
    for (int i = 0; i < given->count; i++) {
        number_of(given, i, single, &count);
        if (count > 1 && feed->steps > 1 && count != feed->steps)
            return usage_error(feed->command, "input '%s' is given %d times, others %d times",
                               file[i].name ? file[i].name : file[i].file, count,
                               feed->steps) == NNEFC_OK;
        feed->steps = count > 1 ? count : feed->steps;
    }
    return true;
}

/* Those of a step; the caller frees them. */
static enum nnefc_status find_files(const struct feed *feed, int step, const char ***files)
{
    struct side side = side_of(feed->model, false);
    const struct option_list *given = &feed->feeding->inputs;
    const struct named_file *file = given->item;
    struct named_file *chosen = zeroed_items((size_t)given->count + 1, sizeof *chosen);
    struct option_list list = {chosen, 0};
    int count;

    for (int i = 0; i < given->count; i++) {
        int number = number_of(given, i, side.count == 1, &count);
        if (number == (count > 1 ? step % feed->steps : 0))
            chosen[list.count++] = file[i];
    }
    *files = zeroed_items((size_t)side.count + 1, sizeof **files);
    enum nnefc_status status = files_assign(feed->command, &side, &list, *files);
    free(chosen);
    return status;
}

enum nnefc_status feed_plan(struct feed *feed, const struct command *command,
                            const struct feeding *feeding, struct nnefc_model *model)
{
    *feed = (struct feed){.command = command, .feeding = feeding, .model = model};
    if (!count_steps(feed, nnefc_model_inputs(model)->count == 1))
        return NNEFC_USAGE;
    return find_files(feed, 0, &feed->file);
}

enum nnefc_status feed_step(struct feed *feed, int step)
{
    int inputs = nnefc_model_inputs(feed->model)->count;
    struct nnefc_image image = feed->feeding->image;
    const char **before = feed->file;

    if (step > 0 && feed->steps == 1)
        return NNEFC_OK;
    enum nnefc_status status = find_files(feed, step, &feed->file), fed;
    note_step(feed->run, step % feed->steps + 1, feed->steps);
    image.size = sizeof image;
    if (status == NNEFC_OK && step == 0)
        status = nnefc_run_set_image(feed->run, &image);
    if (status == NNEFC_OK && step == 0)
        status = feed_archives(feed->feeding, feed->run);
    /* A file of its own overrides an archive.  All faults of inputs are reported. */
    for (int i = 0; i < inputs; i++) {
        const char *file = feed->file[i];
        bool again = step > 0 && file && before[i] && strcmp(file, before[i]) == 0;
        fed = file && !again ? nnefc_run_read_input(feed->run, i, file) : NNEFC_OK;
        status = status == NNEFC_OK ? fed : status;
    }
    free(before);
    /* What is made up has extents of the same names. */
    for (int i = 0; i < inputs && status == NNEFC_OK; i++)
        if (!feed->file[i])
            status = feed_made(feed->feeding, feed->run, i);
    return status;
}

void feed_free(struct feed *feed)
{
    free(feed->file);
}
