/* SPDX-License-Identifier: MIT
 * Windows of a picture or of rows -> the product of each with a kernel, as a linear. */
#include "run/special/windows.h"

#include "run/stage.h"

static void fill_inside(const struct windows *windows, float *out, const float *x)
{
    for (int c = 0; c < windows->K / windows->width; c++, x += windows->channel_stride)
        for (int k = 0; k < windows->width; k++)
            *out++ = x[k * windows->row_stride];
}

static void fill_at_end(const struct windows *windows, float *out, int64_t first)
{
    for (int c = 0; c < windows->K / windows->width; c++)
        for (int k = 0; k < windows->width; k++)
            *out++ = first + k < 0 || first + k >= windows->n_in ? 0 :
                     windows->x[(first + k) * windows->row_stride + c * windows->channel_stride];
}

void windows_of_rows(void *self, int i, struct arena *scratch)
{
    const struct windows *j = self;

    (void)scratch;
    for (int r = 0; r < stage_rows_of(j->n_rows, i); r++) {
        int row = i * ROW_CHUNK + r;
        int64_t first = (int64_t)(j->row0 + row) * j->step - j->before;
        float *out = j->to + (int64_t)row * j->K;

        if (first >= 0 && first + j->width <= j->n_in)
            fill_inside(j, out, j->x + first * j->row_stride);
        else
            fill_at_end(j, out, first);
    }
}

void windows_linear(struct pass *pass, float *y, int n, struct windows j,
                    void (*fill)(void *self, int i, struct arena *scratch),
                    const struct param *w)
{
    int64_t D = w->matrix.N;
    struct arena_mark mark = arena_mark(pass->call);

    j.p = pass;
    j.K = w->matrix.K;
    j.to = arena_alloc_raw(pass->call, windows_room(w, n), sizeof *j.to);
    for (j.row0 = 0; j.row0 < n; j.row0 += MLP_ROWS) {
        j.n_rows = n - j.row0 < MLP_ROWS ? n - j.row0 : MLP_ROWS;
        stage_rows(pass, j.n_rows, fill, &j);
        stage_linear(pass, y + j.row0 * D, D, j.to, j.K, j.n_rows, w);
    }
    arena_reset(pass->call, mark);
}

size_t windows_room(const struct param *w, int64_t n)
{
    return (size_t)(n < MLP_ROWS ? n : MLP_ROWS) * (size_t)w->matrix.K;
}
