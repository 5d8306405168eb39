/* SPDX-License-Identifier: MIT
 * The options that many commands share. */
#include "task/common/shared.h"

#include <limits.h>

#include "draw/figure/heatmap.h"
#include "model/builtin.h"
#include "model/hub.h"
#include "session/shown/shown.h"
#include "session/source/layer.h"

/* ---- values that completions offer ---- */

static const char *const layer_words[] = { "all", "last", NULL };
static const char *const global_words[] = { "all", "none", NULL };
static const char *const hide_words[] = { "first", "special", NULL };
static const char *const random_words[] = { "random", NULL };
static const char *const mask_words[] = { "causal", "padding:", "block:", "keys:", "none",
                                          NULL };

static const struct opt_values layer_values = { .words = layer_words };
static const struct opt_values stack_values = { .words = family_stack_names };
const struct opt_values global_values = { .words = global_words };
static const char *const average_words[] = { "heads", "layers", "texts", "both", "none", NULL };
static const struct opt_values average_values = { .words = average_words, .between = ',' };
static const struct opt_values hide_values = { .words = hide_words, .between = ',' };
static const struct opt_values random_values = { .words = random_words, .files = true };
const struct opt_values mask_values = { .words = mask_words, .between = '+',
                                               .files = true };
static const struct opt_values qkv_values = { .between = ',', .files = true };
const struct opt_values model_values = { .words = builtin_names, .find = hub_names,
                                         .files = true };

/* ---- groups of options ---- */

#define F(f) offsetof(struct shared_args, asked.f)

static const struct opt model_opts[] = {
    WORDS('m', "model", "PATH", F(model), &model_values,
          "Hugging Face folder or its name in the local cache, or a .safetensors, .npz or "
          ".gguf file, or builtin:NAME; by default builtin:decoder"),
    SEVERAL(0, "adapter", "DIR", F(adapters), OPT_MOST, &opt_files,
            "folder of a LoRA or DoRA adapter to merge into the model; given again: adapters "
            "are merged in this order"),
    CHOICE(0, "tower", "NAME", F(tower), "auto", tower_names,
           "which part of a model of texts and pictures (clip) to run: text, picture; auto: "
           "the part that reads what is given"),
    END
};
const struct opt_group model_group = { "model", model_opts };

static const struct opt layer_opts[] = {
    INT(0, "heads", "N", F(heads), NULL, 1, 1 << 16,
        "number of heads of --qkv, or of a bare layer whose file does not give the number"),
    FLAG(0, "norm-first", F(norm_first),
         "the bare layer normalises before attention and before the mlp, not after each sum"),
    CHOICE(0, "activation", "NAME", F(activation), "auto", layer_activations,
           "activation function in a bare layer's mlp; auto: that of the layer's source"),
    CHOICE(0, "relative", "FORM", F(relative), "index", layer_relatives,
           "how a bare layer reads rel_pos_encoding: by index, or as Shaw et al. do"),
    STRING(0, "tensor-names", "Q,K,V,O", F(tensor_names),
           "names of the projections of a bare attention; also QKV,O or Q,KV,O; - in place of "
           "O: no output projection"),
    STRING(0, "prefix", "P", F(prefix),
           "look for a bare layer only among tensors whose names begin with P"),
    CHOICE(0, "fused", "FORM", F(fused), "auto", layer_fusions,
           "order within one matrix for q, k and v; parts: all q, all k, all v; heads: q, k "
           "and v of one head after the other"),
    CHOICE(0, "matrix-order", "ORDER", F(order), "auto", layer_orders,
           "order of the dimensions in matrices of a bare layer; out-in: y = W x; in-out: y = "
           "x W"),
    FLAG(0, "zero-attn", F(zero_attn),
         "a bare attention has a key and a value of zeros after all others, like add_zero_attn "
         "of PyTorch"),
    END
};
const struct opt_group layer_group = { "bare layers", layer_opts };

