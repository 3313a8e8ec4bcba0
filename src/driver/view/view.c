/*
 * view.c - nnefc view: a picture of a model, as an interactive page or for other programs
 *
 * The whole file is made in memory first, and the library writes it whole or not at all.
 */
#include "driver/load.h"
#include "driver/path.h"
#include "driver/report.h"
#include "driver/view/drawing.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum view_format {
    VIEW_BY_NAME,
    VIEW_HTML,
    VIEW_SVG,
    VIEW_DOT,
    VIEW_MERMAID,
    VIEW_JSON,
};

enum view_weights { WEIGHTS_NONE, WEIGHTS_STATS };

struct view_settings {
    struct command command;
    struct loading loading;
    struct rewriting rewriting;
    const char *target, *overlay, *report;
    enum view_format format;
    bool plan;
    enum view_weights weights;
};

/* The format that the name of the file means; false after a message if it means none. */
static bool find_format(const struct command *command, const char *path, enum view_format *format)
{
    static const struct {
        const char *suffix;
        enum view_format format;
    } suffixes[] = {{".html", VIEW_HTML}, {".htm", VIEW_HTML},        {".svg", VIEW_SVG},
                    {".dot", VIEW_DOT},   {".gv", VIEW_DOT},          {".mmd", VIEW_MERMAID},
                    {".json", VIEW_JSON}, {".mermaid", VIEW_MERMAID}, {NULL, VIEW_BY_NAME}};
    int i = 0;

    if (*format != VIEW_BY_NAME)
        return true;
    while (suffixes[i].suffix && !path_ends_in(path, suffixes[i].suffix))
        i++;
    *format = suffixes[i].format;
    if (*format == VIEW_BY_NAME)
        usage_error(command,
                    "the name '%s' decides no format, expected .html, .svg, .dot, .mmd or .json; "
                    "or write --format=html",
                    path);
    return *format != VIEW_BY_NAME;
}

static void write_drawing(FILE *to, const struct drawing *drawing, enum view_format format)
{
    switch (format) {
    case VIEW_HTML:
        html_write(to, drawing);
        return;
    case VIEW_SVG:
        svg_write(to, drawing);
        return;
    case VIEW_DOT:
        dot_write(to, drawing);
        return;
    case VIEW_MERMAID:
        mermaid_write(to, drawing);
        return;
    case VIEW_JSON:
        json_write(to, drawing);
        return;
    case VIEW_BY_NAME:
        break;
    }
    assert(format != VIEW_BY_NAME);
}

/* Gather what is asked for; false after a report. */
static bool add_facts(const struct view_settings *s, struct nnefc_model *model,
                      struct drawing *drawing)
{
    if (s->plan && !planned_new(&drawing->plan, model, &drawing->of[0].net))
        return false;
    if (s->weights == WEIGHTS_STATS) {
        drawing->weights = weights_read(model, &drawing->of[0].net);
        return drawing->weights;
    }
    return true;
}

static enum nnefc_status write_text(const struct view_settings *s, struct nnefc_model *model,
                                    const struct drawing *drawing)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = must_have(open_memstream(&text, &size));

    write_drawing(memory, drawing, s->format);
    if (fclose(memory) != 0)
        end_without_memory();
    enum nnefc_status status = nnefc_model_write_text(model, s->target, text, size);
    free(text);
    return status;
}

/* What files of other commands say, which the drawing has already, is freed by the caller. */
static enum nnefc_status draw_models(const struct view_settings *s,
                                     struct nnefc_model *const *model, struct drawing *drawing)
{
    drawing->title = nnefc_model_name(model[0]);
    for (int i = 0; i < s->command.operand_count; i++)
        drawing->of[drawing->models++] = s->command.operand_count > 1
                                             ? drawn_new(model[i], i ? "B" : "A", "ab"[i])
                                             : drawn_new(model[i], NULL, '\0');
    if (s->overlay && s->command.operand_count == 1)
        overlay_check(&s->command, drawing->overlay, &drawing->of[0].net);
    enum nnefc_status status = add_facts(s, model[0], drawing) ? write_text(s, model[0], drawing)
                                                               : model_failure(model[0]);
    drawing_free(drawing);
    return status;
}

/* False after a message: options for pages, and for one model. */
static bool forms_agree(const struct view_settings *s)
{
    const bool page = s->format == VIEW_HTML || s->format == VIEW_JSON;
    const char *one = s->plan ? "--plan" : s->weights ? "--weights" : NULL;
    const char *option = one ? one : s->overlay ? "--overlay" : s->report ? "--report" : NULL;

    if (option && !page)
        usage_error(&s->command, "%s is for pages and JSON", option);
    else if (s->command.operand_count > 2)
        usage_error(&s->command, "'view' draws two models at most");
    else if (s->command.operand_count == 2 && !page)
        usage_error(&s->command, "two models are for pages and JSON");
    else if (s->command.operand_count == 2 && one)
        usage_error(&s->command, "%s is for one model", one);
    else
        return true;
    return false;
}

