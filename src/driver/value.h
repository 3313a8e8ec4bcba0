/* value.h - values of options as text; what is not understood is false, and nothing is said */
#ifndef NNEFC_DRIVER_VALUE_H
#define NNEFC_DRIVER_VALUE_H

#include "driver/settings.h"

bool parse_integer(const char *text, long long min, long long max, long long *value);
bool parse_count(const char *text, int min, int *count);
bool parse_seed(const char *text, uint64_t *seed);

/* A whole number, times 1024 for each step from K to T. */
bool parse_size(const char *text, int64_t *value);

/* A finite number from 0. */
bool parse_amount(const char *text, double *value);

/* Which of the words, a list that ends with NULL; -1 for none. */
int parse_word(const char *text, const char *const *words);

/* What is next in a list with separators, or with commas, which is cut in pieces; NULL at the end. */
char *next_part(char **rest, char separator);
char *next_item(char **rest);

/* Whether begin to end is an identifier. */
bool is_name(const char *begin, const char *end);

/* What stands before '=' is a name, in models of ONNX of any characters; ./a=b and /a=b are files. */
struct named_file split_name(char *value);

/* What stands before the last '=' is a name of any characters; NULL: there is none. */
struct named_file split_any_name(char *value);

#endif
