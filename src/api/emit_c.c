/* emit_c.c - a model as C; see emit_c.h */
#include "nnefc/emit_c.h"

#include "api/api_priv.h"
#include "api/weights.h"
#include "backend/c/c.h"
#include "backend/c/check.h"
#include "base/arena.h"
#include "base/pool.h"
#include "base/sha1.h"
#include "exec/plan.h"
#include "exec/run.h"
#include "file/out.h"
#include "ir/graph_edit.h"
#include "pass/pass.h"
#include "sema/sema.h"

#include <assert.h>
#include <string.h>

/* The graph as it is planned: rewritten for speed, with bodies in place of what has no C. */
static bool rewrite(const struct nnefc_model *model, struct graph *graph, struct pool *pool,
                    struct retained_tensor **made)
{
    const struct library *library =
        model->checked ? model->checked->library : library_load(model->context, DIALECT_1_0);
    bool *enabled = arena_array_of(model->context->arena, bool, pass_count());
    const struct pass_options passes = {
        .enabled = enabled, .rounds = PASS_ROUNDS, .growth = PASS_GROWTH, .pool = pool};
    struct pass_report report;

    for (int i = 0; i < pass_count(); i++)
        enabled[i] = pass_at(i).for_plans;
    const int blocks = pass_find("find-block-products"); /* whose weights become floats in C */
    assert(blocks >= 0);
    enabled[blocks] = false;
    return graph->provisional ||
           (library && passes_run(graph, &passes, made, &report) && c_expand(graph, library));
}

static bool print_model(const struct nnefc_model *model, const struct c_options *options,
                        struct c_files *files)
{
    struct graph *graph = graph_copy(model->graph);
    struct retained_tensor *made = NULL;
    struct pool *pool = pool_new();
    struct plan *plan = NULL;

    if (!pool)
        arena_out_of_memory();
    if (rewrite(model, graph, pool, &made))
        plan =
            plan_new(graph, &(struct plan_options){
                                .backend = &backend_c, .threads = 1, .exact = true, .pool = pool});
    bool ok = plan && c_write(plan, options, files);
    plan_free(plan);
    retained_tensors_free(model->context, made);
    pool_free(pool);
    return ok;
}

/* --- what is told of the model -----------------------------------------------------------------
 */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The bytes that it was read from; false: there are none by themselves, as in an archive. */
static bool document_of(const struct nnefc_model *model, const void **data, size_t *size)
{
    const struct file_view *file = model->home ? store_file(model->home) : NULL;

    *data = model->text ? model->text : file ? file->data : NULL;
    *size = model->text ? model->size : file ? file->size : 0;
    return *data;
}

/* "graph.nnef (SHA-1 ..)" */
static void add_origin(const struct nnefc_model *model, struct text *to)
{
    char digits[SHA1_DIGITS + 1];
    struct sha1 sha1;
    const void *data;
    size_t size;

    if (model->home)
        text_add(to, "%s", last_part(store_document_name(model->home)));
    if (!document_of(model, &data, &size))
        return;
    sha1_begin(&sha1);
    sha1_add(&sha1, data, size);
    sha1_end(&sha1, digits);
    text_add(to, "%s(SHA-1 %s)", to->size > 0 ? " " : "a text ", digits);
}

static bool fill_inputs(const struct graph *graph, struct run *run, uint32_t seed)
{
    for (int i = 0; i < graph->ninput; i++) {
        const struct value *value = graph->inputs[i].value;
        struct tensor tensor = {0};
        if (!tensor_allocate(&tensor, (enum dtype)value->dtype, value->shape))
            return diag_error(graph->context->diag, value_span(value), DIAG_RUN_MEMORY,
                              "not enough memory for an input of the check, of shape %s",
                              SHAPE_TEXT(value->shape));
        bool ok = c_check_fill(&seed, &tensor);
        run_set_input(run, i, &tensor);
        if (!ok)
            return diag_error(graph->context->diag, value_span(value), DIAG_NOT_IN_C,
                              "an input has more items than an int of C counts");
    }
    return true;
}

/* The run of the reference whose results a check has; NULL after a report. */
static struct run *run_reference(const struct nnefc_model *model, struct c_check *check)
{
    const struct graph *graph = model->graph;
    struct run *run = run_new(graph);

    if (!run || !fill_inputs(graph, run, check->seed) || !run_step(run)) {
        run_free(run);
        return NULL;
    }
    struct tensor *results = arena_array_of(model->context->arena, struct tensor, graph->noutput);
    for (int i = 0; i < graph->noutput; i++)
        results[i] = *run_tensor(run, graph->outputs[i].value);
    check->results = results;
    return run;
}

