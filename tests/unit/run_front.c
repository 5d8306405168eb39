/* SPDX-License-Identifier: MIT
 * Fronts against their formulas in double: patches of a picture, convolutions of sound, and of
 * samples with what says where their rows are,
 * rows as they are.  Layers add nothing here, so that the hidden states are the front's rows
 * with their positions, normed.  And shapes that a model does not take.
 * file_tags=threads */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "model/family_slots.h"
#include "run/run.h"

static struct arena arena;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

/* ---- models of chance ---- */

static double chance(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

/* A safetensors file in the making. */
struct file {
    char *header;
    float *data;
    size_t n;
    unsigned seed;
};

static void add(struct file *f, const char *name, size_t n, const char *shape, bool zero)
{
    f->header = arena_printf(&arena, "%s%s\"%s\":{\"dtype\":\"F32\",\"shape\":[%s],"
                             "\"data_offsets\":[%zu,%zu]}", f->header, f->n > 0 ? "," : "",
                             name, shape, 4 * f->n, 4 * (f->n + n));
    for (size_t i = 0; i < n; i++)
        f->data[f->n + i] = zero ? 0 : (float)chance(&f->seed);
    f->n += n;
}

/* [out, in] weights, or [out] where in is 0, and a bias of zeros. */
static void add_named(struct file *f, const char *name, const char *prefix, int layer,
                      size_t out, size_t in, bool zero)
{
    char *full = arena_printf(&arena, name, layer);
    char *shape = in > 0 ? arena_printf(&arena, "%zu,%zu", out, in)
                         : arena_printf(&arena, "%zu", out);

    add(f, arena_printf(&arena, "%s%s.weight", prefix, full), out * (in > 0 ? in : 1), shape,
        zero);
    add(f, arena_printf(&arena, "%s%s.bias", prefix, full), out,
        arena_printf(&arena, "%zu", out), true);
}

/* One layer of a stack of width D and mlp F that adds nothing to its rows. */
static void add_layer(struct file *f, const struct family *family, size_t D, size_t F)
{
    for (int s = 0; s < N_SLOT; s++) {
        const char *name = family_names(family, (enum slot)s);
        bool up = s == W_UP, down = s == W_DOWN;

        if (name == NULL || (family_slots[s].count != PER_LAYER && s != W_FINAL_NORM))
            continue;
        add_named(f, name, "", 0, up ? F : D,
                  family_slots[s].kind == SLOT_NORM ? 0 : down ? F : D,
                  s == W_O || s == W_CROSS_O || down);
    }
}

static struct file new_file(void)
{
    struct file f = { .header = arena_strdup(&arena, "{"), .seed = 7 };

    f.data = arena_alloc(&arena, 1 << 20, sizeof *f.data);
    return f;
}

static struct model *try_file(const struct file *f, const struct family *family,
                              const char *config, struct err *e)
{
    struct model *m = arena_alloc(&arena, 1, sizeof *m);
    const char *header = arena_printf(&arena, "%s}", f->header);
    size_t n = strlen(header);
    unsigned char *bytes = arena_alloc(&arena, 8 + n + 4 * f->n, 1);

    bytes_put(bytes, n, 8);
    memcpy(bytes + 8, header, n);
    memcpy(bytes + 8 + n, f->data, 4 * f->n);
    m->name = "m";
    m->weights = weights_open_memory(&arena, (struct span){ bytes, 8 + n + 4 * f->n }, "w", e);
    if (m->weights == NULL ||
        config_read(&m->config, &m->family, &arena,
                    (struct span){ (const unsigned char *)config, strlen(config) }, "c", TOWER_NONE,
                    e) != 0)
        fail_msg("%s", e->msg);
    if (family != NULL)
        m->family = family;
    return model_bind(m, &arena, e) == 0 ? m : NULL;
}

static struct model *open_file(const struct file *f, const struct family *family,
                               const char *config)
{
    struct err e = { ERR_NONE, "" };
    struct model *m = try_file(f, family, config, &e);

    if (m == NULL)
        fail_msg("%s", e.msg);
    return m;
}

static const float *tensor(const struct model *m, const char *name)
{
    const struct tensor *t = weights_find(m->weights, name);
    float *values;

    if (t == NULL)
        fail_msg("no %s", name);
    values = arena_alloc(&arena, (size_t)t->n_elements, sizeof *values);
    tensor_read(values, t, 0, t->n_elements);
    return values;
}

/* ---- the pass ---- */

static float *hidden_of(const struct model *m, const struct values *v, int n_texts,
                        int threads)
{
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(threads, &e);
    int *start = arena_alloc(&arena, (size_t)n_texts + 1, sizeof *start);
    struct batch b = { n_texts, start, .values = v };
    struct wanted want = { 0 };

    assert_non_null(par);
    for (int t = 0; t < n_texts; t++) {
        int n = front_positions(m, &v[t], &e);

        if (n < 0)
            fail_msg("%s", e.msg);
        start[t + 1] = start[t] + n;
    }
    want.hidden = arena_alloc(&arena, (size_t)(start[n_texts] * m->config.d_model),
                              sizeof(float));
    if (run_forward(m, &b, &want, NULL, 0, par, &arena, &e) != 0)
        fail_msg("%s", e.msg);
    par_free(par);
    return want.hidden;
}

static struct values values_of(const struct model *m, int rows, unsigned seed)
{
    struct values v = { 0 };
    int64_t n = 1;
    float *x;

    v.n_dims = front_dims(m, v.dim);
    for (int i = 0; i < v.n_dims; i++) {
        v.dim[i] = v.dim[i] < 0 ? rows : v.dim[i];
        n *= v.dim[i];
    }
    x = arena_alloc(&arena, (size_t)n, sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)chance(&seed);
    v.x = x;
    return v;
}

/* The norm of a row in double, weight of the stack's last norm. */
static void norm(double *row, const float *weight, int D, double eps)
{
    double mean = 0, var = 0;

    for (int i = 0; i < D; i++)
        mean += row[i] / D;
    for (int i = 0; i < D; i++)
        var += (row[i] - mean) * (row[i] - mean) / D;
    for (int i = 0; i < D; i++)
        row[i] = (row[i] - mean) / sqrt(var + eps) * (double)weight[i];
}

/* Alone and among others, on any number of threads: the same bytes. */
static void same_when_packed(const struct model *m, const struct values *v, const float *one,
                             int n)
{
    const struct values three[] = { values_of(m, 5, 3), *v, values_of(m, 9, 4) };
    struct err e;
    int before = front_positions(m, &three[0], &e);
    int64_t D = m->config.d_model;

    for (int threads = 1; threads <= 3; threads += 2) {
        const float *all = hidden_of(m, three, 3, threads);

        assert_memory_equal(all + before * D, one, (size_t)(n * D) * sizeof *one);
    }
}

/* ---- patches ---- */

#define VIT "{\"model_type\":\"vit\",\"num_hidden_layers\":1,\"num_attention_heads\":2," \
            "\"hidden_size\":6,\"intermediate_size\":4,\"num_channels\":2"

static struct model *open_vit(int rows, int columns, int P, int Q)
{
    struct file f = new_file();
    size_t D = 6, n = (size_t)(rows / P) * (size_t)(columns / Q) + 1;

    add_layer(&f, family_find("vit"), D, 4);
    add(&f, "embeddings.cls_token", D, "1,1,6", false);
    add(&f, "embeddings.position_embeddings", n * D, arena_printf(&arena, "1,%zu,6", n), false);
    add(&f, "embeddings.patch_embeddings.projection.weight", D * 2 * (size_t)(P * Q),
        arena_printf(&arena, "6,2,%d,%d", P, Q), false);
    add(&f, "embeddings.patch_embeddings.projection.bias", D, "6", true);
    return open_file(&f, NULL, arena_printf(&arena, VIT ",\"image_size\":[%d,%d],"
                                            "\"patch_size\":[%d,%d]}", rows, columns, P, Q));
}

static double *patches(const struct model *m, const struct values *v)
{
    const float *w = tensor(m, "embeddings.patch_embeddings.projection.weight");
    const float *pos = tensor(m, "embeddings.position_embeddings");
    const float *cls = tensor(m, "embeddings.cls_token");
    int P = m->config.front.patch[0], Q = m->config.front.patch[1], D = m->config.d_model;
    int rows = (int)v->dim[1], columns = (int)v->dim[2], across = columns / Q;
    int n = rows / P * across + 1;
    double *out = arena_alloc(&arena, (size_t)(n * D), sizeof *out);

    for (int i = 0; i < n; i++) {
        for (int d = 0; d < D; d++) {
            double sum = i == 0 ? (double)cls[d] : 0;

            for (int k = 0; i > 0 && k < 2 * P * Q; k++) {
                int y = (i - 1) / across * P + k / Q % P, x = (i - 1) % across * Q + k % Q;

                sum += (double)w[d * 2 * P * Q + k] *
                       (double)v->x[(k / (P * Q) * rows + y) * columns + x];
            }
            out[i * D + d] = sum + (double)pos[i * D + d];
        }
        norm(out + i * D, tensor(m, "layernorm.weight"), D, m->config.norm.eps);
    }
    return out;
}

static void pictures(void **state)
{
    /* Rows, columns, and those of a patch: with a rest; more than 1024 patches. */
    static const int sizes[][4] = { { 8, 12, 4, 4 }, { 7, 5, 2, 3 }, { 2, 3, 2, 3 },
                                    { 70, 34, 2, 1 } };

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct model *m = open_vit(sizes[i][0], sizes[i][1], sizes[i][2], sizes[i][3]);
        struct values v = values_of(m, 0, 1);
        int n = m->config.n_positions;
        const float *got = hidden_of(m, &v, 1, 2);

        check_doubles("hidden", got, patches(m, &v), (int64_t)n * m->config.d_model, 1e-5);
        same_when_packed(m, &v, got, n);
        model_close(m);
    }
}

