#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Small pictures and sounds, what transformers' and scipy's readers make of them, and models
that read them: tests/ref/media.

    python tests/ref/make_media.py          (numpy, pillow, scipy, torch, transformers)

Everything is drawn or computed here: no photograph, no recording, no trained weights.
"""
import io
import json
import pathlib
import struct
import sys
import zlib

import numpy as np
import torch
from PIL import Image, ImageOps

OUT = pathlib.Path(__file__).parent / "media"


# ---- pictures ----

def scene(width, height, seed):
    """Slopes, a disc, stripes and noise: every filter has something to do."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    rgb = np.stack([x * 255 / max(width - 1, 1), y * 255 / max(height - 1, 1),
                    128 + 100 * np.sin(x / 2.0)], axis=-1)
    rgb[(x - width * .4) ** 2 + (y - height * .5) ** 2 < (min(width, height) * .3) ** 2] = (250, 40, 10)
    rgb += rng.integers(-20, 20, rgb.shape)
    return Image.fromarray(np.clip(rgb, 0, 255).astype(np.uint8))


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def raw_png(width, height, bits, kind, rows, interlace=0, extra=b""):
    """What Pillow does not write: 16 bits, 2 bits, claims that are not true."""
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, kind,
                                                            0, 0, interlace)) + extra +
            chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def adam7(pixels):
    """Rows of the seven passes of an interlaced picture of 8 bits."""
    out = b""
    for x0, y0, dx, dy in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4),
                           (1, 0, 2, 2), (0, 1, 1, 2)):
        part = pixels[y0::dy, x0::dx]
        if part.size:
            out += b"".join(b"\0" + row.tobytes() for row in part)
    return out