static void summarize(const struct nnefc_model *model, const struct c_summary *from,
                      struct nnefc_c_summary *to)
{
    const struct nnefc_c_summary summary = {
        .size = to->size,
        .arena_bytes = (int64_t)from->arena,
        .weights_bytes = from->weights,
        .steps = from->steps,
        .peak_step = from->peak_step,
        .peak_bytes = (int64_t)from->peak,
        .peak_name =
            from->peak_step < 0
                ? NULL
                : arena_strndup(model->context->arena, from->peak_name.data, from->peak_name.size)};

    memcpy(to, &summary, to->size < sizeof summary ? to->size : sizeof summary);
}

/* --- files ----------------------------------------------------------------------------------- */

/* The path without ".c", and where its last part begins. */
static struct text stem_of(const char *path)
{
    struct text stem = {0};

    text_add(&stem, "%s", path);
    if (text_ends_in(path, ".c"))
        stem.data[stem.size -= 2] = '\0';
    return stem;
}

static bool put(struct out_set *set, const char *path, const struct text *text)
{
    struct out_file *file = out_open(set, path);

    if (file)
        out_write(file, text->data ? text->data : "", text->size);
    return file;
}

/* The C file comes last: it leads to the others. */
static bool put_files(const struct nnefc_model *model, const char *path,
                      const struct nnefc_emit_c *how, const struct c_files *files)
{
    struct out_set set = {model->context->diag, model->force, .count = 0};
    struct text stem = stem_of(path), name = {0};
    bool ok = true;

    if (!out_is_stream(path)) {
        text_add(&name, "%s.h", stem.data);
        ok = put(&set, name.data, &files->header);
        name.size = 0;
        text_add(&name, "%s.bin", stem.data);
        ok = ok && (how->weights != NNEFC_C_WEIGHTS_FILE || put(&set, name.data, &files->weights));
        name.size = 0;
        text_add(&name, "%s_main.c", stem.data);
        ok = ok && (!how->main || put(&set, name.data, &files->main));
    }
    ok = ok && put(&set, path, &files->source);
    text_free(&stem);
    text_free(&name);
    return out_commit(&set, ok);
}

static bool write_c(struct nnefc_model *model, const char *path, const struct nnefc_emit_c *how)
{
    struct text stem = stem_of(path), prefix = {0}, header = {0}, from = {0};
    bool stream = out_is_stream(path);
    struct c_files files = {{0}, {0}, {0}, {0}, {0}};
    struct c_check check = {.seed = (uint32_t)(how->seed ^ how->seed >> 32)};
    struct run *run = how->self_test ? run_reference(model, &check) : NULL;

    if (how->prefix)
        text_add(&prefix, "%s", how->prefix);
    else
        c_identifier(&prefix, stream ? "net" : last_part(stem.data),
                     stream ? 3 : strlen(last_part(stem.data)));
    text_add(&header, "%s.h", last_part(stem.data));
    add_origin(model, &from);
    const struct c_options options = {.prefix = prefix.data,
                                      .source = stream ? "net.c" : last_part(path),
                                      .header = stream ? NULL : header.data,
                                      .weights = (enum c_weights)how->weights,
                                      .caller_arena = how->caller_arena,
                                      .main = how->main,
                                      .check = run ? &check : NULL,
                                      .from = from.data};
    bool ok = !how->self_test == !run && print_model(model, &options, &files) &&
              put_files(model, path, how, &files);
    if (ok && how->summary)
        summarize(model, &files.summary, how->summary);
    run_free(run);
    c_files_free(&files);
    text_free(&from);
    text_free(&stem);
    text_free(&prefix);
    text_free(&header);
    return ok;
}

/* Letters, digits and '_'; a letter first. */
static bool is_prefix(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    return *name && strspn(name, letters) == strlen(name) &&
           strchr(letters, *name) < strchr(letters, '_');
}

/* Can #include name it?  The file of C has its header beside it. */
static bool is_includable(const char *name)
{
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return false;
    return !strpbrk(name, "\"\\") && !strstr(name, "??");
}

bool api_model_write_c(struct nnefc_model *model, const char *path, const struct nnefc_emit_c *how)
{
    struct nnefc_emit_c taken;

    if (!path)
        return misuse(model, "there is no path to write to");
    if (!graph_is_there(model, "written") || !settings_take(model, how, &taken, sizeof taken))
        return false;
    if (taken.prefix && !is_prefix(taken.prefix))
        return misuse(model, "the prefix '%s' is no identifier that begins with a letter",
                      taken.prefix);
    if (!out_is_stream(path) && !is_includable(last_part(path)))
        return misuse(model, "'%s' is no name that C can include", path);
    if (taken.summary && taken.summary->size < sizeof taken.summary->size)
        return misuse(model, "the size of the summary is not set");
    if ((unsigned)taken.weights > NNEFC_C_WEIGHTS_FILE)
        return misuse(model, "there is no form %d of weights", (int)taken.weights);
    if (out_is_stream(path) && (taken.main || taken.weights == NNEFC_C_WEIGHTS_FILE))
        return misuse(model, "'%s' is no file, which others could be beside", path);
    return weights_load(model) && write_c(model, path, &taken);
}
