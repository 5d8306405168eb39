/* SPDX-License-Identifier: MIT
 * The page with the metrics, inside the program. */
    .section .rodata
    .global manual_metrics
    .hidden manual_metrics
manual_metrics:
    .incbin "man/mha-viz-metrics.7"
    .byte 0

    .section .note.GNU-stack,"",%progbits
