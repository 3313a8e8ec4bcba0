/* strings.h - a table of texts, each with a number, and strings of JSON */
#ifndef NNEFC_DRIVER_VIEW_STRINGS_H
#define NNEFC_DRIVER_VIEW_STRINGS_H

#include <stddef.h>
#include <stdio.h>

/* Starts as {0}. */
struct strings {
    char **text;
    int count, room;
    int *slot; /* of a hash table: the number of a text and 1; 0: empty */
    int slots;
};

/* The number of a text, which is copied; -1 of NULL. */
int strings_add(struct strings *strings, const char *text);
/* The number of a text that was added; -1: it was not. */
int strings_find(const struct strings *strings, const char *text);
void strings_free(struct strings *strings);

/*
 * Write a text as a JSON string that is safe in a page: without '<', and with characters that
 * control a terminal or the direction of writing as in "\x1B", except for those in `kept`.
 */
void json_text(FILE *to, const char *text, const char *kept);

/* JSON with '<' as "\u003c", which only texts have, to be freed. */
char *json_without_markup(const char *json);

#endif
