/*
 * tune.c - a task done in all the ways there are; see tune.h
 *
 * Each way is a plan of its own, of nothing but the task: a first step fills what the task reads, in the
 * layouts that it is there in, as the steps before would.  One of them may be to do sums of products apart that could be
 * done in one go: each of them in the way that is the fastest for it, which is tried before.  Whatever a way takes besides, such as bringing operands
 * into another layout, and results back into the one that is usual, counts.
 */
#include "exec/tune.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/pool.h"
#include "base/team.h"
#include "base/text.h"
#include "diag/diag.h"
#include "exec/execute.h"
#include "exec/planner.h"
#include "exec/tuning.h"
#include "op/op_build.h"

#include <stdlib.h>
#include <string.h>

enum { WAYS = 16, LEAST_RUNS = 5, MOST_RUNS = 50, HOPELESS = 4, CHEAP = 1 << 16 };

/* Runs of a way go on until this time is over, and fewer than the least are enough if they take long; the
 * next way is to be faster by so much. */
static const double enough_seconds = 0.005, long_seconds = 0.5, gain = 0.95;

/* --- which ways there are ------------------------------------------------------------------- */

struct ways {
    struct way way[WAYS]; /* the usual one first */
    int count;
};

static bool is_same(const struct way *a, const struct way *b)
{
    bool kernel =
        a->kernel && b->kernel ? strcmp(a->kernel, b->kernel) == 0 : a->kernel == b->kernel;

    return a->backend == b->backend && a->layout == b->layout && a->apart == b->apart && kernel;
}

static void add_way(struct ways *ways, const struct way *way)
{
    for (int i = 0; i < ways->count; i++)
        if (is_same(&ways->way[i], way))
            return;
    if (ways->count < WAYS)
        ways->way[ways->count++] = *way;
}

/* The kernel that is likely to be the fastest, then the others. */
static void add_kernels(const struct planner *planner, const struct task *task, struct way way,
                        struct ways *ways)
{
    if (!way.op->kernel)
        add_way(ways, &way);
    for (int i = 0; way.op->kernel && (way.kernel = way.op->kernel(planner, task, i)); i++)
        add_way(ways, &way);
}

static void add_layouts(const struct planner *planner, const struct task *task, unsigned layouts,
                        struct way way, struct ways *ways)
{
    way.layout = choose_layout(planner, task, layouts);
    add_kernels(planner, task, way, ways);
    for (int layout = 0; layout < LAYOUT_COUNT; layout++)
        if (layouts & 1U << layout) {
            way.layout = (enum layout)layout;
            add_kernels(planner, task, way, ways);
        }
}

/* Reference kernels are not even tried where they would take long. */
static bool is_cheap(const struct task *task)
{
    const struct node *node = task->nodes[0];
    int64_t items = node->work;

    for (uint32_t i = 0; i < node->nin; i++)
        items += shape_volume(node->in[i].value->shape);
    return task->count == 1 && items + shape_volume(node->out[0].shape) < CHEAP;
}

static struct ways ways_of(const struct planner *planner, const struct task *task)
{
    const struct backend *first = planner->options->backend;
    struct ways ways = {.count = 0};
    struct way way = {0};
    unsigned layouts;

    way.backend = backend_for(planner, first, task, &way.op, &layouts);
    if (!way.backend)
        return ways;
    add_layouts(planner, task, layouts, way, &ways);
    for (const struct backend *b = first; b; b = b->next) {
        way = (struct way){.backend = b, .op = op_of(planner, b, task, &layouts)};
        if (way.op)
            add_layouts(planner, task, layouts, way, &ways);
    }
    if (is_cheap(task))
        add_way(&ways, &(struct way){.backend = NULL});
    if (task_has_parts(task))
        add_way(&ways, &(struct way){.apart = true});
    return ways;
}

/* --- what they are called --------------------------------------------------------------------- */

