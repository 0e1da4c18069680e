// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults;

import io.github.rdma4j.verbs.bindings.LibIbVerbs;
import io.github.rdma4j.verbs.bindings.LibRdmaCm;
import io.github.rdma4j.verbs.bindings.ibv_context;
import io.github.rdma4j.verbs.bindings.ibv_context_ops;
import io.github.rdma4j.verbs.bindings.ibv_cq_ex;
import io.github.rdma4j.verbs.bindings.ibv_qp_ex;
import io.github.rdma4j.verbs.bindings.verbs_context;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Names for function pointers: the fields of the generated structures that hold them, read from the objects that come
 * up.
 */
final class Pointers {
    private static final String BINDINGS = LibIbVerbs.class.getPackageName() + ".";
    /** Functions of libmlx5 and libefa, of which there are no bindings. */
    private static final Map<String, Class<?>> OF_DRIVERS = Map.of(
            "mlx5dv_is_supported", boolean.class,
            "efadv_query_device", int.class,
            "efadv_query_ah", int.class,
            "efadv_query_mr", int.class,
            "efadv_create_qp_ex", MemorySegment.class,
            "efadv_create_cq", MemorySegment.class,
            "efadv_cq_from_ibv_cq_ex", MemorySegment.class);

    private static final MethodHandle ABORT =
            Linker.nativeLinker().downcallHandle(FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG));

    private static final Map<Long, String> NAMES = new ConcurrentHashMap<>();
    private static final Map<String, Class<?>> RESULTS = new ConcurrentHashMap<>();

    private Pointers() {}

    /** A device's context: the verbs that verbs.h calls inline. */
    static void learnContext(long context) {
        long base = context - verbs_context.context$offset();
        MemorySegment fields = MemorySegment.ofAddress(base).reinterpret(verbs_context.sizeof());
        long ops = verbs_context.context$offset() + ibv_context.ops$offset();
        learn("ibv_context_ops", ibv_context_ops.layout(), fields, ops, 0);
        if (fields.get(ValueLayout.JAVA_LONG, verbs_context.context$offset() + ibv_context.abi_compat$offset()) == -1) {
            long missing = verbs_context.sizeof() - verbs_context.sz(fields);
            learn("verbs_context", verbs_context.layout(), fields, 0, missing);
        }
    }

    /** The extended face of a queue pair: how it is posted to. */
    static void learnQueuePair(long queuePair) {
        learn(
                "ibv_qp_ex",
                ibv_qp_ex.layout(),
                MemorySegment.ofAddress(queuePair).reinterpret(ibv_qp_ex.sizeof()),
                0,
                0);
    }

    /** An extended completion queue: how it is polled. */
    static void learnQueue(long queue) {
        learn("ibv_cq_ex", ibv_cq_ex.layout(), MemorySegment.ofAddress(queue).reinterpret(ibv_cq_ex.sizeof()), 0, 0);
    }

    /** Drops the requests of a post, and the lock that ibv_wr_start has taken, like a driver that refuses the post. */
    static void abortPost(long queuePair) throws Throwable {
        MemorySegment fields = MemorySegment.ofAddress(queuePair).reinterpret(ibv_qp_ex.sizeof());
        ABORT.invokeExact(ibv_qp_ex.wr_abort(fields), queuePair);
    }

    private static void learn(String structure, GroupLayout layout, MemorySegment fields, long base, long from) {
        for (MemoryLayout member : layout.memberLayouts()) {
            if (member instanceof AddressLayout && member.name().isPresent()) {
                String field = member.name().get();
                long offset = layout.byteOffset(MemoryLayout.PathElement.groupElement(field));
                long pointer = offset < from ? 0 : fields.get(ValueLayout.JAVA_LONG, base + offset);
                if (pointer != 0) {
                    NAMES.putIfAbsent(pointer, structure + "." + field);
                }
            }
        }
    }

    static String nameOf(long address) {
        String symbol = NativeSeam.symbolAt(address);
        return symbol != null ? symbol : NAMES.getOrDefault(address, "pointer");
    }

    /**
     * Returns a function's return type in the generated bindings.
     *
     * @param name as {@link #nameOf} has it
     */
    static Class<?> resultOf(String name) {
        Class<?> known = OF_DRIVERS.get(name);
        return known != null ? known : RESULTS.computeIfAbsent(name, Pointers::result);
    }

    private static Class<?> result(String name) {
        String[] parts = name.split("[.]");
        try {
            FunctionDescriptor descriptor = (FunctionDescriptor) (parts.length == 1
                            ? (name.startsWith("rdma_") ? LibRdmaCm.class : LibIbVerbs.class)
                                    .getMethod(name + "$descriptor")
                            : Class.forName(BINDINGS + parts[0] + "$" + parts[1])
                                    .getMethod("descriptor"))
                    .invoke(null);
            return descriptor.toMethodType().returnType();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("the bindings do not say what '" + name + "' returns", e);
        }
    }
}
