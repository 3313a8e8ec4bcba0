/* wasm.c - what a page calls: it fills in the image, and reads the digit */
#include "digits.h"

#define EXPORT(name) __attribute__((export_name(#name)))

static float pixels[DIGITS_IMAGE_ITEMS], scores[DIGITS_PROBABILITIES_ITEMS];

EXPORT(image) float *image(void);
EXPORT(probabilities) float *probabilities(void);
EXPORT(check) int check(void);
EXPORT(read) int read_digit(void);

float *image(void)
{
    return pixels;
}

float *probabilities(void)
{
    return scores;
}

int check(void)
{
    return digits_check(pixels, scores);
}

int read_digit(void)
{
    int digit = 0;

    digits_run(pixels, scores);
    for (int i = 1; i < DIGITS_PROBABILITIES_ITEMS; i++)
        if (scores[i] > scores[digit])
            digit = i;
    return digit;
}
