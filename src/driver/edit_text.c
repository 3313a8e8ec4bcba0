/*
 * edit_text.c - changes of parts of an NNEF text
 *
 * The places of names in the text tell which bytes are replaced.  The new text is loaded like any
 * other before anything is written, so its faults are ordinary diagnostics.
 */
#include "driver/edit.h"
#include "driver/memory.h"
#include "driver/path.h"
#include "driver/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- replacements ----------------------------------------------------------------------------- */

void edit_replace(struct editing *e, size_t begin, size_t end, char *text)
{
    e->list = resize_items(e->list, (size_t)e->count + 1, sizeof *e->list);
    e->list[e->count] = (struct replacement){.begin = begin, .end = end, .order = e->count};
    e->list[e->count++].text = text;
}

char *edit_join(const char *a, const char *b, const char *c, const char *d)
{
    size_t size = strlen(a) + strlen(b) + strlen(c) + strlen(d) + 1;
    char *text = zeroed_items(size, 1);

    snprintf(text, size, "%s%s%s%s", a, b, c, d);
    return text;
}

static int compare_replacements(const void *a, const void *b)
{
    const struct replacement *x = a, *y = b;

    return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin)
                                : x->order - y->order;
}

/* Are both put in front of the same character? */
static bool are_insertions(const struct replacement *a, const struct replacement *b)
{
    return a->begin == a->end && b->begin == b->end && a->begin == b->begin;
}

/* The new text, to be freed; NULL after a message if two changes are of the same place. */
static char *make_text(struct editing *e, size_t *size)
{
    size_t at = 0, room = e->text.size + 1, used = 0;

    if (e->count > 0)
        qsort(e->list, (size_t)e->count, sizeof *e->list, compare_replacements);
    for (int i = 0; i < e->count; i++)
        room += strlen(e->list[i].text);
    char *text = zeroed_items(room, 1);
    for (int i = 0; i <= e->count; i++) {
        size_t begin = i < e->count ? e->list[i].begin : e->text.size;
        if (begin < at || (i > 0 && i < e->count && begin == e->list[i - 1].begin &&
                           !are_insertions(&e->list[i - 1], &e->list[i]))) {
            usage_error(e->command, "two changes are of the same place: '%s' and '%s'",
                        e->list[i - 1].text, i < e->count ? e->list[i].text : "");
            free(text);
            return NULL;
        }
        memcpy(text + used, e->text.data + at, begin - at);
        used += begin - at;
        if (i == e->count)
            break;
        size_t length = strlen(e->list[i].text);
        memcpy(text + used, e->list[i].text, length);
        used += length;
        at = e->list[i].end;
    }
    *size = used;
    return text;
}

void edit_forget(struct editing *e)
{
    for (int i = 0; i < e->count; i++)
        free(e->list[i].text);
    free(e->list);
}

/* --- symbols ---------------------------------------------------------------------------------- */

int edit_symbol(const struct editing *e, enum nnefc_symbol_kind kind, const char *name)
{
    for (int i = 0; i < e->symbols->count; i++) {
        const struct nnefc_symbol *s = e->symbols->at[i];
        bool declared = kind != NNEFC_SYMBOL_FRAGMENT || s->declaration >= 0;
        if (s->kind == kind && !s->scope && declared && strcmp(s->name, name) == 0)
            return i;
    }
    return -1;
}

/* Report that there is no such symbol, and suggest one. */
static bool no_symbol(const struct editing *e, const char *wrong, const char *name, bool labels)
{
    const char **names = zeroed_items((size_t)e->symbols->count + 1, sizeof *names);
    int count = 0;

    for (int i = 0; i < e->symbols->count; i++) {
        const struct nnefc_symbol *s = e->symbols->at[i];
        bool fits =
            labels ? s->kind == NNEFC_SYMBOL_LABEL : s->kind == NNEFC_SYMBOL_TENSOR && !s->scope;
        if (fits)
            names[count++] = s->name;
    }
    usage_suggest(e->command, wrong, name, names, "list");
    free(names);
    return false;
}

