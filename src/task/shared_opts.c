/* SPDX-License-Identifier: MIT
 * The options that many commands share. */
#include "task/shared.h"

#include <limits.h>

#include "draw/heatmap.h"
#include "model/builtin.h"
#include "model/hub.h"
#include "session/layer.h"
#include "session/shown.h"

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
          ".gguf file, or builtin:NAME; without it, builtin:decoder"),
    SEVERAL(0, "adapter", "DIR", F(adapters), OPT_MOST, &opt_files,
            "folder of a LoRA or DoRA adapter to merge into the model; given again: merged in "
            "this order"),
    CHOICE(0, "tower", "NAME", F(tower), "auto", tower_names,
           "which part of a model of texts and pictures (clip): text, picture; auto: the one "
           "that reads what is given"),
    END
};
const struct opt_group model_group = { "model", model_opts };

static const struct opt layer_opts[] = {
    INT(0, "heads", "N", F(heads), NULL, 1, 1 << 16,
        "number of heads of a bare layer, where its file does not give it, or of --qkv"),
    FLAG(0, "norm-first", F(norm_first),
         "a bare layer normalises before attention and mlp, not after the sum"),
    CHOICE(0, "activation", "NAME", F(activation), "auto", layer_activations,
           "activation of a bare layer's mlp; auto: that of the layer's source"),
    CHOICE(0, "relative", "FORM", F(relative), "index", layer_relatives,
           "how a bare layer reads rel_pos_encoding: by index, or as Shaw et al. do"),
    STRING(0, "tensor-names", "Q,K,V,O", F(tensor_names),
           "names of a bare attention's projections; also QKV,O or Q,KV,O; O -: there is none"),
    STRING(0, "prefix", "P", F(prefix),
           "look for a bare layer only among tensors whose names begin with P"),
    CHOICE(0, "fused", "FORM", F(fused), "auto", layer_fusions,
           "what one matrix for q, k and v holds: all q, all k, all v; or head after head"),
    CHOICE(0, "matrix-order", "ORDER", F(order), "auto", layer_orders,
           "how matrices of a bare layer lie: out-in, y = W x; in-out, y = x W"),
    FLAG(0, "zero-attn", F(zero_attn),
         "a bare attention has a key and a value of zeros after all others, as torch's "
         "add_zero_attn"),
    END
};
const struct opt_group layer_group = { "bare layers", layer_opts };

static const struct opt rows_opts[] = {
    WORDS(0, "memory", "FILE", F(memory), &random_values,
          ".npy of the rows that keys and values of a bare layer come from; random: drawn "
          "from --seed", .excludes = "key"),
    WORDS(0, "key", "FILE", F(key), &random_values, "the same for keys alone", .needs = "value"),
    WORDS(0, "value", "FILE", F(value), &random_values, "the same for values alone",
          .needs = "key"),
    WORDS(0, "decoder-input", "FILE", F(decoder_input), &random_values,
          ".npy of the rows that the decoder reads, where one file holds the layers of an "
          "encoder and of a decoder"),
    STRING(0, "tokens", "NAMES", F(tokens),
           "names of a bare layer's rows, or of queries, separated by spaces"),
    STRING(0, "key-tokens", "NAMES", F(key_tokens),
           "names of keys that come from another text, separated by spaces"),
    STRING(0, "decoder-tokens", "NAMES", F(decoder_tokens),
           "names of the rows of --decoder-input, separated by spaces"),
    STRING(0, "shape", "[B]xT", F(shape),
           "number of rows, or of texts and rows, of a random input: 10, 32x50",
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
          "three .npy of queries, keys and values, instead of a model and a text; with --heads, "
          "heads are columns of rows", .excludes = OF_MODEL),
    REAL(0, "score-scale", "X", F(score_scale), NULL, 1e-30, 1e30,
         "factor of the scores of --qkv; without it, 1 / sqrt(width of a query)",
         .needs = "qkv"),
    END
};
const struct opt_group qkv_group = { "precomputed attention", qkv_opts };