/* ---- sound ---- */

static struct model *open_whisper(int positions)
{
    const struct family *family = family_find("whisper");
    struct file f = new_file();
    size_t D = 6, n = (size_t)positions;

    add_layer(&f, family, D, 4);
    add_layer(&f, family->decoder, D, 4);
    add(&f, "encoder.conv1.weight", D * 3 * 3, "6,3,3", false);
    add(&f, "encoder.conv1.bias", D, "6", false);
    add(&f, "encoder.conv2.weight", D * D * 3, "6,6,3", false);
    add(&f, "encoder.conv2.bias", D, "6", true);
    add(&f, "encoder.embed_positions.weight", n * D, arena_printf(&arena, "%zu,6", n), false);
    add(&f, "decoder.embed_positions.weight", 2 * D, "2,6", false);
    add(&f, "decoder.embed_tokens.weight", 5 * D, "5,6", false);
    return open_file(&f, NULL, arena_printf(&arena,
        "{\"model_type\":\"whisper\",\"encoder_layers\":1,\"decoder_layers\":1,"
        "\"encoder_attention_heads\":2,\"decoder_attention_heads\":2,\"d_model\":6,"
        "\"encoder_ffn_dim\":4,\"decoder_ffn_dim\":4,\"vocab_size\":5,\"num_mel_bins\":3,"
        "\"max_source_positions\":%d,\"max_target_positions\":2}", positions));
}