static const struct opt rows_opts[] = {
    WORDS(0, "memory", "FILE", F(memory), &random_values,
          ".npy of the rows from which a bare layer computes keys and values; random: rows "
          "drawn with --seed",
         .excludes = "key"),
    WORDS(0, "key", "FILE", F(key), &random_values,
          "like --memory, but for the keys alone; requires --value",
         .needs = "value"),
    WORDS(0, "value", "FILE", F(value), &random_values,
          "like --memory, but for the values alone; requires --key",
         .needs = "key"),
    WORDS(0, "decoder-input", "FILE", F(decoder_input), &random_values,
          ".npy of the rows that the decoder reads, if one file holds the layers of an encoder "
          "and of a decoder"),
    STRING(0, "tokens", "NAMES", F(tokens),
           "names of the rows of a bare layer, or of its queries, separated by spaces"),
    STRING(0, "key-tokens", "NAMES", F(key_tokens),
           "names of keys that come from another text, separated by spaces"),
    STRING(0, "decoder-tokens", "NAMES", F(decoder_tokens),
           "names of the rows of --decoder-input, separated by spaces"),
    STRING(0, "shape", "[B]xT", F(shape),
           "size of a random input: the number of rows, such as 10, or texts x rows, such as "
           "32x50",
         .excludes = "input"),
    END
};
const struct opt_group rows_group = { "bare layers", rows_opts };

static const struct opt seed_opts[] = {
    INT(0, "seed", "N", F(seed), "1", 0, INT_MAX,
        "seed of the random input that is used when none is given"),
    END
};
const struct opt_group seed_group = { "bare layers", seed_opts };

/* In place of a model and a text. */
#define OF_MODEL \
    "model|tower|norm-first|activation|relative|input|image|audio|shape|memory|key|value|" \
    "decoder-input|decoder-tokens|ids|decoder-ids|file|words|word-ids"

static const struct opt attention_opts[] = {
    PATH(0, "attention", "FILE", F(attention),
         ".npz or .npy of attention weights computed elsewhere, instead of a model and a text",
         .excludes = "qkv|heads|" OF_MODEL),
    END
};
const struct opt_group attention_group = { "precomputed attention", attention_opts };

static const struct opt qkv_opts[] = {
    WORDS(0, "qkv", "Q,K,V", F(qkv), &qkv_values,
          "three .npy files of queries, keys and values, instead of a model and a text; with "
          "--heads, each row holds all heads side by side",
         .excludes = OF_MODEL),
    REAL(0, "score-scale", "X", F(score_scale), NULL, 1e-30, 1e30,
         "factor of the scores of --qkv; by default 1 / sqrt(width of a query)",
         .needs = "qkv"),
    END
};
const struct opt_group qkv_group = { "precomputed attention", qkv_opts };

static const struct opt text_opts[] = {
    PATH('f', "file", "FILE", F(file),
         "read one text per line; - is standard input; .gz is decompressed",
         .excludes = "ids|input|image|audio; decoder-ids: lines have texts for the decoder "
                     "(--pairs, --jsonl)"),
    FLAG(0, "pairs", F(pairs),
         "each line of the file, or of standard input, holds two texts separated by a tab",
         .excludes = "jsonl"),
    FLAG(0, "jsonl", F(jsonl),
         "each line of the file, or of standard input, is {\"text\":…,\"pair\":…} or "
         "{\"ids\":[…],\"type_ids\":[…]}"),
    FLAG(0, "keep-empty", F(keep_empty),
         "blank lines of the file, or of standard input, count as texts"),
    STRING(0, "ids", "LIST", F(ids), "token ids instead of a text: 101,7592,102",
         .excludes = "input|image|audio"),
    STRING(0, "type-ids", "LIST", F(type_ids), "types of --ids, one per id",
         .needs = "ids"),
    STRING(0, "decoder-ids", "LIST", F(decoder_ids),
           "token ids for the decoder of an encoder-decoder, instead of TEXT_B"),
    WORDS(0, "global", "LIST", F(global), &global_values,
          "positions, from 0, of the tokens that see all tokens and are seen by all: 0,5-7, or "
          "all, or none (longformer)"),
    PATH(0, "boxes", "FILE", F(boxes),
         ".npy of the box of each token on its page, [tokens, 4] (layoutlm); by default zeros",
         .excludes = "file|split: boxes are those of one text"),
    PATH(0, "input", "FILE", F(input),
         ".npy instead of a text, for a model that reads pixels, sound or rows",
         .excludes = "image|audio"),
    PATH(0, "image", "FILE", F(image),
         "PNG or JPEG instead of a text, for a model that reads pixels (vit)",
         .excludes = "audio"),
    PATH(0, "audio", "FILE", F(audio),
         ".wav instead of a text, for a model that reads sound (whisper)"),
    FLAG(0, "pretokenized", F(pretokenized),
         "the text consists of pieces of the vocabulary, separated by spaces"),
    FLAG(0, "words", F(words),
         "the text consists of words, separated by spaces, each tokenised by itself "
         "(is_split_into_words)",
         .excludes = "pretokenized; ids|input|image|audio: words are of a text"),
    FLAG(0, "no-special", F(no_special),
         "do not add the special tokens of the model's template"),
    FLAG(0, "truncate", F(truncate),
         "shorten a text that is longer than the model's maximum, with a warning"),
    END
};
const struct opt_group text_group = { "text", text_opts };

