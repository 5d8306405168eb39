/* SPDX-License-Identifier: MIT
 * Samples of sound -> the rows of the first layer. */
#include "run/special/wave.h"

#include <math.h>

#include "nn/act.h"
#include "nn/norm.h"
#include "run/special/windows.h"
#include "run/stage.h"

/* What torch's norms have where nobody says it. */
static const double EPS = 1e-5;

/*
 * All convolutions run over a block of the last one's rows before the next: of the first, which
 * gives by far the most rows, that many at once.  What two blocks share is computed twice: less
 * than two rows of each convolution in 16384.
 */
enum { FIRST_ROWS = 1 << 14 };

/* ---- sizes ---- */

int64_t wave_rows_of(const struct config *config, int64_t n)
{
    for (int i = 0; i < config->front.wave.n; i++) {
        if (n < config->front.wave.width[i])
            return 0;
        n = (n - config->front.wave.width[i]) / config->front.wave.step[i] + 1;
    }
    return n;
}

/* Rows of convolution i, or of samples where it is -1, that n rows of the last one read. */
static int64_t rows_before(const struct config *config, int i, int64_t n)
{
    for (int k = config->front.wave.n - 1; k > i; k--)
        n = (n - 1) * config->front.wave.step[k] + config->front.wave.width[k];
    return n;
}

int64_t wave_samples(const struct config *config)
{
    return rows_before(config, -1, 1);
}

int64_t wave_step(const struct config *config)
{
    return rows_before(config, -1, 2) - rows_before(config, -1, 1);
}

/* Rows of the last convolution in a block. */
static int block_rows(const struct config *config)
{
    int64_t one = rows_before(config, 0, 1), step = rows_before(config, 0, 2) - one;

    return one > FIRST_ROWS ? 1 : (int)((FIRST_ROWS - one) / step + 1);
}

/* Floats of the larger of the convolutions' outputs, but the last one's, of either parity. */
static size_t wave_widest(const struct config *config, int parity, int n)
{
    int64_t most = 0;

    for (int i = parity; i < config->front.wave.n - 1; i += 2) {
        int64_t size = rows_before(config, i, n) * config->front.wave.channels[i];

        most = size > most ? size : most;
    }
    return (size_t)most;
}

/* ---- norms and activations ---- */

struct norm_job {
    enum act act;
    const struct param *norm;           /* of each row by itself; NULL: not */
    const float *scale, *shift;         /* of each channel; NULL: none */
    float *y;
    int n_rows, width;
};

static void norm_rows(void *self, int i, struct arena *scratch)
{
    const struct norm_job *job = self;
    int n = stage_rows_of(job->n_rows, i);
    float *y = job->y + (int64_t)i * ROW_CHUNK * job->width;

    (void)scratch;
    if (job->norm != NULL)
        norm_layer(y, y, job->norm->vector, job->norm->bias, (float)EPS, n, job->width);
    for (int r = 0; job->scale != NULL && r < n; r++)
        for (int k = 0; k < job->width; k++)
            y[(int64_t)r * job->width + k] = y[(int64_t)r * job->width + k] * job->scale[k] +
                                             job->shift[k];
    act_apply(job->act, y, (int64_t)n * job->width);
}

/* Sums of ROW_CHUNK rows each, in the order of the rows whatever thread adds them up. */
struct sum_job {
    const float *y;
    double *sum;                /* [chunks, 2, width]: of y, of y^2 */
    int n_rows, width;
};

static void sum_rows(void *self, int i, struct arena *scratch)
{
    const struct sum_job *job = self;
    double *sum = job->sum + (int64_t)i * 2 * job->width;
    const float *y = job->y + (int64_t)i * ROW_CHUNK * job->width;

    (void)scratch;
    for (int k = 0; k < 2 * job->width; k++)
        sum[k] = 0;
    for (int r = 0; r < stage_rows_of(job->n_rows, i); r++, y += job->width)
        for (int k = 0; k < job->width; k++) {
            sum[k] += (double)y[k];
            sum[job->width + k] += (double)y[k] * (double)y[k];
        }
}

static struct windows windows_of(const struct config *config, int i, const float *x, int64_t n_in)
{
    return (struct windows){
        .x = x, .row_stride = i > 0 ? config->front.wave.channels[i - 1] : 1, .channel_stride = 1,
        .n_in = n_in, .width = config->front.wave.width[i], .step = config->front.wave.step[i],
    };
}

/* scale[C], shift[C] of the first convolution's channels, by the mean and the variance of each
 * over all rows, which are computed here, and once more where they are used. */
