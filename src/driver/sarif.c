/*
 * sarif.c - diagnostics as a log of SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format)
 *
 * A run of the program is one run of the log.  Codes are its rules, diagnostics its results; faults
 * of the command line, and notes of what was done, are notifications.  Columns of the library count
 * bytes, those of the log characters.
 */
#include "driver/report.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char schema[] =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/* Parts of the log that grow.  Notifications are of faults of the command line, and of the rest. */
struct sarif {
    struct record *log, *rules, *artifacts, *results, *invocation, *notifications[2];
    int rule_count, artifact_count;
};

/* SARIF wraps each text into an object. */
static void add_message(struct record *to, const char *key, const char *text)
{
    record_text(record_object(to, key), "text", text);
}

/* --- rules -------------------------------------------------------------------------------- */

/* Text without its last line end. */
static void add_lines(struct record *to, const char *text)
{
    size_t size = strlen(text);

    record_print_to(to, "text", "%.*s", (int)(size - (size > 0 && text[size - 1] == '\n')), text);
}

/* With the examples, which only Markdown sets apart from prose. */
static void add_rule(struct record *rules, const struct nnefc_explanation *e, const char *code)
{
    struct record *rule = record_object(rules, NULL);

    record_text(rule, "id", code);
    if (!e) /* since all codes are explained */
        end_without_memory();
    add_message(rule, "shortDescription", e->title);
    add_lines(record_object(rule, "fullDescription"), e->text);
    struct record *help = record_object(rule, "help");
    if (e->wrong) {
        record_print_to(help, "text", "%s\nWrong:\n\n%s\nRight:\n\n%s", e->text, e->wrong,
                        e->right);
        record_print_to(help, "markdown", "%s\nWrong:\n\n```\n%s```\n\nRight:\n\n```\n%s```\n",
                        e->text, e->wrong, e->right);
    } else {
        add_lines(help, e->text);
    }
    if (strcmp(e->section, "-") != 0)
        record_print_to(record_object(rule, "properties"), "section", "NNEF 1.0.5, section %s",
                        e->section);
}

/* --- places ------------------------------------------------------------------------------- */

/*
 * A file enters the artifacts with its first mention.  A relative path is a relative reference, an
 * absolute one a file URL.
 */
static void add_artifact(struct sarif *log, struct record *to, const char *file)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    struct record *location = record_object(to, "artifactLocation");
    const char *scheme = *file == '/' ? "file://" : "";
    char *uri = zeroed_items(strlen(scheme) + 3 * strlen(file) + 1, 1);
    size_t size = strlen(scheme);

    memcpy(uri, scheme, size + 1);
    for (; *file; file++)
        if (strchr(plain, *file))
            uri[size++] = *file;
        else
            size += (size_t)snprintf(uri + size, 4, "%%%02X", (unsigned)(unsigned char)*file);
    uri[size] = '\0';
    int index = record_find(log->artifacts, ".uri", uri);
    if (index < 0) {
        struct record *artifact = record_object(log->artifacts, NULL);
        record_text(artifact, ".uri", uri);
        record_text(record_object(artifact, "location"), "uri", uri);
        index = log->artifact_count++;
    }
    record_text(location, "uri", uri);
    record_integer(location, "index", index);
    free(uri);
}

/* A line, and the number of characters in its first bytes. */
struct counted {
    const char *text;
    size_t size, bytes;
    int characters;
};

/* The byte order mark of UTF-8. */
static bool begins_with_mark(const char *text, size_t size)
{
    return size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
}

/*
 * The column in characters: bytes that go on with one, and a byte order mark, do not count.
 * Places in one line are counted on from one to the next.
 */
static int character_column(const struct nnefc_model *model, const char *file, int number,
                            int column, struct counted *line)
{
    size_t size;
    const char *text = nnefc_model_line(model, file, number, &size);

    if (line->text != text || line->bytes + 1 > (size_t)column)
        *line = (struct counted){.text = text, .size = size};
    if (line->bytes == 0 && number == 1 && begins_with_mark(text, size))
        line->bytes = 3;
    for (; line->bytes + 1 < (size_t)column; line->bytes++)
        line->characters +=
            !text || line->bytes >= size || ((unsigned char)text[line->bytes] & 0xC0) != 0x80;
    return line->characters + 1;
}

/* From the place of `said` to its end; none if it is about the file as a whole. */
static void add_region(struct record *to, const char *key, const struct nnefc_model *model,
                       const struct nnefc_diagnostic *said, struct counted *line)
{
    if (said->line == 0)
        return;
    struct record *region = record_object(to, key);
    int begin = character_column(model, said->file, said->line, said->column, line);
    int end = character_column(model, said->file, said->end_line, said->end_column, line);
    record_integer(region, "startLine", said->line);
    record_integer(region, "startColumn", begin);
    record_integer(region, "endLine", said->end_line);
    record_integer(region, "endColumn", end);
}

/* A file, and the region in it. */
static void add_place(struct sarif *log, struct record *to, const struct nnefc_model *model,
                      const struct nnefc_diagnostic *said)
{
    struct record *place = record_object(to, "physicalLocation");
    struct counted line = {0};

    assert(said->file);
    add_artifact(log, place, said->file);
    add_region(place, "region", model, said, &line);
}

/* --- results ------------------------------------------------------------------------------ */

