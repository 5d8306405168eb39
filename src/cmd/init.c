/* SPDX-License-Identifier: MIT
 * init: writes a bare layer, with the usual names of its tensors in tutorials, and weights drawn
 * from a seed. */
#include <limits.h>
#include <math.h>

#include "base/bytes.h"
#include "base/out.h"
#include "base/rng.h"
#include "cli/output.h"
#include "task/common/provenance.h"
#include "weights/safetensors.h"

struct init_args {
    struct common_args common;
    int d_model, heads, kv_heads, d_k, d_v, d_ff, layers, max_len, seed;
    bool separable, relative, encoder, decoder, no_bias, zero_attn;
};

#define F(f) offsetof(struct init_args, f)
static const struct opt opts[] = {
    INT(0, "d-model", "N", F(d_model), "512", 1, 1 << 16, "width of the layer"),
    INT(0, "heads", "N", F(heads), "8", 1, 1 << 12, "number of heads"),
    INT(0, "kv-heads", "N", F(kv_heads), NULL, 1, 1 << 12,
        "number of heads of keys and values; by default heads",
         .excludes = "separable"),
    INT(0, "d-k", "N", F(d_k), NULL, 1, 1 << 16,
        "width of a query and key; by default d-model/heads"),
    INT(0, "d-v", "N", F(d_v), NULL, 1, 1 << 16,
        "width of a head's values; by default d-k"),
    FLAG(0, "separable", F(separable), "one matrix per head: q_linears.0, q_linears.1, …"),
    FLAG(0, "zero-attn", F(zero_attn), "a key and a value of zeros after all others",
         .excludes = "encoder|decoder: it is of one attention"),
    FLAG(0, "relative-positions", F(relative), "relative positions: rel_pos_encoding"),
    INT(0, "max-len", "N", F(max_len), NULL, 1, 1 << 16,
        "tokens that --relative-positions reaches; by default 512",
         .needs = "relative-positions"),
    FLAG(0, "encoder", F(encoder), "an encoder layer: attention, mlp, norms",
         .excludes = "decoder"),
    FLAG(0, "decoder", F(decoder), "a decoder layer: the same, and cross-attention"),
    INT(0, "layers", "N", F(layers), NULL, 1, 1 << 10,
        "number of layers: layers.0, layers.1, …", .needs = "encoder|decoder"),
    INT(0, "d-ff", "N", F(d_ff), NULL, 1, 1 << 18,
        "width of the mlp; by default 4 x d-model",
         .needs = "encoder|decoder"),
    FLAG(0, "no-bias", F(no_bias), "linear layers without biases"),
    INT(0, "seed", "N", F(seed), "1", 0, INT_MAX, "seed of the weights"),
    END
};
#undef F

static const struct opt_group *const groups[] = { &output_layer.group, NULL };

static const char *const examples[] = {
    "mha-viz init --d-model 512 --heads 8 --seed 1 -o layer.safetensors",
    "mha-viz heatmap -m layer.safetensors --tokens '我 喜欢 吃 苹果'",
    "mha-viz init --d-model 64 --heads 4 --decoder --layers 2 -o stack.safetensors",
    NULL
};

/* ---- what is in the file ---- */

enum fill { FILL_XAVIER, FILL_NORMAL, FILL_ZERO, FILL_ONE };

struct plan {
    const struct init_args *args;
    struct arena *a;
    struct tensor *tensor;          /* [n] */
    enum fill *fill;                /* [n] */
    int n, room;
};

/* columns 0: a vector. */
static void init_add(struct plan *plan, char *name, int rows, int columns, enum fill fill)
{
    if (plan->n == plan->room) {
        plan->tensor = arena_grow(plan->a, plan->tensor, (size_t)plan->n, 2 * (size_t)plan->n + 16,
                                  sizeof *plan->tensor);
        plan->fill = arena_grow(plan->a, plan->fill, (size_t)plan->n, 2 * (size_t)plan->n + 16,
                                sizeof *plan->fill);
        plan->room = 2 * plan->n + 16;
    }
    plan->tensor[plan->n] = (struct tensor){ .name = name, .dtype = DTYPE_F32,
                                             .n_dims = columns > 0 ? 2 : 1,
                                             .shape = { rows, columns } };
    plan->fill[plan->n++] = fill;
}

