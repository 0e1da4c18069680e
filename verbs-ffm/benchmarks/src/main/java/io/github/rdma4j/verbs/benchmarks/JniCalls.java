// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

/** The functions of jni-calls.c. */
final class JniCalls {
    static {
        System.load(CLoops.library().toAbsolutePath().toString());
    }

    private JniCalls() {}

    static native int poll(long completionQueue, int entries, long workCompletions);

    static native int postWrite(
            long queuePair,
            long workRequestId,
            long address,
            int length,
            int localKey,
            long remoteAddress,
            int remoteKey,
            int flags);

    static native int postReceive(long queuePair, long workRequestId, long address, int length, int localKey);
}
