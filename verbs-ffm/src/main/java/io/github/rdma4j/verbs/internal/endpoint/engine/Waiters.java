// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.internal.BiasedLock;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;

/**
 * The threads that wait for a change of an endpoint: one leads, which spins or sleeps on the {@link EndpointTransport},
 * and the others follow it. A selector may wait instead. Used with the lock of {@link Engine} held.
 */
final class Waiters {
    private final BiasedLock lock;
    private final EndpointTransport transport;
    private final Protocol protocol;
    private int followers;
    /** The thread that leads; null if none does. */
    private Thread leader;

    private boolean leaderWoken;
    /** Notifies a selector that it must poll and arm again. Null if there is none. */
    private Runnable watcher;
    /** Whether a thread waits or a selector watches. One field, because each call of the program asks. */
    private boolean anybody;
    /** Whether a thread waits. */
    private boolean anyThread;
    /**
     * The thread of the selector, from a visit that found something until it has called the handlers: it then checks
     * for what its own calls have changed, so they do not notify it. Written by that thread alone.
     */
    private Thread visitor;

    private boolean visiting;
    /** Earlier changes are known to all waiters. Notifies no one while no one waits. */
    private long announced;

    Waiters(BiasedLock lock, EndpointTransport transport, Protocol protocol) {
        this.lock = lock;
        this.transport = transport;
        this.protocol = protocol;
    }

    /**
     * Wakes the waiters that a change since the last call concerns, or that must be armed for more events from now on.
     * Called before the lock is released.
     */
    void announce() {
        if (anybody && (anyThread || !isVisited()) && hasUnannounced()) {
            announceToThreads();
            notifyWatcher();
        }
    }

    /** Wakes waiting threads, called by the selector itself, which has seen what changed. */
    void announceBySelector() {
        if (anyThread && hasUnannounced()) {
            announceToThreads();
        } else {
            announced = protocol.changes();
        }
    }

    private boolean isVisited() {
        return visiting && visitor == Thread.currentThread();
    }

    /** The selector's thread calls handlers next, or has called them and checks what they have changed. */
    void visited(boolean handlersNext) {
        if (handlersNext && visitor != Thread.currentThread()) {
            visitor = Thread.currentThread();
        }
        visiting = handlersNext;
    }

    private boolean hasUnannounced() {
        return announced != protocol.changes() || protocol.awaitsEnds() && transport.missesEnds();
    }

    private void announceToThreads() {
        // Noted last: what an error interrupts is done again.
        if (followers > 0) {
            lock.signalAll();
        }
        if (leader != null && !leaderWoken) {
            transport.wakeUp();
            leaderWoken = true;
        }
        announced = protocol.changes();
    }

    void notifyWatcher() {
        if (watcher != null) {
            watcher.run();
        }
    }

    boolean isWatched() {
        return watcher != null;
    }

    boolean isWatchedBy(Runnable one) {
        return watcher == one;
    }

    /** Null for nobody. */
    void watch(Runnable newWatcher) {
        watcher = newWatcher;
        visiting = false;
        count();
    }

    private void count() {
        anyThread = followers > 0 || leader != null;
        boolean nobody = !anyThread && watcher == null;
        if (!nobody && !anybody) {
            // The first one to wait has just checked, so it has seen all changes.
            announced = protocol.changes();
        }
        anybody = !nobody;
    }

    /** Waits for what the leader sees, or for its place. */
    void follow(String operation, long nanos) {
        announce();
        followers++;
        count();
        try {
            lock.await(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaitInterruptedException(operation);
        } finally {
            followers--;
            count();
        }
    }

    boolean isLed() {
        return leader != null;
    }

    /** This thread leads until {@link #stopLeading}; a spinning leader sees changes without a wake-up. */
    void lead(boolean spinning) {
        leader = Thread.currentThread();
        leaderWoken = spinning;
        count();
    }

    /**
     * A thread that stops leading may be about to leave, and a follower must lead then. A comparison of the changes is
     * not enough: another thread may have announced them to the followers already, while this one led.
     */
    void stopLeading() {
        leader = null;
        count();
        lock.signalAll();
    }

    /** An error has kept this thread from it. */
    void stopLeadingIfLeft() {
        if (leader == Thread.currentThread()) {
            stopLeading();
        }
    }
}