/* The place of the graph at which the tensor is assigned; -1: none. */
static int find_assigned(const struct editing *e, const char *name)
{
    int symbol = edit_symbol(e, NNEFC_SYMBOL_TENSOR, name);

    for (int i = 0; symbol >= 0 && i < e->places->count; i++)
        if (e->places->at[i]->symbol == symbol && e->places->at[i]->assigns)
            return i;
    return -1;
}

/* --- one option each -------------------------------------------------------------------------- */

/* The new name of a tensor; NULL: it keeps its name. */
static const char *find_new_name(const struct edit_settings *s, const char *name, size_t size)
{
    const struct named_file *renames = s->renames.item;

    for (int i = 0; i < s->renames.count; i++)
        if (strlen(renames[i].name) == size && memcmp(renames[i].name, name, size) == 0)
            return renames[i].file;
    return NULL;
}

/* A loop variable or tensor of the new name would take over what is meant, unless that is renamed
 * itself. */
static bool is_free(const struct editing *e, const struct edit_settings *s, int index)
{
    const struct named_file *renames = s->renames.item;
    const char *name = renames[index].file;
    const bool leaves = find_new_name(s, name, strlen(name));

    for (int i = 0; i < index; i++)
        if (strcmp(renames[i].file, name) == 0) {
            usage_error(e->command, "two tensors are to be called '%s'", name);
            return false;
        }
    for (int i = 0; i < e->symbols->count; i++) {
        const struct nnefc_symbol *symbol = e->symbols->at[i];
        bool tensor = symbol->kind == NNEFC_SYMBOL_TENSOR || symbol->kind == NNEFC_SYMBOL_FRAGMENT;
        if (strcmp(symbol->name, name) == 0 &&
            (symbol->kind == NNEFC_SYMBOL_LOOP || (tensor && !symbol->scope && !leaves))) {
            usage_error(e->command, "the name '%s' is taken", name);
            return false;
        }
    }
    return true;
}

static bool edit_name(struct editing *e, const struct edit_settings *s, int index)
{
    const struct named_file *rename = (const struct named_file *)s->renames.item + index;
    const char *to = rename->file;
    int symbol = edit_symbol(e, NNEFC_SYMBOL_TENSOR, rename->name);

    if (!is_name(to, to + strlen(to))) {
        usage_error(e->command, "'%s' is no identifier", to);
        return false;
    }
    if (symbol < 0)
        symbol = edit_symbol(e, NNEFC_SYMBOL_FRAGMENT, rename->name);
    if (symbol < 0)
        return no_symbol(e, "there is no tensor or fragment", rename->name, false);
    if (!is_free(e, s, index))
        return false;
    for (int i = 0; i < e->places->count; i++)
        if (e->places->at[i]->symbol == symbol)
            edit_replace(e, e->places->at[i]->begin, e->places->at[i]->end,
                         edit_join(to, "", "", ""));
    return true;
}

/* A label is free if it is renamed itself.  Labels that expressions make are no symbols. */
static bool is_label_free(const struct editing *e, const struct edit_settings *s, int index)
{
    const struct named_file *labels = s->labels.item;
    const char *to = labels[index].file;
    bool is_free = true;

    for (int i = 0; i < e->symbols->count && is_free; i++)
        is_free = e->symbols->at[i]->kind != NNEFC_SYMBOL_LABEL ||
                  !nnefc_label_equal(e->symbols->at[i]->name, to);
    for (int i = 0; i < e->variables->count && is_free; i++)
        is_free = !nnefc_label_equal(e->variables->at[i]->label, to);
    for (int i = 0; i < s->labels.count && !is_free; i++)
        is_free = nnefc_label_equal(labels[i].name, to);
    for (int i = 0; i < index && is_free; i++)
        is_free = !nnefc_label_equal(labels[i].file, to);
    if (!is_free)
        usage_error(e->command, "the label '%s' is taken", to);
    return is_free;
}

