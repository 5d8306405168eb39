#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes src/base/elementary_tables.h and elementary/references.h.

    python3 tests/ref/make_elementary.py

needs mpmath.  The first holds what base/elementary.c computes with: tables, and polynomials
that interpolate at Chebyshev's points, which is within a factor of about two of the best.
The second holds arguments and their exact results, each result as a sum of two doubles.
"""
import math
import pathlib
import random
import struct
import sys

import mpmath as mp

TAG = """\
/* SPDX-License-Identifier: MIT
""".rstrip()
HERE = pathlib.Path(__file__).parent
TABLES = HERE.parent.parent / "src/base/elementary_tables.h"
REFERENCES = HERE / "elementary/references.h"

mp.mp.prec = 400

EXP_PARTS = 128         # of a factor of 2
LOG_PARTS = 128         # of an octave
LOG_BEGIN = 0x3FE6100000000000      # the bits of the least z, near 0.69
ERFC_PARTS = 4          # of 1
ERFC_END = 41           # a quarter beyond 10: erfc is 0 as a float


def fit(f, low, high, degree):
    """Coefficients, lowest first, as doubles, of the polynomial that interpolates f."""
    n = degree + 1
    points = [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * k + 1) / (2 * n))
              for k in range(n)]
    powers = mp.matrix(n, n)
    for i, x in enumerate(points):
        for j in range(n):
            powers[i, j] = x**j
    return [float(c) for c in mp.lu_solve(powers, mp.matrix([f(x) for x in points]))]


def two(x):
    """x as the sum of two doubles."""
    high = float(x)
    return high, float(mp.mpf(x) - mp.mpf(high))


def cut(x, place):
    """x rounded to a multiple of 2^place, and what is left."""
    high = mp.nint(mp.ldexp(x, -place))
    high = mp.ldexp(high, place)
    return float(high), float(x - high)


def number(x):
    return "INFINITY" if x == math.inf else float(x).hex().replace("0x0.0p+0", "0x0p+0")


def row(numbers):
    return "{ " + ", ".join(number(x) for x in numbers) + " }"


def rows(name, table, width):
    """A table of rows, broken where they are long."""
    text = [f"static const double {name}[{len(table)}][{width}] = {{"]
    for r in table:
        line = "    " + row(r) + ","
        if len(line) > 90:
            parts = [", ".join(number(x) for x in r[i:i + 3]) for i in range(0, len(r), 3)]
            line = "    { " + ",\n      ".join(parts) + " },"
        text.append(line)
    return text + ["};", ""]


def polynomial(name, comment, coefficients):
    text = [f"/* {comment} */", f"static const double {name}[{len(coefficients)}] = {{"]
    for i in range(0, len(coefficients), 3):
        text.append("    " + ", ".join(number(x) for x in coefficients[i:i + 3]) + ",")
    return text + ["};", ""]


def constant(name, x, comment):
    text = f"static const double {name} = {number(x)};"
    return text + (f"    /* {comment} */" if comment else "")


def double_of_bits(bits):
    e = (bits >> 52) - 1075
    return mp.ldexp((bits & (1 << 52) - 1) | 1 << 52, e)


def log_rows():
    """c, about 1 / z in steps of 2^-10, and -ln c in two parts; 1 and 0 where z may be 1."""
    table = []
    for i in range(LOG_PARTS):
        first = LOG_BEGIN + (i << 45)
        low, high = double_of_bits(first), double_of_bits(first + (1 << 45))
        c = mp.mpf(1) if low < 1 < high else mp.nint(2 / (low + high) * 1024) / 1024
        assert max(abs(low * c - 1), abs(high * c - 1)) < 0.0049
        table.append((float(c), *cut(-mp.log(c), -42)))
    return table


def exp_rest(r):
    return (mp.expm1(r) - r) / r**2


def log_rest(r):
    return (mp.log1p(r) - r + r * r / 2) / r**3


def odd(f):
    """(f(x) / x - 1) / x^2 as a function of x^2."""
    return lambda z: (f(mp.sqrt(z)) / mp.sqrt(z) - 1) / z


def cos_rest(z):
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2


def erfc_rows():
    half = mp.mpf(1) / (2 * ERFC_PARTS)
    return [fit(lambda t, m=mp.mpf(2 * j + 1) * half: mp.erfc(m + t) * mp.exp((m + t)**2),
                -half, half, 7) for j in range(ERFC_END)]


def pi_words():
    """2 / pi in words of 32 bits behind the point."""
    count = 40
    with mp.workprec(32 * count + 64):
        bits = int(mp.floor(mp.ldexp(2 / mp.pi, 32 * count)))
    return [bits >> 32 * (count - 1 - i) & 0xFFFFFFFF for i in range(count)]


def tables():
    tiny = mp.mpf(2)**-40
    exp_half = mp.log(2) / (2 * EXP_PARTS) * mp.mpf("1.001")
    ln2 = cut(mp.log(2), -42)
    step = cut(mp.log(2) / EXP_PARTS, -42)
    quarter = (mp.pi / 4 * mp.mpf("1.001"))**2
    half_pi = mp.pi / 2
    pi_parts = []
    for bits in (33, 66, 99):
        high, _ = cut(half_pi, -bits)
        pi_parts.append(high)
        half_pi -= mp.mpf(high)
    pi_parts.append(float(half_pi))
    text = [TAG,
            " * Tables and polynomials of elementary.c, which alone includes them.  Made by",
            " * tests/ref/make_elementary.py; do not edit. */",
            "#ifndef BASE_ELEMENTARY_TABLES_H",
            "#define BASE_ELEMENTARY_TABLES_H", "",
            "#include <stdint.h>", "",
            f"enum {{ EXP_PARTS = {EXP_PARTS}, LOG_PARTS = {LOG_PARTS},"
            f" ERFC_PARTS = {ERFC_PARTS}, ERFC_END = {ERFC_END} }};", "",
            constant("LN2_HIGH", ln2[0], "42 bits"), constant("LN2_LOW", ln2[1], ""),
            constant("STEP_HIGH", step[0], "ln 2 / EXP_PARTS, 35 bits"),
            constant("STEP_LOW", step[1], ""),
            constant("STEP", float(mp.log(2) / EXP_PARTS), ""),
            constant("PER_STEP", float(EXP_PARTS / mp.log(2)), ""),
            constant("PER_HALF_PI", float(2 / mp.pi), ""), ""]
    text += ["/* pi / 2 in four parts; any of the first three times a whole number up to 2^19 is",
             "   exact. */", "static const double HALF_PI[4] = {",
             *["    " + ", ".join(number(x) for x in pi_parts[i:i + 2]) + "," for i in (0, 2)],
             "};", ""]
    text += ["/* pi / 2 in two. */", "static const double HALF_PI_LONG[2] = "
             + row(two(mp.pi / 2)) + ";", ""]
    text += ["/* 2 / pi behind the point. */",
             "static const uint32_t TWO_OVER_PI[] = {"]
    words = pi_words()
    for i in range(0, len(words), 6):
        text.append("    " + ", ".join(f"0x{w:08x}" for w in words[i:i + 6]) + ",")
    text += ["};", ""]
    text += polynomial("EXP_REST", "(e^r - 1 - r) / r^2, |r| <= STEP / 2",
                       fit(exp_rest, -exp_half, exp_half, 3))
    text += polynomial("EXP_SHORT", "the same, for floats", fit(exp_rest, -exp_half, exp_half, 1))
    text += polynomial("LOG_REST", "(ln(1 + r) - r + r^2 / 2) / r^3, |r| < 0.0049",
                       fit(log_rest, -mp.mpf("0.0049"), mp.mpf("0.0049"), 5))
    text += polynomial("TANH_REST", "(tanh(x) / x - 1) / x^2, in x^2, |x| <= 1/16",
                       fit(odd(mp.tanh), tiny, mp.mpf(1) / 256, 5))
    text += polynomial("SIN_REST", "(sin(x) / x - 1) / x^2, in x^2, |x| <= pi/4",
                       fit(odd(mp.sin), tiny, quarter, 6))
    text += polynomial("COS_REST", "(cos(x) - 1 + x^2 / 2) / x^4, in x^2, |x| <= pi/4",
                       fit(cos_rest, tiny, quarter, 6))
    text += ["/* 2^(i / EXP_PARTS) in two parts. */"]
    text += rows("EXP_TABLE", [two(mp.power(2, mp.mpf(i) / EXP_PARTS)) for i in range(EXP_PARTS)],
                 2)
    text += [f"/* Of the numbers z whose bits begin at 0x{LOG_BEGIN:x} + i 2^45: c, about 1 / z, a",
             "   multiple of 2^-10, and -ln c in two parts, the first a multiple of 2^-42. */",
             f"static const uint64_t LOG_BEGIN = 0x{LOG_BEGIN:x};",
             *rows("LOG_TABLE", log_rows(), 3)]
    text += ["/* erfc(x) e^(x^2) around x = (i + 1/2) / ERFC_PARTS. */",
             *rows("ERFC_TABLE", erfc_rows(), 8)]
    text[-1] = "#endif"
    return "\n".join(text) + "\n"


# ---- references ----

def result(f, arguments, digits):
    """The result rounded to a float of so many digits, and the rest in its last places."""
    exact = f(*[mp.mpf(x) for x in arguments])
    tiny, largest = (-1074, 1024) if digits == 53 else (-149, 128)
    if exact == 0:
        return 0.0, 0.0
    place = max(int(mp.floor(mp.log(abs(exact), 2))) + 1 - digits, tiny)
    rounded = mp.nint(mp.ldexp(exact, -place))
    if abs(rounded) >= mp.mpf(2)**(largest - place):
        return math.inf, 0.0
    return float(mp.ldexp(rounded, place)), float(mp.ldexp(exact, -place) - rounded)


def spread(r, low, high):
    """A number whose size is evenly spread over powers of two."""
    return math.ldexp(1 + r.random(), r.randrange(low, high)) * r.choice((-1, 1))


def listed(text):
    """Numbers, in hexadecimal too; <x is the double below x."""
    numbers = []
    for word in text.split():
        x = word.lstrip("<")
        x = float.fromhex(x) if "0x" in x else float(x)
        numbers.append(math.nextafter(x, -math.inf) if word[0] == "<" else x)
    return numbers


def single(x):
    """x as a float."""
    return struct.unpack("f", struct.pack("f", x))[0]


def near_turns(r, largest):
    """Doubles near multiples of pi / 2."""
    return float(r.randrange(1, largest) * mp.pi / 2)


def arguments():
    r = random.Random(1)
    around_1 = [1 + spread(r, -40, -3) for _ in range(12)]
    angles = ([spread(r, -30, 4) for _ in range(10)] + [spread(r, 4, 19) for _ in range(10)] +
              [spread(r, 19, 1023) for _ in range(12)] +
              [near_turns(r, 2**k) for k in (3, 10, 18, 19, 20, 40, 100)] +
              # The double nearest to a multiple of pi / 2: Kahan 1983, and Ng 1992.
              [math.ldexp(6381956970095103, 797)] +
              listed("0x1p19 <0x1p19") + [sys.float_info.max] +
              listed("5e-324 0x1.dd6b0d55db1fep+19 0x1.98b514fc7ffbep-1") +
              # Where the errors are the largest that are known.
              listed("0x1.860fb31d01a78p+384 0x1.f719fdaa67e76p+726 -0x1.c63b6626958a1p+2 "
                     "0x1.40fa1d6720289p+18"))
    small = [spread(r, -60, -3) for _ in range(10)]
    return {
        "exp": ([(spread(r, -40, 9),) for _ in range(16)] +
                [(r.uniform(-5, 5),) for _ in range(10)] +
                [(x,) for x in listed("0x1.08474f192f0dcp+2 709.782712893384 709.782712893385 "
                                       "708.5 -708.3964 -708.4 -720.25 -745.1 -745.13 -745.2 "
                                       "5e-324")]),
        "log": ([(x,) for x in around_1] + [(r.uniform(0.4, 3),) for _ in range(12)] +
                [(abs(spread(r, -1022, 1023)),) for _ in range(8)] +
                [(x,) for x in listed("5e-324 0x0.8p-1022 0x1p-1022")] +
                [(sys.float_info.max,)] +
                [(x,) for x in listed("0x1.01p0 0x1.ffp-1 <0x1.ffp-1 <0x1.01p0 0x1.61p-1 "
                                       "<0x1.61p-1 0x1.01117ae99aebdp+0")]),
        "log1p": ([(x,) for x in small + angles[:3]] + [(r.uniform(-1, 1),) for _ in range(12)] +
                  [(abs(spread(r, 0, 1000)),) for _ in range(6)] +
                  [(x,) for x in listed("-0x1.fffffffffffffp-1 -0.5 0x1p-30 <0x1p-30 5e-324 "
                                         "-0x1.fffbd5fa1a2p-31")]),
        "tanh": ([(x,) for x in small] + [(r.uniform(-4, 4),) for _ in range(16)] +
                 [(spread(r, -6, -1),) for _ in range(8)] +
                 [(x,) for x in listed("0x1p-4 <0x1p-4 19.99 20 0x1p-28 5e-324 1e300 "
                                        "0x1.3077321ae2849p-4")]),
        "pow": ([(10000.0, r.uniform(-1, 1)) for _ in range(8)] +
                [(2.0, -8 * (h + 1) / 12) for h in range(6)] +
                [(math.exp(r.uniform(-30, 30)), r.uniform(-20, 20)) for _ in range(10)] +
                [(x, r.uniform(-600, 600) / math.log(x)) for x in around_1] +
                [(2.0, 1023.0), (2.0, -1074.0), (2.0, -1080.0), (2.0, 1024.0), (10.0, 3.0),
                 (5e-324, 0.5), (5e-324, -0.9), (1e308, 2.0), (3.5, 1e300), (0.5, 1e300),
                 (math.nextafter(1.0, 0), 1e17), (7.0, 5e-324)]),
        "sin": [(x,) for x in angles],
        "cos": [(x,) for x in angles],
        "expf": [(single(x),) for x in [spread(r, -30, 6) for _ in range(14)] +
                 [r.uniform(-10, 10) for _ in range(10)] +
                 [88.72283, 88.72284, -87.4, -100.1, -103.9, -104.5, 1e-40]],
        "logf": [(single(abs(x)),) for x in around_1 + [spread(r, -149, 127) for _ in range(12)] +
                 [1e-45, 3e38, 1e-39]],
        "tanhf": [(single(x),) for x in small + [r.uniform(-9, 9) for _ in range(16)] +
                  listed("0.0625 9.01 9.02 1e-45 0x1.73c4c2p-4")],
        "erfcf": [(single(x),) for x in small + [r.uniform(-4, 10.1) for _ in range(20)] +
                  listed("9.1943 9.3 10 10.054 10.06 0.25 0x1.fe7172p-23 -0.25 -3.9")],
    }


EXACT = {"exp": mp.exp, "log": mp.log, "log1p": mp.log1p, "tanh": mp.tanh, "pow": mp.power,
         "sin": mp.sin, "cos": mp.cos, "erfc": mp.erfc}


def references():
    text = [TAG,
            " * Arguments (y is 0 but of pow), the result rounded, and what that leaves, in the",
            " * result's last places.  Made by tests/ref/make_elementary.py; do not edit. */",
            "struct reference {", "    double x, y, rounded, rest;", "};", ""]
    for name, list_of in arguments().items():
        f, digits = (EXACT[name], 53) if name in EXACT else (EXACT[name[:-1]], 24)
        text.append(f"static const struct reference {name}_references[] = {{")
        for x in list_of:
            rounded, rest = result(f, x, digits)
            both = (*x, 0.0)[:2]
            text.append("    { " + ", ".join(number(v) for v in (*both, rounded)) +
                        f", {rest:.4f} }},")
        text += ["};", ""]
    text.pop()
    return "\n".join(text) + "\n"


if __name__ == "__main__":
    with mp.workprec(3000):
        REFERENCES.parent.mkdir(exist_ok=True)
        REFERENCES.write_text(references())
    TABLES.write_text(tables())
