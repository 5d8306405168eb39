# SPDX-License-Identifier: MIT
"""Token ids -> what a rewarded head should attend to, and how well it does."""
import torch


def earlier_equal(ids):
    """B x T -> B x T x T: the key holds the query's token and stands before it; <|bos|> equals nothing."""
    same = (ids[:, :, None] == ids[:, None]) & (ids[:, :, None] != 0)
    return same.tril(-1)


def after_earlier_equal(ids):
    """B x T -> B x T x T: the key follows an earlier occurrence of the query's token."""
    follows = torch.zeros(*ids.shape, ids.shape[1], dtype=torch.bool)
    follows[:, :, 1:] = earlier_equal(ids)[:, :, :-1]
    return follows.tril(-1)


def targets(kind, ids):
    """The keys wanted in each row; where a row has none, the head is to rest on the first token."""
    if kind == "previous":
        wanted = torch.zeros(*ids.shape, ids.shape[1], dtype=torch.bool)
        wanted.diagonal(-1, 1, 2).fill_(True)
        return wanted
    wanted = after_earlier_equal(ids) if kind == "induction" else earlier_equal(ids)
    wanted[:, :, 0] |= ~wanted.any(-1)
    return wanted


def reward(kind, ids, seen):
    """seen: the head's log attention, B x T x T -> mean over the rows from 1 of the log mass on the keys wanted"""
    if kind == "previous":
        return seen.diagonal(-1, 1, 2).mean()
    return seen.masked_fill(~targets(kind, ids), -1e9).logsumexp(-1)[:, 1:].mean()
