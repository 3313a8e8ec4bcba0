/*
 * trace.c - when each step of the last run went on, as a file of trace events
 *
 * The events are complete ones ("X") of the Trace Event Format, which browsers and Perfetto show:
 * a row for each thread, times in microseconds since the first step began.
 */
#include "driver/compute.h"

#include "driver/path.h"
#include "nnefc/backend.h"

#include <math.h>

struct trace {
    const struct nnefc_step_list *steps;
    double since; /* when the run began */
};

/* The run took it, and not one before. */
static bool is_recent(const struct trace *trace, const struct nnefc_step *step)
{
    return step->last->count > 0 && step->last->at[0]->begin >= trace->since;
}

static void name_thread(struct record *events, int thread)
{
    struct record *event = record_object(events, NULL);

    record_text(event, "name", "thread_name");
    record_text(event, "ph", "M");
    record_integer(event, "pid", 1);
    record_integer(event, "tid", thread);
    struct record *args = record_object(event, "args");
    if (thread == 0)
        record_text(args, "name", "caller");
    else
        record_print_to(args, "name", "helper %d", thread);
}

static void add_event(struct record *events, const struct nnefc_step *step,
                      const struct nnefc_span *span, double zero)
{
    struct record *event = record_object(events, NULL);

    record_text(event, "name", step->name ? step->name : step->kind);
    record_text(event, "cat", step->kind);
    record_text(event, "ph", "X");
    record_integer(event, "pid", 1);
    record_integer(event, "tid", span->thread);
    record_real(event, "ts", 1e6 * (span->begin - zero));
    record_real(event, "dur", 1e6 * (span->end - span->begin));
    struct record *args = record_object(event, "args");
    record_text(args, "operations", step->operations);
    record_text(args, "backend", step->backend);
    record_text(args, "kernel", step->kernel);
    record_text(args, "layout", step->layout);
    record_integer(args, "work", step->work);
}

static void print_trace(FILE *file, void *data)
{
    const struct trace *trace = data;
    const struct nnefc_step_list *steps = trace->steps;
    struct record *record = record_new_object();
    struct record *events = record_list(record, "traceEvents");
    double zero = INFINITY;
    int threads = 1;

    for (int i = 0; i < steps->count; i++)
        if (is_recent(trace, steps->at[i])) {
            const struct nnefc_span_list *last = steps->at[i]->last;
            zero = fmin(zero, last->at[0]->begin);
            for (int k = 0; k < last->count; k++)
                threads = last->at[k]->thread >= threads ? last->at[k]->thread + 1 : threads;
        }
    for (int i = 0; i < threads; i++)
        name_thread(events, i);
    for (int i = 0; i < steps->count; i++)
        for (int k = 0; is_recent(trace, steps->at[i]) && k < steps->at[i]->last->count; k++)
            add_event(events, steps->at[i], steps->at[i]->last->at[k], zero);
    record_text(record, "displayTimeUnit", "ms");
    record_print_json(record, JSON_DOUBLES, file);
}

bool trace_write(const char *path, struct nnefc_run *run, double since)
{
    struct trace trace = {nnefc_run_steps(run), since};

    return path_write(path, print_trace, &trace);
}
