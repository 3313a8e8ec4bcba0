/* arguments.c - the command line, by the table of the command */
#include "driver/verb.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NAMES = 64 };

enum nnefc_status usage_error(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    fputs("nnefc: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    return NNEFC_USAGE;
}

bool option_value_optional(const struct option *option)
{
    const char *argument = option->argument;

    return argument && argument[0] == '[' && argument[strlen(argument) - 1] == ']';
}

/* Does `argument` name the option, with or without "=value"? */
static bool names_option(const char *argument, const char *name)
{
    size_t len = name ? strlen(name) : 0;

    return name && strncmp(argument, name, len) == 0 && (!argument[len] || argument[len] == '=');
}

static const struct option *find_option(const struct verb *verb, const char *argument)
{
    for (const struct option *const *group = verb->groups; *group; group++)
        for (const struct option *o = *group; o->name; o++)
            if (names_option(argument, o->name) || names_option(argument, o->alias))
                return o;
    return NULL;
}

static bool unknown_option(const struct verb *verb, char *argument)
{
    const char *names[MAX_NAMES] = {NULL};
    int count = 0;

    argument[strcspn(argument, "=")] = '\0';
    for (const struct option *const *group = verb->groups; *group; group++)
        for (const struct option *o = *group; o->name && count < MAX_NAMES - 1; o++)
            names[count++] = o->name;
    const char *nearest = nnefc_nearest(argument, names);
    if (nearest)
        usage_error("'%s' has no option '%s'; did you mean '%s'?", verb->name, argument, nearest);
    else
        usage_error("'%s' has no option '%s'; 'nnefc help %s' lists them", verb->name, argument,
                    verb->name);
    return false;
}

/* The value of the option at argv[*at], which may be the next argument; false if it is amiss. */
static bool take_value(const struct option *option, char **argv, int *at, char **value)
{
    char *equals = strchr(argv[*at], '=');

    *value = equals ? equals + 1 : NULL;
    if (!option->argument && equals) {
        usage_error("%s takes no value", option->name);
        return false;
    }
    if (!option->argument || equals || option_value_optional(option))
        return true;
    *value = argv[*at + 1];
    if (!*value) {
        usage_error("%s needs a value: %s", option->name, option->argument);
        return false;
    }
    ++*at;
    return true;
}

static bool parse_option(const struct verb *verb, char **argv, int *at, struct settings *settings)
{
    const struct option *option = find_option(verb, argv[*at]);
    char *value, said[256];

    if (!option)
        return unknown_option(verb, argv[*at]);
    if (!take_value(option, argv, at, &value))
        return false;
    if (!option->set)
        return *(bool *)((unsigned char *)settings + option->flag) = true;
    snprintf(said, sizeof said, "%s", value ? value : "");
    if (option->set(settings, value))
        return true;
    usage_error("'%s' is no value for %s=%s; see 'nnefc help %s'", said, option->name,
                option->argument, verb->name);
    return false;
}

static bool parse_operand(const struct verb *verb, char *argument, struct settings *settings)
{
    const char **place = settings->model && verb->target ? &settings->target : &settings->model;

    if (verb->no_model) {
        usage_error("'%s' takes options only, not '%s'", verb->name, argument);
        return false;
    }
    if (*place) {
        usage_error("one %s at a time: '%s' or '%s'",
                    place == &settings->target ? "target" : "model", *place, argument);
        return false;
    }
    *place = argument;
    return true;
}

static bool has_operands(const struct verb *verb, const struct settings *settings)
{
    if (verb->no_model)
        return true;
    if (!settings->model)
        usage_error("'%s' needs a model; see 'nnefc help %s'", verb->name, verb->name);
    else if (verb->target && !settings->target)
        usage_error("'%s' needs %s after the model; see 'nnefc help %s'", verb->name, verb->target,
                    verb->name);
    return settings->model && (settings->target || !verb->target);
}

static bool asks_for_help(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

bool arguments_parse(const struct verb *verb, char **argv, struct settings *settings, bool *help)
{
    bool options = true;

    *help = false;
    for (int i = 0; argv[i]; i++) {
        bool is_option = options && argv[i][0] == '-' && argv[i][1];
        if (is_option && asks_for_help(argv[i]))
            return *help = true;
        if (is_option && strcmp(argv[i], "--") == 0)
            options = false;
        else if (is_option ? !parse_option(verb, argv, &i, settings)
                           : !parse_operand(verb, argv[i], settings))
            return false;
    }
    return has_operands(verb, settings);
}