/* gelu of a convolution over three frames, x [n_in, channels]. */
static double *conv(const double *x, int n_in, int channels, const float *w,
                    const float *bias, int D, int step)
{
    int n = n_in / step;
    double *out = arena_alloc(&arena, (size_t)(n * D), sizeof *out);

    for (int t = 0; t < n; t++)
        for (int d = 0; d < D; d++) {
            double sum = bias != NULL ? (double)bias[d] : 0;

            for (int c = 0; c < channels; c++)
                for (int k = 0; k < 3; k++) {
                    int at = t * step + k - 1;

                    if (at >= 0 && at < n_in)
                        sum += x[at * channels + c] * (double)w[(d * channels + c) * 3 + k];
                }
            out[t * D + d] = sum / 2 * (1 + erf(sum / sqrt(2)));
        }
    return out;
}

static double *sound(const struct model *m, const struct values *v)
{
    int D = m->config.d_model, frames = (int)v->dim[1], bins = (int)v->dim[0];
    double *x = arena_alloc(&arena, (size_t)(frames * bins), sizeof *x), *out;
    const float *pos = tensor(m, "encoder.embed_positions.weight");

    for (int t = 0; t < frames; t++)
        for (int c = 0; c < bins; c++)
            x[t * bins + c] = (double)v->x[c * frames + t];
    out = conv(x, frames, bins, tensor(m, "encoder.conv1.weight"),
               tensor(m, "encoder.conv1.bias"), D, 1);
    out = conv(out, frames, D, tensor(m, "encoder.conv2.weight"), NULL, D, 2);
    for (int i = 0; i < frames / 2; i++) {
        for (int d = 0; d < D; d++)
            out[i * D + d] += (double)pos[i * D + d];
        norm(out + i * D, tensor(m, "encoder.layer_norm.weight"), D, m->config.norm.eps);
    }
    return out;
}

