/*
 * reduce_text.c - a text that fails becomes a short one that fails
 *
 * A text is cut into pieces, and as many of them as possible are left out: first comments, then
 * declarations, statements, arguments with the comma behind or in front, and tokens.  This code
 * knows only brackets, quotes and comments, so that it can cut texts with errors.  If a statement
 * is left out, its first operand first replaces the tensor that it assigns, so that statements
 * behind it stay valid.
 */
#include "driver/path.h"
#include "driver/reduce.h"
#include "driver/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum level {
    COMMENTS,
    DECLARATIONS,
    BRIDGES,
    STATEMENTS,
    BEHIND_COMMAS,
    BEFORE_COMMAS,
    TOKENS,
    LEVELS
};

/* Pieces of a text, one behind the other: the end of each. */
struct pieces {
    const char *text;
    size_t *end;
    int count;
    size_t room;
};

struct text_reduction {
    struct reduction *r;
    char *text; /* which fails */
    size_t size;
    struct pieces pieces;
    char *(*join)(const struct pieces *pieces, const bool *kept, size_t *size);
};

/* --- pieces ----------------------------------------------------------------------------------- */

static void end_piece(struct pieces *p, size_t end)
{
    if (end == (p->count > 0 ? p->end[p->count - 1] : 0))
        return;
    if ((size_t)p->count == p->room) {
        p->room = p->room > 0 ? 2 * p->room : 64;
        p->end = resize_items(p->end, p->room, sizeof *p->end);
    }
    p->end[p->count++] = end;
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.';
}

/* The end of the comment, string, word or character that begins at `at`. */
static size_t token_end(const char *text, size_t at, size_t size)
{
    const char first = text[at];
    size_t end = at + 1;

    if (first == '#') {
        while (end < size && text[end] != '\n')
            end++;
    } else if (first == '\'' || first == '"') {
        while (end < size && text[end] != first && text[end] != '\n')
            end++;
        end += end < size;
    } else if (is_word(first)) {
        while (end < size && is_word(text[end]))
            end++;
    }
    return end;
}

/* The place of the cursor: the number of open brackets of each kind. */
struct depth {
    int body, list;
};

/* Is there a border between pieces in front of the token, or behind it?  `depth` is that behind. */
static bool is_border(enum level level, char token, bool behind, struct depth depth)
{
    switch (level) {
    case COMMENTS:
        return token == '#';
    case DECLARATIONS:
        return behind && depth.body <= 0 && (token == '}' || token == ';');
    case BRIDGES:
    case STATEMENTS:
        return behind ? token == ';' || token == '{' : token == '}';
    case BEHIND_COMMAS:
        return behind ? token == ',' || token == '(' || token == '[' : token == ')' || token == ']';
    case BEFORE_COMMAS:
        return behind ? token == '(' || token == '[' : token == ',' || token == ')' || token == ']';
    case TOKENS:
        return !behind;
    case LEVELS:
        break;
    }
    return false;
}

static struct pieces cut_text(const char *text, size_t size, enum level level)
{
    struct pieces pieces = {.text = text};
    struct depth depth = {0, 0};

    for (size_t at = 0, end; at < size; at = end) {
        end = token_end(text, at, size);
        if (strchr(" \t\r\n", text[at]) && text[at])
            continue;
        depth.body += (text[at] == '{') - (text[at] == '}');
        if (is_border(level, text[at], false, depth))
            end_piece(&pieces, at);
        if (is_border(level, text[at], true, depth))
            end_piece(&pieces, end);
    }
    end_piece(&pieces, size);
    return pieces;
}

/* The pieces that are kept, to be freed. */
static char *join(const struct pieces *pieces, const bool *kept, size_t *size)
{
    char *text = zeroed_items((pieces->count > 0 ? pieces->end[pieces->count - 1] : 0) + 1, 1);

    *size = 0;
    for (int i = 0; i < pieces->count; i++) {
        const size_t begin = i > 0 ? pieces->end[i - 1] : 0;
        if (!kept[i])
            continue;
        memcpy(text + *size, pieces->text + begin, pieces->end[i] - begin);
        *size += pieces->end[i] - begin;
    }
    return text;
}

/* --- bridges ---------------------------------------------------------------------------------- */

struct word {
    const char *text;
    size_t size;
};

