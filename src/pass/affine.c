/* affine.c - multiplying each channel by a constant, and adding another (section 4.9.4) */
#include "pass/affine.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

/* --- numbers of channels ------------------------------------------------------------------ */

bool value_is_per_channel(const struct value *value, int64_t channels)
{
    const struct shape *shape = value->shape;

    for (int i = 0; i < shape->rank; i++)
        if (shape->extent[i] != 1 && (i != CHANNEL || shape->extent[i] != channels))
            return false;
    return true;
}

double value_channel_item(const struct value *value, int64_t channel)
{
    assert(channel >= 0);
    return value_item(value, shape_volume(value->shape) == 1 ? 0 : channel);
}

double affine_of(const struct affine *affine, int64_t channel, double x)
{
    return affine->factor[channel] * (x - affine->center[channel]) + affine->term[channel];
}

const char *affine_begin(struct pass *pass, const struct value *x, struct affine *affine)
{
    int64_t channels = shape_extent(x->shape, CHANNEL);

    if (channels < 1)
        return "the number of channels is not known";
    *affine = (struct affine){.channels = channels,
                              .factor = pass_scratch(pass, channels, sizeof(double)),
                              .center = pass_scratch(pass, channels, sizeof(double)),
                              .term = pass_scratch(pass, channels, sizeof(double))};
    for (int64_t c = 0; c < channels; c++)
        affine->factor[c] = 1;
    return NULL;
}

bool affine_scales(const struct affine *affine)
{
    for (int64_t c = 0; c < affine->channels; c++)
        if (affine->factor[c] < 1 || !(affine->factor[c] <= 1))
            return true;
    return false;
}

bool numbers_in_range(const double *numbers, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!isfinite((double)(float)numbers[i]))
            return false;
    return true;
}

struct value *affine_constant(struct pass *pass, const double *numbers, int64_t channels,
                              const struct value *like)
{
    struct shape shape = {.rank = 0, .extent = {1, channels}};
    struct tensor tensor;

    assert(channels > 0);
    for (int64_t c = 1; c < channels; c++)
        if (numbers[c] < numbers[0] || numbers[c] > numbers[0])
            shape.rank = 2;
    struct shared_key key = pass_key(pass, "numbers");
    shared_key_number(&key, shape.rank);
    shared_key_number(&key, like && like->kind == VALUE_VARIABLE);
    shared_key_add(&key, numbers, (size_t)shape_volume(&shape) * sizeof *numbers);
    struct value *value = pass_found(pass, &key, &shape, like);
    if (!value && pass_tensor(pass, &tensor, DTYPE_SCALAR, &shape)) {
        for (int64_t c = 0; c < shape_volume(&shape); c++)
            ((float *)tensor.data)[c] = (float)(numbers[c] + 0.0); /* no -0 */
        value = pass_fixed(pass, &key, &tensor, like);
    }
    shared_key_free(&key);
    return value;
}

/* --- batch normalization ------------------------------------------------------------------ */

const char *affine_of_norm(struct pass *pass, const struct node *norm, struct affine *affine)
{
    static const char *const names[] = {NULL, "mean", "variance", "offset", "scale"};
    const char *why = affine_begin(pass, norm->in[NORM_INPUT].value, affine);
    double epsilon = attr_epsilon(norm);

    assert(is_op(norm, OP_batch_normalization) && norm->nin > NORM_SCALE);
    for (int i = NORM_MEAN; i <= NORM_SCALE && !why; i++) {
        const struct value *value = norm->in[i].value;
        if (!value_items(value))
            why = pass_because(pass, "the %s is no constant", names[i]);
        else if (!value_is_per_channel(value, affine->channels))
            why = pass_because(
                pass, "the %s differs along other dimensions than that of the channels", names[i]);
    }
    for (int64_t c = 0; !why && c < affine->channels; c++) {
        double variance = value_channel_item(norm->in[NORM_VARIANCE].value, c) + epsilon;
        if (!(variance > 0))
            return pass_because(pass, "variance plus epsilon is %g in channel %" PRId64, variance,
                                c);
        affine->factor[c] = value_channel_item(norm->in[NORM_SCALE].value, c) / sqrt(variance);
        affine->center[c] = value_channel_item(norm->in[NORM_MEAN].value, c);
        affine->term[c] = value_channel_item(norm->in[NORM_OFFSET].value, c);
    }
    affine->like = norm->in[NORM_OFFSET].value;
    return why;
}

const char *affine_instead(struct pass *pass, const struct node *norm, struct affine *affine)
{
    const char *why = affine_of_norm(pass, norm, affine);

    if (why)
        return why;
    for (int64_t c = 0; c < affine->channels; c++) {
        affine->term[c] = affine_of(affine, c, 0);
        affine->center[c] = 0;
    }
    if (value_is_pinned(pass, &norm->out[0]))
        return "something is said of its result elsewhere";
    if (!numbers_in_range(affine->factor, affine->channels) ||
        !numbers_in_range(affine->term, affine->channels))
        return "its numbers would be out of range";
    return NULL;
}
