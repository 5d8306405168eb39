/* SPDX-License-Identifier: MIT
 * Points -> positions of names, greedily: points in order, candidate positions from near to far. */
#include "draw/figure/scatter_place.h"

enum { DIRECTIONS = 16, RINGS = 6 };

/* Of the circle, the sides first: right, left, above, below, then what is between. */
static const double direction[DIRECTIONS][2] = {
    { 1, 0 }, { -1, 0 }, { 0, -1 }, { 0, 1 }, { 0.7071, -0.7071 }, { -0.7071, 0.7071 },
    { -0.7071, -0.7071 }, { 0.7071, 0.7071 }, { 0.9239, -0.3827 }, { 0.9239, 0.3827 },
    { -0.9239, -0.3827 }, { -0.9239, 0.3827 }, { 0.3827, -0.9239 }, { -0.3827, -0.9239 },
    { 0.3827, 0.9239 }, { -0.3827, 0.9239 },
};

static bool overlaps(struct box a, struct box b)
{
    return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

static bool within(struct box a, struct box frame)
{
    return a.x >= frame.x && a.y >= frame.y && a.x + a.w <= frame.x + frame.w &&
           a.y + a.h <= frame.y + frame.h;
}

static struct box point_box(const struct scatter_spot *spot)
{
    return (struct box){ spot->x - spot->r, spot->y - spot->r, 2.0 * spot->r, 2.0 * spot->r };
}

/* Beside the point in this direction, so far from it. */
static struct box candidate(const struct scatter_spot *spot, const double towards[2], double away)
{
    double cx = spot->x + towards[0] * (spot->r + away + spot->w / 2.0);
    double cy = spot->y + towards[1] * (spot->r + away + spot->h / 2.0);

    return (struct box){ cx - spot->w / 2.0, cy - spot->h / 2.0, spot->w, spot->h };
}

static bool is_free(struct box at, const struct box *label, int n_placed,
                    const struct scatter_spot *spot, int n)
{
    for (int i = 0; i < n; i++)
        if (overlaps(at, point_box(&spot[i])))
            return false;
    for (int i = 0; i < n_placed; i++)
        if (label[i].w > 0.0 && overlaps(at, label[i]))
            return false;
    return true;
}

static struct box scatter_place_label(const struct box *label, int i,
                                      const struct scatter_spot *spot, int n, struct box frame)
{
    for (int ring = 0; ring < RINGS; ring++)
        for (int k = 0; k < DIRECTIONS; k++) {
            struct box at = candidate(&spot[i], direction[k], (0.15 + ring) * spot[i].h);

            if (within(at, frame) && is_free(at, label, i, spot, n))
                return at;
        }
    return (struct box){ 0.0, 0.0, 0.0, 0.0 };
}

void scatter_place(struct box *label, const struct scatter_spot *spot, int n, struct box frame)
{
    for (int i = 0; i < n; i++)
        label[i] = scatter_place_label(label, i, spot, n, frame);
}
