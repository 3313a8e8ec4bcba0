/* names.c - identifiers of C */
#include "backend/c/writer.h"
#include "base/arena.h"
#include "exec/planner.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
    return (isalnum((unsigned char)c) && (unsigned char)c < 0x80) || c == '_';
}

/* Names that begin with '_' are the implementation's. */
void c_identifier(struct text *to, const char *name, size_t size)
{
    if (size == 0)
        text_add(to, "net");
    else if (isdigit((unsigned char)*name) || !is_word(*name) || *name == '_')
        text_add(to, "x");
    for (size_t i = 0; i < size; i++)
        text_add(to, "%c", is_word(name[i]) ? name[i] : '_');
}

/* Words of C and of C++, macros of compilers and of common headers, and what run() and check() have
 * besides: a parameter cannot have these names. */
/* clang-format off */
static const char *const words[] = {
    "NULL", "alignas", "alignof", "and", "and_eq", "apart", "arena", "asm", "auto", "bitand",
    "bitor", "bool", "break", "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class",
    "co_await", "co_return", "co_yield", "compl", "complex", "concept", "const", "const_cast",
    "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do",
    "double", "dynamic_cast", "else", "enum", "errno", "explicit", "export", "extern", "false",
    "float", "for", "friend", "goto", "i386", "if", "inline", "int", "int32_t", "int64_t", "items",
    "linux", "long", "memcpy", "memory", "mutable", "namespace", "new", "noexcept", "not", "not_eq",
    "nullptr", "operator", "or", "or_eq", "private", "protected", "public", "register",
    "reinterpret_cast", "requires", "restrict", "return", "seed", "short", "signed", "size_t",
    "sizeof", "state", "static", "static_assert", "static_cast", "stderr", "stdin", "stdout",
    "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef",
    "typeid", "typename", "typeof", "typeof_unqual", "uint32_t", "uint64_t", "union", "unix",
    "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "weights", "while", "xor",
    "xor_eq",
};
/* clang-format on */

static bool is_taken(const char *name)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    return false;
}

static char small(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Macros of parameters are named after them, in capitals. */
static bool same_in_capitals(const char *a, const char *b)
{
    while (*a && small(*a) == small(*b)) {
        a++;
        b++;
    }
    return small(*a) == small(*b);
}

static bool is_used(const struct c_writer *writer, const char *name, int inputs, int results)
{
    bool used = false;

    for (int i = 0; i < inputs; i++)
        used |= same_in_capitals(writer->input[i], name);
    for (int i = 0; i < results; i++)
        used |= same_in_capitals(writer->result[i], name);
    return used || is_taken(name);
}

/* Does it begin as all names of the file do, or as its macros? */
static bool is_of_file(const struct c_writer *writer, const char *name)
{
    size_t size = strlen(writer->options->prefix);

    return (strncmp(name, writer->options->prefix, size) == 0 ||
            strncmp(name, writer->capitals, size) == 0) &&
           name[size] == '_';
}

/* A name without small letters may be a macro of some header: INFINITY, EOF, INT_MAX. */
static void avoid_macros(struct text *name)
{
    if (strpbrk(name->data, "abcdefghijklmnopqrstuvwxyz"))
        return;
    for (size_t i = 0; i < name->size; i++)
        name->data[i] = small(name->data[i]);
}

static const char *name_of(const struct c_writer *writer, const struct port *port, int inputs,
                           int results)
{
    struct text plain = {0}, text = {0};

    c_identifier(&plain, port->name, strlen(port->name));
    avoid_macros(&plain);
    text_add(&text, "%s%s", is_of_file(writer, plain.data) ? "x" : "", plain.data);
    size_t size = text.size;
    for (int i = 2; is_used(writer, text.data, inputs, results); i++) {
        text.size = size;
        text_add(&text, "_%d", i);
    }
    text_free(&plain);
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