static void frames_of_sound(void **state)
{
    static const int positions[] = { 1, 9, 64, 1100 };     /* 1024 windows at a time */

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct model *m = open_whisper(positions[i]);
        struct values v = values_of(m, 0, 1);
        const float *got = hidden_of(m, &v, 1, 2);

        check_doubles("hidden", got, sound(m, &v), (int64_t)positions[i] * m->config.d_model, 1e-5);
        same_when_packed(m, &v, got, positions[i]);
        assert_int_equal(m->decoder->max_tokens, 2);
        model_close(m);
    }
}

/* ---- samples ---- */

/* Convolutions of 4 samples 3 apart, then of 2 rows 16 apart: 7 samples a row, 48 apart. */
static struct model *open_wave(bool norms, int taps)
{
    const struct family *family = family_find("wav2vec2");
    struct file f = new_file();
    int n_norms = norms ? 2 : 1;

    add_layer(&f, family, 6, 4);
    add(&f, "feature_extractor.conv_layers.0.conv.weight", 3 * 4, "3,1,4", false);
    add(&f, "feature_extractor.conv_layers.0.conv.bias", 3, "3", false);
    add(&f, "feature_extractor.conv_layers.1.conv.weight", 5 * 3 * 2, "5,3,2", false);
    add(&f, "feature_extractor.conv_layers.1.conv.bias", 5, "5", false);
    for (int i = 0; i < n_norms; i++)
        add_named(&f, "feature_extractor.conv_layers.%d.layer_norm", "", i, i == 0 ? 3 : 5, 0,
                  false);
    add_named(&f, "feature_projection.layer_norm", "", 0, 5, 0, false);
    add_named(&f, "feature_projection.projection", "", 0, 6, 5, false);
    add(&f, "encoder.pos_conv_embed.conv.weight_g", (size_t)taps,
        arena_printf(&arena, "1,1,%d", taps), false);
    add(&f, "encoder.pos_conv_embed.conv.weight_v", (size_t)(6 * 3 * taps),
        arena_printf(&arena, "6,3,%d", taps), false);
    add(&f, "encoder.pos_conv_embed.conv.bias", 6, "6", false);
    return open_file(&f, NULL, arena_printf(&arena,
        "{\"model_type\":\"wav2vec2\",\"num_hidden_layers\":1,\"num_attention_heads\":2,"
        "\"hidden_size\":6,\"intermediate_size\":4,\"conv_dim\":[3,5],\"conv_kernel\":[4,2],"
        "\"conv_stride\":[3,16],\"conv_bias\":true,\"num_conv_pos_embeddings\":%d,"
        "\"num_conv_pos_embedding_groups\":2,\"do_stable_layer_norm\":true,"
        "\"feat_extract_norm\":\"%s\"}", taps, norms ? "layer" : "group"));
}

static double gelu(double x)
{
    return x / 2 * (1 + erf(x / sqrt(2)));
}

/* Each column of x [n, C] over its rows, with the weight of each. */
static void norm_columns(double *x, int64_t n, int C, const float *weight)
{
    for (int c = 0; c < C; c++) {
        double mean = 0, var = 0;

        for (int64_t i = 0; i < n; i++)
            mean += x[i * C + c] / (double)n;
        for (int64_t i = 0; i < n; i++)
            var += (x[i * C + c] - mean) * (x[i * C + c] - mean) / (double)n;
        for (int64_t i = 0; i < n; i++)
            x[i * C + c] = (x[i * C + c] - mean) / sqrt(var + 1e-5) * (double)weight[c];
    }
}

