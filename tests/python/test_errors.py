# SPDX-License-Identifier: MIT
"""Bad input is an exception with one line."""
import copy
import gc
import os
import pickle
import shutil
import threading

import pytest
from conftest import REF, run_python

import mha_viz

USAGE, INPUT, SYSTEM = mha_viz.Status.USAGE, mha_viz.Status.INPUT, mha_viz.Status.SYSTEM


@pytest.mark.parametrize("arguments, status, words", [
    (dict(path_or_name="/nowhere"), INPUT, "/nowhere"),
    (dict(path_or_name=""), USAGE, "path_or_name: is empty"),
    (dict(path_or_name="a\0b"), USAGE, "path_or_name: has a null character"),
    (dict(path_or_name=3), USAGE, "path_or_name: expected a path, found int"),
    (dict(path_or_name=["a"]), USAGE, "path_or_name: expected a path, found list"),
    (dict(threads=0), USAGE, "threads: expected 1 to 2147483647, found 0"),
    (dict(threads=1025), USAGE, "0 to 1024"),
    (dict(threads=2 ** 70), USAGE, "more than 20 digits"),
    (dict(threads=True), USAGE, "threads: expected a whole number, found bool"),
    (dict(threads=1.0), USAGE, "threads: expected a whole number, found float"),
    (dict(adapters=3), USAGE, "adapters: expected paths, found int"),
    (dict(adapters=[None]), USAGE, "adapters: expected a path, found NoneType"),
    (dict(adapters=["/nowhere"]), INPUT, "/nowhere"),
    (dict(adapters=["a"] * 17), USAGE, "0 to 16 adapters"),
])
def test_models_that_cannot_be_opened(raises, arguments, status, words):
    with raises(status, words):
        mha_viz.Model(**arguments)


@pytest.mark.parametrize("method", ["attention", "rows", "stats", "tokens", "heatmap"])
@pytest.mark.parametrize("text, status, words", [
    (3, USAGE, "text: expected str, found int"),
    (b"the cat", USAGE, "text: expected str, found bytes"),
    ("the \ud800 cat", INPUT, "text: not UTF-8: the surrogate U+D800 at character 4"),
    ("a\0b", INPUT, "text: a null character at 1"),
    ("x y " * 2000, INPUT, "1024"),
    (mha_viz.Image("a.png"), USAGE, "not a picture"),
    (mha_viz.Audio("a.wav"), USAGE, "not sound"),
    (mha_viz.Image(None), USAGE, "path: expected a path"),
])
def test_texts_that_cannot_be_read(model, raises, method, text, status, words):
    with raises(status, words):
        result = getattr(model, method)(text)
        if method == "rows":
            next(result)


@pytest.mark.parametrize("options, words", [
    (dict(layers=99), "99"), (dict(layers=-7), "-7"), (dict(layers="x"), "layer"),
    (dict(layers=True), "layers: expected a whole number, found bool"),
    (dict(layers=[]), "layers: an empty list"), (dict(layers=1.5), "found float"),
    (dict(layers=b"3"), "found bytes"), (dict(layers=[None]), "found NoneType"),
    (dict(heads=4), "4"), (dict(heads="L0H9"), "9"), (dict(heads={}), "heads: an empty list"),
    (dict(stack="cross"), "cross"), (dict(stack="none"), "none"), (dict(stack=3), "found int"),
    (dict(metric="nothing"), "nothing"), (dict(metric=3), "metric: expected names, found int"),
    (dict(metric=[3]), "found int"), (dict(metric=[]), "metric: an empty list"),
    (dict(metric="links"), "links"),
])
def test_heads_and_metrics_that_are_not_there(model, raises, options, words):
    with raises(USAGE, words):
        model.stats("the cat", **options)


@pytest.mark.parametrize("options, words", [
    (dict(format="gif"), "format: 'gif' is not one of png, svg, pdf"),
    (dict(format=3), "format: expected str"), (dict(cmap="red"), "red"),
    (dict(columns=65), "columns"), (dict(columns=-1), "columns"), (dict(dpi=9), "dpi"),
    (dict(dpi=1201), "dpi"), (dict(dpi=0), "dpi: expected 1 to 2147483647, found 0"),
    (dict(dpi="x"), "dpi: expected a whole number, found str"),
    (dict(shared=1), "--shared takes no value"), (dict(nothing=3), "nothing"),
    (dict(title=b"x"), "title: expected a whole number, found bytes"),
    (dict(path=3), "path: expected a path"), (dict(vmax=float("nan")), "vmax: expected a finite"),
    (dict(size=[]), "size: an empty list"), ({"no labels": True}, "not the name of an option"),
    (dict(output="a.png"), "output"), (dict(threads=2), "threads"), (dict(progress=3), "progress"),
])
def test_pictures_that_cannot_be_drawn(model, raises, options, words):
    with raises(USAGE, words):
        model.heatmap("the cat", **options)


