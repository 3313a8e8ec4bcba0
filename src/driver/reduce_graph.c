/*
 * reduce_graph.c - a graph that fails becomes a small part of it that fails
 *
 * The model is read once and kept as a graph file.  Each try is a part of this file: the operations
 * that are kept.  The tensors that they read from other operations become inputs; for each sample,
 * a run of the whole model by the reference gives their items.  So no try depends on an earlier
 * one.
 *
 * Operations are in the order in which they run.  A binary search finds the shortest part from the
 * first operation on that fails.  Another one finds where this part can begin.  Then operations
 * between are left out, in runs.  Last, the part is made simpler: an operand replaces a result of
 * the same type and shape, so that the part stays connected, and attributes get their defaults.
 */
#include "driver/reduce_graph.h"
#include "driver/path.h"
#include "driver/record.h"
#include "driver/report.h"

#include <assert.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- loading ---------------------------------------------------------------------------------- */

static enum nnefc_status read_model(const struct graph_reduction *g, const char *path,
                                    struct nnefc_model **model)
{
    const struct loading *loading = &g->r->s.loading;

    *model = prepare_model(loading);
    load_prepared(loading, *model, path);
    return loaded_status(g->r->command, *model);
}

/* Keep a model as a graph file. */
static enum nnefc_status keep_model(struct graph_reduction *g, struct nnefc_model *model, int which)
{
    g->file[which] = reduction_path(g->r, which ? "other.ng" : "whole.ng");
    return nnefc_model_write_graph(model, g->file[which]);
}

static struct nnefc_model *load_kept(const struct graph_reduction *g, int which)
{
    struct loading loading = LOADING_DEFAULTS;

    loading.keep = g->r->s.loading.keep;
    return load_model(&loading, g->file[which]);
}

/* Do the tries compute with samples? */
static bool needs_inputs(const struct reduction *r)
{
    return r->s.differs || r->s.crash || r->s.record || strstr(r->s.check, "{in}");
}

/* Read the inputs of all samples, as a run of the model takes them. */
static enum nnefc_status read_inputs(struct graph_reduction *g, struct nnefc_model *model)
{
    struct tensors *inputs = &g->inputs;
    struct feed feed;
    struct nnefc_run *run = NULL;
    enum nnefc_status status = feed_plan(&feed, g->r->command, &g->r->s.feeding, model);

    if (status == NNEFC_OK) {
        run = nnefc_run_new(model);
        status = run ? NNEFC_OK : model_failure(model);
    }
    feed.run = run;
    inputs->inputs = nnefc_model_inputs(model)->count;
    inputs->at =
        zeroed_items((size_t)inputs->inputs * (size_t)(feed.steps + 1), sizeof *inputs->at);
    for (int step = 0; step < feed.steps && status == NNEFC_OK; step++) {
        status = feed_step(&feed, step);
        for (int i = 0; i < inputs->inputs && status == NNEFC_OK; i++) {
            const struct nnefc_tensor *input = nnefc_run_input(run, i);
            if (input)
                inputs->at[step * inputs->inputs + i] = must_have(tensor_copy(input));
            else
                status = nnefc_run_step(run); /* which says what is missing */
        }
        inputs->samples = step + 1;
    }
    feed_free(&feed);
    nnefc_run_free(run);
    return status;
}

/* --- parts ------------------------------------------------------------------------------------ */

static int count_kept(const struct graph_reduction *g, const bool *kept)
{
    int count = 0;

    for (int i = 0; i < g->operations->count; i++)
        count += kept[i];
    return count;
}

struct names part_inputs(const struct graph_reduction *g, const struct part_of *part)
{
    struct names names = {0};

    for (int i = 0; i < g->operations->count; i++) {
        const struct nnefc_value_list *operands = g->operations->at[i]->operands;
        for (int k = 0; k < operands->count && part->kept[i]; k++) {
            const struct nnefc_value *v = operands->at[k];
            if (v->kind == NNEFC_VALUE_EXTERNAL ||
                (v->kind == NNEFC_VALUE_RESULT && !part->kept[v->producer]))
                add_name_once(&names, v->name);
        }
    }
    return names;
}

