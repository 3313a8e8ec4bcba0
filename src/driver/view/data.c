/*
 * data.c - the data of a page (docs/view.md): lists by column, in which a text is a number
 *
 * Lists come first, then the texts that they name.  Two models have lists together: things of the
 * second have numbers behind those of the first.
 */
#include "driver/memory.h"
#include "driver/view/attribute.h"
#include "driver/view/drawing.h"
#include "driver/view/strings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    FILE *to;
    const struct drawing *drawing;
    int which;             /* the model at hand */
    const struct net *net; /* its network; NULL: none yet, and after the last one */
    int op, value, group;  /* what was counted before its own: two models share the lists */
    struct strings strings;
    const struct nnefc_op_list *ops; /* the standard operations */
    struct strings op_names;         /* their names, each once */
    int *op_of;                      /* by number of the name: index in `ops` */
    bool first;                      /* the next item is the first of its list */
};

/* --- lists ------------------------------------------------------------------------------------ */

static void begin(struct writer *w, const char *key)
{
    if (key)
        fprintf(w->to, "\"%s\":[", key);
    else
        fputs(w->first ? "[" : ",[", w->to);
    w->first = true;
}

static void end(struct writer *w, const char *more)
{
    fprintf(w->to, "]%s", more);
    w->first = false;
}

static void number(struct writer *w, int64_t value)
{
    fprintf(w->to, w->first ? "%" PRId64 : ",%" PRId64, value);
    w->first = false;
}

static void text(struct writer *w, const char *value)
{
    number(w, strings_add(&w->strings, value));
}

/* Is there another model?  Two are groups of a root that has nothing else. */
static bool next_model(struct writer *w)
{
    const struct drawing *drawing = w->drawing;

    if (w->net) {
        w->op += w->net->operations->count;
        w->value += w->net->values;
        w->group += w->net->groups;
        w->which++;
    } else {
        w->op = w->value = w->which = 0;
        w->group = drawing->models > 1;
    }
    w->net = w->which < drawing->models ? &drawing->of[w->which].net : NULL;
    return w->net;
}

/* The number among those of all models; -1 stays. */
static int among_all(int before, int index)
{
    return index < 0 ? index : before + index;
}

typedef int64_t number_of(struct writer *w, int index);

/* A list of a number for each operation; `of` gives it. */
static void op_column(struct writer *w, const char *key, number_of *of)
{
    begin(w, key);
    while (next_model(w))
        for (int i = 0; i < w->net->operations->count; i++)
            number(w, of(w, i));
    end(w, ",\n");
}

static void value_column(struct writer *w, const char *key, number_of *of, const char *more)
{
    begin(w, key);
    while (next_model(w))
        for (int i = 0; i < w->net->values; i++)
            number(w, of(w, i));
    end(w, more);
}

static const struct nnefc_operation *operation(const struct writer *w, int index)
{
    return w->net->operations->at[index];
}

/* --- operations ------------------------------------------------------------------------------- */

static int64_t type_of(struct writer *w, int index)
{
    return strings_add(&w->strings, operation(w, index)->operation);
}

static int64_t name_of(struct writer *w, int index)
{
    return strings_add(&w->strings, operation(w, index)->results->at[0]->name);
}

static int64_t group_of(struct writer *w, int index)
{
    return w->group + w->net->group_of[index];
}

static int64_t line_of(struct writer *w, int index)
{
    return operation(w, index)->line;
}

static int64_t file_of(struct writer *w, int index)
{
    return strings_add(&w->strings, operation(w, index)->file);
}

static int64_t node_of(struct writer *w, int index)
{
    return strings_add(&w->strings, operation(w, index)->node);
}

static int64_t macs_of(struct writer *w, int index)
{
    return operation(w, index)->macs;
}

static void fragments_of(struct writer *w, int index)
{
    const char *name[MOST_DEPTH];
    int depth = 0;

    for (const struct nnefc_expansion *e = operation(w, index)->expansion; e && depth < MOST_DEPTH;
         e = e->caller)
        name[depth++] = e->fragment;
    while (depth > 0)
        text(w, name[--depth]);
}

/* The default that the declaration of an operation has behind "NAME: ... =", up to the next
 * parameter, and its length in *size; NULL: there is none. */
