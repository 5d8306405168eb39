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


# ---- sounds ----

def voice(rate, seconds):
    """A gliding tone with overtones, a click and noise, then nearly silence; -1 to 1."""
    t = np.arange(int(rate * seconds)) / rate
    rng = np.random.default_rng(7)
    x = sum(np.sin(2 * np.pi * k * (180 * t + 120 * t * t)) / k for k in (1, 2, 3, 5)) / 3
    x += rng.normal(0, 0.02, t.size)
    x[t.size // 3] = 0.9
    x[t > seconds * 0.8] *= 1e-3
    return np.clip(x, -0.99, 0.99)


def wav(x, rate, kind="<i2", channels=1, extensible=False, **lies):
    """RIFF by hand, so that a header can also lie."""
    bits = {"u1": 8, "i3": 24}.get(kind) or np.dtype(kind).itemsize * 8
    if kind == "u1":
        data = (np.round(x * 127) + 128).astype(np.uint8).tobytes()
    elif kind == "i3":
        data = b"".join(int(v).to_bytes(3, "little", signed=True) for v in np.round(x * (2 ** 23 - 1)))
    elif kind.startswith("<i"):
        data = np.round(x * (2 ** (bits - 1) - 1)).astype(kind).tobytes()
    else:
        data = x.astype(kind).tobytes()
    form = 3 if kind.startswith("<f") else 1
    frame = lies.get("frame", channels * bits // 8)
    fmt = struct.pack("<HHIIHH", lies.get("form", 0xfffe if extensible else form), channels,
                      rate, rate * frame, frame, lies.get("bits", bits))
    if extensible:
        fmt += struct.pack("<HHIH", 22, bits, 0, form) + bytes.fromhex("000000001000800000aa00389b71")
    body = b"WAVE" + b"LIST" + struct.pack("<I", 3) + b"abc\0"
    body += b"fmt " + struct.pack("<I", len(fmt)) + fmt
    body += b"data" + struct.pack("<I", lies.get("size", len(data))) + data
    return b"RIFF" + struct.pack("<I", len(body)) + body


def sounds():
    x, short = voice(16000, 0.5), voice(16000, 0.05)
    stereo = np.stack([short, short[::-1] * 0.5], axis=-1).reshape(-1)
    good = {
        "voice.wav": wav(x, 16000), "u8.wav": wav(short, 16000, "u1"),
        "i24.wav": wav(short, 16000, "i3", extensible=True), "i32.wav": wav(short, 16000, "<i4"),
        "f32.wav": wav(short, 16000, "<f4"), "f64.wav": wav(short, 16000, "<f8", extensible=True),
        "stereo.wav": wav(stereo, 16000, "<i2", channels=2),
        "at44100.wav": wav(voice(44100, 0.1), 44100), "at8000.wav": wav(voice(8000, 0.3), 8000),
        "at11025.wav": wav(voice(11025, 0.1), 11025), "at48000.wav": wav(voice(48000, 0.1), 48000),
        "long.wav": wav(voice(8000, 1.5), 8000, "u1"),
    }
    bad = {
        "cut.wav": wav(short, 16000)[:-100], "lies.wav": wav(short, 16000, size=2 ** 32 - 2),
        "frame.wav": wav(short, 16000, frame=3), "form.wav": wav(short, 16000, form=85),
        "bits.wav": wav(short, 16000, bits=12), "slow.wav": wav(short, 1),
        "empty.wav": wav(short[:0], 16000), "no.wav": b"RIFX" + wav(short, 16000)[4:],
        "nan.wav": wav(np.array([0, np.nan, 0]), 16000, "<f4"), "nodata.wav": wav(short, 16000)[:56],
        "nofmt.wav": wav(short, 16000)[:24],
    }
    return good, bad


def heard(name, data):
    """As scipy reads a file, of one channel at 16 kHz, and what whisper's extractor makes of it."""
    from scipy.io import wavfile
    from scipy.signal import resample_poly
    from transformers import WhisperFeatureExtractor
    rate, x = wavfile.read(io.BytesIO(data))
    kind = x.dtype
    x = x.astype(np.float64)
    if kind == np.uint8:
        x = (x - 128) / 128
    elif kind.kind == "i":
        x /= 2 ** 31 if kind == np.int32 else 2 ** 15
    if x.ndim > 1:
        x = x.mean(axis=1)
    x = x.astype(np.float32)[:rate]
    if rate != 16000:
        common = np.gcd(rate, 16000)
        x = resample_poly(x.astype(np.float64), 16000 // common, rate // common).astype(np.float32)
    extractor = WhisperFeatureExtractor(feature_size=20 if name != "voice.wav" else 80, chunk_length=1)
    return x, extractor(x, sampling_rate=16000, return_tensors="np")["input_features"][0]


PROCESSORS = {
    "vit": ("ViT", {"size": {"height": 16, "width": 24}}),
    "old": ("ViT", {"size": 20, "resample": 3, "image_mean": [0.485, 0.456, 0.406],
                    "image_std": [0.229, 0.224, 0.225]}),
    "deit": ("DeiT", {"size": {"height": 26, "width": 33}, "crop_size": {"height": 16, "width": 24}}),
    "shortest": ("DeiT", {"size": {"shortest_edge": 19}, "crop_size": {"height": 16, "width": 24},
                          "resample": 1}),
    "bit": ("Bit", {"size": {"shortest_edge": 26}, "crop_size": {"height": 24, "width": 16}}),
    "clip": ("CLIP", {"size": {"shortest_edge": 24}, "crop_size": {"height": 24, "width": 20}}),
    "siglip": ("Siglip", {"size": {"height": 24, "width": 40}}),
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
    from transformers.models.bit.image_processing_pil_bit import BitImageProcessorPil
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil
    from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil
    made = {"ViT": ViTImageProcessorPil, "DeiT": DeiTImageProcessorPil,
            "Bit": BitImageProcessorPil, "CLIP": CLIPImageProcessorPil,
            "Siglip": SiglipImageProcessorPil}[kind](**keys)
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


def whisper():
    """One second of sound: 100 frames, 50 positions."""
    from transformers import WhisperConfig, WhisperModel
    config = WhisperConfig(vocab_size=60, num_mel_bins=20, encoder_layers=2, decoder_layers=2,
                           encoder_attention_heads=2, decoder_attention_heads=2, d_model=8,
                           encoder_ffn_dim=16, decoder_ffn_dim=16, max_source_positions=50,
                           max_target_positions=20, pad_token_id=0, bos_token_id=1,
                           eos_token_id=2, decoder_start_token_id=3, suppress_tokens=None,
                           begin_suppress_tokens=None, attn_implementation="eager")
    model = shake(WhisperModel(config), 6)
    out = OUT / "whisper"
    model.save_pretrained(out)
    write_json(out / "preprocessor_config.json",
               {"feature_extractor_type": "WhisperFeatureExtractor", "feature_size": 20,
                "chunk_length": 1, "sampling_rate": 16000, "hop_length": 160, "n_fft": 400})
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
    good, bad = sounds()
    for name, data in good.items():
        (OUT / name).write_bytes(data)
        x, features = heard(name, data)
        arrays["x." + name] = x
        if name in ("voice.wav", "stereo.wav", "at44100.wav", "long.wav"):
            arrays["mel." + name] = features.astype(np.float32)
    for name, data in bad.items():
        (OUT / "bad" / name).write_bytes(data)
    for name in PROCESSORS:
        arrays["x." + name] = process(name, decoded(files["rgb.png"])).astype(np.float32)
    model = vit()
    with torch.no_grad():
        x = torch.from_numpy(process("vit", decoded(files["rgb.png"])))[None]
        for i, row in enumerate(model(x, output_attentions=True).attentions):
            arrays[f"attn.{i}"] = row[0].numpy()
        model = whisper()
        x = torch.from_numpy(arrays["mel.stereo.wav"])[None]
        made = model(x, decoder_input_ids=torch.tensor([[3, 10, 20, 30]]), output_attentions=True)
        for i, row in enumerate(made.cross_attentions):
            arrays[f"cross.{i}"] = row[0].numpy()
    np.savez_compressed(OUT / "expected.npz", **arrays)
    for file in OUT.rglob("*"):
        file.chmod(0o755 if file.is_dir() else 0o644)


if __name__ == "__main__":
    sys.exit(main())
