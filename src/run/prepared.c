/* SPDX-License-Identifier: MIT
 * Matrices -> panels of low-bit or transposed weights, found again by the address of their data. */
#include "run/prepared.h"

#include <math.h>
#include <string.h>

#include "base/system.h"
#include "nn/fast.h"
#include "nn/linear.h"
#include "nn/product.h"
#include "nn/turned.h"
#include "run/pass.h"
#include "run/special/packed.h"

enum {
    CHAINS = 1 << 12,
    TURN_AFTER = 4,             /* times that a matrix is met: most experts are met seldom, and
                                   turning takes as long as some tokens */
    SLAB = 32 << 20,            /* bytes that are taken at a time: huge pages fit into them */
    HUGE_PAGE = 2 << 20         /* whose end may be there without being used */
};

struct kept {
    struct matrix matrix;
    unsigned char *panels;      /* NULL: none yet */
    int n_met;                  /* times that it was asked for before they were there */
    struct kept *next;
};

struct prepared {
    struct arena *a;            /* apart from that of passes, which is reset after each */
    unsigned char *slab;
    uint64_t left;              /* bytes of it */
    bool turns;
    double spare;               /* bytes that turned weights may still take */
    bool is_full;               /* there was no memory once: what is prepared stays */
    struct kept *chain[CHAINS];
};

struct prepared *prepared_new(struct arena *a, bool turns, double spare)
{
    struct prepared *prepared = arena_alloc(a, 1, sizeof *prepared);

    prepared->a = arena_child(a);
    prepared->turns = turns;
    prepared->spare = spare;
    return prepared;
}

static bool is_same(const struct matrix *a, const struct matrix *b)
{
    return a->data == b->data && a->maker == b->maker && a->made_at == b->made_at &&
           a->N == b->N && a->K == b->K && a->stride == b->stride &&
           a->order_in_out == b->order_in_out && a->fast == b->fast;
}

static struct kept **chain_of(struct prepared *prepared, const struct matrix *matrix)
{
    uint64_t where = (uintptr_t)matrix->data ^ (uintptr_t)matrix->maker ^ (uint64_t)matrix->made_at;

    return &prepared->chain[(where * 0x9e3779b97f4a7c15u) >> 52];
}

/* ---- panels ---- */

/* Outputs that do not fill a panel are not turned. */
static int count_panels(const struct matrix *matrix)
{
    return matrix->fast != NULL ? (matrix->N - 1) / product_width() + 1 : matrix->N / TURNED;
}

/* Floats of a panel in fewer bits. */
static size_t words_size(const struct matrix *matrix)
{
    return (size_t)fast_words(matrix->fast, matrix->K) * (size_t)product_width();
}

static uint64_t panel_size(const struct matrix *matrix)
{
    return matrix->fast != NULL ? words_size(matrix) * sizeof(float) :
           (uint64_t)turned_row(matrix) * TURNED;
}

static void round_task(void *self, int i, struct arena *scratch)
{
    const struct kept *kept = self;
    const struct matrix *w = &kept->matrix;
    float *panel = arena_alloc_raw(scratch, linear_packed_size(w), sizeof *panel);
    float *room = arena_alloc_raw(scratch, linear_room(), sizeof *room);

    linear_pack(panel, w, i * product_width(), room);
    memcpy(kept->panels + (size_t)i * panel_size(w), panel, panel_size(w));
}

static void turn_task(void *self, int i, struct arena *scratch)
{
    const struct kept *kept = self;

    (void)scratch;
    turned_make(kept->panels + (size_t)i * panel_size(&kept->matrix), &kept->matrix, i * TURNED);
}

/* Of a multiple of 64 bytes, in a slab of as many or of `most`.  NULL: there is no memory. */
static void *prepared_take(struct prepared *prepared, uint64_t bytes, double most)
{
    uint64_t slab = most < SLAB ? (uint64_t)most : SLAB;
    void *taken;

    if (prepared->left < bytes) {
        if (prepared->left > 0)         /* of its last huge page */
            system_give_back(prepared->slab, prepared->left);
        prepared->left = bytes > slab ? bytes : slab;
        prepared->slab = prepared->is_full ? NULL :
                                             arena_try_raw(prepared->a, 1, prepared->left);
        prepared->is_full = prepared->slab == NULL;
        if (prepared->is_full) {
            prepared->left = 0;
            return NULL;
        }
        system_huge_pages(prepared->slab, prepared->left);
    }
    taken = prepared->slab;
    prepared->slab += bytes;
    prepared->left -= bytes;
    return taken;
}

static unsigned char *take_panels(struct prepared *prepared, const struct matrix *matrix)
{
    uint64_t bytes = panel_size(matrix) * (uint64_t)count_panels(matrix);
    double most = matrix->fast != NULL ? INFINITY : prepared->spare;
    unsigned char *panels = (double)bytes <= most ? prepared_take(prepared, bytes, most) : NULL;

    if (panels != NULL && matrix->fast == NULL)
        prepared->spare -= (double)bytes;
    return panels;
}

/* What is there of the matrix; the first time nothing but its place.  NULL: no memory. */
static struct kept *kept_of(struct prepared *prepared, const struct matrix *matrix)
{
    struct kept **chain = chain_of(prepared, matrix), *kept = *chain;

    while (kept != NULL && !is_same(&kept->matrix, matrix))
        kept = kept->next;
    if (kept == NULL && (kept = arena_try_raw(prepared->a, 1, sizeof *kept)) != NULL) {
        *kept = (struct kept){ .matrix = *matrix, .next = *chain };
        *chain = kept;
        prepared->spare -= (double)sizeof *kept;
    }
    return kept;
}

