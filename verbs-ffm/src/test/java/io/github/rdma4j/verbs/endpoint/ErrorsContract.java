// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.Faults;
import io.github.rdma4j.verbs.FaultyClasses;
import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Throws a {@link StackOverflowError} at some depth of an endpoint's calls, or an {@link OutOfMemoryError} at some
 * allocation. Afterwards either nothing has happened, or the connection is lost, and the exception names the error.
 */
abstract class ErrorsContract {
    private static final Method SWEEP = sweep();

    private static Method sweep() {
        try {
            Method method = new FaultyClasses(ErrorTrials.class)
                    .loadClass(ErrorTrials.class.getName())
                    .getDeclaredMethod("sweep", String.class, String.class, Faults.Kind.class, int.class, int[].class);
            method.setAccessible(true);
            return method;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private final String transport;
    private final int pace;

    /** With a larger pace, errors are tried at fewer places. */
    ErrorsContract(String transport, int pace) {
        this.transport = transport;
        this.pace = pace;
    }

    @ParameterizedTest
    @EnumSource
    void errorAtSomePlacesChangesNothingOrLosesConnection(ErrorTrials.Operation operation) throws Exception {
        check(operation, Faults.Kind.ALLOCATION, 3 * pace);
        check(operation, Faults.Kind.DEPTH, pace);
        check(operation, Faults.Kind.ENTRY, 29 * pace);
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void errorAtEachPlaceChangesNothingOrLosesConnection(ErrorTrials.Operation operation) throws Exception {
        for (Faults.Kind kind : Faults.Kind.values()) {
            check(operation, kind, 1);
        }
    }

    private void check(ErrorTrials.Operation operation, Faults.Kind kind, int step) throws Exception {
        int[] tried = new int[1];
        List<?> wrong = (List<?>) SWEEP.invoke(null, transport, operation.name(), kind, step, tried);
        assertThat(wrong).isEmpty();
        assertThat(kind == Faults.Kind.ALLOCATION || tried[0] > 0).isTrue();
    }
}
