/* SPDX-License-Identifier: MIT
 * The table of GGUF's architectures, and its names of tensors. */
#include "model/gguf_priv.h"

#include <string.h>

#include "model/gguf.h"
#include "model/quirks.h"

const struct gguf_arch gguf_archs[] = {
    { "llama", "mixtral", .when = "expert_count", .pairs = true },
    { "llama", "mistral", .when = "attention.sliding_window", .pairs = true },
    { "llama", "llama", .pairs = true },
    { "bert", "bert" },
    { "bloom", "bloom" },
    { "chatglm", "glm" },
    { "cohere2", "cohere2" },
    { "command-r", "cohere" },
    { "deepseek2", "deepseek_v3", .when = "expert_gating_func", .value = 2 },
    { "deepseek2", "deepseek_v2" },
    { "exaone4", "exaone4" },
    { "falcon", "falcon" },
    { "gemma", "gemma" },
    { "gemma2", "gemma2" },
    { "gemma-embedding", "gemma3_text", .both_ways = true },
    { "gemma3", "gemma3_text" },
    { "glm4", "glm4" },
    { "gpt-oss", "gpt_oss" },
    { "gpt2", "gpt2" },
    { "gptj", "gptj" },
    { "gptneox", "gpt_neox" },
    { "granite", "granite", .pairs = true },
    { "granitemoe", "granitemoe", .pairs = true },
    { "minicpm3", "minicpm3" },
    { "modern-bert", "modernbert" },
    { "lfm2", "lfm2" },
    { "llama4", "llama4_text" },
    { "mpt", "mpt" },
    { "nemotron", "nemotron" },
    { "nomic-bert", "nomic_bert" },
    { "olmo", "olmo", .pairs = true },
    { "olmo2", "olmo3", .when = "attention.sliding_window" },
    { "olmo2", "olmo2" },
    { "olmoe", "olmoe" },
    { "phi2", "phi" },
    { "phi3", "phi3" },
    { "phimoe", "phimoe" },
    { "qwen2", "qwen2" },
    { "qwen2moe", "qwen2_moe" },
    { "qwen3", "qwen3" },
    { "qwen3moe", "qwen3_moe", .renormalise = true },
    { "smollm3", "smollm3", .pairs = true },
    { "stablelm", "stablelm" },
    { "starcoder", "gpt_bigcode" },
    { "starcoder2", "starcoder2" },
    { "t5", "t5" },
    { "t5encoder", "t5", .encoder_only = true },
    { NULL }
};

const char *gguf_architecture(int i)
{
    for (const struct gguf_arch *arch = gguf_archs; arch->name != NULL; arch++)
        if (family_find(arch->model_type) != NULL &&
            (arch == gguf_archs || strcmp(arch->name, arch[-1].name) != 0) && i-- == 0)
            return arch->name;
    return NULL;
}

const char *gguf_of_family(const struct family *family, int i)
{
    for (const struct gguf_arch *arch = gguf_archs; arch->name != NULL; arch++)
        if (strcmp(arch->model_type, family->name) == 0 && i-- == 0)
            return arch->name;
    return NULL;
}

/* As the gguf package lists them; what a family has no slot for is left out of it. */
static const char *const names[N_SLOT] = {
    [W_TOK]        = "token_embd",
    [W_POS]        = "position_embd",
    [W_TYPE]       = "token_types",
    [W_EMB_NORM]   = "token_embd_norm",
    [W_FINAL_NORM] = "output_norm",
    [W_HEAD]       = "output",
    [W_ATT_NORM]   = "blk.%d.attn_norm",
    [W_ATT_OUT]    = "blk.%d.post_attention_norm",
    [W_Q]          = "blk.%d.attn_q",
    [W_K]          = "blk.%d.attn_k",
    [W_V]          = "blk.%d.attn_v",
    [W_QKV]        = "blk.%d.attn_qkv",
    [W_Q_A]        = "blk.%d.attn_q_a",
    [W_Q_A_NORM]   = "blk.%d.attn_q_a_norm",
    [W_Q_B]        = "blk.%d.attn_q_b",
    [W_KV_A]       = "blk.%d.attn_kv_a_mqa",
    [W_KV_A_NORM]  = "blk.%d.attn_kv_a_norm",
    [W_KV_B]       = "blk.%d.attn_kv_b",
    [W_SINKS]      = "blk.%d.attn_sinks.weight",
    [W_Q_NORM]     = "blk.%d.attn_q_norm",
    [W_K_NORM]     = "blk.%d.attn_k_norm",
    [W_O]          = "blk.%d.attn_output",
    [W_REL]        = "blk.0.attn_rel_b",
    [W_CROSS_NORM] = "blk.%d.cross_attn_norm",
    [W_CROSS_Q]    = "blk.%d.cross_attn_q",
    [W_CROSS_K]    = "blk.%d.cross_attn_k",
    [W_CROSS_V]    = "blk.%d.cross_attn_v",
    [W_CROSS_O]    = "blk.%d.cross_attn_o",
    [W_MIX_IN]     = "blk.%d.shortconv.in_proj",
    [W_MIX_TAPS]   = "blk.%d.shortconv.conv",
    [W_MIX_OUT]    = "blk.%d.shortconv.out_proj",
    [W_MLP_NORM]   = "blk.%d.ffn_norm",
    [W_MLP_OUT]    = "blk.%d.post_ffw_norm",
    [W_GATE]       = "blk.%d.ffn_gate",
    [W_UP]         = "blk.%d.ffn_up",
    [W_DOWN]       = "blk.%d.ffn_down",
    [W_ROUTER]     = "blk.%d.ffn_gate_inp",
    [W_ROUTER_BIAS] = "blk.%d.exp_probs_b.bias",
    [W_SHARED_GATE] = "blk.%d.ffn_gate_shexp",
    [W_SHARED_UP]  = "blk.%d.ffn_up_shexp",
    [W_SHARED_DOWN] = "blk.%d.ffn_down_shexp",
    [W_SHARED_SCORE] = "blk.%d.ffn_gate_inp_shexp",
    [W_EXP_GATE]   = "blk.%d.ffn_gate.%d",
    [W_EXP_UP]     = "blk.%d.ffn_up.%d",
    [W_EXP_DOWN]   = "blk.%d.ffn_down.%d",
};

