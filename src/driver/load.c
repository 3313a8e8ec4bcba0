/*
 * load.c - the options that say how a model is read, and reading it
 *
 * All commands for models have them. An option for one format is refused with a model of another,
 * unless the command reads several. The library reports names that the model lacks.
 */
#include "driver/load.h"

#include "driver/report.h"

#include <assert.h>
#include <string.h>

/* One -W: the name of a warning and what becomes of it. */
struct warning_setting {
    const char *name; /* NULL: every warning that is given */
    enum nnefc_warning_state state;
};

struct limit_setting {
    enum nnefc_limit limit;
    int64_t value;
};

/* --- setters ---------------------------------------------------------------------------------- */

/* NAME=N */
static bool set_limit(void *field, char *value)
{
    struct limit_setting *limit = field;
    char *number = cut_name(value);
    const char *name = number ? nnefc_limit_name(limit->limit) : NULL;

    while (name && strcmp(name, value) != 0) {
        limit->limit = (enum nnefc_limit)(limit->limit + 1);
        name = nnefc_limit_name(limit->limit);
    }
    return name && set_size(&limit->value, number);
}

/* NAME=1,3,... */
static bool set_shape(void *field, char *value)
{
    struct named_shape *shape = field;
    char *extents = cut_name(value);
    long long extent;

    shape->name = value;
    for (char *item; extents && (item = next_part(&extents, ','));)
        if (shape->rank < NNEFC_MAX_RANK && parse_integer(item, 0, INT64_MAX, &extent))
            shape->extent[shape->rank++] = extent;
        else
            return false;
    return shape->rank > 0;
}

/* NAME=N, or NAME=N..M, which are two extents */
static bool set_extent(void *field, char *value)
{
    struct named_shape *shape = field;
    char *dots = strstr(value, "..");

    if (!dots)
        return set_shape(field, value) && shape->rank == 1;
    dots[0] = ',';
    memmove(dots + 1, dots + 2, strlen(dots + 1));
    return set_shape(field, value) && shape->rank == 2 && shape->extent[0] <= shape->extent[1];
}

bool dim_range_at(const struct loading *loading, int index, struct dim_range *range)
{
    const struct named_shape *extents = loading->extents.item;

    if (index >= loading->extents.count || extents[index].rank != 2)
        return false;
    *range =
        (struct dim_range){extents[index].name, extents[index].extent[0], extents[index].extent[1]};
    return true;
}

bool set_open(void *field, char *value)
{
    struct nnefc_dynamic *item = field;
    char *colon = strchr(value, ':'), *equals = colon ? strchr(colon, '=') : NULL;

    if (!colon || !is_name(value, colon))
        return false;
    *colon = '\0';
    if (equals)
        *equals = '\0';
    item->parameter = value;
    item->name = equals ? equals + 1 : NULL;
    return set_count(&item->axis, colon + 1) &&
           (!item->name || is_name(item->name, strchr(item->name, '\0')));
}

bool set_dynamic(void *field, char *value)
{
    return set_open(field, value) && ((struct nnefc_dynamic *)field)->name;
}

bool set_binding(void *field, char *value)
{
    char *equals = strchr(value, '=');
    bool ok = equals && equals > value && equals[1];

    if (ok) {
        *equals = '\0';
        *(struct named_file *)field = (struct named_file){value, equals + 1};
    }
    return ok;
}

/* Moves *text behind the prefix if it is there. */
static bool skip_prefix(const char **text, const char *prefix)
{
    size_t size = strlen(prefix);
    bool there = strncmp(*text, prefix, size) == 0;

    *text += there ? size : 0;
    return there;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): as the table has it */
static bool set_warning(void *field, char *value)
{
    struct warning_setting *warning = field;
    const char *name = value;
    bool off = skip_prefix(&name, "no-");
    bool every = strcmp(name, "error") == 0;
    bool error = every || skip_prefix(&name, "error=");

    warning->name = every ? NULL : name;
    if (error)
        warning->state = off ? NNEFC_WARNING_NO_ERROR : NNEFC_WARNING_ERROR;
    else
        warning->state = off ? NNEFC_WARNING_OFF : NNEFC_WARNING_ON;
    return *name;
}

#define FIELD(name) .field = offsetof(struct loading, name)

