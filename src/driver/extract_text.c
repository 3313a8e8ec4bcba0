/* extract_text.c - a part of an NNEF text, of which the rest stays as it is */
#include "driver/extract.h"

#include "driver/edit.h"
#include "driver/memory.h"
#include "driver/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A part of the text of a model: by symbol, what it needs and what it begins from. */
struct text_part {
    struct editing e;
    const struct nnefc_port_list *inputs; /* of the whole model */
    const struct nnefc_port_list *ports;  /* of the part */
    bool *needed, *from;
};

/* A statement of the graph: its places, of which the first are targets. */
struct statement {
    int first, end;
    size_t behind; /* which ends what is in front of it, but for marks: ';', '{' */
};

/* --- statements ------------------------------------------------------------------------------- */

static bool is_tensor(const struct text_part *part, int place)
{
    const struct nnefc_symbol *symbol = part->e.symbols->at[part->e.places->at[place]->symbol];

    return symbol->kind == NNEFC_SYMBOL_TENSOR && !symbol->scope;
}

/* Those of the graph in their order, to be freed. */
static struct statement *find_statements(const struct text_part *part, int *count)
{
    const struct nnefc_place_list *places = part->e.places;
    struct statement *list = zeroed_items((size_t)places->count + 1, sizeof *list);

    *count = 0;
    for (int i = 0, end; i < places->count; i = end) {
        end = i + 1;
        if (!places->at[i]->assigns || !is_tensor(part, i))
            continue;
        while (end < places->count && places->at[end]->begin < places->at[i]->reach)
            end++;
        const size_t behind = *count > 0 ? places->at[list[*count - 1].first]->reach
                              : i > 0    ? places->at[i - 1]->end
                                         : 0;
        list[(*count)++] = (struct statement){i, end, behind};
    }
    return list;
}

static bool is_input(const struct text_part *part, const char *name)
{
    bool found = false;

    for (int i = 0; i < part->inputs->count && !found; i++)
        found = strcmp(part->inputs->at[i]->name, name) == 0;
    return found;
}

/* Does the part have the statement, which computes what it needs or introduces an input? */
static bool is_kept(const struct text_part *part, const struct statement *s)
{
    bool kept = false;

    for (int i = s->first; i < s->end && part->e.places->at[i]->assigns; i++) {
        const int symbol = part->e.places->at[i]->symbol;
        const char *name = part->e.symbols->at[symbol]->name;
        kept |= part->from[symbol] ? is_input(part, name) : part->needed[symbol];
    }
    return kept;
}

/* What it reads is needed.  False after a message: it also computes where the part begins. */
static bool need_operands(struct text_part *part, const struct statement *s)
{
    for (int i = s->first; i < s->end; i++) {
        const struct nnefc_place *place = part->e.places->at[i];
        const char *name = part->e.symbols->at[place->symbol]->name;
        if (place->assigns && part->from[place->symbol] && !is_input(part, name)) {
            usage_error(part->e.command,
                        "the statement of '%s' is needed for its other results, so that the part "
                        "cannot begin there with --profile=document",
                        name);
            return false;
        }
        if (!place->assigns && is_tensor(part, i))
            part->needed[place->symbol] = true;
    }
    return true;
}

/* --- replacements ----------------------------------------------------------------------------- */

/* "x = external<scalar>(shape = [1,2])", to be freed. */
static char *external_text(const struct nnefc_port *port)
{
    const size_t room = strlen(port->name) + (size_t)NNEFC_MAX_RANK * 24 + 64;
    char *text = zeroed_items(room, 1);
    int used = snprintf(text, room, "%s = external<%s>(shape = [", port->name,
                        nnefc_dtype_name(port->type.dtype));

    for (int i = 0; i < port->type.rank; i++)
        used += snprintf(text + used, room - (size_t)used, "%s%" PRId64, i ? ", " : "",
                         port->type.extent[i]);
    snprintf(text + used, room - (size_t)used, "])");
    return text;
}

