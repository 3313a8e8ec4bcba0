/* subject.c - one view of models and recorded results, and which of their tensors correspond */
#include "driver/subject.h"

#include "driver/path.h"
#include "driver/report.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- opening ---------------------------------------------------------------------------------- */

enum nnefc_status subject_open(struct subject *subject)
{
    const char *path = subject->path;
    char document[PATH_MAX];
    struct stat status;

    assert(!subject->model && path);
    /* Recorded results are an archive of arrays, or a folder without a document in it. */
    if (path_ends_in(path, ".npz")) {
        subject->recorded = nnefc_is_npz(path);
    } else if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        snprintf(document, sizeof document, "%s/graph.nnef", path);
        subject->recorded = access(document, F_OK) != 0;
    }
    if (subject->recorded) {
        subject->model = new_model();
        subject->results = nnefc_results_open(subject->model, path);
    } else {
        subject->model = load_model(&subject->loading, path);
        rewrite_model(subject->rewriting, subject->model);
    }
    return nnefc_model_status(subject->model);
}

enum nnefc_status subject_start(struct subject *subject, const struct nnefc_image *image)
{
    if (subject->recorded)
        return NNEFC_OK;
    enum nnefc_status status =
        start_run(subject->computing, "reference", subject->model, &subject->run);
    struct nnefc_image sized = *image;

    sized.size = sizeof sized;
    if (status == NNEFC_OK)
        status = nnefc_run_set_image(subject->run, &sized);
    if (status != NNEFC_OK)
        return status;
    /* The state is the variables that the graph updates; of those with one label the first. */
    const struct nnefc_variable_list *variables = nnefc_model_variables(subject->model);
    subject->state = zeroed_items((size_t)variables->count, sizeof *subject->state);
    for (int i = 0; i < variables->count; i++) {
        bool wanted = variables->at[i]->is_updated;
        for (int k = 0; k < subject->nstate && wanted; k++)
            wanted = strcmp(variables->at[subject->state[k]]->label, variables->at[i]->label) != 0;
        if (wanted)
            subject->state[subject->nstate++] = i;
    }
    return NNEFC_OK;
}

/* --- tensors ---------------------------------------------------------------------------------- */

int subject_count(const struct subject *subject, enum part part)
{
    const struct nnefc_model *model = subject->model;
    bool recorded = part == PART_OUTPUT || part == PART_COMPUTED;

    if (subject->recorded)
        return recorded ? nnefc_results_list(subject->results)->count : 0;
    if (part == PART_STATE)
        return subject->nstate;
    if (part == PART_VARIABLE)
        return nnefc_model_variables(model)->count;
    if (part == PART_COMPUTED)
        return nnefc_model_computed(model)->count;
    return (part == PART_INPUT ? nnefc_model_inputs : nnefc_model_outputs)(model)->count;
}

struct nnefc_port subject_port(const struct subject *subject, enum part part, int index)
{
    const struct nnefc_model *model = subject->model;

    assert(index >= 0 && index < subject_count(subject, part));
    if (subject->recorded)
        return (struct nnefc_port){.name = nnefc_results_list(subject->results)->at[index]->name};
    if (part == PART_INPUT || part == PART_OUTPUT)
        return *(part == PART_INPUT ? nnefc_model_inputs : nnefc_model_outputs)(model)->at[index];
    if (part == PART_COMPUTED) {
        const struct nnefc_computed *computed = nnefc_model_computed(model)->at[index];
        return (struct nnefc_port){.name = computed->name, .type = computed->type};
    }
    index = part == PART_STATE ? subject->state[index] : index;
    const struct nnefc_variable *variable = nnefc_model_variables(model)->at[index];
    return (struct nnefc_port){.name = variable->label, .type = variable->type};
}

const struct nnefc_tensor *subject_tensor(struct subject *subject, enum part part, int index)
{
    if (subject->recorded) {
        nnefc_tensor_free(subject->read);
        return subject->read = nnefc_results_read(subject->results, index);
    }
    if (part == PART_INPUT)
        return nnefc_run_input(subject->run, index);
    if (part == PART_OUTPUT)
        return nnefc_run_output(subject->run, index);
    if (part == PART_COMPUTED)
        return nnefc_run_computed(subject->run, index);
    return nnefc_run_variable(subject->run, part == PART_STATE ? subject->state[index] : index);
}

/* --- the end ---------------------------------------------------------------------------------- */

void subject_report(struct subject *subject)
{
    if (!subject->model || subject->reported)
        return;
    subject->reported = true;
    report_model(subject->command, subject->model);
    if (nnefc_model_error_count(subject->model) > 0)
        usage_error(subject->command, "'%s' cannot be compared",
                    is_standard(subject->path) ? "<stdin>" : subject->path);
}

void subject_close(struct subject *subject)
{
    subject_report(subject);
    check_memory(subject->model);
    nnefc_tensor_free(subject->read);
    nnefc_results_free(subject->results);
    nnefc_run_free(subject->run);
    nnefc_model_free(subject->model);
    free(subject->state);
}

/* --- pairs by name ---------------------------------------------------------------------------- */

struct matching {
    enum part part;
    const struct subject *subjects;
    int count[2];
    int *partner[2]; /* by index of the one: that in the other, or -1 */
};

struct named {
    const char *name;
    int index;
};

