/*
 * explain.c - nnefc explain: the codes of diagnostics, their rules and examples
 *
 * The texts are those of docs/diagnostics/explain.txt, which the library has built in.
 */
#include "driver/load.h"
#include "driver/report.h"

#include <assert.h>
#include <string.h>

enum { CODE_MAX = 256 };

static const struct view code_view = {
    .text = "{.further?\n}{code}: {title}{section? (NNEF 1.0.5, section {section})}\n\n"
            "{text:wrap80}"
            "{wrong?\nWrong{.surroundings}:\n\n{wrong:indent}\nRight:\n\n{right:indent}}",
    .json = JSON_DENSE,
};

static const struct view list_view = {
    .text = "{.heading?{.further?\n}{.heading}\n\n}{code}  {title}\n",
    .markdown = "{.heading?{.further?\n}## {.heading}\n}"
                "\n### {code} {title}{section? ({section})}\n\n{text:wrap100}"
                "{wrong?\nWrong:\n\n```{.language}\n{wrong:lines}```\n"
                "\nRight:\n\n```{.language}\n{right:lines}```\n}",
    .json = JSON_LINES,
};

/* Is `word` the first of the text? */
static bool begins_with(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

static const char in_a_graph[] = ", in a graph whose parameter x has the shape [1,4,8,8]";

/* What an example is, which text surrounds it, as the reader has to know, and its language. */
static const struct {
    const char *kind, *surroundings, *language;
} examples[] = {
    [NNEFC_EXAMPLE_NONE] = {NULL, "", "nnef"},
    [NNEFC_EXAMPLE_DOCUMENT] = {"document", in_a_graph, "nnef"},
    [NNEFC_EXAMPLE_PEDANTIC] = {"document", in_a_graph, "nnef"},
    [NNEFC_EXAMPLE_WALL] = {"document", in_a_graph, "nnef"},
    [NNEFC_EXAMPLE_RUN] = {"document", in_a_graph, "nnef"},
    [NNEFC_EXAMPLE_QUANT] = {"quantization", ", in graph.quant", "nnef"},
    [NNEFC_EXAMPLE_PNNX] = {"pnnx", ", in net.pnnx.param", "text"},
    [NNEFC_EXAMPLE_CLIENT] = {"client", ", in a client of the library", "c"},
    [NNEFC_EXAMPLE_COMMAND] = {"command", "", "sh"},
};

/* `further`: a blank line separates it from the one before it. */
static struct record *explanation_record(const struct nnefc_explanation *e, bool further)
{
    struct record *record = record_new_object();
    const char *surroundings = examples[e->kind].surroundings;

    if (surroundings == in_a_graph &&
        (begins_with(e->wrong, "version") || begins_with(e->wrong, "graph") ||
         begins_with(e->wrong, "fragment")))
        surroundings = ""; /* it is a whole document */
    assert(e->code && e->section);
    record_text(record, "code", e->code);
    record_text(record, "title", e->title);
    record_text(record, "section", strcmp(e->section, "-") == 0 ? NULL : e->section);
    record_text(record, "chapter", e->chapter);
    record_text(record, "text", e->text);
    record_text(record, "examples", examples[e->kind].kind);
    record_text(record, "wrong", e->wrong);
    record_text(record, "right", e->right);
    record_text(record, ".surroundings", surroundings);
    record_text(record, ".language", examples[e->kind].language);
    record_bool(record, ".further", further);
    return record;
}

struct explain_settings {
    struct command command;
    bool list;
};

static enum nnefc_status explain_run(const void *settings)
{
    const struct explain_settings *s = settings;
    const struct command *command = &s->command;
    const char *const *code = command->operand, *names[CODE_MAX] = {NULL};
    struct nnefc_catalogue *catalogue = must_have(nnefc_catalogue_new());
    const struct nnefc_explanation_list *all = nnefc_catalogue_explanations(catalogue);
    struct record_stream stream = {.form = command->form, .view = &list_view};
    bool lists = s->list || command->form == FORM_MARKDOWN;
    const char *chapter = "";
    enum nnefc_status status = NNEFC_OK;

    if (s->list && *code) {
        nnefc_catalogue_free(catalogue);
        return usage_error(command, "--list lists all codes, so that '%s' has no effect", *code);
    }
    for (int i = 0; i < CODE_MAX - 1 && i < all->count; i++)
        names[i] = all->at[i]->code;
    if (lists)
        stream_begin(&stream, NULL);
    for (int i = 0; i < all->count && lists; i++) {
        const struct nnefc_explanation *e = all->at[i];
        struct record *record = explanation_record(e, i > 0);
        if (strcmp(chapter, e->chapter) != 0) /* the first of a chapter has a heading */
            record_text(record, ".heading", e->chapter);
        chapter = e->chapter;
        stream_add(&stream, record);
    }
    if (lists)
        stream_close(&stream);
    if (!lists && !*code)
        status =
            usage_error(command, "'explain' needs a code, or --list; see 'nnefc help explain'");
    for (int i = 0; code[i] && !lists; i++)
        if (!nnefc_catalogue_explain(catalogue, code[i]))
            status = usage_suggest(command, "there is no code", code[i], names, "explain --list");
    for (int i = 0; code[i] && !lists && status == NNEFC_OK; i++) {
        const struct nnefc_explanation *e = nnefc_catalogue_explain(catalogue, code[i]);
        record_print(explanation_record(e, i > 0), command->form, &code_view);
    }
    nnefc_catalogue_free(catalogue);
    return status;
}

static const struct option explain_options[] = {
    {"--list", NULL, NULL, "list all codes", .field = offsetof(struct explain_settings, list)},
    FORM_OPTION("--json", FORM_JSON, "print them as JSON"),
    FORM_OPTION("--markdown", FORM_MARKDOWN, "print all of them as a document with headings"),
    {0},
};

const struct verb explain_verb = {
    .name = "explain",
    .purpose = "say what the code of a diagnostic means",
    .examples = "  nnefc explain N0142                         the rule, its reason, wrong and "
                "right\n"
                "  nnefc explain --list                        all codes with their titles\n",
    .operands = OPERANDS_FREE,
    .usage = "CODE...",
    VERB_SETTINGS(explain, {.list = false}),
    .groups = {{explain_options, 0, NULL}, {message_options, 0, NULL}},
    .run = explain_run,
};
