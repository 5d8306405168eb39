/* SPDX-License-Identifier: MIT
 * Maps of words attending to sound: columns are times, with the log-mel spectrogram below them. */
#include "task/figure/picture_sound.h"

#include <math.h>

#include "session/texts.h"

/* Cells are square, so that as many times have room for the words beside them. */
enum { COLUMNS_MOST = 60, STRIP_CELLS = 6 };

bool picture_is_of_sound(const struct session *session)
{
    return session->asked->audio != NULL && session->stack == STACK_CROSS;
}

void picture_bins_of(struct picture_bins *bins, int n_keys)
{
    bins->size = (n_keys + COLUMNS_MOST - 1) / COLUMNS_MOST;
    bins->n = (n_keys + bins->size - 1) / bins->size;
}

const float *picture_bins_fill(const struct picture_bins *bins, struct arena *a,
                               const float *weight, int n_rows, int n_keys)
{
    float *out = arena_alloc(a, (uint64_t)n_rows, (uint64_t)bins->n * sizeof *out);

    for (int row = 0; row < n_rows; row++)
        for (int i = 0; i < n_keys; i++) {
            float *most = &out[(size_t)row * (size_t)bins->n + (size_t)(i / bins->size)];

            *most = fmaxf(*most, weight[(size_t)row * (size_t)n_keys + (size_t)i]);
        }
    return out;
}

struct label_list picture_bins_labels(const struct picture_bins *bins, struct arena *a,
                                      const struct tokens *keys)
{
    int *place = arena_alloc(a, (uint64_t)keys->n, sizeof *place);

    for (int i = 0; i < keys->n; i++)
        place[i] = i % bins->size == 0 ? i / bins->size : -1;
    return figure_labels(a, keys, place, bins->n);
}

void picture_spectrogram(struct page_picture *out, struct arena *a, const struct picture_bins *bins,
                         const struct values *v)
{
    int n_mel = (int)v->dim[0], n_frames = (int)v->dim[1], width = 2 * bins->n * bins->size;
    unsigned char *rgb = arena_alloc_raw(a, (uint64_t)width * (uint64_t)n_mel, 3);
    float lo = v->x[0], hi = v->x[0];

    for (int64_t i = 0; i < v->dim[0] * v->dim[1]; i++) {
        lo = fminf(lo, v->x[i]);
        hi = fmaxf(hi, v->x[i]);
    }
    for (int y = 0; y < n_mel; y++)
        for (int x = 0; x < width; x++) {
            /* The lowest tones below; what is loud is dark. */
            float at = x < n_frames ? v->x[(int64_t)(n_mel - 1 - y) * n_frames + x] : lo;
            float grey = hi > lo ? 255.0F * (hi - at) / (hi - lo) : 255.0F;

            for (int c = 0; c < 3; c++)
                rgb[((size_t)y * (size_t)width + (size_t)x) * 3 + (size_t)c] =
                    (unsigned char)(grey + 0.5F);
        }
    *out = (struct page_picture){ width, n_mel, rgb, STRIP_CELLS };
}
