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
 * An open device into whose table of functions a test writes stand-ins, for what SoftRoCE does not have: they show that
 * the arguments arrive, that the answers come back, and in which order things are closed. They say nothing of any
 * adapter.
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