static const struct opt shard_opts[] = {
    STRING(0, "shard", "K/N", F(shard),
           "divide the texts into N shards, and read only shard K, from 0: every N-th text"),
    END
};
const struct opt_group shard_group = { "many texts", shard_opts };

static const struct opt split_opts[] = {
    STRING(0, "split", "N[:OVERLAP]", F(split),
           "cut each text of more than N tokens into pieces of N tokens, which count as texts "
           "and have OVERLAP tokens in common",
         .excludes = "truncate"),
    END
};
const struct opt_group split_group = { "many texts", split_opts };

static const struct opt memory_opts[] = {
    STRING(0, "max-memory", "SIZE", F(max_memory),
           "limit of memory, without mapped files, in bytes or with K, M, G; batches become "
           "smaller, and a text that needs more is an error"),
    END
};
const struct opt_group memory_group = { "many texts", memory_opts };

static const struct opt select_opts[] = {
    WORDS('l', "layer", "LIST", F(layer), &layer_values,
          "layers, from 0: 0,2-4, last, -1 (counted from the end) or all"),
    WORDS('H', "head", "LIST", F(head), &layer_values,
          "heads, from 0: 0,2-4, last, -1 or all; or by name with their layers: L4H1,L4H3"),
    WORDS('s', "stack", "NAME", F(stack), &stack_values,
          "encoder, decoder or cross; by default cross, if the decoder has a text"),
    PATH(0, "rotations", "FILE", F(rotations),
         ".npy of the random rotations of a reformer's hash; by default drawn with hash_seed"),
    END
};
const struct opt_group select_group = { "layers and heads", select_opts };

static const struct opt hide_opts[] = {
    WORDS(0, "hide", "LIST", F(hide), &hide_values,
          "leave out rows and columns of these tokens: first, special, or positions as mha-viz "
          "tokens lists them, such as first,5-7",
         .excludes = "hide-special"),
    FLAG(0, "hide-special", F(hide_special), "short for --hide special"),
    FLAG(0, "renorm", F(renorm),
         "divide each row by the sum of the weights that --hide leaves in it",
         .needs = "hide|hide-special: rows sum to 1 as they are"),
    CHOICE(0, "merge", "NAME", F(merge), "none", merge_names,
           "words: show one row and one column per word, not per piece of a word",
         .excludes = "pretokenized: --pretokenized gives pieces, not words; "
                     "ids|input|image|audio|decoder-ids: words are of a text"),
    END
};
const struct opt_group hide_group = { "tokens shown", hide_opts };

static const struct opt region_opts[] = {
    STRING(0, "from", "LIST", F(from),
           "show only the rows of these queries, separated by commas: a word, word#2 (its "
           "second occurrence), a position, 3-7, last, generated"),
    STRING(0, "to", "LIST", F(to), "show only the columns of these keys, written as in --from"),
    END
};
const struct opt_group region_group = { "tokens shown", region_opts };

static const struct opt average_opts[] = {
    WORDS(0, "average", "LIST", F(average), &average_values,
          "show means of maps: of heads, of layers, of texts (of one length), or of several of "
          "these, separated by commas",
          .none = true),
    END
};
const struct opt_group average_group = { "means", average_opts };

static const struct opt weight_opts[] = {
    CHOICE(0, "weight", "NAME", F(weight), "plain", weighting_names,
           "multiply each weight by the length of its key's value (value), or of what the head "
           "writes for that key (norm); then divide each row by its sum"),
    END
};
const struct opt_group weight_group = { "weights", weight_opts };

static const struct opt generate_opts[] = {
    INT(0, "generate", "N", F(generate), NULL, 1, 1 << 20,
        "continue the text greedily by at most N tokens; by default only an encoder-decoder "
        "generates, up to 32 tokens, if its decoder needs a text"),
    END
};
const struct opt_group generate_group = { "generation", generate_opts };

