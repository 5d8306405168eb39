# SPDX-License-Identifier: MIT
"""Models."""
from __future__ import annotations

import os
import threading
import weakref
from ctypes import byref, c_char_p, c_void_p
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Optional, Sequence, TypeVar, Union

from . import _arguments, _attention, _library, _make, _work
from ._arguments import PathLike, Which
from ._attention import Attention
from ._error import MhaVizError, Status, type_of, usage
from ._file import File, FileLike
from ._make import Page, Share
from ._numpy import numpy
from ._picture import Picture
from ._progress import Progress, meter
from ._records import Records
from ._rows import Flow, RowStream
from ._text import OF_TEXT, Source, Text, TextLike, Token
from ._work import Stop, Watch

T = TypeVar("T")

#: Options of diff that may be two, one for each side.
OF_SIDES = ("dtype", "fast", "mask")


class Description(NamedTuple):
    """What a model is.

    Attributes:
        name: as `mha-viz info` has it.
        family: "gpt2", "bert", ...
        layers, heads: of each stack that the model has.
        max_tokens: of a text; None: no limit.
    """

    name: str
    family: str
    layers: dict[str, int]
    heads: dict[str, int]
    max_tokens: Optional[int]


def _description(model: c_void_p) -> Description:
    found = _library.Description()
    _library.call("mhaviz_model_describe", model, byref(found))
    has = [i for i in range(len(_library.STACKS)) if found.n_layers[i] > 0]
    return Description(
        (found.name or b"").decode("utf-8", "replace"),
        (found.family or b"").decode("utf-8", "replace"),
        {_library.STACKS[i]: found.n_layers[i] for i in has},
        {_library.STACKS[i]: found.n_heads[i] for i in has},
        found.max_tokens if found.max_tokens < 2 ** 31 - 1 else None)


def _selection(layers: Which, heads: Which, stack: Any) -> _library.Selection:
    return _library.Selection(_arguments.optional(stack, "stack"),
                              _arguments.which(layers, "layers"),
                              _arguments.which(heads, "heads"))


