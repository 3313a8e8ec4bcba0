/* explain.c - nnefc explain: what the codes of diagnostics mean */
#include "driver/json_build.h"
#include "driver/message.h"
#include "driver/verb.h"

#include <stdio.h>
#include <string.h>

enum { SCREEN_WIDTH = 80, PAGE_WIDTH = 100, CODE_MAX = 256 };

/* --- text --------------------------------------------------------------------------------- */

/* The lines of `text` one by one: how long the first is, without its end. */
static size_t line_length(const char *text)
{
    return strcspn(text, "\n");
}

static const char *next_line(const char *text)
{
    text += line_length(text);
    return *text ? text + 1 : text;
}

/* Words as many as fit; one longer than the width has a line of its own. */
static void print_paragraph(const char *text, size_t size, size_t width)
{
    size_t column = 0;

    for (size_t at = 0, word; at < size; at += word + 1) {
        word = strcspn(text + at, " \n");
        bool fits = column > 0 && column + 1 + word < width;
        fputs(fits ? " " : column ? "\n" : "", stdout);
        printf("%.*s", (int)word, text + at);
        column = (fits ? column + 1 : 0) + word;
    }
    putchar('\n');
}

static void print_paragraphs(const char *text, size_t width)
{
    for (; *text; text = next_line(text))
        print_paragraph(text, line_length(text), width);
}

static void print_indented(const char *text)
{
    for (; *text; text = next_line(text))
        printf("    %.*s\n", (int)line_length(text), text);
}

static bool begins_with(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* What a reader has to know of the text around an example. */
static const char *surroundings(enum nnefc_example kind, const char *example)
{
    bool whole = begins_with(example, "version") || begins_with(example, "graph") ||
                 begins_with(example, "fragment");

    switch (kind) {
    case NNEFC_EXAMPLE_DOCUMENT:
    case NNEFC_EXAMPLE_PEDANTIC:
    case NNEFC_EXAMPLE_RUN:
        return whole ? "" : ", in a graph whose parameter x has the shape [1,4,8,8]";
    case NNEFC_EXAMPLE_QUANT:
        return ", in graph.quant";
    case NNEFC_EXAMPLE_COMMAND:
    case NNEFC_EXAMPLE_NONE:
        break;
    }
    return "";
}

static void print_text(const struct nnefc_explanation *e)
{
    printf("%s: %s", e->code, e->title);
    if (strcmp(e->section, "-") != 0)
        printf(" (NNEF 1.0.5, section %s)", e->section);
    fputs("\n\n", stdout);
    print_paragraphs(e->text, SCREEN_WIDTH);
    if (!e->wrong)
        return;
    printf("\nWrong%s:\n\n", surroundings(e->kind, e->wrong));
    print_indented(e->wrong);
    fputs("\nRight:\n\n", stdout);
    print_indented(e->right);
}

static void print_line(const struct nnefc_explanation *e)
{
    printf("%s  %s\n", e->code, e->title);
}

/* --- Markdown ------------------------------------------------------------------------------ */

static void print_markdown_example(enum nnefc_example kind, const char *what, const char *example)
{
    printf("\n%s:\n\n```%s\n%s```\n", what, kind == NNEFC_EXAMPLE_COMMAND ? "sh" : "nnef", example);
}

static void print_markdown(const struct nnefc_explanation *e)
{
    printf("\n### %s %s", e->code, e->title);
    if (strcmp(e->section, "-") != 0)
        printf(" (%s)", e->section);
    fputs("\n\n", stdout);
    print_paragraphs(e->text, PAGE_WIDTH);
    if (!e->wrong)
        return;
    print_markdown_example(e->kind, "Wrong", e->wrong);
    print_markdown_example(e->kind, "Right", e->right);
}

/* --- JSON --------------------------------------------------------------------------------- */

static const char *kind_name(enum nnefc_example kind)
{
    switch (kind) {
    case NNEFC_EXAMPLE_NONE:
        return NULL;
    case NNEFC_EXAMPLE_DOCUMENT:
    case NNEFC_EXAMPLE_PEDANTIC:
    case NNEFC_EXAMPLE_RUN:
        return "document";
    case NNEFC_EXAMPLE_QUANT:
        return "quantization";
    case NNEFC_EXAMPLE_COMMAND:
        return "command";
    }
    return NULL;
}

static json_t *explanation_json(const struct nnefc_explanation *e)
{
    const char *section = strcmp(e->section, "-") == 0 ? NULL : e->section;

    return json_pack("{s:s, s:s, s:s?, s:s, s:s, s:s?, s:s?, s:s?}", "code", e->code, "title",
                     e->title, "section", section, "chapter", e->chapter, "text", e->text,
                     "examples", kind_name(e->kind), "wrong", e->wrong, "right", e->right);
}

/* --- all of them --------------------------------------------------------------------------- */

static bool list_json(void)
{
    struct nnefc_explanation e;
    json_t *list = json_array();

    for (int i = 0; nnefc_explain_at(i, &e); i++)
        json_add(&list, explanation_json(&e));
    return json_print(list, JSON_INDENT(2));
}

static void list_text(bool markdown)
{
    struct nnefc_explanation e;
    const char *chapter = "";

    for (int i = 0; nnefc_explain_at(i, &e); i++) {
        if (strcmp(chapter, e.chapter) != 0)
            printf("%s%s%s\n%s", i > 0 ? "\n" : "", markdown ? "## " : "", e.chapter,
                   markdown ? "" : "\n");
        chapter = e.chapter;
        if (markdown)
            print_markdown(&e);
        else
            print_line(&e);
    }
}

static enum nnefc_status list(const struct settings *settings)
{
    if (settings->json)
        return list_json() ? NNEFC_OK : NNEFC_INTERNAL;
    list_text(settings->markdown);
    return NNEFC_OK;
}

/* --- the ones asked for -------------------------------------------------------------------- */

static enum nnefc_status unknown(const struct settings *settings, const char *name)
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
        return list(settings);
    if (settings->nmodel == 0)
        return usage_error(settings, "'explain' needs a code, or --list; see 'nnefc help explain'");
    for (int i = 0; i < settings->nmodel; i++)
        if (!nnefc_explain(settings->models[i], &e))
            status = unknown(settings, settings->models[i]);
    for (int i = 0; i < settings->nmodel && status == NNEFC_OK; i++) {
        nnefc_explain(settings->models[i], &e);
        if (settings->json && !json_print(explanation_json(&e), JSON_COMPACT))
            return NNEFC_INTERNAL;
        if (settings->json)
            continue;
        fputs(i > 0 ? "\n" : "", stdout);
        print_text(&e);
    }
    return status;
}
