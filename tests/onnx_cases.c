/*
 * onnx_cases.c - writes documents with values as ONNX models, and what they should compute
 *
 *     onnx_cases [--passes] FOLDER DOCUMENT|FOLDER...
 *
 * Makes FOLDER/N.onnx for each document and opset, and FOLDER/cases.json with an object a line:
 * the document, the opset, the model, its inputs and outputs with their items as the reference
 * interpreter has them; or "refused" with the reasons.  A document that is refused as a whole makes
 * one case for each of its outputs.  With --passes, graphs are rewritten by the passes that run by
 * default, and those that these do not change make no case.  tests/onnxruntime/judge.js reads all
 * this.
 */
#include "convert/onnx/export.h"
#include "convert/onnx/export_rules.h"
#include "convert/onnx/files.h"
#include "convert/proto/onnx_write.h"
#include "diag/context.h"
#include "exec/run.h"
#include "support/case_json.h"
#include "support/doc.h"
#include "support/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    const char *folder;
    FILE *cases;
    int count;
    bool ok, rewrites;
};

struct shown {
    const struct doc *doc;
    const struct graph *graph;
    const struct run *run;
};

/* --- tensors as JSON --------------------------------------------------------------------- */

static json_t *tensor_of(const char *name, const struct tensor *tensor)
{
    return case_json(name, (const struct nnefc_tensor *)tensor);
}

static json_t *ports_of(const struct run *run, const struct port *port, int count)
{
    json_t *list = json_array();

    for (int i = 0; i < count; i++)
        json_array_append_new(list, tensor_of(port[i].name, run_tensor(run, port[i].value)));
    return list;
}

/* Variables that are updated are inputs, and what they become are outputs. */
static void add_state(const struct graph *graph, const struct run *run,
                      const struct npz_list *initial, json_t *about)
{
    json_t *inputs = json_object_get(about, "inputs"), *outputs = json_object_get(about, "outputs");

    for (int i = 0; i < initial->count; i++)
        json_array_append_new(inputs, tensor_of(initial->item[i].name, initial->item[i].tensor));
    for (const struct node *n = graph->first; n; n = n->next) {
        const struct source *variable = n->op->traits & OP_EFFECT ? n->in[0].value->source : NULL;
        struct text name = {0};
        if (!variable)
            continue;
        text_add(&name, "%s_out", variable->label);
        json_array_append_new(outputs, tensor_of(name.data, run_tensor(run, &n->out[0])));
        text_free(&name);
    }
}

/* --- cases ------------------------------------------------------------------------------- */

static json_t *reasons(const struct diag *diag, int from)
{
    json_t *list = json_array();

    for (int i = from; i < diag_count(diag); i++)
        json_array_append_new(list, json_string(diag_at(diag, i).text));
    return list;
}

/* The model's file, or why there is none. */
static bool write_model(struct writer *w, const struct graph *graph, int opset, json_t *about,
                        struct npz_list *initial)
{
    const struct onnx_options options = {.opset = opset};
    struct diag *diag = graph->context->diag;
    struct text path = {0}, file = {0};
    int before = diag_count(diag);
    struct onnx_model *model = onnx_export(graph, &options, initial);

    text_add(&file, "%d.onnx", w->count++);
    text_add(&path, "%s/%s", w->folder, file.data);
    const struct onnx_files files = {.path = path.data, .size = ONNX_SIZE_MAX};
    bool ok = model && onnx_files_write(diag, graph->context->arena, model, &files);
    if (ok)
        json_object_set_new(about, "model", json_string(file.data));
    else
        json_object_set_new(about, "refused", reasons(diag, before));
    text_free(&path);
    text_free(&file);
    return ok;
}

/* `split`: what is refused is left to one case for each output. */
static bool write_case(struct writer *w, const struct shown *shown, int opset, bool split)
{
    const struct graph *graph = shown->graph;
    json_t *about = json_pack("{s:s, s:i}", "document", shown->doc->path, "opset", opset);
    struct npz_list initial = {0};
    bool ok = write_model(w, graph, opset, about, &initial);

    json_object_set_new(about, "inputs", ports_of(shown->run, graph->inputs, graph->ninput));
    json_object_set_new(about, "outputs", ports_of(shown->run, graph->outputs, graph->noutput));
    add_state(graph, shown->run, &initial, about);
    if (ok || !split) {
        json_dumpf(about, w->cases, JSON_COMPACT | JSON_REAL_PRECISION(9));
        fputc('\n', w->cases);
    }
    json_decref(about);
    return ok;
}

static void write_outputs(struct writer *w, const struct shown *shown, int opset)
{
    struct graph one = *shown->graph;
    const struct shown part = {shown->doc, &one, shown->run};

    one.noutput = 1;
    for (int i = 0; i < shown->graph->noutput; i++) {
        one.outputs = &shown->graph->outputs[i];
        write_case(w, &part, opset, false);
    }
}

enum { JUDGED = 26 }; /* the newest opset that ONNX Runtime has */

static void write_cases(void *to, const struct doc *doc, struct graph *graph, const struct run *run)
{
    static const int opsets[] = {EMIT_OPSET_MIN, EMIT_OPSET, JUDGED};
    const struct shown shown = {doc, graph, run};

    for (size_t i = 0; i < sizeof opsets / sizeof *opsets; i++)
        if (!write_case(to, &shown, opsets[i], true))
            write_outputs(to, &shown, opsets[i]);
}

static void write_document(void *to, const char *path)
{
    struct writer *w = to;
    const struct doc_watcher watcher = {
        .rewrites = w->rewrites, .keep = export_keeps, .computed = write_cases, .to = w};
    struct doc doc;

    doc_read(&doc, path);
    if (doc.has_values && doc.complaints.size == 0)
        doc_watch(&doc, &watcher);
    if (doc.complaints.size > 0) {
        fputs(doc.complaints.data, stderr);
        w->ok = false;
    }
    doc_clear(&doc);
}

int main(int argc, char *argv[])
{
    struct writer w = {.ok = true};
    struct text path = {0};

    if (argc > 1 && strcmp(argv[1], "--passes") == 0) {
        w.rewrites = true;
        argc--;
        argv++;
    }
    if (argc < 3) {
        fputs("usage: onnx_cases [--passes] FOLDER DOCUMENT|FOLDER...\n", stderr);
        return 2;
    }
    w.folder = argv[1];
    text_add(&path, "%s/cases.json", w.folder);
    w.cases = fopen(path.data, "w");
    text_free(&path);
    if (!w.cases) {
        perror(w.folder);
        return 1;
    }
    for (int i = 2; i < argc; i++)
        w.ok &= files_below(argv[i], ".nnef", write_document, &w);
    return fclose(w.cases) == 0 && w.ok ? 0 : 1;
}