static void add_linear(struct plan *plan, const char *scope, const char *name, int out, int in)
{
    init_add(plan, arena_printf(plan->a, "%s%s.weight", scope, name), out, in, FILL_XAVIER);
    if (!plan->args->no_bias)
        init_add(plan, arena_printf(plan->a, "%s%s.bias", scope, name), out, 0, FILL_ZERO);
}

static void add_norm(struct plan *plan, const char *layer, int i)
{
    int D = plan->args->d_model;

    init_add(plan, arena_printf(plan->a, "%snorm%d.weight", layer, i), D, 0, FILL_ONE);
    init_add(plan, arena_printf(plan->a, "%snorm%d.bias", layer, i), D, 0, FILL_ZERO);
}

static int width_k(const struct init_args *args)
{
    return args->d_k > 0 ? args->d_k : args->d_model / args->heads;
}

static int width_v(const struct init_args *args)
{
    return args->d_v > 0 ? args->d_v : width_k(args);
}

static void add_attention(struct plan *plan, const char *scope)
{
    const struct init_args *args = plan->args;
    const char *const letters[] = { "q", "k", "v" };
    int D = args->d_model, max_len = args->max_len > 0 ? args->max_len : 512;

    for (int i = 0; i < 3; i++) {
        int d = i < 2 ? width_k(args) : width_v(args);
        int H = i > 0 && args->kv_heads > 0 ? args->kv_heads : args->heads;

        for (int h = 0; args->separable && h < H; h++)
            add_linear(plan, scope, arena_printf(plan->a, "%s_linears.%d", letters[i], h), d, D);
        if (!args->separable)
            add_linear(plan, scope, arena_printf(plan->a, "%s_linear", letters[i]), H * d, D);
    }
    add_linear(plan, scope, "output_linear", D, args->heads * width_v(args));
    if (args->relative)
        init_add(plan, arena_printf(plan->a, "%srel_pos_encoding", scope), 2 * max_len - 1,
                 width_k(args), FILL_NORMAL);
}

static void init_add_layer(struct plan *plan, const char *layer)
{
    const struct init_args *args = plan->args;
    int D = args->d_model, F = args->d_ff > 0 ? args->d_ff : 4 * D;

    add_attention(plan, arena_printf(plan->a, "%sself_attn.", layer));
    if (args->decoder)
        add_attention(plan, arena_printf(plan->a, "%scross_attn.", layer));
    add_linear(plan, layer, "feed_forward.0", F, D);
    add_linear(plan, layer, "feed_forward.3", D, F);
    for (int i = 1; i <= (args->decoder ? 3 : 2); i++)
        add_norm(plan, layer, i);
}

static void add_all(struct plan *plan)
{
    const struct init_args *args = plan->args;

    if (!args->encoder && !args->decoder)
        add_attention(plan, "");
    else if (args->layers == 0)
        init_add_layer(plan, "");
    for (int l = 0; l < args->layers; l++)
        init_add_layer(plan, arena_printf(plan->a, "layers.%d.", l));
}

/* ---- numbers ---- */

/* Uniform in +-sqrt(6 / (in + out)), as torch.nn.init.xavier_uniform_ draws them, whose
 * product and sum are fused. */
static void xavier(struct rng *rng, float *x, int64_t n, const struct tensor *tensor)
{
    double std = sqrt(2.0 / (double)(tensor->shape[0] + tensor->shape[1]));
    float limit = (float)(sqrt(3.0) * std);

    for (int64_t i = 0; i < n; i++)
        x[i] = fmaf((float)(rng_bits(rng) & 0xffffffu) * 0x1p-24f, 2 * limit, -limit);
}