/* The inputs that a statement computed until now, to be freed; NULL: there are none. */
static char *externals_of(const struct text_part *part, const struct statement *s)
{
    char *text = NULL;

    for (int i = s->first; i < s->end && part->e.places->at[i]->assigns; i++) {
        const char *name = part->e.symbols->at[part->e.places->at[i]->symbol]->name;
        for (int k = 0; k < part->ports->count; k++) {
            if (strcmp(part->ports->at[k]->name, name) != 0)
                continue;
            char *one = external_text(part->ports->at[k]);
            char *both = text ? edit_join(text, ";\n    ", one, "") : edit_join(one, "", "", "");
            free(one);
            free(text);
            text = both;
        }
    }
    return text;
}

/* Where the statement begins: several targets stand in brackets. */
static size_t begin_of(const struct text_part *part, const struct statement *s)
{
    const struct nnefc_text *text = &part->e.text;
    const size_t target = part->e.places->at[s->first]->begin;
    size_t at = edit_skip_blanks(text, s->behind);

    while (at < target && !strchr("[(", text->data[at]))
        at = edit_skip_blanks(text, at + 1);
    return at < target ? at : target;
}

static size_t skip_spaces(const struct nnefc_text *text, size_t at)
{
    while (at < text->size && strchr(" \t", text->data[at]))
        at++;
    return at;
}

/* What the next statement of the line left out already, too: statements are met from the last on.
 */
static size_t take_next(struct text_part *part, size_t end)
{
    struct replacement *next = part->e.count > 0 ? &part->e.list[part->e.count - 1] : NULL;
    const size_t behind = skip_spaces(&part->e.text, end);

    if (!next || next->begin != behind || *next->text)
        return end;
    free(next->text);
    part->e.count--;
    return next->end;
}

/* With its ';' and, if nothing else is there, the line with its comment. */
static void leave_out(struct text_part *part, const struct statement *s)
{
    const struct nnefc_text *text = &part->e.text;
    size_t begin = begin_of(part, s), line = begin;
    size_t end = edit_skip_blanks(text, part->e.places->at[s->first]->reach);

    end = take_next(part, end + (end < text->size && text->data[end] == ';'));
    while (line > 0 && strchr(" \t", text->data[line - 1]))
        line--;
    size_t behind = skip_spaces(text, end);
    if (behind < text->size && !strchr("\r\n#", text->data[behind]))
        end = behind; /* where another statement begins */
    if (behind < text->size && text->data[behind] == '#')
        while (behind < text->size && text->data[behind] != '\n')
            behind++;
    if (behind < text->size && strchr("\r\n", text->data[behind]) &&
        (line == 0 || text->data[line - 1] == '\n')) {
        begin = line;
        end = behind + 1;
        end += text->data[behind] == '\r' && end < text->size && text->data[end] == '\n';
    }
    edit_replace(&part->e, begin, end, edit_join("", "", "", ""));
}

static void edit_statement(struct text_part *part, const struct statement *s)
{
    const size_t end = part->e.places->at[s->first]->reach;
    char *externals = externals_of(part, s);

    if (externals)
        edit_replace(&part->e, begin_of(part, s), end, externals);
    else
        leave_out(part, s);
}

/* The parameters, or the results, in the head of the graph. */
static bool edit_head(struct text_part *part, bool results, const struct names *names)
{
    const struct nnefc_place *first = NULL, *last = NULL;
    char *text = edit_join("", "", "", "");

    for (int i = 0; i < part->e.places->count; i++) {
        const struct nnefc_place *place = part->e.places->at[i];
        if (!place->declares || place->result != results || !is_tensor(part, i))
            continue;
        first = first ? first : place;
        last = place;
    }
    for (int i = 0; i < names->count; i++) {
        char *more = edit_join(text, i ? ", " : "", names->at[i], "");
        free(text);
        text = more;
    }
    if (first) {
        edit_replace(&part->e, first->begin, last->end, text);
        return true;
    }
    free(text);
    return usage_error(part->e.command, "the head of the graph has nothing to replace") == NNEFC_OK;
}

/* --- the part --------------------------------------------------------------------------------- */

