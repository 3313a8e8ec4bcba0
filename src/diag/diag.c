/* diag.c - collects reports; texts are formatted at once, because their arguments do not last */
#include "diag/diag.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/text.h"
#include "diag/diag_priv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    STANDARD_LIMIT = 20,
    REPORTS_COMPARED = 256,
    MOST_HELPED = 500,
    NAMES_SHOWN = 12,
    LONGEST_WORD = 80,
    LONGEST_TEXT = 2000
};

static DEFINE_APPEND(note)

const struct diag_info *diag_info(enum diag_code code)
{
    static const struct diag_info info[] = {
#define DIAG(code, name, section, title) {#code, section, title},
#include "diag/diag.def"
#undef DIAG
    };

    assert(code < DIAG_CODE_COUNT);
    return &info[code];
}

struct diag *diag_new(const struct sources *sources)
{
    struct diag *d = heap_array(1, sizeof *d);

    d->sources = sources;
    d->arena = arena_new();
    d->limit = STANDARD_LIMIT;
    return d;
}

void diag_free(struct diag *diag)
{
    if (!diag)
        return;
    arena_free(diag->arena);
    free(diag->report);
    free(diag->input);
    free(diag);
}

void diag_set_limit(struct diag *diag, int limit)
{
    assert(limit >= 0);
    diag->limit = limit;
}

void diag_set_origin(struct diag *diag, struct span at)
{
    diag->origin = at;
}

void diag_set_note(struct diag *diag, const char *note)
{
    diag->note = note;
}

/* --- files that were read ------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    const struct diag_input *x = a, *y = b;

    if (x->inode != y->inode)
        return x->inode < y->inode ? -1 : 1;
    return x->device == y->device ? 0 : x->device < y->device ? -1 : 1;
}

void diag_add_input(struct diag *diag, uint64_t device, uint64_t inode)
{
    diag->input = heap_list(diag->input, diag->inputs, sizeof *diag->input);
    diag->input[diag->inputs++] = (struct diag_input){device, inode};
}

bool diag_is_input(struct diag *diag, uint64_t device, uint64_t inode)
{
    const struct diag_input wanted = {device, inode};

    if (diag->inputs == 0)
        return false;
    if (diag->inputs_sorted < diag->inputs)
        qsort(diag->input, (size_t)diag->inputs, sizeof wanted, by_number);
    diag->inputs_sorted = diag->inputs;
    return bsearch(&wanted, diag->input, (size_t)diag->inputs, sizeof wanted, by_number);
}

/* --- warnings ----------------------------------------------------------------------------- */

const struct diag_warning_info *diag_warning_info(enum diag_warning warning)
{
    static const struct diag_warning_info info[] = {
        {NULL, NULL, 0, false, false},
#define WARNING(NAME, flag, code, on, title) {flag, title, DIAG_##code, on, (on) == WARNING_STRICT},
#include "diag/warning.def"
#undef WARNING
    };

    assert(warning > WARNING_NONE && warning < WARNING_COUNT);
    return &info[warning];
}

enum diag_warning diag_warning_find(const char *name)
{
    if (strcmp(name, "all") == 0)
        return WARNING_ALL;
    for (enum diag_warning w = WARNING_NONE + 1; w < WARNING_COUNT; w++)
        if (strcmp(diag_warning_info(w)->name, name) == 0)
            return w;
    return WARNING_NONE;
}

void diag_set_warning(struct diag *diag, enum diag_warning warning, enum diag_warning_state state)
{
    struct diag_warning_rule *rule = &diag->rules[warning];

    assert(warning > WARNING_NONE && warning <= WARNING_ALL);
    if (state != WARNING_NO_ERROR)
        rule->on = state == WARNING_OFF ? ASKED_NO : ASKED_YES;
    if (state == WARNING_ERROR || state == WARNING_NO_ERROR)
        rule->error = state == WARNING_ERROR ? ASKED_YES : ASKED_NO;
}

void diag_set_werror(struct diag *diag, bool werror)
{
    diag->rules[WARNING_ALL].error = werror ? ASKED_YES : ASKED_NO;
}