/* A statement that is left out: its operand replaces the tensor that it assigns. */
struct bridge {
    struct word name, operand;
};

static int compare_words(const void *a, const void *b)
{
    const struct word *x = a, *y = b;
    const int order = memcmp(x->text, y->text, x->size < y->size ? x->size : y->size);

    return order ? order : (x->size > y->size) - (x->size < y->size);
}

/* The word, or other token, at or behind *at, which moves behind it. */
static struct word next_token(const char *text, size_t *at, size_t size)
{
    while (*at < size && strchr(" \t\r\n", text[*at]) && text[*at])
        ++*at;
    const size_t begin = *at;
    *at = begin < size ? token_end(text, begin, size) : size;
    return (struct word){text + begin, *at - begin};
}

static bool is_identifier(struct word word)
{
    return word.size > 0 && is_word(*word.text) && !(*word.text >= '0' && *word.text <= '9');
}

/* "name = operation( operand", or with '[' in front; false: the piece is none such. */
static bool read_bridge(const struct pieces *p, int index, struct bridge *bridge)
{
    size_t at = index > 0 ? p->end[index - 1] : 0;
    const size_t end = p->end[index];

    bridge->name = next_token(p->text, &at, end);
    const struct word equals = next_token(p->text, &at, end);
    const struct word operation = next_token(p->text, &at, end);
    const struct word open = next_token(p->text, &at, end);
    bridge->operand = next_token(p->text, &at, end);
    if (bridge->operand.size == 1 && *bridge->operand.text == '[')
        bridge->operand = next_token(p->text, &at, end);
    const struct word behind = next_token(p->text, &at, end);
    return is_identifier(bridge->name) && equals.size == 1 && *equals.text == '=' &&
           is_identifier(operation) && open.size == 1 && *open.text == '(' &&
           is_identifier(bridge->operand) && behind.size == 1 && strchr(",])", *behind.text);
}

/* The replacement of a word that is not assigned any more. */
static struct word bridged(struct word word, const struct bridge *bridges, int count)
{
    const struct bridge *found = NULL;

    /* Each bridge leads to an earlier tensor; there are no more steps than bridges. */
    for (int i = 0; i <= count; i++) {
        found = bsearch(&word, bridges, (size_t)count, sizeof *bridges, compare_words);
        if (!found)
            break;
        word = found->operand;
    }
    return word;
}

/* Bridges of the pieces that are not kept, sorted by name; NULL: one of them is no bridge. */
static struct bridge *find_bridges(const struct pieces *pieces, const bool *kept, int *count)
{
    struct bridge *bridges = zeroed_items((size_t)pieces->count + 1, sizeof *bridges);

    *count = 0;
    for (int i = 0; i < pieces->count; i++)
        if (!kept[i] && !read_bridge(pieces, i, &bridges[(*count)++])) {
            free(bridges);
            return NULL;
        }
    qsort(bridges, (size_t)*count, sizeof *bridges, compare_words);
    return bridges;
}

/* The pieces that are kept, with bridges over the others, to be freed; NULL: there is one without
 * a bridge. */
static char *join_bridged(const struct pieces *pieces, const bool *kept, size_t *size)
{
    int count;
    struct bridge *bridges = find_bridges(pieces, kept, &count);
    char *text = bridges ? join(pieces, kept, size) : NULL;
    size_t room = text ? *size + 1 : 0, used = 0, end;
    char *to = NULL;

    for (size_t at = 0; text && at < *size; at = end) {
        end = token_end(text, at, *size);
        struct word word = {text + at, end - at};
        word = is_identifier(word) ? bridged(word, bridges, count) : word;
        if (!to || used + word.size + 1 > room)
            to = resize_items(to, room = 2 * room + word.size + 1, 1);
        memcpy(to + used, word.text, word.size);
        used += word.size;
    }
    *size = used;
    free(text);
    free(bridges);
    return to;
}

/* --- tries ------------------------------------------------------------------------------------ */

