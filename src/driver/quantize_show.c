/*
 * quantize_show.c - prints what nnefc quantize has found
 *
 * The table and the page take their numbers from the members that JSON has, or from hidden ones
 * that are made of these.
 */
#include "driver/quantize_show.h"

#include "driver/memory.h"
#include "driver/page.h"

#include <math.h>
#include <stdlib.h>

/* --- the record ------------------------------------------------------------------------------- */

/* The height of a bar: of 60 dB if it is whole. */
static double height_of(double snr)
{
    const double whole = 60;

    return fmin(fmax(snr / whole, 0), 1);
}

/* Roots of shares, so that the rare ones are seen, too; bins beyond the range, if there is one, are
 * marked. */
static void add_histogram(struct record *to, const struct nnefc_quantized_layer *layer)
{
    struct record *shares = record_list(to, "histogram"), *bars = record_list(to, ".bars");
    const double width = (layer->greatest - layer->least) / NNEFC_HISTOGRAM_BINS;
    double most = 0;

    for (int i = 0; i < NNEFC_HISTOGRAM_BINS; i++)
        most = fmax(most, layer->histogram[i]);
    for (int i = 0; i < NNEFC_HISTOGRAM_BINS; i++) {
        const double middle = layer->least + (i + 0.5) * width;
        record_real(shares, NULL, layer->histogram[i]);
        struct record *bar = record_object(bars, NULL);
        record_real(bar, "height", most > 0 ? sqrt(layer->histogram[i] / most) : 0);
        record_bool(bar, "beyond",
                    layer->input_bits > 0 &&
                        (middle < fmin(layer->low, 0) || middle > fmax(layer->high, 0)));
    }
}

static void add_layer(struct record *all, const struct nnefc_quantized_layer *layer, bool shown)
{
    struct record *item = record_object(all, NULL);

    record_text(item, "name", layer->name);
    record_text(item, "operation", layer->operation);
    record_integer(item, "place", layer->place);
    record_type(item, &layer->weights);
    record_known(item, "macs", layer->macs);
    record_real(item, "share", layer->share);
    record_bool(item, "quantized", layer->quantized);
    record_integer(item, "bits", layer->bits);
    if (layer->block > 0)
        record_integer(item, "block", layer->block);
    if (layer->low < layer->high) {
        record_real(item, "low", layer->low);
        record_real(item, "high", layer->high);
        record_real(item, "cut", layer->cut);
    }
    record_real(item, "weightsSnr", layer->weights_snr);
    if (layer->input_bits > 0)
        record_integer(item, "inputBits", layer->input_bits);
    if (!isnan(layer->alone))
        record_real(item, "alone", layer->alone);
    if (!isnan(layer->here))
        record_real(item, "here", layer->here);
    if (layer->histogram) {
        record_real(item, "least", layer->least);
        record_real(item, "greatest", layer->greatest);
        add_histogram(item, layer);
    }
    record_bool(item, ".shown", shown);
    if (!layer->quantized)
        record_text(item, ".bits", "float");
    else if (layer->input_bits > layer->bits)
        record_text(item, ".bits", "16 x 8");
    else
        record_integer(item, ".bits", layer->bits);
    record_bool(item, ".wide", layer->quantized && layer->input_bits > layer->bits);
    record_real(item, ".height", isnan(layer->alone) ? 0 : height_of(layer->alone));
    record_real(item, ".here", isnan(layer->here) ? 0 : height_of(layer->here));
}

/* The layers from the inputs to the results. */
static void add_network(struct record *to, const struct nnefc_quantized *found)
{
    struct record *all = record_list(to, ".network");
    const int count = found->layers->count;
    const struct nnefc_quantized_layer **at = zeroed_items((size_t)count, sizeof *at);

    for (int i = 0; i < count; i++)
        at[found->layers->at[i]->place] = found->layers->at[i];
    for (int i = 0; i < count; i++)
        add_layer(all, at[i], true);
    free(at);
}

static void add_way(struct record *to, const struct nnefc_quantize_way *way)
{
    if (way->range)
        record_text(to, "range", way->range);
    record_bool(to, "correctBias", way->correct_bias);
    record_bool(to, "equalize", way->equalize);
    record_text(to, "rounding", way->adapt ? "adapt" : "nearest");
    record_bool(to, ".adapt", way->adapt);
    record_real(to, "snr", way->snr);
}

static void add_ways(struct record *to, const struct nnefc_quantized *found)
{
    struct record *all = record_list(to, "ways");

    for (int i = 0; i < found->ways->count; i++)
        add_way(record_object(all, NULL), found->ways->at[i]);
}

