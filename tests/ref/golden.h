/* SPDX-License-Identifier: MIT
 * Cases of reference data, for tests: folders with a model, expected.json and
 * expected.npz (tests/ref/make.py says what they hold). */
#ifndef REF_GOLDEN_H
#define REF_GOLDEN_H

#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "run/special/front.h"
#include "weights/npz.h"

static const char *const golden_own[] = { "bert", "bert_old", "gpt2", "llama", "gguf_bert",
                                          "gguf_llama", NULL };

/* Of a base with an adapter in its folder adapter/ (make_adapters.py): of both merged. */
static const char *const golden_adapted[] = { "adapters/bert", "adapters/gpt2",
                                              "adapters/gpt2_dora", "adapters/llama",
                                              "adapters/llama_tied", "adapters/llama_head",
                                              "adapters/gpt2_tied", NULL };

/* Of weights as quantisers pack them (make_packed.py). */
static const char *const golden_packed[] = { "packed/awq", "packed/fp4", "packed/fp8",
                                             "packed/fp8_block", "packed/gptq2", "packed/gptq4",
                                             "packed/gptq8", "packed/int4", "packed/int4_zeros",
                                             "packed/int8", "packed/nf4", "packed/nvfp4", NULL };

enum { GOLDEN_MAX = 512 };      /* cases of a test program, at most */

/* "KIND/NAME" of each folder in tests/ref/KIND (made by make_families.py), sorted; for
 * one kind a program. */
static inline const char *const *golden_folders(const char *kind)
{
    static char name[GOLDEN_MAX][64];
    static const char *list[GOLDEN_MAX + 1];
    struct dirent **entry = NULL;
    int n, found = 0;

    snprintf(name[0], sizeof name[0], "tests/ref/%.40s", kind);
    n = scandir(name[0], &entry, NULL, alphasort);

    for (int i = 0; i < n; i++) {
        if (entry[i]->d_name[0] != '.' && found < GOLDEN_MAX) {
            snprintf(name[found], sizeof name[found], "%.20s/%.40s", kind,
                     entry[i]->d_name);
            list[found] = name[found];
            found++;
        }
        free(entry[i]);
    }
    free(entry);
    list[found] = NULL;
    return list;
}

/* In MHA_VIZ_SHARED, which not everybody has. */
static const char *const golden_shared[] = {
    "bert", "bert_bare", "bert_oldnames", "gpt2", "gpt2_bare", "llama", "llama_headdim",
    "llama3_rope",
    "distilbert", "roberta", "xlm_roberta", "electra", "albert", "extra/albert_groups",
    "modernbert", "gpt_neo", "gpt_neox", "gptj", "opt", "extra/opt_postnorm",
    "extra/falcon", "mistral", "mixtral", "qwen2", "extra/qwen2_window", "qwen3",
    "extra/qwen3_moe", "gemma", "extra/gemma3", "phi", "phi3", "extra/phi3_longrope",
    "extra/starcoder2", "extra/olmo2", "extra/llama_yarn", "deepseek_v2", "deepseek_v3",
    "gguf_bert_f32", "gguf_bert_q8_0", "extra/gguf_bert_f16", "extra/gguf_bert_q4_0",
    "gguf_gpt2_f32", "gguf_gpt2_q4_0", "gguf_gpt2_q8_0", "extra/gguf_gpt2_f16",
    "gguf_llama3_f16", "gguf_llama3_q8_0", "gguf_llama_f16", "gguf_llama_f32",
    "gguf_llama_k_q4_k_m", "gguf_llama_q4_0", "gguf_llama_q8_0", "extra/gguf_llama_bf16",
    "extra/gguf_llama_k_q2_k", "extra/gguf_llama_k_q3_k", "extra/gguf_llama_k_q5_k",
    "extra/gguf_llama_k_q6_k", "extra/gguf_llama_q4_1", "extra/gguf_llama_q5_0",
    "extra/gguf_llama_q5_1", "gguf_qwen2_f16", "extra/gguf_qwen2_q4_0",
    "extra/gguf_qwen3_q8_0", "gguf_gemma2_q8_0", "extra/gguf_gemma2_f32",
    "bloom", "extra/bloom_alibi6", "extra/mpnet", "gemma2", "extra/vit", "longformer",
    "big_bird", "extra/big_bird_full", "extra/reformer_local", "extra/reformer_lsh",
    "extra/deberta", "deberta_v2", "extra/deberta_v2_conv", "xlnet",
    "more/gemma3n_text", "more/splinter", "more/data2vec_text", "more/roberta_prelayernorm",
    "more/nomic_bert",
    "more/ministral", "more/olmo3", "more/glm", "more/glm4", "more/gpt_bigcode",
    "more/gpt_bigcode_mha", "more/clip_text", "more/stablelm", "more/stablelm_parallel",
    "more/olmoe", "more/ernie", "more/esm", "more/esm1", "more/smollm3", "more/cohere",
    "more/cohere2", "more/exaone4", "more/granite", "more/granitemoe", "more/olmo",
    "more/nemotron", "more/qwen2_moe", "more/phimoe", "more/minicpm3", "more/codegen",
    "more/mpt", "more/biogpt", "more/xglm", "more/rembert", "more/deit", "more/xmod",
    "more/dinov2", "more/beit",
    "more/wav2vec2", "more/wav2vec2_stable", "more/hubert",
    "more/layoutlm", "more/mobilebert", "more/convbert",
    "more/quant_awq", "more/quant_bnb_fp4", "more/quant_bnb_int8", "more/quant_bnb_nf4",
    "more/quant_ct_fp8", "more/quant_ct_int4", "more/quant_ct_int4_zp", "more/quant_fp8_block",
    "more/quant_gptq4", "more/quant_gptq8_v2", "more/quant_nvfp4", "more/gpt_oss",
    "more/quant_mxfp4",
    "more/lora_gpt2", "more/lora_llama", "more/dora_bert", "more/clip", "more/siglip", NULL
};

