/* Size distributions by inversion.
 *
 * The Gaussian quantile begins with the rational approximation of Abramowitz and Stegun, Handbook of Mathematical
 * Functions (1964), 26.2.23, error below 4.5e-4, which three steps of Halley's method on erfc make exact to round-off.
 */
#include "scene/size.h"

#include <math.h>

const char *const icf_size_names[] = {[ICF_SIZE_ONE] = "",          [ICF_SIZE_UNIFORM] = "uniform",
                                      [ICF_SIZE_NORMAL] = "normal", [ICF_SIZE_LOG_NORMAL] = "log_normal",
                                      [ICF_SIZE_LIST] = "list",     NULL};

static const double root_half = 0.70710678118654752440, root_two_pi = 2.50662827463100050242;

/* Probability of a standard Gaussian above x. */
static double above(double x)
{
    return 0.5 * erfc(x * root_half);
}

/* The x >= 0 above which a standard Gaussian has probability p, 0 < p <= 1/2. */
static double upper_quantile(double p)
{
    const double t = sqrt(-2.0 * log(p));
    double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int step = 0; step < 3; ++step) {
        const double e = (above(x) - p) * root_two_pi * exp(0.5 * x * x);
        x += e / (1.0 - 0.5 * x * e);
    }
    return x;
}

/* The x in [a, b] below which a standard Gaussian cut off at a and b has probability u.  Cuts on one side are taken in
 * the tail that they have, where probabilities keep their digits. */
static double cut_quantile(double a, double b, double u)
{
    if (a + b < 0.0) return -cut_quantile(-b, -a, 1.0 - u);
    const double p = above(a) + u * (above(b) - above(a));
    const double x = p <= 0.5 ? upper_quantile(p) : -upper_quantile(1.0 - p);
    return fmin(fmax(x, a), b);
}

static double draw_from_list(const icf_size *size, double u)
{
    double sum = size->weight[0];
    int i = 0;
    while (i < size->n - 1 && u * size->total >= sum) sum += size->weight[++i];
    return size->value[i];
}

double icf_size_draw(const icf_size *size, double u)
{
    const double s = size->deviation, c = size->center;
    switch (size->kind) {
    case ICF_SIZE_UNIFORM: return size->min + u * (size->max - size->min);
    case ICF_SIZE_NORMAL: return c + s * cut_quantile((size->min - c) / s, (size->max - c) / s, u);
    case ICF_SIZE_LOG_NORMAL: {
        const double x = c * exp(s * cut_quantile(log(size->min / c) / s, log(size->max / c) / s, u));
        return fmin(fmax(x, size->min), size->max);
    }
    case ICF_SIZE_LIST: return draw_from_list(size, u);
    case ICF_SIZE_ONE: break;
    }
    return 1.0;
}

double icf_size_mean_power(const icf_size *size, int power)
{
    enum { PARTS = 4096 };
    double sum = 0.0;
    if (size->kind == ICF_SIZE_ONE) return 1.0;
    if (size->kind == ICF_SIZE_LIST) {
        for (int i = 0; i < size->n; ++i) sum += size->weight[i] * pow(size->value[i], power);
        return sum / size->total;
    }
    for (int i = 0; i < PARTS; ++i) sum += pow(icf_size_draw(size, (i + 0.5) / PARTS), power);
    return sum / PARTS;
}
