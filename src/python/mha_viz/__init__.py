# SPDX-License-Identifier: MIT
"""What the attention heads of transformers do, through libmhaviz.

    import mha_viz

    with mha_viz.Model("openai-community/gpt2") as model:   # or nothing: the built-in model
        model.attention("the cat saw the dog")              # a picture, in a notebook
        model.stats("the cat saw the dog").to_pandas()      # one row per head
        model.heatmap("the cat saw the dog", "cat.svg")

Models compute in C, in this process, on several threads; nothing is downloaded.  NumPy is needed
only where arrays are returned.  The manual is mha-viz-python(7).
"""
from ._attention import Attention, Layers
from ._error import MhaVizError, MhaVizWarning, Status
from ._library import VERSION as __version__
from ._library import metric_info, metrics, options
from ._make import Page
from ._memory import GivenAttention, attention_arrays, from_torch, from_transformers
from ._model import Description, Model
from ._picture import Picture
from ._records import Records
from ._rows import Block, RowStream
from ._text import Audio, Image, Input, Token

__all__ = [
    "Attention", "Audio", "Block", "Description", "GivenAttention", "Image", "Input",
    "Layers", "MhaVizError", "MhaVizWarning", "Model", "Page", "Picture", "Records", "RowStream",
    "Status", "Token", "__version__", "attention_arrays", "from_torch", "from_transformers",
    "metric_info", "metrics", "options",
]
