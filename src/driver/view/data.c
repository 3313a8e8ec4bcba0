/*
 * data.c - the data of a page (docs/view.md): lists by column, in which a text is a number
 *
 * Lists come first, then the texts that they name.
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
    const struct net *net;
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

/* A list of a number for each operation; `of` gives it. */
static void column(struct writer *w, const char *key, int count,
                   int64_t (*of)(struct writer *w, int index))
{
    begin(w, key);
    for (int i = 0; i < count; i++)
        number(w, of(w, i));
    end(w, ",\n");
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
    return w->net->group_of[index];
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

static void fragments(struct writer *w)
{
    begin(w, "fragments");
    for (int i = 0; i < w->net->operations->count; i++) {
        const char *name[MOST_DEPTH];
        int depth = 0;
        for (const struct nnefc_expansion *e = operation(w, i)->expansion; e && depth < MOST_DEPTH;
             e = e->caller)
            name[depth++] = e->fragment;
        begin(w, NULL);
        while (depth > 0)
            text(w, name[--depth]);
        end(w, "");
    }
    end(w, ",\n");
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

static void attributes(struct writer *w)
{
    begin(w, "attrs");
    for (int i = 0; i < w->net->operations->count; i++) {
        const struct nnefc_attribute_list *list = operation(w, i)->attributes;
        int op = op_of(w, operation(w, i)->operation);
        begin(w, NULL);
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
        end(w, "");
    }
    end(w, ",\n");
}

static void value_lists(struct writer *w, const char *key, const struct value_lists *lists,
                        const char *more)
{
    begin(w, key);
    for (int i = 0; i < w->net->operations->count; i++) {
        begin(w, NULL);
        for (int k = lists->first[i]; k < lists->first[i + 1]; k++)
            number(w, lists->value[k]);
        end(w, "");
    }
    end(w, more);
}

static void operations(struct writer *w)
{
    int count = w->net->operations->count;

    fputs("\"ops\":{", w->to);
    column(w, "type", count, type_of);
    column(w, "name", count, name_of);
    column(w, "group", count, group_of);
    column(w, "line", count, line_of);
    column(w, "file", count, file_of);
    column(w, "node", count, node_of);
    column(w, "macs", count, macs_of);
    fragments(w);
    attributes(w);
    value_lists(w, "in", &w->net->in, ",\n");
    value_lists(w, "out", &w->net->out, "},\n");
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
    return w->net->value[index].producer;
}

static int64_t value_label(struct writer *w, int index)
{
    return strings_add(&w->strings, w->net->value[index].label);
}

static int64_t value_bytes(struct writer *w, int index)
{
    return w->net->value[index].bytes;
}

static void values(struct writer *w)
{
    int count = w->net->values;

    fputs("\"values\":{", w->to);
    column(w, "name", count, value_name);
    column(w, "type", count, value_type);
    begin(w, "shape");
    for (int i = 0; i < count; i++) {
        const struct nnefc_type *type = w->net->value[i].type;
        if (type->rank < 0) {
            fputs(w->first ? "null" : ",null", w->to);
            w->first = false;
            continue;
        }
        begin(w, NULL);
        for (int k = 0; k < type->rank; k++)
            number(w, type->extent[k]);
        end(w, "");
    }
    end(w, ",\n");
    column(w, "kind", count, value_kind);
    column(w, "producer", count, value_producer);
    column(w, "label", count, value_label);
    begin(w, "bytes");
    for (int i = 0; i < count; i++)
        number(w, value_bytes(w, i));
    end(w, "},\n");
}

static void ports(struct writer *w, const char *key, const int *value, int count)
{
    begin(w, key);
    for (int i = 0; i < count; i++)
        number(w, value[i]);
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

    fprintf(w->to, "{\"name\":%d,\"parent\":%d,\"kind\":%d,\"same\":%d,\"times\":%d,\"size\":%d,",
            strings_add(&w->strings, group->name), group->parent, (int)group->kind, group->same,
            group->times, group->end - group->begin);
    begin(w, "boxes");
    for (int i = 0; i < group->boxes; i++) {
        number(w, group->box[i].kind);
        number(w, group->box[i].index);
    }
    end(w, ",");
    rows(w, layout);
    begin(w, "tracks");
    for (int i = layout->boxes; i < layout->slots; i++)
        number(w, layout->track[i - layout->boxes]);
    end(w, ",");
    begin(w, "links");
    for (int i = 0; i < layout->links; i++) {
        number(w, layout->link[i].from);
        number(w, layout->link[i].to);
        number(w, layout->link[i].value);
    }
    end(w, "}");
}

static void groups(struct writer *w)
{
    fputs("\"groups\":[", w->to);
    for (int i = 0; i < w->net->groups; i++) {
        fputs(i > 0 ? ",\n" : "", w->to);
        group(w, &w->net->group[i]);
    }
    fputs("],\n", w->to);
}

/* --- what is known besides -------------------------------------------------------------------- */

/* The text of an NNEF model, which the operations are in. */
static void texts(struct writer *w, const struct nnefc_model *model)
{
    struct nnefc_text document = nnefc_model_text(model, NNEFC_PART_DOCUMENT);

    if (!document.name)
        return;
    fprintf(w->to, "\"texts\":[{\"file\":%d,\"text\":", strings_add(&w->strings, document.name));
    json_text(w->to, document.data, "\n\t\r");
    fputs("}],\n", w->to);
}

/* The purpose of each type of operation that occurs, and its section of the standard. */
static void help(struct writer *w)
{
    bool *said = zeroed_items((size_t)w->ops->count, sizeof *said);

    w->first = true;
    fputs("\"help\":{", w->to);
    for (int i = 0; i < w->net->operations->count; i++) {
        int at = op_of(w, operation(w, i)->operation);
        if (at < 0 || said[at])
            continue;
        const struct nnefc_op *op = w->ops->at[at];
        said[at] = true;
        fputs(w->first ? "" : ",", w->to);
        w->first = false;
        json_text(w->to, op->name, "");
        fputs(":[", w->to);
        json_text(w->to, op->title ? op->title : "", "");
        fputc(',', w->to);
        json_text(w->to, op->section ? op->section : "", "");
        fputc(']', w->to);
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
    int count = plan->steps->count, operations = w->net->operations->count;
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
    const struct nnefc_identity *identity = nnefc_model_identity(drawing->model);
    struct writer w = {
        .to = to, .net = &drawing->net, .ops = nnefc_catalogue_ops(catalogue, NNEFC_DIALECT_AUTO)};

    name_ops(&w);
    fputs("{\"nnefcView\":1,\"title\":", to);
    json_text(to, drawing->title, "");
    fprintf(to, ",\"format\":\"%s\",\n", nnefc_format_name(identity->format));
    operations(&w);
    values(&w);
    ports(&w, "inputs", w.net->input, w.net->inputs);
    ports(&w, "outputs", w.net->output, w.net->outputs);
    groups(&w);
    texts(&w, drawing->model);
    help(&w);
    if (drawing->plan.run)
        steps(&w, &drawing->plan);
    optional(&w, "weights", drawing->weights);
    optional(&w, "overlay", drawing->overlay);
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
