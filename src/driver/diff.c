/*
 * diff.c - nnefc diff: how the graphs of two models differ
 *
 * The library finds the changes.  Each is an item of the record: one line of text.
 */
#include "driver/load.h"
#include "driver/path.h"
#include "driver/report.h"
#include "driver/view/findings.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/* --- what is printed -------------------------------------------------------------------------- */

#define VERDICT_LAYOUT \
    "{.same?A and B are the same}{.same!{changes:#} {.one?difference}{.one!differences}}\n"

static const struct view diff_view = {
    .text = "{changes*{kind} {.of}{.subject? {.subject}}{.detail?: {.detail}}"
            "{.place? ({.place})}\n}" VERDICT_LAYOUT,
    .markdown =
        VERDICT_LAYOUT "{.same!\n{changes*- **{kind}** {.of}{.subject? <code>{.subject:html}"
                       "</code>}{.detail?: <code>{.detail:html}</code>}\n}}",
    .json = JSON_FLOATS,
};

static const char *const kind_names[] = {
    [NNEFC_CHANGE_RENAMED] = "renamed",     [NNEFC_CHANGE_LABEL] = "label",
    [NNEFC_CHANGE_ATTRIBUTE] = "attribute", [NNEFC_CHANGE_OPERAND] = "operand",
    [NNEFC_CHANGE_TYPE] = "type",           [NNEFC_CHANGE_WEIGHTS] = "weights",
    [NNEFC_CHANGE_REPLACED] = "replaced",   [NNEFC_CHANGE_INSERTED] = "inserted",
    [NNEFC_CHANGE_REMOVED] = "removed",     [NNEFC_CHANGE_ORDER] = "order",
    [NNEFC_CHANGE_FRAGMENT] = "fragment",
};

static const char *const what_names[] = {
    [NNEFC_CHANGED_GRAPH] = "graph",         [NNEFC_CHANGED_INPUT] = "input",
    [NNEFC_CHANGED_VARIABLE] = "variable",   [NNEFC_CHANGED_CONSTANT] = "constant",
    [NNEFC_CHANGED_OPERATION] = "operation", [NNEFC_CHANGED_OUTPUT] = "output",
    [NNEFC_CHANGED_FRAGMENT] = "fragment",
};

/* Record the paths of both models, and the changes. */
struct difference_of_models {
    struct nnefc_model *model[2];
    const struct nnefc_operation_list *operations[2];
};

static const struct nnefc_operation *operation_of(const struct difference_of_models *d,
                                                  const struct nnefc_change *change, int which)
{
    int index = change->operation[which];

    return index < 0 ? NULL : d->operations[which]->at[index];
}

static const char *or_none(const char *text)
{
    return text ? text : "none";
}

/* The part of the line behind the colon; the kind is the first word of the line. */
static void add_detail(struct record *to, const struct nnefc_change *c)
{
    const char *key = ".detail", *from = or_none(c->from), *onto = or_none(c->to);

    switch (c->kind) {
    case NNEFC_CHANGE_RENAMED:
    case NNEFC_CHANGE_LABEL:
    case NNEFC_CHANGE_REPLACED:
        record_print_to(to, key, "%s -> %s", from, onto);
        return;
    case NNEFC_CHANGE_ATTRIBUTE:
        record_print_to(to, key, "%s %s -> %s", c->attribute, from, onto);
        return;
    case NNEFC_CHANGE_OPERAND:
        if (c->operand > 0 && c->what == NNEFC_CHANGED_OPERATION)
            record_print_to(to, key, "operand %d %s -> %s", c->operand, from, onto);
        else
            record_print_to(to, key, "%s -> %s", from, onto);
        return;
    case NNEFC_CHANGE_TYPE:
        if (c->count > 0)
            record_print_to(to, key, "%s -> %s, and %lld behind it", from, onto,
                            (long long)c->count);
        else
            record_print_to(to, key, "%s -> %s", from, onto);
        return;
    case NNEFC_CHANGE_WEIGHTS:
        record_print_to(to, key, "%lld of %lld items, by %.3g at most", (long long)c->count,
                        (long long)c->items, c->max_absolute);
        return;
    case NNEFC_CHANGE_ORDER:
        record_print_to(to, key, "%s%s -> %s%s", c->from ? "behind " : "", c->from ? from : "first",
                        c->to ? "behind " : "", c->to ? onto : "first");
        return;
    case NNEFC_CHANGE_FRAGMENT:
        record_print_to(to, key, "%s -> %s (%lld)", from, onto, (long long)c->count);
        return;
    case NNEFC_CHANGE_INSERTED:
    case NNEFC_CHANGE_REMOVED:
        break;
    }
    record_null(to, key);
}