/* By operation: is a result of it read by an operation that is not kept, or by none? */
static bool *find_shown(const struct graph_reduction *g, const struct part_of *part)
{
    const int count = g->operations->count;
    bool *shown = zeroed_items((size_t)count + 1, sizeof *shown);
    bool *read = zeroed_items((size_t)count + 1, sizeof *read);

    for (int i = 0; i < count; i++) {
        const struct nnefc_value_list *operands = g->operations->at[i]->operands;
        for (int k = 0; k < operands->count; k++)
            if (operands->at[k]->kind == NNEFC_VALUE_RESULT) {
                read[operands->at[k]->producer] = true;
                shown[operands->at[k]->producer] |= !part->kept[i];
            }
    }
    for (int i = 0; i < count; i++)
        shown[i] |= g->output[i] || !read[i];
    free(read);
    return shown;
}

struct names part_outputs(const struct graph_reduction *g, const struct part_of *part)
{
    bool *shown = find_shown(g, part);
    struct names names = {0};

    for (int i = 0; i < g->operations->count; i++) {
        const struct nnefc_operation *operation = g->operations->at[i];
        const bool here = part->only >= 0 ? i == part->only : part->kept[i] && shown[i];
        if (!here || strcmp(operation->operation, "update") == 0)
            continue;
        for (int k = 0; k < operation->results->count; k++)
            add_name(&names, operation->results->at[k]->name);
    }
    free(shown);
    return names;
}

/* The index of a parameter of the whole model; -1: it is a result. */
static int input_of(const struct graph_reduction *g, const char *name)
{
    const struct nnefc_port_list *inputs = nnefc_model_inputs(g->whole);

    for (int i = 0; i < inputs->count; i++)
        if (strcmp(inputs->at[i]->name, name) == 0)
            return i;
    return -1;
}

/* What is computed in this process: it stops where an operation ends. */
struct stoppable {
    const struct reduction *r;
    struct nnefc_model *model;
};

static void stop_in_time(void *user, enum nnefc_work work, int64_t done, int64_t total)
{
    const struct stoppable *s = user;

    (void)work;
    (void)done;
    (void)total;
    if (reduction_is_over(s->r))
        nnefc_model_cancel(s->model, true);
}

/* Let the reference compute the inputs of a part. */
static enum nnefc_status compute_inputs(const struct graph_reduction *g, struct nnefc_model *model,
                                        struct tensors *to)
{
    const struct nnefc_port_list *inputs = nnefc_model_inputs(model);
    struct stoppable stoppable = {g->r, model};
    const struct nnefc_hooks hooks = {
        .size = sizeof hooks, .progress = stop_in_time, .user = &stoppable};
    nnefc_model_set_hooks(model, &hooks);
    struct nnefc_run *run = nnefc_run_new(model);
    enum nnefc_status status = run ? NNEFC_OK : NNEFC_UNSUPPORTED;

    for (int s = 0; s < to->samples && status == NNEFC_OK; s++) {
        for (int i = 0; i < inputs->count && status == NNEFC_OK; i++) {
            const int at = input_of(g, inputs->at[i]->name);
            status =
                nnefc_run_set_input(run, i, g->inputs.at[s * g->inputs.inputs + (at < 0 ? 0 : at)]);
        }
        if (status == NNEFC_OK)
            status = nnefc_run_step(run);
        for (int i = 0; i < to->inputs && status == NNEFC_OK; i++)
            to->at[s * to->inputs + i] = must_have(tensor_copy(nnefc_run_output(run, i)));
    }
    nnefc_run_free(run);
    return status;
}

/* The tensors of a part's inputs. */
static enum nnefc_status record_inputs(const struct graph_reduction *g, const struct names *from,
                                       struct tensors *to)
{
    *to = (struct tensors){.inputs = from->count, .samples = g->inputs.samples};
    to->at = zeroed_items((size_t)to->inputs * (size_t)(to->samples + 1), sizeof *to->at);
    if (from->count == 0 || to->samples == 0)
        return NNEFC_OK;
    struct nnefc_model *model = load_kept(g, 0);
    enum nnefc_status status = extract_between(model, NULL, from);
    if (status == NNEFC_OK)
        status = compute_inputs(g, model, to);
    nnefc_model_free(model);
    return status;
}

/* --- tries ------------------------------------------------------------------------------------ */

struct nnefc_model *load_part(const struct graph_reduction *g, int which,
                              const struct part_of *part, struct names *from)
{
    struct nnefc_model *model = g->file[which] ? load_kept(g, which) : NULL;
    struct names to = part_outputs(g, part);
    bool ok = model && to.count > 0 && extract_between(model, from, &to) == NNEFC_OK;

    if (ok && part->full)
        ok = make_simpler(g, model, part->full, from);
    free(to.at);
    if (ok)
        return model;
    nnefc_model_free(model);
    return NULL;
}

