/* SPDX-License-Identifier: MIT
 * Panels of a linear, packed by all threads -> blocks of rows x groups of panels, which the
 * threads share out. */
#include "run/special/packed.h"

#include "nn/linear.h"
#include "nn/product.h"

/* Panels that are kept at a time: a slice of the third cache, whatever the matrix. */
enum { KEPT_BYTES = 4 << 20 };

struct packing {
    const struct matrix *w;
    float *panels;
    int n0;                     /* the first output that is packed now */
};

static void pack_task(void *self, int i, struct arena *scratch)
{
    const struct packing *packing = self;
    float *room = arena_alloc_raw(scratch, linear_room(), sizeof *room);

    linear_pack(packing->panels + (size_t)i * linear_packed_size(packing->w), packing->w,
                packing->n0 + i * product_width(), room);
}

/* ---- packed panels ---- */

struct multiplying {
    const struct linear_job *job;
    const float *panels;
    size_t size;                /* of a panel */
    int n0, n_panels;
    int n_blocks, n_groups;     /* of rows, of panels */
};

/* Part i of n equal ones of a whole begins here. */
static int part(int whole, int i, int n)
{
    return (int)((int64_t)whole * i / n);
}

static void multiply_task(void *self, int i, struct arena *scratch)
{
    const struct multiplying *of = self;
    const struct linear_job *job = of->job;
    int block = i / of->n_groups, group = i % of->n_groups;
    int row = part(job->n_rows, block, of->n_blocks);
    int rows = part(job->n_rows, block + 1, of->n_blocks) - row;
    int first = part(of->n_panels, group, of->n_groups);
    int end = part(of->n_panels, group + 1, of->n_groups);

    (void)scratch;
    linear_packed(job->y + row * job->y_stride, job->y_stride, job->x + row * job->x_stride,
                  job->x_stride, rows, job->w, job->bias, of->n0 + first * product_width(),
                  end - first, of->panels + (size_t)first * of->size, of->size);
}

/* Groups of panels, so that no thread waits long for the last. */
static int groups_of(const struct multiplying *of, int n_threads)
{
    int tasks = n_threads == 1 ? 1 : 4 * n_threads;
    int groups = (tasks - 1) / of->n_blocks + 1;

    return groups < of->n_panels ? groups : of->n_panels;
}

void packed_multiply(struct pass *pass, const struct linear_job *job, int n0, int n_panels,
                     const float *panels, size_t size)
{
    struct multiplying of = { .job = job, .panels = panels, .size = size, .n0 = n0,
                              .n_panels = n_panels,
                              .n_blocks = (job->n_rows - 1) / PACKED_ROWS + 1 };

    of.n_groups = groups_of(&of, par_threads(pass->par));
    par_for(pass->par, of.n_blocks * of.n_groups, multiply_task, &of);
}

/* ---- a slice at a time ---- */

static int most_panels(const struct matrix *matrix, int width)
{
    int all = (matrix->N - 1) / width + 1;
    int64_t fit = KEPT_BYTES / ((int64_t)matrix->K * width * (int64_t)sizeof(float));

    return fit < 1 ? 1 : fit < all ? (int)fit : all;
}

bool packed_linear(struct pass *pass, const struct linear_job *job)
{
    struct packing packing = { .w = job->w };
    size_t size = linear_packed_size(job->w);
    int width = product_width(), most = most_panels(job->w, width);
    int all = (job->w->N - 1) / width + 1;
    struct arena_mark mark = arena_mark(pass->call);

    packing.panels = arena_try_raw(pass->call, (size_t)most, (uint64_t)size * sizeof(float));
    if (packing.panels == NULL) {
        par_slower(pass->par, "no memory for packed weights: each thread packs its own");
        return false;
    }
    for (int done = 0; done < all; done += most) {
        int n_panels = all - done < most ? all - done : most;

        packing.n0 = done * width;
        par_for(pass->par, n_panels, pack_task, &packing);
        packed_multiply(pass, job, packing.n0, n_panels, packing.panels, size);
    }
    arena_reset(pass->call, mark);
    return true;
}

double packed_memory(const struct matrix *matrix, int n_rows)
{
    return n_rows <= PACKED_ROWS ? 0 :
           (double)most_panels(matrix, PANEL) * PANEL * matrix->K * (double)sizeof(float);
}
