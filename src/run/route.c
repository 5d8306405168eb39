/* SPDX-License-Identifier: MIT
 * A router's scores -> the experts of a row, and their weights. */
#include "run/route.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "nn/softmax.h"
#include "run/row.h"

/* Of differences from the largest score, each in single precision, in double. */
static void route_softmax(float *s, double *room, int E)
{
    float max = s[row_strongest(s, E)];

    for (int x = 0; x < E; x++)
        room[x] = (double)(s[x] - max);
    softmax_double(room, NULL, E);
    for (int x = 0; x < E; x++)
        s[x] = (float)room[x];
}

static void sigmoid(float *s, int E)
{
    for (int x = 0; x < E; x++)
        s[x] = (float)(1 / (1 + elementary_exp(-(double)s[x])));
}

/* Sets the n largest of s (ties: the lower index). */
static void route_largest(bool *chosen, const float *s, int E, int n)
{
    memset(chosen, 0, (size_t)E * sizeof *chosen);
    for (int k = 0; k < n; k++) {
        int best = -1;

        for (int x = 0; x < E; x++)
            if (!chosen[x] && (best < 0 || s[x] > s[best]))
                best = x;
        chosen[best] = true;
    }
}

/* The worth of a group of n scores. */
static float worth(const float *s, int n, enum group_score how)
{
    float first = s[0], second = -HUGE_VALF;

    for (int x = 1; x < n; x++)
        if (s[x] > first) {
            second = first;
            first = s[x];
        } else if (s[x] > second) {
            second = s[x];
        }
    return how == GROUPS_TOP2 ? first + second : first;
}

/* Scores outside the best groups become -infinity, which is never chosen, or 0. */
static void keep_groups(float *s, const struct routing *routing, struct route_room *room)
{
    int size = routing->E / routing->n_groups;

    for (int g = 0; g < routing->n_groups; g++)
        room->worth[g] = worth(s + g * size, size, routing->group_score);
    route_largest(room->chosen, room->worth, routing->n_groups, routing->n_kept);
    for (int x = 0; x < routing->E; x++)
        if (!room->chosen[x / size])
            s[x] = routing->group_score == GROUPS_TOP2 ? -HUGE_VALF : 0;
}

struct route_room route_room(struct arena *a, int E)
{
    return (struct route_room){
        arena_alloc_raw(a, (size_t)E, sizeof(float)),
        arena_alloc_raw(a, (size_t)E, sizeof(float)),
        arena_alloc_raw(a, (size_t)E, sizeof(bool)),
        arena_alloc_raw(a, (size_t)E, sizeof(double)),
    };
}

/* The share of the best of left[E]: among those within jitter of it, relative to the larger of
 * it and their own size. */
static float near_best(const float *left, const float *s, float jitter, struct route_room *room,
                       int E, int best)
{
    float max = left[best];

    for (int x = 0; x < E; x++) {
        float size = fabsf(s[x]) > max ? fabsf(s[x]) : max;

        room->exact[x] = (max - left[x]) / size > jitter ? -HUGE_VAL : (double)(left[x] - max);
    }
    softmax_double(room->exact, NULL, E);
    return (float)room->exact[best];
}

/* The best, then the best of the others; the shares need not sum to 1.
 * Source: Liu et al. 2024, GRIN; transformers modeling_phimoe.py, sparsemixer. */
static void sparsemixer(float *s, const struct routing *routing, struct route_room *room)
{
    float *left = room->choice;
    int first, second;
    float share, other;

    memcpy(left, s, (size_t)routing->E * sizeof *s);
    first = row_strongest(left, routing->E);
    share = near_best(left, s, routing->jitter, room, routing->E, first);
    left[first] = -HUGE_VALF;
    second = row_strongest(left, routing->E);
    other = near_best(left, s, routing->jitter, room, routing->E, second);
    for (int x = 0; x < routing->E; x++)
        s[x] = x == first ? share : x == second ? other : -1;
}

void route_shares(float *s, const struct routing *routing, struct route_room *room)
{
    float sum = 0;

    if (routing->score == SCORE_SPARSEMIXER) {
        sparsemixer(s, routing, room);
        return;
    }
    if (routing->score == SCORE_SIGMOID)
        sigmoid(s, routing->E);
    else if (routing->score == SCORE_SOFTMAX)
        route_softmax(s, room->exact, routing->E);
    if (routing->score == SCORE_SIGMOID_INPUT) {
        route_largest(room->chosen, s, routing->E, routing->n_chosen);
        sigmoid(s, routing->E);
        for (int x = 0; x < routing->E; x++)
            s[x] = room->chosen[x] ? s[x] : -1;
        return;
    }
    for (int x = 0; x < routing->E; x++)
        room->choice[x] = s[x] + (routing->bias != NULL ? routing->bias[x] : 0);
    if (routing->n_groups > 0)
        keep_groups(room->choice, routing, room);
    /* Scores that became 0 count as 0 where they are chosen because no others are left. */
    if (routing->group_score == GROUPS_MAX)
        memcpy(s, room->choice, (size_t)routing->E * sizeof *s);
    route_largest(room->chosen, room->choice, routing->E, routing->n_chosen);
    for (int x = 0; x < routing->E; x++)
        sum += room->chosen[x] ? s[x] : 0;
    /* The reference adds this where sigmoids may all vanish; else it changes nothing. */
    sum += 1e-20f;
    for (int x = 0; x < routing->E; x++)
        s[x] = !room->chosen[x] ? -1 : (routing->renormalise ? s[x] / sum : s[x]) * routing->factor;
}
