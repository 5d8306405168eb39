/* SPDX-License-Identifier: MIT
 * Replacements of heads' outputs: means over the rows of all texts, or from a file; or the outputs
 * of another text of the same length. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "task/ablate/ablate.h"
#include "session/texts.h"
#include "weights/npz.h"

/* Rows of an attention: all of them, or those of each position. */
struct mean {
    double *sum;                /* [n_places, L, H d_v]; NULL: the model has no such heads */
    int64_t *n;                 /* [n_places] rows */
    int n_places;
};

struct ablate_means {
    struct arena *arena;        /* of sums, which grow through the texts */
    struct mean of[N_STACK];
    struct ablate_values values;
};

/* Texts that a mean at a position is of, at least: one would be the text itself. */
enum { LEAST_TEXTS = 2 };

/* ---- room ---- */

static int means_layers_of(const struct ablate_job *job, int stack)
{
    return ablate_model(job, (enum stack_id)stack)->config.n_layers;
}

static int means_width_of(const struct ablate_job *job, int stack)
{
    const struct config *config = &ablate_model(job, (enum stack_id)stack)->config;

    return config->n_heads * config->d_value;
}

static bool has_stack(const struct ablate_job *job, int stack)
{
    for (int i = 0; i < job->n_heads; i++)
        if ((int)job->head[i].stack == stack)
            return true;
    return false;
}

/* [L, H d_v] of an attention. */
static size_t means_size_of(const struct ablate_job *job, int stack)
{
    return (size_t)means_layers_of(job, stack) * (size_t)means_width_of(job, stack);
}

static void means_grow(struct ablate_job *job, int stack, int n_places)
{
    struct mean *m = &job->means->of[stack];
    size_t each = means_size_of(job, stack) * sizeof *m->sum;

    if (n_places <= m->n_places)
        return;
    m->sum = arena_regrow(job->means->arena, m->sum, (size_t)m->n_places, (uint64_t)n_places,
                          each);
    m->n = arena_regrow(job->means->arena, m->n, (size_t)m->n_places, (uint64_t)n_places,
                        sizeof *m->n);
    m->n_places = n_places;
}

static void means_new(struct ablate_job *job)
{
    struct arena *a = job->job.s.a;

    job->means = arena_alloc(a, 1, sizeof *job->means);
    job->means->arena = arena_child(a);
    job->means->values.one_row = !job->args->by_position;
    for (int stack = 0; stack < N_STACK; stack++)
        if (has_stack(job, stack))
            means_grow(job, stack, 1);
}

/* ---- of all texts ---- */

static void means_add_row(double *sum, const float *z, int width)
{
    for (int k = 0; k < width; k++)
        sum[k] += (double)z[k];
}

static void means_add_rows(struct ablate_job *job, int stack, float *const *z, int n_rows)
{
    struct mean *m = &job->means->of[stack];
    int width = means_width_of(job, stack);

    if (!job->means->values.one_row)
        means_grow(job, stack, n_rows);
    for (int i = 0; i < n_rows; i++) {
        size_t place = job->means->values.one_row ? 0 : (size_t)i;
        double *sum = m->sum + place * means_size_of(job, stack);

        for (int l = 0; l < means_layers_of(job, stack); l++)
            means_add_row(sum + (int64_t)l * width, z[l] + (int64_t)i * width, width);
        m->n[place]++;
    }
}

static int means_add_text(void *self, struct arena *a, const struct item *item, struct err *e)
{
    struct ablate_job *j = self;
    struct ablate_run run = { .j = j, .a = a, .item = *item };

    if (ablate_run(&run, true, e) != 0)
        return -1;
    for (int stack = 0; stack < N_STACK; stack++)
        if (j->means->of[stack].sum != NULL)
            means_add_rows(j, stack, run.z[stack],
                           stack == STACK_ENCODER && run.encoded != NULL ? run.S : run.T);
    return 0;
}

/* The values [L] of [n_places, H d_v] of an attention. */
static float **values_of(struct ablate_job *job, int stack)
{
    struct arena *a = job->job.s.a;
    float **z = arena_alloc(a, (size_t)means_layers_of(job, stack), sizeof *z);

    for (int l = 0; l < means_layers_of(job, stack); l++)
        z[l] = arena_alloc(a, (size_t)job->means->of[stack].n_places,
                           (size_t)means_width_of(job, stack) * sizeof **z);
    job->means->values.z[stack] = z;
    return z;
}

