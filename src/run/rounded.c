/* SPDX-License-Identifier: MIT
 * Matrices -> panels of words, found again by where their data are. */
#include "run/rounded.h"

#include <string.h>

#include "base/system.h"
#include "nn/fast.h"
#include "nn/linear.h"
#include "nn/product.h"
#include "run/packed.h"
#include "run/pass.h"

enum {
    CHAINS = 1 << 12,
    SLAB = 32 << 20             /* bytes that are taken at a time: huge pages fit into them */
};

struct kept {
    struct matrix matrix;
    float *panels;
    struct kept *next;
};

struct rounded {
    struct arena *a;            /* apart from that of passes, which is reset after each */
    unsigned char *slab;
    uint64_t left;              /* bytes of it */
    bool is_full;               /* there was no memory once: what is rounded stays */
    struct kept *chain[CHAINS];
};

struct rounded *rounded_new(struct arena *a)
{
    struct rounded *rounded = arena_alloc(a, 1, sizeof *rounded);

    rounded->a = arena_child(a);
    return rounded;
}

static bool is_same(const struct matrix *a, const struct matrix *b)
{
    return a->data == b->data && a->maker == b->maker && a->made_at == b->made_at &&
           a->N == b->N && a->K == b->K && a->stride == b->stride &&
           a->order_in_out == b->order_in_out && a->fast == b->fast;
}

static struct kept **chain_of(struct rounded *rounded, const struct matrix *w)
{
    uint64_t where = (uintptr_t)w->data ^ (uintptr_t)w->maker ^ (uint64_t)w->made_at;

    return &rounded->chain[(where * 0x9e3779b97f4a7c15u) >> 52];
}

static int count_panels(const struct matrix *w)
{
    return (w->N - 1) / product_width() + 1;
}

static size_t panel_size(const struct matrix *w)
{
    return (size_t)fast_words(w->fast, w->K) * (size_t)product_width();
}

static void round_task(void *self, int i, struct arena *scratch)
{
    const struct kept *kept = self;
    const struct matrix *w = &kept->matrix;
    float *panel = arena_alloc_raw(scratch, linear_packed_size(w), sizeof *panel);
    float *room = arena_alloc_raw(scratch, linear_room(), sizeof *room);

    linear_pack(panel, w, i * product_width(), room);
    memcpy(kept->panels + (size_t)i * panel_size(w), panel, panel_size(w) * sizeof *panel);
}

/* Of a multiple of 64 bytes.  NULL: there is no memory. */
static void *take(struct rounded *rounded, uint64_t bytes)
{
    void *taken;

    if (rounded->left < bytes) {
        rounded->left = bytes > SLAB ? bytes : SLAB;
        rounded->slab = rounded->is_full ? NULL : arena_try_raw(rounded->a, 1, rounded->left);
        rounded->is_full = rounded->slab == NULL;
        if (rounded->is_full) {
            rounded->left = 0;
            return NULL;
        }
        system_huge_pages(rounded->slab, rounded->left);
    }
    taken = rounded->slab;
    rounded->slab += bytes;
    rounded->left -= bytes;
    return taken;
}

/* NULL: there is no memory. */
static struct kept *keep(struct pass *p, struct rounded *rounded, const struct matrix *w)
{
    uint64_t size = (uint64_t)panel_size(w) * sizeof(float);
    float *panels = take(rounded, size * (uint64_t)count_panels(w));
    struct kept *kept;

    if (panels == NULL) {
        par_slower(p->par, "no memory for rounded weights: they are rounded for each token");
        return NULL;
    }
    kept = arena_alloc(rounded->a, 1, sizeof *kept);
    *kept = (struct kept){ *w, panels, *chain_of(rounded, w) };
    par_for(p->par, count_panels(w), round_task, kept);
    *chain_of(rounded, w) = kept;
    return kept;
}

bool rounded_linear(struct pass *p, const struct linear_job *j)
{
    struct rounded *rounded = p->want != NULL ? p->want->rounded : NULL;
    struct kept *kept;

    if (rounded == NULL || j->w->fast == NULL)
        return false;
    kept = *chain_of(rounded, j->w);
    while (kept != NULL && !is_same(&kept->matrix, j->w))
        kept = kept->next;
    if (kept == NULL)
        kept = keep(p, rounded, j->w);
    if (kept == NULL)
        return false;
    packed_multiply(p, j, 0, count_panels(j->w), kept->panels, panel_size(j->w));
    return true;
}

/* ---- memory ---- */

static double bytes_of(const struct param *w, const struct fast_kernel *fast)
{
    const struct matrix *matrix = &w->matrix;
    double groups = w->n_groups > 0 ? w->n_groups : 1;

    if (w->weight == NULL || !w->is_linear || matrix->K <= 0)
        return 0;
    return groups * fast_words(fast, matrix->K) * ((matrix->N - 1) / PANEL + 1.0) * PANEL *
           (double)sizeof(float);
}

static double bytes_of_layer(const struct model *m, const struct layer_plan *layer,
                             const struct fast_kernel *fast)
{
    double bytes = 0;

    for (int s = 0; s < N_SLOT; s++)
        bytes += bytes_of(&layer->slot[s], fast);
    for (int i = 0; layer->expert != NULL && i < m->config.experts.n; i++)
        bytes += bytes_of(&layer->expert[i].gate, fast) + bytes_of(&layer->expert[i].up, fast) +
                 bytes_of(&layer->expert[i].down, fast);
    for (int i = 0; layer->former != NULL && i < m->config.n_mlps - 1; i++)
        bytes += bytes_of(&layer->former[i].up, fast) + bytes_of(&layer->former[i].down, fast);
    return bytes;
}

double rounded_memory(const struct model *m, const struct change *change)
{
    const struct fast_kernel *fast = fast_kernel(change->fast);
    double bytes = 0;

    if (fast == NULL)
        return 0;
    for (int s = 0; s < N_SLOT; s++)
        bytes += bytes_of(&m->slot[s], fast);
    for (int i = 0; i < m->config.streams.n - 1; i++)
        bytes += bytes_of(&m->stream_in[i], fast) + bytes_of(&m->stream_out[i], fast);
    for (int l = 0; l < m->config.n_layers; l++)
        bytes += bytes_of_layer(m, &m->layer[l], fast);
    return bytes;
}
