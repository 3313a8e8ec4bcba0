/* compare_json.c - what comes of a comparison, for programs */
#include "driver/comparison.h"
#include "driver/json_build.h"
#include "driver/report.h"

static const char *part_name(enum part part)
{
    switch (part) {
    case PART_INPUT:
        return "parameter";
    case PART_OUTPUT:
        return "output";
    case PART_STATE:
    case PART_VARIABLE:
        return "variable";
    case PART_COMPUTED:
        break;
    }
    return "computed";
}

/* Why it does not agree; NULL if it does. */
static const char *reason_of(const struct finding *finding)
{
    if (finding->pair.index[0] < 0 || finding->pair.index[1] < 0)
        return "missing";
    switch (finding->difference.agreement) {
    case NNEFC_AGREES:
        return NULL;
    case NNEFC_OTHER_TYPE:
        return "type";
    case NNEFC_OTHER_SHAPE:
        return "shape";
    case NNEFC_OTHER_ITEMS:
        break;
    }
    return "items";
}

static json_t *item_json(const struct item *item)
{
    switch (item->dtype) {
    case NNEFC_INTEGER:
        return json_integer(item->integer);
    case NNEFC_LOGICAL:
        return json_boolean(item->integer);
    case NNEFC_SCALAR:
    case NNEFC_DTYPE_UNKNOWN:
        break;
    }
    return json_number(item->scalar);
}

static json_t *side_json(const struct finding *finding, int which)
{
    if (finding->pair.index[which] < 0)
        return json_null();
    return json_pack("{s:o, s:s, s:o}", "name", json_text(finding->name[which]), "type",
                     nnefc_dtype_name(finding->type[which].dtype), "shape",
                     json_shape(&finding->type[which]));
}

static json_t *worst_json(const struct finding *finding)
{
    const struct nnefc_difference *d = &finding->difference;
    json_t *index = json_array();

    for (int i = 0; i < finding->type[1].rank; i++)
        json_add(&index, json_integer(d->index[i]));
    return json_pack("{s:o, s:o, s:o}", "index", index, "a", item_json(&finding->worst[0]), "b",
                     item_json(&finding->worst[1]));
}

static bool has_numbers(const struct finding *finding)
{
    enum nnefc_agreement agreement = finding->difference.agreement;

    return finding->pair.index[0] >= 0 && finding->pair.index[1] >= 0 &&
           (agreement == NNEFC_AGREES || agreement == NNEFC_OTHER_ITEMS);
}

static json_t *finding_json(const struct finding *finding)
{
    const struct nnefc_difference *d = &finding->difference;
    json_t *object = json_pack("{s:s, s:b, s:s?, s:o, s:o}", "part", part_name(finding->part),
                               "agrees", finding_agrees(finding), "reason", reason_of(finding), "a",
                               side_json(finding, 0), "b", side_json(finding, 1));

    if (!has_numbers(finding))
        return object;
    json_set(&object, "items", json_integer(d->count));
    json_set(&object, "beyond", json_integer(d->beyond));
    json_set(&object, "maxAbsolute", json_number(d->max_absolute));
    json_set(&object, "maxRelative", json_number(d->max_relative));
    json_set(&object, "worst", d->worst < 0 ? json_null() : worst_json(finding));
    return object;
}

/* --- layers ------------------------------------------------------------------------------- */

static json_t *made_json(const struct nnefc_computed *made)
{
    if (!made->operation)
        return json_null();
    return json_pack("{s:s, s:s?, s:o, s:o, s:o}", "operation", made->operation, "fragment",
                     made->fragment, "file", json_text(made->file), "line",
                     made->line > 0 ? json_integer(made->line) : json_null(), "column",
                     made->column > 0 ? json_integer(made->column) : json_null());
}

static json_t *layers_json(const struct layers *layers)
{
    json_t *first = layers->step > 0 ? finding_json(&layers->first) : json_null();

    if (layers->step > 0) {
        json_set(&first, "step", json_integer(layers->step));
        json_set(&first, "madeInA", made_json(&layers->made[0]));
        json_set(&first, "madeInB", made_json(&layers->made[1]));
    }
    return json_pack("{s:i, s:i, s:i, s:o}", "compared", layers->compared, "onlyInA",
                     layers->alone[0], "onlyInB", layers->alone[1], "first", first);
}

/* --- the object --------------------------------------------------------------------------- */

static json_t *findings_json(const struct comparison *c)
{
    json_t *list = json_array();

    for (int i = 0; i < c->nfinding; i++)
        json_add(&list, finding_json(&c->findings[i]));
    return list;
}

bool comparison_print_json(const struct comparison *c)
{
    const struct nnefc_tolerance *t = &c->settings->tolerance;
    json_t *object = json_pack("{s:b, s:o, s:o, s:f, s:f, s:o}", "agree", comparison_agrees(c), "a",
                               json_text(c->subject[0].settings.model), "b",
                               json_text(c->subject[1].settings.model), "atol", t->absolute, "rtol",
                               t->relative, "results", findings_json(c));

    if (c->settings->layers)
        json_set(&object, "layers", layers_json(&c->layers));
    return json_print(object, JSON_REAL_PRECISION(FLOAT_DIGITS));
}