static void divide(struct ablate_job *job, int stack)
{
    const struct mean *m = &job->means->of[stack];
    float **z = values_of(job, stack);
    int width = means_width_of(job, stack);

    for (int place = 0; place < m->n_places; place++)
        for (int l = 0; m->n[place] > 0 && l < means_layers_of(job, stack); l++) {
            const double *sum = m->sum + (size_t)place * means_size_of(job, stack) + l * width;

            for (int k = 0; k < width; k++)
                z[l][place * width + k] = (float)(sum[k] / (double)m->n[place]);
        }
}

/* ---- files ---- */

/* Of an array of means: [L, H, d_v], by position [positions, L, H, d_v]. */
struct shape {
    int64_t dim[4];
    int n;
};

static struct shape means_shape_of(const struct ablate_job *job, int stack, int64_t n_places)
{
    const struct config *config = &ablate_model(job, (enum stack_id)stack)->config;
    int64_t L = config->n_layers, H = config->n_heads, d = config->d_value;

    return job->args->by_position ? (struct shape){ { n_places, L, H, d }, 4 } :
                                    (struct shape){ { L, H, d }, 3 };
}

/* The array of how many texts each mean is of. */
static const char *texts_name(struct arena *a, int stack)
{
    return arena_printf(a, "%s.texts", family_stack_names[stack]);
}

static void write_stack(const struct ablate_job *job, struct npz *npz, int stack)
{
    const struct ablate_means *means = job->means;
    const struct mean *m = &means->of[stack];
    struct shape shape = means_shape_of(job, stack, m->n_places);
    int width = means_width_of(job, stack), L = means_layers_of(job, stack);
    int i = npz_add(npz, family_stack_names[stack], DTYPE_F32, shape.n, shape.dim);

    for (int place = 0; place < m->n_places; place++)
        for (int l = 0; l < L; l++)
            npz_put(npz, i, ((int64_t)place * L + l) * width,
                    means->values.z[stack][l] + (int64_t)place * width, width);
    if (!job->args->by_position)
        return;
    i = npz_add(npz, texts_name(job->job.s.a, stack), DTYPE_I64, 1, shape.dim);
    npz_put(npz, i, 0, m->n, m->n_places);
}

/* The array that says which weights they are of: the 64 bits of a hash. */
static const char weights_name[] = "weights_hash";

static int64_t weights_number(const struct ablate_job *job)
{
    return (int64_t)model_hash_weights(job->job.s.model);
}

static int write_file(const struct ablate_job *job, const char *path, struct err *e)
{
    const int64_t one = 1;
    struct out out;
    struct npz *npz;
    int i;

    if (out_open(&out, path, OUT_SEEKABLE, e) != 0)
        return -1;
    npz = npz_new(job->job.s.a, out.file);
    for (int stack = 0; stack < N_STACK; stack++)
        if (job->means->of[stack].sum != NULL)
            write_stack(job, npz, stack);
    i = npz_add(npz, weights_name, DTYPE_I64, 1, &one);
    npz_put(npz, i, 0, &(int64_t){ weights_number(job) }, 1);
    if (npz_finish(npz, e) == 0)
        return out_commit(&out, e);
    out_abort(&out);
    return -1;
}

/* The array of means of an attention; NULL: ERR_INPUT. */
static const struct tensor *find_means(const struct ablate_job *job, const struct weights *weights,
                                       const char *path, int stack, struct err *e)
{
    const struct tensor *t = weights_find(weights, family_stack_names[stack]);
    struct shape want = means_shape_of(job, stack, t != NULL && t->n_dims > 0 ? t->shape[0] : 0);
    const char *places = want.n == 4 ? "positions," : "";
    const int64_t *dims = want.dim + want.n - 3;

    if (t != NULL && t->n_dims == want.n && t->shape[0] > 0 && t->shape[0] <= INT_MAX &&
        memcmp(t->shape, want.dim, (size_t)want.n * sizeof *want.dim) == 0)
        return t;
    if (t == NULL)
        err_set(e, ERR_INPUT, "%s: holds no array %s, expected one [%s%d,%d,%d]", path,
                family_stack_names[stack], places, (int)dims[0], (int)dims[1], (int)dims[2]);
    else
        err_set(e, ERR_INPUT, "%s: %s: shape %s, expected [%s%d,%d,%d] of %s", path, t->name,
                tensor_shape(job->job.s.a, t), places, (int)dims[0], (int)dims[1], (int)dims[2],
                job->job.s.model->name);
    return NULL;
}