/* Their SentencePiece tokeniser is not read yet, or they have none: they run by their ids,
 * or by arrays. */
static const char *const golden_by_ids[] = {
    "llama", "llama_headdim", "xlm_roberta", "albert", "extra/albert_groups", "mistral",
    "mixtral", "gemma", "gemma2", "extra/gemma3", "phi3", "extra/phi3_longrope", "extra/vit",
    "more/deit", "more/dinov2", "more/beit",
    "more/wav2vec2", "more/wav2vec2_stable", "more/hubert", NULL
};

struct golden {
    struct arena arena;
    char dir[512];
    char model[530];            /* what -m names: dir, or the adapter in it */
    bool by_ids;
    json_t *root;
    struct weights *npz;
    double tol_attn, tol_hidden, tol_entropy;
    double worst_attn, worst_hidden;    /* for the test to fill: what it saw */
};

/* A text of a run: for a batch, the part of a row that is not padding. */
struct sentence {
    int batch, first, n;        /* row of the batch (-1: no batch), its valid columns */
    int *id, *type;             /* [n]; NULL: it is an array */
    const char **token;         /* [n] */
    unsigned char *global;      /* [n] NULL: the run says nothing of global tokens */
    int *box;                   /* [n, 4] NULL: the run has none */
    struct values values;
    const char *text, *pair;    /* NULL: none; a run without a text is one of ids */
};

static inline bool golden_listed(const char *const *list, const char *name)
{
    for (; *list != NULL; list++)
        if (strcmp(*list, name) == 0)
            return true;
    return false;
}

static inline const char *golden_shared_dir(void)
{
    const char *dir = getenv("MHA_VIZ_SHARED");

    return dir != NULL ? dir : "../shared";
}

/* 0, or -1 with a line on standard output: the case is not there. */
static inline int golden_open(struct golden *g, const char *name, bool shared)
{
    char path[600];
    json_error_t why;
    struct err e;
    json_t *tol;

    memset(g, 0, sizeof *g);
    arena_init(&g->arena, NULL, NULL);
    if (shared)
        snprintf(g->dir, sizeof g->dir, "%.400s/%s/%s", golden_shared_dir(),
                 strncmp(name, "more/", 5) == 0 ? "goldens_more" : "goldens",
                 strncmp(name, "more/", 5) == 0 ? name + 5 : name);
    else
        snprintf(g->dir, sizeof g->dir, "tests/ref/%s", name);
    snprintf(g->model, sizeof g->model, "%s/adapter", g->dir);
    if (!file_is_dir(g->model))
        snprintf(g->model, sizeof g->model, "%s", g->dir);
    g->by_ids = shared ? golden_listed(golden_by_ids, name)
                       : strchr(name, '/') != NULL;
    snprintf(path, sizeof path, "%s/expected.json", g->dir);
    if (!file_exists(path)) {
        printf("skipped: %s is not there\n", path);
        return -1;
    }
    g->root = json_load_file(path, 0, &why);
    snprintf(path, sizeof path, "%s/expected.npz", g->dir);
    g->npz = npz_open(&g->arena, path, &e);
    if (g->root == NULL || g->npz == NULL) {
        printf("%s: %s\n", path, g->root == NULL ? why.text : e.msg);
        abort();
    }
    tol = json_object_get(g->root, "tolerance");
    g->tol_attn = json_number_value(json_object_get(tol, "attn_abs"));
    g->tol_hidden = json_number_value(json_object_get(tol, "hidden_logits_abs"));
    g->tol_entropy = json_number_value(json_object_get(tol, "entropy_abs"));
    return 0;
}

