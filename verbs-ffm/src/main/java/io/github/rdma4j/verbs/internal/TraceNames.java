// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.verbs.bindings.LibIbVerbs;
import io.github.rdma4j.verbs.bindings.LibRdmaCm;
import io.github.rdma4j.verbs.bindings.ibv_context;
import io.github.rdma4j.verbs.bindings.ibv_context_ops;
import io.github.rdma4j.verbs.bindings.ibv_cq_ex;
import io.github.rdma4j.verbs.bindings.ibv_dm;
import io.github.rdma4j.verbs.bindings.ibv_qp_ex;
import io.github.rdma4j.verbs.bindings.ibv_wq;
import io.github.rdma4j.verbs.bindings.verbs_context;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds the function at an address. Exported functions are recorded by their lookup; functions that verbs.h calls
 * through the fields of an object are recorded when a call returns the object.
 */
final class TraceNames {
    private static final String BINDINGS = LibIbVerbs.class.getPackageName() + '.';

    /** Fields whose function has a name in verbs.h other than its prefix and the field's name. */
    private static final Map<String, String> OTHERWISE = Map.of(
            "ibv_create_flow", "ibv_create_flow",
            "ibv_destroy_flow", "ibv_destroy_flow",
            "query_rt_values", "ibv_query_rt_values_ex",
            "ibv_wq.post_recv", "ibv_post_wq_recv");

    private final Map<Long, TracedFunction> functions = new ConcurrentHashMap<>();

    /** Returns the function at an address; the name of an unknown function is its address. */
    TracedFunction at(long address) {
        TracedFunction known = functions.get(address);
        return known == null ? new TracedFunction("(*0x%x)".formatted(address), null) : known;
    }

    void learnSymbol(String symbol, long address) {
        if (!functions.containsKey(address)) {
            Class<?> library = symbol.startsWith("rdma_") ? LibRdmaCm.class : LibIbVerbs.class;
            functions.putIfAbsent(address, new TracedFunction(symbol, descriptor(library, symbol + "$descriptor")));
        }
    }

    /** Records the functions of an object that a successful call has returned. */
    void learnFrom(String name, long object, long firstArgument) {
        switch (name) {
            case "ibv_open_device", "ibv_import_device" -> learnContext(object);
            case "rdma_get_devices" -> {
                int count = NativeMemory.getInt(firstArgument);
                for (int i = 0; i < count; i++) {
                    learnContext(NativeMemory.getLong(object + (long) i * Long.BYTES));
                }
            }
            case "ibv_qp_to_qp_ex" -> learn("ibv_qp_ex", ibv_qp_ex.layout(), object, 0);
            case "ibv_create_cq_ex" -> learn("ibv_cq_ex", ibv_cq_ex.layout(), object, 0);
            case "ibv_create_wq" -> learn("ibv_wq", ibv_wq.layout(), object, 0);
            case "ibv_alloc_dm", "ibv_import_dm" -> learn("ibv_dm", ibv_dm.layout(), object, 0);
            default -> {
                // It has no functions of its own.
            }
        }
    }

    /**
     * Records the functions of a context. The structure around it is counted from its end: an older library has fewer
     * entries at the start.
     */
    private void learnContext(long context) {
        long ops = context + ibv_context.ops$offset();
        learn("ibv_context_ops", ibv_context_ops.layout(), ops, 0);
        if (NativeMemory.getLong(context + ibv_context.abi_compat$offset()) == -1) {
            long base = context - verbs_context.context$offset();
            long size = NativeMemory.getLong(base + verbs_context.sz$offset());
            learn("verbs_context", verbs_context.layout(), base, verbs_context.sizeof() - size);
        }
    }

    private void learn(String structure, GroupLayout layout, long base, long from) {
        for (MemoryLayout member : layout.memberLayouts()) {
            if (member instanceof AddressLayout && isVerb(member)) {
                String field = member.name().orElseThrow();
                long offset = layout.byteOffset(PathElement.groupElement(field));
                FunctionDescriptor descriptor = offset < from ? null : ofField(structure, field);
                long function = descriptor == null ? 0 : NativeMemory.getLong(base + offset);
                if (function != 0) {
                    functions.putIfAbsent(function, new TracedFunction(nameOf(structure, field), descriptor));
                }
            }
        }
    }

    /** Fields of the first versions hold functions that are exported today and recorded by that name. */
    private static boolean isVerb(MemoryLayout member) {
        return member.name().filter(name -> !name.startsWith("_compat_")).isPresent();
    }

    private static String nameOf(String structure, String field) {
        String other = OTHERWISE.getOrDefault(field, OTHERWISE.get(structure + '.' + field));
        if (other != null) {
            return other;
        }
        return (structure.equals("ibv_cq_ex") && field.startsWith("read_") ? "ibv_wc_" : "ibv_") + field;
    }

    /** Returns null if the field points to data. */
    private static FunctionDescriptor ofField(String structure, String field) {
        try {
            return descriptor(Class.forName(BINDINGS + structure + '$' + field), "descriptor");
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    /** Returns null if the bindings are older than the function. */
    private static FunctionDescriptor descriptor(Class<?> type, String method) {
        try {
            return (FunctionDescriptor) type.getMethod(method).invoke(null);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }
}