static int read_means(struct ablate_job *job, const struct tensor *tensor, const char *path,
                      int stack, struct err *e)
{
    struct mean *m = &job->means->of[stack];
    int width = means_width_of(job, stack), L = means_layers_of(job, stack);
    float **z;

    means_grow(job, stack, tensor->n_dims == 4 ? (int)tensor->shape[0] : 1);
    z = values_of(job, stack);
    for (int64_t i = 0; i < tensor->n_elements; i++) {
        int64_t place = i / width / L, l = i / width % L;
        int k = (int)(i % width);
        float *to = &z[l][place * width + k];

        tensor_read(to, tensor, i, 1);
        if (!isfinite(*to))
            return err_set(e, ERR_INPUT, "%s: %s: a mean of layer %d, head %d is not finite",
                           path, tensor->name, (int)l, k / (int)tensor->shape[tensor->n_dims - 1]);
    }
    m->n[0] = INT64_MAX;
    return 0;
}

static int read_texts(struct ablate_job *job, const struct weights *weights, const char *path,
                      int stack, struct err *e)
{
    struct mean *m = &job->means->of[stack];
    const char *name = texts_name(job->job.s.a, stack);
    const struct tensor *t = weights_find(weights, name);

    if (t == NULL || t->n_dims != 1 || t->shape[0] != m->n_places)
        return err_set(e, ERR_INPUT, "%s: %s: expected an array [%d], how many texts each "
                       "position's means are of", path, name, m->n_places);
    for (int i = 0; i < m->n_places; i++) {
        float n;

        tensor_read(&n, t, i, 1);
        if (!(n >= 0 && n < 0x1p62f))
            return err_set(e, ERR_INPUT, "%s: %s: %g is not a number of texts", path, name,
                           (double)n);
        m->n[i] = (int64_t)n;
    }
    return 0;
}

static int read_stack(struct ablate_job *job, const struct weights *weights, const char *path,
                      int stack, struct err *e)
{
    const struct tensor *t = find_means(job, weights, path, stack, e);

    if (t == NULL || read_means(job, t, path, stack, e) != 0)
        return -1;
    return job->args->by_position ? read_texts(job, weights, path, stack, e) : 0;
}

static int check_weights(const struct ablate_job *job, const struct weights *weights,
                         const char *path, struct err *e)
{
    const struct tensor *t = weights_find(weights, weights_name);
    uint64_t want = (uint64_t)weights_number(job), found;

    if (t == NULL || t->dtype != DTYPE_I64 || t->n_elements != 1)
        return err_set(e, ERR_INPUT, "%s: holds no array %s of one int64, expected that of "
                       "--means-out", path, weights_name);
    found = bytes_get(t->data, 8);
    return found == want ? 0 :
           err_set(e, ERR_INPUT, "%s: %s: found %016" PRIx64 ", expected %016" PRIx64
                   ", that of %s", path, weights_name, found, want, job->job.s.name);
}

static int means_read_file(struct ablate_job *job, const char *path, struct err *e)
{
    struct weights *w = npz_open(job->job.s.a, path, e);
    int status = w != NULL ? 0 : -1;

    for (int stack = 0; status == 0 && stack < N_STACK; stack++)
        if (job->means->of[stack].sum != NULL)
            status = read_stack(job, w, path, stack, e);
    if (status == 0)
        status = check_weights(job, w, path, e);
    weights_close(w);
    return status;
}

static bool is_piped(const struct asked *asked)
{
    return asked->file == NULL || strcmp(asked->file, "-") == 0;
}