static bool edit_label(struct editing *e, const struct edit_settings *s, int index)
{
    const struct named_file *rename = (const struct named_file *)s->labels.item + index;
    int symbol = edit_symbol(e, NNEFC_SYMBOL_LABEL, rename->name);

    if (symbol < 0)
        return no_symbol(e, "no label in the text is", rename->name, true);
    if (strpbrk(rename->file, "'\"\\\n")) {
        usage_error(e->command, "'%s' is no label", rename->file);
        return false;
    }
    if (!is_label_free(e, s, index))
        return false;
    for (int i = 0; i < e->places->count; i++)
        if (e->places->at[i]->symbol == symbol)
            edit_replace(e, e->places->at[i]->begin, e->places->at[i]->end,
                         edit_join("'", rename->file, "'", ""));
    return true;
}

/* The place of the argument in the invocation at place `call`, but not in those inside; -1: none.
 */
static int find_argument(const struct editing *e, int call, const char *name)
{
    size_t end = e->places->at[call]->reach;

    for (int i = call + 1; i < e->places->count && e->places->at[i]->begin < end; i++) {
        const struct nnefc_place *place = e->places->at[i];
        const struct nnefc_symbol *symbol = e->symbols->at[place->symbol];
        if (symbol->kind == NNEFC_SYMBOL_ARGUMENT && strcmp(symbol->name, name) == 0)
            return i;
        while (symbol->kind == NNEFC_SYMBOL_FRAGMENT && i + 1 < e->places->count &&
               e->places->at[i + 1]->begin < place->reach)
            i++;
    }
    return -1;
}

/* The first target of the statement of a target; its place reaches over the statement. */
static int first_target(const struct editing *e, int assigned)
{
    int first = assigned;

    while (first > 0 && e->places->at[first]->reach <= e->places->at[assigned]->end &&
           e->places->at[first - 1]->assigns)
        first--;
    return first;
}

/* The invocation on the right side of the statement that assigns the tensor at a place; -1: the
 * right side is no single invocation. */
static int find_invocation(const struct editing *e, int assigned)
{
    int i = assigned;
    size_t reach = e->places->at[first_target(e, assigned)]->reach;

    while (i < e->places->count && e->places->at[i]->assigns && e->places->at[i]->begin < reach)
        i++;
    bool call = i < e->places->count &&
                e->symbols->at[e->places->at[i]->symbol]->kind == NNEFC_SYMBOL_FRAGMENT &&
                e->places->at[i]->reach == reach;
    return call ? i : -1;
}

size_t edit_skip_blanks(const struct nnefc_text *text, size_t at)
{
    while (at < text->size && strchr(" \t\r\n#", text->data[at]))
        at += text->data[at] == '#' ? strcspn(text->data + at, "\r\n") : 1;
    return at;
}

/* Is there nothing between the parentheses of the invocation? */
static bool is_empty(const struct editing *e, const struct nnefc_place *call)
{
    size_t at = call->end;

    do
        at = edit_skip_blanks(&e->text, at);
    while (at < call->reach && e->text.data[at++] != '(');
    return edit_skip_blanks(&e->text, at) + 1 >= call->reach;
}

/* Before the ')' of an invocation, and before blanks in front of it. */
static void append_argument(struct editing *e, const struct nnefc_place *call,
                            const char *attribute, const char *value)
{
    const char *text = e->text.data;
    size_t end = call->reach - 1, before = end;

    while (before > 0 && strchr(" \t", text[before - 1]))
        before--;
    if (before > 0 && strchr("\r\n", text[before - 1])) /* a comment may end the line */
        before = end;
    bool first = is_empty(e, call);
    for (int i = 0; i < e->count && first; i++)
        first = e->list[i].begin != before;
    edit_replace(e, before, before, edit_join(first ? "" : ", ", attribute, " = ", value));
}

/* An attribute that is not given goes behind the last argument. */
static bool edit_value(struct editing *e, const char *tensor, const char *attribute,
                       const char *value)
{
    int assigned = find_assigned(e, tensor);
    int call = assigned < 0 ? -1 : find_invocation(e, assigned);

    if (assigned < 0)
        return no_symbol(e, "the graph assigns no tensor", tensor, false);
    if (call < 0) {
        usage_error(e->command, "'%s' is not the result of an operation alone", tensor);
        return false;
    }
    int argument = find_argument(e, call, attribute);
    if (argument >= 0) {
        edit_replace(e, e->places->at[argument]->begin, e->places->at[argument]->reach,
                     edit_join(attribute, " = ", value, ""));
        return true;
    }
    append_argument(e, e->places->at[call], attribute, value);
    return true;
}

