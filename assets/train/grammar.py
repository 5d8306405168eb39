# SPDX-License-Identifier: MIT
"""A small English-Chinese grammar: rng -> English words, Chinese words, and for each Chinese word its English one.

The sentences are this project's own. Chinese order differs where it does in the language: time and place stand before the
verb, negation takes 不, a question ends in 吗, and a counted noun takes its measure word, which agrees with the noun.
"""
SUBJECTS = (("I", "I", "我", 0), ("You", "you", "你", 0), ("We", "we", "我们", 0), ("They", "they", "他们", 0),
            ("He", "he", "他", 1), ("She", "she", "她", 1), ("Mother", "mother", "妈妈", 1), ("Father", "father", "爸爸", 1))
# base, third person, -ing, Chinese, objects
VERBS = (("eat", "eats", "eating", "吃", ("apples", "bread", "rice", "fish", "noodles", "eggs")),
         ("drink", "drinks", "drinking", "喝", ("tea", "water", "milk", "coffee")),
         ("read", "reads", "reading", "看", ("books", "newspapers", "letters")),
         ("write", "writes", "writing", "写", ("books", "letters")),
         ("buy", "buys", "buying", "买", ("apples", "bread", "fish", "tea", "books", "newspapers", "eggs", "flowers")),
         ("see", "sees", "seeing", "看见", ("cats", "dogs", "birds", "flowers", "books", "apples")),
         ("love", "loves", "loving", "爱", ("cats", "dogs", "birds", "books", "flowers", "tea")))
# Chinese, measure word, or None where the noun is not counted
NOUNS = {"apples": ("苹果", "个"), "bread": ("面包", None), "rice": ("米饭", None), "fish": ("鱼", "条"),
         "noodles": ("面条", None), "eggs": ("鸡蛋", "个"), "tea": ("茶", None), "water": ("水", None),
         "milk": ("牛奶", None), "coffee": ("咖啡", None), "books": ("书", "本"), "newspapers": ("报纸", "份"),
         "letters": ("信", "封"), "cats": ("猫", "只"), "dogs": ("狗", "只"), "birds": ("鸟", "只"),
         "flowers": ("花", "朵")}
NUMBERS = (("two", "两"), ("three", "三"), ("four", "四"), ("five", "五"), ("ten", "十"))
ADJECTIVES = (("red", "红"), ("big", "大"), ("small", "小"), ("good", "好"), ("new", "新"))
# English words (the last is the one aligned), Chinese
TIMES = ((("on", "Monday"), "星期一"), (("on", "Friday"), "星期五"), (("on", "Sunday"), "星期天"), (("today",), "今天"),
         (("tomorrow",), "明天"), (("in", "March"), "三月"), (("in", "May"), "五月"))
PLACES = ((("at", "home"), "在家"), (("at", "school"), "在学校"), (("in", "Beijing"), "在北京"), (("in", "parks"), "在公园"))


def pick(rng, table):
    return table[rng.integers(len(table))]


def words():
    """-> all English words, all Chinese words"""
    en = [w for a, b, _, _ in SUBJECTS for w in (a, b)] + [w for v in VERBS for w in v[:3]]
    en += list(NOUNS) + [w for t in NUMBERS + ADJECTIVES for w in t[:1]]
    en += [w for t in TIMES + PLACES for w in t[0]] + ["like", "likes", "Do", "Does", "do", "does", "not", ".", "?"]
    zh = [s[2] for s in SUBJECTS] + [v[3] for v in VERBS] + [w for n in NOUNS.values() for w in n if w]
    zh += [t[1] for t in NUMBERS + ADJECTIVES + TIMES + PLACES] + ["不", "喜欢", "吗", "。", "？"]
    return list(dict.fromkeys(en)), list(dict.fromkeys(zh))


class Sentence:
    """English words as they come; Chinese ones in slots that are put in order at the end."""
    ORDER = ("subject", "time", "place", "not", "like", "verb", "number", "measure", "adjective", "noun", "ask", "end")

    def __init__(self):
        self.en, self.slots = [], {}

    def word(self, en, slot=None, zh=None):
        self.en.append(en)
        if slot:
            self.slots.setdefault(slot, []).append((zh, len(self.en) - 1))

    def done(self):
        zh = [pair for slot in self.ORDER for pair in self.slots.get(slot, [])]
        return self.en, [z for z, _ in zh], [i for _, i in zh]


def noun_phrase(s, rng, name):
    zh, measure = NOUNS[name]
    if measure and rng.random() < .4:
        en, number = pick(rng, NUMBERS)
        s.word(en, "number", number)
    else:
        measure = None
    if rng.random() < .25:
        en, adjective = pick(rng, ADJECTIVES)
        s.word(en, "adjective", adjective)
    s.word(name, "noun", zh)
    if measure:
        s.slots["measure"] = [(measure, len(s.en) - 1)]


def verb_phrase(s, rng, verb, third, likes, negated, asked):
    base, plural, ing, zh, _ = verb
    bare = negated or asked
    if negated:
        s.word("does" if third else "do")
        s.word("not", "not", "不")
    if likes:
        s.word("likes" if third and not bare else "like", "like", "喜欢")
        s.word(ing, "verb", zh)
    else:
        s.word(plural if third and not bare else base, "verb", zh)


def adjunct(s, rng, slot, table):
    words, zh = pick(rng, table)
    for en in words[:-1]:
        s.word(en)
    s.word(words[-1], slot, zh)


def sentence(rng):
    """-> English words, Chinese words, for each of the latter the place of its English word"""
    s, asked = Sentence(), rng.random() < .2
    capital, small, zh, third = pick(rng, SUBJECTS)
    verb = pick(rng, VERBS)
    if asked:
        s.word("Does" if third else "Do", "ask", "吗")
    s.word(small if asked else capital, "subject", zh)
    verb_phrase(s, rng, verb, third, rng.random() < .5, not asked and rng.random() < .25, asked)
    noun_phrase(s, rng, pick(rng, verb[4]))
    place, time = rng.random() < .35, rng.random() < .35
    if place:
        adjunct(s, rng, "place", PLACES)
    if time:
        adjunct(s, rng, "time", TIMES)
    if asked or rng.random() < .6:
        s.word("?" if asked else ".", "end", "？" if asked else "。")
    return s.done()