static bool same_names(const struct names *a, const struct names *b)
{
    bool same = a->count == b->count;

    for (int i = 0; i < a->count && same; i++)
        same = strcmp(a->at[i], b->at[i]) == 0;
    return same;
}

/* Write a part, in the format that its name means. */
static void write_part(struct graph_reduction *g, struct nnefc_model *model, const char *path,
                       enum target_format format, bool force)
{
    const struct target_form form = {path, format, NNEFC_PROFILE_COMPOUND, NULL, NULL};

    nnefc_model_set_force(model, force);
    if (target_write(&form, model) != NNEFC_OK) {
        report_model(g->r->command, model);
        g->r->broken = true;
    }
}

static void add_text(struct texts *texts, const char *text)
{
    texts->at = resize_items(texts->at, (size_t)texts->count + 1, sizeof *texts->at);
    texts->at[texts->count++] = must_have(strdup(text));
}

static bool has_text(const struct texts *texts, const char *text)
{
    bool has = false;

    for (int i = 0; i < texts->count && !has; i++)
        has = strcmp(texts->at[i], text) == 0;
    return has;
}

static void free_texts(const struct texts *texts)
{
    for (int i = 0; i < texts->count; i++)
        free(texts->at[i]);
    free(texts->at);
}

/* Add the paths of all data files below a folder.  Links are not followed. */
static void list_data(struct texts *there, const char *path) /* NOLINT(misc-no-recursion) */
{
    DIR *folder = opendir(path);
    struct stat status;

    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        char *inner = path_join(path, entry->d_name);
        const bool up = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        if (!up && path_ends_in(inner, ".dat"))
            add_text(there, inner);
        else if (!up && lstat(inner, &status) == 0 && S_ISDIR(status.st_mode))
            list_data(there, inner);
        free(inner);
    }
    if (folder)
        closedir(folder);
}

/* The file of a label's data in OUT, to be freed. */
static char *data_path(const struct graph_reduction *g, const char *label)
{
    const size_t room = strlen(label) + sizeof ".dat";
    char *name = zeroed_items(room, 1);

    while (*label == '/')
        label++;
    snprintf(name, room, "%s.dat", label);
    char *path = path_join(g->r->command->operand[1], name);
    free(name);
    return path;
}

/* These data are needed no more; nor are folders that have nothing else. */
static void remove_data(const struct graph_reduction *g, const char *label)
{
    const size_t folder = strlen(g->r->command->operand[1]);
    char *path = data_path(g, label);
    bool removed = unlink(path) == 0;

    for (char *slash; removed && (slash = strrchr(path, '/')) > path + folder;) {
        *slash = '\0';
        removed = rmdir(path) == 0;
    }
    free(path);
}

/* Remove the data that this reduction wrote for the part before, and that this part lacks. */
static void remove_unneeded(struct graph_reduction *g)
{
    struct nnefc_model *written = load_written(g->r->command->operand[1], 0);
    const struct nnefc_variable_list *now = written ? nnefc_model_variables(written) : NULL;
    struct texts labels = {0};

    for (int i = 0; now && i < g->labels.count; i++) {
        bool needed = false;
        for (int k = 0; k < now->count && !needed; k++)
            needed = nnefc_label_equal(now->at[k]->label, g->labels.at[i]);
        if (!needed)
            remove_data(g, g->labels.at[i]);
    }
    for (int i = 0; now && i < now->count; i++) {
        char *path = data_path(g, now->at[i]->label);
        if (!has_text(&g->there, path))
            add_text(&labels, now->at[i]->label);
        free(path);
    }
    if (now) {
        free_texts(&g->labels);
        g->labels = labels;
    }
    nnefc_model_free(written);
}

/* Write the part to OUT.  The data and the quantization file that this reduction wrote there before
 * may be replaced; they go if this part has none. */
static void write_best(struct graph_reduction *g, struct nnefc_model *model)
{
    const struct reduce_settings *s = &g->r->s;

    write_part(g, model, s->command.operand[1], s->format, g->written || s->loading.force);
    g->written = true;
    if (g->in_folder && !g->r->broken)
        remove_unneeded(g);
}

static int part_size(const struct graph_reduction *g, const struct part_of *part,
                     const struct nnefc_model *model)
{
    return part->full && model ? nnefc_model_operations(model)->count : count_kept(g, part->kept);
}

