/* Thinning of contact polygons: which corner to drop next. */
#ifndef ICF_GEOMETRY_THIN_H
#define ICF_GEOMETRY_THIN_H

/* The corner of least bulge.  Of equally flat ones (to 1/1000) the one farthest round the polygon from those that have
 * been dropped, so that what is left of a regular polygon stays balanced about its middle; then the first.
 *   n, bulge [in]     corners that are left, and how much each sticks out; infinite: not to be dropped
 *   place    [in,out] (n) where each stood at first; the one that is dropped is taken out
 *   nplace   [in]     corners at first
 *   dropped  [in,out] (*ndropped) places of those dropped so far; the new one is added */
static inline int icf_flattest_corner(int n, const double *bulge, int *place, int nplace, int *dropped, int *ndropped)
{
    double smallest = bulge[0];
    for (int k = 1; k < n; ++k) smallest = bulge[k] < smallest ? bulge[k] : smallest;
    int best = -1, farthest = -1;
    for (int k = 0; k < n; ++k) {
        if (bulge[k] > smallest * (1.0 + 1e-3)) continue;
        int nearest = nplace;
        for (int d = 0; d < *ndropped; ++d) {
            const int apart = place[k] > dropped[d] ? place[k] - dropped[d] : dropped[d] - place[k];
            const int round = apart < nplace - apart ? apart : nplace - apart;
            nearest = round < nearest ? round : nearest;
        }
        if (nearest <= farthest) continue;
        farthest = nearest;
        best = k;
    }
    dropped[(*ndropped)++] = place[best];
    for (int k = best; k + 1 < n; ++k) place[k] = place[k + 1];
    return best;
}

#endif
