/* SPDX-License-Identifier: MIT
 *
 * A mechanism of nn/mechanism.h on what an attention of a model reads: its heads as the
 * mechanism takes them, their outputs, their rows.  analysis/ reads visible.h here. */
#ifndef RUN_MECHANISM_H
#define RUN_MECHANISM_H

#include "nn/mechanism.h"
#include "nn/visible.h"
#include "run/run.h"

/* One attention of a model, laid out for a mechanism. */
struct mechanism_heads {
    const struct mechanism *mechanism;
    const char *refused;        /* why it cannot be done; NULL: it can */
    int n, joined;              /* heads, each of `joined` of the model's, in order */
    struct attention *head;     /* [n] */
    uint64_t room_bytes;        /* that one of them needs to run, at most */
};

/*
 * Arena a holds what is copied or drawn, as long as v.  given: weights in place of those
 * that the mechanism draws; NULL: it draws them.
 */
struct mechanism_heads mechanism_heads(const struct mechanism *m,
                                       const struct mechanism_params *params,
                                       const float *given, const struct qkv_view *v,
                                       struct arena *a);

/* z[T, H d_v] = the outputs, heads shared out over the threads. */
void mechanism_attend(const struct mechanism_heads *h, float *z, struct par *par);

/*
 * The same, one head after the other in room (room_bytes, aligned to 64), for timing;
 * scores[n]: how many each computed.
 */
void mechanism_attend_alone(const struct mechanism_heads *h, float *z, int64_t *scores,
                            void *room);

/* How many pairs of a query and a key the model lets a head see. */
int64_t mechanism_seen(const struct qkv_view *v, int head);

/*
 * w[T, S] of head number i of h, by the mechanism's reference; scratch is for it alone.
 */
void mechanism_rows(const struct mechanism_heads *h, int i, float *w,
                    struct arena *scratch);

#endif
