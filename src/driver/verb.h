/*
 * verb.h - the commands of the program and their options
 *
 * One table per command says everything: the parser of the command line, the help and the
 * suggestions are made from it.
 */
#ifndef NNEFC_DRIVER_VERB_H
#define NNEFC_DRIVER_VERB_H

#include "driver/settings.h"

struct option {
    const char *name, *alias; /* "--quiet" and "-q"; the alias may be NULL */
    const char *argument;     /* what follows, NULL if nothing; in brackets if it may be left out */
    const char *help;
    const char *expects; /* of the value, where `argument` does not say it; may be NULL */
    bool (*set)(struct settings *settings, char *value); /* false: value not understood */
    size_t flag; /* without `set`: offset of the bool that becomes true */
};

/* May the value be left out? Then it follows after '=' only. */
bool option_value_optional(const struct option *option);

struct verb {
    const char *name;
    const char *purpose;
    const char *examples;           /* lines */
    const struct option *groups[9]; /* each ends with {0}; the list ends with NULL */
    enum nnefc_status (*run)(const struct settings *settings);
    const char *operand; /* what its first operand is called, if that is no model; maybe left out */
    const char *target;  /* what its second operand is called; NULL if it has none */
    bool no_model;       /* it has no operands at all */
    bool many;           /* it takes several of the first */
    bool pair;           /* it takes two models, which `operand` calls A and B */
};

extern const struct verb verbs[]; /* ends with {0} */

/* NULL after a message that suggests another. */
const struct verb *verb_find(const struct settings *settings, const char *name);

enum nnefc_status check_run(const struct settings *settings);
enum nnefc_status info_run(const struct settings *settings);
enum nnefc_status list_run(const struct settings *settings);
enum nnefc_status verify_run(const struct settings *settings);
enum nnefc_status run_run(const struct settings *settings);
enum nnefc_status bench_run(const struct settings *settings);
enum nnefc_status init_run(const struct settings *settings);
enum nnefc_status pack_run(const struct settings *settings);
enum nnefc_status convert_run(const struct settings *settings);
enum nnefc_status compile_run(const struct settings *settings);
enum nnefc_status compare_run(const struct settings *settings);
enum nnefc_status broadcast_run(const struct settings *settings);
enum nnefc_status explain_run(const struct settings *settings);
enum nnefc_status list_ops_run(const struct settings *settings);

/* Fill in what the arguments after the verb say, or say what is wrong with them.  *help is set if
 * it is asked for. */
bool arguments_parse(const struct verb *verb, char **argv, struct settings *settings, bool *help);

/* -W: note what is asked for; false after a message if there is no such warning; list them. */
bool warnings_set(struct settings *settings, char *value);
bool warnings_agree(const struct settings *settings);
void warnings_print(FILE *to);

/* False after a message on options that do not fit each other. */
bool settings_agree(const struct settings *settings);

void help_print(FILE *to);
void help_print_verb(const struct verb *verb, FILE *to);

#endif