class Model:
    """A transformer whose heads can be looked at.

        with mha_viz.Model("openai-community/gpt2") as model:
            attention = model.attention("the cat saw the dog")

    Args:
        path_or_name: a folder in the format of Hugging Face, a .safetensors file beside its
            config.json, a .gguf file, a name (ORG/NAME) in the local cache (nothing is
            downloaded), or "builtin:NAME"; None: "builtin:decoder".
        adapters: folders or names of LoRA or DoRA adapters, merged in this order; at most 16.
        threads: that compute, at most 1024; None: one per processor.  They never change a result.

    Raises:
        MhaVizError: USAGE: wrong arguments; INPUT: no such model, a damaged one, a family
            that is not supported, an adapter for another model; SYSTEM: memory, threads.

    A model may be used by several threads: they wait for one another.  Different models compute
    at the same time.  After a fork, the child opens models of its own.
    """

    def __init__(self, path_or_name: Optional[PathLike] = None, *,
                 adapters: Union[None, PathLike, Sequence[PathLike]] = None,
                 threads: Optional[int] = None) -> None:
        self._init()
        name = None if path_or_name is None else _arguments.path(path_or_name, "path_or_name")
        if adapters is None:
            adapters = ()
        elif isinstance(adapters, (str, bytes, os.PathLike)):
            adapters = (adapters,)
        elif not isinstance(adapters, Iterable):
            raise usage(f"adapters: expected paths, found {type_of(adapters)}")
        paths = [_arguments.path(one, "adapters") for one in adapters]
        array = (c_char_p * len(paths))(*paths)
        n_threads = _threads(threads)
        self._open(lambda handle: _library.call("mhaviz_model_open_adapted", byref(handle), name,
                                                array, len(paths), n_threads))

    # ---- the handle ----

    def _init(self) -> None:
        self._handle = c_void_p()
        _library.close_with(self, "mhaviz_model_close", self._handle)
        self._lock = threading.Lock()
        self._watch = Watch()
        self._watching = _library.PROGRESS(self._watch.progress)
        self._heard: list[str] = []         # warnings of what runs, or of the opening
        self._hearing = _library.WARN(
            _hears(weakref.ref(self)))      # no circle: a model goes when nobody has it
        self._flow: Optional[Flow] = None   # of a stream that has the lock
        self._holder: Optional[int] = None  # the thread that has the lock
        self._pid = os.getpid()
        self._kept: Any = None              # what the library does not copy
        self._described: Optional[Description] = None

    def _open(self, opening: Callable[[c_void_p], None]) -> None:
        def work(stop: Stop) -> None:
            opening(self._handle)
            _library.call("mhaviz_model_watch", self._handle, self._watching, None)
            _library.call("mhaviz_model_warn", self._handle, self._hearing, None)
            self._described = _description(self._handle)

        _work.run(work)
        said, self._heard = self._heard, []
        _make.warn(said)

    def _check_free(self) -> None:
        if self._pid != os.getpid():
            raise usage("the model was opened by another process: open it in this one")
        flow = self._flow
        if flow is not None and not flow.asked and flow.reader == threading.get_ident():
            raise usage("the model is busy with rows(): read them to the end, or close() them")
        if self._holder == threading.get_ident():
            raise usage("the model is busy: a callback must not use it")
        if self.closed:
            raise _closed()

    def _locked(self, work: Callable[[], T], stop: Stop) -> T:
        """work() while no other thread uses the handle."""
        with self._lock:
            if self.closed:
                raise _closed()
            self._flow = stop if isinstance(stop, Flow) else None
            self._holder, self._watch.stop = threading.get_ident(), stop
            try:
                return work()
            finally:
                self._flow = self._holder = self._watch.stop = None

    def _use(self, work: Callable[[Stop], T], other: Optional[Model] = None) -> T:
        """work(stop) with the lock, and that of another model, where Ctrl-C is heard."""
        models = [self] if other is None or other is self else \
            sorted((self, other), key=id)           # the same order everywhere
        for model in models:
            model._check_free()

        def locked(stop: Stop) -> T:
            def unless_stopped() -> T:
                if stop.asked:
                    raise MhaVizError(Status.STOPPED, "stopped")
                return work(stop)

            if len(models) == 1:
                return self._locked(unless_stopped, stop)
            return models[0]._locked(lambda: models[1]._locked(unless_stopped, stop), stop)
        return _work.run(locked)

    @property
    def closed(self) -> bool:
        """Whether it was closed: every call but close() then raises USAGE."""
        return not self._handle.value

    def close(self) -> None:
        """Gives back its memory and threads, after the calls that other threads wait for.

        A stream of its rows ends.  Of a closed model, or by several threads at once: nothing.
        """
        if self._pid != os.getpid():
            return                      # its threads are not here
        if self._holder == threading.get_ident():
            raise usage("the model is busy: a callback must not use it")
        flow = self._flow
        if flow is not None:
            flow.ask()
        with self._lock:
            _library.close("mhaviz_model_close", self._handle)
            self._kept = None

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed or self._described is None:
            return "<mha_viz.Model: closed>"
        d = self._described
        parts = "; ".join(f"{stack}, {n} layers of {d.heads[stack]} heads"
                          for stack, n in d.layers.items())
        return f"<mha_viz.Model: {d.name}, {d.family}; {parts}>"

    def __reduce__(self) -> Any:
        raise usage("a model cannot be pickled or copied: open it in each process")

    def _source(self, text: Any, pair: Any, words: Sequence[bytes] = ()) -> Source:
        return Source(text, pair, words)

    # ---- what it is ----

    @property
    def description(self) -> Description:
        """Name, family, layers and heads.  Errors: USAGE after close()."""
        if self.closed or self._described is None:
            raise _closed()
        return self._described

    def tokens(self, text: Optional[TextLike] = None, pair: Optional[str] = None, *,
               decoder: bool = False) -> list[Token]:
        """The tokens that the model receives, with its special tokens.

        Args:
            text: str, or `Image` or `Audio` for models that read such.
            pair: the second text of an encoder, or the decoder's text of an encoder-decoder.
            decoder: those of the decoder's text instead.

        Raises:
            MhaVizError: USAGE: a model without a tokeniser's files, wrong types; INPUT: more
                tokens than the model takes, surrogates, null characters, no tokens.
        """
        source, side = self._source(text, pair), bool(_arguments.flag(decoder, "decoder"))
        said: list[str] = []

        def work(stop: Stop) -> list[Token]:
            self._heard = said
            return source.open(self._handle).tokens(side)

        found = self._use(work)
        _make.warn(said)
        return found

    # ---- attention ----

    def attention(self, text: Optional[TextLike] = None, pair: Optional[str] = None, *,
                  layers: Which = None, heads: Which = None,
                  stack: Optional[str] = None) -> Attention:
        """The attention of each head as arrays.  Requires NumPy.

        Args:
            text, pair: as for `tokens`.
            layers: "0,3-5", "last", a number or several; None: all.
            heads: "0,3-5", a number or several, or with their layers "L4H1,L4H3"; None: all.
            stack: "encoder", "decoder" or "cross"; None: each that the text reaches.

        Returns:
            `Attention`: 4 L H N N bytes for L layers, H heads and N tokens; see `rows`.

        Raises:
            MhaVizError: USAGE: what the model does not have; INPUT: as `tokens`, weights that
                are not finite; SYSTEM: memory, no NumPy.
        """
        np = numpy()
        source, selection = self._source(text, pair), _selection(layers, heads, stack)
        described = self.description
        n_heads = [described.heads.get(name, 0) for name in _library.STACKS]
        said: list[str] = []

        def work(stop: Stop) -> tuple[Text, dict[str, _attention.Layers]]:
            self._heard = said
            opened = source.open(self._handle)
            return opened, _attention.collect(np, self._handle, opened.handle, selection,
                                              n_heads, stop)

        opened, rows = self._use(work)
        _make.warn(said)
        look = {name: None if value is None else value.decode() for name, value in
                zip(("stack", "layers", "heads"),
                    (selection.stack, selection.layers, selection.heads))}
        return Attention(self, source, look, (opened.tokens(), opened.tokens(True)), rows)

    def rows(self, text: Optional[TextLike] = None, pair: Optional[str] = None, *,
             layers: Which = None, heads: Which = None, stack: Optional[str] = None) -> RowStream:
        """The rows while they are computed, in bounded memory, for long texts.

            for block in model.rows(text):
                block.layer, block.head, block.weights      # float32 [n_rows, n_keys]

        The blocks of one head come in order, those of the heads of a layer in any order.
        Arguments as for `attention`.  Leaving the loop, or an exception in it, ends the run.

        Raises:
            MhaVizError: as `attention`; errors of the run are raised while it is read.
        """
        source, selection = self._source(text, pair), _selection(layers, heads, stack)
        self._check_free()
        handle = self._handle

        def work(flow: Flow) -> None:
            self._heard = flow.said
            opened = source.open(handle)
            _library.run(handle, opened.handle, selection, flow.put)

        return RowStream(self, work)

    # ---- numbers ----

    def stats(self, text: Optional[TextLike] = None, pair: Optional[str] = None, *,
              metric: Union[None, str, Sequence[str]] = None, layers: Which = None,
              heads: Which = None, stack: Optional[str] = None, progress: Share = None,
              **options: Any) -> Records:
        """The metrics of each head, those of `mha-viz stats` (formulas and units are in its page).

        Args:
            text, pair, layers, heads: as for `attention`.
            metric: names of metrics or groups, as "basic,neff", "all" or a list; None: basic.
            stack: None: that of the model; of an encoder-decoder "cross", or "encoder" for a
                text without a pair.
            progress, options: as for `make`; options are those of mha-viz-stats(1): truncate=True,
                ...

        Returns:
            `Records`: one dict per head with "stack", "layer", "head" and a float per metric,
            as "entropy" (in nats); NaN: undefined.  The few metrics that are words or lists are
            as `stats --json` has them.

        Raises:
            MhaVizError: as `attention`; USAGE: no such metric.
        """
        given = _arguments.with_metric(metric, options)
        return self._numbers(text, pair, _arguments.options(layers, heads, stack, given), progress)

    def stats_many(self, texts: Iterable[Any], *,
                   metric: Union[None, str, Sequence[str]] = None, layers: Which = None,
                   heads: Which = None, stack: Optional[str] = None, errors: str = "raise",
                   progress: Progress = None, **options: Any) -> Iterator[Records]:
        """`stats` of each text of a corpus, one after another.

            for records in model.stats_many(open("corpus.txt"), progress=True):
                records.number, records[0]["entropy"]

        Args:
            texts: str, or (str, pair), `Image`, `Audio` or `Input`; the line breaks of a file's
                lines are left out.
            errors: "raise", or "skip": a text that cannot be used becomes a warning.
            progress: called with (done, total) after each text, total None where the texts
                have no len(); True: a bar of tqdm, where it is installed; None: nothing.
            metric, and the others: as for `stats`.

        Raises:
            MhaVizError: as `stats`.
        """
        if isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
            raise usage(f"texts: expected several texts, found {type_of(texts)}")
        if errors not in ("raise", "skip"):
            raise usage("errors: expected 'raise' or 'skip'")
        given = _arguments.with_metric(metric, options)
        words = _arguments.options(layers, heads, stack, given)
        self._check_free()
        return self._each(texts, errors, progress, words)

    def _each(self, texts: Iterable[Any], errors: str, progress: Progress,
              words: list[bytes]) -> Iterator[Records]:
        with meter(texts, progress) as tick:
            for number, given in enumerate(texts):
                text, pair = given if isinstance(given, tuple) and len(given) == 2 else \
                    (given, None)
                if isinstance(text, str):
                    text = text.rstrip("\r\n")
                try:
                    records = self._numbers(text, pair, words)
                except MhaVizError as error:
                    if errors == "raise" or error.status != Status.INPUT:
                        raise
                    _make.warn([f"text {number} is skipped: {error}"])
                else:
                    records.number = number
                    yield records
                tick()

    def _numbers(self, text: Any, pair: Any, words: list[bytes], progress: Share = None) -> Records:
        data = self._made("stats", text, pair, words + [b"--json"], progress)
        return _make.numbers(_make.records(data, text if isinstance(text, str) else None))

    # ---- what the program makes ----

    def make(self, name: str, text: Optional[TextLike] = None, *, pair: Optional[str] = None,
             layers: Which = None, heads: Which = None, stack: Optional[str] = None,
             progress: Share = None, **options: Any) -> bytes:
        """What `mha-viz NAME OPTIONS -o -` writes into a pipe, without metadata.

        Args:
            name: "heatmap", "links", "model", "curve", "trace", "neuron", "report", "stats",
                "types", "diff", "ablate", "stability", "attribute", "circuits", "mechanisms",
                "tokens" or "export".
            text, pair, layers, heads, stack: as for `stats`; text None: what the options say
                (file="corpus.txt", ids=[1, 2]), or what the command takes without a text.
            progress: called with the share of the run that is done, in [0, 1], or None where that
                is not known; True: a bar of tqdm, where it is installed.  It runs on another
                thread and must not use the model.
            options: those of the command's page in their long form, with _ for -:
                make("heatmap", text, no_labels=True, vmax=0.5, size=[6, 4]).

        Raises:
            MhaVizError: that of the command: USAGE for its exit status 2, INPUT for 3, SYSTEM for
                4.  Its warnings are warnings.
        """
        words = _arguments.options(layers, heads, stack, options)
        return self._made(name, text, pair, words, progress)

    def _made(self, name: str, text: Any, pair: Any, words: list[bytes], progress: Share,
              other: Union[None, Model, TextLike] = None, out: Optional[File] = None) -> bytes:
        command = _arguments.text(name, "name")
        reading = [word for word in words if word.split(b"=")[0] in OF_TEXT]
        source = None if text is None and pair is None and \
            type(self)._source is Model._source else self._source(text, pair, reading)
        if source is not None:          # which has it
            words = [word for word in words if not word.startswith(b"--split=")]
        model = other if isinstance(other, Model) else None
        beside = None if other is None or model is not None else \
            self._source(other, None, reading)

        def work(stop: Stop) -> bytes:
            self._heard = said
            opened = None if source is None else source.open(self._handle)
            second = None if beside is None else beside.open(self._handle)
            return _make.make(self._handle, None if opened is None else opened.handle, command,
                              words, (None if model is None else model._handle,
                                      None if second is None else second.handle), tell, stop,
                              None if out is None else out.target)

        said: list[str] = []
        with _make._telling(progress) as tell:
            data = self._use(work, model)
        _make.warn(said)
        return data

    def _drawn(self, name: str, text: Any, path: Any, pair: Any, layers: Any, heads: Any,
               stack: Any, format: Any, dpi: Any, progress: Share,
               options: dict[str, Any]) -> Picture:
        out = File(path, format)
        dpi = _arguments.integer(dpi, "dpi", 1)
        for table in ("tsv", "csv", "json"):
            if options.get(table):
                raise usage(f"{table}: a picture is drawn here; numbers come from "
                            f"make({name!r}, ..., {table}=True)")
        given = {**options, "format": out.format, "dpi": dpi if out.format == "png" else None}
        words = _arguments.options(layers, heads, stack, given)
        picture = Picture(self._made(name, text, pair, words, progress, out=out), out.format,
                          dpi)
        out.write(picture)
        return picture

    def heatmap(self, text: Optional[TextLike] = None, path: Optional[FileLike] = None, *,
                pair: Optional[str] = None, layers: Which = None, heads: Which = None,
                stack: Optional[str] = None, format: Optional[str] = None, dpi: int = 100,
                progress: Share = None, **options: Any) -> Picture:
        """Draws the heads of one layer, or of several, as `mha-viz heatmap` does.

        Args:
            text, pair, layers, heads, stack: as for `stats`; layers None: the one that the
                program draws.
            path: of a file, which is replaced when the picture is complete, or an object with
                write() that takes bytes; None: none.
            format: "png", "svg" or "pdf"; None: by the extension of the file, or png.
            dpi: pixels per inch of a PNG, 10 to 1200.
            progress, options: as for `make`; options are those of mha-viz-heatmap(1): cmap="magma",
                title="...", columns=2, shared=True, outlines=True, ...

        Returns:
            `Picture`: the bytes, which are also in the file where one is given.

        Raises:
            MhaVizError: as `make`; SYSTEM: the file cannot be written.
        """
        return self._drawn("heatmap", text, path, pair, layers, heads, stack, format, dpi,
                           progress, options)

    def links(self, text: Optional[TextLike] = None, path: Optional[FileLike] = None, *,
              pair: Optional[str] = None, layers: Which = None, heads: Which = None,
              stack: Optional[str] = None, format: Optional[str] = None, dpi: int = 100,
              progress: Share = None, **options: Any) -> Picture:
        """Draws lines from the tokens that attend to those that are attended to, a colour per head.

        Arguments, result and errors as for `heatmap`; options are those of mha-viz-links(1).
        """
        return self._drawn("links", text, path, pair, layers, heads, stack, format, dpi, progress,
                           options)

    def model_view(self, text: Optional[TextLike] = None, path: Optional[FileLike] = None, *,
                   pair: Optional[str] = None, layers: Which = None, heads: Which = None,
                   stack: Optional[str] = None, format: Optional[str] = None, dpi: int = 100,
                   progress: Share = None, **options: Any) -> Picture:
        """Draws every head of every layer as a thumbnail, or a metric of each (metric="entropy").

        Arguments, result and errors as for `heatmap`; options are those of mha-viz-model(1).
        """
        return self._drawn("model", text, path, pair, layers, heads, stack, format, dpi, progress,
                           options)

    def report(self, text: Optional[TextLike] = None, path: Optional[FileLike] = None, *,
               pair: Optional[str] = None, layers: Which = None, heads: Which = None,
               stack: Optional[str] = None, progress: Share = None, **options: Any) -> Page:
        """An interactive page of one text, which needs no network.

        Arguments as for `heatmap`; options are those of mha-viz-report(1).

        Returns:
            `Page`: its HTML, which a notebook shows in a frame of its own.

        Raises:
            MhaVizError: as `heatmap`.
        """
        out = File(path, "html", ("html",))
        words = _arguments.options(layers, heads, stack, options)
        data = self._made("report", text, pair, words, progress, out=out)
        out.write(data)
        return Page(data.decode("utf-8"))

    def _reported(self, name: str, text: Any, pair: Any, layers: Any, heads: Any, stack: Any,
                  progress: Share, options: dict[str, Any],
                  other: Union[None, Model, TextLike] = None) -> Records:
        words = _arguments.options(layers, heads, stack, {**options, "json": True},
                                   OF_SIDES if name == "diff" else ())
        data = self._made(name, text, pair, words, progress, other)
        return _make.records(data, text if isinstance(text, str) else None)

    def types(self, text: Optional[TextLike] = None, *, pair: Optional[str] = None,
              layers: Which = None, heads: Which = None, stack: Optional[str] = None,
              progress: Share = None, **options: Any) -> Records:
        """What each head is, by probes and by texts, as `mha-viz types` says.

        Arguments as for `make`; options are those of mha-viz-types(1): file="corpus.txt", ...

        Returns:
            `Records`: one dict per head with "stack", "layer", "head", "primary", "score",
            "caption" and the rest of `types --json`; None: undefined.
        """
        return self._reported("types", text, pair, layers, heads, stack, progress, options)

    def diff(self, other: Union[Model, TextLike], text: Optional[TextLike] = None, *,
             pair: Optional[str] = None, layers: Which = None, heads: Which = None,
             stack: Optional[str] = None, progress: Share = None, **options: Any) -> Records:
        """What changes in each head from this model to another, or from one text to another.

            base.diff(tuned, "the cat saw the dog")
            model.diff("the cat saw a dog", "the cat saw the dog")      # from the second one
            model.diff(model, "the cat saw the dog", dtype=("f32", "q8_0"))

        Args:
            other: the second model, or the second text of this one.
            text, and the others: as for `make`; options are those of mha-viz-diff(1): both sides
                have them, but dtype, fast and mask may be two, one for each.

        Returns:
            `Records`: one dict per head with "js" (in nats), "entropy_change" and the rest of
            `diff --json`; None: undefined.
        """
        if other is None:
            raise usage("other: expected a model or a text, found NoneType")
        if text is None and not isinstance(other, Model):
            raise usage("text: expected one beside the other, found NoneType")
        return self._reported("diff", text, pair, layers, heads, stack, progress, options, other)

    def ablate(self, text: Optional[TextLike] = None, *, pair: Optional[str] = None,
               layers: Which = None, heads: Which = None, stack: Optional[str] = None,
               progress: Share = None, **options: Any) -> Records:
        """What each head is worth: how the output changes when it is silenced.

        Arguments as for `make`; options are those of mha-viz-ablate(1).

        Returns:
            `Records`: one dict per head with "dloss" and "kl" (in nats) and the rest of
            `ablate --json`; None: undefined.
        """
        return self._reported("ablate", text, pair, layers, heads, stack, progress, options)


def _hears(model: weakref.ref[Model]) -> Callable[[Any, Any], None]:
    """Keeps warnings of the library for the call that runs."""
    def hear(_: Any, message: Any) -> None:
        heard = model()
        if heard is not None:
            heard._heard.append((message or b"").decode("utf-8", "replace"))
    return hear


def _closed() -> MhaVizError:
    return usage("the model is closed")


def _threads(threads: Optional[int]) -> int:
    return 0 if threads is None else _arguments.integer(threads, "threads", 1)