static void scale_channels(struct pass *pass, float *scale, float *shift, const struct values *v)
{
    const struct config *config = &pass->m->config;
    const struct wave *first = &pass->m->wave[0];
    int C = config->front.wave.channels[0], step = config->front.wave.step[0];
    int64_t n = (v->dim[0] - config->front.wave.width[0]) / step + 1;
    float *y = stage_floats(pass, MLP_ROWS, (size_t)C);
    double *all = arena_alloc(pass->call, (size_t)C, 2 * sizeof *all);
    struct sum_job job = { .y = y, .width = C };

    job.sum = arena_alloc_raw(pass->call, MLP_ROWS / ROW_CHUNK, (size_t)C * 2 * sizeof *job.sum);
    for (int64_t row = 0; row < n; row += MLP_ROWS) {
        job.n_rows = n - row < MLP_ROWS ? (int)(n - row) : MLP_ROWS;
        windows_linear(pass, y, job.n_rows,
                       windows_of(config, 0, v->x + row * step, v->dim[0] - row * step),
                       windows_of_rows, &first->conv);
        stage_rows(pass, job.n_rows, sum_rows, &job);
        for (int i = 0; i < (job.n_rows + ROW_CHUNK - 1) / ROW_CHUNK; i++)
            for (int k = 0; k < 2 * C; k++)
                all[k] += job.sum[(int64_t)i * 2 * C + k];
    }
    for (int k = 0; k < C; k++) {
        double mean = all[k] / (double)n, var = fmax(all[C + k] / (double)n - mean * mean, 0);
        double factor = (double)first->norm.vector[k] / sqrt(var + EPS);

        scale[k] = (float)factor;
        shift[k] = (float)((double)first->norm.bias[k] - mean * factor);
    }
}

/* ---- all of it ---- */

/* out[n, E] = rows row0 .. row0 + n - 1; room: two buffers for what stands between. */
static void one_block(struct pass *pass, float *out, const struct values *v, int64_t row0, int n,
                      float *const room[2], const float *scale, const float *shift)
{
    const struct config *config = &pass->m->config;
    int last = config->front.wave.n - 1;
    const float *x = v->x + row0 * wave_step(config);
    int64_t n_in = rows_before(config, -1, n);

    for (int i = 0; i <= last; i++) {
        struct norm_job job = {
            .act = config->front.conv_act, .scale = i == 0 ? scale : NULL, .shift = shift,
            .norm = config->front.wave.norms ? &pass->m->wave[i].norm : NULL,
            .y = i == last ? out : room[i % 2], .n_rows = (int)rows_before(config, i, n),
            .width = config->front.wave.channels[i],
        };

        windows_linear(pass, job.y, job.n_rows, windows_of(config, i, x, n_in), windows_of_rows,
                       &pass->m->wave[i].conv);
        stage_rows(pass, job.n_rows, norm_rows, &job);
        x = job.y;
        n_in = job.n_rows;
    }
}

void wave_rows(struct pass *pass, float *out, const struct values *v, int n)
{
    const struct config *config = &pass->m->config;
    struct arena_mark mark = arena_mark(pass->call);
    int block = block_rows(config), most = n < block ? n : block;
    size_t C = (size_t)config->front.wave.channels[0];
    float *room[2], *scale = NULL, *shift = NULL;

    for (int k = 0; k < 2; k++)
        room[k] = stage_floats(pass, wave_widest(config, k, most), 1);
    if (!config->front.wave.norms) {
        scale = stage_floats(pass, C, 1);
        shift = stage_floats(pass, C, 1);
        scale_channels(pass, scale, shift, v);
    }
    for (int row = 0; row < n; row += block)
        one_block(pass, out + (int64_t)row * config->d_embed, v, row,
                  n - row < block ? n - row : block, room, scale, shift);
    arena_reset(pass->call, mark);
}

size_t wave_room(const struct model *model, int n)
{
    const struct config *config = &model->config;
    int block = block_rows(config), most = n < block ? n : block;
    size_t windows = 0, C = (size_t)config->front.wave.channels[0];

    for (int i = 0; i < config->front.wave.n; i++) {
        size_t room = windows_room(&model->wave[i].conv, rows_before(config, i, most));

        windows = room > windows ? room : windows;
    }
    return wave_widest(config, 0, most) + wave_widest(config, 1, most) + windows +
           (config->front.wave.norms ? 0 : C * (MLP_ROWS + 4 * MLP_ROWS / ROW_CHUNK + 6));
}