static void print_way(const struct way *way, struct text *to)
{
    if (way->apart) {
        text_add(to, "apart");
        return;
    }
    text_add(to, "%s %s%s%s", way->backend ? way->backend->name : "reference",
             layout_name(way->layout), way->kernel ? " " : "", way->kernel ? way->kernel : "");
}

static bool is_called(const struct way *way, const char *name)
{
    struct text text = {0};

    print_way(way, &text);
    bool same = strcmp(text.data, name) == 0;
    text_free(&text);
    return same;
}

/* Type, shape, and in which layouts it is there. */
static void print_operand(const struct planner *planner, const struct value *value, struct text *to)
{
    const int *buffer = planner->home[value->id].buffer;

    text_add(to, "%s%s%s", plan_constant(planner, value) ? "constant " : "",
             dtype_name((enum dtype)value->dtype), SHAPE_TEXT(value->shape));
    for (int layout = 0; layout < LAYOUT_COUNT; layout++)
        if (buffer[layout] != NO_BUFFER && !layout_is_moot(value->shape))
            text_add(to, " %s", layout_name((enum layout)layout));
}

static void print_node(const struct planner *planner, const struct task *task, int at,
                       struct text *to)
{
    const struct node *node = task->nodes[at];
    const char *between = "";

    text_add(to, "%s%s(", at > 0 ? " + " : "", node->op->name);
    for (uint32_t i = 0; i < node->nin; i++, between = ", ") {
        text_add(to, "%s", between);
        if (task_is_inner(task, at, i))
            text_add(to, ".");
        else
            print_operand(planner, node->in[i].value, to);
    }
    for (const struct op_attr *a = node->op->attrs; a && a->name; a++, between = ", ") {
        struct datum datum = op_attr_datum(planner->graph, node, a);
        text_add(to, "%s%s = ", between, a->name);
        datum_print(&datum, to);
    }
    text_add(to, ")");
}

/* What its speed depends on. */
static void print_task(const struct planner *planner, const struct task *task, struct text *to)
{
    for (int i = 0; i < task->count; i++)
        print_node(planner, task, i, to);
}

/* --- operands of a trial ---------------------------------------------------------------------- */

struct operand {
    size_t size; /* bytes */
    bool scalar;
};

static void fill_scalars(float *items, size_t count)
{
    uint32_t state = 1;

    for (size_t i = 0; i < count; i++) {
        state = state * 1664525U + 1013904223U;
        items[i] = (float)(state >> 8) * 0x1p-23F - 1.0F;
    }
}

static bool run_fill(const struct step *step, const struct frame *frame)
{
    const struct operand *operand = step->state;

    for (int i = 0; i < step->nout; i++)
        if (operand[i].scalar)
            fill_scalars(step_out(step, frame, i), operand[i].size / sizeof(float));
        else
            memset(step_out(step, frame, i), 0, operand[i].size);
    return true;
}

static const struct kernel fill = {.name = "fill", .run = run_fill};

static bool is_computed_by(const struct task *task, const struct value *value)
{
    for (int i = 0; i < task->count; i++)
        if (value->kind == VALUE_RESULT && value->producer == task->nodes[i])
            return true;
    return false;
}

/* It has a buffer of its own, whoever computes it and wherever that would write it. */
static void add_operand(struct planner *trial, struct step *step, const struct value *value,
                        enum layout layout)
{
    struct operand *operand = step->state;
    int buffer = result_buffer(trial, value);

    trial->home[value->id].buffer[layout] = buffer;
    operand[step->nout] =
        (struct operand){trial->plan->buffers[buffer].size, value->dtype == DTYPE_SCALAR};
    step->out[step->nout++] = buffer;
}

/* In the layouts that the value is there in, where there is a difference. */
static void add_operands(const struct planner *planner, struct planner *trial, struct step *step,
                         const struct value *value)
{
    const int *buffer = planner->home[value->id].buffer;
    bool any = false, moot = layout_is_moot(value->shape);

    for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
        if (buffer[layout] == NO_BUFFER || (any && moot))
            continue;
        add_operand(trial, step, value, (enum layout)layout);
        any = true;
    }
    if (!any)
        add_operand(trial, step, value, LAYOUT_PLAIN);
}

