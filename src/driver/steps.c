/* steps.c - where the time of a run goes, for people and for programs */
#include "driver/steps.h"

#include "driver/json_build.h"
#include "driver/report.h"
#include "nnefc/backend.h"

#include <string.h>

enum { COLUMNS = 4 }; /* of text */

enum nnefc_status steps_measure(const struct settings *settings, struct nnefc_run *run)
{
    return settings->steps_told ? nnefc_run_measure(run) : NNEFC_OK;
}

/* --- what is told of a step ----------------------------------------------------------------- */

/* Of the fastest run: others may have waited for other programs. */
static double seconds_of(const struct nnefc_step *step)
{
    return step->least;
}

static double mean_of(const struct nnefc_step *step)
{
    return step->runs > 0 ? step->total / (double)step->runs : 0;
}

static double seconds_of_all(struct nnefc_run *run)
{
    double sum = 0;

    for (int i = 0; i < nnefc_run_step_count(run); i++) {
        const struct nnefc_step step = nnefc_run_step_at(run, i);
        sum += seconds_of(&step);
    }
    return sum;
}

static double share_of(const struct nnefc_step *step, double all)
{
    return all > 0 ? seconds_of(step) / all : 0;
}

static bool has_speed(const struct nnefc_step *step)
{
    return step->work > 0 && seconds_of(step) > 0;
}

static double gigaflops_of(const struct nnefc_step *step)
{
    return (double)step->work / seconds_of(step) * 1e-9;
}

static const char *or_nothing(const char *text)
{
    return text ? text : "-";
}

/* --- for people ------------------------------------------------------------------------------ */

struct row {
    const char *text[COLUMNS];
};

static const struct row heads = {{"step", "operations", "kernel", "layout"}};

static struct row row_of(const struct nnefc_step *step)
{
    return (struct row){
        {or_nothing(step->name), or_nothing(step->operations), step->kernel, step->layout}};
}

static void widen(int width[COLUMNS], const struct row *row)
{
    for (int i = 0; i < COLUMNS; i++) {
        int length = (int)strlen(row->text[i]);
        width[i] = length > width[i] ? length : width[i];
    }
}

static void print_texts(FILE *out, const int width[COLUMNS], const struct row *row)
{
    for (int i = 0; i < COLUMNS; i++)
        fprintf(out, "%-*s  ", width[i], row->text[i]);
}

static void print_step(FILE *out, const int width[COLUMNS], const struct nnefc_step *step,
                       double all)
{
    struct row row = row_of(step);

    print_texts(out, width, &row);
    fprintf(out, "%10.4f  %5.1f%%  ", 1e3 * seconds_of(step), 100 * share_of(step, all));
    if (has_speed(step))
        fprintf(out, "%8.1f\n", gigaflops_of(step));
    else
        fprintf(out, "%8s\n", "-");
}

void steps_print(FILE *out, struct nnefc_run *run)
{
    int width[COLUMNS] = {0}, count = nnefc_run_step_count(run);
    double all = seconds_of_all(run);

    widen(width, &heads);
    for (int i = 0; i < count; i++) {
        const struct nnefc_step step = nnefc_run_step_at(run, i);
        struct row row = row_of(&step);
        widen(width, &row);
    }
    print_texts(out, width, &heads);
    fprintf(out, "%10s  %6s  %8s\n", "ms", "share", "GFLOP/s");
    for (int i = 0; i < count; i++) {
        const struct nnefc_step step = nnefc_run_step_at(run, i);
        print_step(out, width, &step, all);
    }
}

/* --- for programs ------------------------------------------------------------------------------ */

static json_t *text_json(const char *text)
{
    return text ? json_text(text) : json_null();
}

static json_t *step_json(const struct nnefc_step *step, double all)
{
    json_t *object = json_object();

    json_set(&object, "name", text_json(step->name));
    json_set(&object, "operations", text_json(step->operations));
    json_set(&object, "kernel", text_json(step->kernel));
    json_set(&object, "layout", text_json(step->layout));
    json_set(&object, "minMs", json_number(1e3 * seconds_of(step)));
    json_set(&object, "meanMs", json_number(1e3 * mean_of(step)));
    json_set(&object, "share", json_number(share_of(step, all)));
    json_set(&object, "gflops", has_speed(step) ? json_number(gigaflops_of(step)) : json_null());
    return object;
}

json_t *steps_json(struct nnefc_run *run)
{
    double all = seconds_of_all(run);
    json_t *list = json_array();

    for (int i = 0; i < nnefc_run_step_count(run); i++) {
        const struct nnefc_step step = nnefc_run_step_at(run, i);
        json_add(&list, step_json(&step, all));
    }
    return list;
}
