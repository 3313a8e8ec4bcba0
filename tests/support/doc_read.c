/* doc_read.c - finds the marks of a document; see doc.h */
#include "support/doc.h"

#include "base/arena.h"
#include "diag/context.h"
#include "file/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

DEFINE_APPEND(doc_mark)
DEFINE_APPEND(doc_fault)

void doc_complain(struct doc *doc, int line, const char *fmt, ...)
{
    va_list args;

    if (line > 0)
        text_add(&doc->complaints, "%s:%d: ", doc->path, line);
    else
        text_add(&doc->complaints, "%s: ", doc->path);
    va_start(args, fmt);
    text_add_v(&doc->complaints, fmt, args);
    va_end(args);
    text_add(&doc->complaints, "\n");
}

/* --- options: "#: --std=provisional" ------------------------------------------------------ */

static bool starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool read_number(const char *text, int64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoll(text, &end, 10);
    return end != text && *end == '\0' && errno == 0;
}

static bool set_dialect(struct doc *doc, const char *name)
{
    doc->parse.dialect = strcmp(name, "provisional") == 0 ? PARSE_PROVISIONAL : PARSE_1_0;
    return strcmp(name, "provisional") == 0 || strcmp(name, "1.0") == 0;
}

static bool set_limit(struct doc *doc, const char *option, int64_t number)
{
    struct limits *limits = &doc->limits;

    if (starts(option, "--nesting="))
        limits->nesting = (int)number;
    else if (starts(option, "--expansion_depth="))
        limits->expansion_depth = (int)number;
    else if (starts(option, "--nodes="))
        limits->nodes = number;
    else if (starts(option, "--array_length="))
        limits->array_length = number;
    else if (starts(option, "--work="))
        limits->work = number;
    else if (starts(option, "--memory="))
        limits->memory = number;
    else if (starts(option, "--volume="))
        limits->volume = number;
    else if (starts(option, "--steps="))
        doc->steps = (int)number;
    else
        return false;
    return true;
}

static bool set_rewriting(struct doc_rewriting *rewriting, const char *option)
{
    const char *value = strchr(option, '=');

    if (starts(option, "--passes=") || starts(option, "--leaves=")) {
        *(option[2] == 'p' ? &rewriting->passes : &rewriting->leaves) = value + 1;
        return true;
    }
    if (starts(option, "--fold-limit="))
        return read_number(value + 1, &rewriting->fold_limit);
    if (strcmp(option, "--prune-inputs") == 0)
        return rewriting->prune_inputs = true;
    return false;
}

static bool set_option(struct doc *doc, const char *option)
{
    const char *equals = strchr(option, '=');
    int64_t number;

    if (starts(option, "--std="))
        return set_dialect(doc, equals + 1);
    if (equals && read_number(equals + 1, &number))
        return set_limit(doc, option, number);
    if (strcmp(option, "--pedantic") == 0)
        return doc->sema.pedantic = true;
    if (strcmp(option, "--expand=all") == 0)
        return doc->expand_all = true;
    if (strcmp(option, "--keep-only") == 0)
        return doc->keep_only = true;
    return false;
}

/* "a=reason", to the end of the line */
static void add_remark(struct doc *doc, int line, char *text)
{
    struct doc_remark *remark = arena_new_of(doc->arena, struct doc_remark);

    *remark = (struct doc_remark){.line = line, .next = doc->rewriting.remarks};
    remark->pass = strtok_r(text, "=", &text);
    remark->reason = text + strspn(text, " \t");
    doc->rewriting.remarks = remark;
}

static void read_options(struct doc *doc, const struct doc_mark *mark)
{
    static const char remark[] = "--remark=";
    char *rest = arena_strndup(doc->arena, mark->text, strcspn(mark->text, "\r\n"));
    char *last = strstr(rest, remark), *word;

    if (last) {
        add_remark(doc, mark->line, last + strlen(remark));
        *last = '\0';
    }
    while ((word = strtok_r(rest, " \t", &rest)) != NULL)
        if (set_rewriting(&doc->rewriting, word))
            doc->rewriting.line = mark->line;
        else if (!set_option(doc, word))
            doc_complain(doc, mark->line, "unknown option '%s'", word);
}

/* --- announced faults: "#! N0132 N0133", "#! N0004 @12" ----------------------------------- */

static bool find_code(const char *name, enum diag_code *code)
{
    for (int i = 0; i < DIAG_CODE_COUNT; i++) {
        if (strcmp(diag_info((enum diag_code)i)->code, name) == 0) {
            *code = (enum diag_code)i;
            return true;
        }
    }
    return false;
}

static void add_fault(struct doc *doc, const struct doc_mark *mark, int line, enum diag_code code)
{
    struct doc_fault *fault = arena_new_of(doc->arena, struct doc_fault);

    *fault = (struct doc_fault){.kind = mark->kind, .line = line, .code = code};
    doc->faults = doc_fault_append(doc->faults, fault);
}

