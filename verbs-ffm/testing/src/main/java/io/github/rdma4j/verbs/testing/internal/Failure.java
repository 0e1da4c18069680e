// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import java.io.IOException;
import java.io.Serializable;
import java.util.function.Supplier;

/**
 * An exception on its way from one JVM to another: the exception itself, if it can be serialised and its class is
 * there, otherwise a description of it.
 *
 * @param bytes the exception, serialised; null if it cannot be
 * @param assertion whether it is an AssertionError, which reports distinguish from other errors
 * @param text its class and message
 * @param cause the failure of its cause, or null
 */
record Failure(byte[] bytes, boolean assertion, String text, StackTraceElement[] trace, Failure cause)
        implements Serializable {
    // Deep enough for whoever reads it, and an end for causes in a circle.
    private static final int CAUSES = 20;

    static Failure of(Throwable exception) {
        return of(exception, true, CAUSES);
    }

    private static Failure of(Throwable exception, boolean whole, int causes) {
        Throwable cause = orElse(null, exception::getCause);
        return new Failure(
                whole ? orElse(null, () -> EventStream.serialise(exception)) : null,
                exception instanceof AssertionError,
                orElse(exception.getClass().getName() + ", whose text cannot be read", exception::toString),
                orElse(new StackTraceElement[0], exception::getStackTrace),
                cause == null || causes == 0 ? null : of(cause, false, causes - 1));
    }

    // A field may not be serialisable, or its objects too deep for the stack. An exception may override its methods.
    // The failed test must be reported all the same.
    private static <T> T orElse(T otherwise, Supplier<T> read) {
        try {
            return read.get();
        } catch (RuntimeException | Error e) {
            return otherwise;
        }
    }

    /** The exception, or one that reads as it did. */
    Throwable exception(ClassLoader loader) {
        if (bytes != null) {
            try {
                return (Throwable) EventStream.deserialise(bytes, loader);
            } catch (IOException | ClassNotFoundException | RuntimeException | Error e) {
                // Its class is another one here, or this stack is smaller.
            }
        }
        return copy();
    }

    private Throwable copy() {
        Throwable copy = assertion ? new CopiedAssertionError(text) : new CopiedException(text);
        copy.setStackTrace(trace);
        if (cause != null) {
            copy.initCause(cause.copy());
        }
        return copy;
    }

    private static final class CopiedAssertionError extends AssertionError {
        CopiedAssertionError(String text) {
            super(text);
        }

        @Override
        public String toString() {
            return getMessage();
        }
    }

    private static final class CopiedException extends RuntimeException {
        CopiedException(String text) {
            super(text);
        }

        @Override
        public String toString() {
            return getMessage();
        }
    }
}