const struct option loading_options[] = {
    {"--from", NULL, "nnef|onnx|graph|pnnx", "format of the model (by its first bytes)",
     FIELD(from), .first_word = NNEFC_FORMAT_NNEF},
    {"--std", NULL, "auto|1.0|provisional", "dialect; 'auto' goes by the ';' after the version",
     FIELD(dialect), .reads = FOR_NNEF},
    {"--shape", NULL, "NAME=1,3,...", "let this graph parameter have these extents",
     .expects = "a name and up to 8 extents from 0", .set = set_shape, FIELD(shapes),
     .item_size = sizeof(struct named_shape)},
    {"--dim", NULL, "NAME=N", "ONNX, PNNX: let extents of this name, such as 'batch', be N",
     .expects = "a name and a whole number from 0, or 'bench' a range such as 8..128",
     .set = set_extent, FIELD(extents), .item_size = sizeof(struct named_shape)},
    {"--bind", NULL, "NAME=FILE", "ONNX: make this input a constant with the items of FILE",
     .expects = "the name of an input and a file", .set = set_binding, FIELD(bindings),
     .item_size = sizeof(struct named_file)},
    {"--trust-shapes", NULL, NULL, "ONNX, PNNX: only warn where declared shapes are wrong",
     FIELD(trust_shapes), .reads = FOR_ONNX | FOR_PNNX},
    {"--expand", NULL, "all", "expand every compound operation by its body",
     .first_word = NNEFC_KEEP_NONE, FIELD(keep)},
    {"--bin", NULL, "FILE", "PNNX: weights (NAME.bin beside NAME.param)", .set = set_text,
     FIELD(bin), .reads = FOR_PNNX},
    {"--quant-file", NULL, "FILE", "quantization file (graph.quant beside the document)",
     .set = set_text, FIELD(quant_file), .reads = FOR_NNEF},
    {"--pedantic", NULL, NULL, "refuse what is otherwise tolerated with a warning",
     FIELD(pedantic)},
    {"--warn", "-W", "NAME|no-NAME|error[=NAME]",
     "turn on or off a warning, or 'all', or make it an error; see 'nnefc help warnings'",
     .set = set_warning, FIELD(warnings), .item_size = sizeof(struct warning_setting)},
    {"--error-limit", NULL, "N", "show N errors and count the others (20; 0: show all)",
     .expects = "a whole number from 0", .set = set_count, FIELD(error_limit)},
    {"--max-memory", NULL, "SIZE", "refuse models that need more memory (3/4 of the machine's)",
     .expects = "a whole number, perhaps with K, M, G or T", .set = set_size, FIELD(max_memory)},
    {"--limit", NULL, "NAME=N",
     "refuse models that exceed this limit: depth, steps, nodes, ...; see the manual",
     .expects = "the name of a limit and a whole number, perhaps with K, M, G or T",
     .set = set_limit, FIELD(limits), .item_size = sizeof(struct limit_setting)},
    {0},
};

const struct option console_options[] = {
    {"--color", NULL, "auto|always|never", "colours in diagnostics",
     .field = offsetof(struct command, colour)},
    {"--quiet", "-q", NULL, "print errors only", .field = offsetof(struct command, quiet)},
    {0},
};

/* --- do they agree ---------------------------------------------------------------------------- */

int loading_streams(const struct command *command, const struct loading *loading)
{
    int streams = is_standard(loading->data) + is_standard(loading->quant_file);

    for (int i = 0; i < command->operand_count; i++)
        if (i == 0 || i != command->target)
            streams += is_standard(command->operand[i]);
    return streams;
}

bool input_is_used_once(const struct command *command, int streams)
{
    if (streams > 1)
        usage_error(command, "standard input is used twice");
    return streams <= 1;
}

bool loading_agrees(const struct command *command, const struct loading *loading)
{
    enum { MAX_NAMES = 64 };
    const struct warning_setting *warnings = loading->warnings.item;
    const struct named_shape *shapes = loading->shapes.item, *extents = loading->extents.item;
    const char *names[MAX_NAMES] = {"all", "error"};
    bool ok = true;

    if (loading->warnings.count > 0) {
        struct nnefc_catalogue *catalogue = must_have(nnefc_catalogue_new());
        const struct nnefc_warning_list *known = nnefc_catalogue_warnings(catalogue);
        assert(known->count < MAX_NAMES - 3);
        for (int i = 0; i < known->count; i++)
            names[i + 2] = known->at[i]->name; /* which outlives the catalogue */
        nnefc_catalogue_free(catalogue);
    }
    for (int i = 0; i < loading->warnings.count; i++) {
        int at = 0;
        while (names[at] && warnings[i].name && strcmp(names[at], warnings[i].name) != 0)
            at++;
        /* "error" is no warning, but a name that suggestions know. */
        if (warnings[i].name && (!names[at] || at == 1))
            ok = usage_suggest(command, "there is no warning", warnings[i].name, names,
                               "help warnings") == NNEFC_OK;
    }
    for (int i = 0; i < loading->shapes.count && ok; i++)
        for (int k = 0; k < i && ok; k++)
            if (strcmp(shapes[i].name, shapes[k].name) == 0)
                ok = usage_error(command, "two shapes for '%s'", shapes[i].name) == NNEFC_OK;
    for (int i = 0; i < loading->extents.count && ok; i++)
        if (extents[i].rank == 2 && !loading->takes_ranges)
            ok = usage_error(command, "--dim %s=%lld..%lld is for 'bench', which draws extents",
                             extents[i].name, (long long)extents[i].extent[0],
                             (long long)extents[i].extent[1]) == NNEFC_OK;
    return ok && input_is_used_once(command, loading_streams(command, loading));
}