/* False after a message: what is drawn would replace the findings. */
static bool keeps_files(const struct view_settings *s)
{
    const char *lost = s->report && path_same(s->report, s->target)     ? s->report
                       : s->overlay && path_same(s->overlay, s->target) ? s->overlay
                                                                        : NULL;

    if (lost)
        usage_error(&s->command, "that would replace '%s'; write to another place", lost);
    return !lost;
}

/* Both are loaded before anything is drawn, so that all faults of both are reported. */
static enum nnefc_status view_models(const struct view_settings *s, struct drawing *drawing)
{
    struct nnefc_model *model[2] = {NULL, NULL};
    struct loading each[2] = {s->loading, s->loading};
    enum nnefc_status status = NNEFC_OK;

    if (s->command.operand_count > 1)
        loading_split(&s->loading, s->command.operand, each);
    for (int i = 0; i < s->command.operand_count; i++) {
        each[i].half_memory = s->command.operand_count > 1;
        model[i] = load_closed(&s->command, &each[i], s->command.operand[i]);
        rewrite_model(&s->rewriting, model[i]);
        enum nnefc_status loaded = loaded_status(&s->command, model[i]);
        status = loaded > status ? loaded : status;
    }
    for (int i = 0; i < s->command.operand_count && status == NNEFC_OK && !s->loading.force; i++)
        status = keeps_model(&s->command, model[i], s->command.operand[i], s->target);
    if (status == NNEFC_OK)
        status = draw_models(s, model, drawing);
    for (int i = 0; i < s->command.operand_count; i++)
        close_model(&s->command, model[i]);
    if (s->command.operand_count > 1)
        loading_join(each);
    return status;
}

static enum nnefc_status view_run(const void *settings)
{
    struct view_settings s = *(const struct view_settings *)settings;
    const struct command *command = &s.command;

    if (!s.target)
        return usage_error(command, "'view' needs a file to write, -o FILE.html");
    if (!loading_agrees(command, &s.loading) || !rewriting_agrees(command, &s.rewriting) ||
        !find_format(command, s.target, &s.format))
        return NNEFC_USAGE;
    if (!path_is_writable(s.target, false))
        return file_error(command, s.target, strerror(errno));
    if (!forms_agree(&s) || !keeps_files(&s))
        return NNEFC_USAGE;
    char *overlay = s.overlay ? overlay_read(command, s.overlay) : NULL;
    char *findings = s.report ? findings_read(command, s.report) : NULL;
    struct drawing drawing = {.overlay = overlay, .findings = findings};
    enum nnefc_status status =
        (s.overlay && !overlay) || (s.report && !findings) ? NNEFC_FILE : view_models(&s, &drawing);
    free(overlay);
    free(findings);
    return status;
}

#define FIELD(name) .field = offsetof(struct view_settings, name)

static const struct option view_options[] = {
    {"--output", "-o", "FILE", "the file to write: .html, .svg, .dot, .mmd, .json; or - (stdout)",
     .set = set_text, FIELD(target)},
    {"--format", NULL, "html|svg|dot|mermaid|json", "format of FILE (by its name)",
     .first_word = VIEW_HTML, FIELD(format)},
    {"--plan", NULL, NULL,
     "also show the steps of a run: the operations that each computes, and its kernel",
     FIELD(plan)},
    {"--weights", NULL, "none|stats", "also show statistics of the data of variables",
     FIELD(weights)},
    {"--overlay", NULL, "FILE",
     "colour operations by numbers: {\"unit\":\"ms\",\"values\":{\"relu1\":0.41}}", .set = set_text,
     FIELD(overlay)},
    {"--report", NULL, "FILE.json",
     "show what --json of bench, diff or compare --layers=all printed", .set = set_text,
     FIELD(report)},
    DATA_OPTION(offsetof(struct view_settings, loading)),
    QUANT_OPTION(offsetof(struct view_settings, loading), "off"),
    FORCE_OPTION(offsetof(struct view_settings, loading)),
    {0},
};

const struct verb view_verb = {
    .name = "view",
    .purpose = "draw a model as an interactive page, or as SVG, dot or mermaid",
    .examples = "  nnefc view model/ -o net.html               a page in one file\n"
                "  nnefc view model.onnx -o net.svg\n"
                "  nnefc view a/ b/ --report diff.json -o diff.html\n"
                "                                          what diff --json found, later\n"
                "  nnefc view net.param -o - --format=dot | dot -Tpdf >net.pdf\n",
    .operands = OPERANDS_MODELS,
    .usage = "MODEL [B]",
    VERB_SETTINGS(view, {.loading = LOADING_DEFAULTS}),
    .groups = {{view_options, 0, NULL},
               {pass_options, offsetof(struct view_settings, rewriting), PASS_TITLE},
               MODEL_GROUPS(view)},
    .run = view_run,
};