static void write_tensor(FILE *file, struct arena *a, struct rng *rng, const struct tensor *tensor,
                         enum fill fill)
{
    enum { CHUNK = 4096 };
    int64_t n = tensor->shape[0] * (tensor->n_dims > 1 ? tensor->shape[1] : 1);
    int64_t chunk = fill == FILL_NORMAL || n < CHUNK ? n : CHUNK;   /* normal: one fill */
    struct arena_mark mark = arena_mark(a);
    float *x = arena_alloc(a, (size_t)chunk, sizeof *x);

    for (int64_t at = 0; at < n; at += chunk) {
        int64_t here = n - at < chunk ? n - at : chunk;

        if (fill == FILL_NORMAL)
            rng_normal_fill(rng, x, here);
        else if (fill == FILL_XAVIER)
            xavier(rng, x, here, tensor);
        for (int64_t i = 0; fill == FILL_ONE && i < here; i++)
            x[i] = 1;
        bytes_write(file, x, (size_t)here, sizeof *x);
    }
    arena_reset(a, mark);
}

/* What a reader of the layer needs, and what is said of the run; run NULL: nothing. */
static int write_head(struct plan *plan, const struct provenance *run, FILE *file, struct err *e)
{
    struct note note[2 + PROVENANCE_PAIRS] = {
        { "heads", arena_printf(plan->a, "%d", plan->args->heads) }, { "zero_attn", "true" }
    };
    struct provenance_pair pair[PROVENANCE_PAIRS];
    int n = plan->args->zero_attn ? 2 : 1, n_pairs = run != NULL ?
                                                     provenance_pairs(run, plan->a, pair) : 0;

    for (int i = 0; i < n_pairs; i++)
        note[n++] = (struct note){ pair[i].key, pair[i].value };
    return safetensors_begin(file, plan->tensor, plan->n, note, n, e);
}

static int write_all(struct plan *plan, const struct provenance *run, FILE *file, struct err *e)
{
    struct rng r;

    rng_seed(&r, (uint64_t)plan->args->seed);
    if (write_head(plan, run, file, e) != 0)
        return -1;
    for (int i = 0; i < plan->n && !ferror(file); i++)
        write_tensor(file, plan->a, &r, &plan->tensor[i], plan->fill[i]);
    return 0;
}

/* ---- the command ---- */

static int init_check(const struct init_args *args, struct err *e)
{
    if (args->kv_heads > 0 && args->heads % args->kv_heads != 0)
        return err_set(e, ERR_USAGE, "--kv-heads: %d do not divide the %d heads",
                       args->kv_heads, args->heads);
    if (args->d_k == 0 && args->d_model % args->heads != 0)
        return err_set(e, ERR_USAGE, "--heads: %d do not divide the width %d; give a "
                       "divisor or --d-k", args->heads, args->d_model);
    if ((int64_t)args->heads * width_k(args) > 1 << 20 ||
        (int64_t)args->heads * width_v(args) > 1 << 20)
        return err_set(e, ERR_USAGE, "%d heads of width %d and values of %d: at most %d "
                       "columns are possible", args->heads, width_k(args), width_v(args),
                       1 << 20);
    return 0;
}

static int init_run(const void *args, int n_operands, char **operands, const struct env *env,
                    struct err *e)
{
    struct plan p = { .args = args, .a = env->arena };
    struct session s = { .env = env, .a = env->arena };
    struct output output;

    (void)n_operands;
    (void)operands;
    if (output_plan(&output, &p.args->common.output, &output_layer, NULL, p.a, e) != 0 ||
        init_check(p.args, e) != 0 || provenance_open(&s, &output, NULL, e) != 0)
        return -1;
    add_all(&p);
    if (out_open(&output.out, output.path, OUT_DURABLE, e) != 0)
        return -1;
    return output_close(&output, write_all(&p, s.provenance, output.out.file, e), e);
}

const struct cmd cmd_init = {
    .name = "init", .summary = "write a bare layer with random weights, for experiments",
    .operands = "", .opts = opts, .groups = groups,
    .args_size = sizeof(struct init_args), .examples = examples,
    .max_operands = 0, .minor = true, .run = init_run,
};
