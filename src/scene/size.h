/* Sizes of the bodies of a population: factors on the lengths of a template, drawn from a distribution.
 *
 * A factor is drawn by inversion: one uniform number gives one factor, by a function that grows with it, so that any
 * body's size follows from its random number alone.  Plain data without pointers.  Thread-safe.
 */
#ifndef ICF_SCENE_SIZE_H
#define ICF_SCENE_SIZE_H

#include "base/types.h"

typedef enum icf_size_kind {
    ICF_SIZE_ONE,        /* every body as its template is */
    ICF_SIZE_UNIFORM,    /* between min and max */
    ICF_SIZE_NORMAL,     /* Gaussian, cut off at min and max */
    ICF_SIZE_LOG_NORMAL, /* the logarithm is Gaussian; cut off at min and max */
    ICF_SIZE_LIST        /* one of a few values, by weight */
} icf_size_kind;

/* As scenes name them, NULL behind the last; ICF_SIZE_ONE has none. */
extern const char *const icf_size_names[];

enum { ICF_SIZE_VALUES_MAX = 16 };

typedef struct icf_size {
    icf_size_kind kind;
    double min, max;  /* bounds of the factor, 0 < min <= max; of a list the smallest and the largest value */
    double center;    /* normal: mean, log-normal: median, before the cut */
    double deviation; /* standard deviation before the cut, of the factor or of its logarithm */
    int n;            /* list: values */
    double value[ICF_SIZE_VALUES_MAX];
    double weight[ICF_SIZE_VALUES_MAX]; /* list: how often a value is drawn, relative to the others */
    double total;                       /* list: sum of the weights */
} icf_size;

/* The factor of a number u, uniform in (0, 1). */
double icf_size_draw(const icf_size *size, double u);

/* Mean of the factor's power, by the midpoint rule over 4096 equally likely parts; exact for lists. */
double icf_size_mean_power(const icf_size *size, int power);

#endif
