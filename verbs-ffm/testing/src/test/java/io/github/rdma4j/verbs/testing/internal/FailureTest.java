// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

class FailureTest {
    private static final ClassLoader LOADER = FailureTest.class.getClassLoader();

    @Test
    void arrivesAsItWas() throws Exception {
        AssertionFailedError failure = new AssertionFailedError("not equal", "a", "b", new IOException("cause"));

        Throwable arrived = transported(failure).exception(LOADER);

        assertThat(arrived)
                .isInstanceOf(AssertionFailedError.class)
                .hasMessage("not equal")
                .hasRootCauseMessage("cause");
        assertThat(arrived.getStackTrace()).isEqualTo(failure.getStackTrace());
        assertThat(((AssertionFailedError) arrived).getExpected().getStringRepresentation())
                .isEqualTo("a");
    }

    @Test
    void oneThatCannotBeSerialisedReadsTheSame() throws Exception {
        Exception failure = new NotToBeSent("the socket is gone");
        failure.initCause(new AssertionError("underneath"));

        Throwable arrived = transported(failure).exception(LOADER);

        assertThat(arrived).isNotInstanceOf(NotToBeSent.class).isNotInstanceOf(AssertionError.class);
        assertThat(arrived.toString()).isEqualTo(failure.toString());
        assertThat(arrived.getStackTrace()).isEqualTo(failure.getStackTrace());
        assertThat(arrived.getCause())
                .isInstanceOf(AssertionError.class)
                .hasToString("java.lang.AssertionError: underneath");
    }

    @Test
    void oneOfAnUnknownClassReadsTheSame() throws Exception {
        Failure failure = transported(new AssertionError("known"));
        Failure broken = new Failure(
                new byte[] {1, 2, 3}, failure.assertion(), failure.text(), failure.trace(), failure.cause());

        assertThat(broken.exception(LOADER))
                .isInstanceOf(AssertionError.class)
                .hasToString("java.lang.AssertionError: known");
    }

    @Test
    void causesInACircleEnd() throws Exception {
        Exception first = new NotToBeSent("first");
        Exception second = new NotToBeSent("second");
        first.initCause(second);
        second.initCause(first);

        assertThat(transported(first).exception(LOADER))
                .hasStackTraceContaining("first")
                .hasStackTraceContaining("second");
    }

    @Test
    void oneWithADeepFieldReadsTheSame() throws Exception {
        AssertionError failure = new Deep(100_000);

        assertThat(transported(failure).exception(LOADER))
                .isNotInstanceOf(Deep.class)
                .isInstanceOf(AssertionError.class)
                .hasToString(failure.toString());
    }

    @Test
    void oneWhoseMethodsThrowArrives() throws Exception {
        assertThat(transported(new Rude()).exception(LOADER))
                .hasToString(Rude.class.getName() + ", whose text cannot be read")
                .hasNoCause();
    }

    private static Failure transported(Throwable failure) throws Exception {
        return (Failure) EventStream.deserialise(EventStream.serialise(Failure.of(failure)), LOADER);
    }

    private static final class Deep extends AssertionError {
        private Object node = "the last";

        Deep(int nodes) {
            super("not equal");
            for (int i = 0; i < nodes; i++) {
                node = new Object[] {node};
            }
        }
    }

    private static final class Rude extends RuntimeException {
        private final Thread thread = Thread.currentThread();

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }

        @Override
        public synchronized Throwable getCause() {
            throw new StackOverflowError();
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new LinkageError();
        }
    }

    private static final class NotToBeSent extends Exception {
        private final Thread thread = Thread.currentThread();

        NotToBeSent(String message) {
            super(message);
        }
    }
}
