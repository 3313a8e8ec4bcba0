/* explain.c - nnefc explain: the codes of diagnostics, their rules and examples */
#include "driver/message.h"
#include "driver/record.h"
#include "driver/verb.h"

#include <stdio.h>
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
                "{wrong?\nWrong:\n\n```{.language}\n{wrong}```\n"
                "\nRight:\n\n```{.language}\n{right}```\n}",
    .json = JSON_LINES,
};

static bool begins_with(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

static bool is_whole_document(const char *example)
{
    return begins_with(example, "version") || begins_with(example, "graph") ||
           begins_with(example, "fragment");
}

/* What a reader has to know of the text around an example. */
static void add_example(struct record *to, const struct nnefc_explanation *e)
{
    const char *kind = NULL, *surroundings = "", *language = "nnef";

    switch (e->kind) {
    case NNEFC_EXAMPLE_DOCUMENT:
    case NNEFC_EXAMPLE_PEDANTIC:
    case NNEFC_EXAMPLE_RUN:
        kind = "document";
        if (!is_whole_document(e->wrong))
            surroundings = ", in a graph whose parameter x has the shape [1,4,8,8]";
        break;
    case NNEFC_EXAMPLE_QUANT:
        kind = "quantization";
        surroundings = ", in graph.quant";
        break;
    case NNEFC_EXAMPLE_COMMAND:
        kind = "command";
        language = "sh";
        break;
    case NNEFC_EXAMPLE_NONE:
        break;
    }
    record_text(to, "examples", kind);
    record_text(to, "wrong", e->wrong);
    record_text(to, "right", e->right);
    record_text(to, ".surroundings", surroundings);
    record_text(to, ".language", language);
}

static struct record *explanation_record(const struct nnefc_explanation *e, bool further)
{
    struct record *record = record_new_object();

    record_text(record, "code", e->code);
    record_text(record, "title", e->title);
    record_text(record, "section", strcmp(e->section, "-") == 0 ? NULL : e->section);
    record_text(record, "chapter", e->chapter);
    record_text(record, "text", e->text);
    add_example(record, e);
    record_bool(record, ".further", further);
    return record;
}

static enum form form_of(const struct settings *settings)
{
    return settings->json ? FORM_JSON : settings->markdown ? FORM_MARKDOWN : FORM_TEXT;
}

static enum nnefc_status list_codes(const struct settings *settings)
{
    struct record_stream stream = {.form = form_of(settings), .view = &list_view};
    const char *chapter = "";
    struct nnefc_explanation e;

    stream_begin(&stream, NULL);
    for (int i = 0; nnefc_explain_at(i, &e); i++) {
        struct record *record = explanation_record(&e, i > 0);
        if (strcmp(chapter, e.chapter) != 0)
            record_text(record, ".heading", e.chapter);
        chapter = e.chapter;
        stream_add(&stream, record);
    }
    stream_end(&stream);
    return stream_close(&stream) ? NNEFC_OK : NNEFC_INTERNAL;
}

static enum nnefc_status unknown_code(const struct settings *settings, const char *name)
{
    const char *names[CODE_MAX] = {NULL};
    struct nnefc_explanation e;

    for (int i = 0; i < CODE_MAX - 1 && nnefc_explain_at(i, &e); i++)
        names[i] = e.code;
    const char *nearest = nnefc_nearest(name, names);
    if (nearest)
        return usage_error(settings, "there is no code '%s'; did you mean '%s'?", name, nearest);
    return usage_error(settings, "there is no code '%s'; 'nnefc explain --list' lists them", name);
}

enum nnefc_status explain_run(const struct settings *settings)
{
    enum nnefc_status status = NNEFC_OK;
    struct nnefc_explanation e;

    if (settings->list || settings->markdown)
        return list_codes(settings);
    if (settings->nmodel == 0)
        return usage_error(settings, "'explain' needs a code, or --list; see 'nnefc help explain'");
    for (int i = 0; i < settings->nmodel; i++)
        if (!nnefc_explain(settings->models[i], &e))
            status = unknown_code(settings, settings->models[i]);
    for (int i = 0; i < settings->nmodel && status == NNEFC_OK; i++) {
        nnefc_explain(settings->models[i], &e);
        if (!record_print(explanation_record(&e, i > 0), form_of(settings), &code_view))
            status = NNEFC_INTERNAL;
    }
    return status;
}