static void write_result(struct reduction *r, const char *text, size_t size)
{
    const char *out = r->command->operand[1];
    const size_t room = strlen(out) + sizeof "/graph.nnef";
    char *path = zeroed_items(room, 1);
    struct nnefc_model *model = new_model();

    snprintf(path, room, "%s%s", out, path_is_folder(out) ? "/graph.nnef" : "");
    nnefc_model_set_force(model, true);
    if (!path_make_folders(path) || nnefc_model_write_text(model, path, text, size) != NNEFC_OK) {
        r->broken = true;
        if (nnefc_model_diagnostics(model)->count == 0)
            file_error(r->command, path, strerror(errno));
    }
    close_model(r->command, model);
    free(path);
}

static int count_lines(const char *text, size_t size)
{
    int lines = size > 0 && text[size - 1] != '\n';

    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines;
}

static enum answer try_text(struct text_reduction *t, const char *text, size_t size)
{
    const uint64_t digest = digest_of(2, text, size);
    enum answer answer;

    if (answer_known(t->r, digest, &answer))
        return answer;
    answer = judge_text(t->r, text, size);
    answer_tell(t->r, digest, answer, count_lines(text, size), "lines");
    if (answer == ANSWER_FAILS)
        write_result(t->r, text, size);
    return t->r->broken ? ANSWER_STOPPED : answer;
}

static enum answer try_pieces(void *data, const bool *kept)
{
    struct text_reduction *t = data;
    size_t size;
    char *text = t->join(&t->pieces, kept, &size);
    const enum answer answer = text ? try_text(t, text, size) : ANSWER_PASSES;

    free(text);
    return answer;
}

static void reduce_level(struct text_reduction *t, enum level level)
{
    size_t size;

    t->pieces = cut_text(t->text, t->size, level);
    t->join = level == BRIDGES ? join_bridged : join;
    bool *kept = zeroed_items((size_t)t->pieces.count + 1, sizeof *kept);
    memset(kept, true, (size_t)t->pieces.count * sizeof *kept);
    search_less(kept, t->pieces.count, try_pieces, t);
    char *text = t->join(&t->pieces, kept, &size);
    if (text) {
        free(t->text);
        t->text = text;
        t->size = size;
    }
    free(kept);
    free(t->pieces.end);
}

/* --- the text --------------------------------------------------------------------------------- */

/* The text of a model, a file or "graph.nnef" in a folder; NULL after a report. */
static char *read_text(const struct reduction *r, size_t *size)
{
    const char *model = r->command->operand[0];
    const size_t length = strlen(model) + sizeof "/graph.nnef";
    char *path = zeroed_items(length, 1), *text = NULL;
    size_t room = 0, got = 1;

    snprintf(path, length, "%s%s", model, path_is_folder(model) ? "/graph.nnef" : "");
    FILE *file = fopen(path, "rb");
    for (*size = 0; file && got > 0; *size += got) {
        if (*size + 1 >= room) {
            room = room > 0 ? 2 * room : 4096;
            text = resize_items(text, room, 1);
        }
        got = fread(text + *size, 1, room - *size - 1, file);
    }
    if (!file)
        usage_report(r->command, NNEFC_ERROR, "cannot read '%s': %s", path, strerror(errno));
    else
        fclose(file);
    free(path);
    return text;
}

/* The folder that texts are checked in.  False: the model cannot be written as it is. */
static bool place_data(struct reduction *r)
{
    char *path = reduction_path(r, "candidate/");
    struct nnefc_model *model = load_model(&r->s.loading, r->command->operand[0]);

    remove_folder(path);
    const bool ok = nnefc_model_write_profile(model, path, NNEFC_PROFILE_TEXT) == NNEFC_OK;
    nnefc_model_free(model);
    free(path);
    return ok;
}

enum nnefc_status reduce_text(struct reduction *r, bool *fails)
{
    struct text_reduction t = {.r = r};

    reduction_reads(r);
    t.text = read_text(r, &t.size);
    if (!reduction_has_read(r) || !t.text) {
        free(t.text);
        return NNEFC_FILE;
    }
    *fails = (!r->in_folder || place_data(r)) && try_text(&t, t.text, t.size) == ANSWER_FAILS;
    const int lines = count_lines(t.text, t.size);
    for (int level = 0; level < LEVELS && *fails; level++)
        reduce_level(&t, (enum level)level);
    if (*fails && !r->command->quiet)
        printf("%d of %d lines left after %d checks\n", count_lines(t.text, t.size), lines,
               r->tests);
    free(t.text);
    return r->broken ? NNEFC_FILE : NNEFC_OK;
}