static void add_outputs(struct record *to, const struct nnefc_quantized *found)
{
    struct record *all = record_list(to, "outputs");

    for (int i = 0; i < found->outputs->count; i++) {
        const struct nnefc_quantized_output *output = found->outputs->at[i];
        struct record *item = record_object(all, NULL);
        record_text(item, "name", output->name);
        record_real(item, "snr", output->snr);
        record_real(item, "cosine", output->cosine);
        record_real(item, "difference", output->difference);
        record_real(item, "largest", output->largest);
        if (output->agreement >= 0)
            record_real(item, "sameGreatest", output->agreement);
    }
}

/* Were there ranges to find? */
static bool has_ranges(const struct nnefc_quantized *found)
{
    return found->ways->count > 0 && found->best.range;
}

/* What layers are that are quantized. */
static void add_form(struct record *to, const struct nnefc_quantized *found)
{
    bool has[9] = {false};
    int wide = 0;

    for (int i = 0; i < found->layers->count; i++) {
        const struct nnefc_quantized_layer *layer = found->layers->at[i];
        wide += layer->input_bits > 8;
        has[layer->bits < 8 ? layer->bits : 8] |= layer->quantized;
    }
    record_text(to, ".form",
                has_ranges(found)  ? "in 8 bits"
                : has[4] && has[8] ? "with weights of 4 or 8 bits"
                : has[4]           ? "with weights of 4 bits"
                                   : "with weights of 8 bits");
    if (wide > 0)
        record_integer(to, ".wide", wide);
}

struct record *quantized_record(const struct nnefc_quantized *found,
                                const struct quantized_shown *shown)
{
    struct record *record = record_new_object(), *layers = record_list(record, "layers");
    int quantized = 0;

    for (int i = 0; i < found->layers->count; i++) {
        quantized += found->layers->at[i]->quantized;
        add_layer(layers, found->layers->at[i], shown->top == 0 || i < shown->top);
    }
    add_network(record, found);
    add_outputs(record, found);
    record_text(record, ".model", shown->model);
    record_bool(record, ".ranged", has_ranges(found));
    record_bool(record, ".measured", found->ways->count > 0);
    add_form(record, found);
    if (found->ways->count > 0)
        record_real(record, "snr", found->snr);
    record_bool(record, "reached", found->reached);
    record_bool(record, ".any", quantized > 0);
    record_integer(record, "quantized", quantized);
    record_real(record, "share", found->share);
    record_integer(record, "bytesBefore", found->before);
    record_integer(record, "bytesAfter", found->after);
    record_integer(record, "samples", shown->samples);
    record_integer(record, "checks", shown->checks);
    record_bool(record, ".others", shown->checks > 0);
    add_ways(record, found);
    if (found->ways->count == 0)
        return record;
    add_way(record_object(record, "best"), &found->best);
    return record;
}

/* --- layouts ---------------------------------------------------------------------------------- */

/* The range tells that there is one; else weights are all there is. */
#define WAY_LAYOUT                                                                         \
    "{range?{range}{correctBias?, biases corrected}{.adapt?, weights adapted}{equalize?, " \
    "equalized}}"                                                                          \
    "{range!{rounding}}"

static const char text_layout[] =
    "{@layer\tkind\tshape\t  MACs\tbits\t{.ranged?range\t  cut\t}weights"
    "{.measured?\t  alone\t   here}\n"
    "{layers*{.shown?{name}\t{operation}\t{shape:shape}\t{share:5.1%}\t{.bits}\t"
    "{.ranged?{low?{low:.4g}..{high:.4g}}\t{cut?{cut:6.3%}}\t}{quantized?{weightsSnr:5.1f} dB}"
    "{.measured?\t{alone?{alone:5.1f} dB}\t{here:5.1f} dB}\n}}}"
    "{outputs*output '{name}': {snr:.1f} dB, cosine {cosine:.5f}, largest difference "
    "{difference:.4g} of {largest:.4g}{sameGreatest?; same greatest item {sameGreatest:.1%}}\n}"
    "{quantized} of {layers:#} layers {.form}{.wide?, {.wide} with inputs of 16}: {share:.1%} of "
    "MACs; weights {bytesBefore:bytes} "
    "-> {bytesAfter:bytes}\n"
    "{.measured?tried {ways:#} ways, best: {best*" WAY_LAYOUT "}\n}"
    "{reached!the SNR asked for was not reached{.any!, but by floats alone}\n}";

