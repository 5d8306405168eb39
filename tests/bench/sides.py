# SPDX-License-Identifier: MIT
"""What peers.py gives both sides, and the peers: texts, models, PyTorch, ONNX Runtime, llama.cpp."""
import random
import shutil
import time
from typing import NamedTuple

import cold
import generation

SAMPLE = cold.PEER.parent.parent.parent / "samples" / "english.txt"


class Cost(NamedTuple):
    cpu: float
    wall: float
    mib: float = 0


class Wrong(Exception):
    pass


def timed(fn):
    cpu, wall = time.process_time(), time.perf_counter()
    found = fn()
    return Cost(time.process_time() - cpu, time.perf_counter() - wall), found


# ---- texts ----

def sentences(n, tok):
    """Sentences of 8 to 64 tokens, each length as often, shortest first."""
    rng = random.Random(1)
    words = SAMPLE.read_text(encoding="utf-8").split()
    texts = []
    for i in range(n):
        length = 8 + i * 57 // n
        at = rng.randrange(len(words))
        picked = (words[at:] + words)[:length]
        while len(picked) > 1 and len(tok(" ".join(picked))["input_ids"]) > length:
            picked.pop()
        texts.append(" ".join(picked))
    return texts


def lines(n):
    """Lines of 5 to 59 words."""
    rng = random.Random(3)
    words = SAMPLE.read_text(encoding="utf-8").split()
    return [" ".join(rng.choices(words, k=rng.randrange(5, 60))) for _ in range(n)]


def some_ids(n):
    rng = random.Random(2)
    return [rng.randrange(5, 1900) for _ in range(n)]


def id_list(ids):
    return ["--ids", ",".join(map(str, ids))]


def text_file(bench, texts):
    path = bench.work / "texts.txt"
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return ["-f", str(path)]


# ---- models ----

def shape(bench, name, positions=None):
    """Folder of a model with random weights, whose scores have the spread of a trained one's."""
    folder = bench.work / name
    if (folder / "config.json").exists():
        return folder
    import torch
    import transformers as t
    t.utils.logging.disable_progress_bar()
    torch.manual_seed(7)
    if name == "gpt2":
        config = t.GPT2Config(vocab_size=30522, n_positions=positions or 2048,
                              initializer_range=1.27 / 768**.5)
        model = t.GPT2Model(config)
    else:
        width = {"minilm": 384, "bert": 768}[name]
        layers = {"minilm": 6, "bert": 12}[name]
        model = t.BertModel(t.BertConfig(
            vocab_size=30522, hidden_size=width, num_hidden_layers=layers, num_attention_heads=12,
            intermediate_size=4 * width, max_position_embeddings=positions or 4096,
            initializer_range=1.27 / width**.5))
    model.eval().save_pretrained(folder)
    for of in "tokenizer.json", "tokenizer_config.json":
        shutil.copy(bench.minilm / of, folder / of)
    return folder


def gguf(bench, kind):
    path = bench.work / f"llama_{kind}.gguf"
    if not path.exists():
        generation.write_model(path, kind)
    return str(path)


# ---- PyTorch and ONNX Runtime ----

def entropies(torch, attentions, mask):
    """What our report says of each head, but for distances and lists: entropies, [texts, L, H]."""
    mask = mask[:, None, :]
    count = mask.sum(-1)
    found = []
    for a in attentions:
        found.append((torch.special.entr(a).sum(-1) * mask).sum(-1) / count)
        heaviest, link = a.max(-1)
        mean = (heaviest * mask).sum(-1) / count
    del link, mean
    return torch.stack(found, 1)


