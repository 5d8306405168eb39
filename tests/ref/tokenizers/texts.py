# SPDX-License-Identifier: MIT
"""The texts that the scripts of this folder make tokenisers from, and try them on; all of
it was written for this."""
import random

TEXT = """\
The heron waits where the river bends, and the river does not wait for the heron.
A lighthouse keeper counts the ships: one, two, three, then none for an hour.
She said, "I don't think we've met; you're the baker's daughter, aren't you?"
Every morning the baker bakes 120 loaves, sells 112 of them and gives 8 away.
In 1987 the old bridge was closed; in 2003 it was opened again, wider and uglier.
Rain on the roof, rain on the road, rain on the river and nobody at the station.
The cat that chased the dog that chased the cat was tired, because it was running.
for i in range(10): print(i * i)    # squares, and nothing but squares
if (count > 0 && name != NULL) { return count + 1; }
Naïve façades, a jalapeño, an über-cool café in Zürich, and Ångström's smørrebrød.
我喜欢吃苹果，你喜欢吃梨吗？ 他们今天不去学校，因为下雨了。
東京は雨です。 서울은 맑음. Москва слезам не верит. Καλημέρα κόσμε.
Reading, writing, walking, waiting, watching, wandering, wondering, winning.
It's the keeper's lamp; they'll light it at six, and he'd rather they didn't.
Unhappily, unlikely, unkindly, undoing, untying: words that begin with un.
"""

TEXTS = [
    "", " ", "   ", "\n", "\t \r\n ", "a", " a", "a ", "The cat sat.",
    "the cat that chased the dog", "  two  spaces   and\ttabs\n\nand lines  ",
    "Don't you think we've won? THEY'LL say I'D lost.", "it's 's 'S ''t",
    "In 1987, 12345678901 loaves; 3.14159, ½ and ², Ⅳ٣४.",
    "naïve façade café jalapeño Zürich Ångström ﬁ ﬂ",
    "nai\u0308ve cafe\u0301 A\u030angstro\u0308m a\u0323\u0301 e\u0301\u0323",
    "\u0130stanbul I\u0307 \u1e9e ß ΑΣ Σς", "我喜欢吃苹果", "你好, world! 東京は雨です。",
    "서울은 맑음 각 \u1100\u1161\u11a8", "Москва слезам не верит",
    "مرحبا بالعالم \u202eabc\u202c", "हिन्दी में नमस्ते", "สวัสดี กำ",
    "emoji 😀 👩\u200d👩\u200d👧 🇩🇪 ❤\ufe0f", "\u00a0non\u00a0breaking\u3000ideographic\u2009thin",
    "zero\u200bwidth\u200djoin\ufeffbom\u00adshy", "control\x00\x01\x07\x1b[0m\x7f\x85end",
    "\u180e mongolian \u2028line\u2029paragraph", "private \ue000 \U000f0000 and \ufffd",
    "\u4dbf\u4e00\u9fff\ua000\U00020000\U0002a700\U0002b820\uf900",
    "snake_case CamelCase kebab-case x->y a&&b {c} [d] <e> $5 100% #1 @me",
    "https://example.org/a?b=c&d=e#f", "....!!!???---___", "'\"`´‘’“”«»¿¡…—–",
    "supercalifragilisticexpialidocious" * 4, "x" * 120, "ab" * 40,
    "[CLS] and [SEP] and [MASK] typed", "<s> </s> <mask> <|endoftext|> typed",
    "a<mask> b <mask>c  <mask>  <mask>", "keep keeper keeping KEEP keep_ keep",
    "\U0001d54a \U0001d7d9 \u2460 \u24b6", "e" + "\u0301" * 12 + "nd",
    "</span><script>alert(1)</script> %s $(rm) \\n",
]
PAIRS = [
    ("the cat", "the dog"), ("", "second only"), ("first only", ""), ("", ""),
    (" The river bends", " and waits"), ("我喜欢", "你呢 [SEP] ?"),
    ("one <mask>", " two </s>"),
]


def random_texts(n, seed=7):
    rng = random.Random(seed)
    chars = list("abcdeE 12  '.,!-_<>[]|#\n\t") + [
        "é", "e\u0301", "\u0323", "İ", "ß", "Σ", "ﬁ", "가", "\u1100\u1161", "我", "喜",
        "、", "\u3000", "\u00a0", "\u200d", "\u2028", "\x00", "\x07", "😀", "½", "٣",
        "<mask>", "[MASK]", " the", "ing", "'s", "'LL", "keep"]
    return ["".join(rng.choice(chars) for _ in range(rng.randint(1, 24)))
            for _ in range(n)]
