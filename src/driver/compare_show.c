/*
 * compare_show.c - prints the findings of a comparison: a table and a verdict, or an object
 *
 * The layout takes its numbers from the members that JSON has. Hidden members decide which sentence
 * fits.
 */
#include "driver/comparison.h"
#include "driver/page.h"
#include "driver/path.h"

#include <assert.h>
#include <math.h>

/* A finding; what cannot be compared has a remark instead of numbers. */
#define TYPE_LAYOUT "{type}{shape:shape}"
#define FINDING_LAYOUT                                                         \
    "{.name}\t{a?{a*" TYPE_LAYOUT "}}{a!{b*" TYPE_LAYOUT "}}\t"                \
    "{.only?only in {.only}}{.other?other {reason} in B: {b*" TYPE_LAYOUT "}}" \
    "{maxAbsolute?{maxAbsolute:.3g}\t{maxRelative:.3g}\t{beyond} of {items}\t" \
    "{worst*{index:shape}\t{a:.9g}\t{b:.9g}}}\n"
#define ORIGIN_LAYOUT \
    "by '{operation}'{file? at {file}:{line}:{column}}{fragment? in fragment '{fragment}'}\n"

#define ORIGIN_HTML                                                                      \
    "by '{operation:html}'{file? at {file:html}:{line}:{column}}{fragment? in fragment " \
    "'{fragment:html}'}"

static const struct view comparison_view = {
    .text =
        "{layers*{first*first to differ: '{.name}', after {.before} that {.one?agrees}"
        "{.one!agree}{.steps?, in step {step} of {.steps}}\n"
        "{madeInA*    A: " ORIGIN_LAYOUT "}{madeInB*    B: " ORIGIN_LAYOUT
        "}}{.agree?{compared} computed tensors agree\n}"
        "{.alone?not compared: {onlyInA} computed in A only, {onlyInB} in B only\n}}"
        "{@result\ttype\tmax abs\tmax rel\tbeyond\tworst at\tA\tB\n"
        "{layers*{all?{all*" FINDING_LAYOUT "}}{all!{first*" FINDING_LAYOUT
        "}}}{results*" FINDING_LAYOUT "}}"
        "A and B {agree?agree}{agree!differ}: "
        "{.first?not}{.first!{.agreeing} of {results:#} results} within {atol} + {rtol} * |B|\n",
    .json = JSON_FLOATS,
};

static_assert(PART_COMPUTED == 4, "part_names has all parts");
static const char *const part_names[] = {[PART_INPUT] = "parameter",
                                         [PART_OUTPUT] = "output",
                                         [PART_STATE] = "variable",
                                         [PART_VARIABLE] = "variable",
                                         [PART_COMPUTED] = "computed"};

/* Why items do not agree; those that agree have no reason. */
static const char *const reasons[] = {
    [NNEFC_OTHER_TYPE] = "type", [NNEFC_OTHER_SHAPE] = "shape", [NNEFC_OTHER_ITEMS] = "items"};

/* As exactly as its type allows. */
static void add_item(struct record *to, const char *key, const struct item *item)
{
    if (item->is_unsigned)
        record_unsigned(to, key, (uint64_t)item->integer);
    else if (item->dtype == NNEFC_INTEGER)
        record_integer(to, key, item->integer);
    else if (item->dtype == NNEFC_LOGICAL)
        record_bool(to, key, item->integer);
    else
        record_real(to, key, item->scalar);
}

/* The tensor of A or of B; null if it has none. */
static void add_side(struct record *to, const char *key, const struct finding *finding, int which)
{
    if (finding->pair.index[which] < 0) {
        record_null(to, key);
        return;
    }
    struct record *side = record_object(to, key);
    record_text(side, "name", finding->name[which]);
    record_type(side, &finding->type[which]);
}

