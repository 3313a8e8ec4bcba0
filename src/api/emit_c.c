/* emit_c.c - a model as C; see emit_c.h */
#include "nnefc/emit_c.h"

#include "api/api_priv.h"
#include "api/weights.h"
#include "backend/c/c.h"
#include "backend/c/check.h"
#include "base/arena.h"
#include "base/num.h"
#include "base/pool.h"
#include "base/sha1.h"
#include "exec/move.h"
#include "exec/plan.h"
#include "exec/run.h"
#include "file/out.h"
#include "ir/graph_edit.h"
#include "pass/pass.h"
#include "sema/sema.h"

#include <assert.h>
#include <stdint.h>
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

static struct plan *new_plan(const struct graph *graph, struct pool *pool, bool channels_last,
                             enum plan_memory memory)
{
    return plan_new(graph, &(struct plan_options){.backend = &backend_c,
                                                  .threads = 1,
                                                  .exact = true,
                                                  .memory = memory,
                                                  .channels_last = channels_last,
                                                  .pool = pool});
}

/* The plan with the least memory, or the quick one if its memory is within the limit. */
static struct plan *choose_plan(const struct graph *graph, struct pool *pool, bool small,
                                const struct c_options *options)
{
    struct plan *best = new_plan(graph, pool, options->channels_last, PLAN_FOR_TIME);
    size_t least = best ? c_arena_of(best, options) : 0;

    if (!small && (options->limit == 0 || least <= options->limit))
        return best;
    for (int memory = PLAN_SAVING; best && memory <= PLAN_SAVING_AHEAD; memory++) {
        struct plan *other =
            new_plan(graph, pool, options->channels_last, (enum plan_memory)memory);
        size_t bytes = other ? c_arena_of(other, options) : 0;
        bool better = !other || bytes < least;
        plan_free(better ? best : other);
        if (better) {
            best = other;
            least = bytes;
        }
    }
    return best;
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

static bool no_memory(const struct graph *graph, const struct value *value)
{
    return diag_error(graph->context->diag, value_span(value), DIAG_RUN_MEMORY,
                      "not enough memory for an input of the check, of shape %s",
                      SHAPE_TEXT(value->shape));
}

/* Put items that lie as the caller has them in the order of NNEF. */
static bool put_in_order(const struct value *value, bool channels_last, struct tensor *tensor)
{
    const enum layout layout = plan_outer_layout(channels_last, value);
    const struct strided_view from = view_in_order(value->shape, layout),
                              to = view_in_order(value->shape, LAYOUT_PLAIN);
    struct tensor turned = {0};

    if (layout == LAYOUT_PLAIN)
        return true;
    if (!tensor_allocate(&turned, (enum dtype)value->dtype, value->shape))
        return false;
    const struct move move = move_views(value->shape, LAYOUT_PLAIN, &from, &to);
    move_run(&move, dtype_size((enum dtype)value->dtype), turned.data, tensor->data, NULL);
    tensor_clear(tensor);
    *tensor = turned;
    return true;
}

static bool fill_inputs(const struct graph *graph, bool channels_last, struct run *run,
                        uint32_t seed)
{
    for (int i = 0; i < graph->ninput; i++) {
        const struct value *value = graph->inputs[i].value;
        struct tensor tensor = {0};
        if (!tensor_allocate(&tensor, (enum dtype)value->dtype, value->shape))
            return no_memory(graph, value);
        bool ok = c_check_fill(&seed, &tensor);
        if (ok && !put_in_order(value, channels_last, &tensor)) {
            tensor_clear(&tensor);
            return no_memory(graph, value);
        }
        run_set_input(run, i, &tensor);
        if (!ok)
            return diag_error(graph->context->diag, value_span(value), DIAG_NOT_IN_C,
                              "an input has more items than an int of C counts");
    }
    return true;
}

/* The run of the reference whose results a check has; NULL after a report. */
static struct run *run_reference(const struct nnefc_model *model, const struct graph *graph,
                                 bool channels_last, struct c_check *check)
{
    struct run *run = run_new(graph);

    if (!run || !fill_inputs(graph, channels_last, run, check->seed) || !run_step(run)) {
        run_free(run);
        return NULL;
    }
    struct tensor *results = arena_array_of(model->context->arena, struct tensor, graph->noutput);
    for (int i = 0; i < graph->noutput; i++)
        results[i] = *run_tensor(run, graph->outputs[i].value);
    check->results = results;
    return run;
}

static bool print_model(const struct nnefc_model *model, bool small, struct c_options *options,
                        struct c_check *check, struct c_files *files)
{
    struct graph *graph = graph_copy(model->graph);
    struct retained_tensor *made = NULL;
    struct pool *pool = pool_new();

    if (!pool)
        arena_out_of_memory();
    struct plan *plan =
        rewrite(model, graph, pool, &made) ? choose_plan(graph, pool, small, options) : NULL;
    /* Layers of integers round where layers of scalars do not: a check expects what the plan says.
     */
    const struct graph *judged = plan && plan_layers(plan).integers > 0 ? graph : model->graph;
    struct run *run =
        plan && check ? run_reference(model, judged, options->channels_last, check) : NULL;
    options->check = check;
    const bool ok = plan && !check == !run && c_write(plan, options, files);
    run_free(run);
    plan_free(plan);
    retained_tensors_free(model->context, made);
    pool_free(pool);
    return ok;
}

static const struct nnefc_c_step *steps_of(struct arena *arena, const struct c_summary *from)
{
    struct nnefc_c_step *steps = arena_array_of(arena, struct nnefc_c_step, from->steps + 1);

    assert(from->step);
    for (int s = 0; s < from->steps; s++) {
        const struct c_step *step = &from->step[s];
        struct nnefc_c_tensor *tensors =
            arena_array_of(arena, struct nnefc_c_tensor, step->count + 1);
        for (int i = 0; i < step->count; i++)
            tensors[i] =
                (struct nnefc_c_tensor){step->tensors[i].name, (int64_t)step->tensors[i].at,
                                        (int64_t)step->tensors[i].bytes};
        steps[s] = (struct nnefc_c_step){step->name, (int64_t)step->bytes, step->count, tensors};
    }
    return steps;
}

static void summarize(const struct nnefc_model *model, const struct c_summary *from,
                      struct nnefc_c_summary *to)
{
    const struct c_step *peak = from->peak_step < 0 ? NULL : &from->step[from->peak_step - 1];
    const struct nnefc_c_summary summary = {.size = to->size,
                                            .arena_bytes = (int64_t)from->arena,
                                            .weights_bytes = from->weights,
                                            .steps = from->steps,
                                            .peak_step = from->peak_step,
                                            .peak_bytes = peak ? (int64_t)peak->bytes : 0,
                                            .peak_name = peak ? peak->name : NULL,
                                            .step = steps_of(model->context->arena, from)};

    memcpy(to, &summary, to->size < sizeof summary ? to->size : sizeof summary);
}

/* --- files ----------------------------------------------------------------------------------- */

/* The path without ".c". */
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
    struct c_files files = {.summary.steps = 0};
    struct c_check check = {.seed = (uint32_t)(how->seed ^ how->seed >> 32)};

    if (how->prefix)
        text_add(&prefix, "%s", how->prefix);
    else
        c_identifier(&prefix, stream ? "net" : last_part(stem.data),
                     stream ? 3 : strlen(last_part(stem.data)));
    text_add(&header, "%s.h", last_part(stem.data));
    add_origin(model, &from);
    struct c_options options = {.prefix = prefix.data,
                                .source = stream ? "net.c" : last_part(path),
                                .header = stream ? NULL : header.data,
                                .weights = (enum c_weights)how->weights,
                                .caller_arena = how->caller_arena,
                                .channels_last = how->channels_last,
                                .limit = (size_t)num_min(how->arena_limit, PTRDIFF_MAX),
                                .main = how->main,
                                .from = from.data};
    bool ok = print_model(model, how->small, &options, how->self_test ? &check : NULL, &files) &&
              put_files(model, path, how, &files);
    if (ok && how->summary)
        summarize(model, &files.summary, how->summary);
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
    if (taken.arena_limit < 0)
        return misuse(model, "the limit of the arena is negative");
    if (out_is_stream(path) && (taken.main || taken.weights == NNEFC_C_WEIGHTS_FILE))
        return misuse(model, "'%s' is no file, which others could be beside", path);
    return weights_load(model) && write_c(model, path, &taken);
}
