/*
 * sarif.c - diagnostics as a log of SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format)
 *
 * A run of the program is one run of the log.  Codes are its rules, diagnostics its results, and
 * what is wrong with the command line, or was done, is a notification.  Columns count characters, where those of
 * the library count bytes.
 */
#include "driver/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char schema[] =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

static json_t *run_of(const json_t *log)
{
    return json_array_get(json_object_get(log, "runs"), 0);
}

static json_t *message(const char *text)
{
    return json_pack("{s:o}", "text", json_text(text));
}

/* Text without its last line end. */
static json_t *lines(const char *text)
{
    size_t size = strlen(text);

    return json_stringn(text, size - (size > 0 && text[size - 1] == '\n'));
}

/* --- rules -------------------------------------------------------------------------------- */

/* With the examples, which only Markdown sets apart from prose. */
static json_t *help_of(const struct nnefc_explanation *e)
{
    if (!e->wrong)
        return json_pack("{s:o}", "text", lines(e->text));
    return json_pack("{s:o, s:o}", "text",
                     json_sprintf("%s\nWrong:\n\n%s\nRight:\n\n%s", e->text, e->wrong, e->right),
                     "markdown",
                     json_sprintf("%s\nWrong:\n\n```\n%s```\n\nRight:\n\n```\n%s```\n", e->text,
                                  e->wrong, e->right));
}

static json_t *rule_of(const char *code)
{
    struct nnefc_explanation e;

    if (!nnefc_explain(code, &e))
        return json_pack("{s:s}", "id", code);
    json_t *rule =
        json_pack("{s:s, s:o, s:{s:o}, s:o}", "id", code, "shortDescription", message(e.title),
                  "fullDescription", "text", lines(e.text), "help", help_of(&e));
    if (strcmp(e.section, "-") != 0)
        json_object_set_new(
            rule, "properties",
            json_pack("{s:o}", "section", json_sprintf("NNEF 1.0.5, section %s", e.section)));
    return rule;
}

/* The index of a rule, which enters the log with its first result. */
static size_t rule_index(const json_t *log, const char *code)
{
    json_t *driver = json_object_get(json_object_get(run_of(log), "tool"), "driver");
    json_t *rules = json_object_get(driver, "rules"), *rule;
    size_t index;

    json_array_foreach(rules, index,
                       rule) if (strcmp(json_string_value(json_object_get(rule, "id")), code) ==
                                 0) return index;
    json_array_append_new(rules, rule_of(code));
    return index;
}

/* --- places ------------------------------------------------------------------------------- */

/* A relative path as a relative reference, an absolute one as a file URL; the caller's to free. */
static char *uri_of(const char *path)
{
    const char *plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    const char *scheme = *path == '/' ? "file://" : "";
    char *uri = malloc(strlen(scheme) + 3 * strlen(path) + 1);
    size_t size = strlen(scheme);

    if (!uri)
        return NULL;
    memcpy(uri, scheme, size + 1);
    for (; *path; path++)
        if (strchr(plain, *path))
            uri[size++] = *path;
        else
            size += (size_t)snprintf(uri + size, 4, "%%%02X", (unsigned)(unsigned char)*path);
    uri[size] = '\0';
    return uri;
}

/* The index of a file among the artifacts, which it enters with its first mention. */
static size_t artifact_index(const json_t *log, const char *uri)
{
    json_t *artifacts = json_object_get(run_of(log), "artifacts"), *artifact;
    size_t index;

    json_array_foreach(artifacts, index, artifact)
    {
        const json_t *location = json_object_get(artifact, "location");
        if (strcmp(json_string_value(json_object_get(location, "uri")), uri) == 0)
            return index;
    }
    json_array_append_new(artifacts, json_pack("{s:{s:s}}", "location", "uri", uri));
    return index;
}

static json_t *artifact_location(const json_t *log, const char *file)
{
    char *uri = uri_of(file);

    if (!uri)
        return NULL;
    json_t *location =
        json_pack("{s:s, s:I}", "uri", uri, "index", (json_int_t)artifact_index(log, uri));
    free(uri);
    return location;
}

