/*
 * opgen.c - writes build/gen/ops.h and ops.c, the operators as C, from their signatures
 *
 * A build-time program of the host; it links parser/, base/ and diag/ only.
 *
 *     opgen OPS.H OPS.C STANDARD.NNEF EXTENSIONS.NNEF
 *
 * An operator is a fragment without body, or one marked as `kept`.  A parameter with a tensor in
 * its type is an operand; every other one is an attribute, a field of the operator's struct.
 * Comment lines beginning with '#@' add facts that a signature cannot state.  They hold for the
 * fragments below, up to the next such line; clauses are separated by ';':
 *
 *     kept                    fragments with a body are operators, too
 *     attrs window            their attributes share `struct window_attrs`
 *     signed as is_signed     field of the parameter, where its name in snake case will not do
 *     axes was perm           name of the field's parameter in the provisional dialect
 *     stride >= 1             smallest value of the field, or of its items
 *     border: constant ignore allowed strings; the field becomes `enum border`
 *
 * ops.h gets the ids of operators and attributes, the enums and structs, for each operator the
 * macro that its descriptor begins with, and an accessor for each attribute.  ops.c gets the tables
 * that the macros point to, and that of all descriptors.
 *
 * A fault in the texts is a fault of the sources: the first one is printed and ends the build.
 */
#include "base/arena.h"
#include "base/text.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "parser/parser.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPERATORS = 512, MAX_FIELDS = 32, MAX_FACTS = 16, MAX_IDS = 250, MAX_WORDS = 16 };

enum field_kind {
    FIELD_INTEGER,
    FIELD_SCALAR,
    FIELD_LOGICAL,
    FIELD_STRING,
    FIELD_ENUM,
    FIELD_INTEGERS,
    FIELD_PAIRS,
    FIELD_VALUES,
};

/* How a kind is spelled: in `enum attr_kind`, as a field, as result of its accessor. */
static const struct {
    const char *kind, *field, *result;
    bool by_address;
} spelling[] = {
    [FIELD_INTEGER] = {"ATTR_INTEGER", "int64_t ", "int64_t ", false},
    [FIELD_SCALAR] = {"ATTR_SCALAR", "double ", "double ", false},
    [FIELD_LOGICAL] = {"ATTR_LOGICAL", "bool ", "bool ", false},
    [FIELD_STRING] = {"ATTR_STRING", "const char *", "const char *", false},
    [FIELD_ENUM] = {"ATTR_ENUM", NULL, NULL, false},
    [FIELD_INTEGERS] = {"ATTR_INTEGERS", "struct integers ", "const struct integers *", true},
    [FIELD_PAIRS] = {"ATTR_PAIRS", "struct pairs ", "const struct pairs *", true},
    [FIELD_VALUES] = {"ATTR_VALUES", "struct values ", "const struct values *", true},
};

struct attr_field {
    const char *name;  /* in C */
    const char *param; /* in the signature */
    const char *was;   /* in the provisional dialect; NULL: the same */
    const char *min;   /* NULL: none */
    enum field_kind kind;
    int nword;   /* ENUM: how many of the enum's words are allowed */
    int id;      /* index of its `struct id`; -1: no accessor */
    bool is_new; /* no operator before has it in the struct of the family */
};

/* The fragment of an operator and its attributes, which are fields of a struct. */
struct operator
{
    const struct fragment *fragment;
    const char *family; /* of `struct FAMILY_attrs` */
    struct attr_field field[MAX_FIELDS];
    int nfield, noperand;
    int generic_operand;      /* the first of type '?', noperand if there is none */
    bool variadic, extension; /* the operands are one array; it is none of NNEF's own */
};

/* An attribute by the name of its field: one accessor for all operators that have it. */
struct id {
    const char *name;
    const struct attr_field *field;
};

/* The words of one attribute, wherever it stands: an enum.  An operator allows the first of them.
 */
struct words {
    const char *name; /* of the enum */
    const char *word[MAX_WORDS];
    int count;
};

/* A clause behind '#@'; it is an error if no fragment below uses it. */
struct fact {
    const char *text;
    bool used;
};

