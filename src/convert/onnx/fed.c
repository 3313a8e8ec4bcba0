/* fed.c - extents from the headers of files; see fed.h */
#include "convert/onnx/fed.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/num.h"
#include "base/text.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "file/data_file.h"
#include "lower/lower.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* --- what is open ----------------------------------------------------------------------------- */

const char *open_text_of(struct context *context, const struct open_input *input,
                         const struct shape *shape, const char *sign)
{
    struct text text = {0};

    text_add(&text, "[");
    for (int i = 0; i < shape->rank; i++) {
        const char *name = i < input->rank ? input->dim[i].name : NULL;
        text_add(&text, i ? "," : "");
        if (shape->extent[i] >= 0)
            text_add(&text, "%" PRId64, shape->extent[i]);
        else
            text_add(&text, "%s%s", name ? sign : "", name ? name : "?");
    }
    text_add(&text, "]");
    return text_keep(&text, context->arena);
}

/* 1 stands for what is open, as an option would have it. */
bool open_help(struct context *context, const struct open_input *input, const struct shape *shape)
{
    static const char from[] = "'run', 'bench' and 'compare' take them from the files of inputs";
    struct text asked = {0};
    const char *name = NULL;

    if (shape->rank == RANK_UNKNOWN)
        return diag_help(context->diag, "give it with --shape '%s=...'; %s.", input->name, from);
    for (int i = 0; i < shape->rank; i++) {
        bool open = shape->extent[i] < 0;
        text_add(&asked, "%s%" PRId64, i ? "," : "", open ? 1 : shape->extent[i]);
        if (open && i < input->rank && input->dim[i].name)
            name = input->dim[i].name;
    }
    if (name)
        diag_help(context->diag,
                  "give them with --shape '%s=%s', or each by its name: --dim '%s=1'; %s, and "
                  "'bench' draws them: --dim '%s=1..8'.",
                  input->name, asked.data, name, from, name);
    else
        diag_help(context->diag, "give them with --shape '%s=%s'; %s.", input->name, asked.data,
                  from);
    text_free(&asked);
    return false;
}

bool open_report(struct context *context, const char *file, const struct open_input *input,
                 const struct shape *shape)
{
    if (shape->rank == RANK_UNKNOWN)
        diag_file_error(context->diag, file, DIAG_ONNX_UNKNOWN,
                        "input '%s' has a shape of unknown rank", input->name);
    else
        diag_file_error(context->diag, file, DIAG_ONNX_UNKNOWN,
                        "input '%s' has shape %s, with extents that are not known", input->name,
                        open_text_of(context, input, shape, ""));
    return open_help(context, input, shape);
}

/* --- a search for it in files ----------------------------------------------------------------- */

/* Of an extent with a name. */
struct found_extent {
    int64_t extent;
    const char *file, *input;
};

struct extent_search {
    struct context *context;
    struct onnx_import_options *options;
    struct onnx_extent *extents; /* all of the options; behind `given` those of files */
    struct shape_override *shapes;
    struct map found; /* struct found_extent, by name */
    int given;
};

static bool answers_to(const struct open_input *input, const char *name)
{
    return strcmp(input->name, name) == 0 || (input->other && strcmp(input->other, name) == 0);
}

/* --- which file ------------------------------------------------------------------------------- */

/* Of that name, else NULL. */
static const struct onnx_fed *file_by_name(const struct extent_search *f,
                                           const struct open_input *input)
{
    for (int i = 0; i < f->options->nfed; i++)
        if (f->options->fed[i].input && answers_to(input, f->options->fed[i].input))
            return &f->options->fed[i];
    return NULL;
}

/* The first file without a name from *next on, which goes behind it; NULL: there is none. */
static const struct onnx_fed *next_file(const struct extent_search *f, int *next)
{
    while (*next < f->options->nfed) {
        const struct onnx_fed *fed = &f->options->fed[(*next)++];
        if (!fed->input && !fed->all)
            return fed;
    }
    return NULL;
}