static bool is_there(const struct planner *trial, const struct value *value)
{
    const int *buffer = trial->home[value->id].buffer;
    bool there = false;

    for (int layout = 0; layout < LAYOUT_COUNT; layout++)
        there |= buffer[layout] != NO_BUFFER;
    return there;
}

static void fill_operands(const struct planner *planner, struct planner *trial,
                          const struct task *task)
{
    struct arena *arena = trial->plan->arena;
    size_t room = 1;

    for (int i = 0; i < task->count; i++)
        room += (size_t)LAYOUT_COUNT * task->nodes[i]->nin;
    struct step step = {.kernel = &fill,
                        .backend = "trial",
                        .state = arena_array_of(arena, struct operand, room),
                        .out = arena_array_of(arena, int, room),
                        .reused = STEP_NONE};
    for (int i = 0; i < task->count; i++)
        for (uint32_t k = 0; k < task->nodes[i]->nin; k++) {
            const struct value *value = task->nodes[i]->in[k].value;
            if (!plan_constant(planner, value) && !is_computed_by(task, value) &&
                !is_there(trial, value))
                add_operands(planner, trial, &step, value);
        }
    add_step(trial, &step);
}

/* --- a trial ----------------------------------------------------------------------------------- */

/* One way of the task, with what is needed to compare it with others. */
struct trial {
    const struct task *task;
    const struct way *way, *usual;
    double best; /* seconds of the best way so far; 0: there is none */
};

/* The usual one if there is no choice, or no time for it.  False: there is none. */
static bool best_way(struct planner *planner, const struct task *task, struct way *way)
{
    struct ways ways = ways_of(planner, task);

    if (ways.count == 0)
        return false;
    *way = ways.way[0];
    (void)tune(planner, task, way);
    return true;
}

/* Each part in the way that is the fastest for it, as it would be done in the plan. */
static bool emit_parts(struct planner *trial, const struct task *task)
{
    const struct task *part;
    struct way way;

    for (int at = 0; at < task->count; at += part->count) {
        part = task_part(trial->plan->arena, task, at);
        if (!best_way(trial, part, &way) || emit_way(trial, part, &way) != MADE)
            return false;
    }
    return true;
}

static bool plan_trial(const struct planner *planner, struct planner *trial,
                       const struct trial *wanted)
{
    const struct node *last = task_last(wanted->task);

    fill_operands(planner, trial, wanted->task);
    bool ok = wanted->way->apart ? emit_parts(trial, wanted->task)
                                 : emit_way(trial, wanted->task, wanted->way) == MADE;
    for (uint32_t i = 0; i < last->nout && ok; i++)
        ok = buffer_of(trial, &last->out[i], wanted->usual->layout) != NO_BUFFER;
    if (ok)
        place_buffers(trial->plan);
    return ok;
}

/* Seconds of all steps but the first one, of all runs so far. */
static double seconds_of(const struct execution *execution)
{
    double sum = 0;

    for (int i = 1; i < execution_step_count(execution); i++)
        sum += execution_step_time(execution, i).total;
    return sum;
}

static bool run_once(struct execution *execution, double *seconds)
{
    double before = seconds_of(execution);
    bool ok = execution_step(execution);

    *seconds = seconds_of(execution) - before;
    return ok;
}