/* What one run knows.  Operators, attributes and enums are in the order of the texts. */
struct opgen {
    struct context *context;
    struct operator operator[MAX_OPERATORS];
    struct id id[MAX_IDS];
    struct words words[MAX_IDS];
    struct fact fact[MAX_FACTS]; /* in force where the text is being read */
    int noperator, nid, nwords, nfact;
    const char *file;
};

static _Noreturn void PRINTF_LIKE(1, 2) die(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    fputs("opgen: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

/* The first `size` bytes, which live as long as the context. */
static const char *copy_of(const struct opgen *g, const char *text, size_t size)
{
    return arena_strndup(g->context->arena, text, size);
}

/* "reflect-even" is REFLECT_EVEN, "transposeA" transpose_a. */
static const char *spelled(const struct opgen *g, const char *name, bool upper)
{
    struct text text = {0};

    for (const char *c = name; *c; c++) {
        if (!upper && isupper((unsigned char)*c) && c > name)
            text_add(&text, "_");
        int letter = upper ? toupper((unsigned char)*c) : tolower((unsigned char)*c);
        text_add(&text, "%c", *c == '-' ? '_' : letter);
    }
    return text_keep(&text, g->context->arena);
}

/* --- facts ---------------------------------------------------------------------------------- */

/* The facts do not hold below this point. */
static void end_facts(struct opgen *g)
{
    for (int i = 0; i < g->nfact; i++)
        if (!g->fact[i].used)
            die("%s: no fragment below has use for '%s'", g->file, g->fact[i].text);
    g->nfact = 0;
}

/*
 * Read the lines of comment from `at` to `end`; gives where it stopped, the beginning of a line.
 * Lines of facts one below the other belong together, those after another line begin anew.
 */
static const char *read_facts(struct opgen *g, const char *at, const char *end)
{
    bool together = false;

    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const char *last = stop ? stop : end, *next = last + 1;
        bool is_fact = last - at >= 2 && at[0] == '#' && at[1] == '@';
        if (is_fact && !together)
            end_facts(g);
        together = is_fact;

        /* Each clause goes to the next ';', without the blanks around it. */
        for (const char *clause = at + 2; is_fact && clause < last;) {
            clause += strspn(clause, " ");
            size_t all = strcspn(clause, ";\n"), size = all;
            while (size > 0 && isspace((unsigned char)clause[size - 1]))
                size--;
            if (size > 0 && g->nfact == MAX_FACTS)
                die("%s: too many clauses behind '#@'", g->file);
            if (size > 0)
                g->fact[g->nfact++] = (struct fact){copy_of(g, clause, size), false};
            clause += all + 1;
        }
        at = next;
    }
    return at;
}

/* What stands behind "NAME BETWEEN", NULL if nothing says so. */
static const char *fact_about(struct opgen *g, const char *name, const char *between)
{
    size_t size = strlen(name), more = strlen(between);

    for (int i = 0; i < g->nfact; i++) {
        const char *text = g->fact[i].text;
        if (strncmp(text, name, size) != 0 || strncmp(text + size, between, more) != 0)
            continue;
        g->fact[i].used = true;
        return text + size + more;
    }
    return NULL;
}

/* --- attributes ----------------------------------------------------------------------------- */

/* The words of an enum; without any if it is new. */
static struct words *words_of(struct opgen *g, const char *name)
{
    for (int i = 0; i < g->nwords; i++)
        if (strcmp(g->words[i].name, name) == 0)
            return &g->words[i];
    if (g->nwords == MAX_IDS)
        die("%s: too many enums", g->file);
    g->words[g->nwords] = (struct words){.name = name};
    return &g->words[g->nwords++];
}

/* By the type that the signature has; words make an enum of a string later. */
static enum field_kind kind_of(const struct opgen *g, const struct param *param)
{
    const struct type_expr *type = param->type, *item = type->items.first;

    if (type->kind == TYPE_EXPR_ARRAY && item->kind == TYPE_EXPR_PRIMITIVE)
        return item->name == TYPE_NAME_INTEGER ? FIELD_INTEGERS : FIELD_VALUES;
    if (type->kind == TYPE_EXPR_ARRAY && item->kind == TYPE_EXPR_TUPLE && item->items.count == 2)
        return FIELD_PAIRS;
    if (type->kind == TYPE_EXPR_ARRAY)
        die("%s: an array of attributes is of primitive items or of pairs", g->file);
    if (type->kind == TYPE_EXPR_PRIMITIVE)
        switch (type->name) {
        case TYPE_NAME_INTEGER:
            return FIELD_INTEGER;
        case TYPE_NAME_SCALAR:
            return FIELD_SCALAR;
        case TYPE_NAME_LOGICAL:
            return FIELD_LOGICAL;
        case TYPE_NAME_STRING:
            return FIELD_STRING;
        case TYPE_NAME_NONE:
        case TYPE_NAME_GENERIC:
            break;
        }
    die("%s: no attribute can have the type of '%s'", g->file, param->name);
}

/* A parameter with a tensor anywhere in its type is an operand. */
static bool has_tensor(const struct type_expr *type)
{
    if (type->kind == TYPE_EXPR_TENSOR)
        return true;
    for (const struct type_expr *item = type->items.first; item; item = item->next)
        if (has_tensor(item))
            return true;
    return false;
}

/* What the items of an array are in the end, or of nested arrays. */
static const struct type_expr *innermost(const struct type_expr *type)
{
    while (type->kind == TYPE_EXPR_ARRAY)
        type = type->items.first;
    assert(type);
    return type;
}

/* Attributes of one name and kind have one accessor; a name of two kinds has the second kind in the
 * name of its second accessor. */
static int id_of(struct opgen *g, const struct attr_field *field)
{
    const char *name = field->name;

    for (int i = 0; i < g->nid; i++) {
        if (strcmp(g->id[i].name, name) != 0)
            continue;
        if (g->id[i].field->kind == field->kind)
            return i;
        struct text text = {0};
        text_add(&text, "%s_", field->name);
        for (const char *c = strchr(spelling[field->kind].kind, '_') + 1; *c; c++)
            text_add(&text, "%c", tolower((unsigned char)*c));
        name = text_keep(&text, g->context->arena);
        i = -1;
    }
    if (g->nid == MAX_IDS)
        die("%s: too many attributes", g->file);
    g->id[g->nid] = (struct id){name, field};
    return g->nid++;
}

static const struct attr_field *find_field(const struct operator* op, const char *name)
{
    for (int i = 0; i < op->nfield; i++)
        if (strcmp(op->field[i].name, name) == 0)
            return &op->field[i];
    return NULL;
}

static bool same_family(const struct operator* a, const struct operator* b)
{
    return strcmp(a->family, b->family) == 0;
}

/* Another attribute of `op`, which is the last operator so far. */
static void add_field(struct opgen *g, struct operator* op, const struct param *param)
{
    const char *name = fact_about(g, param->name, " as ");

    assert(op == &g->operator[g->noperator - 1]);
    if (op->nfield == MAX_FIELDS)
        die("%s: too many attributes of '%s'", g->file, op->fragment->name);
    struct attr_field *field = &op->field[op->nfield++];
    *field = (struct attr_field){.name = name ? name : spelled(g, param->name, false),
                                 .param = param->name,
                                 .kind = kind_of(g, param),
                                 .id = -1,
                                 .is_new = true};
    field->was = fact_about(g, field->name, " was ");
    field->min = fact_about(g, field->name, " >= ");

    /* Every list of words is the beginning of the longest, so that one index means one word. */
    const char *list = fact_about(g, field->name, ": ");
    struct words *words = list ? words_of(g, field->name) : NULL;
    for (field->kind = list ? FIELD_ENUM : field->kind; list && *list; field->nword++) {
        size_t size = strcspn(list, " ");
        const char *word = copy_of(g, list, size);
        if (field->nword == MAX_WORDS)
            die("%s: too many words of '%s'", g->file, field->name);
        if (field->nword == words->count)
            words->word[words->count++] = word;
        if (strcmp(words->word[field->nword], word) != 0)
            die("%s: '%s' is not word %d of '%s'", g->file, word, field->nword, field->name);
        list += size + strspn(list + size, " ");
    }

    /* Operators of a family share a struct, where a name is one field. */
    for (const struct operator* other = g->operator; other < op; other++) {
        const struct attr_field *same =
            same_family(other, op) ? find_field(other, field->name) : NULL;
        if (same && same->kind != field->kind)
            die("'%s' has two types in 'struct %s_attrs'", field->name, op->family);
        field->is_new = field->is_new && !same;
    }
}

/* --- operators ------------------------------------------------------------------------------ */

/* A fragment without a body, or one that is kept; others are nothing to C. */
static void add_operator(struct opgen *g, const struct fragment *fragment, bool extension)
{
    const char *family = fact_about(g, "attrs", " ");

    if (fragment->has_body && !fact_about(g, "kept", ""))
        return;
    if (g->noperator == MAX_OPERATORS)
        die("%s: too many operators", g->file);
    struct operator* op = & g->operator[g->noperator++];
    *op = (struct operator){
        .fragment = fragment, .family = family ? family : fragment->name, .extension = extension};
    for (const struct param *p = fragment->params.first; p; p = p->next)
        if (!has_tensor(p->type)) {
            add_field(g, op, p);
        } else {
            bool generic = innermost(p->type)->name == TYPE_NAME_GENERIC;
            op->generic_operand += !generic && op->generic_operand == op->noperand;
            op->variadic = op->variadic || p->type->kind == TYPE_EXPR_ARRAY;
            op->noperand++;
        }

    /* Accessors read nodes, and what has no operands makes none. */
    assert(op->generic_operand <= op->noperand);
    for (int i = 0; op->noperand > 0 && i < op->nfield; i++)
        op->field[i].id = id_of(g, &op->field[i]);
}

/* The operators of one file.  Its text is not released: names point to it. */
static void read_library(struct opgen *g, const char *name, bool extension)
{
    const struct parse_options options = {.dialect = PARSE_1_0, .library = true};
    FILE *file = fopen(name, "rb");
    long end = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    size_t size = (size_t)end;
    char *text = end >= 0 ? malloc(size + 1) : NULL;

    if (text)
        rewind(file);
    if (!text || fread(text, 1, size, file) != size)
        die("cannot read '%s'", name);
    text[size] = '\0';
    fclose(file);

    const char *at = text;
    uint32_t base = sources_add(g->context->sources, name, text, size);
    struct document *document = parse_text(g->context, base, text, size, &options);

    if (!document || diag_error_count(g->context->diag) > 0) {
        diag_print(g->context->diag, stderr, DIAG_STYLE_FULL, false);
        exit(1);
    }

    /* The comment in front of a fragment says what holds for it and those below. */
    g->file = name;
    for (const struct fragment *f = document->fragments.first; f; f = f->next) {
        assert(f->span.begin >= base && f->span.begin - base <= size);
        at = read_facts(g, at, text + (f->span.begin - base));
        add_operator(g, f, extension);
    }
    read_facts(g, at, text + size); /* nothing is below these */
    end_facts(g);
}

/* --- ops.h ---------------------------------------------------------------------------------- */

/* Operators and attributes in the order of the texts, and an enum for each list of words. */
static void write_enums(const struct opgen *g, FILE *out)
{
    fputs("enum op_id {\n", out);
    for (int i = 0; i < g->noperator; i++)
        fprintf(out, "    OP_%s,\n", g->operator[i].fragment->name);
    fputs("    OP_COUNT\n};\n\nenum attr_id {\n", out);
    for (int i = 0; i < g->nid; i++)
        fprintf(out, "    ATTR_%s,\n", g->id[i].name);
    fputs("    ATTR_COUNT\n};\n", out);
    for (int i = 0; i < g->nwords; i++) {
        const struct words *words = &g->words[i];
        fprintf(out, "\nenum %s {\n", words->name);
        for (int k = 0; k < words->count; k++)
            fprintf(out, "    %s_%s,\n", spelled(g, words->name, true),
                    spelled(g, words->word[k], true));
        fprintf(out, "};\nextern const char *const %s_words[]; /* ends with NULL */\n",
                words->name);
    }
}

/* The C type of a field, up to its name. */
static const char *type_of(const struct opgen *g, const struct attr_field *field)
{
    return field->kind == FIELD_ENUM ? text_format(g->context->arena, "enum %s ", field->name)
                                     : spelling[field->kind].field;
}

/* A struct for each family: the fields of its first operator, then what others have besides. */
static void write_structs(const struct opgen *g, FILE *out)
{
    bool written[MAX_OPERATORS] = {false};

    for (int i = 0; i < g->noperator; i++) {
        if (written[i] || g->operator[i].nfield == 0)
            continue;
        fprintf(out, "\nstruct %s_attrs {\n", g->operator[i].family);
        for (int k = i; k < g->noperator; k++) {
            const struct operator* op = & g->operator[k];
            if (!same_family(&g->operator[i], op))
                continue;
            written[k] = true;
            for (int n = 0; n < op->nfield; n++)
                if (op->field[n].is_new)
                    fprintf(out, "    %s%s;\n", type_of(g, &op->field[n]), op->field[n].name);
        }
        fputs("};\n", out);
    }
}

/* The data type of an operand or result, or of the items of an array of them: OP_RESULT_... */
static const char *result_of(const struct type_expr *type)
{
    switch (innermost(type)->name) {
    case TYPE_NAME_SCALAR:
        return "SCALAR";
    case TYPE_NAME_INTEGER:
        return "INTEGER";
    case TYPE_NAME_LOGICAL:
        return "LOGICAL";
    case TYPE_NAME_NONE:
    case TYPE_NAME_STRING:
    case TYPE_NAME_GENERIC:
        break;
    }
    return "GENERIC";
}

/* The macro that a descriptor begins with, and what it names; see op/op.h. */
static void write_signature(const struct operator* op, FILE *out)
{
    const char *name = op->fragment->name;

    fprintf(out, "\nextern const struct op_desc op_%s;\n", name);
    if (op->nfield > 0)
        fprintf(out,
                "extern const struct op_attr attrs_of_%s[];\n#define OP_ATTRS_%s struct %s_attrs\n",
                name, name, op->family);
    fprintf(out,
            "#define OP_SIGNATURE_%s(more) \\\n    .id = OP_%s, .name = \"%s\", .noperand = %d, ",
            name, name, name, op->noperand);
    fprintf(out, ".generic_operand = %d, .nresult = %d", op->generic_operand,
            op->fragment->results.count);
    fputs(", .operand = {", out);
    for (const struct param *p = op->fragment->params.first; p; p = p->next)
        if (has_tensor(p->type))
            fprintf(out, "OP_RESULT_%s, ", result_of(p->type));
    fputs(op->noperand > 0 ? "}, .result = {" : "0}, .result = {", out);
    for (const struct param *p = op->fragment->results.first; p; p = p->next)
        fprintf(out, "%sOP_RESULT_%s", p == op->fragment->results.first ? "" : ", ",
                result_of(p->type));
    fprintf(out, "}, .traits = (more)%s%s", op->variadic ? " | OP_VARIADIC" : "",
            op->extension ? " | OP_EXTENSION" : "");
    if (op->nfield > 0)
        fprintf(out, ", .attrs = attrs_of_%s, .attrs_size = sizeof(struct %s_attrs)", name,
                op->family);
    if (op->nfield > 0 && op->noperand > 0)
        fprintf(out, ", .row_of = row_of_%s", name);
    fputc('\n', out);
    if (op->nfield > 0 && op->noperand > 0)
        fprintf(out, "extern const unsigned char row_of_%s[];\n", name);
}

/* attr_NAME(node), for every operator that has the attribute: arrays by address, others by value.
 */
static void write_accessor(const struct opgen *g, const struct id *id, FILE *out)
{
    const struct attr_field *field = id->field;
    bool by_address = spelling[field->kind].by_address, is_enum = field->kind == FIELD_ENUM;
    const char *type = by_address ? spelling[field->kind].result : type_of(g, field);
    const char *stored = field->kind == FIELD_STRING ? "const char *const *" : "";

    assert(id->name && field->kind < sizeof spelling / sizeof spelling[0]);
    fprintf(out, "\nstatic inline %sattr_%s(const struct node *node)\n{\n    return ", type,
            id->name);
    if (is_enum)
        fprintf(out, "(enum %s)*(const int *)", field->name);
    else if (*stored)
        fprintf(out, "*(%s)", stored);
    else if (!by_address)
        fprintf(out, "*(const %s*)", type);
    fprintf(out, "node_attr_field(node, ATTR_%s);\n}\n", id->name);
}

/* --- ops.c ---------------------------------------------------------------------------------- */

/* The first `count` words of an enum, as the strings that an attribute allows. */
static void write_words(const struct words *words, int count, FILE *out)
{
    fprintf(out, "\nconst char *const %s_words", words->name);
    if (count < words->count)
        fprintf(out, "_%d", count);
    fputs("[] = {", out);
    for (int i = 0; i < count; i++)
        fprintf(out, "\"%s\", ", words->word[i]);
    fputs("NULL};\n", out);
}

/* Lists that end sooner than the enum are made when the first operator has them. */
static void write_all_words(struct opgen *g, FILE *out)
{
    for (int i = 0; i < g->nwords; i++) {
        bool written[MAX_WORDS + 1] = {false};
        written[g->words[i].count] = true;
        write_words(&g->words[i], g->words[i].count, out);
        for (int k = 0; k < g->noperator; k++) {
            const struct attr_field *field = find_field(&g->operator[k], g->words[i].name);
            if (!field || written[field->nword])
                continue;
            written[field->nword] = true;
            fputs("static ", out);
            write_words(&g->words[i], field->nword, out);
        }
    }
}

/* The table of attributes, and for operators that make nodes which row has which attribute. */
static void write_rows(struct opgen *g, const struct operator* op, FILE *out)
{
    const char *name = op->fragment->name;

    assert(op->nfield > 0);
    fprintf(out, "\nconst struct op_attr attrs_of_%s[] = {\n", name);
    for (int i = 0; i < op->nfield; i++) {
        const struct attr_field *field = &op->field[i];
        fprintf(out, "    {.name = \"%s\", .offset = offsetof(struct %s_attrs, %s), .kind = %s",
                field->param, op->family, field->name, spelling[field->kind].kind);
        if (field->was)
            fprintf(out, ", .provisional = \"%s\"", field->was);
        if (field->min)
            fprintf(out, ", .bounded = true, .min = %s", field->min);
        if (field->kind == FIELD_ENUM)
            fprintf(out, ", .names = %s_words", field->name);
        if (field->kind == FIELD_ENUM && field->nword < words_of(g, field->name)->count)
            fprintf(out, "_%d", field->nword);
        fputs("},\n", out);
    }
    fputs("    {0},\n};\n", out);
    if (op->noperand == 0)
        return;
    fprintf(out, "const unsigned char row_of_%s[ATTR_COUNT] = {\n", name);
    for (int i = 0; i < op->nfield; i++) {
        assert(op->field[i].id >= 0 && op->field[i].id < g->nid);
        fprintf(out, "    [ATTR_%s] = %d,\n", g->id[op->field[i].id].name, i + 1);
    }
    fputs("};\n", out);
}

static FILE *open_to_write(const char *name)
{
    FILE *out = fopen(name, "w");

    if (!out)
        die("cannot write '%s'", name);
    return out;
}

int main(int argc, char **argv)
{
    static struct opgen g;

    if (argc != 5)
        die("usage: opgen OPS.H OPS.C STANDARD.NNEF EXTENSIONS.NNEF");
    g.context = context_new();
    read_library(&g, argv[3], false);
    read_library(&g, argv[4], true);
    FILE *header = open_to_write(argv[1]), *source = open_to_write(argv[2]);

    fputs(
        "/* ops.h - operators and their attributes, by opgen from stdlib/; included by op/op.h */\n"
        "#ifndef NNEFC_GEN_OPS_H\n#define NNEFC_GEN_OPS_H\n\n",
        header);
    write_enums(&g, header);
    write_structs(&g, header);
    for (int i = 0; i < g.noperator; i++)
        write_signature(&g.operator[i], header);
    for (int i = 0; i < g.nid; i++)
        write_accessor(&g, &g.id[i], header);
    fputs("\n#endif\n", header);

    fputs("/* ops.c - tables of operators, by opgen from stdlib/ */\n#include \"op/op.h\"\n",
          source);
    write_all_words(&g, source);
    for (int i = 0; i < g.noperator; i++)
        if (g.operator[i].nfield> 0)
            write_rows(&g, &g.operator[i], source);
    fputs("\nconst struct op_desc *const op_table[OP_COUNT] = {\n", source);
    for (int i = 0; i < g.noperator; i++)
        fprintf(source, "    [OP_%s] = &op_%s,\n", g.operator[i].fragment->name,
                g.operator[i].fragment->name);
    fputs("};\n", source);

    if (fclose(header) != 0 || fclose(source) != 0)
        die("cannot write '%s' and '%s'", argv[1], argv[2]);
    context_free(g.context);
    return 0;
}
