/* SPDX-License-Identifier: MIT
 * A plugin of qemu-user: counts the instructions of a run that are the program's own, not its
 * libraries'.  What it needs of qemu-plugin.h (version 1, qemu 4.2 and later) is declared here,
 * for Debian has no package of it; tests/bench/instructions builds and loads it. */
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info;
enum { ADD_U64 = 0 };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_start_code(void);
uint64_t qemu_plugin_end_code(void);
void qemu_plugin_outs(const char *text);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, int op, void *at,
                                                uint64_t add);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
                                           void (*f)(uint64_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_atexit_cb(uint64_t id, void (*f)(uint64_t id, void *p), void *p);
int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv);

int qemu_plugin_version = 1;
static uint64_t n_own;

static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
    size_t n = qemu_plugin_tb_n_insns(tb);

    (void)id;
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint64_t at = qemu_plugin_insn_vaddr(insn);

        if (at >= qemu_plugin_start_code() && at < qemu_plugin_end_code())
            qemu_plugin_register_vcpu_insn_exec_inline(insn, ADD_U64, &n_own, 1);
    }
}

static void at_exit(uint64_t id, void *p)
{
    char text[32];

    (void)id;
    (void)p;
    snprintf(text, sizeof text, "%" PRIu64 "\n", n_own);
    qemu_plugin_outs(text);
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
    (void)info;
    (void)argc;
    (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, at_exit, NULL);
    return 0;
}
