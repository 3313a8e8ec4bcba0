/*
 * arguments.c - the command line, by the table of the command
 *
 * Options may stand anywhere; the parser writes each value to the field that its table names, in
 * the struct of its group. A fault ends the parsing: the first one is often the reason of the
 * others. Suggestions are made from the same tables.
 */
#include "driver/command.h"
#include "driver/path.h"
#include "driver/report.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 64 };

/* The line as far as it was read. */
struct arguments {
    const struct verb *verb;
    char **argv;
    int at;
    void *settings;
    bool answered;
};

/* Settings begin with a struct command, whatever the command is. */
static const struct command *command_of(const struct arguments *a)
{
    assert(a->verb->size >= sizeof(struct command));
    return a->settings;
}

bool option_value_optional(const struct option *option)
{
    const char *argument = option->argument;

    return argument && argument[0] == '[' && argument[strlen(argument) - 1] == ']';
}

/* --- which option ----------------------------------------------------------------------------- */

/* Does `argument` name the option, with or without "=value"? */
static bool names_option(const char *argument, const char *name)
{
    size_t len = name ? strlen(name) : 0;

    return name && strncmp(argument, name, len) == 0 && (!argument[len] || argument[len] == '=');
}

/* "-iFILE", unless the letter is not the only one of a name. */
static bool is_attached(const char *argument, const struct option *option)
{
    return option->alias && option->argument && argument[1] != '-' && argument[2] &&
           argument[2] != '=' && strncmp(argument, option->alias, 2) == 0;
}

/* Sets *group to that of the option; NULL: there is none. */
static const struct option *find_option(const struct verb *verb, const char *argument,
                                        const struct option_group **group)
{
    const struct option *attached = NULL;

    for (const struct option_group *g = verb->groups; g->options; g++)
        for (const struct option *o = g->options; o->name; o++) {
            bool named = names_option(argument, o->name) || names_option(argument, o->alias);
            if (named || is_attached(argument, o))
                *group = g;
            if (named)
                return o;
            attached = is_attached(argument, o) ? o : attached;
        }
    return attached;
}

/* Suggest the option whose name is the nearest, or else the list of all. */
static enum nnefc_status unknown_option(const struct arguments *a)
{
    const char *names[MAX_NAMES] = {NULL}, *verb = a->verb->name;
    char *argument = a->argv[a->at];
    int count = 0;

    argument[strcspn(argument, "=")] = '\0';
    for (const struct option_group *g = a->verb->groups; g->options; g++)
        for (const struct option *o = g->options; o->name; o++) {
            assert(count < MAX_NAMES - 1);
            names[count++] = o->name;
        }
    const char *nearest = nnefc_nearest(argument, names);
    if (nearest)
        return usage_error(command_of(a), "'%s' has no option '%s'; did you mean '%s'?", verb,
                           argument, nearest);
    return usage_error(command_of(a), "'%s' has no option '%s'; 'nnefc help %s' lists them", verb,
                       argument, verb);
}

/* --- its value -------------------------------------------------------------------------------- */

/* The value of the option, which may be the next argument; NNEFC_USAGE if it is amiss. */
static enum nnefc_status take_value(struct arguments *a, const struct option *option, char **value)
{
    char *argument = a->argv[a->at];
    char *equals = is_attached(argument, option) ? argument + 1 : strchr(argument, '=');

    *value = equals ? equals + 1 : NULL;
    if (!option->argument && equals)
        return usage_error(command_of(a), "%s takes no value", option->name);
    if (!option->argument || equals || option_value_optional(option))
        return NNEFC_OK;
    *value = a->argv[a->at + 1];
    if (!*value)
        return usage_error(command_of(a), "%s needs a value: %s", option->name, option->argument);
    a->at++;
    return NNEFC_OK;
}

/* Is the value one of some words, "auto|always|never", and not what is to be filled in? */
static bool takes_words(const struct option *option)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789.|";

    return option->argument && !option->expects &&
           !option->argument[strspn(option->argument, letters)];
}

/* The words of the option, a list that ends with NULL, in `words`. */
static void list_words(const struct option *option, char words[128], const char *list[MAX_NAMES])
{
    size_t size = strlen(option->argument) + 1;
    int count = 0;

    assert(size <= 128);
    memcpy(words, option->argument, size);
    for (char *rest = words, *word; (word = next_part(&rest, '|'));)
        list[count++] = word;
    list[count] = NULL;
}

/* Sets the enum at `field` to the number of the word; false if it is none of the option's. */
static bool set_word(const struct option *option, void *field, const char *value)
{
    const char *list[MAX_NAMES];
    char words[128];

    assert(value);
    list_words(option, words, list);
    for (int i = 0; list[i]; i++)
        if (strcmp(list[i], value) == 0) {
            *(int *)field = option->first_word + i;
            return true;
        }
    return false;
}

/* `value` is as the user wrote it, for `set` may have cut up the argument. */
static enum nnefc_status not_understood(const struct arguments *a, const struct option *option,
                                        const char *value)
{
    bool optional = option_value_optional(option);
    const char *argument = option->argument + optional, *near = NULL, *list[MAX_NAMES];
    char words[128];

    if (takes_words(option)) {
        list_words(option, words, list);
        near = nnefc_nearest(value, list);
    }
    return usage_error(command_of(a), "'%s' is no value for %s%s%s, expected %s%s%s%s", value,
                       option->name, optional ? "[=" : "=", argument,
                       option->expects ? option->expects : argument, near ? "; did you mean '" : "",
                       near ? near : "", near ? "'?" : "");
}