/* A label or a note, with its text. */
static void add_remark(struct sarif *log, struct record *list, const struct nnefc_model *model,
                       const struct nnefc_diagnostic *said)
{
    struct record *location = record_object(list, NULL);

    if (said->file)
        add_place(log, location, model, said);
    add_message(location, "message", said->text);
}

/* The fix-its belong together: list one change for each file that they are in. */
static void add_changes(struct sarif *log, struct record *changes, const struct report *r)
{
    struct record *replacements = NULL;
    const char *file = NULL;
    struct counted line = {0};

    for (int i = 0; i < r->said.fixes->count; i++) {
        const struct nnefc_fix *fix = r->said.fixes->at[i];
        if (!file || strcmp(file, fix->file) != 0) {
            struct record *change = record_object(changes, NULL);
            add_artifact(log, change, fix->file);
            replacements = record_list(change, "replacements");
        }
        file = fix->file;
        struct record *replacement = record_object(replacements, NULL);
        const struct nnefc_diagnostic place = {.file = fix->file,
                                               .line = fix->line,
                                               .column = fix->column,
                                               .end_line = fix->end_line,
                                               .end_column = fix->end_column};
        add_region(replacement, "deletedRegion", r->model, &place, &line);
        add_message(replacement, "insertedContent", fix->replacement);
    }
}

/* One diagnostic. */
static void add_result(struct sarif *log, const struct report *r)
{
    const struct nnefc_diagnostic *said = &r->said;
    struct record *result = record_object(log->results, NULL);
    int rule = record_find(log->rules, "id", said->code);

    if (rule < 0) { /* it enters the log with its first result */
        struct nnefc_catalogue *catalogue = must_have(nnefc_catalogue_new());
        add_rule(log->rules, nnefc_catalogue_explain(catalogue, said->code), said->code);
        nnefc_catalogue_free(catalogue);
        rule = log->rule_count++;
    }
    record_text(result, "ruleId", said->code);
    record_integer(result, "ruleIndex", rule);
    record_text(result, "level", severity_name(said->severity));
    struct record *message = record_object(result, "message");
    if (said->help) /* viewers show nothing but the message */
        record_print_to(message, "text", "%s\nhelp: %s", said->text, said->help);
    else
        record_text(message, "text", said->text);
    if (said->file)
        add_place(log, record_object(record_list(result, "locations"), NULL), r->model, said);
    /* Diagnostics of the program itself have no lists. */
    if (said->labels && said->labels->count + said->notes->count > 0) {
        struct record *related = record_list(result, "relatedLocations");
        for (int i = 0; i < said->labels->count; i++)
            add_remark(log, related, r->model, said->labels->at[i]);
        for (int i = 0; i < said->notes->count; i++)
            add_remark(log, related, r->model, said->notes->at[i]);
    }
    if (said->fixes && said->fixes->count > 0) {
        /* A byte order mark has no column, so that no region can propose to remove it. */
        const struct nnefc_fix *first = said->fixes->at[0];
        size_t size;
        const char *text = nnefc_model_line(r->model, first->file, 1, &size);
        if (first->begin > 0 || first->end == 0 || !begins_with_mark(text, size)) {
            struct record *fix = record_object(record_list(result, "fixes"), NULL);
            add_message(fix, "description", said->help ? said->help : "mend this");
            add_changes(log, record_list(fix, "artifactChanges"), r);
        }
    }
    if (said->warning)
        record_text(record_object(result, "properties"), "warning", said->warning);
}

/* --- the log ------------------------------------------------------------------------------ */

struct sarif *sarif_new(void)
{
    struct sarif *log = zeroed_items(1, sizeof *log);

    log->log = record_new_object();
    record_text(log->log, "$schema", schema);
    record_text(log->log, "version", "2.1.0");
    struct record *run = record_object(record_list(log->log, "runs"), NULL);
    struct record *driver = record_object(record_object(run, "tool"), "driver");
    record_text(driver, "name", "nnefc");
    record_text(driver, "version", nnefc_version());
    record_text(driver, "semanticVersion", nnefc_version());
    log->rules = record_list(driver, "rules");
    log->invocation = record_object(record_list(run, "invocations"), NULL);
    record_bool(log->invocation, "executionSuccessful", true);
    record_text(run, "columnKind", "unicodeCodePoints");
    log->artifacts = record_list(run, "artifacts");
    log->results = record_list(run, "results");
    return log;
}

void sarif_add(struct sarif *log, const struct report *report)
{
    bool done = report->said.severity == NNEFC_NOTE;

    assert(report->said.text);
    if (report->said.code) {
        add_result(log, report);
        return;
    }
    if (!log->notifications[done])
        log->notifications[done] =
            record_list(log->invocation,
                        done ? "toolExecutionNotifications" : "toolConfigurationNotifications");
    struct record *item = record_object(log->notifications[done], NULL);
    record_text(item, "level", severity_name(report->said.severity));
    add_message(item, "message", report->said.text);
}

/* The program succeeds if it could look for faults, whether or not it found any. */
struct record *sarif_end(struct sarif *log, enum nnefc_status status)
{
    struct record *record = log->log;

    bool looked = status == NNEFC_OK || status == NNEFC_INVALID || status == NNEFC_UNSUPPORTED ||
                  status == NNEFC_DIFFERENT;

    assert(log->rule_count >= 0 && log->artifact_count >= 0);
    record_bool(log->invocation, "executionSuccessful", looked);
    record_integer(log->invocation, "exitCode", status);
    free(log);
    return record;
}
