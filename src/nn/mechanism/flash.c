/* SPDX-License-Identifier: MIT
 * The model's own attention tile by tile: a block of rows meets TILE keys at a time, and
 * their softmax is merged into that of the keys before.  Room does not grow with the text. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "nn/attention.h"
#include "nn/mechanism/carve.h"
#include "nn/mechanism/online.h"
#include "nn/mechanism/pairs.h"
#include "nn/nn.h"
#include "nn/score.h"
#include "nn/softmax.h"
#include "nn/visible.h"

enum { TILE = 4 * PANEL };

struct flash_room {
    float *packed, *w;          /* of a tile: keys and values; [ATTEND_ROWS] rows */
    float *one;                 /* [ATTEND_ROWS, d_v] outputs over a tile */
    double *sum, *more;         /* [ATTEND_ROWS] ln of sums of exponentials, of all tiles so
                                   far and of one */
};

static uint64_t flash_share_out(struct flash_room *room, const struct attention *a, void *base)
{
    struct carve carve = { base, 0 };
    uint64_t d_v = (uint64_t)a->at.d_v;

    room->packed = carve_take(&carve, attention_packed(TILE, a->at.d, a->at.d_v),
                              sizeof(float));
    room->w = carve_take(&carve, ATTEND_ROWS * attention_stride(TILE), sizeof(float));
    room->one = carve_take(&carve, ATTEND_ROWS * d_v, sizeof(float));
    room->sum = carve_take(&carve, ATTEND_ROWS, sizeof(double));
    room->more = carve_take(&carve, ATTEND_ROWS, sizeof(double));
    return carve.used;
}

static uint64_t flash_room_of(const struct attention *a)
{
    struct flash_room flash_room;

    return flash_share_out(&flash_room, a, NULL);
}

/* Scores of n keys from key0 become weights; returns ln of the sum of exponentials,
 * -INFINITY where the row sees none of them. */
static double flash_weigh(float *row, const struct attend *attend, int row0, int t, int key0, int n)
{
    struct key_range own = visible_range(attend, row0 + t);
    float max = -INFINITY;

    own.first = own.first > key0 ? own.first - key0 : 0;
    own.end = own.end < key0 + n ? own.end - key0 : n;
    if (!visible_any(attend, t, own)) {
        memset(row, 0, (size_t)n * sizeof *row);
        return -INFINITY;
    }
    for (int64_t j = own.first; j < own.end; j++)
        max = row[j] > max ? row[j] : max;
    return (double)max + elementary_log(softmax_row(row, (n + PANEL - 1) / PANEL * PANEL,
                                         (int)own.first, (int)own.end, 1).e);
}

/* Rows row0 .. row0 + n_rows - 1, and n keys from key0. */
struct tile { int row0, n_rows, key0, n; };

/* The rows of the tile, whose outputs so far are in out, meet its keys. */
static void run_tile(struct flash_room *room, float *out, int64_t out_stride,
                     const struct attention *a, const struct tile *tile)
{
    int row0 = tile->row0, n_rows = tile->n_rows, key0 = tile->key0, n = tile->n;
    struct attend at = a->at;
    struct attend all = { .S = n, .d = at.d, .d_v = at.d_v, .lo = INT_MAX, .hi = INT_MAX };
    size_t stride = attention_stride(TILE);

    if (at.hidden != NULL)
        at.hidden += (size_t)row0 * at.hidden_stride + (size_t)key0;
    attention_pack(room->packed, a->k + key0 * a->k_stride, a->k_stride,
                   a->v + key0 * a->v_stride, a->v_stride, n, at.d, at.d_v);
    attention_products(room->w, stride, a->q + row0 * a->q_stride, a->q_stride, room->packed,
                       &all, 0, n_rows);
    score_block(&at, room->w, stride, row0, n_rows, key0, n);
    for (int t = 0; t < n_rows; t++)
        room->more[t] = flash_weigh(room->w + (size_t)t * stride, &at, row0, t, key0, n);
    precision_round(at.precision, room->w, room->w, (int64_t)n_rows * (int64_t)stride);
    attention_values(room->one, at.d_v, room->w, stride, room->packed, &all, 0, n_rows);
    for (int t = 0; t < n_rows; t++)
        if (room->more[t] != -INFINITY)
            online_merge(out + t * out_stride, &room->sum[t], room->one + (int64_t)t * at.d_v,
                         room->more[t], at.d_v);
}

static int64_t flash_run(float *out, int64_t out_stride, const struct attention *a, void *base)
{
    struct flash_room room;

    flash_share_out(&room, a, base);
    for (int row0 = 0; row0 < a->T; row0 += ATTEND_ROWS, out += ATTEND_ROWS * out_stride) {
        int n_rows = a->T - row0 < ATTEND_ROWS ? a->T - row0 : ATTEND_ROWS;
        struct key_range keys = visible_keys(&a->at, row0, n_rows);

        for (int t = 0; t < n_rows; t++) {
            room.sum[t] = -INFINITY;
            memset(out + t * out_stride, 0, (size_t)a->at.d_v * sizeof *out);
        }
        for (int64_t key0 = keys.first; key0 < keys.end; key0 += TILE)
            run_tile(&room, out, out_stride, a, &(struct tile){
                row0, n_rows, (int)key0,
                keys.end - key0 < TILE ? (int)(keys.end - key0) : TILE });
    }
    return pairs_seen(a);
}

const struct mechanism mechanism_flash = {
    .name = "flash", .formula = "softmax_j s_ij, tile by tile, rescaled as keys come",
    .no_budget = "all keys take part",
    .cost = "N^2 d", .growth = "N^2", .source = "Dao et al. 2022, algorithm 1",
    .room = flash_room_of, .run = flash_run, .reference = pairs_reference,
};
