/* --- functions of an item --------------------------------------------------------------------- */

NN_USUAL float nn_lesser(float a, float b)
{
    return b < a || b != b ? b : a;
}
NN_USUAL float nn_greater(float a, float b)
{
    return b > a || b != b ? b : a;
}
NN_USUAL float nn_round(float x)
{
    float below = floorf(x);

    return below + (x - below >= 0.5F ? 1.0F : 0.0F);
}
NN_USUAL float nn_logistic(float x)
{
    float e = expf(-fabsf(x));

    return (x < 0 ? e : 1) / (1 + e);
}