static inline void golden_close(struct golden *g)
{
    if (g->npz != NULL)
        weights_close(g->npz);
    json_decref(g->root);
    arena_finish(&g->arena);
}

static inline const char *golden_id(const json_t *run)
{
    return json_string_value(json_object_get(run, "id"));
}

/* Some of its runs are of ids, or of arrays. */
static inline bool golden_has(const struct golden *g, bool ids)
{
    const json_t *run;
    size_t i;

    json_array_foreach(json_object_get(g->root, "runs"), i, run)
        if ((json_object_get(run, "input_ids") != NULL) == ids)
            return true;
    return false;
}

static inline bool golden_is_batch(const json_t *run)
{
    return json_object_get(run, "texts") != NULL;
}

static inline json_t *golden_row(const json_t *run, const char *key, int batch)
{
    json_t *v = json_object_get(run, key);

    return batch < 0 ? v : json_array_get(v, (size_t)batch);
}

static inline void golden_texts(const json_t *run, struct sentence *s)
{
    const json_t *t = s->batch < 0 ? json_object_get(run, "text")
                                   : golden_row(run, "texts", s->batch);

    s->pair = s->batch < 0 ? json_string_value(json_object_get(run, "pair")) : NULL;
    if (json_is_array(t)) {
        s->pair = json_string_value(json_array_get(t, 1));
        t = json_array_get(t, 0);
    }
    s->text = json_string_value(t);
}

static inline void golden_global(struct golden *g, const json_t *run, struct sentence *s)
{
    const json_t *list = json_object_get(run, "global_tokens");

    if (list == NULL)
        return;
    s->global = arena_alloc(&g->arena, (size_t)s->n, 1);
    for (size_t i = 0; i < json_array_size(list); i++)
        s->global[json_integer_value(json_array_get(list, i))] = 1;
}

static inline void golden_boxes(struct golden *g, const json_t *run, struct sentence *s)
{
    const json_t *list = json_object_get(run, "bbox");

    if (list == NULL)
        return;
    s->box = arena_alloc(&g->arena, (size_t)s->n, 4 * sizeof *s->box);
    for (size_t i = 0; i < 4 * json_array_size(list); i++)
        s->box[i] = (int)json_integer_value(json_array_get(json_array_get(list, i / 4), i % 4));
}

/* The array RUN.NAME as floats with its tensor in *t; NULL: there is none. */
static inline float *golden_array(struct golden *g, const json_t *run, const char *name,
                                  const struct tensor **t)
{
    char full[64];
    float *v;

    snprintf(full, sizeof full, "%s.%s", golden_id(run), name);
    *t = weights_find(g->npz, full);
    if (*t == NULL)
        return NULL;
    v = arena_alloc(&g->arena, (size_t)(*t)->n_elements, sizeof *v);
    tensor_read(v, *t, 0, (*t)->n_elements);
    return v;
}

/* The array of a run that has no ids, and as many positions as its attention. */
static inline struct sentence *golden_values(struct golden *g, const json_t *run)
{
    static const char *const names[] = { "pixel_values", "input_features", "input_values" };
    struct sentence *s = arena_alloc(&g->arena, 1, sizeof *s);
    const struct tensor *t, *attn;

    *s = (struct sentence){ .batch = -1, .text = "" };
    for (int i = 0; i < 3 && s->values.x == NULL; i++)
        s->values.x = golden_array(g, run, names[i], &t);
    if (s->values.x == NULL || golden_array(g, run, "attn.0", &attn) == NULL)
        abort();
    s->n = (int)attn->shape[2];
    s->values.n_dims = t->n_dims;
    memcpy(s->values.dim, t->shape, (size_t)t->n_dims * sizeof t->shape[0]);
    return s;
}