/* --- its shape -------------------------------------------------------------------------------- */

/* As far as the options and the model say it. */
static struct shape shape_so_far(const struct extent_search *f, const struct open_input *input)
{
    struct shape shape = {.rank = input->rank};

    for (int i = 0; i < input->rank; i++) {
        const struct open_dim *dim = &input->dim[i];
        shape.extent[i] = dim->extent;
        for (int k = 0; k < f->given && dim->name; k++)
            if (strcmp(f->extents[k].name, dim->name) == 0)
                shape.extent[i] = f->extents[k].extent;
    }
    return shape;
}

/* False after a report; *shape has RANK_UNKNOWN if no file tells it. */
static bool read_shape(const struct extent_search *f, const struct open_input *input,
                       const struct onnx_fed *fed, const struct shape *wanted, struct shape *shape)
{
    struct context *context = f->context;
    const struct image_options layout = {.layout = fed->channels_last ? IMAGE_NHWC : IMAGE_NCHW};
    struct data_request request = {
        .image = {&layout, wanted}, .limits = &context->limits, .budget = context_budget(context)};
    int before = diag_count(context->diag);

    request.array = fed->all ? input->name : NULL;
    request.optional = fed->all;
    if (!data_read_shape(context->diag, fed->file, &request, shape))
        return false;
    diag_take_back(context->diag, before); /* warnings, which feeding the file gives again */
    return true;
}

/* The first file that tells it: its own, else an archive for all. */
static bool find_shape(const struct extent_search *f, const struct open_input *input,
                       const struct onnx_fed **from, struct shape *shape)
{
    const struct shape wanted = shape_so_far(f, input);
    bool ok = true;

    shape->rank = RANK_UNKNOWN;
    if (*from)
        return read_shape(f, input, *from, &wanted, shape);
    for (int i = 0; ok && i < f->options->nfed && shape->rank == RANK_UNKNOWN; i++)
        if (f->options->fed[i].all) {
            *from = &f->options->fed[i];
            ok = read_shape(f, input, *from, &wanted, shape);
        }
    return ok;
}

/* --- its extents ------------------------------------------------------------------------------ */

/* Files that give one name different extents contradict each other. */
static bool take_named(struct extent_search *f, const struct open_input *input, const char *file,
                       const struct onnx_extent *extent)
{
    struct arena *arena = f->context->arena;
    const char *key = intern(f->context->names, extent->name, strlen(extent->name));
    const struct found_extent *other = map_get(&f->found, key);
    int count = f->options->nextent;

    if (other)
        return other->extent == extent->extent ||
               diag_file_error(f->context->diag, file, DIAG_DATA_SHAPE,
                               "extent '%s' of parameter '%s' is %" PRId64 ", but %" PRId64
                               " in '%s' for parameter '%s'",
                               extent->name, input->name, extent->extent, other->extent,
                               other->file, other->input);
    struct found_extent *found = arena_new_of(arena, struct found_extent);
    *found = (struct found_extent){extent->extent, file, input->name};
    map_set(&f->found, key, found);
    f->extents = arena_list(arena, f->extents, count, sizeof *f->extents);
    f->extents[count] = *extent;
    f->options->extents = f->extents;
    f->options->nextent++;
    return true;
}

/* The shape of an input whose open extents have no names. */
static void take_shape(struct extent_search *f, const struct open_input *input,
                       const struct shape *shape)
{
    int count = f->options->nshape;

    f->shapes = arena_list(f->context->arena, f->shapes, count, sizeof *f->shapes);
    f->shapes[count] = (struct shape_override){input->name, *shape};
    f->options->shapes = f->shapes;
    f->options->nshape++;
}

static bool is_open(const struct shape *shape)
{
    bool open = shape->rank == RANK_UNKNOWN;

    for (int i = 0; i < shape->rank; i++)
        open |= shape->extent[i] < 0;
    return open;
}

