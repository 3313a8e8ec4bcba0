/* main.c - checks the network, reads the images, and tells what a run takes where that is known */
#include "digits.h"
#include "images.h"
#include "system.h"

static float image[DIGITS_IMAGE_ITEMS], probabilities[DIGITS_PROBABILITIES_ITEMS];

static void say_number(uint32_t number)
{
    char text[11] = {0}, *digit = text + 10;

    do
        *--digit = (char)('0' + number % 10);
    while (number /= 10);
    say(digit);
}

static int best(void)
{
    int digit = 0;

    for (int i = 1; i < DIGITS_PROBABILITIES_ITEMS; i++)
        if (probabilities[i] > probabilities[digit])
            digit = i;
    return digit;
}

int main(void)
{
    int apart = digits_check(image, probabilities);
    uint32_t right = 0, count = sizeof images / sizeof images[0], instructions = 0;

    say(apart == 0 ? "check: right\n" : "check: WRONG\n");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t begin = instructions_so_far();
        digits_run(images[i].image, probabilities);
        instructions = instructions_so_far() - begin;
        right += best() == images[i].shown;
    }
    say_number(right);
    say(" of ");
    say_number(count);
    say(" digits right\n");
    if (instructions > 0) {
        say_number(instructions);
        say(" instructions a run\n");
    }
    return apart != 0 || right != count;
}
