/*
 * main.c - the program nnefc: an ordinary client of nnefc/nnefc.h
 *
 * It finds the command, gives it settings with its defaults, and turns its status into that of the
 * program. The library reports what is wrong with models; what the program itself has to say goes
 * the same way.
 */
#include "driver/load.h"
#include "driver/report.h"
#include "driver/verbs.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How diagnostics are wanted has to be known for the first of them. */
static enum message_format asked_format(char **argv)
{
    static const char option[] = "--message-format";
    const size_t size = sizeof option - 1;
    int format = FORMAT_HUMAN;

    for (; *argv && strcmp(*argv, "--") != 0; argv++) {
        const char *value = NULL;
        if (strncmp(*argv, option, size) == 0)
            value = (*argv)[size] == '=' ? *argv + size + 1 : (*argv)[size] ? NULL : argv[1];
        if (value && message_format_find(value) >= 0)
            format = message_format_find(value);
    }
    return (enum message_format)format;
}

const struct verb *const verbs[] = {
    &check_verb,   &info_verb,    &list_verb,      &verify_verb,   &run_verb,
    &bench_verb,   &init_verb,    &pack_verb,      &convert_verb,  &compile_verb,
    &compare_verb, &explain_verb, &broadcast_verb, &list_ops_verb, NULL,
};

const struct verb *verb_find(const struct command *command, const char *name)
{
    const char *names[sizeof verbs / sizeof verbs[0]] = {NULL};

    for (int i = 0; verbs[i]; i++) {
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
        names[i] = verbs[i]->name;
    }
    const char *nearest = nnefc_nearest(name, names);
    if (nearest)
        usage_error(command, "there is no command '%s'; did you mean '%s'?", name, nearest);
    else
        usage_error(command, "there is no command '%s'; 'nnefc help' lists them", name);
    return NULL;
}

/* Settings begin with a struct command, whatever the command. */
static enum nnefc_status run_verb_with(const struct verb *verb, char **argv,
                                       const struct command *common)
{
    struct command *settings = malloc(verb->size);
    bool answered = false;

    assert(verb->size >= sizeof *settings);
    if (!settings)
        return NNEFC_INTERNAL;
    memcpy(settings, verb->defaults, verb->size);
    settings->format = common->format;
    settings->reports = common->reports;
    enum nnefc_status status = arguments_parse(verb, argv, settings, &answered);
    if (status == NNEFC_OK && !answered)
        status = verb->run(settings);
    arguments_free(verb, settings);
    free(settings);
    return status;
}

/* nnefc help [COMMAND] */
static enum nnefc_status help(const struct command *command, const char *name)
{
    bool warnings = name && strcmp(name, "warnings") == 0;
    bool manual = name && strcmp(name, "--mdoc") == 0; /* for the makefile */
    const struct verb *verb = name && !warnings && !manual ? verb_find(command, name) : NULL;

    if (name && !warnings && !manual && !verb)
        return NNEFC_USAGE;
    if (warnings)
        warnings_print();
    else if (manual)
        help_print_manual();
    else if (verb)
        help_print_verb(verb);
    else
        help_print(stdout);
    return NNEFC_OK;
}

/* Is the word in the list, which ends with NULL? */
static bool is_one_of(const char *word, const char *const *words)
{
    while (*words && strcmp(word, *words) != 0)
        words++;
    return *words;
}

/* How the program was built, and which backends it has. */
static void print_version(void)
{
    const char *separator = "backends: ";

    printf("nnefc %s\n%s", nnefc_version(), nnefc_build_facts());
    for (int i = 0; nnefc_backend_name(i); i++) {
        const char *facts = nnefc_backend_facts(i);
        if (!facts || strcmp(nnefc_backend_name(i), "auto") == 0)
            continue;
        printf("%s%s", separator, nnefc_backend_name(i));
        if (*facts)
            printf(" (%s)", facts);
        separator = ", ";
    }
    putchar('\n');
}

/* argv[1] is the command; its arguments follow. */
static enum nnefc_status dispatch(int argc, char **argv, const struct command *common)
{
    static const char *const help_words[] = {"help", "--help", "-h", NULL};
    static const char *const version_words[] = {"version", "--version", "-V", NULL};

    if (argc < 2) {
        help_print(stderr);
        return NNEFC_USAGE;
    }
    if (is_one_of(argv[1], help_words))
        return help(common, argv[2]);
    if (is_one_of(argv[1], version_words)) {
        print_version();
        return NNEFC_OK;
    }
    const struct verb *verb = verb_find(common, argv[1]);
    assert(argc >= 2);
    return verb ? run_verb_with(verb, argv + 2, common) : NNEFC_USAGE;
}

/* Weights are used where they are mapped, which cannot go on if someone cuts off their file. */
static void file_shrank(int number)
{
    static const char text[] = "nnefc: a file became shorter while it was read\n";
    ssize_t put = write(STDERR_FILENO, text, sizeof text - 1);

    (void)number;
    _exit(put < 0 ? NNEFC_INTERNAL : NNEFC_FILE);
}

int main(int argc, char **argv)
{
    struct sigaction shrank = {.sa_handler = file_shrank};
    struct reports reports = {0};
    struct command common = {.format = asked_format(argv), .reports = &reports};

    sigaction(SIGBUS, &shrank, NULL);
    if (common.format == FORMAT_SARIF)
        reports.log = sarif_new();
    enum nnefc_status status = dispatch(argc, argv, &common);
    if (status == NNEFC_INTERNAL && !reports.errors) /* it was found here, not by the library */
        usage_error(&common, "out of memory");
    if (fflush(stdout) != 0 || ferror(stdout)) {
        usage_error(&common, "cannot write to standard output: %s", strerror(errno));
        status = NNEFC_FILE;
    }
    report_end(&common, status);
    return (int)status;
}