int ablate_means(struct ablate_job *job, struct err *e)
{
    const struct ablate_args *args = job->args;

    if (args->with != ABLATE_MEAN)
        return 0;
    means_new(job);
    if (args->means != NULL)
        return means_read_file(job, args->means, e);
    if (job->job.shard.n > 0 && is_piped(&args->shared.asked))
        return err_set(e, ERR_USAGE, "--with mean: a shard of texts from a pipe requires "
                       "--means FILE");
    if (job_again(&job->job, means_add_text, job, e) != 0)
        return -1;
    for (int stack = 0; stack < N_STACK; stack++)
        if (job->means->of[stack].sum != NULL)
            divide(job, stack);
    return args->means_out != NULL ? write_file(job, args->means_out, e) : 0;
}

/* Each of n rows has a mean of enough texts. */
static bool reaches(const struct mean *mean, int n)
{
    if (n > mean->n_places)
        return false;
    for (int i = 0; i < n; i++)
        if (mean->n[i] < LEAST_TEXTS)
            return false;
    return true;
}

const struct ablate_values *ablate_means_values(const struct ablate_job *job,
                                                const struct item *item)
{
    const struct ablate_means *m = job->means;
    bool pair = job->job.s.model->decoder != NULL;

    for (int stack = 0; !m->values.one_row && stack < N_STACK; stack++) {
        int n = stack == STACK_ENCODER && pair ? item->tokens.n :
                                                 session_queries(&job->job.s, item)->n;

        if (m->of[stack].sum != NULL && !reaches(&m->of[stack], n))
            return NULL;
    }
    return &m->values;
}

/* ---- partners ---- */

struct ablate_partners {
    struct arena *arena;        /* lives through the texts */
    struct item *item;          /* [n] of one length each: ids and types alone */
    int n;
};

struct ablate_partners *ablate_partners_new(struct arena *like)
{
    struct ablate_partners *p = arena_alloc(like, 1, sizeof *p);

    p->arena = arena_child(like);
    return p;
}

static struct item *means_find(const struct ablate_partners *partners, const struct item *item)
{
    for (int i = 0; i < partners->n; i++)
        if (partners->item[i].tokens.n == item->tokens.n &&
            partners->item[i].target.n == item->target.n)
            return &partners->item[i];
    return NULL;
}

static struct tokens room_for(struct arena *a, const struct tokens *tokens)
{
    return (struct tokens){ .n = tokens->n, .id = arena_alloc(a, (size_t)tokens->n, sizeof(int)),
                            .type = arena_alloc(a, (size_t)tokens->n, sizeof(int)) };
}

static struct item *means_add(struct ablate_partners *partners, const struct item *item)
{
    partners->item = arena_regrow(partners->arena, partners->item, (size_t)partners->n,
                                  (uint64_t)partners->n + 1, sizeof *partners->item);
    partners->item[partners->n] = (struct item){ .text = "", .tokens = room_for(partners->arena,
                                                                                &item->tokens),
                                                 .target = room_for(partners->arena,
                                                                    &item->target) };
    return &partners->item[partners->n++];
}

static void copy_tokens(struct tokens *tokens, const struct tokens *from)
{
    if (from->n == 0)
        return;
    memcpy(tokens->id, from->id, (size_t)from->n * sizeof *tokens->id);
    memcpy(tokens->type, from->type, (size_t)from->n * sizeof *tokens->type);
}

static void means_keep(struct ablate_partners *partners, struct item *at, const struct item *item)
{
    if (at == NULL)
        at = means_add(partners, item);
    copy_tokens(&at->tokens, &item->tokens);
    copy_tokens(&at->target, &item->target);
    at->index = item->index;
}

int ablate_partner(struct ablate_job *job, struct arena *a, const struct item *item,
                   const struct ablate_values **out, struct err *e)
{
    struct item *partner = means_find(job->partners, item);
    struct ablate_values *values = arena_alloc(a, 1, sizeof *values);
    struct ablate_run run = { .j = job, .a = a };
    int status = 0;

    *out = NULL;
    if (partner != NULL) {
        run.item = *partner;
        status = ablate_run(&run, true, e);
        memcpy(values->z, run.z, sizeof values->z);
        *out = values;
    }
    means_keep(job->partners, partner, item);
    return status;
}

void ablate_partner_passed(void *self, const struct item *item)
{
    struct ablate_job *j = self;

    means_keep(j->partners, means_find(j->partners, item), item);
}