char *tensor_of(const struct command *command, const char *name, const char **attribute)
{
    const char *dot = strrchr(name, '.');

    if (!dot || dot == name || !dot[1]) {
        usage_error(command, "'%s' names no attribute, expected TENSOR.ATTRIBUTE=VALUE", name);
        return NULL;
    }
    char *tensor = edit_join(name, "", "", "");
    tensor[dot - name] = '\0';
    *attribute = dot + 1;
    return tensor;
}

/* Does an expression end where the text ends?  What it is the parser says. */
static bool is_closed(const char *value)
{
    int depth = 0;

    for (const char *c = value; *c; c++) {
        if (*c == '\'' || *c == '"') {
            const char *end = strchr(c + 1, *c);
            if (!end)
                return false;
            c = end;
        }
        depth += *c == '(' || *c == '[' || *c == '{';
        depth -= *c == ')' || *c == ']' || *c == '}';
        if (depth < 0 || *c == '#' || *c == ';' || (*c == ',' && depth == 0))
            return false;
    }
    return depth == 0;
}

static bool edit_attribute(struct editing *e, const struct named_file *value)
{
    const char *attribute = NULL;
    if (!is_closed(value->file)) {
        usage_error(e->command, "'%s' is no value of '%s'", value->file, value->name);
        return false;
    }
    char *tensor = tensor_of(e->command, value->name, &attribute);
    bool ok = tensor && edit_value(e, tensor, attribute, value->file);

    free(tensor);
    return ok;
}

static bool edit_shape(struct editing *e, const struct named_shape *shape)
{
    char text[NNEFC_MAX_RANK * 24 + 3] = "[";
    size_t used = 1;

    for (int i = 0; i < shape->rank; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%" PRId64, i ? "," : "",
                                 shape->extent[i]);
    snprintf(text + used, sizeof text - used, "]");
    return edit_value(e, shape->name, "shape", text);
}

/* Forget the replacements of places that are replaced as a whole. */
static void forget_inside(struct editing *e, size_t begin, size_t end)
{
    int kept = 0;

    for (int i = 0; i < e->count; i++)
        if (e->list[i].begin >= begin && e->list[i].end <= end)
            free(e->list[i].text);
        else
            e->list[kept++] = e->list[i];
    e->count = kept;
}

/* All results in the head of the graph, by the names that they get. */
static bool edit_outputs(struct editing *e, const struct edit_settings *s)
{
    const struct nnefc_place *first = NULL, *last = NULL;

    for (int i = 0; i < e->places->count; i++) {
        const struct nnefc_place *place = e->places->at[i];
        if (!place->result || e->symbols->at[place->symbol]->scope)
            continue;
        first = first ? first : place;
        last = place;
    }
    if (!first) {
        usage_error(e->command, "the graph has no results to replace");
        return false;
    }
    char *list = must_have(strdup(s->outputs)), *rest = list, *names = edit_join("", "", "", "");
    for (const char *name; (name = next_part(&rest, ','));) {
        const char *renamed = find_new_name(s, name, strlen(name));
        char *more = edit_join(names, *names ? ", " : "", renamed ? renamed : name, "");
        free(names);
        names = more;
    }
    free(list);
    forget_inside(e, first->begin, last->end); /* results that are renamed */
    edit_replace(e, first->begin, last->end, names);
    return true;
}

/* Did the parser find a fault?  It leaves out statements that it cannot read.  Other faults do not
 * matter here: they are reported for the edited text if it has them, too. */
static bool has_syntax_error(const struct nnefc_model *model)
{
    const struct nnefc_diagnostic_list *list = nnefc_model_diagnostics(model);
    static const char *const elsewhere[] = {"N0010", "N0011", "N0012", "N0014", "N0015", "N0022"};
    enum { COUNT = sizeof elsewhere / sizeof elsewhere[0] };

    for (int i = 0; i < list->count; i++) {
        int k = 0;
        while (k < COUNT && strcmp(list->at[i]->code, elsewhere[k]) != 0)
            k++;
        if (k == COUNT && list->at[i]->severity == NNEFC_ERROR &&
            strcmp(list->at[i]->code, "N0030") < 0)
            return true;
    }
    return false;
}