/* The operation in A or B, with its place in the text; null: there is none. */
static void add_operation(struct record *to, const char *key, const struct nnefc_operation *o)
{
    if (!o) {
        record_null(to, key);
        return;
    }
    struct record *side = record_object(to, key);
    record_text(side, "operation", o->operation);
    record_text(side, "fragment", o->fragment);
    record_text(side, "node", o->node);
    record_text(side, "file", o->file);
    record_position(side, "line", o->line);
    record_position(side, "column", o->column);
}

static void add_change(struct record *to, const struct difference_of_models *d,
                       const struct nnefc_change *c)
{
    const struct nnefc_operation *a = operation_of(d, c, 0), *b = operation_of(d, c, 1);
    const struct nnefc_operation *shown = b ? b : a;
    bool operation = c->what == NNEFC_CHANGED_OPERATION && shown;
    bool names = c->kind == NNEFC_CHANGE_RENAMED || c->kind == NNEFC_CHANGE_FRAGMENT;

    record_text(to, "kind", kind_names[c->kind]);
    record_text(to, "what", what_names[c->what]);
    record_text(to, "nameInA", c->name[0]);
    record_text(to, "nameInB", c->name[1]);
    if (c->kind == NNEFC_CHANGE_ATTRIBUTE)
        record_text(to, "attribute", c->attribute);
    if (c->kind == NNEFC_CHANGE_OPERAND)
        record_position(to, "operand", c->operand);
    record_text(to, "from", c->from);
    record_text(to, "to", c->to);
    if (c->kind == NNEFC_CHANGE_TYPE)
        record_integer(to, "behind", c->count);
    if (c->kind == NNEFC_CHANGE_WEIGHTS) {
        record_integer(to, "beyond", c->count);
        record_integer(to, "items", c->items);
        record_real(to, "maxAbsolute", c->max_absolute);
    }
    if (c->kind == NNEFC_CHANGE_FRAGMENT || c->what == NNEFC_CHANGED_FRAGMENT)
        record_integer(to, "operations", c->count);
    add_operation(to, "a", a);
    add_operation(to, "b", b);
    record_text(to, ".of",
                operation && c->kind != NNEFC_CHANGE_REPLACED ? shown->operation
                                                              : what_names[c->what]);
    record_text(to, ".subject", names ? NULL : c->name[1] ? c->name[1] : c->name[0]);
    add_detail(to, c);
    if (shown && shown->file)
        record_print_to(to, ".place", "%s:%d:%d", shown->file, shown->line, shown->column);
    else
        record_null(to, ".place");
}

/* --- the command ------------------------------------------------------------------------------ */

struct diff_settings {
    struct command command;
    struct loading loading;
    struct rewriting rewriting;
    unsigned ignore;         /* enum nnefc_ignore */
    struct option_list data; /* const char *, NULL: the model's; of both, or of A and of B */
    const char *page;        /* NULL: none */
};

static struct record *record_of(const struct diff_settings *s, const struct difference_of_models *d,
                                const struct nnefc_change_list *changes)
{
    struct record *record = record_new_object();

    record_bool(record, "same", changes->count == 0);
    record_bool(record, ".same", changes->count == 0);
    record_bool(record, ".one", changes->count == 1);
    record_text(record, "a", s->command.operand[0]);
    record_text(record, "b", s->command.operand[1]);
    struct record *list = record_list(record, "changes");
    for (int i = 0; i < changes->count; i++)
        add_change(record_object(list, NULL), d, changes->at[i]);
    return record;
}

static enum nnefc_status diff_show(const struct diff_settings *s,
                                   const struct difference_of_models *d,
                                   const struct nnefc_change_list *changes)
{
    enum form form = s->command.form;

    if (!s->command.quiet || form == FORM_JSON)
        record_print(record_of(s, d, changes), form, &diff_view);
    const struct findings page = {
        {d->model[0], d->model[1]}, NULL, s->page ? record_of(s, d, changes) : NULL};
    if (s->page && !findings_write(s->page, &page))
        return file_error(&s->command, s->page, strerror(errno));
    return changes->count > 0 ? NNEFC_DIFFERENT : NNEFC_OK;
}

/* Both models are read before they are compared, so that the faults of both are reported. */
static enum nnefc_status diff_models(const struct diff_settings *s)
{
    const struct nnefc_diff_options how = {
        .size = sizeof how, .ignore = s->ignore, .data = s->data.count > 0};
    const char *const *data = s->data.item;
    struct difference_of_models d = {{NULL}, {NULL}};
    enum nnefc_status status = NNEFC_OK;
    struct loading each[2];

