/* SPDX-License-Identifier: MIT
 *
 * Attention mechanisms (nn/mechanism.h) on the queries, keys and values of a model's attention:
 * heads in the mechanism's layout, outputs, rows.  analysis/ reads visible.h through this header.
 * */
#ifndef RUN_MECHANISM_H
#define RUN_MECHANISM_H

#include "nn/mechanism.h"
#include "nn/visible.h"
#include "run/run.h"

/* One attention of a model, laid out for a mechanism. */
struct mechanism_heads {
    const struct mechanism *mechanism;
    const char *refused;        /* why the mechanism cannot run here; NULL if it can */
    int n, joined;              /* heads of the mechanism; each joins `joined` heads of the model */
    struct attention *head;     /* [n] */
    uint64_t room_bytes;        /* most scratch bytes that one head requires */
};

/*
 * Lays out view for mechanism; copies and random weights are in arena a, which must last as long as
 * view.  given: weights that replace those the mechanism draws at random; NULL: drawn.
 */
struct mechanism_heads mechanism_heads(const struct mechanism *mechanism,
                                       const struct mechanism_params *params,
                                       const float *given, const struct qkv_view *view,
                                       struct arena *a);

/* z[T, H d_v] = the outputs of all heads, computed by all threads. */
void mechanism_attend(const struct mechanism_heads *heads, float *z, struct par *par);

/*
 * The same on one thread, one head after the other, for timing; room: room_bytes of scratch memory,
 * aligned to 64; scores[n]: the number of scores that each head computed.
 */
void mechanism_attend_alone(const struct mechanism_heads *heads, float *z, int64_t *scores,
                            void *room);

/* Number of pairs of a query and a key that are visible to a head under the model's masks. */
int64_t mechanism_seen(const struct qkv_view *view, int head);

/*
 * w[T, S] = the weights of head i of heads, by the mechanism's reference implementation.
 */
void mechanism_rows(const struct mechanism_heads *heads, int i, float *w,
                    struct arena *scratch);

#endif
