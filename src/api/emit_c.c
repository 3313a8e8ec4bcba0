/* emit_c.c - a model as C; see emit_c.h */
#include "nnefc/emit_c.h"

#include "api/api_priv.h"
#include "api/weights.h"
#include "backend/c/c.h"
#include "base/arena.h"
#include "base/pool.h"
#include "exec/plan.h"
#include "file/out.h"
#include "ir/graph_edit.h"
#include "parser/parser.h"
#include "pass/pass.h"
#include "sema/sema.h"

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

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
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
    struct text stem = stem_of(path), prefix = {0}, header = {0};
    bool stream = out_is_stream(path);
    struct c_files files = {{0}, {0}, {0}, {0}};

    if (how->prefix)
        text_add(&prefix, "%s", how->prefix);
    else
        c_identifier(&prefix, stream ? "net" : last_part(stem.data),
                     stream ? 3 : strlen(last_part(stem.data)));
    text_add(&header, "%s.h", last_part(stem.data));
    const struct c_options options = {.prefix = prefix.data,
                                      .header = stream ? NULL : header.data,
                                      .weights = (enum c_weights)how->weights,
                                      .caller_arena = how->caller_arena,
                                      .main = how->main};
    bool ok = print_model(model, &options, &files) && put_files(model, path, how, &files);
    text_free(&files.header);
    text_free(&files.source);
    text_free(&files.main);
    text_free(&files.weights);
    text_free(&stem);
    text_free(&prefix);
    text_free(&header);
    return ok;
}

bool api_model_write_c(struct nnefc_model *model, const char *path, const struct nnefc_emit_c *how)
{
    struct nnefc_emit_c taken;

    if (!path)
        return misuse(model, "there is no path to write to");
    if (!graph_is_there(model, "written") || !settings_take(model, how, &taken, sizeof taken))
        return false;
    if (taken.prefix && (!is_identifier(taken.prefix) || taken.prefix[0] == '_'))
        return misuse(model, "the prefix '%s' is no identifier that begins with a letter",
                      taken.prefix);
    if ((unsigned)taken.weights > NNEFC_C_WEIGHTS_FILE)
        return misuse(model, "there is no form %d of weights", (int)taken.weights);
    if (out_is_stream(path) && (taken.main || taken.weights == NNEFC_C_WEIGHTS_FILE))
        return misuse(model, "'%s' is no file, which others could be beside", path);
    return weights_load(model) && write_c(model, path, &taken);
}