/* The names that a statement assigns, to be freed; `first` is its first target. */
static char *target_names(const struct editing *e, int first)
{
    size_t reach = e->places->at[first]->reach;
    char *names = edit_join("", "", "", "");

    for (int i = first; i < e->places->count; i++) {
        const struct nnefc_place *place = e->places->at[i];
        if (!place->assigns || place->begin >= reach)
            break;
        char *more =
            edit_join(names, i > first ? ", " : "", e->symbols->at[place->symbol]->name, "");
        free(names);
        names = more;
    }
    return names;
}

/* Replace the statement that assigns the same tensors by a statement of `from`. */
static bool edit_statement(struct editing *e, const struct editing *from, int first)
{
    const struct nnefc_place *place = from->places->at[first];
    const char *name = from->symbols->at[place->symbol]->name;
    int assigned = find_assigned(e, name);

    if (assigned < 0)
        return no_symbol(e, "the graph assigns no tensor", name, false);
    int to = first_target(e, assigned);
    char *wanted = target_names(e, to), *given = target_names(from, first);
    bool same = strcmp(wanted, given) == 0;
    if (same) {
        char *statement = zeroed_items(place->reach - place->begin + 1, 1);
        memcpy(statement, from->text.data + place->begin, place->reach - place->begin);
        edit_replace(e, e->places->at[to]->begin, e->places->at[to]->reach, statement);
    } else
        usage_error(e->command, "the graph assigns '%s' by one statement, but '%s' assigns '%s'",
                    wanted, from->text.name, given);
    free(wanted);
    free(given);
    return same;
}

/* Replace statements by those of the graph of another text that have the same targets. */
static bool edit_statements(struct editing *e, const struct edit_settings *s)
{
    struct nnefc_model *model = load_model(&s->loading, s->apply);
    const struct editing from = {.command = e->command,
                                 .text = nnefc_model_text(model, NNEFC_PART_DOCUMENT),
                                 .places = nnefc_model_places(model),
                                 .symbols = nnefc_model_symbols(model)};
    size_t behind = 0;
    bool ok = from.places->count > 0 && !has_syntax_error(model);

    if (!ok) {
        report_model(e->command, model);
        if (nnefc_model_status(model) != NNEFC_OK)
            e->status = nnefc_model_status(model);
        else
            usage_error(e->command, "'%s' is no NNEF text", s->apply);
    }
    for (int i = 0; i < from.places->count && ok; i++) {
        const struct nnefc_place *place = from.places->at[i];
        if (!place->assigns || from.symbols->at[place->symbol]->scope || place->begin < behind)
            continue;
        behind = place->reach;
        ok = edit_statement(e, &from, i);
    }
    nnefc_model_free(model);
    return ok;
}

/* --- the quantization file -------------------------------------------------------------------- */

/* A file .nnef, or standard output, gets the text alone. */
static bool writes_text_alone(const struct edit_settings *s)
{
    const char *target = s->command.operand[1];

    return s->format == TARGET_NNEF && (path_is_stream(target) || path_ends_in(target, ".nnef"));
}

/* Behind the string that begins there. */
static size_t skip_string(const struct nnefc_text *text, size_t at)
{
    char quote = text->data[at++];

    while (at < text->size && text->data[at] != quote)
        at += text->data[at] == '\\' && at + 1 < text->size ? 2 : 1;
    return at < text->size ? at + 1 : at;
}

/* Tensors that have another name, which are strings with a ':' behind them; false after a message
 * if the entries are not written with the text. */