static const struct opt text_opts[] = {
    PATH('f', "file", "FILE", F(file),
         "read one text per line; - is standard input, .gz is decompressed",
         .excludes = "ids|input|image|audio; decoder-ids: lines have texts for the decoder "
                     "(--pairs, --jsonl)"),
    FLAG(0, "pairs", F(pairs),
         "each line of the file, or of standard input, holds two texts separated by a tab",
         .excludes = "jsonl"),
    FLAG(0, "jsonl", F(jsonl),
         "each line of the file, or of standard input, is {\"text\":…,\"pair\":…} or "
         "{\"ids\":[…],\"type_ids\":[…]}"),
    FLAG(0, "keep-empty", F(keep_empty),
         "blank lines of the file, or of standard input, are texts, too"),
    STRING(0, "ids", "LIST", F(ids), "token ids instead of a text: 101,7592,102",
           .excludes = "input|image|audio"),
    STRING(0, "type-ids", "LIST", F(type_ids), "types of --ids, one per id", .needs = "ids"),
    STRING(0, "decoder-ids", "LIST", F(decoder_ids),
           "token ids for the decoder of an encoder-decoder, instead of TEXT_B"),
    WORDS(0, "global", "LIST", F(global), &global_values,
          "tokens that see all tokens and are seen by all, from 0: 0,5-7 or all or none "
          "(longformer)"),
    PATH(0, "boxes", "FILE", F(boxes),
         ".npy of the box of each token on its page, [tokens, 4] (layoutlm); without it, zeros",
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
           "of N shards of the texts only those of shard K, from 0: every N-th text"),
    END
};
const struct opt_group shard_group = { "many texts", shard_opts };

static const struct opt split_opts[] = {
    STRING(0, "split", "N[:OVERLAP]", F(split),
           "cut texts of more than N tokens into pieces of N, each a text of its own",
           .excludes = "truncate"),
    END
};
const struct opt_group split_group = { "many texts", split_opts };

static const struct opt memory_opts[] = {
    STRING(0, "max-memory", "SIZE", F(max_memory),
           "memory beside mapped files, in bytes or with K, M, G: smaller batches, or an error"),
    END
};
const struct opt_group memory_group = { "many texts", memory_opts };

static const struct opt select_opts[] = {
    WORDS('l', "layer", "LIST", F(layer), &layer_values,
          "layers, from 0: 0,2-4, last, -1 (counted from the end) or all"),
    WORDS('H', "head", "LIST", F(head), &layer_values,
          "heads, from 0: 0,2-4, last, -1 or all; or by name with their layers: L4H1,L4H3"),
    WORDS('s', "stack", "NAME", F(stack), &stack_values,
          "encoder, decoder or cross; without it, cross where the decoder has a text"),
    PATH(0, "rotations", "FILE", F(rotations),
         ".npy of the random rotations of a reformer's hash; without it, drawn from "
         "hash_seed"),
    END
};
const struct opt_group select_group = { "layers and heads", select_opts };

static const struct opt hide_opts[] = {
    WORDS(0, "hide", "LIST", F(hide), &hide_values,
          "leave out rows and columns of tokens: first, special, or positions as tokens "
          "lists them: first,5-7", .excludes = "hide-special"),
    FLAG(0, "hide-special", F(hide_special), "short for --hide special"),
    FLAG(0, "renorm", F(renorm), "divide each row by what --hide leaves of it",
         .needs = "hide|hide-special: rows sum to 1 as they are"),
    CHOICE(0, "merge", "NAME", F(merge), "none", merge_names,
           "words: rows and columns of words in place of their pieces",
           .excludes = "pretokenized: --pretokenized gives pieces, not words; "
                       "ids|input|image|audio|decoder-ids: words are of a text"),
    END
};
const struct opt_group hide_group = { "tokens shown", hide_opts };

static const struct opt region_opts[] = {
    STRING(0, "from", "LIST", F(from),
           "only these queries, with commas: words, word#2, positions, 3-7, last, generated"),
    STRING(0, "to", "LIST", F(to), "only these keys, named so, too"),
    END
};
const struct opt_group region_group = { "tokens shown", region_opts };

