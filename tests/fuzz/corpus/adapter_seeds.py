#!/usr/bin/env python3
"""Writes the seeds of the adapter fuzz target beside itself: adapters for the base that it makes,
and some that do not fit it.  Needs only Python."""
import json
import pathlib
import struct

here = pathlib.Path(__file__).resolve().parent / "adapter"
CONFIG = {"peft_type": "LORA", "r": 2, "lora_alpha": 3}
Q = {"base_model.model.h.0.q.lora_A.weight": [2, 5], "base_model.model.h.0.q.lora_B.weight": [3, 2]}


def seed(name, more, shapes):
    header, data = {}, b""
    for key, shape in shapes.items():
        n = 4
        for d in shape:
            n *= d
        header[key] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + n]}
        data += struct.pack("<%df" % (n // 4), *[(k * 7 % 5 - 2) / 2 for k in range(n // 4)])
    text = json.dumps(header, separators=(",", ":")).encode()
    (here / name).write_bytes(json.dumps({**CONFIG, **more}, separators=(",", ":")).encode() + b"\0" +
                              struct.pack("<Q", len(text)) + text + data)


here.mkdir(exist_ok=True)
seed("lora", {"use_rslora": True, "target_modules": ["q"]}, Q)
seed("dora", {"use_dora": True}, {**Q, "base_model.model.h.0.q.lora_magnitude_vector": [3]})
seed("embedding", {"alpha_pattern": {"w.e": 5}},
     {"base_model.model.t.wte.lora_embedding_A": [2, 7], "base_model.model.t.wte.lora_embedding_B": [3, 2]})
seed("square", {"fan_in_fan_out": True, "rank_pattern": {r".*\.o": 2}, "r": 4},
     {"h.0.o.lora_A.weight": [2, 4], "h.0.o.lora_B.weight": [4, 2]})
seed("whole", {"modules_to_save": ["score"], "bias": "lora_only"},
     {**Q, "base_model.model.score.weight": [2, 2], "base_model.model.h.0.q.base_layer.bias": [3]})
seed("other", {}, {"h.1.q.lora_A.weight": [2, 5], "h.1.q.lora_B.weight": [3, 2]})
seed("rank", {"rank_pattern": {"q": 3}}, Q)