static const char *default_of(const char *declaration, const char *name, size_t *size)
{
    size_t length = strlen(name);
    const char *at = declaration;

    while ((at = strstr(at, name)) && !((at[-1] == ' ' || at[-1] == '(') && at[length] == ':'))
        at++;
    if (!at || at == declaration)
        return NULL;
    for (; *at && *at != '=' && *at != ',' && strncmp(at, ") ->", 4) != 0; at++)
        ;
    if (*at != '=')
        return NULL;
    const char *value = at + 1 + (at[1] == ' ');
    int depth = 0;
    for (at = value; *at && (depth > 0 || (*at != ',' && *at != ')')); at++)
        depth += (*at == '[' || *at == '(') - (*at == ']' || *at == ')');
    *size = (size_t)(at - value);
    return value;
}

/* Are both the same number, or the same text except for blanks? */
static bool same_value(const char *value, const char *standard, size_t size)
{
    char *value_end, *standard_end;
    double a = strtod(value, &value_end), b = strtod(standard, &standard_end);

    if (value_end > value && !*value_end && standard_end == standard + size)
        return !(a < b) && !(a > b);
    for (size_t i = 0; i < size; i++)
        if (standard[i] != ' ' && *value++ != standard[i])
            return false;
    return !*value;
}

/* The number of the operation that the library declares under this name; -1: none. */
static int op_of(const struct writer *w, const char *name)
{
    int number = strings_find(&w->op_names, name);

    return number < 0 ? -1 : w->op_of[number];
}

static void attributes_of(struct writer *w, int index)
{
    const struct nnefc_attribute_list *list = operation(w, index)->attributes;
    int op = op_of(w, operation(w, index)->operation);

    for (int k = 0; k < list->count; k++) {
        char *value = NULL;
        size_t size = 0;
        FILE *memory = must_have(open_memstream(&value, &size));
        attribute_print(memory, list->at[k]->value);
        if (fclose(memory) != 0)
            end_without_memory();
        const char *standard =
            op < 0 ? NULL : default_of(w->ops->at[op]->declaration, list->at[k]->name, &size);
        text(w, list->at[k]->name);
        text(w, value);
        number(w, standard && same_value(value, standard, size));
        free(value);
    }
}

static void values_of(struct writer *w, const struct value_lists *lists, int index)
{
    for (int k = lists->first[index]; k < lists->first[index + 1]; k++)
        number(w, among_all(w->value, lists->value[k]));
}

static void operands_of(struct writer *w, int index)
{
    values_of(w, &w->net->in, index);
}

static void results_of(struct writer *w, int index)
{
    values_of(w, &w->net->out, index);
}

/* A list of a list for each operation, whose items `add` writes. */
static void op_lists(struct writer *w, const char *key, void (*add)(struct writer *w, int index),
                     const char *more)
{
    begin(w, key);
    while (next_model(w))
        for (int i = 0; i < w->net->operations->count; i++) {
            begin(w, NULL);
            add(w, i);
            end(w, "");
        }
    end(w, more);
}

static void operations(struct writer *w)
{
    fputs("\"ops\":{", w->to);
    op_column(w, "type", type_of);
    op_column(w, "name", name_of);
    op_column(w, "group", group_of);
    op_column(w, "line", line_of);
    op_column(w, "file", file_of);
    op_column(w, "node", node_of);
    op_column(w, "macs", macs_of);
    op_lists(w, "fragments", fragments_of, ",\n");
    op_lists(w, "attrs", attributes_of, ",\n");
    op_lists(w, "in", operands_of, ",\n");
    op_lists(w, "out", results_of, "},\n");
}

/* --- values ----------------------------------------------------------------------------------- */

static int64_t value_name(struct writer *w, int index)
{
    return strings_add(&w->strings, w->net->value[index].name);
}

static int64_t value_type(struct writer *w, int index)
{
    return strings_add(&w->strings, nnefc_dtype_name(w->net->value[index].type->dtype));
}

static int64_t value_kind(struct writer *w, int index)
{
    return w->net->value[index].kind;
}

static int64_t value_producer(struct writer *w, int index)
{
    return among_all(w->op, w->net->value[index].producer);
}

static int64_t value_label(struct writer *w, int index)
{
    return strings_add(&w->strings, w->net->value[index].label);
}

static int64_t value_bytes(struct writer *w, int index)
{
    return w->net->value[index].bytes;
}

static void shape_of(struct writer *w, int index)
{
    const struct nnefc_type *type = w->net->value[index].type;

    if (type->rank < 0) {
        fputs(w->first ? "null" : ",null", w->to);
        w->first = false;
        return;
    }
    begin(w, NULL);
    for (int k = 0; k < type->rank; k++)
        number(w, type->extent[k]);
    end(w, "");
}

