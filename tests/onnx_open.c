/*
 * onnx_open.c - models with an extent left open, and what they should compute at several
 *
 *     onnx_open FOLDER
 *
 * For each FOLDER/N.nnef and each axis of its parameters writes FOLDER/M.onnx in which that extent
 * is left open, if it can be, and lines of FOLDER/cases.json as onnx_cases does: what the document
 * computes of random numbers with other extents.  tests/onnxruntime/judge.js reads all this.
 */
#include "support/case_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 1024, MEMORY = 1 << 28 };

struct writer {
    const char *folder;
    FILE *cases;
    char document[PATH_SIZE]; /* at hand */
    char source[PATH_SIZE];   /* where it comes from */
    int models, refused;
};

/* An axis of a parameter, and how large it is. */
struct open_axis {
    struct nnefc_dynamic dynamic;
    struct nnefc_type type; /* of the parameter, in the text */
};

/* --- models ------------------------------------------------------------------------------- */

/* With the extent of the axis, if it is not 0; NULL if it cannot have that. */
static struct nnefc_model *load(const struct writer *w, const struct open_axis *axis,
                                int64_t extent)
{
    struct nnefc_model *model = nnefc_model_new();
    int64_t extents[NNEFC_MAX_RANK];

    nnefc_model_set_keep(model, NNEFC_KEEP_ONNX);
    nnefc_model_set_data_folder(model, w->folder);
    nnefc_model_set_limit(model, NNEFC_LIMIT_MEMORY, MEMORY); /* strides may be large */
    if (extent > 0) {
        memcpy(extents, axis->type.extent, sizeof extents);
        extents[axis->dynamic.axis] = extent;
        nnefc_model_set_shape(model, axis->dynamic.parameter, axis->type.rank, extents);
    }
    if (nnefc_model_load(model, w->document) == NNEFC_OK &&
        nnefc_model_init_weights(model, 1, true) == NNEFC_OK)
        return model;
    nnefc_model_free(model);
    return NULL;
}

/* Inputs are numbers that differ; what is drawn for integers is 0 or 1. */
static bool compute(struct nnefc_model *model, struct nnefc_run *run, json_t *about)
{
    json_t *inputs = json_array(), *outputs = json_array();
    bool ok = true;

    for (int i = 0; i < nnefc_model_inputs(model)->count && ok; i++) {
        const char *name = nnefc_model_inputs(model)->at[i]->name;
        ok = nnefc_run_randomize_input(run, i, (uint64_t)i + 1) == NNEFC_OK &&
             nnefc_run_keep(run, name) == NNEFC_OK;
    }
    ok = ok && nnefc_run_step(run) == NNEFC_OK;
    for (int i = 0; i < nnefc_model_inputs(model)->count && ok; i++) {
        const char *name = nnefc_model_inputs(model)->at[i]->name;
        json_array_append_new(inputs, case_json(name, nnefc_run_tensor(run, name)));
    }
    for (int i = 0; i < nnefc_model_outputs(model)->count && ok; i++)
        json_array_append_new(
            outputs, case_json(nnefc_model_outputs(model)->at[i]->name, nnefc_run_output(run, i)));
    json_object_set_new(about, "inputs", inputs);
    json_object_set_new(about, "outputs", outputs);
    return ok;
}

static bool write_case(const struct writer *w, const struct open_axis *axis, const char *model_name,
                       int64_t extent)
{
    struct nnefc_model *model = load(w, axis, extent);
    struct nnefc_run *run = model ? nnefc_run_new(model) : NULL;
    char title[2 * PATH_SIZE];

    snprintf(title, sizeof title, "%s: axis %d of %s is %" PRId64, w->source, axis->dynamic.axis,
             axis->dynamic.parameter, extent);
    json_t *about =
        json_pack("{s:s, s:i, s:s}", "document", title, "opset", 17, "model", model_name);
    bool ok = run && compute(model, run, about);
    if (ok) {
        json_dumpf(about, w->cases, JSON_COMPACT | JSON_REAL_PRECISION(9));
        fputc('\n', w->cases);
    }
    json_decref(about);
    nnefc_run_free(run);
    nnefc_model_free(model);
    return ok;
}

/* A few extents at which there is something to compute, the model's own included. */
static void write_cases(const struct writer *w, const struct open_axis *axis, const char *name)
{
    static const int more[] = {0, 1, 4, 7, 8, 16};
    int64_t extent = axis->type.extent[axis->dynamic.axis];
    int count = 0;

    for (size_t i = 0; i < sizeof more / sizeof *more && count < 3; i++)
        count += write_case(w, axis, name, extent + more[i]);
}

static void write_model(struct writer *w, const struct open_axis *axis)
{
    struct nnefc_onnx how = {.size = sizeof how, .dynamic = &axis->dynamic, .dynamic_count = 1};
    struct nnefc_model *model = load(w, axis, 0);
    char name[32], path[2 * PATH_SIZE];

    snprintf(name, sizeof name, "%d.onnx", w->models);
    snprintf(path, sizeof path, "%s/%s", w->folder, name);
    if (model && nnefc_model_write_onnx(model, path, &how) == NNEFC_OK) {
        w->models++;
        write_cases(w, axis, name);
    } else {
        w->refused++;
    }
    nnefc_model_free(model);
}

static void write_document(struct writer *w)
{
    struct nnefc_model *model = load(w, NULL, 0);

    for (int i = 0; model && i < nnefc_model_inputs(model)->count; i++) {
        struct open_axis axis = {{nnefc_model_inputs(model)->at[i]->name, 0, "n"},
                                 nnefc_model_inputs(model)->at[i]->type};
        for (; axis.dynamic.axis < axis.type.rank; axis.dynamic.axis++)
            if (axis.type.extent[axis.dynamic.axis] > 0)
                write_model(w, &axis);
    }
    nnefc_model_free(model);
}

static FILE *open_file(const char *folder, const char *name, const char *mode)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, mode);
    if (!file)
        perror(path);
    return file;
}

int main(int argc, char *argv[])
{
    struct writer w = {.folder = argv[1]};
    FILE *sources = argc == 2 ? open_file(w.folder, "sources.txt", "r") : NULL;

    if (!sources)
        return 2;
    w.cases = open_file(w.folder, "cases.json", "w");
    for (int n = 0; w.cases && fgets(w.source, sizeof w.source, sources); n++) {
        w.source[strcspn(w.source, "\n")] = '\0';
        snprintf(w.document, sizeof w.document, "%s/%d.nnef", w.folder, n);
        write_document(&w);
    }
    fclose(sources);
    printf("%d extents can be left open, %d cannot\n", w.models, w.refused);
    return w.cases && fclose(w.cases) == 0 ? 0 : 1;
}