/* gelu of the normed i-th convolution without padding of x [n_in, channels]. */
static double *wave_conv(const struct model *m, int i, const double *x, int64_t n_in, int channels)
{
    const char *name = arena_printf(&arena, "feature_extractor.conv_layers.%d.", i);
    const float *w = tensor(m, arena_printf(&arena, "%sconv.weight", name));
    const float *bias = tensor(m, arena_printf(&arena, "%sconv.bias", name));
    const char *of_norm = arena_printf(&arena, "%slayer_norm.weight", name);
    int C = m->config.front.wave.channels[i], width = m->config.front.wave.width[i];
    int step = m->config.front.wave.step[i];
    int64_t n = (n_in - width) / step + 1;
    double *out = arena_alloc(&arena, (size_t)(n * C), sizeof *out);

    for (int64_t t = 0; t < n; t++)
        for (int d = 0; d < C; d++) {
            out[t * C + d] = (double)bias[d];
            for (int c = 0; c < channels; c++)
                for (int k = 0; k < width; k++)
                    out[t * C + d] += x[(t * step + k) * channels + c] *
                                      (double)w[(d * channels + c) * width + k];
        }
    if (m->config.front.wave.norms)
        for (int64_t t = 0; t < n; t++)
            norm(out + t * C, tensor(m, of_norm), C, 1e-5);
    else if (i == 0)
        norm_columns(out, n, C, tensor(m, of_norm));
    for (int64_t k = 0; k < n * C; k++)
        out[k] = gelu(out[k]);
    return out;
}

/* x + gelu(conv(x)), as x is before any of it. */
static double *with_positions(const struct model *m, const double *x, int64_t n)
{
    const float *g = tensor(m, "encoder.pos_conv_embed.conv.weight_g");
    const float *v = tensor(m, "encoder.pos_conv_embed.conv.weight_v");
    const float *bias = tensor(m, "encoder.pos_conv_embed.conv.bias");
    int K = m->config.front.conv_width;
    double *out = arena_alloc(&arena, (size_t)n * 6, sizeof *out), size[16] = { 0 };

    for (int i = 0; i < 18 * K; i++)
        size[i % K] += (double)v[i] * (double)v[i];
    for (int64_t t = 0; t < n; t++)
        for (int d = 0; d < 6; d++) {
            double sum = (double)bias[d];

            for (int c = 0; c < 3; c++)
                for (int k = 0; k < K; k++)
                    if (t + k - K / 2 >= 0 && t + k - K / 2 < n)
                        sum += x[(t + k - K / 2) * 6 + d / 3 * 3 + c] *
                               (double)v[(d * 3 + c) * K + k] * (double)g[k] / sqrt(size[k]);
            out[t * 6 + d] = x[t * 6 + d] + gelu(sum);
        }
    return out;
}

static double *samples(const struct model *m, const struct values *v, int64_t n)
{
    const float *w = tensor(m, "feature_projection.projection.weight");
    int64_t n_in = v->dim[0];
    double *x = arena_alloc(&arena, (size_t)n_in, sizeof *x);
    double *out = arena_alloc(&arena, (size_t)n * 6, sizeof *out);

    for (int64_t i = 0; i < n_in; i++)
        x[i] = (double)v->x[i];
    x = wave_conv(m, 0, x, n_in, 1);
    x = wave_conv(m, 1, x, (n_in - 4) / 3 + 1, 3);
    for (int64_t t = 0; t < n; t++) {
        norm(x + t * 5, tensor(m, "feature_projection.layer_norm.weight"), 5, 1e-5);
        for (int d = 0; d < 6; d++)
            for (int c = 0; c < 5; c++)
                out[t * 6 + d] += x[t * 5 + c] * (double)w[d * 5 + c];
    }
    out = with_positions(m, out, n);
    for (int64_t t = 0; t < n; t++)
        norm(out + t * 6, tensor(m, "encoder.layer_norm.weight"), 6, 1e-5);
    return out;
}

/* Three samples that no row reads; windows, and rows of the first convolution, in blocks of
 * 1024 and of 16384. */
static void samples_of_sound(void **state)
{
    static const int rows[] = { 1, 2, 70, 1100 };

    (void)state;
    for (int i = 0; i < 8; i++) {
        struct model *m = open_wave(i % 2 == 0, i / 2 % 2 == 0 ? 4 : 5);
        struct values v = values_of(m, 10 + 48 * (rows[i / 2] - 1), 1);
        const float *got = hidden_of(m, &v, 1, 2), *again = hidden_of(m, &v, 1, 1);

        check_doubles("hidden", got, samples(m, &v, rows[i / 2]), (int64_t)rows[i / 2] * 6, 2e-5);
        assert_memory_equal(got, again, (size_t)rows[i / 2] * 6 * sizeof *got);
        model_close(m);
    }
}

