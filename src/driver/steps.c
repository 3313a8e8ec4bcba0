/* steps.c - where the time of a run goes, for people and for programs */
#include "driver/steps.h"

#include "driver/json_build.h"
#include "driver/report.h"
#include "nnefc/backend.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 5 }; /* of text */

enum nnefc_status steps_measure(const struct settings *settings, struct nnefc_run *run)
{
    return settings->steps_told ? nnefc_run_measure(run) : NNEFC_OK;
}

/* --- what is told ---------------------------------------------------------------------------- */

/* Of a step, or of all that are of one kind. */
struct spent {
    const char *kind;
    int steps;
    double seconds;
    int64_t work;
    bool shortens; /* any of them */
};

struct profile {
    struct nnefc_step *step;
    int count;
    struct spent *kind; /* the one that took longest first */
    int nkind;
    struct spent all;
    double peak; /* operations a second */
};

/* Of the fastest run: others may have waited for other programs. */
static struct spent spent_by(const struct nnefc_step *step)
{
    return (struct spent){step->kind, 1, step->least, step->work, step->shortens};
}

static double mean_of(const struct nnefc_step *step)
{
    return step->runs > 0 ? step->total / (double)step->runs : 0;
}

static double share_of(const struct spent *spent, const struct profile *profile)
{
    return profile->all.seconds > 0 ? spent->seconds / profile->all.seconds : 0;
}

static bool has_speed(const struct spent *spent)
{
    return spent->work > 0 && spent->seconds > 0;
}

static double gigaflops_of(const struct spent *spent)
{
    return (double)spent->work / spent->seconds * 1e-9;
}

static double share_of_peak(const struct spent *spent, const struct profile *profile)
{
    return gigaflops_of(spent) / (profile->peak * 1e-9);
}

/* --- adding it up ---------------------------------------------------------------------------- */

static struct spent *kind_of(struct profile *profile, const char *kind)
{
    int i = 0;

    while (i < profile->nkind && strcmp(profile->kind[i].kind, kind) != 0)
        i++;
    if (i == profile->nkind)
        profile->kind[profile->nkind++] = (struct spent){.kind = kind};
    return &profile->kind[i];
}

static void add(struct spent *to, const struct spent *spent)
{
    to->steps += spent->steps;
    to->seconds += spent->seconds;
    to->work += spent->work;
    to->shortens |= spent->shortens;
}