static bool mark_names(struct text_part *part, const struct names *names, bool *marks)
{
    for (int i = 0; i < names->count; i++) {
        const int symbol = edit_symbol(&part->e, NNEFC_SYMBOL_TENSOR, names->at[i]);
        if (symbol < 0)
            return usage_error(part->e.command,
                               "the text has no name for '%s', so that --profile=document cannot "
                               "cut there",
                               names->at[i]) == NNEFC_OK;
        marks[symbol] = true;
    }
    return true;
}

/* False after a message. */
static bool make_part(struct text_part *part, const struct names *to)
{
    struct names inputs = {0};
    int count;
    struct statement *list = find_statements(part, &count);

    for (int i = 0; i < part->ports->count; i++)
        add_name(&inputs, part->ports->at[i]->name);
    bool ok = mark_names(part, &inputs, part->from) && mark_names(part, to, part->needed);
    for (int i = 0; i < to->count && ok; i++)
        if (index_of(&inputs, to->at[i]) >= 0)
            ok = usage_error(part->e.command,
                             "'%s' is an input of the part, which no text has as a result",
                             to->at[i]) == NNEFC_OK;
    for (int i = count - 1; i >= 0 && ok; i--) {
        if (is_kept(part, &list[i]))
            ok = need_operands(part, &list[i]);
        else
            edit_statement(part, &list[i]);
    }
    ok = ok && edit_head(part, false, &inputs) && edit_head(part, true, to);
    free(list);
    free(inputs.at);
    return ok;
}

/* Load what is left of the text, and write it with the data that it reads. */
static enum nnefc_status write_text_part(const struct text_cut *cut, struct text_part *part)
{
    struct nnefc_model *model = prepare_model(cut->loading);
    enum nnefc_status status = NNEFC_USAGE;

    if (edit_set_text(model, &part->e)) {
        load_prepared(cut->loading, model, cut->command->operand[0]);
        status = nnefc_model_status(model);
    }
    if (status == NNEFC_OK)
        status = nnefc_model_write_profile(model, cut->command->operand[1], NNEFC_PROFILE_TEXT);
    close_model(cut->command, model);
    return status;
}

/* What no text of NNEF 1.0 alone says. */
static enum nnefc_status check_model(const struct text_cut *cut, struct nnefc_model *model)
{
    const struct nnefc_variable_list *variables = nnefc_model_variables(cut->part);
    const char *why = NULL;

    if (nnefc_model_places(model)->count == 0 ||
        nnefc_model_identity(model)->dialect != NNEFC_DIALECT_1_0)
        why = "is no text of NNEF 1.0";
    else if (nnefc_model_text(model, NNEFC_PART_QUANT).size > 0)
        why = "has a quantization file";
    else if (cut->loading->shapes.count + cut->loading->opened.count > 0)
        why = "is given other shapes than its text has";
    for (int i = 0; i < variables->count && !why; i++)
        why = variables->at[i]->is_updated ? "updates a variable of the part" : NULL;
    if (!why)
        return NNEFC_OK;
    return usage_error(cut->command, "--profile=document cannot be: '%s' %s",
                       cut->command->operand[0], why);
}

enum nnefc_status extract_text(const struct text_cut *cut)
{
    struct nnefc_model *model = load_model(cut->loading, cut->command->operand[0]);
    struct text_part part = {.e = {.command = cut->command,
                                   .text = nnefc_model_text(model, NNEFC_PART_DOCUMENT),
                                   .places = nnefc_model_places(model),
                                   .symbols = nnefc_model_symbols(model)},
                             .inputs = nnefc_model_inputs(model),
                             .ports = nnefc_model_inputs(cut->part)};
    enum nnefc_status status = check_model(cut, model);

    part.needed = zeroed_items((size_t)part.e.symbols->count + 1, sizeof *part.needed);
    part.from = zeroed_items((size_t)part.e.symbols->count + 1, sizeof *part.from);
    if (!part.e.text.path) /* of an archive */
        part.e.text.path = cut->command->operand[0];
    if (status == NNEFC_OK)
        status = make_part(&part, cut->to) ? write_text_part(cut, &part) : NNEFC_USAGE;
    edit_forget(&part.e);
    free(part.needed);
    free(part.from);
    nnefc_model_free(model);
    return status;
}
