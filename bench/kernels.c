/*
 * kernels.c - throughput of the fast kernels on layers of ResNet-50, VGG-16 and MobileNet-v2
 *
 * kernels [VARIANT [THREADS]]: the best of many repetitions in ms, in GFLOP/s of the plain
 * convolution and as a share of what one thread's registers allow; then how long packing took,
 * once.
 */
#include "kernel/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct layer {
    int64_t in, out, groups, size, kernel, stride; /* size: of the output */
};

static const struct layer layers[] = {
    {3, 64, 1, 112, 7, 2},     {64, 64, 1, 56, 1, 1},     {64, 256, 1, 56, 1, 1},
    {256, 64, 1, 56, 1, 1},    {64, 64, 1, 56, 3, 1},     {256, 512, 1, 28, 1, 2},
    {128, 128, 1, 28, 3, 1},   {128, 128, 1, 28, 3, 2},   {512, 128, 1, 28, 1, 1},
    {128, 512, 1, 28, 1, 1},   {256, 256, 1, 14, 3, 1},   {1024, 256, 1, 14, 1, 1},
    {256, 1024, 1, 14, 1, 1},  {512, 512, 1, 7, 3, 1},    {512, 2048, 1, 7, 1, 1},
    {2048, 512, 1, 7, 1, 1},   {2048, 1000, 1, 1, 1, 1},  {3, 64, 1, 224, 3, 1},
    {64, 64, 1, 224, 3, 1},    {128, 128, 1, 112, 3, 1},  {256, 256, 1, 56, 3, 1},
    {512, 512, 1, 28, 3, 1},   {512, 512, 1, 14, 3, 1},   {32, 32, 32, 112, 3, 1},
    {96, 96, 96, 56, 3, 2},    {144, 144, 144, 56, 3, 1}, {192, 192, 192, 28, 3, 1},
    {384, 384, 384, 14, 3, 1}, {960, 960, 960, 7, 3, 1},  {96, 96, 96, 28, 5, 1},
    {16, 96, 1, 112, 1, 1},    {96, 24, 1, 56, 1, 1},     {384, 64, 1, 14, 1, 1},
};

struct problem {
    struct conv conv;
    struct conv_operands operands;
    float *src, *filter, *dst;
};

static void *allocate(size_t size)
{
    size_t whole = (size / KERNEL_ALIGNMENT + 1) * KERNEL_ALIGNMENT;
    void *memory = aligned_alloc(KERNEL_ALIGNMENT, whole);

    if (!memory)
        exit(EXIT_FAILURE);
    memset(memory, 0, whole);
    return memory;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double peak_rate(const struct kernels *kernels)
{
    double best = 0;

    for (int i = 0; i < 20; i++) {
        float result = 1;
        double begin = seconds();
        double rate = (double)kernels->peak(1 << 16, &result) / (seconds() - begin);
        best = rate > best ? rate : best;
    }
    return best;
}

static struct problem problem_of(const struct layer *layer)
{
    int64_t in = layer->stride * layer->size, padding = (layer->kernel - 1) / 2;
    struct problem p = {
        .conv =
            {
                .batch = 1,
                .groups = layer->groups,
                .in_channels = layer->in,
                .out_channels = layer->out,
                .in = {in, in},
                .out = {layer->size, layer->size},
                .kernel = {layer->kernel, layer->kernel},
                .stride = {layer->stride, layer->stride},
                .dilation = {1, 1},
                .before = {padding, padding},
                .epilogue = {.activation = ACTIVATION_RELU},
            },
    };
    struct conv *conv = &p.conv;

    conv->src = steps_dense(layer->in, conv->in);
    conv->dst = steps_dense(layer->out, conv->out);
    p.src = allocate((size_t)conv->src.image * sizeof(float));
    p.dst = allocate((size_t)conv->dst.image * sizeof(float));
    p.filter =
        allocate((size_t)(layer->out * layer->in / layer->groups * layer->kernel * layer->kernel) *
                 sizeof(float));
    return p;
}

static double flops(const struct layer *layer)
{
    int64_t products = layer->in / layer->groups * layer->out * layer->kernel * layer->kernel;

    return 2.0 * (double)products * (double)(layer->size * layer->size);
}

/* The least time of a run, of those that fit into a quarter of a second. */
static double measure(struct problem *p, const struct conv_kernel *kernel, struct team *team,
                      double *packing)
{
    struct filter filter = filter_dense(&p->conv, p->filter);
    float *packed = allocate(kernel->packed_size(&p->conv));
    void *scratch = allocate(kernel->scratch_size(&p->conv, team_size(team)));
    struct conv_operands operands = {
        .src = p->src, .packed = packed, .dst = p->dst, .scratch = scratch};
    double best = 1e9, end = seconds() + 0.25;

    double before = seconds();
    kernel->pack(&p->conv, &filter, packed, team);
    *packing = seconds() - before;
    for (int i = 0; i < 3 || seconds() < end; i++) {
        double begin = seconds();
        kernel->run(&p->conv, &operands, team);
        double time = seconds() - begin;
        best = time < best ? time : best;
    }
    free(packed);
    free(scratch);
    return best;
}

static void report(const struct layer *layer, const struct conv_kernel *kernel, const char *name,
                   double peak, struct team *team)
{
    struct problem p = problem_of(layer);

    if (kernel && kernel->fits(&p.conv)) {
        double packing, time = measure(&p, kernel, team, &packing), rate = flops(layer) / time;
        printf("%4d %4d /%-3d %3d k%d s%d %-9s %8.3f ms %7.1f GFLOP/s %4.0f %% %8.3f ms\n",
               (int)layer->in, (int)layer->out, (int)layer->groups, (int)layer->size,
               (int)layer->kernel, (int)layer->stride, name, time * 1e3, rate / 1e9,
               rate / peak * 100, packing * 1e3);
    }
    free(p.src);
    free(p.dst);
    free(p.filter);
}

static void report_all(const struct kernels *kernels, struct team *team)
{
    double peak = peak_rate(kernels);

    printf("%s: %.1f GFLOP/s in registers\n", kernels->name, peak / 1e9);
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        report(&layers[i], kernels->direct, "direct", peak, team);
        report(&layers[i], kernels->depthwise, "depthwise", peak, team);
        report(&layers[i], kernels->winograd_2, "winograd2", peak, team);
        report(&layers[i], kernels->winograd_4, "winograd4", peak, team);
    }
}

int main(int argc, char **argv)
{
    struct team *team = team_new(argc > 2 ? atoi(argv[2]) : 1); /* NOLINT(cert-err34-c) */
    const struct kernels *kernels;

    for (int i = 0; (kernels = kernels_variant(i)); i++)
        if (argc < 2 || strcmp(argv[1], kernels->name) == 0)
            report_all(kernels, team);
    team_free(team);
    return EXIT_SUCCESS;
}
