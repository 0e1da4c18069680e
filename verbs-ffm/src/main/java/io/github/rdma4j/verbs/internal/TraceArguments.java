// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static io.github.rdma4j.verbs.internal.TraceStructures.pointer;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/**
 * The arguments of one call for the trace: numbers and addresses and, for the functions that users care about most,
 * names of constants and contents of structures. Structures that a function fills are read after it has returned.
 */
final class TraceArguments {
    private static final Map<String, Text> BEFORE = new HashMap<>();
    private static final Map<String, Text> AFTER = new HashMap<>();

    /** The text of an argument. */
    private interface Text {
        String of(TraceArguments call, long word);
    }

    static {
        registrations();
        queues();
        posting();
        connections();
    }

    private final TracedFunction function;
    private final long[] words;
    private final String[] texts;
    private long result;

    /**
     * Creates the arguments of a call.
     *
     * @param function the called function
     * @param arguments the arguments of the handle
     * @param first the index of the function's first argument
     */
    TraceArguments(TracedFunction function, Object[] arguments, int first) {
        this.function = function;
        int arity = function.arity(arguments.length - first);
        words = new long[arity];
        texts = new String[arity];
        for (int i = 0; i < arity; i++) {
            Object argument = arguments[first + i];
            words[i] = function.narrowed(i, TracedHandle.word(argument));
            boolean isPointer =
                    function.descriptor() == null ? argument instanceof MemorySegment : function.isPointer(i);
            texts[i] = isPointer ? pointer(words[i]) : Long.toString(words[i]);
        }
    }

    /** {@return an argument; 0 if there are fewer} */
    long word(int index) {
        return index < words.length ? words[index] : 0;
    }

    /** Reads the structures that the function is passed. */
    void readBefore() {
        read(BEFORE);
    }

    /** Reads the structures that the function has filled. */
    void readAfter(long returned) {
        result = returned;
        read(AFTER);
    }

    private void read(Map<String, Text> what) {
        for (int i = 0; i < words.length; i++) {
            Text text = what.get(key(function.name(), i));
            if (text != null) {
                texts[i] = text.of(this, words[i]);
            }
        }
    }

    @Override
    public String toString() {
        return String.join(", ", texts);
    }

    private static String key(String function, int index) {
        return function + '#' + index;
    }

    private static void before(String function, int index, Text text) {
        BEFORE.put(key(function, index), text);
    }

    /** Registers a structure that the function is passed. */
    private static void given(String function, int index, Text text) {
        before(function, index, (call, word) -> word == 0 ? "NULL" : text.of(call, word));
    }

    /** Registers a structure that the function fills if it returns 0. */
    private static void filled(String function, int index, Text text) {
        AFTER.put(
                key(function, index),
                (call, word) -> call.result == 0 && word != 0 ? text.of(call, word) : pointer(word));
    }

    private static String hex(TraceArguments call, long word) {
        return "0x" + Long.toHexString(word);
    }

    private static void registrations() {
        Text access = (call, word) -> TraceStructures.ACCESS.flags(word);
        Text unsigned = (call, word) -> Long.toUnsignedString(word);
        before("ibv_reg_mr_iova2", 2, unsigned);
        before("ibv_reg_mr_iova2", 3, TraceArguments::hex);
        before("ibv_reg_mr_iova2", 4, access);
        before("ibv_reg_dmabuf_mr", 3, TraceArguments::hex);
        before("ibv_reg_dmabuf_mr", 5, access);
        before("ibv_rereg_mr", 1, (call, word) -> TraceStructures.REREGISTRATION.flags(word));
        before("ibv_rereg_mr", 4, unsigned);
        before("ibv_rereg_mr", 5, access);
        before("ibv_reg_dm_mr", 4, access);
        before("ibv_reg_buf_mr", 4, access);
    }

    private static void queues() {
        given("ibv_create_qp", 1, (call, word) -> TraceStructures.creation(word));
        given("ibv_create_qp_ex", 1, (call, word) -> TraceStructures.creation(word));
        given("ibv_modify_qp", 1, (call, word) -> TraceStructures.attributes(word, call.word(2)));
        Text mask = (call, word) -> TraceStructures.MASK.flags(word);
        before("ibv_modify_qp", 2, mask);
        before("ibv_query_qp", 2, mask);
        filled("ibv_query_qp", 1, (call, word) -> TraceStructures.attributes(word, call.word(2)));
        filled("ibv_get_async_event", 1, (call, word) -> TraceStructures.asyncEvent(word));
    }