/* The sentences of a run; *n of them. */
static inline struct sentence *golden_sentences(struct golden *g, const json_t *run,
                                                int *n)
{
    bool batch = golden_is_batch(run);
    struct sentence *all;

    *n = 1;
    if (json_object_get(run, "input_ids") == NULL)
        return golden_values(g, run);
    *n = batch ? (int)json_array_size(json_object_get(run, "input_ids")) : 1;
    all = arena_alloc(&g->arena, (size_t)*n, sizeof *all);
    for (int b = 0; b < *n; b++) {
        struct sentence *s = &all[b];
        const json_t *id, *type, *token, *mask;
        int size;

        s->batch = batch ? b : -1;
        golden_texts(run, s);
        id = golden_row(run, "input_ids", s->batch);
        type = golden_row(run, "token_type_ids", s->batch);
        token = golden_row(run, "tokens", s->batch);
        mask = batch ? golden_row(run, "attention_mask", b) : NULL;
        size = (int)json_array_size(id);
        s->id = arena_alloc(&g->arena, (size_t)size, sizeof *s->id);
        s->type = arena_alloc(&g->arena, (size_t)size, sizeof *s->type);
        s->token = arena_alloc(&g->arena, (size_t)size, sizeof *s->token);
        for (int i = 0; i < size; i++) {
            size_t at = (size_t)i;

            if (mask != NULL && json_integer_value(json_array_get(mask, at)) == 0)
                continue;
            if (s->n == 0)
                s->first = i;
            s->id[s->n] = (int)json_integer_value(json_array_get(id, at));
            s->type[s->n] = (int)json_integer_value(json_array_get(type, at));
            s->token[s->n++] = json_string_value(json_array_get(token, at));
        }
        golden_global(g, run, s);
        golden_boxes(g, run, s);
    }
    return all;
}

/* The array WHAT.LAYER of a sentence, [H, n, n], padding cut away; NULL: there is none. */
static inline float *golden_map(struct golden *g, const json_t *run, const char *what,
                                const struct sentence *s, int layer, int H)
{
    char name[32];
    const struct tensor *t;
    float *all, *out;
    int64_t N, n = s->n;

    snprintf(name, sizeof name, "%.9s.%d", what, layer);
    all = golden_array(g, run, name, &t);
    if (all == NULL)
        return NULL;
    N = t->shape[t->n_dims - 1];
    out = arena_alloc(&g->arena, (size_t)(H * n * n), sizeof *out);
    for (int64_t h = 0; h < H; h++)
        for (int64_t i = 0; i < n; i++)
            memcpy(out + (h * n + i) * n,
                   all + (((s->batch < 0 ? 0 : s->batch) * (int64_t)H + h) * N +
                          s->first + i) * N + s->first, (size_t)n * sizeof *out);
    return out;
}

/* The weights in one layer that the values get: of attn, where keys that stand several
 * times in the softmax are not summed in an array of their own. */
static inline float *golden_attn(struct golden *g, const json_t *run,
                                 const struct sentence *s, int layer, int H)
{
    float *sum = golden_map(g, run, "eff", s, layer, H);

    return sum != NULL ? sum : golden_map(g, run, "attn", s, layer, H);
}

/* Mean over rows of -sum a ln(a + eps) of a [n, n], in double; 0 ln 0 = 0. */
static inline double golden_entropy(const float *a, int n, double eps)
{
    double sum = 0;

    for (int64_t i = 0; i < (int64_t)n * n; i++)
        if (a[i] > 0)
            sum -= (double)a[i] * log((double)a[i] + eps);
    return sum / n;
}

/* Largest |x - y|; NaN where one of them is. */
static inline double golden_worst(const float *x, const float *y, int64_t n)
{
    double worst = 0;

    for (int64_t i = 0; i < n; i++) {
        double d = fabs((double)x[i] - (double)y[i]);

        if (!(d <= worst) && !isnan(worst))
            worst = d;
    }
    return worst;
}

/*
 * The same of maps [n, n] where keys count several times, over the rows of y that sum to
 * 1 as they should: the shared file has a row in which the copies were not summed, since
 * they are small.  Single copies are compared in every row.
 */
static inline double golden_worst_sums(const float *x, const float *y, int64_t n)
{
    double worst = 0;
    int left_out = 0;

    for (int64_t i = 0; i < n; i++) {
        double sum = 0, d;

        for (int64_t j = 0; j < n; j++)
            sum += (double)y[i * n + j];
        d = golden_worst(x + i * n, y + i * n, n);
        if (fabs(sum - 1) > 2e-5)
            left_out++;
        else if (!(d <= worst) && !isnan(worst))
            worst = d;
    }
    return left_out <= 1 ? worst : (double)NAN;
}

#endif
