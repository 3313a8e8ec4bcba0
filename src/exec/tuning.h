/*
 * tuning.h - which way of doing each task was the fastest, by machine, kept as text
 *
 *     nnefc tuning 1
 *     machine Intel(R) Xeon(R); threads 2; nnefc 0.1.0; portable (avx512)
 *     portable channels-last winograd F(4,3) | 0.4821 ms | conv(...) + relu
 *     apart | 0.6919 ms | conv(...) + relu + conv(., ...)
 *
 * 'apart' is as several tasks, of which there are lines as well.  Lines that begin with '#' are comments, which are
 * lost when it is written anew.
 */
#ifndef NNEFC_EXEC_TUNING_H
#define NNEFC_EXEC_TUNING_H

#include <stdbool.h>
#include <stddef.h>

struct text;
struct tuning;

enum { TUNING_MOST_BYTES = 16 << 20 }; /* of a text */

/* What is asked and added is of that machine; what a text says of others is kept. */
struct tuning *tuning_new(const char *machine);
void tuning_free(struct tuning *tuning);

/* SOUND: all of it was taken; DAMAGED: but for lines that say nothing; FOREIGN: it is something else, or of
 * another version, and nothing was taken. */
enum tuning_text { TUNING_SOUND, TUNING_DAMAGED, TUNING_FOREIGN };
enum tuning_text tuning_read(struct tuning *tuning, const char *text, size_t size);
void tuning_print(const struct tuning *tuning, struct text *to);

/* The way that was the fastest; NULL: it is not known. */
const char *tuning_find(const struct tuning *tuning, const char *task);
void tuning_add(struct tuning *tuning, const char *task, const char *way, double seconds);

/* Was anything added? */
bool tuning_has_more(const struct tuning *tuning);

/* Nothing yet, of the same machine. */
struct tuning *tuning_new_like(const struct tuning *like);

/* Add what was added to another one. */
void tuning_add_more(struct tuning *tuning, const struct tuning *from);

#endif