static const struct opt mask_opts[] = {
    WORDS(0, "mask", "SPEC", F(mask), &mask_values,
          "hide keys: causal, padding:N (the last N), block:Q-Q,K-K, keys:FILE.npy or "
          "FILE.npy; A+B: what either hides; none: lift a bare layer's own mask"),
    WORDS(0, "memory-mask", "SPEC", F(memory_mask), &mask_values,
          "like --mask, but for cross-attention"),
    REAL(0, "mask-value", "X", F(mask_value), NULL, -1e38, 0,
         "score of a key that the mask hides, such as -1e9; by default minus infinity",
         .needs = "mask|memory-mask"),
    END
};
const struct opt_group mask_group = { "masks", mask_opts };

static const struct opt dtype_opts[] = {
    CHOICE(0, "dtype", "NAME", F(dtype), "f32", precision_names,
           "round the operands of all products (bf16, f16), or of linear layers (the others), "
           "to this format; sums stay in f32"),
    CHOICE(0, "fast", "NAME", F(fast), "f32", fast_names,
           "multiply in linear layers with fewer bits, on a processor that is faster with them"),
    END
};
const struct opt_group dtype_group = { "precision", dtype_opts };

#undef F

#define F(f) offsetof(struct shared_args, figure.f)

static const struct opt figure_opts[] = {
    CHOICE(0, "cmap", "NAME", F(cmap), "viridis", cmap_names, "colour map"),
    CHOICE(0, "scale", "NAME", F(scale), "linear", scale_names,
           "scale of the colours; row: each row reaches to its own maximum"),
    FLAG(0, "shared", F(shared_scale),
         "use one colour scale for all heatmaps, not one per heatmap from its minimum to its "
         "maximum"),
    STRING(0, "clip", "P%", F(clip),
           "end the colour scale at this quantile of the weights, such as 99%; none: at the "
           "largest weight"),
    INT(0, "cell", "PX", F(cell), "0", 0, 200,
        "side of a cell in pixels at 100 dpi; 0: chosen by the length of the text"),
    FLAG(0, "no-bars", F(no_bars), "draw no colour bars"),
    FLAG(0, "numbers", F(numbers), "write the weights of short texts into the cells"),
    END
};
const struct opt_group figure_group = { "figure", figure_opts };

static const struct opt panel_opts[] = {
    FLAG(0, "no-labels", F(no_labels), "draw no labels of rows and columns"),
    FLAG(0, "no-titles", F(no_titles), "draw no titles above the panels", .needs = "panels"),
    FLAG(0, "letters", F(letters), "draw (a), (b), ... above the panels", .needs = "panels"),
    END
};
const struct opt_group panel_group = { "figure", panel_opts };

static const struct opt sheet_opts[] = {
    INT(0, "dpi", "N", F(dpi), "100", 10, 1200, "PNG resolution in dots per inch"),
    STRING(0, "width", "LENGTH", F(width),
           "lay the picture out for this width: 85mm, 17.4cm, 6in, 430pt",
           .excludes = "cell: the width decides on the size of cells"),
    REAL(0, "font-size", "PT", F(font_size), NULL, 3, 48,
         "size of all text except the title, in points; 6 by default with --width"),
    STRING(0, "title", "TEXT", F(title), "title above the picture"),
    FLAG(0, "no-caption", F(no_caption), "draw no caption below the picture"),
    STRING(0, "font", "FAMILY", F(font), "font family of all text"),
    FLAG(0, "outlines", F(outlines),
         "draw the text of an SVG as outlines, which need no fonts"),
    END
};
const struct opt_group sheet_group = { "figure", sheet_opts };
#undef F

static const struct opt resume_opts[] = {
    OUTPUT(0, "resume", "STATE", offsetof(struct shared_args, resume),
           "save the progress in this file, and continue from the file if it exists"),
    END
};
const struct opt_group resume_group = { "many texts", resume_opts };

static const struct opt types_opts[] = {
    PATH(0, "types", "FILE", offsetof(struct shared_args, types),
         "show the type of each head from this file of types --json; by default only built-in "
         "models have types; none: show none"),
    END
};
const struct opt_group types_group = { "types", types_opts };

static const struct opt rare_opts[] = {
    PATH(0, "unigrams", "FILE", offsetof(struct shared_args, unigrams),
         "counts that tell which tokens are rare: lines of an id, a tab and a count; by "
         "default the counts in the texts"),
    END
};
const struct opt_group rare_group = { "rare tokens", rare_opts };
