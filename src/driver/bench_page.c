/* bench_page.c - what nnefc bench measured, as a page */
#include "driver/bench_page.h"

#include "driver/page.h"

static const char page_layout[] =
    "<title>{model:html}: where the time goes</title>\n"
    "<h1>{model:html}: where the time goes</h1>\n"
    "<p><b>{medianMs:.4g} ms</b> is the median of {runs} runs, {minMs:.4g} ms the shortest, {p99Ms:.4g} ms "
    "the 99th percentile; {threads} threads, backend {backend}.\n"
    "{loadMs:.4g} ms to load, {planMs:.4g} ms to plan, {firstMs:.4g} ms for the first run; "
    "peak memory {peakRssBytes:bytes}.</p>\n"
    "{integers?<p>{integers*{layers} of {of} layers, {share:.1%} of MACs, are computed with integers.}</p>\n}"
    "<h2>Runs</h2>\n"
    "<p>How many took how long, from {minMs:.4g} to {p99Ms:.4g} ms; the longest hundredth is left out.</p>\n"
    "<div class=\"bars network\">\n"
    "{.histogram*<i title=\"{count} from {from:.4g} ms\" style=\"height:{height:.1%}\"></i>\n}"
    "</div>\n"
    "{cuts?<h2>Parts</h2>\n<p>The model runs in parts, which end before</p>\n"
    "<ul>\n{cuts*<li>{place:html}: {why:html}\n}</ul>\n}"
    "{steps?<h2>Along the network</h2>\n"
    "<p>Steps from left to right. The time of the fastest run of each, by that of the longest:</p>\n"
    "<div class=\"bars network\">\n"
    "{steps*<i title=\"{name?{name:html}}: {operations?{operations:html}}, {minMs:.4g} ms, {share:.1%}\" "
    "style=\"height:{.time:.1%}\"></i>\n}"
    "</div>\n"
    "<p>Speed of sums of products by the peak of {peakGflops:.1f} GFLOP/s, which as many threads reach in "
    "registers ({kernels}); lines are at thirds. Orange ones take fewer operations than the direct form, which "
    "is counted:</p>\n"
    "<div class=\"bars network\">\n"
    "{steps*<i{fewerOperations? class=\"off\"} title=\"{name?{name:html}}{gflops?: {gflops:.1f} GFLOP/s, "
    "{ofPeak:.1%}}\" style=\"height:{.speed:.1%}\"></i>\n}"
    "</div>\n"
    "<h2>Kinds of steps, the longest first</h2>\n"
    "<div class=\"wide\"><table>\n"
    "<tr><th>kind<th class=\"n\">steps<th class=\"n\">ms<th class=\"n\">share<th class=\"n\">GFLOP/s"
    "<th class=\"n\">of peak\n"
    "{kinds*<tr><td>{kind:html}<td class=\"n\">{steps}<td class=\"n\">{minMs:.4f}<td class=\"n\">{share:.1%}"
    "<td class=\"n\">{gflops?{gflops:.1f}}<td class=\"n\">{ofPeak?{ofPeak:.1%}}\n}"
    "</table></div>\n"
    "<h2>Steps in their order</h2>\n"
    "<div class=\"wide\"><table>\n"
    "<tr><th>step<th>operations<th>backend<th>kernel<th>layout<th class=\"n\">ms<th class=\"n\">share"
    "<th class=\"n\">GFLOP/s<th class=\"n\">of peak\n"
    "{steps*<tr><td>{name?{name:html}}<td>{operations?{operations:html}}<td>{backend:html}<td>{kernel:html}"
    "<td>{layout:html}<td class=\"n\">{minMs:.4f}<td class=\"n\">{share:.1%}"
    "<td class=\"n\">{gflops?{gflops:.1f}}<td class=\"n\">{ofPeak?{ofPeak:.1%}}\n}"
    "</table></div>\n}";

void bench_page(struct record *record, FILE *to)
{
    fputs(page_style, to);
    record_print_text(record, page_layout, to);
}