void diag_set_pedantic(struct diag *diag, bool pedantic)
{
    diag->pedantic = pedantic;
}

bool diag_warns(const struct diag *diag, enum diag_warning warning)
{
    const struct diag_warning_rule *rule = &diag->rules[warning], *all = &diag->rules[WARNING_ALL];

    if (rule->on != ASKED_NOTHING)
        return rule->on == ASKED_YES;
    if (all->on != ASKED_NOTHING)
        return all->on == ASKED_YES;
    return diag->pedantic || diag_warning_info(warning)->on_by_default;
}

/* --- collecting --------------------------------------------------------------------------- */

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/*
 * Format a text in the arena.  Identifiers and strings may be as long as their document, so long
 * words lose their middle, and then a long text does: the end of a sentence matters most.
 */
static PRINTF_LIKE(2, 0) const char *format(struct diag *d, const char *fmt, va_list args)
{
    const size_t part = LONGEST_TEXT / 2;
    struct text text = {0};
    size_t out = 0;

    text_add_v(&text, fmt, args);
    for (size_t at = 0, end; at < text.size; at = end) {
        for (end = at + 1; end < text.size && is_word(text.data[at]) && is_word(text.data[end]);)
            end++;
        size_t head = end - at > LONGEST_WORD ? LONGEST_WORD / 2 : end - at;
        size_t tail = end - at > LONGEST_WORD ? LONGEST_WORD / 4 : 0;
        memmove(text.data + out, text.data + at, head);
        out += head;
        if (tail == 0)
            continue;
        memset(text.data + out, '.', 3);
        memmove(text.data + out + 3, text.data + end - tail, tail);
        out += 3 + tail;
    }
    if (out > LONGEST_TEXT + 3) {
        memset(text.data + part, '.', 3);
        memmove(text.data + part + 3, text.data + out - part, part);
        out = 2 * part + 3;
    }
    const char *copy = arena_strndup(d->arena, text.data, out);
    text_free(&text);
    return copy;
}

/* --- reports ------------------------------------------------------------------------------ */

static bool spans_equal(struct span a, struct span b)
{
    return a.begin == b.begin && a.end == b.end;
}

/*
 * Whether the same warning was recorded for the same place.  A fragment that is expanded often
 * makes it each time, perhaps about other shapes.
 */
static bool is_repeated(const struct diag *d, const struct diag_report *head)
{
    int last = d->count > REPORTS_COMPARED ? d->count - REPORTS_COMPARED : 0;

    if (head->warning == WARNING_NONE || head->at.end == 0)
        return false;
    for (int i = d->count - 1; i >= last; i--) {
        const struct diag_report *before = &d->report[i].head;
        if (before->warning == head->warning && spans_equal(before->at, head->at))
            return true;
    }
    return false;
}

/* The severity and code of a warning: a state set by its name takes precedence over that of all. */
static void rule_warning(const struct diag *d, struct diag_report *head)
{
    const struct diag_warning_rule *rule = &d->rules[head->warning], *all = &d->rules[WARNING_ALL];
    const struct diag_warning_info *info = diag_warning_info(head->warning);
    bool named = rule->error != ASKED_NOTHING, pedantic = d->pedantic && info->strict;
    bool error = (named ? rule->error : all->error) == ASKED_YES || (!named && pedantic);

    head->severity = error ? SEVERITY_ERROR : SEVERITY_WARNING;
    head->code = (enum diag_code)info->code;
}

static PRINTF_LIKE(3, 0) void add(struct diag *d, struct diag_report head, const char *fmt,
                                  va_list args)
{
    bool off = head.warning != WARNING_NONE && !diag_warns(d, head.warning);
    bool beyond = d->limit > 0 && d->errors >= d->limit;

    head.severity = SEVERITY_ERROR;
    if (head.warning != WARNING_NONE)
        rule_warning(d, &head);
    if (head.file)
        head.at = d->origin;
    assert(head.code < DIAG_CODE_COUNT);
    off = off || is_repeated(d, &head);
    d->dropped = off || beyond;
    if (!off && beyond && head.severity == SEVERITY_ERROR) {
        d->hidden += !diag_full(d);
        d->hidden_code = head.code;
    }
    if (d->dropped)
        return;
    d->errors += head.severity == SEVERITY_ERROR;
    head.text = format(d, fmt, args);
    if (head.file && head.at.end) {
        /* The report is shown at a place in a text, so the name of the file joins the sentence. */
        head.text = text_format(d->arena, "'%s': %s", head.file, head.text);
        head.file = NULL;
    } else if (head.file)
        head.file = arena_strndup(d->arena, head.file, strlen(head.file));
    d->report = heap_list(d->report, d->count, sizeof *d->report);
    d->report[d->count++] = (struct diag_entry){.head = head};
    if (d->note)
        diag_note(d, (struct span){0}, "%s", d->note);
}

