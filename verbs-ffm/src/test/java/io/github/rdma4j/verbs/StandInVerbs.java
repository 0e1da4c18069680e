// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.verbs_context;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * An open device in whose function table a test puts stand-ins, for functions that SoftRoCE does not have. The tests
 * show that arguments arrive, that results come back, and in which order objects are closed. They do not show how any
 * adapter behaves.
 */
abstract class StandInVerbs {
    final Arena arena = Arena.ofShared();
    final List<String> calls = new ArrayList<>();
    DeviceContext context;
    MemorySegment table;
    ProtectionDomain domain;
    CompletionQueue queue;

    @BeforeEach
    final void open() {
        context = TestDevice.open();
        table = MemorySegment.ofAddress(context.handle() - verbs_context.context$offset())
                .reinterpret(verbs_context.sizeof());
        domain = context.allocateProtectionDomain();
        queue = context.createCompletionQueue(16);
    }

    @AfterEach
    final void close() {
        context.close();
        arena.close();
    }

    /** A stand-in was called, and succeeds. */
    final int note(String call) {
        calls.add(call);
        return 0;
    }

    /** Returns memory for a native object that a stand-in creates. */
    final MemorySegment object() {
        return arena.allocate(256, 8);
    }
}