static void samples_beside_others(void **state)
{
    struct model *m = open_wave(false, 4);
    const struct values three[] = { values_of(m, 400, 1), values_of(m, 3200, 2),
                                    values_of(m, 7, 3) };
    const float *all = hidden_of(m, three, 3, 3), *one;

    (void)state;
    one = hidden_of(m, &three[1], 1, 1);
    assert_memory_equal(all + 9 * 6, one, 67 * 6 * sizeof *one);
    one = hidden_of(m, &three[2], 1, 1);
    assert_memory_equal(all + 76 * 6, one, 6 * sizeof *one);
    model_close(m);
}

/* ---- rows ---- */

/* vit's layers behind rows that are given. */
static struct model *open_rows(struct family *f)
{
    struct file file = new_file();

    *f = *family_find("vit");
    f->front = FRONT_ROWS;
    f->positions = POS_NONE;
    f->stack.name[W_PATCH] = f->stack.name[W_CLS] = f->stack.name[W_POS] = NULL;
    add_layer(&file, f, 6, 4);
    return open_file(&file, f, VIT "}");
}

static void rows_as_they_are(void **state)
{
    struct family family;
    struct model *m = open_rows(&family);
    struct values v = values_of(m, 70, 1);
    const float *got = hidden_of(m, &v, 1, 2);
    double *want = arena_alloc(&arena, 70 * 6, sizeof *want);

    (void)state;
    for (int i = 0; i < 70; i++) {
        for (int d = 0; d < 6; d++)
            want[i * 6 + d] = (double)v.x[i * 6 + d];
        norm(want + i * 6, tensor(m, "layernorm.weight"), 6, m->config.norm.eps);
    }
    check_doubles("hidden", got, want, 70 * 6, 1e-5);
    same_when_packed(m, &v, got, 70);
    model_close(m);
}

/* ---- what is refused ---- */

static void refused(const struct model *m, struct values v, const char *why)
{
    struct err e = { ERR_NONE, "" };

    assert_int_equal(front_positions(m, &v, &e), -1);
    assert_int_equal(e.kind, ERR_INPUT);
    assert_string_equal(e.msg, why);
}

static void other_shapes(void **state)
{
    struct family family;
    struct model *vit = open_vit(8, 12, 4, 4), *rows = open_rows(&family);
    struct model *wave = open_wave(false, 4);
    char shape[64];

    (void)state;
    refused(vit, (struct values){ 3, { 2, 12, 8 } }, "shape [2,12,8], expected [2,8,12]");
    refused(vit, (struct values){ 2, { 8, 12 } }, "shape [8,12], expected [2,8,12]");
    refused(vit, (struct values){ 0 }, "shape [], expected [2,8,12]");
    refused(rows, (struct values){ 2, { 4, 5 } }, "shape [4,5], expected [T,6]");
    refused(rows, (struct values){ 2, { 0, 6 } },
            arena_printf(&arena, "0 rows, expected 1 to %d", rows->max_tokens));
    refused(rows, (struct values){ 2, { INT64_MAX, 6 } },
            arena_printf(&arena, "9223372036854775807 rows, expected 1 to %d", rows->max_tokens));
    front_shape(rows, shape);
    assert_string_equal(shape, "[T,6]");
    refused(wave, (struct values){ 1, { 6 } }, "6 samples, of which the convolutions make no row: "
            "expected at least 7");
    refused(wave, (struct values){ 1, { 0 } }, "0 samples, of which the convolutions make no row: "
            "expected at least 7");
    refused(wave, (struct values){ 1, { INT64_MAX } }, arena_printf(&arena,
            "9223372036854775807 samples make 192153584101141163 rows, expected at most %d",
            wave->max_tokens));
    refused(wave, (struct values){ 2, { 1, 9 } }, "shape [1,9], expected [T]");
    front_shape(wave, shape);
    assert_string_equal(shape, "[T]");
    assert_true(front_hears(wave) && !front_hears(vit) && front_sees(vit) && !front_sees(wave));
    assert_true(front_seconds(wave) == 48 / 16000.0 && front_seconds(vit) == 0);
    model_close(wave);
    model_close(vit);
    model_close(rows);
}