/* A line of which characters are counted, as far as they are. */
struct counted {
    const char *text;
    size_t size, bytes;
    int characters;
};

static bool begins_with_mark(const char *text, size_t size)
{
    return size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
}

static void begin_line(struct counted *line, const char *text, size_t size, bool first)
{
    *line = (struct counted){.text = text, .size = size};
    if (first && begins_with_mark(text, size))
        line->bytes = 3;
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
        begin_line(line, text, size, number == 1);
    for (; line->bytes + 1 < (size_t)column; line->bytes++)
        line->characters +=
            line->bytes >= size || ((unsigned char)text[line->bytes] & 0xC0) != 0x80;
    return line->characters + 1;
}

/* From the place of `said` to its end; NULL if it is about the file as a whole. */
static json_t *region(const struct nnefc_model *model, const struct nnefc_diagnostic *said,
                      struct counted *line)
{
    const char *file = said->file;

    if (said->line == 0)
        return NULL;
    int begin = character_column(model, file, said->line, said->column, line);
    int end = character_column(model, file, said->end_line, said->end_column, line);
    return json_pack("{s:i, s:i, s:i, s:i}", "startLine", said->line, "startColumn", begin,
                     "endLine", said->end_line, "endColumn", end);
}

/* With its text if `told`; NULL if it is neither placed nor to be told. */
static json_t *location(const json_t *log, const struct nnefc_model *model,
                        const struct nnefc_diagnostic *said, bool told)
{
    json_t *location = json_object();
    struct counted line = {0};

    if (said->file) {
        json_t *place = json_pack("{s:o}", "artifactLocation", artifact_location(log, said->file));
        json_t *where = region(model, said, &line);
        if (where)
            json_object_set_new(place, "region", where);
        json_object_set_new(location, "physicalLocation", place);
    }
    if (told)
        json_object_set_new(location, "message", message(said->text));
    return location;
}

/* --- results ------------------------------------------------------------------------------ */

/* Labels, then notes. */
static json_t *related(const json_t *log, const struct report *r)
{
    json_t *list = json_array();
    struct nnefc_diagnostic said;

    for (int i = 0; i < r->said.label_count; i++) {
        said = nnefc_model_diagnostic_label(r->model, r->index, i);
        json_array_append_new(list, location(log, r->model, &said, true));
    }
    for (int i = 0; i < r->said.note_count; i++) {
        said = nnefc_model_diagnostic_note(r->model, r->index, i);
        json_array_append_new(list, location(log, r->model, &said, true));
    }
    return list;
}

static json_t *replacement(const struct nnefc_model *model, const struct nnefc_fix *fix,
                           struct counted *line)
{
    const struct nnefc_diagnostic place = {.file = fix->file,
                                           .line = fix->line,
                                           .column = fix->column,
                                           .end_line = fix->end_line,
                                           .end_column = fix->end_column};

    return json_pack("{s:o, s:o}", "deletedRegion", region(model, &place, line), "insertedContent",
                     message(fix->replacement));
}

/* A byte order mark has no column, so that no region can say that it is to go. */
static bool is_of_mark(const struct report *r)
{
    struct nnefc_fix fix = nnefc_model_diagnostic_fix(r->model, r->index, 0);
    size_t size;
    const char *text = nnefc_model_line(r->model, fix.file, 1, &size);

    return fix.replacement && fix.begin == 0 && fix.end > 0 && begins_with_mark(text, size);
}

/* One change of each file that the fixes, which belong together, are in. */
static json_t *changes(const json_t *log, const struct report *r)
{
    json_t *list = json_array();
    const char *file = NULL;
    json_t *replacements = NULL;
    struct counted line = {0};

    for (int i = 0; i < r->said.fix_count; i++) {
        struct nnefc_fix fix = nnefc_model_diagnostic_fix(r->model, r->index, i);
        if (!fix.replacement)
            continue;
        if (!file || strcmp(file, fix.file) != 0) {
            replacements = json_array();
            json_array_append_new(list, json_pack("{s:o, s:o}", "artifactLocation",
                                                  artifact_location(log, fix.file), "replacements",
                                                  replacements));
        }
        file = fix.file;
        json_array_append_new(replacements, replacement(r->model, &fix, &line));
    }
    return list;
}

