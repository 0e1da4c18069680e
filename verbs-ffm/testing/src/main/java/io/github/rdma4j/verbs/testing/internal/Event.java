// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import java.io.Serializable;
import java.util.Map;
import java.util.Set;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;

/** An event of a test in the guest's JVM. The ids are JUnit Jupiter's unique ids, as text. */
sealed interface Event extends Serializable {
    /** A test or container that was not known before, such as an invocation of a parameterised test. */
    record Registered(
            String parent,
            String id,
            String name,
            String legacyName,
            TestDescriptor.Type type,
            TestSource source,
            Set<String> tags,
            boolean container)
            implements Event {}

    record Started(String id) implements Event {}

    record Skipped(String id, String reason) implements Event {}

    /** @param failure null if there is none */
    record Finished(String id, TestExecutionResult.Status status, Failure failure) implements Event {}

    record Reported(String id, Map<String, String> entries) implements Event {}

    /** Bytes that were written to System.out, or System.err. */
    record Output(boolean error, byte[] bytes) implements Event {}

    /** For too long no test has started or ended; the JVM ends. */
    record Stuck(long seconds, String threads) implements Event {}

    /** All tests have ended. */
    record Done() implements Event {}
}