static void values(struct writer *w)
{
    fputs("\"values\":{", w->to);
    value_column(w, "name", value_name, ",\n");
    value_column(w, "type", value_type, ",\n");
    begin(w, "shape");
    while (next_model(w))
        for (int i = 0; i < w->net->values; i++)
            shape_of(w, i);
    end(w, ",\n");
    value_column(w, "kind", value_kind, ",\n");
    value_column(w, "producer", value_producer, ",\n");
    value_column(w, "label", value_label, ",\n");
    value_column(w, "bytes", value_bytes, "},\n");
}

static void ports(struct writer *w)
{
    begin(w, "inputs");
    while (next_model(w))
        for (int i = 0; i < w->net->inputs; i++)
            number(w, among_all(w->value, w->net->input[i]));
    end(w, ",\n");
    begin(w, "outputs");
    while (next_model(w))
        for (int i = 0; i < w->net->outputs; i++)
            number(w, among_all(w->value, w->net->output[i]));
    end(w, ",\n");
}

/* --- groups ----------------------------------------------------------------------------------- */

static void rows(struct writer *w, const struct net_layout *layout)
{
    begin(w, "rows");
    for (int row = 0; row < layout->rows; row++) {
        begin(w, NULL);
        for (int i = layout->first[row]; i < layout->first[row + 1]; i++)
            number(w, layout->slot[i]);
        end(w, "");
    }
    end(w, ",");
}

static void group(struct writer *w, const struct net_group *group)
{
    const struct net_layout *layout = &group->layout;
    const int before[] = {[BOX_OPERATION] = w->op,
                          [BOX_GROUP] = w->group,
                          [BOX_VALUE] = w->value,
                          [BOX_OUTPUT] = w->value};
    const char *title = group->parent < 0 ? w->drawing->of[w->which].title : NULL;
    int parent = among_all(w->group, group->parent);

    fprintf(w->to, "{\"name\":%d,\"parent\":%d,\"kind\":%d,\"same\":%d,\"times\":%d,\"size\":%d,",
            strings_add(&w->strings, title ? title : group->name),
            parent < 0 && w->drawing->models > 1 ? 0 : parent, (int)group->kind,
            among_all(w->group, group->same), group->times, group->end - group->begin);
    begin(w, "boxes");
    for (int i = 0; i < group->boxes; i++) {
        number(w, group->box[i].kind);
        number(w, before[group->box[i].kind] + group->box[i].index);
    }
    end(w, ",");
    rows(w, layout);
    begin(w, "tracks");
    for (int i = layout->boxes; i < layout->slots; i++)
        number(w, w->value + layout->track[i - layout->boxes]);
    end(w, ",");
    begin(w, "links");
    for (int i = 0; i < layout->links; i++) {
        number(w, layout->link[i].from);
        number(w, layout->link[i].to);
        number(w, w->value + layout->link[i].value);
    }
    end(w, "}");
}

static void groups(struct writer *w)
{
    const struct drawn *of = w->drawing->of;

    fputs("\"groups\":[", w->to);
    if (w->drawing->models > 1)
        fprintf(w->to,
                "{\"name\":-1,\"parent\":-1,\"kind\":0,\"same\":-1,\"times\":1,\"size\":%d,"
                "\"boxes\":[1,1,1,%d],\"rows\":[[0,1]],\"tracks\":[],\"links\":[]}",
                of[0].net.operations->count + of[1].net.operations->count, 1 + of[0].net.groups);
    while (next_model(w))
        for (int i = 0; i < w->net->groups; i++) {
            fputs(w->group + i > 0 ? ",\n" : "", w->to);
            group(w, &w->net->group[i]);
        }
    fputs("],\n", w->to);
}

/* --- what is known besides -------------------------------------------------------------------- */

/* The texts that operations of models of NNEF stand in. */
static void texts(struct writer *w)
{
    const char *separator = "\"texts\":[";

    for (int i = 0; i < w->drawing->models; i++) {
        struct nnefc_text document = nnefc_model_text(w->drawing->of[i].model, NNEFC_PART_DOCUMENT);
        if (!document.name)
            continue;
        fprintf(w->to, "%s{\"file\":%d,\"text\":", separator,
                strings_add(&w->strings, document.name));
        json_text(w->to, document.data, "\n\t\r");
        fputc('}', w->to);
        separator = ",";
    }
    if (*separator == ',')
        fputs("],\n", w->to);
}

