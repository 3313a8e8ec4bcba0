/* --- numbers rounded to steps
 * --------------------------------------------------------------------- */

NN_USUAL double nn_step_of(double x)
{
    double below = floor(x);

    return below + (x - below >= 0.5 ? 1.0 : 0.0);
}
NN_USUAL double nn_between(double x, double low, double high)
{
    x = high < x || high != high ? high : x;
    return low > x || low != low ? low : x;
}
NN_USUAL float nn_linear_step(double x, double min, double max, double steps)
{
    double range = max - min, q = nn_step_of((nn_between(x, min, max) - min) / range * steps);

    return (float)(q / steps * range + min);
}
NN_USUAL float nn_power_step(double x, double max, double steps)
{
    double high = ceil(log2(max));
    double power = exp2(nn_step_of(nn_between(log2(fabs(x)), high - steps, high)));

    return (float)(((x > 0) - (x < 0)) * power);
}