/* Of a layer that is not in 8 bits. */
#define BAR_CLASS "{quantized! class=\"off\"}{.wide? class=\"wide\"}"

static const char page_layout[] =
    "<title>{.model:html} {.form}</title>\n"
    "<h1>{.model:html} {.form}</h1>\n"
    "<p>{.measured?<b>{snr:.1f} dB</b>; }{quantized} of {layers:#} layers, {share:.1%} of the "
    "multiply-adds, are quantized; weights: {bytesBefore:bytes} before, {bytesAfter:bytes} now.\n"
    "{.wide?{.wide} layers have inputs of 16 bits. }"
    "{.ranged?The ranges are from {samples} samples; the results were measured with "
    "{.others?{checks} others}{.others!the same}.}</p>\n"
    "{reached!<p><b>The SNR asked for was not reached{.any!, but by floats "
    "alone}.</b></p>\n}"
    "{.measured?<h2>Results</h2>\n"
    "<div class=\"wide\"><table>\n"
    "<tr><th>result<th class=\"n\">SNR<th class=\"n\">cosine<th class=\"n\">largest difference"
    "<th class=\"n\">largest item<th class=\"n\">same greatest item\n"
    "{outputs*<tr><td>{name:html}<td class=\"n\">{snr:.1f} dB<td class=\"n\">{cosine:.5f}"
    "<td class=\"n\">{difference:.4g}<td class=\"n\">{largest:.4g}"
    "<td class=\"n\">{sameGreatest?{sameGreatest:.1%}}\n}"
    "</table></div>\n"
    "<h2>Along the network</h2>\n"
    "<p>Layers from left to right; lines are at 20, 40 and 60 dB. Orange layers are "
    "floats{.wide?, "
    "green ones have inputs of 16 bits}.</p>\n"
    "<p>The SNR of the result of each layer, in the quantized network:</p>\n"
    "<div class=\"bars network\">\n"
    "{.network*<i" BAR_CLASS " title=\"{name:html}: {here:.1f} dB\" "
    "style=\"height:{.here:.1%}\"></i>\n}"
    "</div>\n"
    "<p>The SNR of the network's results if only this layer is quantized:</p>\n"
    "<div class=\"bars network\">\n"
    "{.network*<i" BAR_CLASS " title=\"{name:html}{alone?: {alone:.1f} dB}\" "
    "style=\"height:{.height:.1%}\"></i>\n}"
    "</div>\n}"
    "<h2>Layers, the worst first</h2>\n"
    "{.ranged?<p>The histogram is of the layer's input. The height of a bar is the square root of "
    "its share; orange bars are beyond the range.</p>\n}"
    "<div class=\"wide\"><table>\n"
    "<tr><th>layer<th>kind<th>weights<th class=\"n\">MACs<th>bits<th>range<th class=\"n\">cut"
    "<th class=\"n\">weights<th class=\"n\">alone<th class=\"n\">here<th>input\n"
    "{layers*<tr><td>{name:html}<td>{operation:html}<td>{shape:shape}<td class=\"n\">{share:.1%}"
    "<td>{.bits}<td>{low?{low:.4g} to {high:.4g}}<td class=\"n\">{cut?{cut:.3%}}"
    "<td class=\"n\">{quantized?{weightsSnr:.1f} dB}<td class=\"n\">{alone?{alone:.1f} dB}"
    "<td class=\"n\">{here?{here:.1f} dB}"
    "<td>{histogram?<div class=\"bars histogram\" title=\"{least:.4g} to {greatest:.4g}\">"
    "{.bars*<i{beyond? class=\"off\"} style=\"height:{height:.1%}\"></i>}</div>}\n}"
    "</table></div>\n"
    "{.measured?<h2>Ways that were tried</h2>\n"
    "<div class=\"wide\"><table>\n"
    "<tr><th>range<th>biases<th>rounding<th>channels<th class=\"n\">SNR\n"
    "{ways*<tr><td>{range?{range:html}}<td>{correctBias?corrected}<td>{rounding}<td>{equalize?"
    "equalized}"
    "<td class=\"n\">{snr:.1f} dB\n}"
    "</table></div>\n"
    "<p>Best: {best*" WAY_LAYOUT "}.</p>\n}";

void quantized_print(struct record *record, FILE *to)
{
    record_print_text(record, text_layout, to);
}

void quantized_write(struct record *record, bool as_page, FILE *to)
{
    if (as_page) {
        fputs(page_style, to);
        record_print_text(record, page_layout, to);
        return;
    }
    record_print_json(record, JSON_LINES, to);
}
