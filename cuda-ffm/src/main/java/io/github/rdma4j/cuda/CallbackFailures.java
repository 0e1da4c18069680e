// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/** The exceptions that callbacks of a stream threw, kept until the next call that can throw them. */
final class CallbackFailures {
    private volatile Throwable first;
    private boolean closed;

    /** Called by a thread of the driver, in which an exception would end the process. */
    void watch(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            keep(e);
        }
    }

    private synchronized void keep(Throwable failure) {
        if (closed) {
            reportUncaught(failure);
        } else if (first == null) {
            first = failure;
        } else if (first != failure) {
            first.addSuppressed(failure);
        }
    }

    private static void reportUncaught(Throwable failure) {
        Thread thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
        } catch (Throwable e) {
            // The JVM also ignores exceptions of such a handler; here, one would end the process.
        }
    }

    void rethrow() {
        if (first != null) {
            throwFirst();
        }
    }

    private synchronized void throwFirst() {
        Throwable failure = first;
        if (failure != null) {
            first = null;
            throw new CudaCallbackException(failure);
        }
    }

    /** Throws the first exception. Exceptions of later callbacks go to the handler of uncaught exceptions. */
    synchronized void rethrowAtClose() {
        closed = true;
        throwFirst();
    }
}
