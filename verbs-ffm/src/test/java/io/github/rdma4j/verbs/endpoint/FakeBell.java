// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.WaitInterruptedException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Ends sleeps on a {@link FakeTransport}. After it was armed, the next arrival rings once, as an adapter's event does,
 * and wakes the thread or selector that sleeps on it.
 */
final class FakeBell {
    private final Object wire;
    private boolean armed;
    private boolean armedForEnds;
    private boolean signalled;
    private boolean woken;
    private boolean closed;
    /** The poller that a selector sleeps on. It stays ready until the signal is taken. Null without a selector. */
    private EventPoller ofSelector;
    /** The number of sleeps that an arrival has ended. */
    int signals;

    FakeBell(Object wire) {
        this.wire = wire;
    }

    void arm(boolean ends) {
        synchronized (wire) {
            armedForEnds = ends || armed && armedForEnds;
            armed = true;
        }
    }

    /** Something has come; with the wire's lock held. */
    void ring(boolean always) {
        if (armed && (armedForEnds || always)) {
            armed = false;
            signalled = true;
            signals++;
            wire.notifyAll();
            if (ofSelector != null) {
                ofSelector.wakeUp();
            }
        }
    }

    boolean isArmed() {
        synchronized (wire) {
            return armed || signalled;
        }
    }

    boolean missesEnds() {
        synchronized (wire) {
            return armed && !armedForEnds;
        }
    }

    void sleep(long nanos) {
        long end = System.nanoTime() + Math.min(nanos, Long.MAX_VALUE / 2);
        synchronized (wire) {
            long rest = end - System.nanoTime();
            while (!signalled && !woken && !closed && rest > 0) {
                try {
                    TimeUnit.NANOSECONDS.timedWait(wire, rest);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new WaitInterruptedException("sleeping");
                }
                rest = end - System.nanoTime();
            }
            woken = false;
        }
    }

    void take() {
        synchronized (wire) {
            signalled = false;
            if (ofSelector != null) {
                ofSelector.select(Duration.ZERO, source -> {});
            }
        }
    }

    EventPoller forSelector() {
        synchronized (wire) {
            ofSelector = EventPoller.open();
            return ofSelector;
        }
    }

    void wakeUp() {
        synchronized (wire) {
            woken = true;
            wire.notifyAll();
        }
    }

    /** The peer has gone; with the wire's lock held. */
    void peerClosed() {
        signalled = true;
        wire.notifyAll();
    }

    void close() {
        synchronized (wire) {
            closed = true;
            if (ofSelector != null) {
                ofSelector.close();
                ofSelector = null;
            }
        }
    }
}
