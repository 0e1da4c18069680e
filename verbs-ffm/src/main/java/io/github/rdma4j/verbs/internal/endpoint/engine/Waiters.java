// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The threads that wait for a change of an endpoint: one leads, which spins or sleeps on the {@link Carrier}, and the
 * others follow it. A selector may wait instead. Used with the lock of {@link Engine} held.
 */
final class Waiters {
    private final Condition changed;
    private final Carrier carrier;
    private final Protocol protocol;
    private int followers;
    /** The thread that leads; null if none does. */
    private Thread leader;

    private boolean leaderWoken;
    /** Notifies a selector that it must poll and arm again. Null if there is none. */
    private Runnable watcher;
    /** Whether there is one of these. One field, because each call of the program asks. */
    private boolean anybody;
    /** Earlier changes are known to all waiters. Notifies no one while no one waits. */
    private long announced;

    Waiters(ReentrantLock lock, Carrier carrier, Protocol protocol) {
        this.changed = lock.newCondition();
        this.carrier = carrier;
        this.protocol = protocol;
    }

    /**
     * Wakes the waiters that a change since the last call concerns, or that must be armed for more events from now on.
     * Called before the lock is released.
     */
    void announce() {
        if (anybody && isNews()) {
            announceToThreads();
            tellWatcher();
        }
    }

    /** Wakes waiters, called by the selector itself during a visit. */
    void announceByWatcher() {
        if (anybody && isNews()) {
            announceToThreads();
        }
    }

    private boolean isNews() {
        return announced != protocol.changes() || protocol.awaitsEnds() && carrier.missesEnds();
    }

    private void announceToThreads() {
        // Noted last: what an error interrupts is done again.
        if (followers > 0) {
            changed.signalAll();
        }
        if (leader != null && !leaderWoken) {
            carrier.wakeUp();
            leaderWoken = true;
        }
        announced = protocol.changes();
    }

    void tellWatcher() {
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
        count();
    }

    private void count() {
        boolean nobody = followers == 0 && leader == null && watcher == null;
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
            changed.await(nanos, TimeUnit.NANOSECONDS);
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
        changed.signalAll();
    }

    /** An error has kept this thread from it. */
    void stopLeadingIfLeft() {
        if (leader == Thread.currentThread()) {
            stopLeading();
        }
    }
}
