/* doc_values.c - the values in marks: "[2,3] ~1e-4 1 2 3"; see doc.h */
#include "support/doc.h"

#include "base/arena.h"
#include "base/num.h"
#include "tensor/compare.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_RUN = 1 << 20, SHOWN_DIFFERENCES = 3 };

static const char blanks[] = " \t,";

/* --- reading -------------------------------------------------------------------------------- */

static const char *read_shape(const char **at, struct doc_values *values)
{
    char *end;

    values->has_shape = true;
    values->shape.rank = 0;
    ++*at;
    while (*(*at += strspn(*at, blanks)) != ']') {
        if (values->shape.rank == MAX_RANK)
            return "a shape of too many items";
        values->shape.extent[values->shape.rank++] = strtoll(*at, &end, 10);
        if (end == *at)
            return "a malformed shape";
        *at = end;
    }
    ++*at;
    return NULL;
}

static void add_item(struct arena *arena, struct doc_values *values, struct doc_item item)
{
    int64_t n = values->count;

    if ((n & (n - 1)) == 0) {
        struct doc_item *grown = arena_array_of(arena, struct doc_item, n == 0 ? 1 : 2 * n);
        if (n > 0)
            memcpy(grown, values->item, (size_t)n * sizeof *grown);
        values->item = grown;
    }
    values->item[values->count++] = item;
}

static bool read_number(const char *word, double *value)
{
    char *end;

    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0) {
        *value = *word == 't';
        return true;
    }
    *value = strtod(word, &end);
    return end != word && *end == '\0';
}

static struct doc_item item_of(double number)
{
    struct doc_item item = {number, 0};

    num_truncate(number, &item.integer);
    return item;
}

/* "1", "true", "-inf", or "1..4" for 1 2 3 4 */
static bool read_items(struct arena *arena, char *word, struct doc_values *values)
{
    char *dots = strstr(word, "..");
    double first, last;
    int64_t integer;

    if (!dots) {
        if (!read_number(word, &first))
            return false;
        struct doc_item item = item_of(first);
        if (num_parse_integer(word, strlen(word), &integer))
            item.integer = integer; /* a double has fewer digits */
        add_item(arena, values, item);
        return true;
    }
    *dots = '\0';
    if (!read_number(word, &first) || !read_number(dots + 2, &last) || !(last - first < MAX_RUN))
        return false;
    for (int i = 0; first + i <= last; i++)
        add_item(arena, values, item_of(first + i));
    return true;
}

static const char *read_word(struct arena *arena, const char **at, struct doc_values *values)
{
    size_t size = strcspn(*at, " \t,;");
    char *word = arena_strndup(arena, *at, size);

    *at += size;
    if (word[0] == '~')
        return read_number(word + 1, &values->tolerance) ? NULL : "a malformed tolerance";
    return read_items(arena, word, values) ? NULL : "something that is no value";
}

const char *doc_values_read(struct arena *arena, const char **at, struct doc_values *values)
{
    const char *wrong = NULL;

    *values = (struct doc_values){.tolerance = DOC_TOLERANCE};
    while (!wrong && *(*at += strspn(*at, blanks)) != '\0' && **at != ';')
        wrong = **at == '[' ? read_shape(at, values) : read_word(arena, at, values);
    *at += **at == ';';
    return wrong;
}

/* --- tensors -------------------------------------------------------------------------------- */

static struct doc_item value_at(const struct doc_values *values, int64_t index)
{
    return values->item[values->count == 1 ? 0 : index];
}

static void store(struct tensor *tensor, int64_t index, struct doc_item value)
{
    switch (tensor->dtype) {
    case DTYPE_SCALAR:
        ((float *)tensor->data)[index] = (float)value.number;
        break;
    case DTYPE_INTEGER:
        ((int64_t *)tensor->data)[index] = value.integer;
        break;
    case DTYPE_LOGICAL:
        ((unsigned char *)tensor->data)[index] = value.number != 0;
        break;
    case DTYPE_STRING:
    case DTYPE_UNKNOWN:
        break;
    }
}

const char *doc_values_fill(const struct doc_values *values, struct tensor *tensor)
{
    int64_t volume = shape_volume(&tensor->shape);

    if (values->count != volume && values->count != 1)
        return values->count < volume ? "too few values" : "too many values";
    for (int64_t i = 0; i < volume; i++)
        store(tensor, i, value_at(values, i));
    return NULL;
}

void doc_values_repeat(const struct doc_values *values, struct tensor *tensor)
{
    for (int64_t i = 0, volume = shape_volume(&tensor->shape); i < volume; i++)
        store(tensor, i,
              values->count > 0 ? values->item[i % values->count] : (struct doc_item){0});
}

bool doc_values_compare(const struct doc_values *values, const struct tensor *tensor,
                        struct text *what)
{
    double allowed = tensor->dtype == DTYPE_SCALAR ? values->tolerance : 0.0;
    const struct tolerance tolerance = {allowed, allowed};
    int64_t volume = shape_volume(&tensor->shape), wrong = 0;

    if (values->count != volume && values->count != 1) {
        text_add(what, " has %lld values, expected %lld", (long long)volume,
                 (long long)values->count);
        return false;
    }
    for (int64_t i = 0; i < volume; i++) {
        double found = tensor_item(tensor, i), expected = value_at(values, i).number;
        const int64_t *integer = tensor->dtype == DTYPE_INTEGER ? tensor->data : NULL;
        if (integer ? integer[i] == value_at(values, i).integer
                    : item_agrees(found, expected, &tolerance))
            continue;
        if (wrong++ >= SHOWN_DIFFERENCES)
            continue;
        text_add(what, "%s[%lld] is ", wrong == 1 ? "" : ", ", (long long)i);
        if (integer)
            text_add(what, "%lld, expected %lld", (long long)integer[i],
                     (long long)value_at(values, i).integer);
        else
            text_add(what, "%.9g, expected %.9g", found, expected);
    }
    if (wrong > SHOWN_DIFFERENCES)
        text_add(what, ", and %lld more", (long long)wrong - SHOWN_DIFFERENCES);
    return wrong == 0;
}