/* What an operation is for, and where the standard says so. */
static void help_of(struct writer *w, const struct nnefc_op *op)
{
    fputs(w->first ? "" : ",", w->to);
    w->first = false;
    json_text(w->to, op->name, "");
    fputs(":[", w->to);
    json_text(w->to, op->title ? op->title : "", "");
    fputc(',', w->to);
    json_text(w->to, op->section ? op->section : "", "");
    fputc(']', w->to);
}

/* Of the operations that occur, each once. */
static void help(struct writer *w)
{
    bool *said = zeroed_items((size_t)w->ops->count, sizeof *said);

    w->first = true;
    fputs("\"help\":{", w->to);
    while (next_model(w))
        for (int i = 0; i < w->net->operations->count; i++) {
            int at = op_of(w, operation(w, i)->operation);
            if (at >= 0 && !said[at])
                help_of(w, w->ops->at[at]);
            if (at >= 0)
                said[at] = true;
        }
    fputs("},\n", w->to);
    free(said);
}

static void name_ops(struct writer *w)
{
    w->op_of = zeroed_items((size_t)w->ops->count, sizeof *w->op_of);
    for (int i = w->ops->count - 1; i >= 0; i--)
        w->op_of[strings_add(&w->op_names, w->ops->at[i]->name)] = i;
}

/* Operations of each step are linked in a list: the next one of each, or -1. */
static void steps(struct writer *w, const struct planned *plan)
{
    int count = plan->steps->count, operations = w->drawing->of[0].net.operations->count;
    int *first = zeroed_items((size_t)count, sizeof *first);
    int *next = zeroed_items((size_t)operations, sizeof *next);

    for (int i = 0; i < count; i++)
        first[i] = -1;
    for (int i = operations - 1; i >= 0; i--)
        if (plan->step_of[i] >= 0) {
            next[i] = first[plan->step_of[i]];
            first[plan->step_of[i]] = i;
        }
    fputs("\"steps\":{", w->to);
    begin(w, "name");
    for (int i = 0; i < count; i++)
        text(w, plan->steps->at[i]->name);
    end(w, ",");
    begin(w, "kernel");
    for (int i = 0; i < count; i++)
        text(w, plan->steps->at[i]->kernel ? plan->steps->at[i]->kernel : plan->steps->at[i]->kind);
    end(w, ",");
    begin(w, "ops");
    for (int i = 0; i < count; i++) {
        begin(w, NULL);
        for (int o = first[i]; o >= 0; o = next[o])
            number(w, o);
        end(w, "");
    }
    end(w, "},\n");
    free(first);
    free(next);
}

static void optional(struct writer *w, const char *key, const char *json)
{
    if (json)
        fprintf(w->to, "\"%s\":%s,\n", key, json);
}

void json_write(FILE *to, const struct drawing *drawing)
{
    struct nnefc_catalogue *catalogue = must_have(nnefc_catalogue_new());
    const struct nnefc_identity *identity = nnefc_model_identity(drawing->of[0].model);
    struct writer w = {
        .to = to, .drawing = drawing, .ops = nnefc_catalogue_ops(catalogue, NNEFC_DIALECT_AUTO)};

    name_ops(&w);
    fputs("{\"nnefcView\":1,\"title\":", to);
    json_text(to, drawing->title, "");
    fprintf(to, ",\"format\":\"%s\",\n", nnefc_format_name(identity->format));
    operations(&w);
    values(&w);
    ports(&w);
    groups(&w);
    texts(&w);
    help(&w);
    if (drawing->plan.steps)
        steps(&w, &drawing->plan);
    optional(&w, "weights", drawing->weights);
    optional(&w, "overlay", drawing->overlay);
    optional(&w, "findings", drawing->findings);
    if (drawing->of[0].side)
        fprintf(to, "\"sides\":\"%.*s\",\n", drawing->models,
                (char[]){drawing->of[0].side, drawing->of[1].side});
    fputs("\"strings\":[", to);
    for (int i = 0; i < w.strings.count; i++) {
        fputs(i > 0 ? "," : "", to);
        json_text(to, w.strings.text[i], "");
    }
    fputs("]}\n", to);
    strings_free(&w.strings);
    strings_free(&w.op_names);
    free(w.op_of);
    nnefc_catalogue_free(catalogue);
}