static int by_length(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The median of some runs after a first one; negative: it cannot be run. */
static double measure_runs(struct execution *execution, double best)
{
    double seconds[MOST_RUNS], first, all = 0;
    int runs = 0;

    execution_measure(execution);
    if (!run_once(execution, &first))
        return -1;
    if (best > 0 && first > HOPELESS * best)
        return first;
    while (runs == 0 || (runs < LEAST_RUNS && all < long_seconds) ||
           (runs < MOST_RUNS && all < enough_seconds)) {
        if (!run_once(execution, &seconds[runs]))
            return -1;
        all += seconds[runs++];
    }
    qsort(seconds, (size_t)runs, sizeof *seconds, by_length);
    return seconds[runs / 2];
}

/* A planner of a plan with nothing in it yet, which shares what is known of the graph.  False: there is not
 * enough memory. */
static bool begin_trial(const struct planner *planner, struct planner *trial,
                        struct plan_options *options)
{
    struct arena *arena = arena_new();
    struct plan *plan = arena_new_of(arena, struct plan);
    size_t values = (size_t)planner->graph->value_count + 1;

    *plan = (struct plan){.graph = planner->graph,
                          .backend = planner->plan->backend,
                          .arena = arena,
                          .threads = planner->plan->threads,
                          .exact = planner->plan->exact};
    plan->pool = plan->own = pool_new();
    *options = *planner->options;
    options->discard = NULL;
    options->pack_into = NULL;
    *trial = *planner;
    trial->plan = plan;
    trial->options = options;
    trial->diag = planner->options->tuner->diag;
    trial->told = 0;
    trial->team = NULL;
    trial->home = arena_array_of(arena, struct home, values);
    for (size_t i = 0; i < values; i++)
        for (int layout = 0; layout < LAYOUT_COUNT; layout++)
            trial->home[i].buffer[layout] = NO_BUFFER;
    return plan->pool;
}

/* Nothing of the plan in the making is changed. */
static double measure_way(const struct planner *planner, const struct trial *wanted)
{
    struct plan_options options;
    struct planner trial;
    struct execution *execution = NULL;
    double seconds = -1;

    if (begin_trial(planner, &trial, &options) && plan_trial(planner, &trial, wanted))
        execution = execution_new(trial.plan, trial.diag);
    if (execution)
        seconds = measure_runs(execution, wanted->best);
    execution_free(execution);
    team_free(trial.team);
    plan_free(trial.plan);
    return seconds;
}

/* --- choosing ------------------------------------------------------------------------------------ */

/* False if none of them can be done. */
static bool choose(const struct planner *planner, const struct task *task, const struct ways *ways,
                   struct way *way, double *seconds)
{
    struct trial trial = {.task = task, .usual = &ways->way[0]};

    for (int i = 0; i < ways->count; i++) {
        trial.way = &ways->way[i];
        double took = measure_way(planner, &trial);
        if (took < 0 || (trial.best > 0 && took >= gain * trial.best))
            continue;
        trial.best = took;
        *way = ways->way[i];
    }
    *seconds = trial.best;
    return trial.best > 0;
}

static bool recall(const struct tuning *tuning, const char *task, const struct ways *ways,
                   struct way *way)
{
    const char *name = tuning_find(tuning, task);

    for (int i = 0; name && i < ways->count; i++)
        if (is_called(&ways->way[i], name)) {
            *way = ways->way[i];
            return true;
        }
    return false;
}

static bool try_all(const struct planner *planner, const struct task *task, const char *name,
                    const struct ways *ways, struct way *way)
{
    struct tuner *tuner = planner->options->tuner;
    double begin = clock_seconds(), left = tuner->seconds, seconds;
    struct text text = {0};

    if (tuner->seconds <= 0) {
        tuner->left++;
        return false;
    }
    bool found = choose(planner, task, ways, way, &seconds);
    tuner->seconds = left - (clock_seconds() - begin); /* with what parts took */
    tuner->tried++;
    if (!found)
        return false;
    print_way(way, &text);
    tuning_add(tuner->tuning, name, text.data, seconds);
    text_free(&text);
    return true;
}

bool tune(struct planner *planner, const struct task *task, struct way *way)
{
    struct ways ways = ways_of(planner, task);
    struct text name = {0};

    if (ways.count < 2)
        return false;
    print_task(planner, task, &name);
    bool known = recall(planner->options->tuner->tuning, name.data, &ways, way) ||
                 try_all(planner, task, name.data, &ways, way);
    text_free(&name);
    return known;
}