static const struct { const char *arch; enum slot slot; const char *name; } exceptions[] = {
    { "bert", W_ATT_NORM, "blk.%d.attn_output_norm" },
    { "bert", W_MLP_NORM, "blk.%d.layer_output_norm" },
    { "nomic-bert", W_ATT_NORM, "blk.%d.attn_output_norm" },
    { "nomic-bert", W_MLP_NORM, "blk.%d.layer_output_norm" },
    /* With two norms the second one is attention's; with one it is both. */
    { "falcon", W_ATT_NORM, "blk.%d.attn_norm_2|blk.%d.attn_norm" },
    { "falcon", W_MLP_NORM, "blk.%d.attn_norm" },
    { "gpt-oss", W_MLP_NORM, "blk.%d.post_attention_norm" },
    { "lfm2", W_FINAL_NORM, "token_embd_norm" },
    { "t5", W_O, "blk.%d.attn_o" },
    { "t5encoder", W_O, "blk.%d.attn_o" },
};

/* Experts that are one tensor elsewhere have gates and first linears apart here. */
static void gguf_names_split_experts(struct family *family)
{
    const char **name = family->stack.name;

    if (name[W_EXPS_UP] == NULL)
        return;
    name[W_EXPS_UP] = name[W_EXPS_DOWN] = NULL;
    name[W_EXPS_UP_BIAS] = name[W_EXPS_DOWN_BIAS] = NULL;
    for (int s = W_EXP_GATE; s <= W_EXP_DOWN; s++)
        name[s] = names[s];
}

static const struct quirks *adapt_quirks(struct arena *a, const struct family *family)
{
    struct quirks *quirks = arena_alloc(a, 1, sizeof *quirks);

    *quirks = *quirks_of(family);
    quirks->long_mscale = false;            /* there is one factor for both */
    quirks->dense_apart = false;            /* its keys say which width is which */
    quirks->experts_in_pairs = false;       /* gates and first linears are apart */
    return quirks;
}

/* One stack's row as this format has it; before: what its names begin with. */
static struct family *adapt(struct arena *a, const struct family *f,
                            const struct gguf_arch *arch, const char *before)
{
    struct family *family = arena_alloc(a, 1, sizeof *family);

    *family = *f;
    family->like = NULL;
    for (int s = 0; s < N_SLOT; s++)
        family->stack.name[s] = family_names(f, (enum slot)s);
    memset(family->prefix, 0, sizeof family->prefix);
    family->order = ORDER_OUT_IN;
    family->quirks = adapt_quirks(a, f);
    if (family->norm == NORM_RMS_PLUS_ONE)
        family->norm = NORM_RMS;
    if (family->norm == NORM_LAYER_PLUS_ONE)
        family->norm = NORM_LAYER;
    if (family->qkv == QKV_GROUPED)
        family->qkv = QKV_STACKED;
    if (arch->pairs)
        family->rope_layout = ROPE_PAIRS;
    family->defaults.adjust.multiple = 0;   /* its width has been adjusted */
    gguf_names_split_experts(family);
    for (int s = 0; s < N_SLOT; s++)
        if (family->stack.name[s] != NULL && names[s] != NULL)
            family->stack.name[s] = names[s];
    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++)
        if (strcmp(exceptions[i].arch, arch->name) == 0)
            family->stack.name[exceptions[i].slot] = exceptions[i].name;
    for (int s = 0; s < N_SLOT && before[0] != '\0'; s++)
        if (family->stack.name[s] != NULL && s != W_TOK && s != W_HEAD)
            family->stack.name[s] = arena_printf(a, "%s%s", before,
                                                 family->stack.name[s]);
    return family;
}

const struct family *gguf_family(struct arena *a, const struct family *f,
                                 const struct gguf_arch *arch)
{
    bool both = f->decoder != NULL;
    struct family *family = adapt(a, f, arch, both ? "enc." : "");

    if (both)
        family->decoder = arch->encoder_only ? NULL : adapt(a, f->decoder, arch, "dec.");
    return family;
}

bool gguf_any_layer(struct arena *a, const struct weights *weights, const char *before,
                    const char *after, int64_t n_layers)
{
    for (int64_t l = 0; l < n_layers && l < weights_count(weights); l++)
        if (weights_find(weights, arena_printf(a, "%s%lld%s", before, (long long)l, after)) != NULL)
            return true;
    return false;
}
