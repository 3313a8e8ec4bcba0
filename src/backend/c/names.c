/* names.c - identifiers of C */
#include "backend/c/writer.h"
#include "base/arena.h"
#include "exec/planner.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

void c_identifier(struct text *to, const char *name, size_t size)
{
    size_t before = to->size;

    for (size_t i = 0; i < size; i++)
        text_add(to, "%c", is_word(name[i]) && (unsigned char)name[i] < 0x80 ? name[i] : '_');
    if (to->size == before)
        text_add(to, "net");
    if (isdigit((unsigned char)to->data[before])) {
        struct text digits = {0};
        text_add(&digits, "_%s", to->data + before);
        to->size = before;
        text_add(to, "%s", digits.data);
        text_free(&digits);
    }
}

/* Of C and of C++, and what run() has besides: a parameter cannot have these names. */
static bool is_taken(const char *name)
{
    static const char *const words[] = {
        "alignas",     "alignof",
        "and",         "and_eq",
        "arena",       "asm",
        "auto",        "bitand",
        "bitor",       "bool",
        "break",       "case",
        "catch",       "char",
        "class",       "compl",
        "const",       "constexpr",
        "const_cast",  "continue",
        "decltype",    "default",
        "delete",      "do",
        "double",      "dynamic_cast",
        "else",        "enum",
        "explicit",    "export",
        "extern",      "false",
        "float",       "for",
        "friend",      "goto",
        "if",          "inline",
        "int",         "int32_t",
        "int64_t",     "long",
        "memcpy",      "mutable",
        "namespace",   "new",
        "noexcept",    "not",
        "not_eq",      "nullptr",
        "operator",    "or",
        "or_eq",       "private",
        "protected",   "public",
        "register",    "reinterpret_cast",
        "restrict",    "return",
        "short",       "signed",
        "sizeof",      "size_t",
        "static",      "static_assert",
        "static_cast", "struct",
        "switch",      "template",
        "this",        "thread_local",
        "throw",       "true",
        "try",         "typedef",
        "typeid",      "typename",
        "typeof",      "union",
        "unsigned",    "using",
        "virtual",     "void",
        "volatile",    "wchar_t",
        "weights",     "while",
        "xor",         "xor_eq",
        "NULL",
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    return name[0] == '_';
}

/* Capital letters are compared, too: macros of parameters are named after them. */
static bool is_used(const struct c_writer *writer, const char *name, int inputs, int results)
{
    bool used = false;

    for (int i = 0; i < inputs; i++)
        used |= strcasecmp(writer->input[i], name) == 0;
    for (int i = 0; i < results; i++)
        used |= strcasecmp(writer->result[i], name) == 0;
    return used || is_taken(name);
}

static const char *name_of(const struct c_writer *writer, const struct port *port, int inputs,
                           int results)
{
    struct text text = {0};

    c_identifier(&text, port->name, strlen(port->name));
    size_t size = text.size;
    for (int i = 2; is_used(writer, text.data, inputs, results); i++) {
        text.size = size;
        text_add(&text, "%s%d", text.data[0] == '_' ? "x" : "_", i);
        if (text.data[0] == '_') { /* such names are the implementation's */
            struct text whole = {0};
            text_add(&whole, "x%s", text.data);
            text_free(&text);
            text = whole;
            size = text.size;
        }
    }
    return text_keep(&text, writer->arena);
}

void c_name_ports(struct c_writer *writer)
{
    const struct graph *graph = writer->plan->graph;

    writer->input = arena_array_of(writer->arena, const char *, graph->ninput + 1);
    writer->result = arena_array_of(writer->arena, const char *, graph->noutput + 1);
    for (int i = 0; i < graph->ninput; i++)
        writer->input[i] = name_of(writer, &graph->inputs[i], i, 0);
    for (int i = 0; i < graph->noutput; i++)
        writer->result[i] = name_of(writer, &graph->outputs[i], graph->ninput, i);
}

void c_prefixed(const struct c_writer *writer, struct text *to, const char *text, size_t size)
{
    size_t from = 0;

    for (size_t i = 0; i + 1 < size; i++) {
        if (text[i] != '@' || (text[i + 1] != '_' && text[i + 1] != '@'))
            continue;
        text_add_bytes(to, text + from, i - from);
        text_add(to, "%s_", text[i + 1] == '_' ? writer->options->prefix : writer->capitals);
        from = i++ + 2;
    }
    text_add_bytes(to, text + from, size - from);
}

void c_renamed(const struct c_writer *writer, struct text *to, const char *text, size_t size)
{
    size_t from = 0;

    for (size_t i = 0; i + 3 <= size; i++) {
        bool small = memcmp(text + i, "nn_", 3) == 0, large = memcmp(text + i, "NN_", 3) == 0;
        if ((!small && !large) || (i > 0 && is_word(text[i - 1])))
            continue;
        text_add_bytes(to, text + from, i - from);
        text_add(to, "%s_", small ? writer->options->prefix : writer->capitals);
        from = i + 3;
    }
    text_add_bytes(to, text + from, size - from);
}
