/* list_ops.c - nnefc list-ops: the standard operations, those that NNEF lacks, those of ONNX */
#include "driver/load.h"
#include "driver/report.h"

#include <string.h>

static const struct view ops_view = {
    .text = "{declaration}\n"
            "    {.kind}; {.extension?extension, {.title}}"
            "{.extension!section {section}; since {since}}\n"
            "    shape: {shape}\n{borders?    borders:{borders* {}}\n}",
    .markdown = "{.heading?{.further?\n}## {.heading}\n}"
                "\n### {name}\n\n    {declaration}\n\n"
                "- {.kind}{.extension!, since {since}}\n"
                "- shape: {shape}\n{borders?- borders:{borders* {}}\n}",
    .json = JSON_LINES,
};

static const char *const kind_names[] = {[NNEFC_OP_PRIMITIVE] = "primitive",
                                         [NNEFC_OP_KEPT] = "compound, kept",
                                         [NNEFC_OP_EXPANDED] = "compound, expanded"};

/* A heading goes before the first operation of each section. */
static void add_ops(struct record_stream *stream, const struct nnefc_op_list *ops)
{
    const char *section = "";
    char name[32];
    int length = 0;

    for (int i = 0; i < ops->count; i++) {
        const struct nnefc_op *op = ops->at[i];
        struct record *record = record_new_object();
        bool extension = strcmp(op->library, "nnef") != 0;
        record_text(record, "name", op->name);
        record_text(record, "library", op->library);
        record_text(record, "declaration", op->declaration);
        record_text(record, "kind", op->kind == NNEFC_OP_PRIMITIVE ? "primitive" : "compound");
        record_text(record, ".kind", kind_names[op->kind]);
        record_bool(record, "kept", op->kind == NNEFC_OP_KEPT);
        record_bool(record, "executable", op->executable);
        record_text(record, "section", op->section);
        record_text(record, "since", op->since);
        record_text(record, "shape", op->shape);
        /* Borders are words, with blanks between them. */
        struct record *borders = record_list(record, "borders");
        for (const char *at = op->borders; at && sscanf(at, "%31s%n", name, &length) == 1;
             at += length)
            record_text(borders, NULL, name);
        record_bool(record, ".extension", extension);
        record_text(record, ".title", op->title);
        if (strcmp(op->section, section) != 0)
            record_print_to(record, ".heading", "%s%s %s", extension ? "Extension " : "",
                            op->section, op->title);
        record_bool(record, ".further", i > 0 || extension);
        section = op->section;
        stream_add(stream, record);
    }
}

/* --- operators of ONNX -------------------------------------------------------------------- */

static const struct view onnx_view = {
    .text = "{.all!{type}}{.all?all others} ({domain}): {.what}{by?{.quote}{by}{.quote}}"
            "{limit?, if {limit}}\n",
    .markdown = "{.heading?{.further?\n}## {.heading}\n\n"
                "| operator | imported | if |\n|---|---|---|\n}"
                "| {.all!{type}}{.all?all} | {.what}{by?{.quote}{by}{.quote}} "
                "| {limit?{limit} }|\n",
    .json = JSON_LINES,
};

static const char *const how_names[] = {[NNEFC_ONNX_OPERATION] = "operation",
                                        [NNEFC_ONNX_FRAGMENT] = "fragment",
                                        [NNEFC_ONNX_FUNCTION] = "function",
                                        [NNEFC_ONNX_MISSING] = "missing",
                                        [NNEFC_ONNX_REFUSED] = "refused"};

static const char *const what_names[] = {[NNEFC_ONNX_OPERATION] = "operation ",
                                         [NNEFC_ONNX_FRAGMENT] = "fragment ",
                                         [NNEFC_ONNX_FUNCTION] = "function ",
                                         [NNEFC_ONNX_MISSING] = "not so far",
                                         [NNEFC_ONNX_REFUSED] = "no: "};

/* A heading goes before the first operator of each domain. */
static void add_onnx(struct record_stream *stream, const struct nnefc_onnx_operator_list *list)
{
    const char *domain = "";

    for (int i = 0; i < list->count; i++) {
        const struct nnefc_onnx_operator *o = list->at[i];
        struct record *record = record_new_object();
        record_text(record, "type", o->type);
        record_text(record, "domain", o->domain);
        record_text(record, "how", how_names[o->how]);
        record_text(record, "by", o->by);
        record_text(record, "limit", o->limit);
        record_bool(record, ".all", !o->type);
        record_text(record, ".what", what_names[o->how]);
        record_text(record, ".quote", o->how < NNEFC_ONNX_MISSING ? "`" : "");
        record_bool(record, ".further", i > 0);
        if (strcmp(o->domain, domain) != 0)
            record_text(record, ".heading", o->domain);
        domain = o->domain;
        stream_add(stream, record);
    }
}

/* --- the command -------------------------------------------------------------------------- */

struct list_ops_settings {
    struct command command;
    enum nnefc_dialect dialect;
    bool extensions; /* those that NNEF lacks, too */
    bool onnx;       /* operators of ONNX instead */
};

static enum nnefc_status list_ops_run(const void *settings)
{
    const struct list_ops_settings *s = settings;
    struct nnefc_catalogue *catalogue;
    struct record_stream stream = {.form = s->command.form,
                                   .view = s->onnx ? &onnx_view : &ops_view};

    if (s->onnx && (s->extensions || s->dialect != NNEFC_DIALECT_AUTO))
        return usage_error(&s->command, "--onnx lists other operators than %s",
                           s->extensions ? "--extensions" : "--std");
    catalogue = must_have(nnefc_catalogue_new());
    stream_begin(&stream, NULL);
    if (s->onnx)
        add_onnx(&stream, nnefc_catalogue_onnx_operators(catalogue));
    else
        add_ops(&stream, nnefc_catalogue_ops(catalogue, s->dialect));
    if (s->extensions)
        add_ops(&stream, nnefc_catalogue_extensions(catalogue));
    nnefc_catalogue_free(catalogue);
    stream_close(&stream);
    return NNEFC_OK;
}

#define FIELD(name) .field = offsetof(struct list_ops_settings, name)

static const struct option list_ops_options[] = {
    {"--std", NULL, "1.0|provisional", "operations of NNEF 1.0.5, or of the provisional text",
     .first_word = NNEFC_DIALECT_1_0, FIELD(dialect)},
    {"--extensions", NULL, NULL, "also those that NNEF lacks, which documents declare",
     FIELD(extensions)},
    {"--onnx", NULL, NULL, "operators of ONNX instead, and what becomes of each", FIELD(onnx)},
    FORM_OPTION("--json", FORM_JSON, "print them as JSON"),
    FORM_OPTION("--markdown", FORM_MARKDOWN, "print them as a document with headings"),
    {0},
};

const struct verb list_ops_verb = {
    .name = "list-ops",
    .purpose = "list the standard operations",
    .examples =
        "  nnefc list-ops                              declaration, kind, shape, borders\n"
        "  nnefc list-ops --std=provisional --json     those of the provisional text, as "
        "JSON\n"
        "  nnefc list-ops --onnx                       how each operator of ONNX is imported\n",
    VERB_SETTINGS(list_ops, {.extensions = false}),
    .groups = {{list_ops_options, 0, NULL}, {message_options, 0, NULL}},
    .run = list_ops_run,
};
