/* list_ops.c - nnefc list-ops: the standard operations */
#include "driver/json_build.h"
#include "driver/verb.h"

#include <stdio.h>
#include <string.h>

static const char *kind_name(enum nnefc_op_kind kind)
{
    switch (kind) {
    case NNEFC_OP_PRIMITIVE:
        return "primitive";
    case NNEFC_OP_KEPT:
        return "compound, kept";
    case NNEFC_OP_EXPANDED:
        return "compound, expanded";
    }
    return NULL;
}

/* It is none of NNEF. */
static bool is_extension(const struct nnefc_op *op)
{
    return strcmp(op->library, "nnef") != 0;
}

/* --- text --------------------------------------------------------------------------------- */

static void print_op(const struct nnefc_op *op)
{
    printf("%s\n", op->declaration);
    if (is_extension(op))
        printf("    %s; extension, %s\n", kind_name(op->kind), op->title);
    else
        printf("    %s; section %s; since %s\n", kind_name(op->kind), op->section, op->since);
    printf("    shape: %s\n", op->shape);
    if (op->borders)
        printf("    borders: %s\n", op->borders);
}

static void print_text(const struct nnefc_ops *ops)
{
    for (int i = 0; i < nnefc_ops_count(ops); i++)
        print_op(nnefc_ops_at(ops, i));
}

/* --- JSON --------------------------------------------------------------------------------- */

static json_t *op_json(const struct nnefc_op *op)
{
    bool primitive = op->kind == NNEFC_OP_PRIMITIVE;
    json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:b, s:b, s:s, s:s, s:s}", "name", op->name,
                               "library", op->library, "declaration", op->declaration, "kind",
                               primitive ? "primitive" : "compound", "kept",
                               op->kind == NNEFC_OP_KEPT, "executable", op->executable, "section",
                               op->section, "since", op->since, "shape", op->shape);
    json_t *borders = json_array();
    size_t size;

    for (const char *at = op->borders; at && *at; at += size + (at[size] == ' ')) {
        size = strcspn(at, " ");
        json_add(&borders, json_stringn(at, size));
    }
    json_set(&object, "borders", borders);
    return object;
}

static void add_json(json_t **list, const struct nnefc_ops *ops)
{
    for (int i = 0; i < nnefc_ops_count(ops); i++)
        json_add(list, op_json(nnefc_ops_at(ops, i)));
}

/* One list of both. */
static bool print_json(const struct nnefc_ops *ops, const struct nnefc_ops *more)
{
    json_t *list = json_array();

    add_json(&list, ops);
    add_json(&list, more);
    return json_print(list, JSON_INDENT(2));
}

/* --- Markdown ------------------------------------------------------------------------------ */

static void print_markdown_op(const struct nnefc_op *op)
{
    printf("\n### %s\n\n    %s\n\n", op->name, op->declaration);
    if (is_extension(op))
        printf("- %s\n- shape: %s\n", kind_name(op->kind), op->shape);
    else
        printf("- %s, since %s\n- shape: %s\n", kind_name(op->kind), op->since, op->shape);
    if (op->borders)
        printf("- borders: %s\n", op->borders);
}

static void print_markdown(const struct nnefc_ops *ops)
{
    const char *section = "";

    for (int i = 0; i < nnefc_ops_count(ops); i++) {
        const struct nnefc_op *op = nnefc_ops_at(ops, i);
        if (strcmp(op->section, section) != 0)
            printf("%s## %s%s %s\n", i || is_extension(op) ? "\n" : "",
                   is_extension(op) ? "Extension " : "", op->section, op->title);
        section = op->section;
        print_markdown_op(op);
    }
}

enum nnefc_status list_ops_run(const struct settings *settings)
{
    struct nnefc_ops *ops = nnefc_ops_new(settings->dialect);
    struct nnefc_ops *more = settings->extensions ? nnefc_ops_new_extensions() : NULL;
    void (*print)(const struct nnefc_ops *) = settings->markdown ? print_markdown : print_text;
    bool ok = true;

    if (settings->json) {
        ok = print_json(ops, more);
    } else {
        print(ops);
        print(more);
    }
    nnefc_ops_free(ops);
    nnefc_ops_free(more);
    return ok ? NNEFC_OK : NNEFC_INTERNAL;
}