void diag_add(struct diag *diag, struct diag_report head, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add(diag, head, fmt, args);
    va_end(args);
}

bool diag_error(struct diag *diag, struct span at, enum diag_code code, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add(diag, (struct diag_report){.code = code, .at = at}, fmt, args);
    va_end(args);
    return false;
}

void diag_warning(struct diag *diag, struct span at, enum diag_warning warning, const char *fmt,
                  ...)
{
    va_list args;

    va_start(args, fmt);
    add(diag, (struct diag_report){.warning = warning, .at = at}, fmt, args);
    va_end(args);
}

bool diag_file_error(struct diag *diag, const char *file, enum diag_code code, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add(diag, (struct diag_report){.code = code, .file = file}, fmt, args);
    va_end(args);
    return false;
}

void diag_file_warning(struct diag *diag, const char *file, enum diag_warning warning,
                       const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add(diag, (struct diag_report){.warning = warning, .file = file}, fmt, args);
    va_end(args);
}

/* The report that notes, fix-its and help belong to; NULL if it was not recorded. */
static struct diag_entry *last_report(struct diag *d)
{
    return d->count && !d->dropped ? &d->report[d->count - 1] : NULL;
}

static PRINTF_LIKE(4, 0) void add_note(struct diag *d, struct span at, bool label, const char *fmt,
                                       va_list args)
{
    struct diag_entry *r = last_report(d);

    if (!r)
        return;
    const char *text = format(d, fmt, args);
    for (const struct note *note = r->notes.first; note; note = note->next)
        if (spans_equal(note->at, at) && strcmp(note->text, text) == 0)
            return;
    struct note *note = arena_new_of(d->arena, struct note);
    *note = (struct note){.at = at, .text = text, .label = label};
    r->notes = note_append(r->notes, note);
}

void diag_note(struct diag *diag, struct span at, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_note(diag, at, false, fmt, args);
    va_end(args);
}

bool diag_label(struct diag *diag, struct span at, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_note(diag, at, true, fmt, args);
    va_end(args);
    return false;
}

void diag_fix(struct diag *diag, struct span at, const char *replacement)
{
    struct diag_entry *r = last_report(diag);

    assert(at.begin <= at.end && replacement);
    if (!r)
        return;
    r->fixes = arena_list(diag->arena, r->fixes, r->fix_count, sizeof *r->fixes);
    const char *kept = arena_strndup(diag->arena, replacement, strlen(replacement));
    r->fixes[r->fix_count++] = (struct diag_fix){at, kept};
}

bool diag_help(struct diag *diag, const char *fmt, ...)
{
    struct diag_entry *r = last_report(diag);
    va_list args;

    va_start(args, fmt);
    if (r)
        r->help = format(diag, fmt, args);
    va_end(args);
    return false;
}

bool diag_help_names(struct diag *diag, const char *name,
                     const char *(*name_at)(int index, const void *data), const void *data)
{
    const char *nearest = num_nearest(name, name_at, data), *known;
    struct text names = {0};
    int count = 0;

    // Behind the last name nothing may be asked for.
    for (; count < NAMES_SHOWN && (known = name_at(count, data)); count++)
        text_add(&names, "%s'%s'", count ? ", " : "", known);
    if (count == NAMES_SHOWN && name_at(count, data))
        text_add(&names, ", ...");
    if (nearest)
        diag_help(diag, "did you mean '%s'? it has %s.", nearest, names.data);
    else if (names.size)
        diag_help(diag, "it has %s.", names.data);
    text_free(&names);
    return false;
}

