/* list_ops.c - nnefc list-ops: the standard operations, and those that NNEF lacks */
#include "driver/load.h"
#include "driver/report.h"
#include "driver/verbs.h"

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

/* `before` is the operation before it, NULL for the first of a list. */
static struct record *op_record(const struct nnefc_op *op, const struct nnefc_op *before)
{
    struct record *record = record_new_object();
    bool extension = strcmp(op->library, "nnef") != 0;
    char name[32];
    int length = 0;

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
    struct record *borders = record_list(record, "borders");
    for (const char *at = op->borders; at && sscanf(at, "%31s%n", name, &length) == 1; at += length)
        record_text(borders, NULL, name);
    record_bool(record, ".extension", extension);
    record_text(record, ".title", op->title);
    if (!before || strcmp(op->section, before->section) != 0)
        record_print_to(record, ".heading", "%s%s %s", extension ? "Extension " : "", op->section,
                        op->title);
    record_bool(record, ".further", before || extension);
    return record;
}

/* A heading goes before the first of each section. */
static void add_ops(struct record_stream *stream, const struct nnefc_op_list *ops)
{
    for (int i = 0; i < ops->count; i++)
        stream_add(stream, op_record(ops->at[i], i ? ops->at[i - 1] : NULL));
}

struct list_ops_settings {
    struct command command;
    enum form form;
    enum nnefc_dialect dialect;
    bool extensions; /* those that NNEF lacks, too */
};

static enum nnefc_status list_ops_run(const void *settings)
{
    const struct list_ops_settings *s = settings;
    struct nnefc_catalogue *catalogue = nnefc_catalogue_new();
    struct record_stream stream = {.form = s->form, .view = &ops_view};

    stream_begin(&stream, NULL);
    add_ops(&stream, nnefc_catalogue_ops(catalogue, s->dialect));
    if (s->extensions)
        add_ops(&stream, nnefc_catalogue_extensions(catalogue));
    stream_end(&stream);
    nnefc_catalogue_free(catalogue);
    return stream_close(&stream) ? NNEFC_OK : NNEFC_INTERNAL;
}

#define FIELD(name) .field = offsetof(struct list_ops_settings, name)

static const struct option list_ops_options[] = {
    {"--std", NULL, "1.0|provisional", "operations of NNEF 1.0.5, or of the provisional text",
     .first_word = NNEFC_DIALECT_1_0, FIELD(dialect)},
    {"--extensions", NULL, NULL, "also those that NNEF lacks, which documents declare",
     FIELD(extensions)},
    {"--json", NULL, NULL, "print them as JSON", .set = set_json, FIELD(form)},
    {"--markdown", NULL, NULL, "print them as a document with headings", .set = set_markdown,
     FIELD(form)},
    {0},
};

const struct verb list_ops_verb = {
    .name = "list-ops",
    .purpose = "list the standard operations",
    .examples = "  nnefc list-ops                              declaration, kind, shape, borders\n"
                "  nnefc list-ops --std=provisional --json     those of the provisional text, as "
                "JSON\n",
    VERB_SETTINGS(list_ops, {.form = FORM_TEXT}),
    .groups = {{list_ops_options, 0, NULL}, {message_options, 0, NULL}},
    .run = list_ops_run,
};
