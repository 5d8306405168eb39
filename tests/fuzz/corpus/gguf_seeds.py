#!/usr/bin/env python3
"""Writes the seeds of the GGUF fuzz target beside itself: a small model that binds, one with
every type of value, and files that are wrong in one way."""
import pathlib
import struct

here = pathlib.Path(__file__).resolve().parent / "gguf"


def u32(v):
    return struct.pack("<I", v)


def u64(v):
    return struct.pack("<Q", v)


def string(s):
    return u64(len(s.encode())) + s.encode()


def key(name, kind, value):
    return string(name) + u32(kind) + value


def number(name, v):
    return key(name, 4, u32(v))


def array(name, kind, n, values):
    return key(name, 9, u32(kind) + u64(n) + values)


def tensor(name, dims, kind, offset):
    return string(name) + u32(len(dims)) + b"".join(map(u64, dims)) + u32(kind) + u64(offset)


def gguf(name, keys, tensors=(), data=b"", version=3):
    head = b"GGUF" + u32(version) + u64(len(tensors)) + u64(len(keys)) + b"".join(keys) + \
        b"".join(tensors)
    here.mkdir(exist_ok=True)
    (here / name).write_bytes(head + b"\0" * (-len(head) % 32 if tensors else 0) + data)


def lfm2():
    d, v = 4, 6
    shapes = [("token_embd", [d, v]), ("token_embd_norm", [d])] + [
        (f"blk.{l}.{n}", s) for l in (0, 1) for n, s in (
            ("attn_norm", [d]), ("ffn_norm", [d]), ("ffn_gate", [d, d]), ("ffn_up", [d, d]),
            ("ffn_down", [d, d]))] + [
        ("blk.0.shortconv.in_proj", [d, 3 * d]), ("blk.0.shortconv.conv", [2, d]),
        ("blk.0.shortconv.out_proj", [d, d]), ("blk.1.attn_q", [d, d]), ("blk.1.attn_k", [d, 2]),
        ("blk.1.attn_v", [d, 2]), ("blk.1.attn_output", [d, d]), ("blk.1.attn_q_norm", [2]),
        ("blk.1.attn_k_norm", [2])]
    tensors, at = [], 0
    for n, s in shapes:
        size = 4 * s[0] * (s[1] if len(s) > 1 else 1)
        tensors.append(tensor(n + ".weight", s, 0, at))
        at += size + -size % 32
    keys = [key("general.architecture", 8, string("lfm2"))] + [
        number("lfm2." + n, x) for n, x in (("block_count", 2), ("context_length", 8),
                                            ("embedding_length", d), ("feed_forward_length", d),
                                            ("attention.head_count", 2), ("shortconv.l_cache", 2))]
    keys.append(array("lfm2.attention.head_count_kv", 5, 2, u32(0) + u32(1)))
    return keys, tensors, bytes(at)


def llama():
    d, f, v = 4, 4, 6
    shapes = [("token_embd", [d, v]), ("output_norm", [d])] + [
        ("blk.0." + n, s) for n, s in (("attn_norm", [d]), ("attn_q", [d, d]), ("attn_k", [d, d]),
                                       ("attn_v", [d, d]), ("attn_output", [d, d]),
                                       ("ffn_norm", [d]), ("ffn_gate", [d, f]),
                                       ("ffn_up", [d, f]), ("ffn_down", [f, d]))]
    tensors, at = [], 0
    for n, s in shapes:
        size = 4 * s[0] * (s[1] if len(s) > 1 else 1)
        tensors.append(tensor(n + ".weight", s, 0, at))
        at += size + -size % 32
    keys = [key("general.architecture", 8, string("llama"))] + [
        number("llama." + n, x) for n, x in (("block_count", 1), ("context_length", 8),
                                             ("embedding_length", d), ("feed_forward_length", f),
                                             ("attention.head_count", 2))]
    keys.append(key("llama.attention.layer_norm_rms_epsilon", 6, struct.pack("<f", 1e-6)))
    return keys, tensors, bytes(at)


keys, tensors, data = llama()
gguf("llama", keys, tensors, data)
gguf("lfm2", *lfm2())
gguf("version2", keys[:1], (), b"", 2)
gguf("types", [key("a%d" % k, k, bytes(n)) for k, n in
               ((0, 1), (1, 1), (2, 2), (3, 2), (4, 4), (5, 4), (6, 4), (7, 1), (8, 8), (10, 8),
                (11, 8), (12, 8))] + [array("s", 8, 2, string("one") + string(""))])
gguf("blocks", [number("general.alignment", 64)], [tensor("q", [32, 2], 2, 0),
                                                  tensor("k", [256], 14, 64)], bytes(400))
gguf("nested", [array("n", 9, 1, u32(9) + u64(1) + u32(0) + u64(1) + b"\0")])
gguf("huge", [array("n", 8, 1 << 63, b"")])
gguf("wraps", [], [tensor("t", [(1 << 42) + 1, 1 << 22], 0, 0)], bytes(64))
gguf("overlap", [], [tensor("t", [16], 0, 0), tensor("s", [16], 0, 32)], bytes(96))
gguf("tokens", [key("tokenizer.ggml.model", 8, string("gpt2")),
                key("tokenizer.ggml.pre", 8, string("starcoder")),
                array("tokenizer.ggml.tokens", 8, 3, string("a") + string("b") + string("ab")),
                array("tokenizer.ggml.token_type", 5, 3, u32(1) * 3),
                array("tokenizer.ggml.merges", 8, 1, string("a b"))])
gguf("wordpiece", [key("tokenizer.ggml.model", 8, string("bert")),
                   array("tokenizer.ggml.tokens", 8, 5, b"".join(map(string, (
                       "[UNK]", "[CLS]", "[SEP]", "\u2581a", "b")))),
                   number("tokenizer.ggml.cls_token_id", 1)])
pieces = ("<unk>", "<s>", "</s>", "\u2581", "a", "b", "\u2581ab", "<0x31>", "<x>")
for model in ("llama", "t5"):
    gguf("spm_" + model,
         [key("tokenizer.ggml.model", 8, string(model)),
          array("tokenizer.ggml.tokens", 8, 9, b"".join(map(string, pieces))),
          array("tokenizer.ggml.token_type", 5, 9, b"".join(map(u32, (2, 3, 3, 1, 1, 1, 1, 6, 4)))),
          array("tokenizer.ggml.scores", 6, 9, struct.pack("<9f", *range(0, -9, -1))),
          number("tokenizer.ggml.unknown_token_id", 0),
          key("tokenizer.ggml.add_space_prefix", 7, b"\1"),
          array("tokenizer.ggml.precompiled_charsmap", 0, 10, u32(4) + u32(0) + b"a\0")])
gguf("t5", [key("general.architecture", 8, string("t5"))] + [
    number("t5." + n, x) for n, x in (("block_count", 1), ("context_length", 8),
                                      ("embedding_length", 4), ("feed_forward_length", 4),
                                      ("attention.head_count", 2), ("decoder_block_count", 2),
                                      ("attention.relative_buckets_count", 8),
                                      ("decoder_start_token_id", 3))],
     [tensor("token_embd.weight", [4, 6], 0, 0), tensor("enc.blk.0.ffn_gate.weight", [4, 4], 0, 96)],
     bytes(160))