static void read_faults(struct doc *doc, const struct doc_mark *mark)
{
    char *rest = arena_strndup(doc->arena, mark->text, strlen(mark->text));
    const char *place = strchr(mark->text, '@');
    int64_t line = mark->line;
    int count = 0;
    enum diag_code code;
    char *word;

    if (place && !read_number(place + 1, &line))
        doc_complain(doc, mark->line, "'%s' is no line", place);
    while ((word = strtok_r(rest, " \t", &rest)) != NULL && *word != '@') {
        if (find_code(word, &code))
            add_fault(doc, mark, (int)line, code);
        else
            doc_complain(doc, mark->line, "unknown code '%s'", word);
        count++;
    }
    if (count == 0)
        doc_complain(doc, mark->line, "'#%c' without a code", mark->kind);
}

/* --- marks ---------------------------------------------------------------------------------- */

static bool is_mark(const char *at)
{
    return at[0] == '#' && at[1] != '\0' && strchr(":<>!?^", at[1]);
}

static bool is_first_on_line(const struct doc *doc, size_t offset)
{
    while (offset > 0 && strchr(" \t", doc->text[offset - 1]))
        offset--;
    return offset == 0 || doc->text[offset - 1] == '\n';
}

static bool continue_mark(struct doc *doc, const struct doc_mark *mark)
{
    struct doc_mark *last = doc->marks.last;

    if (!last || !strchr("<>", mark->kind) || last->kind != mark->kind ||
        last->line != mark->line - 1 || !is_first_on_line(doc, mark->offset))
        return false;
    if (last->joined.size == 0)
        text_add(&last->joined, "%s", last->text);
    text_add(&last->joined, " %s", mark->text);
    last->text = last->joined.data;
    last->line = mark->line;
    return true;
}

static void add_mark(struct doc *doc, const struct doc_mark *mark)
{
    struct doc_mark *copy = arena_new_of(doc->arena, struct doc_mark);

    if (continue_mark(doc, mark))
        return;
    *copy = *mark;
    doc->marks = doc_mark_append(doc->marks, copy);
    doc->has_errors |= mark->kind == '!';
    doc->has_warnings |= mark->kind == '?';
    doc->has_values |= mark->kind == '>';
}

static void read_mark(struct doc *doc, const struct doc_mark *mark)
{
    switch (mark->kind) {
    case ':':
        read_options(doc, mark);
        break;
    case '!':
    case '?':
        read_faults(doc, mark);
        break;
    case '^':
        add_fault(doc, mark, mark->line, (enum diag_code)0);
        break;
    }
    add_mark(doc, mark);
}

/* The comment at `at`: nothing, a mark, or several. Returns the end of the line. */
static const char *read_comment(struct doc *doc, const char *at, int line)
{
    const char *end = at + strcspn(at, "\r\n");

    while (is_mark(at)) {
        const char *next = at + 2;
        while (next < end && !is_mark(next))
            next++;
        read_mark(doc, &(struct doc_mark){
                           .kind = at[1],
                           .line = line,
                           .offset = (size_t)(at - doc->text),
                           .text = arena_strndup(doc->arena, at + 2, (size_t)(next - at - 2))});
        at = next;
    }
    return end;
}

/* The character behind a string, which ends with its line at the latest. */
static const char *skip_string(const char *at)
{
    char quote = *at++;

    while (*at && *at != '\n' && *at != quote)
        at += at[0] == '\\' && at[1] && at[1] != '\n' ? 2 : 1;
    return *at == quote ? at + 1 : at;
}

static void read_marks(struct doc *doc)
{
    int line = 1;

    for (const char *at = doc->text; *at;) {
        if (*at == '#') {
            at = read_comment(doc, at, line);
        } else if (*at == '\'' || *at == '"') {
            at = skip_string(at);
        } else {
            line += *at == '\n';
            at++;
        }
    }
}

static bool is_near_miss(const char *path)
{
    const char *name = strrchr(path, '/');

    return strstr(name ? name : path, "-ok-") != NULL;
}

static struct doc new_doc(const char *path)
{
    return (struct doc){.path = path, .arena = arena_new(), .limits = limits_standard, .steps = 1};
}

void doc_read_text(struct doc *doc, const char *path, const char *text)
{
    *doc = new_doc(path);
    doc->text = strdup(text);
    if (!doc->text)
        arena_out_of_memory();
    doc->size = strlen(text);
    read_marks(doc);
}

void doc_read(struct doc *doc, const char *path)
{
    struct diag *diag = diag_new(NULL);

    *doc = new_doc(path);
    if (file_read(diag, path, INT64_MAX, &doc->text, &doc->size))
        read_marks(doc);
    else
        doc_complain(doc, 0, "%s", diag_at(diag, 0).text);
    diag_free(diag);
    doc->is_near_miss = is_near_miss(path);
    if (doc->is_near_miss && doc->has_errors)
        doc_complain(doc, 0, "a near miss has no errors");
}

void doc_clear(struct doc *doc)
{
    for (struct doc_mark *m = doc->marks.first; m; m = m->next)
        text_free(&m->joined);
    text_free(&doc->complaints);
    free(doc->text);
    context_free(doc->root);
    arena_free(doc->arena);
}
