#!/usr/bin/env python3
"""Copies the small pictures and sounds of tests/ref/media (make_media.py), good and bad, to the seeds of
the fuzz targets beside itself."""
import pathlib
import shutil

here = pathlib.Path(__file__).resolve().parent
media = here.parent.parent / "ref" / "media"

for kind, ending in (("png", "*.png"), ("jpeg", "*.jpg"), ("wav", "*.wav")):
    (here / kind).mkdir(exist_ok=True)
    for file in sorted(media.rglob(ending)):
        if file.stat().st_size <= 2200:
            shutil.copyfile(file, here / kind / (file.parent.name + "_" + file.stem))
