/*
 * command.h - the commands of the program and their options
 *
 * The table of a command says everything about it: the parser of the command line, the help, the
 * manual page and the suggestions are made from it.  Its settings are a struct of its own, which
 * begins with a struct command; options that several commands share are a table of their own, for
 * a struct that each of these has as a member.
 */
#ifndef NNEFC_DRIVER_COMMAND_H
#define NNEFC_DRIVER_COMMAND_H

#include "driver/record.h"

#include <stddef.h>

enum message_format { FORMAT_HUMAN, FORMAT_SHORT, FORMAT_JSON, FORMAT_SARIF };
enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

struct reports;

/* The settings of every command begin with this: operands, and how to print results and reports. */
struct command {
    const char **operand; /* ends with NULL */
    int operand_count;
    int target;     /* the operand that is written; 0: none */
    enum form form; /* set by the command's --json and --markdown, if it has them */
    enum message_format format;
    enum colour colour;
    bool quiet;
    struct reports *reports;     /* never NULL */
    const struct option **given; /* options of the command line, in their order */
    int given_count;
};

/* Values of an option that may be given several times, in their order. */
struct option_list {
    void *item;
    int count;
};

/*
 * One option and the field that it sets.  If `set` is NULL, there are three kinds.  With an
 * argument, `argument` is words such as "auto|always|never", and the field, an enum, becomes
 * `first_word` plus the number of the word.  Without an argument the field is an enum that becomes
 * `first_word`, or, if that is 0, a bool that becomes true.
 */
struct option {
    const char *name, *alias; /* "--quiet" and "-q"; the alias may be NULL */
    const char *argument;     /* NULL: none; in brackets if it may be left out */
    const char *help;
    const char *expects; /* of the value, where `argument` does not say it; may be NULL */
    bool (*set)(void *field, char *value); /* false: value not understood; it may be cut up */
    size_t field;                          /* its offset in the settings of the group */
    size_t item_size; /* not 0: the field is a list, and `set` fills in a new item of zeros */
    int first_word;
    void (*answer)(void); /* not NULL: the option is a question that this answers */
    const char *needs;    /* not NULL: without one of these, as "--fix|--diff", it has no effect */
    unsigned reads, writes; /* formats of models, and of what is written, for which it has an
                               effect; 0: all */
};

/* For the members `reads` and `writes`. */
enum {
    FOR_NNEF = 1 << NNEFC_FORMAT_NNEF,
    FOR_ONNX = 1 << NNEFC_FORMAT_ONNX,
    FOR_GRAPH = 1 << NNEFC_FORMAT_GRAPH,
    FOR_PNNX = 1 << NNEFC_FORMAT_PNNX
};

/* The option of `struct command` for another form of results. */
#define FORM_OPTION(form_name, form_value, help_text)                             \
    {                                                                             \
        form_name, NULL, NULL, help_text, .first_word = (form_value),             \
                                          .field = offsetof(struct command, form) \
    }

/* Options for a part of the settings; a title is that of options that several commands share. */
struct option_group {
    const struct option *options; /* ends with {0} */
    size_t offset;                /* of the part */
    const char *title;
};

enum operands {
    OPERANDS_NONE,
    OPERANDS_MODEL,
    OPERANDS_MODELS,
    OPERANDS_MODEL_TARGET,
    OPERANDS_PAIR, /* of models, or of a model and its results */
    OPERANDS_FREE, /* the command checks them */
};

struct verb {
    const char *name;
    const char *purpose;
    const char *examples; /* lines */
    enum operands operands;
    const char *usage;              /* what the operands are called; NULL: none */
    size_t size;                    /* of its settings */
    const void *defaults;           /* what these begin as */
    struct option_group groups[12]; /* the last is {0} */
    enum nnefc_status (*run)(const void *settings);
};

/* The commands. Each stands in the file of its name, with its settings. */
extern const struct verb check_verb, info_verb, list_verb, view_verb, verify_verb, run_verb,
    bench_verb, init_verb, pack_verb, convert_verb, extract_verb, compile_verb, emit_c_verb,
    quantize_verb, compare_verb, diff_verb, edit_verb, reduce_verb, explain_verb, broadcast_verb,
    list_ops_verb;

extern const struct verb *const verbs[]; /* all of them in the order of the help; ends with NULL */

/*
 * Fill in the settings, which are the defaults of the command, from the arguments after it.
 * NNEFC_USAGE after a message; *answered if an argument was a question, such as --help.  What
 * settings own is freed by arguments_free() in any case.
 */
enum nnefc_status arguments_parse(const struct verb *verb, char **argv, void *settings,
                                  bool *answered);
void arguments_free(const struct verb *verb, void *settings);

/*
 * NNEFC_USAGE after a message if an option was given that has no effect on models of the format;
 * NNEFC_OK if all have one.  `name` is that of the model; with `written`, of the file to be
 * written.
 */
enum nnefc_status options_fit(const struct command *command, enum nnefc_format format,
                              const char *name, bool written);

/* May the value be left out?  Then it follows after '=' only. */
bool option_value_optional(const struct option *option);

/* What 'nnefc help' prints, 'nnefc help COMMAND', and 'nnefc help --mdoc' for the manual page. */
void help_print(FILE *to);
void help_print_verb(const struct verb *verb);
void help_print_manual(void);

/* --- values of options ------------------------------------------------------------------------ */

/*
 * Each is the `set` of an option, with the type of its field.  It may cut up the value, reports
 * nothing, and returns false if it does not understand the value: the parser of the command line
 * knows what the option expects.
 */
bool set_text(void *field, char *value);    /* const char *, not empty */
bool set_count(void *field, char *value);   /* int from 0 */
bool set_number(void *field, char *value);  /* int from 1 */
bool set_threads(void *field, char *value); /* int from 1 to 1024 */
bool set_seed(void *field, char *value);    /* uint64_t, unchanged if the value is NULL */
bool set_real(void *field, char *value);    /* double, finite */
bool set_amount(void *field, char *value);  /* double, finite, from 0 */
bool set_size(void *field, char *value);    /* int64_t, times 1024 for each step from K to T */

/* A finite number, or 64-bit integers in a range; false if the text is none. */
bool parse_real(const char *text, double *value);
bool parse_integer(const char *text, long long min, long long max, long long *value);

/* What is next in a list with separators, which is cut in pieces; NULL at the end. */
char *next_part(char **rest, char separator);

/* The same of names with ',' between, where a ',' of a name is written "\,". */
char *next_listed(char **rest);

/* Whether begin to end is an identifier. */
bool is_name(const char *begin, const char *end);

/* [NAME=]FILE */
struct named_file {
    const char *name; /* NULL: the next in order */
    const char *file;
};

/* Sets a struct named_file, whose file is not empty; ./a=b and /a=b are files. */
bool set_named_file(void *field, char *value);

/* Cut a value at the last '='; the name before it may have any characters.  NULL: no name. */
char *cut_name(char *value);

static inline bool is_standard(const char *file)
{
    return file && file[0] == '-' && !file[1];
}

#endif
