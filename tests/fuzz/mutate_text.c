/*
 * mutate_text.c - changes to texts that keep most of them texts
 *
 * Bytes alone seldom make another valid document of one.  Here lines are copied and dropped, and
 * words, numbers and signs replaced by others: of the text itself, and of the library of
 * operations.
 */
#include "fuzz/fuzz.h"

#include "base/arena.h"
#include "exec/random.h"
#include "sema/sema.h"

#include <ctype.h>
#include <string.h>

struct words {
    const char **item;
    size_t count, capacity;
};

struct mutation {
    struct random random;
    const struct words *words;
    char *text;
    size_t size, room;
};

/* A part of the text. */
struct part {
    size_t at, size;
};

/* --- the library's words ----------------------------------------------------------------- */

static void add_word(struct words *words, const char *word)
{
    if (words->count < words->capacity)
        words->item[words->count++] = word;
}

static void add_operations(struct words *words, struct context *context, enum dialect dialect)
{
    const struct library *library = library_load(context, dialect);

    for (int i = 0; i < library_count(library); i++) {
        const struct signature *s = library_at(library, i);
        add_word(words, s->name);
        for (int k = 0; k < s->nparam; k++)
            add_word(words, s->params[k].name);
    }
}

/* Made once and never freed. */
static const struct words *library_words(void)
{
    enum { ROOM = 4096 };
    static struct context *context;
    static struct words words;

    if (!context) {
        context = context_new();
        words.item = arena_array_of(context->arena, const char *, ROOM);
        words.capacity = ROOM;
        add_operations(&words, context, DIALECT_1_0);
        add_operations(&words, context, DIALECT_PROVISIONAL);
    }
    return &words;
}

/* --- parts ------------------------------------------------------------------------------- */

static size_t below(struct mutation *m, size_t limit)
{
    return limit ? (size_t)(random_bits(&m->random) % limit) : 0;
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* The word, number or sign around `at`. */
static struct part token_at(const struct mutation *m, size_t at)
{
    size_t begin = at, end = at + 1;

    if (is_word_char(m->text[at])) {
        while (begin > 0 && is_word_char(m->text[begin - 1]))
            begin--;
        while (end < m->size && is_word_char(m->text[end]))
            end++;
    }
    return (struct part){begin, end - begin};
}

static struct part any_token(struct mutation *m)
{
    return token_at(m, below(m, m->size));
}

/* One of a few tries that is a word, or a number. */
static struct part find_token(struct mutation *m, bool number)
{
    struct part part = any_token(m);

    for (int i = 0; i < 32; i++) {
        unsigned char first = (unsigned char)m->text[part.at];
        if (number ? isdigit(first) : isalpha(first))
            break;
        part = any_token(m);
    }
    return part;
}

/* The line around `at`, with what ends it. */
static struct part line_at(const char *text, size_t size, size_t at)
{
    size_t begin = at, end = at;

    while (begin > 0 && text[begin - 1] != '\n')
        begin--;
    while (end < size && text[end] != '\n')
        end++;
    end += end < size;
    return (struct part){begin, end - begin};
}

static struct part any_line(struct mutation *m)
{
    return line_at(m->text, m->size, below(m, m->size));
}

/* --- changes ----------------------------------------------------------------------------- */

static void replace(struct mutation *m, struct part part, const char *by, size_t size)
{
    char copy[256];

    if (size > sizeof copy || m->size - part.size + size > m->room)
        return;
    memcpy(copy, by, size); /* which may lie in the text */
    memmove(m->text + part.at + size, m->text + part.at + part.size, m->size - part.at - part.size);
    memcpy(m->text + part.at, copy, size);
    m->size = m->size - part.size + size;
}

static void replace_token(struct mutation *m, struct part part, struct part by)
{
    replace(m, part, m->text + by.at, by.size);
}

static void copy_line(struct mutation *m)
{
    struct part line = any_line(m), before = any_line(m);

    before.size = 0;
    replace_token(m, before, line);
}

static void drop(struct mutation *m, struct part part)
{
    replace(m, part, "", 0);
}

static void change_number(struct mutation *m)
{
    static const char *const numbers[] = {
        "0",    "1",     "2",          "3",       "4",          "7",
        "-1",   "255",   "1024",       "65536",   "2147483647", "4294967295",
        "1e30", "1e400", "1e-300",     "0.5",     "0.0",        "-0.0",
        "[]",   "[0]",   "[1,1,2,2]",  "[(0,0)]", "(1,2)",      "9223372036854775807",
        "true", "''",    "'constant'", "[[1.0]]", "[1,0]",      "-9223372036854775808",
    };
    const char *by = numbers[below(m, sizeof numbers / sizeof numbers[0])];

    replace(m, find_token(m, true), by, strlen(by));
}

static void change_word(struct mutation *m)
{
    const char *by = m->words->item[below(m, m->words->count)];

    replace(m, find_token(m, false), by, strlen(by));
}

static void change_once(struct mutation *m)
{
    switch (below(m, 8)) {
    case 0:
        copy_line(m);
        break;
    case 1:
        drop(m, any_line(m));
        break;
    case 2:
        drop(m, any_token(m));
        break;
    case 3:
        replace_token(m, find_token(m, true), find_token(m, true));
        break;
    case 4:
        replace_token(m, any_token(m), any_token(m));
        break;
    case 5:
        change_number(m);
        break;
    case 6:
        change_word(m);
        break;
    case 7:
        replace_token(m, find_token(m, false), find_token(m, false));
        break;
    }
}

size_t fuzz_mutate_text(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    struct mutation m = {
        .random = random_stream(seed, "text"),
        .words = library_words(),
        .text = (char *)data,
        .size = size,
        .room = room,
    };

    if (size == 0 || below(&m, 3) == 0)
        return LLVMFuzzerMutate(data, size, room);
    for (size_t i = below(&m, 3) + 1; i > 0 && m.size > 0; i--)
        change_once(&m);
    return m.size;
}

/* The first text with some lines of the second between its own. */
size_t fuzz_cross_text(const struct fuzz_text *a, const struct fuzz_text *b, uint8_t *out,
                       size_t room, unsigned seed)
{
    struct mutation m = {
        .random = random_stream(seed, "cross"),
        .text = (char *)out,
        .size = a->size,
        .room = room,
    };

    if (a->size > room || a->size == 0 || b->size == 0)
        return 0;
    memcpy(out, a->data, a->size);
    for (size_t i = below(&m, 3) + 1; i > 0; i--) {
        struct part line = line_at(b->data, b->size, below(&m, b->size));
        struct part before = any_line(&m);
        before.size = 0;
        replace(&m, before, b->data + line.at, line.size);
    }
    return m.size;
}