bool diag_wants_help(const struct diag *diag)
{
    return diag->count && diag->count <= MOST_HELPED && !diag->dropped;
}

/* --- reading and removing reports --------------------------------------------------------- */

int diag_hidden_count(const struct diag *diag)
{
    return diag->hidden;
}

bool diag_hides(const struct diag *diag, enum diag_code code)
{
    return diag->hidden > 0 && diag->hidden_code == code;
}

bool diag_full(const struct diag *diag)
{
    return diag->hidden == DIAG_MOST_HIDDEN;
}

int diag_error_count(const struct diag *diag)
{
    return diag->errors + diag->hidden;
}

int diag_count(const struct diag *diag)
{
    return diag->count;
}

struct diag_report diag_at(const struct diag *diag, int index)
{
    assert(index >= 0 && index < diag->count);
    return diag->report[index].head;
}

const char *diag_help_at(const struct diag *diag, int index)
{
    assert(index >= 0 && index < diag->count);
    return diag->report[index].help;
}

/* A note or label by its number from 0; its text is NULL if there are not so many. */
static struct diag_report nth_note(const struct diag *diag, int index, int number, bool label)
{
    struct diag_report head = diag_at(diag, index);
    const struct note *found = number < 0 ? NULL : diag->report[index].notes.first;

    while (found && (found->label != label || number-- > 0))
        found = found->next;
    head.severity = SEVERITY_NOTE;
    head.file = NULL;
    head.at = found ? found->at : (struct span){0};
    head.text = found ? found->text : NULL;
    return head;
}

struct diag_report diag_note_at(const struct diag *diag, int index, int note)
{
    return nth_note(diag, index, note, false);
}

struct diag_report diag_label_at(const struct diag *diag, int index, int label)
{
    return nth_note(diag, index, label, true);
}

const struct diag_fix *diag_fix_at(const struct diag *diag, int index, int fix)
{
    assert(index >= 0 && index < diag->count);
    const struct diag_entry *r = &diag->report[index];

    return fix >= 0 && fix < r->fix_count ? &r->fixes[fix] : NULL;
}

void diag_take_back(struct diag *diag, int from)
{
    int before = diag->errors;

    assert(from >= diag->printed);
    while (diag->count > from)
        diag->errors -= diag->report[--diag->count].head.severity == SEVERITY_ERROR;
    if (diag->errors < before) /* errors beyond the limit came later than all that are removed */
        diag->hidden = 0;
    diag->dropped = true;
}

void diag_clear(struct diag *diag)
{
    arena_free(diag->arena);
    diag->arena = arena_new();
    diag->count = diag->errors = diag->hidden = diag->printed = 0;
    diag->dropped = diag->hidden_printed = false;
}

/* --- reports of other threads -------------------------------------------------------------- */

void diag_follow(struct diag *diag, const struct diag *other)
{
    assert(diag != other);
    diag->sources = other->sources;
    diag->limit = other->limit;
    diag->pedantic = other->pedantic;
    memcpy(diag->rules, other->rules, sizeof diag->rules);
}

static void copy_reports(struct diag *to, const struct diag *from, int first)
{
    for (int i = first; i < from->count; i++) {
        const struct diag_entry *r = &from->report[i];
        diag_add(to, r->head, "%s", r->head.text);
        for (const struct note *note = r->notes.first; note; note = note->next)
            if (note->label)
                diag_label(to, note->at, "%s", note->text);
            else
                diag_note(to, note->at, "%s", note->text);
        for (int k = 0; k < r->fix_count; k++)
            diag_fix(to, r->fixes[k].at, r->fixes[k].replacement);
        if (r->help)
            diag_help(to, "%s", r->help);
    }
}

void diag_move(struct diag *to, struct diag *from)
{
    assert(to != from);
    if (from->count == 0 && from->hidden == 0)
        return;
    copy_reports(to, from, 0);
    diag_clear(from);
}

void diag_move_since(struct diag *to, struct diag *from, int first)
{
    assert(to != from);
    if (from->count == first)
        return;
    copy_reports(to, from, first);
    diag_take_back(from, first);
}