/* One pair, or a tensor that one of the two has alone. */
static void add_finding(struct record *to, const struct finding *finding)
{
    bool in_a = finding->pair.index[0] >= 0, whole = pair_is_whole(&finding->pair);
    const struct nnefc_difference *d = &finding->difference;
    enum nnefc_agreement agreement = d->agreement;
    int rank = finding->type[1].rank;
    bool other = agreement == NNEFC_OTHER_TYPE || agreement == NNEFC_OTHER_SHAPE;
    const char *a = finding->name[0], *b = finding->name[1], *name = a ? a : b;

    assert(in_a || finding->pair.index[1] >= 0);
    record_text(to, "part", part_names[finding->part]);
    record_bool(to, "agrees", finding_agrees(finding));
    record_text(to, "reason", whole ? reasons[agreement] : "missing");
    add_side(to, "a", finding, 0);
    add_side(to, "b", finding, 1);
    /* In the table the name has the part beside it, unless that is usual, or the name of B. */
    if (finding->part != PART_OUTPUT && finding->part != PART_COMPUTED)
        record_print_to(to, ".name", "%s (%s)", name, part_names[finding->part]);
    else if (finding->pair.by_order && a && b)
        record_print_to(to, ".name", "%s, %s", a, b);
    else
        record_text(to, ".name", name ? name : "(no name)");
    record_text(to, ".only", whole ? NULL : in_a ? "A" : "B");
    record_bool(to, ".other", whole && other);
    if (!whole || other)
        return;
    /* How far the items are apart; "worst" is null if all are equal. */
    assert(rank >= 0 && rank <= NNEFC_MAX_RANK);
    assert(d->beyond >= 0 && d->beyond <= d->count && d->worst < d->count);
    record_integer(to, "items", d->count);
    record_integer(to, "beyond", d->beyond);
    record_real(to, "maxAbsolute", d->max_absolute);
    record_real(to, "maxRelative", d->max_relative);
    if (d->worst < 0) {
        record_null(to, "worst");
        return;
    }
    struct record *worst = record_object(to, "worst");
    struct record *index = record_list(worst, "index");
    for (int i = 0; i < rank; i++)
        record_integer(index, NULL, d->index[i]);
    add_item(worst, "a", &finding->worst[0]);
    add_item(worst, "b", &finding->worst[1]);
}

/* The operation that made a tensor; null for recorded results. */
static void add_origin(struct record *to, const char *key, const struct nnefc_computed *made)
{
    if (!made->operation) {
        record_null(to, key);
        return;
    }
    struct record *origin = record_object(to, key);
    record_text(origin, "operation", made->operation);
    record_text(origin, "fragment", made->fragment);
    record_text(origin, "file", made->file);
    record_position(origin, "line", made->line);
    record_position(origin, "column", made->column);
}

/* The height of a bar, from 1e-8 to 1 on a logarithmic scale; what is no number is as far off as
 * can be. */
static double height_of(double error)
{
    if (error == 0)
        return 0;
    return error < 1 ? fmax(1 + log10(error) / 8, 0) : 1;
}

/* All pairs that were computed, in their order, and the first whose error is ten times that of all
 * before, for errors below 1e-7 are rounding. */
static void add_layers(struct record *to, const struct comparison *c)
{
    const struct layers *l = &c->layers;
    struct record *all = record_list(to, "all");
    const double least = 1e-7;
    double most = least;
    int grows = -1, count = 0;

    for (int i = 0; i < c->computed.count; i++) {
        const struct finding *f = &l->all[i];
        if (f->difference.count == 0)
            continue;
        struct record *item = record_object(all, NULL);
        add_finding(item, f);
        record_real(item, "meanAbsolute", f->mean);
        record_real(item, "error", f->error);
        record_real(item, "cosine", f->cosine);
        const bool jumps = grows < 0 && !(f->error < 10 * most);
        record_real(item, ".height", height_of(f->error));
        record_bool(item, ".grows", jumps);
        if (jumps)
            grows = count;
        most = fmax(most, f->error);
        count++;
    }
    record_known(to, "grows", grows < 0 ? NNEFC_UNKNOWN : grows);
}

static struct record *record_of(const struct comparison *c)
{
    int agreeing = 0;
    struct record *record = record_new_object();