static void join(struct matching *m, int a, int b)
{
    assert(a < m->count[0] && b < m->count[1]);
    m->partner[0][a] = b;
    m->partner[1][b] = a;
}

/* By name; if names are equal, by index. */
static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Those that have a name, sorted, with a NULL behind them. */
static struct named *sorted_names(const struct matching *m, int which)
{
    struct named *names = zeroed_items((size_t)m->count[which] + 1, sizeof *names);
    size_t count = 0;

    for (int i = 0; i < m->count[which]; i++) {
        const char *name = subject_port(&m->subjects[which], m->part, i).name;
        if (name)
            names[count++] = (struct named){name, i};
    }
    qsort(names, count, sizeof *names, by_name);
    return names;
}

/* --- pairs by order --------------------------------------------------------------------------- */

/* How many have no partner yet. */
static int count_left(const struct matching *m, int which)
{
    int count = 0;

    for (int i = 0; i < m->count[which]; i++)
        count += m->partner[which][i] < 0;
    return count;
}

bool type_fits(const struct nnefc_type *a, const struct nnefc_type *b)
{
    bool any = a->rank == NNEFC_UNKNOWN || b->rank == NNEFC_UNKNOWN;
    bool same = a->dtype == b->dtype && (any || a->rank == b->rank);

    for (int i = 0; same && !any && i < a->rank; i++)
        same = a->extent[i] == b->extent[i] || a->extent[i] == NNEFC_UNKNOWN ||
               b->extent[i] == NNEFC_UNKNOWN;
    return same;
}

bool type_is_open(const struct nnefc_type *type)
{
    bool open = type->rank == NNEFC_UNKNOWN;

    for (int i = 0; i < type->rank; i++)
        open |= type->extent[i] == NNEFC_UNKNOWN;
    return open;
}

/* Join them if they can be the same tensor of the same network; false if they are not joined. */
static bool match_structure(struct matching *m, int a, int b)
{
    const struct nnefc_computed *x = nnefc_model_computed(m->subjects[0].model)->at[a];
    const struct nnefc_computed *y = nnefc_model_computed(m->subjects[1].model)->at[b];
    bool free_yet = m->partner[0][a] < 0 && m->partner[1][b] < 0;

    if (m->partner[0][a] == b)
        return true;
    if (!free_yet || strcmp(x->operation, y->operation) != 0 || !type_fits(&x->type, &y->type))
        return false;
    join(m, a, b);
    return true;
}

/* Join tensors without a partner of the same name, as pairs_match() says. */
static void match_by_order(struct matching *m)
{
    int na = m->count[0], nb = m->count[1], shorter = na < nb ? na : nb, alike = 0;
    bool recorded = m->subjects[0].recorded || m->subjects[1].recorded;

    if (m->part == PART_COMPUTED && !recorded) {
        while (alike < shorter && match_structure(m, alike, alike))
            alike++;
        for (int back = 1; back <= shorter - alike && match_structure(m, na - back, nb - back);)
            back++;
    }
    if (m->part == PART_COMPUTED || m->part == PART_VARIABLE ||
        (recorded && (count_left(m, 0) != 1 || count_left(m, 1) != 1)))
        return;
    for (int a = 0, b = 0; a < na; a++) {
        while (b < nb && m->partner[1][b] >= 0)
            b++;
        if (b < nb && m->partner[0][a] < 0)
            join(m, a, b);
    }
}

/* --- all pairs -------------------------------------------------------------------------------- */

struct subject_pairs pairs_match(const struct subject subjects[2], enum part part)
{
    struct matching m = {.part = part, .subjects = subjects};
    struct subject_pairs pairs = {.count = 0};

    for (int which = 0; which < 2; which++) {
        m.count[which] = subject_count(&subjects[which], part);
        m.partner[which] = zeroed_items((size_t)m.count[which], sizeof(int));
        for (int i = 0; i < m.count[which]; i++)
            m.partner[which][i] = -1;
    }
    struct named *as = sorted_names(&m, 0), *bs = sorted_names(&m, 1);
    pairs.pair = zeroed_items((size_t)m.count[0] + (size_t)m.count[1], sizeof *pairs.pair);
    /* Both lists of names are sorted, so that they are walked side by side. */
    for (const struct named *a = as, *b = bs; a->name && b->name;) {
        int order = strcmp(a->name, b->name);
        if (order == 0)
            join(&m, a->index, b->index);
        a += order <= 0;
        b += order >= 0;
    }
    match_by_order(&m);
    for (int a = 0; a < m.count[0]; a++) {
        int b = m.partner[0][a];
        const char *x = subject_port(&subjects[0], part, a).name;
        const char *y = b < 0 ? NULL : subject_port(&subjects[1], part, b).name;
        bool named = x && y && strcmp(x, y) == 0;
        pairs.pair[pairs.count++] = (struct pair){{a, b}, b >= 0 && !named};
    }
    for (int b = 0; b < m.count[1]; b++)
        if (m.partner[1][b] < 0)
            pairs.pair[pairs.count++] = (struct pair){{-1, b}, false};
    free(as);
    free(bs);
    free(m.partner[0]);
    free(m.partner[1]);
    return pairs;
}

void pairs_free(struct subject_pairs *pairs)
{
    free(pairs->pair);
    *pairs = (struct subject_pairs){.count = 0};
}
