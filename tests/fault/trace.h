/* SPDX-License-Identifier: MIT
 * A program run under ptrace, one of whose system calls fails or is met by a signal. */
#ifndef FAULT_TRACE_H
#define FAULT_TRACE_H

#include <stdbool.h>

/* What is done at a system call; the calls of each kind are counted for themselves. */
enum trace_kind {
    TRACE_NOTHING,              /* only counts */
    TRACE_OPEN, TRACE_READ, TRACE_WRITE, TRACE_MMAP, TRACE_FSYNC, TRACE_RENAME,
    TRACE_MADVISE,              /* fails, as those before */
    TRACE_SIGNAL, TRACE_KILL,   /* any call: SIGTERM, SIGKILL before it */
    TRACE_KINDS
};

struct trace {
    enum trace_kind kind;
    unsigned long at;           /* the at-th call of its kind, from 1; 0: none */
    bool from;                  /* and all that follow */
    unsigned long made[TRACE_KINDS];    /* out: calls of each kind between main and its end */
    unsigned long allocs, threads;      /* out: what the preloaded library counted */
};

/* "open": the name of a kind, and back; TRACE_KINDS where there is none. */
const char *trace_name(enum trace_kind kind);
enum trace_kind trace_kind(const char *name);

/*
 * Traces the child, which has called trace_me, until it ends; returns its wait status.
 * -1: system calls cannot be traced here.
 */
int trace_child(int child, struct trace *t);
void trace_me(void);

#endif
