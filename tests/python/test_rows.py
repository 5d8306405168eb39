# SPDX-License-Identifier: MIT
"""Rows while they are computed."""
import threading

import numpy as np
import pytest
from conftest import SENTENCE, run_python

import mha_viz
from mha_viz import _rows, _work

LONG = " ".join([SENTENCE] * 20)


def gather(blocks):
    arrays = {}
    for block in blocks:
        at = block.stack, block.layer, block.head
        array = arrays.setdefault(at, np.zeros((block.n_all_rows, block.n_all_keys), np.float32))
        array[block.first_row:block.first_row + block.n_rows,
              block.first_key:block.first_key + block.n_keys] = block.weights
    return arrays


def quiet():
    """No run is left."""
    for worker in list(_work._alive):
        worker.wait()
    return not _work._alive


@pytest.mark.parametrize("name, pair", [(None, None), ("builtin:encoder", None),
                                        ("builtin:translate", "die Katze")])
def test_they_are_the_attention(name, pair):
    with mha_viz.Model(name) as model:
        text = SENTENCE if name else LONG
        whole = model.attention(text, pair)
        found = gather(model.rows(text, pair))
    wanted = {(stack, layer, head): array[head] for stack, layers in whole.rows.items()
              for layer, array in layers.items() for head in range(len(array))}
    assert found.keys() == wanted.keys()
    assert all(found[at].tobytes() == wanted[at].tobytes() for at in wanted)


def test_a_block_without_numpy(model):
    block = next(iter(model.rows(SENTENCE)))
    view = memoryview(block.buffer).cast("f", [block.n_rows, block.n_keys])
    assert view.tolist() == block.weights.tolist()
    assert not block.weights.flags.writeable


def test_leaving_the_loop_ends_the_run(model):
    for _ in range(50):
        for block in model.rows(LONG):
            break
    assert quiet()
    assert len(model.stats("the cat")) == 24


def test_an_exception_in_the_loop_ends_the_run(model):
    with pytest.raises(ZeroDivisionError):
        for block in model.rows(LONG):
            1 / 0
    assert quiet()


def test_closing_twice_and_reading_on(model):
    stream = model.rows(LONG)
    next(stream)
    stream.close()
    stream.close()
    assert list(stream) == []
    never = model.rows(LONG)
    never.close()
    assert list(never) == []
    with model.rows(LONG) as stream:
        next(stream)
    assert quiet()


def test_a_model_that_is_read_is_busy(model, raises):
    stream = model.rows(LONG)
    next(stream)
    with raises(mha_viz.Status.USAGE, "busy with rows()"):
        model.stats("the cat")
    with raises(mha_viz.Status.USAGE, "busy with rows()"):
        next(model.rows("the cat"))
    stream.close()
    assert model.stats("the cat")


def test_closing_the_model_ends_the_rows(raises):
    model = mha_viz.Model()
    stream = model.rows(LONG)
    next(stream)
    model.close()
    with raises(mha_viz.Status.USAGE, "the model was closed while its rows were read"):
        list(stream)
    assert quiet()


def test_few_bytes_wait(model, monkeypatch):
    monkeypatch.setattr(_rows, "LIMIT_BYTES", 10000)
    stream, most, largest = model.rows(LONG), 0, 0
    for block in stream:
        largest = max(largest, len(block.buffer))
        most = max(most, stream._flow.blocks.qsize() * len(block.buffer))
    assert most <= 10000 + 2 * largest


def test_errors_of_the_run_come_to_the_reader(model, raises):
    for _ in range(2):
        with raises(mha_viz.Status.USAGE, "99"):
            list(model.rows("the cat", layers=99))
    stream = model.rows("the cat", layers=99)
    with raises(mha_viz.Status.USAGE, "99"):
        next(stream)
    assert list(stream) == []


def test_another_thread_reads_on(model):
    stream = model.rows(LONG)
    found = [next(stream)]
    thread = threading.Thread(target=lambda: found.extend(stream))
    thread.start()
    thread.join()
    assert sum(block.n_rows for block in found) == 24 * found[0].n_all_rows


INTERRUPTED = """
import signal, threading, numpy, mha_viz
model = mha_viz.Model(threads=2)
text = "the cat saw the dog " * 100
calls = {"attention": lambda: [model.attention(text) for _ in range(1000)],
         "stats": lambda: [model.stats(text) for _ in range(1000)],
         "rows": lambda: [block for _ in range(1000) for block in model.rows(text)]}
for name, call in calls.items():
    for after in (0.001, 0.05, 0.3):
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, after)
        try:
            call()
            print(name, "came to its end")
        except KeyboardInterrupt:
            pass
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert len(model.stats("the cat")) == 24
print(threading.active_count())
"""


def test_an_interrupt_ends_a_run_and_leaves_the_model_good():
    done = run_python(INTERRUPTED)
    assert (done.returncode, done.stdout) == (0, "1\n")


LONG_TEXT = """
import signal, time, numpy, mha_viz
D, F, N = 512, 2048, 6000
random = numpy.random.default_rng(1)
def rows(*shape):
    return random.standard_normal(shape, numpy.float32) / 16
weights = {"model.embed_tokens.weight": rows(64, D), "model.norm.weight": rows(D)}
for at in ("model.layers.0.", "model.layers.1."):
    weights |= {f"{at}self_attn.{c}_proj.weight": rows(D, D) for c in "qkvo"}
    weights |= {f"{at}mlp.{c}_proj.weight": rows(F, D) for c in ("gate", "up")}
    weights |= {f"{at}mlp.down_proj.weight": rows(D, F), f"{at}input_layernorm.weight": rows(D),
                f"{at}post_attention_layernorm.weight": rows(D)}
config = dict(model_type="llama", hidden_size=D, intermediate_size=F, num_hidden_layers=2,
              num_attention_heads=8, num_key_value_heads=8, vocab_size=64, rms_norm_eps=1e-6,
              max_position_embeddings=65536, rope_theta=10000.0, hidden_act="silu",
              tie_word_embeddings=True)
model = mha_viz.from_torch(weights, config, threads=1)
long = mha_viz.Input(ids=[i % 64 for i in range(N)])
signal.signal(signal.SIGALRM, signal.default_int_handler)
def seconds(call, after):
    signal.setitimer(signal.ITIMER_REAL, after)
    start = time.monotonic()
    try:
        call()
    except KeyboardInterrupt:
        return time.monotonic() - start - after
    raise SystemExit("came to its end")
for call in (lambda: model.stats(long), lambda: model.attention(long, layers=1),
             lambda: [0 for _ in model.rows(long)], lambda: model.heatmap(long)):
    print(min(seconds(call, after) for after in (0.05, 0.4, 0.6)) < 1,
          len(model.stats(mha_viz.Input(ids=[1, 2, 3]))))
"""


def test_an_interrupt_ends_the_run_of_a_long_text_within_a_second():
    """The quickest of three, as other programs may have the processor."""
    done = run_python(LONG_TEXT)
    assert (done.returncode, done.stdout) == (0, "True 16\n" * 4)


def test_an_interpreter_that_ends_in_a_run():
    code = ("import mha_viz\nmodel = mha_viz.Model()\nstream = model.rows('the cat ' * 200)\n"
            "next(stream)\nprint('end')")
    done = run_python(code)
    assert (done.returncode, done.stdout) == (0, "end\n")