/* Take what is open from the file; false after a report. */
static bool take_extents(struct extent_search *f, const struct open_input *input, const char *file,
                         const struct shape *shape)
{
    struct shape declared = {.rank = input->rank}, whole = shape_so_far(f, input);
    bool named = true, ok = true;

    if (whole.rank == RANK_UNKNOWN) {
        take_shape(f, input, shape);
        return true;
    }
    for (int i = 0; i < input->rank; i++)
        declared.extent[i] = input->dim[i].extent;
    if (shape->rank != whole.rank)
        return diag_file_error(f->context->diag, file, DIAG_DATA_SHAPE,
                               "shape is %s, but parameter '%s' has shape %s", SHAPE_TEXT(shape),
                               input->name, open_text_of(f->context, input, &declared, ""));
    for (int i = 0; i < whole.rank; i++) {
        const struct onnx_extent extent = {input->dim[i].name, shape->extent[i]};
        if (whole.extent[i] >= 0)
            continue;
        whole.extent[i] = extent.extent;
        named &= extent.name != NULL;
        if (extent.name)
            ok &= take_named(f, input, file, &extent);
    }
    if (!named)
        take_shape(f, input, &whole);
    return ok;
}

/* --- all of them ------------------------------------------------------------------------------ */

static bool is_asked(const struct extent_search *f, const struct open_input *input)
{
    for (int i = 0; i < f->options->nshape; i++)
        if (answers_to(input, f->options->shapes[i].name))
            return true;
    return false;
}

/* Do all files with a name belong to an input?  False after a report, which says more than one of
 * extents that are open. */
static bool check_names(struct context *context, const struct open_input *inputs, int count,
                        const struct onnx_import_options *options)
{
    bool ok = true;

    for (int i = 0; i < options->nfed; i++) {
        const char *name = options->fed[i].input;
        struct nearest search = nearest_to(name ? name : "");
        bool found = !name;
        const char *near = NULL;
        for (int k = 0; k < count && !found; k++) {
            found = answers_to(&inputs[k], name);
            if (nearest_take(&search, inputs[k].name))
                near = inputs[k].name;
        }
        if (found)
            continue;
        ok = diag_file_error(context->diag, options->file, DIAG_INPUT_UNKNOWN,
                             "the model has no input '%s' for '%s'", name, options->fed[i].file);
        if (near)
            diag_help(context->diag, "did you mean '%s'?", near);
    }
    return ok;
}

static void copy_options(struct extent_search *f)
{
    struct arena *arena = f->context->arena;
    const struct onnx_import_options *options = f->options;

    for (int i = 0; i < options->nextent; i++) {
        f->extents = arena_list(arena, f->extents, i, sizeof *f->extents);
        f->extents[i] = options->extents[i];
    }
    for (int i = 0; i < options->nshape; i++) {
        f->shapes = arena_list(arena, f->shapes, i, sizeof *f->shapes);
        f->shapes[i] = options->shapes[i];
    }
    f->given = options->nextent;
}

bool fed_extents(struct context *context, const struct open_input *inputs, int count,
                 struct onnx_import_options *options)
{
    struct extent_search f = {.context = context, .options = options};
    bool ok = true, unfed = false;
    int next = 0;

    if (options->nfed == 0)
        return true;
    copy_options(&f);
    for (int i = 0; i < count; i++) {
        const struct open_input *input = &inputs[i];
        const struct onnx_fed *from = file_by_name(&f, input);
        struct shape so_far = shape_so_far(&f, input), shape;
        assert(input->rank <= MAX_RANK);
        from = from ? from : next_file(&f, &next);
        if (is_asked(&f, input) || !is_open(&so_far))
            continue;
        if (!find_shape(&f, input, &from, &shape))
            ok = false;
        else if (shape.rank != RANK_UNKNOWN)
            ok &= take_extents(&f, input, from->file, &shape);
        else
            unfed = true;
    }
    ok = ok && (!unfed || check_names(context, inputs, count, options));
    map_free(&f.found);
    return ok;
}