/* Keep what is smaller and fails, with its inputs, and what is larger and passes. */
static void keep_part(struct graph_reduction *g, const struct part_of *part,
                      struct nnefc_model *model, enum answer answer, struct tensors *inputs)
{
    const struct reduce_settings *s = &g->r->s;
    const int count = count_kept(g, part->kept);

    if (answer == ANSWER_FAILS) {
        memcpy(g->best, part->kept, (size_t)g->operations->count * sizeof *g->best);
        g->best_only = part->only;
        g->left = part_size(g, part, model);
        if (part->full)
            memcpy(g->best_full, part->full, (size_t)g->nsimpler * sizeof *g->best_full);
        tensors_free(&g->begin);
        g->begin = *inputs;
        *inputs = (struct tensors){0};
        write_best(g, model);
    } else if (answer == ANSWER_PASSES && s->good && !part->full && count > g->passing) {
        g->passing = count;
        write_part(g, model, s->good, s->good_format, s->loading.force);
    }
}

enum answer try_part(struct graph_reduction *g, const struct part_of *part)
{
    const size_t size = (size_t)g->operations->count * sizeof *part->kept;
    uint64_t digest = digest_of(digest_of(1, part->kept, size), &part->only, sizeof part->only);
    enum answer answer;

    if (part->full)
        digest = digest_of(digest, part->full, (size_t)g->nsimpler * sizeof *part->full);
    if (answer_known(g->r, digest, &answer))
        return answer;
    struct names from = part_inputs(g, part), others = part_inputs(g, part);
    struct tensors inputs = {0};
    struct nnefc_model *model = load_part(g, 0, part, &from);
    struct nnefc_model *other = load_part(g, 1, part, &others);
    answer = ANSWER_UNKNOWN;
    if (model && (other ? same_names(&from, &others) : !g->file[1]) &&
        record_inputs(g, &from, &inputs) == NNEFC_OK) {
        cut_inputs(model, &inputs);
        answer = judge_model(g->r, model, other, &inputs);
    }
    if (answer == ANSWER_UNKNOWN && reduction_is_over(g->r)) /* while inputs were computed */
        answer = ANSWER_STOPPED;
    answer_tell(g->r, digest, answer, part_size(g, part, model), "operations");
    if (model)
        keep_part(g, part, model, answer, &inputs);
    tensors_free(&inputs);
    nnefc_model_free(model);
    nnefc_model_free(other);
    free(from.at);
    free(others.at);
    return g->r->broken ? ANSWER_STOPPED : answer;
}

static enum answer try_kept(void *data, const bool *kept)
{
    struct graph_reduction *g = data;
    const struct part_of part = {kept, g->only, NULL};

    return try_part(g, &part);
}

/* --- steps ------------------------------------------------------------------------------------ */

/* Try the operations of the best part from `begin` to before `end`. */
static void cut_best(const struct graph_reduction *g, bool *kept, int begin, int end)
{
    for (int i = 0; i < g->operations->count; i++)
        kept[i] = g->best[i] && i >= begin && i < end;
}

/* Search for the shortest beginning (or end) of the best part that fails. */
static void halve(struct graph_reduction *g, bool *kept, bool front)
{
    int low = 0, high = g->operations->count; /* of the place, in front and behind */
    enum answer answer = ANSWER_PASSES;

    while (high - low > 1 && answer != ANSWER_STOPPED) {
        const int middle = low + (high - low) / 2;
        cut_best(g, kept, front ? 0 : middle, front ? middle : g->operations->count);
        answer = try_kept(g, kept);
        *((answer == ANSWER_FAILS) == front ? &high : &low) = middle;
    }
}

/* Mark what the operation depends on, in the best part. */
static void find_needed(const struct graph_reduction *g, bool *kept, int operation)
{
    memset(kept, 0, (size_t)g->operations->count * sizeof *kept);
    kept[operation] = true;
    for (int i = operation; i >= 0; i--) {
        const struct nnefc_value_list *operands = g->operations->at[i]->operands;
        for (int k = 0; k < operands->count && kept[i]; k++)
            if (operands->at[k]->kind == NNEFC_VALUE_RESULT)
                kept[operands->at[k]->producer] = g->best[operands->at[k]->producer];
    }
}

/* The last operation of the best part. */
static int last_of(const struct graph_reduction *g)
{
    int last = g->operations->count - 1;

    while (last > 0 && !g->best[last])
        last--;
    return last;
}

