/* tuning.c - see tuning.h */
#include "exec/tuning.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "nnefc tuning 1"
#define MACHINE    "machine "
#define BETWEEN    " | "

struct found {
    const char *task, *way;
    double seconds;
    uint64_t hash; /* of the task */
    bool is_new;   /* added, not read */
    struct found *next;
};

struct machine {
    const char *name;
    struct found *first, *last;
    struct machine *next;
};

struct tuning {
    struct arena *arena;
    struct machine *first, *last; /* in the order of the text */
    struct machine *ours;
    bool has_more;
};

/* --- making -------------------------------------------------------------------------------- */

enum { MOST_MACHINES = 1000 };

/* NULL: there are too many. */
static struct machine *machine_of(struct tuning *tuning, const char *name, size_t length)
{
    int count = 0;

    for (struct machine *m = tuning->first; m; m = m->next, count++)
        if (strlen(m->name) == length && memcmp(m->name, name, length) == 0)
            return m;
    if (count == MOST_MACHINES)
        return NULL;
    struct machine *machine = arena_new_of(tuning->arena, struct machine);
    machine->name = arena_strndup(tuning->arena, name, length);
    if (tuning->last)
        tuning->last->next = machine;
    else
        tuning->first = machine;
    return tuning->last = machine;
}

struct tuning *tuning_new(const char *machine)
{
    struct arena *arena = arena_new();
    struct tuning *tuning = arena_new_of(arena, struct tuning);

    tuning->arena = arena;
    tuning->ours = machine_of(tuning, machine, strlen(machine));
    return tuning;
}

void tuning_free(struct tuning *tuning)
{
    if (tuning)
        arena_free(tuning->arena);
}

static struct found *find(const struct machine *machine, const char *task)
{
    uint64_t hash = hash_bytes(0, task, strlen(task));

    for (struct found *f = machine->first; f; f = f->next)
        if (f->hash == hash && strcmp(f->task, task) == 0)
            return f;
    return NULL;
}

static void append(struct machine *machine, struct found *found)
{
    found->hash = hash_bytes(0, found->task, strlen(found->task));
    if (machine->last)
        machine->last->next = found;
    else
        machine->first = found;
    machine->last = found;
}

const char *tuning_find(const struct tuning *tuning, const char *task)
{
    const struct found *found = find(tuning->ours, task);

    return found ? found->way : NULL;
}

void tuning_add(struct tuning *tuning, const char *task, const char *way, double seconds)
{
    struct found *found = find(tuning->ours, task);

    tuning->has_more = true;
    if (!found) {
        found = arena_new_of(tuning->arena, struct found);
        found->task = arena_strndup(tuning->arena, task, strlen(task));
        append(tuning->ours, found);
    }
    found->way = arena_strndup(tuning->arena, way, strlen(way));
    found->seconds = seconds;
    found->is_new = true;
}

bool tuning_has_more(const struct tuning *tuning)
{
    return tuning->has_more;
}

struct tuning *tuning_new_like(const struct tuning *like)
{
    return tuning_new(like->ours->name);
}

void tuning_add_more(struct tuning *tuning, const struct tuning *from)
{
    for (const struct found *f = from->ours->first; f; f = f->next)
        if (f->is_new)
            tuning_add(tuning, f->task, f->way, f->seconds);
}

/* --- reading ------------------------------------------------------------------------------- */

/* Part of a text, without the end of the line. */
struct line {
    const char *text;
    size_t length;
};

static bool begins(const struct line *line, const char *with)
{
    return line->length >= strlen(with) && memcmp(line->text, with, strlen(with)) == 0;
}

/* Nothing but spaces and what can be seen? */
static bool is_printable(const struct line *line)
{
    for (size_t i = 0; i < line->length; i++)
        if ((unsigned char)line->text[i] < ' ' || line->text[i] == 0x7F)
            return false;
    return true;
}

/* Cut off what stands before the next separator; false if there is none. */
static bool take_part(struct line *line, struct line *part)
{
    size_t length = strlen(BETWEEN);

    for (size_t i = 0; i + length <= line->length; i++) {
        if (memcmp(line->text + i, BETWEEN, length) != 0)
            continue;
        *part = (struct line){line->text, i};
        *line = (struct line){line->text + i + length, line->length - i - length};
        return i > 0;
    }
    return false;
}

static bool read_milliseconds(const struct line *part, double *seconds)
{
    char number[32], *end;

    if (part->length >= sizeof number)
        return false;
    memcpy(number, part->text, part->length);
    number[part->length] = '\0';
    *seconds = strtod(number, &end) * 1e-3;
    return end != number && strcmp(end, " ms") == 0 && *seconds >= 0 && *seconds < 1e6;
}

static bool read_found(struct tuning *tuning, struct machine *machine, struct line line)
{
    struct line way, time;
    double seconds;

    if (!machine || !take_part(&line, &way) || !take_part(&line, &time) ||
        !read_milliseconds(&time, &seconds) || line.length == 0)
        return false;
    struct found *found = arena_new_of(tuning->arena, struct found);
    found->task = arena_strndup(tuning->arena, line.text, line.length);
    found->way = arena_strndup(tuning->arena, way.text, way.length);
    found->seconds = seconds;
    append(machine, found);
    return true;
}

static bool read_line(struct tuning *tuning, struct machine **machine, const struct line *line)
{
    size_t skipped = strlen(MACHINE);

    if (line->length == 0 || line->text[0] == '#')
        return true;
    if (!is_printable(line))
        return false;
    if (!begins(line, MACHINE))
        return read_found(tuning, *machine, *line);
    *machine = machine_of(tuning, line->text + skipped, line->length - skipped);
    return *machine;
}

/* False at the end, and if the last line has no end: it was cut off. */
static bool next_line(const char **at, const char *end, struct line *line)
{
    const char *stop = *at < end ? memchr(*at, '\n', (size_t)(end - *at)) : NULL;

    if (!stop)
        return false;
    *line = (struct line){*at, (size_t)(stop - *at)};
    *at = stop + 1;
    return true;
}

enum tuning_text tuning_read(struct tuning *tuning, const char *text, size_t size)
{
    const char *at = text, *end = text + size;
    struct machine *machine = NULL;
    struct line line;
    bool sound = true;

    if (size == 0)
        return TUNING_SOUND;
    if (!next_line(&at, end, &line) || line.length != strlen(FIRST_LINE) ||
        !begins(&line, FIRST_LINE))
        return TUNING_FOREIGN;
    while (next_line(&at, end, &line))
        sound &= read_line(tuning, &machine, &line);
    return sound && at == end ? TUNING_SOUND : TUNING_DAMAGED;
}

/* --- writing ------------------------------------------------------------------------------- */

void tuning_print(const struct tuning *tuning, struct text *to)
{
    text_add(to, FIRST_LINE "\n");
    for (const struct machine *m = tuning->first; m; m = m->next) {
        if (m->first)
            text_add(to, "\n" MACHINE "%s\n", m->name);
        for (const struct found *f = m->first; f; f = f->next)
            text_add(to, "%s" BETWEEN "%.4f ms" BETWEEN "%s\n", f->way, 1e3 * f->seconds, f->task);
    }
}