    private static void posting() {
        given("ibv_post_send", 1, (call, word) -> TraceStructures.sends(word));
        for (String receive : new String[] {"ibv_post_recv", "ibv_post_srq_recv", "ibv_post_wq_recv"}) {
            given(receive, 1, (call, word) -> TraceStructures.receives(word));
        }
        AFTER.put(
                key("ibv_poll_cq", 2),
                (call, word) ->
                        (int) call.result > 0 ? TraceStructures.completions(word, (int) call.result) : pointer(word));
        filled("ibv_start_poll", 0, (call, word) -> TraceStructures.current(word));
        filled("ibv_next_poll", 0, (call, word) -> TraceStructures.current(word));
        extendedPosting();
    }

    /** The builders take the request's number and flags from the queue pair; the remote key and address follow. */
    private static void extendedPosting() {
        Text request = (call, word) -> TraceStructures.request(word);
        for (String builder : new String[] {
            "send",
            "send_imm",
            "send_inv",
            "send_tso",
            "local_inv",
            "bind_mw",
            "rdma_read",
            "rdma_write",
            "rdma_write_imm",
            "atomic_cmp_swp",
            "atomic_fetch_add",
            "atomic_write"
        }) {
            given("ibv_wr_" + builder, 0, request);
        }
        for (String remote : new String[] {
            "rdma_read", "rdma_write", "rdma_write_imm", "atomic_cmp_swp", "atomic_fetch_add", "atomic_write", "set_sge"
        }) {
            before("ibv_wr_" + remote, 1, (call, word) -> hex(call, word & 0xffff_ffffL));
            before("ibv_wr_" + remote, 2, TraceArguments::hex);
        }
        before("ibv_wr_set_sge", 3, (call, word) -> Long.toString(word & 0xffff_ffffL));
    }

    private static void connections() {
        Text address = (call, word) -> TraceStructures.socketAddress(word);
        for (String function : new String[] {"bind_addr", "join_multicast", "leave_multicast"}) {
            given("rdma_" + function, 1, address);
        }
        given("rdma_resolve_addr", 1, address);
        given("rdma_resolve_addr", 2, address);
        Text parameters = (call, word) -> TraceStructures.connection(word);
        given("rdma_connect", 1, parameters);
        given("rdma_accept", 1, parameters);
        Text string = (call, word) -> TraceStructures.string(word);
        given("rdma_getaddrinfo", 0, string);
        given("rdma_getaddrinfo", 1, string);
        Text pointed = (call, word) -> '[' + pointer(NativeMemory.getLong(word)) + ']';
        filled("rdma_getaddrinfo", 3, pointed);
        filled("rdma_create_id", 1, pointed);
        before("rdma_create_id", 3, (call, word) -> TraceStructures.PORT_SPACES.one(word));
        before("rdma_notify", 1, (call, word) -> TraceStructures.ASYNC_EVENTS.one(word));
        filled("rdma_get_cm_event", 1, (call, word) -> TraceStructures.event(NativeMemory.getLong(word)));
        filled(
                "rdma_init_qp_attr",
                1,
                (call, word) -> TraceStructures.attributes(word, NativeMemory.getInt(call.word(2))));
        filled(
                "rdma_init_qp_attr",
                2,
                (call, word) -> '[' + TraceStructures.MASK.flags(NativeMemory.getInt(word)) + ']');
    }

    /** {@return the text of a returned pointer, for the few functions that return strings} */
    static String pointerResult(String function, long word) {
        return function.equals("ibv_get_device_name") ? TraceStructures.string(word) : pointer(word);
    }

    /** {@return whether the result of a function is a value and not an error} */
    static boolean isRead(String function) {
        return function.startsWith("ibv_wc_read_") || function.equals("ibv_get_device_guid");
    }

    /** {@return the text of such a value} */
    static String read(String function, long number) {
        return switch (function) {
            case "ibv_wc_read_opcode" -> TraceStructures.COMPLETION_OPCODES.one(number);
            case "ibv_get_device_guid" -> "0x" + Long.toHexString(number);
            default -> Long.toString(number);
        };
    }
}
