// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * A native function, for the trace.
 *
 * @param name in C
 * @param descriptor the signature from the generated bindings, which determines the pointers and the number of
 *     arguments of a call; null if the bindings do not have the function
 */
record TracedFunction(String name, FunctionDescriptor descriptor) {
    /**
     * Functions whose result is a number, negative after a failure. All other functions with a number as result return
     * 0 or an errno.
     */
    private static final List<String> COUNTS = List.of(
            "ibv_poll_cq",
            "ibv_get_device_index",
            "ibv_get_pkey_index",
            "ibv_is_fork_initialized",
            "ibv_query_qp_data_in_order",
            "_ibv_query_gid_table",
            "ibv_dm_export_dmabuf_fd",
            "ibv_export_buf_dmabuf_fd");

    /** Functions of librdmacm return -1 and report the cause in errno, or return a result of getaddrinfo(3). */
    private static final String CONNECTION_MANAGER = "rdma_";

    /** {@return whether it polls for completions, which is repeated many times without a result} */
    boolean isPoll() {
        return name.equals("ibv_poll_cq") || name.equals("ibv_start_poll");
    }

    /**
     * Returns whether a poll found nothing.
     *
     * @param result the result of the call
     * @return true if it found nothing
     */
    boolean isEmptyPoll(Object result) {
        int number = ((Number) result).intValue();
        return name.equals("ibv_poll_cq") && number == 0 || name.equals("ibv_start_poll") && number == Errno.ENOENT;
    }

    /** {@return the number of arguments of a call} */
    int arity(int given) {
        return descriptor == null
                ? given
                : Math.min(given, descriptor.argumentLayouts().size());
    }

    /** {@return whether an argument is a pointer, where the handle takes a plain word} */
    boolean isPointer(int index) {
        return descriptor != null && descriptor.argumentLayouts().get(index) instanceof AddressLayout;
    }

    /** Converts an integer of C: only the lower part of a wider word counts. */
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
     * Returns the text of a result.
     *
     * @param word the result of the handle; null if it returns nothing
     * @param isSegment whether the handle returns a pointer
     * @param errno the errno of the call; 0 if the handle does not capture it
     * @return the text, such as {@code 0x7f0012345678}, {@code NULL ENOMEM (Cannot allocate memory)}; empty for nothing
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