static const struct opt weight_opts[] = {
    CHOICE(0, "weight", "NAME", F(weight), "plain", weighting_names,
           "rows of the weights times the length of what the head writes (norm), or of its "
           "values (value), divided by their sum"),
    END
};
const struct opt_group weight_group = { "weights", weight_opts };

static const struct opt generate_opts[] = {
    INT(0, "generate", "N", F(generate), NULL, 1, 1 << 20,
        "continue the text greedily by at most N tokens; an encoder-decoder whose decoder "
        "needs a text generates up to 32 without it"),
    END
};
const struct opt_group generate_group = { "generation", generate_opts };

static const struct opt mask_opts[] = {
    WORDS(0, "mask", "SPEC", F(mask), &mask_values,
          "hide keys: causal, padding:N (the last N), block:Q-Q,K-K, keys:FILE.npy, FILE.npy; "
          "A+B: both; none: a bare layer's own mask is lifted"),
    WORDS(0, "memory-mask", "SPEC", F(memory_mask), &mask_values,
          "the same for cross-attention"),
    REAL(0, "mask-value", "X", F(mask_value), NULL, -1e38, 0,
         "score of a key that the mask hides, such as -1e9; without it, minus infinity",
         .needs = "mask|memory-mask"),
    END
};
const struct opt_group mask_group = { "masks", mask_opts };

static const struct opt dtype_opts[] = {
    CHOICE(0, "dtype", "NAME", F(dtype), "f32", precision_names,
           "round the operands of products, or of linears, to this format; sums stay in f32"),
    CHOICE(0, "fast", "NAME", F(fast), "f32", fast_names,
           "multiply in linears in fewer bits, where the processor is faster so"),
    END
};
const struct opt_group dtype_group = { "precision", dtype_opts };

#undef F

#define F(f) offsetof(struct shared_args, figure.f)

static const struct opt figure_opts[] = {
    CHOICE(0, "cmap", "NAME", F(cmap), "viridis", cmap_names, "colour map"),
    CHOICE(0, "scale", "NAME", F(scale), "linear", scale_names,
           "scale of the colours; row: each row by its own maximum"),
    FLAG(0, "shared", F(shared_scale),
         "one scale for all heatmaps, instead of each one's minimum to maximum"),
    STRING(0, "clip", "P%", F(clip),
           "colours end at this quantile of the weights, such as 99%; none: at the largest"),
    INT(0, "cell", "PX", F(cell), "0", 0, 200,
        "side of a cell in pixels at 100 dpi; 0: by the length of the text"),
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
         "size of all text but the title, in points; with --width 6, if not given"),
    STRING(0, "title", "TEXT", F(title), "title above the picture"),
    FLAG(0, "no-caption", F(no_caption), "draw no caption below the picture"),
    STRING(0, "font", "FAMILY", F(font), "font family of all text"),
    FLAG(0, "outlines", F(outlines), "text of an SVG as outlines, which need no fonts"),
    END
};
const struct opt_group sheet_group = { "figure", sheet_opts };
#undef F

static const struct opt resume_opts[] = {
    OUTPUT(0, "resume", "STATE", offsetof(struct shared_args, resume),
         "keep this file up to date, and go on from it if it is there"),
    END
};
const struct opt_group resume_group = { "many texts", resume_opts };

static const struct opt types_opts[] = {
    PATH(0, "types", "FILE", offsetof(struct shared_args, types),
         "show what each head is, as types --json wrote it to this file; built-in models bring "
         "theirs; none: do not"),
    END
};
const struct opt_group types_group = { "types", types_opts };

static const struct opt rare_opts[] = {
    PATH(0, "unigrams", "FILE", offsetof(struct shared_args, unigrams),
         "how often tokens occur, for what is said of rare ones: lines of an id, a tab and a "
         "count; without it, as often as in the texts"),
    END
};
const struct opt_group rare_group = { "rare tokens", rare_opts };