/* The part fails only with its last operation.  Try this operation alone, then the operations that
 * it depends on. */
static enum answer narrow(struct graph_reduction *g, bool *kept)
{
    const int last = last_of(g);
    const struct part_of part = {kept, last, NULL};

    memset(kept, 0, (size_t)g->operations->count * sizeof *kept);
    kept[last] = true;
    enum answer answer = try_part(g, &part);
    if (answer == ANSWER_FAILS || answer == ANSWER_STOPPED)
        return answer;
    find_needed(g, kept, last);
    return try_part(g, &part);
}

/* The part needs more than its last operation.  The search compares all results that the part
 * leaves for other operations, so that the part need not be connected. */
static void leave_out_rest(struct graph_reduction *g, bool *kept)
{
    const size_t size = (size_t)g->operations->count * sizeof *kept;

    g->only = g->best_only;
    halve(g, kept, false);
    memcpy(kept, g->best, size);
    g->only = -1;
    search_less(kept, g->operations->count, try_kept, g);
    memcpy(kept, g->best, size);
    g->only = last_of(g);
    if (g->best_only < 0)
        try_kept(g, kept);
}

/* --- what is left ------------------------------------------------------------------------------
 */

/* "-i x=DIR/1/x.dat", for all inputs of a sample, from 1. */
static void show_inputs(const struct graph_reduction *g, const struct nnefc_model *model,
                        int sample)
{
    const struct nnefc_port_list *inputs = nnefc_model_inputs(model);

    for (int i = 0; i < inputs->count; i++) {
        char *path = path_of_result("", inputs->at[i]->name);
        printf(" -i");
        print_word(stdout, "%s=%s/%d%s", inputs->at[i]->name, g->r->s.record, sample, path);
        free(path);
    }
}

/* The command that checks the part with a sample.  A backend is compared with results that the
 * reference computes. */
static void show_command(const struct graph_reduction *g, const struct nnefc_model *model,
                         int sample)
{
    const struct reduce_settings *s = &g->r->s;
    const char *out = s->command.operand[1];
    const bool backends = s->differs && !g->file[1];

    if (backends) {
        printf("nnefc run");
        print_word(stdout, "%s", out);
        printf(" --backend=reference");
        show_inputs(g, model, sample);
        printf(" -o");
        print_word(stdout, "%s/%d/expected/", s->record, sample);
        printf(" && ");
    }
    printf("nnefc %s", g->file[1] ? "compare" : "run");
    print_word(stdout, "%s", out);
    if (g->file[1])
        print_word(stdout, "%s/other.ng", s->record);
    if (backends)
        print_word(stdout, "--backend=%s", strchr(s->differs, ':') + 1);
    show_inputs(g, model, sample);
    if (backends) {
        printf(" --expect");
        print_word(stdout, "%s/%d/expected/", s->record, sample);
    }
    if (s->differs)
        printf(" --atol=%.9g --rtol=%.9g", s->tolerance.absolute, s->tolerance.relative);
    putchar('\n');
}

/* How to see again that the part fails, with one of the samples at least. */
static void show_check(const struct graph_reduction *g, const struct nnefc_model *model)
{
    const struct reduce_settings *s = &g->r->s;

    if (s->check)
        printf("%s fails the check: %s\n", s->command.operand[1], s->check);
    for (int i = 0; i < g->inputs.samples && s->record && !s->check; i++)
        show_command(g, model, i + 1);
}

/* Store the inputs of the best part, and the part of B. */
static void record_best(struct graph_reduction *g)
{
    const struct part_of part = {g->best, g->best_only, g->best_full};
    struct names from = part_inputs(g, &part), others = part_inputs(g, &part);
    struct nnefc_model *model = load_part(g, 0, &part, &from);
    struct nnefc_model *other = load_part(g, 1, &part, &others);
    struct nnefc_model *written = load_written(g->r->command->operand[1], g->begin.inputs),
                       *shown = written ? written : model;
    const char *record = g->r->s.record;

    if (record && shown)
        write_samples(g->r, shown, &g->begin, record);
    if (record && other) {
        char *path = path_join(record, "other.ng");
        write_part(g, other, path, TARGET_GRAPH, g->r->s.loading.force);
        free(path);
    }
    if (shown && !g->r->command->quiet)
        show_check(g, shown);
    nnefc_model_free(written);
    nnefc_model_free(model);
    nnefc_model_free(other);
    free(from.at);
    free(others.at);
}

