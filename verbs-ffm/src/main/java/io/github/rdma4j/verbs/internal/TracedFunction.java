// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * A native function as the trace knows it.
 *
 * @param name in C
 * @param descriptor of the generated bindings, which says what of the words of a call is a pointer, and how many words
 *     count; null if the bindings do not know the function
 */
record TracedFunction(String name, FunctionDescriptor descriptor) {
    /** They return a number, which is negative after a failure; all others that return one return 0 or an errno. */
    private static final List<String> COUNTS = List.of(
            "ibv_poll_cq",
            "ibv_get_device_index",
            "ibv_get_pkey_index",
            "ibv_is_fork_initialized",
            "ibv_query_qp_data_in_order",
            "_ibv_query_gid_table",
            "ibv_dm_export_dmabuf_fd",
            "ibv_export_buf_dmabuf_fd");

    /** Those of librdmacm return -1 and leave the cause in errno, or what getaddrinfo(3) returns. */
    private static final String CONNECTION_MANAGER = "rdma_";

    /** {@return whether it looks for completions, which is done again and again in vain} */
    boolean isPoll() {
        return name.equals("ibv_poll_cq") || name.equals("ibv_start_poll");
    }

    /**
     * Whether a poll found nothing.
     *
     * @param result of the call
     * @return whether it says so
     */
    boolean isEmptyPoll(Object result) {
        int number = ((Number) result).intValue();
        return name.equals("ibv_poll_cq") && number == 0 || name.equals("ibv_start_poll") && number == Errno.ENOENT;
    }

    /** {@return how many of the arguments of a call count} */
    int arity(int given) {
        return descriptor == null
                ? given
                : Math.min(given, descriptor.argumentLayouts().size());
    }

    /** {@return whether an argument is a pointer, where the handle takes a plain word} */
    boolean isPointer(int index) {
        return descriptor != null && descriptor.argumentLayouts().get(index) instanceof AddressLayout;
    }

    /** An integer of C as it was meant: of a word that is wider, only the lower part counts. */
    long narrowed(int index, long word) {
        return descriptor == null ? word : narrowed(descriptor.argumentLayouts().get(index), word);
    }

    private static long narrowed(MemoryLayout layout, long word) {
        return switch (layout) {
            case ValueLayout.OfInt ignored -> (int) word;
            case ValueLayout.OfShort ignored -> word & 0xffff;
            case ValueLayout.OfByte ignored -> word & 0xff;
            default -> word;
        };
    }

    /**
     * What a call has returned.
     *
     * @param word as the handle has it; null if the handle returns nothing
     * @param isSegment whether the handle returns a pointer
     * @param errno that the call has left; 0 if the handle does not keep it
     * @return such as {@code 0x7f0012345678}, {@code NULL ENOMEM (Cannot allocate memory)}; empty for nothing
     */
    String result(Long word, boolean isSegment, int errno) {
        MemoryLayout layout =
                descriptor == null ? null : descriptor.returnLayout().orElse(null);
        if (word == null || descriptor != null && layout == null) {
            return "";
        }
        if (isSegment || layout instanceof AddressLayout) {
            return word != 0
                    ? TraceArguments.pointerResult(name, word)
                    : "NULL" + (errno == 0 ? "" : ' ' + error(errno));
        }
        long number = layout == null ? word : narrowed(layout, word);
        if (TraceArguments.isRead(name)) {
            return TraceArguments.read(name, number);
        }
        boolean failed = number < 0 || number > 0 && !COUNTS.contains(name) && !name.startsWith(CONNECTION_MANAGER);
        if (!failed) {
            return Long.toString(number);
        }
        long cause = number == -1 ? errno : Math.abs(number);
        return number + (cause == 0 ? "" : ' ' + error((int) cause));
    }

    private static String error(int errno) {
        return "%s (%s)".formatted(ErrnoName.of(errno), ErrnoName.text(errno));
    }
}