static void lacks_memory(struct pass *pass, const struct matrix *matrix)
{
    par_slower(pass->par, matrix->fast != NULL ?
               "no memory for rounded weights: they are rounded for each token" :
               "no memory for turned weights: they are read as they are stored");
}

/* Those of the matrix; NULL: it is not to be prepared yet, or there is no memory. */
static const struct kept *prepared_prepare(struct pass *pass, struct prepared *prepared,
                                           const struct matrix *matrix)
{
    struct kept *kept = kept_of(prepared, matrix);

    if (kept == NULL) {
        lacks_memory(pass, matrix);
        return NULL;
    }
    if (kept->panels != NULL)
        return kept;
    kept->n_met += kept->n_met < TURN_AFTER;
    if (matrix->fast == NULL && kept->n_met < TURN_AFTER)
        return NULL;
    kept->panels = take_panels(prepared, matrix);
    if (kept->panels == NULL) {
        lacks_memory(pass, matrix);
        return NULL;
    }
    par_for(pass->par, count_panels(matrix), matrix->fast != NULL ? round_task : turn_task, kept);
    return kept;
}

/* ---- linears ---- */

struct turned_job {
    const struct linear_job *job;
    const struct kept *kept;
    int n_panels, panels_per_task;
};

/* Some panels; after them one task for the outputs that are left. */
static void turned_task(void *self, int i, struct arena *scratch)
{
    const struct turned_job *of = self;
    const struct linear_job *j = of->job;
    int first = i * of->panels_per_task, left = of->n_panels - first;

    if (left <= 0)
        linear_few(j->y, j->y_stride, j->x, j->x_stride, j->n_rows, j->w, j->bias,
                   of->n_panels * TURNED, j->w->N % TURNED,
                   arena_alloc_raw(scratch, linear_scratch(j->w->K), sizeof(float)));
    else
        turned_few(j->y, j->y_stride, j->x, j->x_stride, j->n_rows, j->w, j->bias, first * TURNED,
                   left < of->panels_per_task ? left : of->panels_per_task,
                   of->kept->panels + (size_t)first * panel_size(j->w));
}

static void turned_linear(struct pass *pass, const struct linear_job *job, const struct kept *kept)
{
    int n_panels = count_panels(job->w), n_tasks = 2 * par_threads(pass->par);
    struct turned_job of = { job, kept, n_panels, (n_panels - 1) / n_tasks + 1 };

    n_tasks = (n_panels - 1) / of.panels_per_task + 1;
    par_for(pass->par, n_tasks + (job->w->N % TURNED > 0), turned_task, &of);
}

static bool is_turned(const struct prepared *prepared, const struct linear_job *job)
{
    return prepared->turns && job->n_rows <= LINEAR_FEW && job->w->N >= TURNED &&
           turned_row(job->w) > 0;
}

bool prepared_linear(struct pass *pass, const struct linear_job *job)
{
    struct prepared *prepared = pass->want != NULL ? pass->want->prepared : NULL;
    const struct kept *kept;

    if (prepared == NULL || (job->w->fast == NULL && !is_turned(prepared, job)))
        return false;
    kept = prepared_prepare(pass, prepared, job->w);
    if (kept == NULL)
        return false;
    if (job->w->fast != NULL)
        packed_multiply(pass, job, 0, count_panels(job->w), (float *)(void *)kept->panels,
                        words_size(job->w));
    else
        turned_linear(pass, job, kept);
    return true;
}

/* ---- memory ---- */

/*
 * Of a matrix that is run in n_parts, each with panels of its own.  That of logits may be the
 * tokens' embeddings, and has no weight then.
 */
static double prepared_bytes_of(const struct param *w, int n_parts, const struct fast_kernel *fast)
{
    const struct matrix *matrix = &w->matrix;
    double groups = w->n_groups > 0 ? w->n_groups : 1;

    if (!w->is_linear || matrix->K <= 0)
        return 0;
    return groups * fast_words(fast, matrix->K) * ((matrix->N - 1) / PANEL + n_parts) * PANEL *
           (double)sizeof(float);
}

static double bytes_of_layer(const struct model *model, const struct layer_plan *layer,
                             const struct fast_kernel *fast)
{
    double bytes = 0;

    for (int s = 0; s < N_SLOT; s++)
        bytes += prepared_bytes_of(&layer->slot[s], s == W_KV_A ? 2 : 1, fast);
    for (int i = 0; layer->expert != NULL && i < model->config.experts.n; i++)
        bytes += prepared_bytes_of(&layer->expert[i].gate, 1, fast) +
                 prepared_bytes_of(&layer->expert[i].up, 1, fast) +
                 prepared_bytes_of(&layer->expert[i].down, 1, fast);
    for (int i = 0; layer->former != NULL && i < model->config.n_mlps - 1; i++)
        bytes += prepared_bytes_of(&layer->former[i].up, 1, fast) +
                 prepared_bytes_of(&layer->former[i].down, 1, fast);
    return bytes;
}

double prepared_memory(const struct model *model, const struct change *change)
{
    const struct fast_kernel *fast = fast_kernel(change->fast);
    double bytes = 0;

    if (fast == NULL)
        return 0;
    for (int s = 0; s < N_SLOT; s++)
        bytes += prepared_bytes_of(&model->slot[s], s == W_INPUT_EMB ? model->config.n_layers : 1,
                                   fast);
    for (int i = 0; i < model->config.streams.n - 1; i++)
        bytes += prepared_bytes_of(&model->stream_in[i], 1, fast) +
                 prepared_bytes_of(&model->stream_out[i], 1, fast);
    for (int l = 0; l < model->config.n_layers; l++)
        bytes += bytes_of_layer(model, &model->layer[l], fast);
    return bytes > 0 ? bytes + HUGE_PAGE : 0;
}