static enum nnefc_status reduce(struct graph_reduction *g, bool *fails)
{
    const int count = g->operations->count;
    bool *kept = zeroed_items((size_t)count + 1, sizeof *kept);

    for (int i = 0; i < count; i++)
        kept[i] = g->best[i] = true;
    *fails = count > 0 && try_kept(g, kept) == ANSWER_FAILS;
    if (*fails) {
        halve(g, kept, true);
        narrow(g, kept);
        if (count_kept(g, g->best) > 1)
            leave_out_rest(g, kept);
        simplify(g);
    }
    if (*fails && !g->r->command->quiet)
        printf("%d of %d operations left after %d checks\n", g->left, count, g->r->tests);
    const int before = g->r->tests;
    if (*fails && !g->r->s.as_is)
        simplify_form(g);
    if (g->r->tests > before && !g->r->command->quiet)
        printf("%d more checks of extents, weights and names\n", g->r->tests - before);
    if (*fails && !g->r->broken)
        record_best(g);
    free(kept);
    return g->r->broken ? NNEFC_FILE : NNEFC_OK;
}

static void find_outputs(struct graph_reduction *g)
{
    const struct nnefc_port_list *ports = nnefc_model_outputs(g->whole);

    for (int i = 0; i < g->operations->count; i++)
        for (int k = 0; k < g->operations->at[i]->results->count; k++)
            for (int p = 0; p < ports->count; p++)
                g->output[i] |=
                    strcmp(g->operations->at[i]->results->at[k]->name, ports->at[p]->name) == 0;
}

/* Data of parts are cut and have other labels, so they may not lie beside other documents.  False
 * after a message. */
static bool has_place(const struct graph_reduction *g, const struct nnefc_model *model)
{
    const struct reduce_settings *s = &g->r->s;
    const char *out = s->format == TARGET_NNEF ? s->command.operand[1] : NULL;
    const char *good = s->good && s->good_format == TARGET_NNEF ? s->good : NULL;

    if (s->loading.force || nnefc_model_variables(model)->count == 0)
        return true;
    if (out && good && path_same_folder(out, good))
        return usage_error(g->r->command,
                           "OUT and --min-good would share data: write them to folders of their "
                           "own, or with --force") == NNEFC_OK;
    if (out && !s->as_is && path_has_other(out, ".nnef"))
        return usage_error(g->r->command,
                           "the data of other documents beside '%s' would be replaced: write to a "
                           "folder of its own, or with --as-is or --force",
                           out) == NNEFC_OK;
    return true;
}

enum nnefc_status reduce_graph(struct reduction *r, bool *fails)
{
    const char *other = r->s.differs && !strchr(r->s.differs, ':') ? r->s.differs : NULL;
    struct graph_reduction g = {.r = r, .best_only = -1, .only = -1};
    struct nnefc_model *first, *second = NULL;
    enum nnefc_status status;

    reduction_reads(r);
    status = read_model(&g, r->command->operand[0], &first);
    if (status == NNEFC_OK && other)
        status = read_model(&g, other, &second);
    if (status == NNEFC_OK && !has_place(&g, first))
        status = NNEFC_USAGE;
    if (status == NNEFC_OK && needs_inputs(r))
        status = read_inputs(&g, first);
    if (!reduction_has_read(r))
        status = NNEFC_FILE;
    if (status == NNEFC_OK)
        status = keep_model(&g, first, 0);
    if (status == NNEFC_OK && second)
        status = keep_model(&g, second, 1);
    g.in_folder = r->s.format == TARGET_NNEF && path_is_folder(r->command->operand[1]);
    if (g.in_folder)
        list_data(&g.there, r->command->operand[1]);
    close_model(r->command, first);
    if (second)
        close_model(r->command, second);
    if (status == NNEFC_OK) {
        g.whole = load_kept(&g, 0);
        g.operations = nnefc_model_operations(g.whole);
        g.best = zeroed_items((size_t)g.operations->count + 1, sizeof *g.best);
        g.output = zeroed_items((size_t)g.operations->count + 1, sizeof *g.output);
        find_outputs(&g);
        status = reduce(&g, fails);
    }
    tensors_free(&g.inputs);
    tensors_free(&g.begin);
    nnefc_model_free(g.whole);
    free(g.best);
    simpler_free(&g);
    free_texts(&g.labels);
    free_texts(&g.there);
    free(g.output);
    free(g.file[0]);
    free(g.file[1]);
    return status;
}