def pictures():
    files = {}

    def save(name, image, **how):
        data = io.BytesIO()
        image.save(data, name.rsplit(".", 1)[1].upper().replace("JPG", "JPEG"), **how)
        files[name] = data.getvalue()

    base = scene(45, 31, 1)
    save("rgb.png", base)
    alpha = base.convert("RGBA")
    alpha.putalpha(Image.linear_gradient("L").resize(base.size))
    save("rgba.png", alpha)
    save("grey.png", base.convert("L"))
    save("grey_alpha.png", alpha.convert("LA"))
    save("palette.png", base.quantize(16), transparency=3)
    save("bit.png", base.convert("1"))
    two = (np.arange(45 * 8).reshape(8, 45) % 4).astype(np.uint8)
    packed = b"".join(b"\0" + bytes(sum(int(v) << 6 - 2 * k for k, v in enumerate(row[i:i + 4]))
                                    for i in range(0, 45, 4)) for row in two)
    files["grey2.png"] = raw_png(45, 8, 2, 0, packed)
    deep = np.asarray(base).astype(">u2") * 257
    deep[..., 0] ^= 0x3c
    files["deep.png"] = raw_png(45, 31, 16, 2, b"".join(b"\0" + r.tobytes() for r in deep))
    files["interlaced.png"] = raw_png(45, 31, 8, 2, adam7(np.asarray(base)), interlace=1)
    exif = Image.Exif()
    for turn in range(2, 9):
        exif[0x0112] = turn
        save(f"turned{turn}.png", base.crop((0, 0, 9, 6)), exif=exif)
    exif[0x0112] = 6
    wide = scene(70, 40, 2)
    save("rgb.jpg", wide, quality=90)
    save("half.jpg", wide, quality=80, subsampling=2)
    save("progressive.jpg", wide, quality=80, progressive=True)
    save("grey.jpg", wide.convert("L"), quality=80)
    save("cmyk.jpg", wide.convert("CMYK"), quality=90)
    save("turned.jpg", wide, quality=85, exif=exif)
    # What is refused.
    grey16 = b"".join(b"\0" + r.tobytes() for r in deep[..., 0])
    files["bad/grey16.png"] = raw_png(45, 31, 16, 0, grey16)
    files["bad/lies.png"] = raw_png(30000, 3000, 8, 2, b"\0" * 100)
    files["bad/huge.png"] = raw_png(2 ** 31 - 1, 2 ** 31 - 1, 8, 2, b"\0" * 100)
    files["bad/zero.png"] = raw_png(0, 5, 8, 2, b"\0" * 100)
    files["bad/few.png"] = raw_png(45, 31, 8, 2, b"\0" * 100)
    files["bad/kind.png"] = raw_png(45, 31, 3, 5, b"\0" * 100)
    files["bad/cut.png"] = files["rgb.png"][:-700]
    damaged = bytearray(files["rgb.png"])
    damaged[len(damaged) // 2] ^= 0x55
    files["bad/damaged.png"] = bytes(damaged)
    files["bad/cut.jpg"] = files["rgb.jpg"][:-600]
    lying = bytearray(files["rgb.jpg"])
    at = lying.index(b"\xff\xc0")
    lying[at + 5:at + 9] = struct.pack(">HH", 20000, 4000)
    files["bad/lies.jpg"] = bytes(lying)
    lying[at + 5:at + 9] = struct.pack(">HH", 60000, 60000)
    files["bad/huge.jpg"] = bytes(lying)
    twelve = bytearray(files["rgb.jpg"])
    twelve[at + 4] = 12
    files["bad/twelve.jpg"] = bytes(twelve)
    files["bad/no.jpg"] = b"GIF89a"
    return files


def decoded(data):
    """As transformers' load_image."""
    return ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGB")


PROCESSORS = {
    "vit": ("ViT", {"size": {"height": 16, "width": 24}}),
    "old": ("ViT", {"size": 20, "resample": 3, "image_mean": [0.485, 0.456, 0.406],
                    "image_std": [0.229, 0.224, 0.225]}),
    "deit": ("DeiT", {"size": {"height": 26, "width": 33}, "crop_size": {"height": 16, "width": 24}}),
    "shortest": ("DeiT", {"size": {"shortest_edge": 19}, "crop_size": {"height": 16, "width": 24},
                          "resample": 1}),
    "box": ("ViT", {"size": {"height": 50, "width": 7}, "resample": 4}),
    "hamming": ("ViT", {"size": {"height": 13, "width": 90}, "resample": 5, "do_normalize": False}),
    "nearest": ("ViT", {"size": {"height": 37, "width": 29}, "resample": 0,
                        "rescale_factor": 0.007}),
    "raw": ("ViT", {"size": 30, "do_rescale": False, "do_normalize": False}),
    "low": ("ViT", {"size": {"height": 9, "width": 41}, "resample": 3}),
    "narrow": ("ViT", {"size": {"height": 24, "width": 11}, "resample": 1}),
    "cut": ("DeiT", {"do_resize": False, "crop_size": {"height": 40, "width": 24}}),
    "whole": ("ViT", {"do_resize": False, "do_rescale": False}),
}


def process(name, image):
    from transformers.models.deit.image_processing_pil_deit import DeiTImageProcessorPil
    from transformers.models.vit.image_processing_pil_vit import ViTImageProcessorPil
    kind, keys = PROCESSORS[name]
    made = (ViTImageProcessorPil if kind == "ViT" else DeiTImageProcessorPil)(**keys)
    return np.asarray(made(images=image, return_tensors="np")["pixel_values"][0])


# ---- models ----

def shake(model, seed):
    """Wider than the library draws them, so that heads differ."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            p.copy_(torch.randn_like(p) * (0.5 if p.dim() > 1 else 0.1))
            if "norm" in name and name.endswith("weight"):
                p.add_(1)
    return model.eval()


def write_json(path, what):
    path.write_text(json.dumps(what, indent=1) + "\n")


def vit():
    from transformers import ViTConfig, ViTModel
    config = ViTConfig(hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16,
                       image_size=[16, 24], patch_size=4, num_channels=3,
                       attn_implementation="eager")
    model = shake(ViTModel(config, add_pooling_layer=False), 5)
    out = OUT / "vit"
    model.save_pretrained(out)
    write_json(out / "preprocessor_config.json",
               {"image_processor_type": "ViTImageProcessor", "size": {"height": 16, "width": 24}})
    return model


def main():
    for old in sorted(OUT.rglob("*"), reverse=True):
        old.unlink() if old.is_file() else old.rmdir()
    (OUT / "bad").mkdir(parents=True)
    files = pictures()
    arrays = {}
    for name, data in files.items():
        (OUT / name).write_bytes(data)
        if not name.startswith("bad/"):
            arrays["rgb." + name] = np.asarray(decoded(data))
    for name in PROCESSORS:
        arrays["x." + name] = process(name, decoded(files["rgb.png"])).astype(np.float32)
    model = vit()
    with torch.no_grad():
        x = torch.from_numpy(process("vit", decoded(files["rgb.png"])))[None]
        for i, row in enumerate(model(x, output_attentions=True).attentions):
            arrays[f"attn.{i}"] = row[0].numpy()
    np.savez_compressed(OUT / "expected.npz", **arrays)


if __name__ == "__main__":
    sys.exit(main())