static int by_time(const void *a, const void *b)
{
    const struct spent *x = a, *y = b;

    return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

static void profile_free(struct profile *profile)
{
    free(profile->step);
    free(profile->kind);
}

static bool profile_make(struct profile *profile, const struct settings *settings,
                         struct nnefc_run *run)
{
    int count = nnefc_run_step_count(run);

    *profile = (struct profile){.step = calloc((size_t)count + 1, sizeof *profile->step),
                                .kind = calloc((size_t)count + 1, sizeof *profile->kind),
                                .all = {.kind = "all"},
                                .peak = nnefc_peak_flops(settings->threads)};
    if (!profile->step || !profile->kind) {
        profile_free(profile);
        return false;
    }
    profile->count = count;
    for (int i = 0; i < count; i++) {
        profile->step[i] = nnefc_run_step_at(run, i);
        struct spent spent = spent_by(&profile->step[i]);
        add(kind_of(profile, spent.kind), &spent);
        add(&profile->all, &spent);
    }
    qsort(profile->kind, (size_t)profile->nkind, sizeof *profile->kind, by_time);
    return true;
}

/* --- for people ------------------------------------------------------------------------------ */

struct row {
    const char *text[COLUMNS];
};

static const struct row heads = {{"step", "operations", "backend", "kernel", "layout"}};

static const char *or_nothing(const char *text)
{
    return text ? text : "-";
}

static struct row row_of(const struct nnefc_step *step)
{
    return (struct row){{or_nothing(step->name), or_nothing(step->operations), step->backend,
                         step->kernel, step->layout}};
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

static void print_head(FILE *out)
{
    fprintf(out, "%10s  %6s  %8s  %7s\n", "ms", "share", "GFLOP/s", "of peak");
}

static void print_spent(FILE *out, const struct spent *spent, const struct profile *profile)
{
    fprintf(out, "%10.4f  %5.1f%%  ", 1e3 * spent->seconds, 100 * share_of(spent, profile));
    if (has_speed(spent))
        fprintf(out, "%8.1f  %6.1f%%%s\n", gigaflops_of(spent), 100 * share_of_peak(spent, profile),
                spent->shortens ? " *" : "");
    else
        fprintf(out, "%8s  %7s\n", "-", "-");
}

static void print_steps(FILE *out, const struct profile *profile)
{
    int width[COLUMNS] = {0};

    widen(width, &heads);
    for (int i = 0; i < profile->count; i++) {
        struct row row = row_of(&profile->step[i]);
        widen(width, &row);
    }
    print_texts(out, width, &heads);
    print_head(out);
    for (int i = 0; i < profile->count; i++) {
        struct row row = row_of(&profile->step[i]);
        struct spent spent = spent_by(&profile->step[i]);
        print_texts(out, width, &row);
        print_spent(out, &spent, profile);
    }
}

static void print_kinds(FILE *out, const struct profile *profile)
{
    int width = (int)strlen("kind");

    for (int i = 0; i < profile->nkind; i++) {
        int length = (int)strlen(profile->kind[i].kind);
        width = length > width ? length : width;
    }
    fprintf(out, "\n%-*s  %5s  ", width, "kind", "steps");
    print_head(out);
    for (int i = 0; i <= profile->nkind; i++) {
        const struct spent *spent = i < profile->nkind ? &profile->kind[i] : &profile->all;
        fprintf(out, "%-*s  %5d  ", width, spent->kind, spent->steps);
        print_spent(out, spent, profile);
    }
}

static void print_notes(FILE *out, const struct profile *profile)
{
    fprintf(out,
            "\npeak: %.1f GFLOP/s, by as many threads that multiply and add in registers (%s)\n",
            profile->peak * 1e-9, nnefc_kernels_name());
    if (profile->all.shortens)
        fputs("*: Winograd's or Strassen's algorithm takes fewer operations than the direct form, "
              "which is counted\n",
              out);
}

bool steps_print(FILE *out, const struct settings *settings, struct nnefc_run *run)
{
    struct profile profile;

    if (!profile_make(&profile, settings, run))
        return false;
    print_steps(out, &profile);
    print_kinds(out, &profile);
    print_notes(out, &profile);
    profile_free(&profile);
    return true;
}

/* --- for programs ------------------------------------------------------------------------------ */

static json_t *text_json(const char *text)
{
    return text ? json_text(text) : json_null();
}

static void set_spent(json_t **object, const struct spent *spent, const struct profile *profile)
{
    bool speed = has_speed(spent);

    json_set(object, "minMs", json_number(1e3 * spent->seconds));
    json_set(object, "share", json_number(share_of(spent, profile)));
    json_set(object, "gflops", speed ? json_number(gigaflops_of(spent)) : json_null());
    json_set(object, "ofPeak", speed ? json_number(share_of_peak(spent, profile)) : json_null());
    json_set(object, "fewerOperations", json_boolean(spent->shortens));
}

static json_t *step_json(const struct nnefc_step *step, const struct profile *profile)
{
    struct spent spent = spent_by(step);
    json_t *object = json_object();

    json_set(&object, "name", text_json(step->name));
    json_set(&object, "operations", text_json(step->operations));
    json_set(&object, "kind", text_json(step->kind));
    json_set(&object, "backend", text_json(step->backend));
    json_set(&object, "kernel", text_json(step->kernel));
    json_set(&object, "layout", text_json(step->layout));
    json_set(&object, "meanMs", json_number(1e3 * mean_of(step)));
    set_spent(&object, &spent, profile);
    return object;
}

static json_t *kind_json(const struct spent *kind, const struct profile *profile)
{
    json_t *object = json_object();

    json_set(&object, "kind", text_json(kind->kind));
    json_set(&object, "steps", json_integer(kind->steps));
    set_spent(&object, kind, profile);
    return object;
}

json_t *steps_json(const struct settings *settings, struct nnefc_run *run)
{
    json_t *object = json_object(), *steps = json_array(), *kinds = json_array();
    struct profile profile;

    if (!profile_make(&profile, settings, run)) {
        json_decref(object);
        object = NULL;
        profile = (struct profile){0};
    }
    for (int i = 0; i < profile.count; i++)
        json_add(&steps, step_json(&profile.step[i], &profile));
    for (int i = 0; i < profile.nkind; i++)
        json_add(&kinds, kind_json(&profile.kind[i], &profile));
    json_set(&object, "kernels", text_json(nnefc_kernels_name()));
    json_set(&object, "peakGflops", json_number(profile.peak * 1e-9));
    json_set(&object, "steps", steps);
    json_set(&object, "kinds", kinds);
    profile_free(&profile);
    return object;
}