/* Parts of a front that are not there, or have another shape. */
static void other_kernels(void **state)
{
    static const struct {
        const char *cls, *pos, *patch, *why;    /* shapes; NULL: not in the file */
    } cases[] = {
        { "6", "7,6", "6,2,4,4", NULL },
        { "1,6", "1,1,7,6", "6,2,4,4", NULL },
        { NULL, "7,6", "6,2,4,4", "m: has no tensor embeddings.cls_token, expected [6] "
          "(first row)" },
        { "6", NULL, "6,2,4,4", "m: has no tensor embeddings.position_embeddings.weight, "
          "expected [7,6] (position table)" },
        { "6", "7,6", NULL, "m: has no tensor "
          "embeddings.patch_embeddings.projection.weight, expected [6,2,4,4] (projection of "
          "patches)" },
        { "2,3", "7,6", "6,2,4,4", "w: embeddings.cls_token: shape [2,3], expected [6]" },
        { "6", "7,6,1", "6,2,4,4", "w: embeddings.position_embeddings: shape [7,6,1], "
          "expected [7,6]" },
        { "6", "7,6", "6,4,4,2", "w: embeddings.patch_embeddings.projection.weight: shape "
          "[6,4,4,2], expected [6,2,4,4]" },
        { "6", "7,6", "6,32", "w: embeddings.patch_embeddings.projection.weight: shape "
          "[6,32], expected [6,2,4,4]" },
        { "6", "7,6", "1,6,2,4,4", "w: embeddings.patch_embeddings.projection.weight: "
          "shape [1,6,2,4,4], expected [6,2,4,4]" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err e = { ERR_NONE, "" };
        struct file f = new_file();

        add_layer(&f, family_find("vit"), 6, 4);
        if (cases[i].cls != NULL)
            add(&f, "embeddings.cls_token", 6, cases[i].cls, false);
        if (cases[i].pos != NULL)
            add(&f, "embeddings.position_embeddings", 42, cases[i].pos, false);
        if (cases[i].patch != NULL)
            add(&f, "embeddings.patch_embeddings.projection.weight", 192, cases[i].patch, false);
        add(&f, "embeddings.patch_embeddings.projection.bias", 6, "6", true);
        if (try_file(&f, NULL, VIT ",\"image_size\":[8,12],\"patch_size\":4}", &e) == NULL)
            assert_string_equal(e.msg, cases[i].why != NULL ? cases[i].why : "");
        else
            assert_null(cases[i].why);
    }
}

static void other_inputs(void **state)
{
    struct model *m = open_vit(8, 12, 4, 4);
    const int start[] = { 0, 7 }, short_start[] = { 0, 6 }, id[7] = { 0 };
    struct values v = values_of(m, 0, 1);
    struct wanted want = { 0 };
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(1, &e);

    (void)state;
    assert_int_equal(run_forward(m, &(struct batch){ 1, start, id, NULL, NULL }, &want, NULL, 0,
                                 par, &arena, &e), -1);
    assert_string_equal(e.msg, "m reads an array of numbers, not ids");
    assert_int_equal(run_forward(m, &(struct batch){ 1, short_start, .values = &v }, &want,
                                 NULL, 0, par, &arena, &e), -1);
    assert_string_equal(e.msg, "the array yields 7 positions, expected 6");
    par_free(par);
    model_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pictures, setup, teardown),
        cmocka_unit_test_setup_teardown(frames_of_sound, setup, teardown),
        cmocka_unit_test_setup_teardown(samples_of_sound, setup, teardown),
        cmocka_unit_test_setup_teardown(samples_beside_others, setup, teardown),
        cmocka_unit_test_setup_teardown(rows_as_they_are, setup, teardown),
        cmocka_unit_test_setup_teardown(other_shapes, setup, teardown),
        cmocka_unit_test_setup_teardown(other_kernels, setup, teardown),
        cmocka_unit_test_setup_teardown(other_inputs, setup, teardown),
    };

    return _cmocka_run_group_tests("run_front", tests, sizeof tests / sizeof tests[0], NULL,
                                   NULL);
}