class Torch:
    """capture: with attention and its statistics; sdpa, the faster way, without."""

    def __init__(self, folder, threads, capture):
        import torch
        from transformers import AutoModel
        torch.set_num_threads(threads)
        self.torch, self.capture = torch, capture
        self.model = AutoModel.from_pretrained(
            folder, attn_implementation="eager" if capture else "sdpa").eval()

    def __call__(self, inputs):
        with self.torch.inference_mode():
            out = self.model(**inputs, output_attentions=self.capture)
            if self.capture:
                return entropies(self.torch, out.attentions, inputs["attention_mask"])
        return None


class Onnx:
    """Gives its attentions; their entropies, for the comparison, are no part of its time."""

    def __init__(self, bench, folder, threads):
        import onnxruntime
        import torch
        path = bench.work / "minilm.onnx"
        if not path.exists():
            export_onnx(torch, folder, path)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        self.torch = torch
        self.session = onnxruntime.InferenceSession(path, options)

    def __call__(self, inputs):
        out = self.session.run(None, {"ids": inputs["input_ids"].numpy(),
                                      "mask": inputs["attention_mask"].numpy()})
        return [self.torch.from_numpy(a) for a in out], inputs["attention_mask"]


def export_onnx(torch, folder, path):
    from transformers import AutoModel
    model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()

    class Attentions(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, ids, mask):
            return self.model(input_ids=ids, attention_mask=mask,
                              output_attentions=True).attentions

    example = torch.ones(2, 7, dtype=torch.long)
    mask = example.clone()
    mask[1, 5:] = 0
    with torch.inference_mode():
        torch.onnx.export(Attentions().eval(), (example, mask), path, dynamo=True,
                          input_names=["ids", "mask"], external_data=False,
                          dynamic_shapes=({0: "b", 1: "n"}, {0: "b", 1: "n"}))


def over_texts(peer, tok, texts, batch):
    # GPT-2 adds the embedding of a token's type, were there one
    return [peer(tok(texts[i:i + batch], return_tensors="pt", padding=True,
                     return_token_type_ids=False))
            for i in range(0, len(texts), batch)]


def best_batch(peer, tok, texts):
    """By the texts in the middle."""
    n = max(32, len(texts) // 10)
    some = texts[(len(texts) - n) // 2:][:n]
    over_texts(peer, tok, some[:8], 8)
    return min((8, 16, 32), key=lambda size: timed(
        lambda: over_texts(peer, tok, some, size))[0].cpu)


def entropies_of(found):
    """Of Torch's batches, or Onnx's; None: nothing is captured."""
    import torch
    if found[0] is None:
        return None
    return torch.cat([entropies(torch, *x) if isinstance(x, tuple) else x for x in found])


# ---- llama.cpp ----

class Llama:
    """llama.cpp, by its own functions: a model without a vocabulary has none of the package's."""

    def __init__(self, path, threads, n):
        import ctypes
        import llama_cpp
        import numpy
        self.c, self.numpy = llama_cpp, numpy
        self.silent = llama_cpp.llama_log_callback(lambda *_: None)
        llama_cpp.llama_log_set(self.silent, ctypes.c_void_p(0))
        llama_cpp.llama_backend_init()
        model = llama_cpp.llama_model_load_from_file(
            path.encode(), llama_cpp.llama_model_default_params())
        params = llama_cpp.llama_context_default_params()
        params.n_ctx, params.n_batch, params.n_ubatch = n, 512, 512
        params.n_threads = params.n_threads_batch = threads
        self.context = llama_cpp.llama_init_from_model(model, params) if model else None
        if not self.context:
            raise Wrong("llama.cpp cannot open the model")

    def forget(self):
        self.c.llama_memory_clear(self.c.llama_get_memory(self.context), True)

    def decode(self, ids):
        """The logits of the last one."""
        array = (self.c.llama_token * len(ids))(*ids)
        if self.c.llama_decode(self.context, self.c.llama_batch_get_one(array, len(ids))) != 0:
            raise Wrong("llama.cpp cannot decode")
        return self.numpy.ctypeslib.as_array(self.c.llama_get_logits_ith(self.context, -1),
                                             (generation.VOCABULARY,))