/* --- reading ---------------------------------------------------------------------------------- */

struct nnefc_model *prepare_model(const struct loading *loading)
{
    struct nnefc_model *model = new_model();
    const struct warning_setting *warnings = loading->warnings.item;
    const struct limit_setting *limits = loading->limits.item;
    const struct named_shape *shapes = loading->shapes.item;
    const struct nnefc_dynamic *opened = loading->opened.item;

    nnefc_model_set_format(model, loading->from);
    nnefc_model_set_dialect(model, loading->dialect);
    nnefc_model_set_pedantic(model, loading->pedantic);
    for (int i = 0; i < loading->warnings.count; i++)
        if (warnings[i].name)
            nnefc_model_set_warning(model, warnings[i].name, warnings[i].state);
        else
            nnefc_model_set_werror(model, warnings[i].state == NNEFC_WARNING_ERROR);
    nnefc_model_set_trust_shapes(model, loading->trust_shapes);
    nnefc_model_set_keep(model, loading->keep);
    nnefc_model_set_data_folder(model, loading->data);
    nnefc_model_set_weights_file(model, loading->bin);
    nnefc_model_set_quant_file(model, loading->quant_file);
    nnefc_model_set_quantization(model, (enum nnefc_quantization)loading->quantization);
    nnefc_model_set_check_data(model, loading->check_data);
    nnefc_model_set_force(model, loading->force);
    if (loading->error_limit >= 0)
        nnefc_model_set_error_limit(model, loading->error_limit);
    for (int i = 0; i < loading->limits.count; i++)
        nnefc_model_set_limit(model, limits[i].limit, limits[i].value);
    if (loading->max_memory >= 0)
        nnefc_model_set_limit(model, NNEFC_LIMIT_MEMORY, loading->max_memory);
    if (loading->half_memory)
        nnefc_model_set_limit(model, NNEFC_LIMIT_MEMORY,
                              nnefc_model_limit(model, NNEFC_LIMIT_MEMORY) / 2);
    for (int i = 0; i < loading->shapes.count; i++)
        nnefc_model_set_shape(model, shapes[i].name, shapes[i].rank, shapes[i].extent);
    for (int i = 0; i < loading->opened.count; i++)
        nnefc_model_set_open(model, opened[i].parameter, opened[i].axis, opened[i].name);
    if (loading->keeps_open)
        nnefc_model_keep_open(model);
    return model;
}

void load_prepared(const struct loading *loading, struct nnefc_model *model, const char *path)
{
    const struct named_shape *extents = loading->extents.item;
    const struct named_file *bindings = loading->bindings.item;
    const struct named_file *fed = loading->fed ? loading->fed->item : NULL;
    bool ok = true;

    assert(model && path);
    for (int i = 0; i < loading->extents.count; i++)
        if (extents[i].rank == 1)
            nnefc_model_set_extent(model, extents[i].name, extents[i].extent[0]);
    for (int i = 0; i < loading->bindings.count; i++)
        ok &= nnefc_model_bind_file(model, bindings[i].name, bindings[i].file) == NNEFC_OK;
    for (int i = 0; fed && i < loading->fed->count; i++)
        nnefc_model_set_input_file(model, fed[i].name, fed[i].file, loading->channels_last);
    if (ok)
        nnefc_model_load(model, path);
}

struct nnefc_model *load_model(const struct loading *loading, const char *path)
{
    struct nnefc_model *model = prepare_model(loading);

    load_prepared(loading, model, path);
    return model;
}

enum nnefc_status loaded_status(const struct command *command, const struct nnefc_model *model)
{
    enum nnefc_format format = nnefc_model_identity(model)->format;

    if (format != NNEFC_FORMAT_AUTO && /* else it could not even be opened */
        options_fit(command, format, command->operand[0], false) != NNEFC_OK)
        return NNEFC_USAGE;
    return nnefc_model_status(model);
}