    loading_split(&s->loading, s->command.operand, each);
    for (int which = 0; which < 2; which++) {
        each[which].half_memory = true;
        if (s->data.count > 0)
            each[which].data = data[which < s->data.count ? which : 0];
        d.model[which] = load_model(&each[which], s->command.operand[which]);
        rewrite_model(&s->rewriting, d.model[which]);
        if (nnefc_model_status(d.model[which]) > status)
            status = nnefc_model_status(d.model[which]);
    }
    for (int which = 0; which < 2 && status == NNEFC_OK; which++)
        status = keeps_model(&s->command, d.model[which], s->command.operand[which], s->page);
    struct nnefc_diff *diff = NULL;
    if (status == NNEFC_OK) {
        diff = nnefc_diff_new(d.model[0], d.model[1], &how);
        for (int which = 0; which < 2 && !diff; which++)
            if (nnefc_model_status(d.model[which]) > status)
                status = nnefc_model_status(d.model[which]);
        if (!diff && status == NNEFC_OK)
            status = NNEFC_INTERNAL;
    }
    report_model(&s->command, d.model[0]);
    report_model(&s->command, d.model[1]);
    if (diff) {
        const struct nnefc_change_list *changes = nnefc_diff_changes(diff);
        for (int which = 0; which < 2; which++)
            d.operations[which] =
                changes->count > 0 ? nnefc_model_operations(d.model[which]) : NULL;
        status = diff_show(s, &d, changes);
    }
    nnefc_diff_free(diff);
    loading_join(each);
    close_model(&s->command, d.model[0]);
    close_model(&s->command, d.model[1]);
    return status;
}

static enum nnefc_status diff_run(const void *settings)
{
    const struct diff_settings *s = settings;
    const struct command *command = &s->command;

    if (!rewriting_agrees(command, &s->rewriting) || !loading_agrees(command, &s->loading) ||
        !input_is_used_once(command, loading_streams(command, &s->loading)))
        return NNEFC_USAGE;
    if (command->operand_count < 2)
        return usage_error(command, "'diff' needs two models; see 'nnefc help diff'");
    if (s->data.count > 2)
        return usage_error(command, "--data is given %d times, but there are two models",
                           s->data.count);
    enum nnefc_status status = page_fits(command, s->page);
    return status == NNEFC_OK ? diff_models(s) : status;
}

/* --- options ---------------------------------------------------------------------------------- */

/* A list of words, each a bit of an unsigned. */
static bool set_ignore(void *field, char *value)
{
    static const char *const words[] = {"names", "labels", "order", "fragments"};
    unsigned *ignore = field;

    static_assert(NNEFC_IGNORE_FRAGMENTS == 1 << 3, "bits are in the order of the words");
    for (const char *word; (word = next_part(&value, ','));) {
        size_t i = 0;
        while (i < sizeof words / sizeof words[0] && strcmp(words[i], word) != 0)
            i++;
        if (i == sizeof words / sizeof words[0])
            return false;
        *ignore |= 1U << i;
    }
    return true;
}

/* A folder, or nothing: the model's own data. */
static bool set_folder(void *field, char *value)
{
    return !value || set_text(field, value);
}

#define FIELD(name) .field = offsetof(struct diff_settings, name)

static const struct option diff_options[] = {
    {"--ignore", NULL, "WHAT[,WHAT...]",
     "leave out differences in names, labels, order or fragments",
     .expects = "some of names, labels, order and fragments", .set = set_ignore, FIELD(ignore)},
    {"--data", NULL, "[DIR]",
     "also compare weights; DIR: folder or archive with those of both; twice: of A, then of B",
     .set = set_folder, FIELD(data), .item_size = sizeof(const char *)},
    {"--html", NULL, "FILE.html", "write a page: both models, coloured by what differs",
     .set = set_text, FIELD(page)},
    FORM_OPTION("--json", FORM_JSON, "print the differences as JSON"),
    FORM_OPTION("--markdown", FORM_MARKDOWN,
                "print the differences as a Markdown list, for a pull request"),
    {0},
};

const struct verb diff_verb = {
    .name = "diff",
    .purpose = "list how the graphs of two models differ, in any formats",
    .examples =
        "  nnefc diff a/ b/                            operations, attributes, shapes, names\n"
        "  nnefc diff a/ b/ --data                     and weights\n"
        "  nnefc diff a/ b/ --html=diff.html           both models, side by side\n"
        "  nnefc diff a/ b.nnef --ignore=names,labels  but for what things are called\n",
    .operands = OPERANDS_PAIR,
    .usage = "A B",
    VERB_SETTINGS(diff, {.loading = LOADING_DEFAULTS}),
    .groups = {{diff_options, 0, NULL},
               {pass_options, offsetof(struct diff_settings, rewriting), PASS_TITLE},
               MODEL_GROUPS(diff)},
    .run = diff_run,
};