    record_bool(record, "agree", comparison_agrees(c));
    record_text(record, "a", c->subject[0].path);
    record_text(record, "b", c->subject[1].path);
    record_real(record, "atol", c->tolerance->absolute);
    record_real(record, "rtol", c->tolerance->relative);
    struct record *results = record_list(record, "results");
    for (int i = 0; i < c->nfinding; i++) {
        add_finding(record_object(results, NULL), &c->findings[i]);
        agreeing += finding_agrees(&c->findings[i]);
    }
    record_integer(record, ".agreeing", agreeing);
    record_bool(record, ".first", c->layers.step > 0);
    if (c->by_layers) {
        const struct layers *l = &c->layers;
        struct record *layers = record_object(record, "layers");
        record_integer(layers, "compared", l->step > 0 ? l->before + 1 : l->compared);
        record_integer(layers, "onlyInA", l->alone[0]);
        record_integer(layers, "onlyInB", l->alone[1]);
        record_bool(layers, ".agree", l->step == 0 && l->compared > 0);
        record_bool(layers, ".alone", l->compared > 0 && l->alone[0] + l->alone[1] > 0);
        if (c->all_layers)
            add_layers(layers, c);
        if (l->step == 0) {
            record_null(layers, "first");
            return record;
        }
        struct record *first = record_object(layers, "first");
        add_finding(first, &l->first);
        record_integer(first, "step", l->step);
        add_origin(first, "madeInA", &l->made[0]);
        add_origin(first, "madeInB", &l->made[1]);
        record_integer(first, ".before", l->before);
        record_bool(first, ".one", l->before == 1);
        if (c->feeding->steps > 1)
            record_integer(first, ".steps", c->feeding->steps);
    }
    return record;
}

enum nnefc_status comparison_show(const struct comparison *c, enum nnefc_status status)
{
    enum form form = c->command->form;

    if (!comparison_failed(status) && (!c->command->quiet || form == FORM_JSON))
        record_print(record_of(c), form, &comparison_view);
    return status;
}

/* --- the page --------------------------------------------------------------------------------- */

static const char page_layout[] =
    "<title>{a:html} and {b:html}</title>\n"
    "<h1>{a:html} (A) and {b:html} (B) {agree?agree}{agree!differ}</h1>\n"
    "<p>{.first?{layers*{first*The first computed tensor that differs is <b>{.name:html}</b>, "
    "after {.before} that "
    "{.one?agrees}{.one!agree}.}}}{.first!{.agreeing} of {results:#} results agree within {atol} + "
    "{rtol} * |B|.}</p>\n"
    "{layers*{first?{first*<ul>\n"
    "{madeInA*<li>A: " ORIGIN_HTML "\n}{madeInB*<li>B: " ORIGIN_HTML "\n}</ul>\n}}"
    "<h2>Along the network</h2>\n"
    "<p>Computed tensors from left to right, {all:#} of both; {onlyInA} in A only, {onlyInB} in B "
    "only. A bar is the error, the norm of A - B divided by the norm of B, from 1e-8 to 1 on a "
    "logarithmic scale. Orange: beyond the tolerance. Green: the first tensor with ten times the "
    "error of all before.</p>\n"
    "<div class=\"bars network\">\n"
    "{all*<i class=\"{.grows?wide}{.grows!{agrees!off}}\" title=\"{.name:html}: {error:.3g}\" "
    "style=\"height:{.height:.1%}\"></i>\n}"
    "</div>\n"
    "<h2>Computed tensors</h2>\n"
    "<div class=\"wide\"><table>\n"
    "<tr><th>tensor<th>type<th class=\"n\">error<th class=\"n\">mean<th class=\"n\">max<th "
    "class=\"n\">cosine"
    "<th class=\"n\">beyond\n"
    "{all*<tr><td>{.name:html}<td>{b*{type}{shape:shape}}<td class=\"n\">{error:.3g}<td "
    "class=\"n\">"
    "{meanAbsolute:.3g}<td class=\"n\">{maxAbsolute:.3g}<td class=\"n\">{cosine:.6f}"
    "<td class=\"n\">{beyond} of {items}\n}"
    "</table></div>\n}";

struct shown {
    const struct comparison *c;
};

static void print_page(FILE *file, void *data)
{
    const struct shown *shown = data;

    fputs(page_style, file);
    record_print_text(record_of(shown->c), page_layout, file);
}

bool comparison_write(const struct comparison *c, const char *path)
{
    return path_write(path, print_page, &(struct shown){c});
}