@pytest.mark.parametrize("texts, options, words", [
    ("the cat", {}, "texts: expected several texts, found str"), (3, {}, "found int"),
    ([], dict(errors="ignore"), "errors: expected 'raise' or 'skip'"),
    (["a"], dict(progress=3), "progress: expected a function or True, found int"),
    ([3], {}, "text: expected str, found int"),
])
def test_corpora_that_cannot_be_read(model, raises, texts, options, words):
    with raises(USAGE, words):
        list(model.stats_many(texts, **options))


def test_a_model_that_is_closed(raises):
    model = mha_viz.Model()
    later = model.rows("the cat")
    model.close()
    model.close()
    assert model.closed and repr(model) == "<mha_viz.Model: closed>"
    for use in (lambda: model.stats("a"), lambda: model.attention("a"), lambda: model.tokens("a"),
                lambda: model.heatmap("a"), lambda: model.rows("a"), lambda: model.description,
                lambda: list(model.stats_many(["a"])), lambda: next(later)):
        with raises(USAGE, "the model is closed"):
            use()


def test_threads_that_close_it_at_once():
    for _ in range(20):
        model, found, start = mha_viz.Model(threads=1), [], threading.Barrier(4)

        def close():
            start.wait()
            model.close()

        def use():
            start.wait()
            try:
                found.append(len(model.stats("the cat")))
            except mha_viz.MhaVizError as error:
                found.append(str(error))

        threads = [threading.Thread(target=target) for target in (close, close, use, use)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 2 and set(found) <= {24, "the model is closed"}


def test_several_threads_and_models(model):
    wanted, failed = model.stats("the cat saw the dog"), []
    with mha_viz.Model(threads=2) as other:
        def use(which):
            for _ in range(5):
                if which.stats("the cat saw the dog") != wanted:
                    failed.append(which)

        threads = [threading.Thread(target=use, args=(one,)) for one in (model, other) * 3]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failed


def test_a_model_that_never_opened_can_go():
    model = mha_viz.Model.__new__(mha_viz.Model)
    del model
    done = run_python("import mha_viz\ntry:\n    mha_viz.Model('/nowhere')\nexcept "
                      "mha_viz.MhaVizError as error:\n    print(error.status.name)")
    assert (done.returncode, done.stdout) == (0, "INPUT\n")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_opens_models_of_its_own():
    done = run_python("""
import os, warnings, mha_viz
warnings.simplefilter("ignore")
model = mha_viz.Model()
model.stats("the cat")
child = os.fork()
if child:
    os.waitpid(child, 0)
try:
    model.stats("the cat")
    print("parent")
except mha_viz.MhaVizError as error:
    print(error)
    model.close()
    with mha_viz.Model() as mine:
        print(len(mine.stats("the cat")))
""")
    assert (done.returncode, done.stdout.splitlines()) == \
        (0, ["the model was opened by another process: open it in this one", "24", "parent"])


def test_models_and_errors_in_pickles(model, raises):
    with raises(USAGE, "cannot be pickled"):
        pickle.dumps(model)
    with raises(USAGE, "cannot be pickled or copied"):
        copy.deepcopy(model)
    error = pickle.loads(pickle.dumps(mha_viz.MhaVizError(INPUT, "x: y")))
    assert (error.status, str(error)) == (INPUT, "x: y")


def test_what_outlives_the_module_goes_silently():
    """The interpreter takes the names of a module away before its objects, where others keep it."""
    done = run_python("""
import atexit
gone = []
atexit.register(lambda: [vars(module).update(dict.fromkeys(vars(module))) for module in gone])
import mha_viz
gone.append(mha_viz._library)
models = mha_viz.Model(), mha_viz.Model()
text = mha_viz.Model()._source("the cat", None).open(models[0]._handle)
rows = models[1].rows("the cat")
next(rows)
""")
    assert (done.returncode, done.stdout) == (0, "")


def test_a_handle_is_closed_when_nobody_has_it(monkeypatch):
    closed = []
    close = mha_viz._library.close
    monkeypatch.setattr(mha_viz._library, "close",
                        lambda name, handle: (closed.append(handle), close(name, handle)))
    model = mha_viz.Model()
    text = model._source("the cat", None).open(model._handle)
    handles = [text.handle, model._handle]
    assert all(handle.value for handle in handles)
    del model, text
    gc.collect()
    assert all(any(handle is one for one in closed) for handle in handles)
    assert not any(handle.value for handle in handles)


NO_NUMPY = """
import sys
sys.modules["numpy"] = sys.modules["pandas"] = sys.modules["tqdm"] = None
import mha_viz
model = mha_viz.Model()
assert model.heatmap("the cat")[:4] == b"\\x89PNG" and model.tokens("the cat")
records = list(model.stats_many(["the cat"], progress=True))[0]
block = next(model.rows("the cat"))
assert len(block.buffer) == 4 * block.n_rows * block.n_keys
for use in (lambda: model.attention("the cat"), lambda: block.weights, records.to_pandas):
    try:
        use()
    except mha_viz.MhaVizError as error:
        print(error.status.name, error)
"""


def test_without_numpy_all_but_arrays():
    done = run_python(NO_NUMPY)
    wanted = "SYSTEM arrays require NumPy: pip install 'mha-viz[numpy]'\n"
    assert (done.returncode, done.stdout) == \
        (0, wanted * 2 + "SYSTEM to_pandas requires pandas, which is not installed\n")


def test_a_library_that_is_not_there_or_another():
    for path, words in (("/nowhere/libmhaviz.so", "libmhaviz cannot be loaded"),
                        ("libc.so.6", "libmhaviz cannot be loaded")):
        done = run_python("import mha_viz", MHA_VIZ_LIBRARY=path)
        assert done.returncode == 1 and words in done.stdout.splitlines()[-1]


@pytest.mark.parametrize("call", [
    "model.attention(text)", "model.stats(text, metric='all')", "given.stats()",
])
def test_memory_that_is_denied(call):
    """An address space that ends: an exception, and the interpreter goes on."""
    resource = pytest.importorskip("resource")
    done = run_python(f"""
import resource, numpy, mha_viz
model = mha_viz.Model(threads=1)
text = "the cat " * 500
given = mha_viz.attention_arrays(numpy.full((6, 9, 600, 600), 1 / 600, numpy.float32))
def call():
    {call}
call()
pages = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
limit = resource.getrlimit(resource.RLIMIT_AS)
found = 0
for more in range(0, 20):
    resource.setrlimit(resource.RLIMIT_AS, (pages + (more << 19), limit[1]))
    try:
        call()
    except mha_viz.MhaVizError as error:
        assert error.status == mha_viz.Status.SYSTEM, error
        found += 1
    except (MemoryError, RuntimeError):     # of Python's own, also for a thread
        found += 1
    resource.setrlimit(resource.RLIMIT_AS, limit)
call()
print("good", found)
""")
    assert done.returncode == 0 and done.stdout.startswith("good "), done.stdout
    assert int(done.stdout.split()[1]) > 0


def test_no_output_takes_the_place_of_what_is_read(tmp_path):
    shutil.copytree(REF / "bert", tmp_path / "m")
    texts = tmp_path / "t.txt"
    texts.write_text("the key\nthe door\n")
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    config = tmp_path / "m" / "config.json"
    with mha_viz.Model(tmp_path / "m") as model:
        (tmp_path / "link.html").symlink_to(config)
        for draw, path, options in ((model.heatmap, config, {"format": "svg"}),
                                    (model.links, config, {"format": "svg"}),
                                    (model.report, tmp_path / "link.html", {})):
            with pytest.raises(mha_viz.MhaVizError, match="is the same file as") as raised:
                draw("the key", path, **options)
            assert raised.value.status == USAGE
        with pytest.raises(mha_viz.MhaVizError, match="is the same file as"):
            model.make("ablate", file=texts, means_out=texts, **{"with": "mean"})
        model.heatmap("the key", tmp_path / "a.png")
        model.heatmap("the key", tmp_path / "a.png")
    assert all(p.read_bytes() == data for p, data in before.items())


def test_names_of_the_last_release():
    with mha_viz.Model() as model:
        with pytest.warns(DeprecationWarning, match="compute= is called metric= now"):
            former = model.stats("the cat", compute="entropy")
        assert former == model.stats("the cat", metric=["entropy"])
