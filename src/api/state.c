/* state.c - results of a step that are inputs of the next one (nnefc/open.h) */
#include "api/open.h"
#include "ir/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A pattern of names: `before` and `behind` around a '*'; without one, a single name. */
struct pattern {
    const char *text, *star; /* NULL: none */
};

static struct pattern pattern_of(const char *text)
{
    return (struct pattern){text, strchr(text, '*')};
}

/* What the '*' stands for in the name, which is *size characters; NULL: the name is another. */
static const char *match(const struct pattern *pattern, const char *name, size_t *size)
{
    size_t before = pattern->star ? (size_t)(pattern->star - pattern->text) : strlen(pattern->text);
    const char *behind = pattern->star ? pattern->star + 1 : "";
    size_t length = strlen(name), after = strlen(behind);

    if (length < before + after || memcmp(name, pattern->text, before) != 0 ||
        strcmp(name + length - after, behind) != 0 || (!pattern->star && length != before))
        return NULL;
    *size = length - before - after;
    return name + before;
}

/* The result whose name has the same text in the place of the '*'; -1: there is none. */
static int find_result(const struct graph *graph, const struct pattern *results, const char *text,
                       size_t size)
{
    for (int i = 0; i < graph->noutput; i++) {
        size_t own;
        const char *found = match(results, graph->outputs[i].name, &own);
        if (found && own == size && memcmp(found, text, size) == 0)
            return i;
    }
    return -1;
}

/* A pair of a parameter and a result of one type and of shapes that may be equal. */
static bool add_state(struct nnefc_run *run, int input, int output)
{
    const struct graph *graph = model_interface(run->model);
    const struct port *from = &graph->outputs[output], *to = &graph->inputs[input];
    struct diag *diag = run->model->context->diag;

    if (run_has_state(run->run, input))
        return misuse(run->model, "parameter '%s' has its state already", to->name);
    bool typed = from->value->dtype != DTYPE_UNKNOWN; /* else the step will tell */
    if ((typed && from->value->dtype != to->value->dtype) ||
        !shape_compatible(from->value->shape, to->value->shape))
        return diag_file_error(
            diag, NULL, DIAG_DATA_SHAPE, "result '%s' (%s%s) cannot become parameter '%s' (%s%s)",
            from->name, dtype_name(from->value->dtype), SHAPE_TEXT(from->value->shape), to->name,
            dtype_name(to->value->dtype), SHAPE_TEXT(to->value->shape));
    run_add_state(run->run, input, output);
    return true;
}

bool api_run_set_state(struct nnefc_run *run, const char *inputs, const char *outputs)
{
    if (!inputs || !outputs || !strchr(inputs, '*') != !strchr(outputs, '*'))
        return misuse(run->model, "a state has names of parameters and results, each with a '*' or "
                                  "none of them");
    const struct graph *graph = model_interface(run->model);
    const struct pattern from = pattern_of(inputs), to = pattern_of(outputs);
    struct diag *diag = run->model->context->diag;
    bool ok = true;
    int count = 0;

    for (int i = 0; i < graph->ninput; i++) {
        size_t size;
        const char *text = match(&from, graph->inputs[i].name, &size);
        int result = text ? find_result(graph, &to, text, size) : -1;
        if (!text)
            continue;
        count++;
        if (result < 0)
            ok = diag_file_error(diag, NULL, DIAG_INPUT_UNKNOWN,
                                 "parameter '%s' has no result '%s' that fits",
                                 graph->inputs[i].name, outputs);
        else
            ok &= add_state(run, i, result);
    }
    return count > 0 ? ok
                     : diag_file_error(diag, NULL, DIAG_INPUT_UNKNOWN,
                                       "graph '%s' has no parameter '%s'", graph->name, inputs);
}

/* A state that nobody has fed begins as zeros.  What is open of its shape, and not told by other
 * inputs of the same names, is 0: a sequence that has not begun. */
bool states_begin(struct nnefc_run *run)
{
    const struct graph *graph = model_interface(run->model);
    bool ok = true;

    for (int i = 0; i < graph->ninput && ok; i++) {
        struct shape shape;
        struct tensor tensor;
        if (!run_has_state(run->run, i) || run_has_input(run->run, i))
            continue;
        open_extents(run, i, &shape);
        for (int k = 0; k < shape.rank; k++)
            shape.extent[k] = shape.extent[k] < 0 ? 0 : shape.extent[k];
        if (shape.rank < 0)
            return run_miss_input(run->run, i);
        ok = allocate_input(run, graph->inputs[i].value, &shape, &tensor);
        if (ok) /* with zeroed items */
            run_begin_state(run->run, i, &tensor);
    }
    return ok;
}