/* A new item of a list, of zeros; NULL if memory ran out. */
static void *list_add(struct option_list *list, size_t size)
{
    char *items = realloc(list->item, ((size_t)list->count + 1) * size);

    if (!items)
        return NULL;
    list->item = items;
    return memset(items + (size_t)list->count++ * size, 0, size);
}

/* One option with its value; a.at is at the last argument that it took. */
static enum nnefc_status parse_option(struct arguments *a)
{
    const struct option_group *group = NULL;
    const struct option *option = find_option(a->verb, a->argv[a->at], &group);
    char *value, said[256];
    bool ok = true;

    if (!option)
        return unknown_option(a);
    enum nnefc_status status = take_value(a, option, &value);
    if (status != NNEFC_OK)
        return status;
    if (option->answer) {
        option->answer();
        a->answered = true;
        return NNEFC_OK;
    }
    assert(group && group->offset + option->field < a->verb->size);
    void *field = (unsigned char *)a->settings + group->offset + option->field;
    if (option->item_size && !(field = list_add(field, option->item_size)))
        return NNEFC_INTERNAL;
    snprintf(said, sizeof said, "%s", value ? value : "");
    if (option->set)
        ok = option->set(field, value);
    else if (option->argument)
        ok = set_word(option, field, value);
    else
        *(bool *)field = true;
    return ok ? NNEFC_OK : not_understood(a, option, said);
}

/* --- operands --------------------------------------------------------------------------------- */

/* A file of data without its option is the likely reason: suggest the option. */
static enum nnefc_status one_too_many(const struct arguments *a, const char *argument)
{
    const struct command *c = a->settings;
    bool pair = a->verb->operands == OPERANDS_PAIR;
    const char *last = c->operand[pair ? 0 : c->operand_count - 1];
    const struct option_group *group;
    bool input = path_ends_in(argument, ".dat") || path_ends_in(argument, ".npy") ||
                 path_ends_in(argument, ".npz") || path_ends_in(argument, ".png");

    if (input && find_option(a->verb, "--input", &group))
        return usage_error(c, "%s at a time: '%s' or '%s'; is it '--input %s'?",
                           pair ? "two models" : "one model", last, argument, argument);
    if (pair)
        return usage_error(c, "two models at a time: '%s', '%s' or '%s'", last, c->operand[1],
                           argument);
    return usage_error(c, "one %s at a time: '%s' or '%s'",
                       c->operand_count > 1 ? "target" : "model", last, argument);
}

/* What is no option: models, a target, codes or shapes. */
static enum nnefc_status parse_operand(struct arguments *a)
{
    static_assert(OPERANDS_FREE == 5, "the limits below are those of all kinds of operands");
    static const int most[] = {[OPERANDS_MODEL] = 1,
                               [OPERANDS_MODEL_TARGET] = 2,
                               [OPERANDS_PAIR] = 2,
                               [OPERANDS_MODELS] = INT32_MAX,
                               [OPERANDS_FREE] = INT32_MAX};
    struct command *command = a->settings;
    char *argument = a->argv[a->at];

    if (a->verb->operands == OPERANDS_NONE)
        return usage_error(command, "'%s' takes options only, not '%s'", a->verb->name, argument);
    if (command->operand_count == most[a->verb->operands])
        return one_too_many(a, argument);
    command->operand[command->operand_count++] = argument;
    return NNEFC_OK;
}

/* Commands whose operands are free, or a pair, look for themselves what is missing. */
static enum nnefc_status check_operands(const struct arguments *a)
{
    const struct command *command = a->settings;
    enum operands operands = a->verb->operands;
    const char *verb = a->verb->name;

    if (operands == OPERANDS_NONE || operands == OPERANDS_PAIR || operands == OPERANDS_FREE)
        return NNEFC_OK;
    if (command->operand_count == 0)
        return usage_error(command, "'%s' needs a model; see 'nnefc help %s'", verb, verb);
    if (operands == OPERANDS_MODEL_TARGET && command->operand_count == 1)
        return usage_error(command, "'%s' needs OUT after the model; see 'nnefc help %s'", verb,
                           verb);
    return NNEFC_OK;
}

/* --- all of them ------------------------------------------------------------------------------ */

enum nnefc_status arguments_parse(const struct verb *verb, char **argv, void *settings,
                                  bool *answered)
{
    struct arguments a = {.verb = verb, .argv = argv, .settings = settings};
    struct command *command = settings;
    enum nnefc_status status = NNEFC_OK;
    bool options = true;
    size_t count = 0;

    while (argv[count])
        count++;
    command->operand = calloc(count + 1, sizeof *command->operand);
    if (!command->operand)
        return NNEFC_INTERNAL;
    for (; argv[a.at] && status == NNEFC_OK && !a.answered; a.at++) {
        bool is_option = options && argv[a.at][0] == '-' && argv[a.at][1];
        if (is_option && strcmp(argv[a.at], "--") == 0) {
            options = false;
        } else if (is_option &&
                   (strcmp(argv[a.at], "--help") == 0 || strcmp(argv[a.at], "-h") == 0)) {
            help_print_verb(verb);
            a.answered = true;
        } else {
            status = is_option ? parse_option(&a) : parse_operand(&a);
        }
    }
    *answered = a.answered;
    return status == NNEFC_OK && !a.answered ? check_operands(&a) : status;
}

void arguments_free(const struct verb *verb, void *settings)
{
    struct command *command = settings;

    for (const struct option_group *g = verb->groups; g->options; g++)
        for (const struct option *o = g->options; o->name; o++)
            if (o->item_size) {
                struct option_list *list =
                    (void *)((unsigned char *)settings + g->offset + o->field);
                free(list->item);
                *list = (struct option_list){NULL, 0};
            }
    free(command->operand);
}