static bool edit_entries(struct editing *e, const struct edit_settings *s)
{
    for (size_t at = 0; (at = edit_skip_blanks(&e->text, at)) < e->text.size;) {
        size_t begin = at, colon;
        if (e->text.data[at] != '"' && e->text.data[at] != '\'') {
            at++;
            continue;
        }
        at = skip_string(&e->text, at);
        colon = edit_skip_blanks(&e->text, at);
        if (colon == e->text.size || e->text.data[colon] != ':')
            continue;
        const char *name = find_new_name(s, e->text.data + begin + 1, at - begin - 2);
        if (name)
            edit_replace(e, begin + 1, at - 1, edit_join(name, "", "", ""));
    }
    if (e->count == 0 || !writes_text_alone(s))
        return true;
    usage_error(
        e->command,
        "'%s' has the old name of '%s', and is not written with a text alone: write to a folder",
        e->text.name, e->list[0].text);
    return false;
}

/* --- the new model ---------------------------------------------------------------------------- */

static bool make_edits(struct editing *e, const struct edit_settings *s,
                       const struct option_list *shapes)
{
    const struct named_file *values = s->values.item;
    const struct named_shape *shape = shapes->item;
    bool ok = true;

    for (int i = 0; i < s->renames.count; i++)
        ok &= edit_name(e, s, i);
    for (int i = 0; i < s->labels.count; i++)
        ok &= edit_label(e, s, i);
    for (int i = 0; i < s->values.count; i++)
        ok &= edit_attribute(e, &values[i]);
    for (int i = 0; i < shapes->count; i++)
        ok &= edit_shape(e, &shape[i]);
    if (s->outputs)
        ok &= edit_outputs(e, s);
    if (s->apply)
        ok &= edit_statements(e, s);
    return ok;
}

static enum nnefc_status write_edited(const struct edit_settings *s, struct nnefc_model *model,
                                      const char *target)
{
    struct nnefc_text text = nnefc_model_text(model, NNEFC_PART_DOCUMENT);
    const struct nnefc_onnx onnx = {.size = sizeof onnx};

    if (s->format == TARGET_ONNX)
        return nnefc_model_write_onnx(model, target, &onnx);
    if (s->format == TARGET_GRAPH)
        return nnefc_model_write_graph(model, target);
    if (writes_text_alone(s))
        return nnefc_model_write_text(model, target, text.data, text.size);
    return nnefc_model_write_profile(model, target, NNEFC_PROFILE_TEXT);
}

bool edit_set_text(struct nnefc_model *model, struct editing *e)
{
    size_t size = 0;
    char *text = make_text(e, &size);
    bool ok = text;

    if (ok)
        nnefc_model_set_text(model, e->text.path, text, size);
    free(text);
    return ok;
}

/* Load the edited texts instead of those of the model, and write the new model. */
static enum nnefc_status load_edited(const struct edit_settings *s, const struct loading *loading,
                                     struct editing *document, struct editing *quant)
{
    const struct named_file *labels = s->labels.item;
    struct nnefc_model *model = prepare_model(loading);

    if (!edit_set_text(model, document) || (quant->count > 0 && !edit_set_text(model, quant))) {
        nnefc_model_free(model);
        return NNEFC_USAGE;
    }
    for (int i = 0; i < s->labels.count; i++)
        nnefc_model_set_stored_label(model, labels[i].file, labels[i].name);
    load_prepared(loading, model, s->command.operand[0]);
    enum nnefc_status status = nnefc_model_status(model);
    if (status == NNEFC_OK)
        status = write_edited(s, model, s->command.operand[1]);
    close_model(&s->command, model);
    return status;
}

enum nnefc_status edit_text(const struct edit_settings *s, struct nnefc_model *model,
                            const struct loading *loading)
{
    struct editing e = {.command = &s->command,
                        .text = nnefc_model_text(model, NNEFC_PART_DOCUMENT),
                        .places = nnefc_model_places(model),
                        .symbols = nnefc_model_symbols(model),
                        .variables = nnefc_model_variables(model),
                        .status = NNEFC_USAGE};
    struct editing quant = {.command = &s->command,
                            .text = nnefc_model_text(model, NNEFC_PART_QUANT)};

    if (!e.text.path) /* of an archive */
        e.text.path = quant.text.path = s->command.operand[0];
    if (make_edits(&e, s, &s->loading.shapes) && edit_entries(&quant, s))
        e.status = load_edited(s, loading, &e, &quant);
    edit_forget(&e);
    edit_forget(&quant);
    return e.status;
}