/* --- options of two models -------------------------------------------------------------------- */

static bool has_input(const struct nnefc_model *model, const char *name)
{
    const struct nnefc_port_list *inputs = nnefc_model_inputs(model);
    bool has = false;

    for (int i = 0; i < inputs->count && !has; i++)
        has = strcmp(inputs->at[i]->name, name) == 0;
    return has;
}

static bool has_extent(const struct nnefc_model *model, const char *name)
{
    const struct nnefc_open_list *open = nnefc_model_open(model);
    bool has = false;

    for (int i = 0; i < open->count && !has; i++)
        has = open->at[i]->name && strcmp(open->at[i]->name, name) == 0;
    return has;
}

/* Whether a model has a name, and the size of items that begin with one. */
struct naming {
    bool (*has)(const struct nnefc_model *model, const char *name);
    size_t size;
};

/* The items for `model`: all but those of names that only `other` has. */
static struct option_list items_of(const struct option_list *list, const struct naming *naming,
                                   const struct nnefc_model *model, const struct nnefc_model *other)
{
    struct option_list own = {zeroed_items((size_t)list->count + 1, naming->size), 0};

    for (int i = 0; i < list->count; i++) {
        const char *item = (const char *)list->item + (size_t)i * naming->size, *name;
        memcpy(&name, item, sizeof name);
        if (!naming->has(model, name) && naming->has(other, name))
            continue;
        memcpy((char *)own.item + (size_t)own.count++ * naming->size, item, naming->size);
    }
    return own;
}

/* The model without what the options say about its inputs; its faults are not reported. */
static struct nnefc_model *load_open(const struct loading *loading, const char *path)
{
    const struct option_list none = {0};
    struct loading open = *loading;

    open.shapes = open.extents = open.bindings = none;
    open.fed = NULL;
    open.keeps_open = true;
    return is_standard(path) ? new_model() : load_model(&open, path);
}

void loading_split(const struct loading *both, const char *const path[2], struct loading each[2])
{
    static const struct naming shape = {has_input, sizeof(struct named_shape)},
                               extent = {has_extent, sizeof(struct named_shape)},
                               binding = {has_input, sizeof(struct named_file)};
    const bool any = both->shapes.count + both->extents.count + both->bindings.count > 0;
    struct nnefc_model *model[2];

    static_assert(offsetof(struct named_shape, name) == 0 && offsetof(struct named_file, name) == 0,
                  "items begin with their name");
    for (int i = 0; i < 2; i++)
        model[i] = any ? load_open(both, path[i]) : new_model();
    for (int i = 0; i < 2; i++) {
        each[i] = *both;
        each[i].shapes = items_of(&both->shapes, &shape, model[i], model[1 - i]);
        each[i].extents = items_of(&both->extents, &extent, model[i], model[1 - i]);
        each[i].bindings = items_of(&both->bindings, &binding, model[i], model[1 - i]);
    }
    nnefc_model_free(model[0]);
    nnefc_model_free(model[1]);
}

void loading_join(struct loading each[2])
{
    for (int i = 0; i < 2; i++) {
        free(each[i].shapes.item);
        free(each[i].extents.item);
        free(each[i].bindings.item);
    }
}

enum nnefc_status keeps_model(const struct command *command, struct nnefc_model *model,
                              const char *path, const char *out)
{
    if (!out || !nnefc_model_reads(model, out))
        return NNEFC_OK;
    return usage_error(command, "that would replace '%s', a file of '%s'; write to another place",
                       out, path);
}

/* --- help on warnings ------------------------------------------------------------------------- */

void warnings_print(void)
{
    puts("nnefc warnings - what -W turns on and off\n\n"
         "  -WNAME, -Wno-NAME         give this warning, or not\n"
         "  -Werror=NAME              give it as an error; -Wno-error=NAME: never as an error\n"
         "  -Wall, -Wno-all           give all, or none, but those named on their own\n"
         "  -Werror, -Wno-error       all that are given are errors, but those named on their own\n"
         "\nEach warning is printed with its name; those with * are given when asked for, or with\n"
         "--pedantic.\n");
    struct nnefc_catalogue *catalogue = must_have(nnefc_catalogue_new());
    const struct nnefc_warning_list *warnings = nnefc_catalogue_warnings(catalogue);
    for (int i = 0; i < warnings->count; i++) {
        const struct nnefc_warning *w = warnings->at[i];
        printf("  %s %c %-25s %s\n", w->code, w->on_by_default ? ' ' : '*', w->name, w->title);
    }
    nnefc_catalogue_free(catalogue);
}