static json_t *fixes(const json_t *log, const struct report *r)
{
    const char *help = r->said.help ? r->said.help : "mend this";

    return json_pack("[{s:o, s:o}]", "description", message(help), "artifactChanges",
                     changes(log, r));
}

/* Viewers show nothing but the message. */
static json_t *text_of(const struct nnefc_diagnostic *said)
{
    json_t *text = json_text(said->text), *help = json_text(said->help);
    json_t *both =
        said->help ? json_sprintf("%s\nhelp: %s", json_string_value(text), json_string_value(help))
                   : json_incref(text);

    json_decref(text);
    json_decref(help);
    return json_pack("{s:o}", "text", both);
}

static json_t *result(const json_t *log, const struct report *r)
{
    const struct nnefc_diagnostic *said = &r->said;
    json_t *object = json_pack("{s:s, s:I, s:s, s:o}", "ruleId", said->code, "ruleIndex",
                               (json_int_t)rule_index(log, said->code), "level",
                               severity_name(said->severity), "message", text_of(said));

    if (said->file)
        json_object_set_new(object, "locations",
                            json_pack("[o]", location(log, r->model, said, false)));
    if (said->label_count + said->note_count > 0)
        json_object_set_new(object, "relatedLocations", related(log, r));
    if (said->fix_count > 0 && !is_of_mark(r))
        json_object_set_new(object, "fixes", fixes(log, r));
    if (said->warning)
        json_object_set_new(object, "properties", json_pack("{s:s}", "warning", said->warning));
    return object;
}

/* --- the log ------------------------------------------------------------------------------ */

json_t *sarif_new(void)
{
    json_t *driver = json_pack("{s:s, s:s, s:s, s:[]}", "name", "nnefc", "version", nnefc_version(),
                               "semanticVersion", nnefc_version(), "rules");

    return json_pack("{s:s, s:s, s:[{s:{s:o}, s:[{s:b}], s:s, s:[], s:[]}]}", "$schema", schema,
                     "version", "2.1.0", "runs", "tool", "driver", driver, "invocations",
                     "executionSuccessful", 1, "columnKind", "unicodeCodePoints", "artifacts",
                     "results");
}

static json_t *invocation_of(const json_t *log)
{
    return json_array_get(json_object_get(run_of(log), "invocations"), 0);
}

static void add_notification(const json_t *log, const struct nnefc_diagnostic *said)
{
    bool done = said->severity == NNEFC_NOTE;
    const char *key = done ? "toolExecutionNotifications" : "toolConfigurationNotifications";
    json_t *invocation = invocation_of(log);

    if (!json_object_get(invocation, key))
        json_object_set_new(invocation, key, json_array());
    json_array_append_new(json_object_get(invocation, key),
                          json_pack("{s:s, s:o}", "level", severity_name(said->severity), "message",
                                    message(said->text)));
}

void sarif_add(json_t *log, const struct report *report)
{
    if (report->said.code)
        json_array_append_new(json_object_get(run_of(log), "results"), result(log, report));
    else
        add_notification(log, &report->said);
}

/* To find faults is what the program is for; only if it could not look for them it failed. */
void sarif_end(json_t *log, enum nnefc_status status)
{
    bool looked = status == NNEFC_OK || status == NNEFC_INVALID || status == NNEFC_UNSUPPORTED ||
                  status == NNEFC_DIFFERENT;
    json_t *invocation = invocation_of(log);

    json_object_set_new(invocation, "executionSuccessful", json_boolean(looked));
    json_object_set_new(invocation, "exitCode", json_integer(status));
}
