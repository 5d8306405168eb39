/* SPDX-License-Identifier: MIT
 * Positions of a square of patches -> those of a picture of another size. */
#include "run/special/interpolate.h"

#include <math.h>

#include "model/family_slots.h"
#include "nn/nn.h"
#include "run/stage.h"

enum { N_TAPS = 4 };

/* Where position i of n lies among size of them. */
struct taps {
    int at[N_TAPS];
    double by[N_TAPS];
};

static double near_part(double t)       /* |t| <= 1 */
{
    return (1.25 * t - 2.25) * t * t + 1;
}

static double far_part(double t)        /* 1 < |t| < 2 */
{
    return ((-0.75 * t + 3.75) * t - 6) * t + 3;
}

static struct taps taps_of(int i, int n, int size)
{
    double at = (i + 0.5) * size / n - 0.5, first = floor(at), t = at - first;
    struct taps taps = { .by = { far_part(t + 1), near_part(t), near_part(1 - t),
                                 far_part(2 - t) } };

    for (int k = 0; k < N_TAPS; k++) {
        int place = (int)first - 1 + k;

        taps.at[k] = place < 0 ? 0 : place >= size ? size - 1 : place;
    }
    return taps;
}

struct interpolate_job {
    const float *table;         /* [size, size, D] */
    float *x;                   /* [rows, columns, D] */
    int rows, columns, size, D;
};

/* Row i of patches. */
static void row_task(void *self, int i, struct arena *scratch)
{
    const struct interpolate_job *job = self;
    struct taps down = taps_of(i, job->rows, job->size);
    double *sum = arena_alloc_raw(scratch, (size_t)job->D, sizeof *sum);

    for (int c = 0; c < job->columns; c++) {
        struct taps across = taps_of(c, job->columns, job->size);
        float *x = job->x + ((int64_t)i * job->columns + c) * job->D;

        for (int d = 0; d < job->D; d++)
            sum[d] = 0;
        for (int k = 0; k < N_TAPS * N_TAPS; k++) {
            double by = down.by[k / N_TAPS] * across.by[k % N_TAPS];
            const float *row = job->table + ((int64_t)down.at[k / N_TAPS] * job->size +
                                             across.at[k % N_TAPS]) * job->D;

            for (int d = 0; d < job->D; d++)
                sum[d] += by * (double)row[d];
        }
        for (int d = 0; d < job->D; d++)
            x[d] += (float)sum[d];
    }
}

void interpolate_add(struct pass *pass, float *x, const struct values *v)
{
    const struct model *m = pass->m;
    const struct tensor *positions = m->slot[W_POS].weight;
    struct arena_mark mark = arena_mark(pass->call);
    int D = m->config.d_model, learnt = front_learnt_rows(m);
    float *table = stage_floats(pass, (size_t)m->config.n_positions, (size_t)D);
    struct interpolate_job job = { table + (int64_t)learnt * D, x + (int64_t)learnt * D,
                       front_patch_rows(m, v->dim[1]), front_patch_columns(m, v->dim[2]),
                       family_grid(&m->config, 0), D };

    tensor_read(table, positions, 0, (int64_t)m->config.n_positions * D);
    nn_add(x, table, (int64_t)learnt * D);
    par_for(pass->par, job.rows, row_task, &job);
    arena_reset(pass->call, mark);
}

size_t interpolate_room(const struct model *model)
{
    return (size_t)model->config.n_positions * (size_t)model->config.d_model;
}
