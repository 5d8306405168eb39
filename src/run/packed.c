/* SPDX-License-Identifier: MIT
 * Panels of a linear, packed by all threads -> blocks of rows x groups of panels, which the
 * threads share out. */
#include "run/packed.h"

#include "nn/linear.h"
#include "nn/product.h"

/* Panels that are kept at a time: a slice of the third cache, whatever the matrix. */
enum { KEPT_BYTES = 4 << 20 };

struct packing {
    const struct linear_job *job;
    float *panels;
    int n0, n_panels;           /* the outputs that are packed now */
    int width;
    int n_blocks, n_groups;     /* of rows, of panels */
};

static size_t panel_size(const struct packing *p)
{
    return linear_packed_size(p->job->w);
}

static void pack_task(void *self, int i, struct arena *scratch)
{
    const struct packing *packing = self;
    float *room = arena_alloc_raw(scratch, linear_room(), sizeof *room);

    linear_pack(packing->panels + (size_t)i * panel_size(packing), packing->job->w,
                packing->n0 + i * packing->width, room);
}

/* Part i of n equal ones of a whole begins here. */
static int part(int whole, int i, int n)
{
    return (int)((int64_t)whole * i / n);
}

static void multiply_task(void *self, int i, struct arena *scratch)
{
    const struct packing *packing = self;
    const struct linear_job *job = packing->job;
    int block = i / packing->n_groups, group = i % packing->n_groups;
    int row = part(job->n_rows, block, packing->n_blocks);
    int rows = part(job->n_rows, block + 1, packing->n_blocks) - row;
    int first = part(packing->n_panels, group, packing->n_groups);
    int end = part(packing->n_panels, group + 1, packing->n_groups);

    (void)scratch;
    linear_packed(job->y + row * job->y_stride, job->y_stride, job->x + row * job->x_stride,
                  job->x_stride, rows, job->w, job->bias, packing->n0 + first * packing->width,
                  end - first, packing->panels + (size_t)first * panel_size(packing));
}

static int most_panels(const struct matrix *w, int width)
{
    int all = (w->N - 1) / width + 1;
    int64_t fit = KEPT_BYTES / ((int64_t)w->K * width * (int64_t)sizeof(float));

    return fit < 1 ? 1 : fit < all ? (int)fit : all;
}

/* Groups of panels, so that no thread waits long for the last. */
static int groups_of(const struct packing *packing, int n_threads)
{
    int tasks = n_threads == 1 ? 1 : 4 * n_threads;
    int groups = (tasks - 1) / packing->n_blocks + 1;

    return groups < packing->n_panels ? groups : packing->n_panels;
}

bool packed_linear(struct pass *p, const struct linear_job *j)
{
    struct packing packing = { .job = j, .width = product_width(),
                               .n_blocks = (j->n_rows - 1) / PACKED_ROWS + 1 };
    int most = most_panels(j->w, packing.width), all = (j->w->N - 1) / packing.width + 1;
    struct arena_mark mark = arena_mark(p->call);

    packing.panels = arena_try_raw(p->call, (size_t)most,
                                   (uint64_t)panel_size(&packing) * sizeof *packing.panels);
    if (packing.panels == NULL) {
        par_slower(p->par, "no memory for packed weights: each thread packs its own");
        return false;
    }
    for (int done = 0; done < all; done += packing.n_panels) {
        packing.n0 = done * packing.width;
        packing.n_panels = all - done < most ? all - done : most;
        packing.n_groups = groups_of(&packing, par_threads(p->par));
        par_for(p->par, packing.n_panels, pack_task, &packing);
        par_for(p->par, packing.n_blocks * packing.n_groups, multiply_task, &packing);
    }
    arena_reset(p->call, mark);
    return true;
}

double packed_memory(const struct matrix *w, int n_rows)
{
    return n_rows <= PACKED_ROWS ? 0 :
           (double)most_panels(w, PANEL) * PANEL * w->K * (double)sizeof(float);
}
