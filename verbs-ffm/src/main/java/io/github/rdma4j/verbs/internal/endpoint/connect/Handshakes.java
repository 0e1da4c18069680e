// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.connect;

import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.verbs.EventSource;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * The incomplete handshakes of a transport by their event sources, the oldest first. If there are more than admission
 * control allows, the oldest are dropped. Used with the acceptor's lock held.
 *
 * @param <H> the type of a handshake
 */
final class Handshakes<H> {
    private record Begun<H>(H handshake, long end) {}

    private final Map<EventSource, Begun<H>> begun = new LinkedHashMap<>();
    private final AdmissionControl admission;
    private final Duration timeout;
    private final int most;

    /**
     * Creates it.
     *
     * @param timeout the longest time of a handshake
     * @param bytes the memory that each handshake holds, in bytes
     */
    Handshakes(AdmissionControl admission, Duration timeout, long bytes) {
        this.admission = admission;
        this.timeout = timeout;
        this.most = AdmissionControl.mostHandshakes(bytes);
    }

    /** Adds a handshake, and starts its timeout. */
    void add(EventSource source, H handshake) {
        long nanos = Math.min(Timeouts.nanos(timeout), Long.MAX_VALUE / 2);
        begun.put(source, new Begun<>(handshake, System.nanoTime() + nanos));
    }

    /** {@return the handshake with this event source; null if there is none} */
    H get(EventSource source) {
        Begun<H> found = begun.get(source);
        return found == null ? null : found.handshake;
    }

    void remove(EventSource source) {
        begun.remove(source);
    }

    boolean isEmpty() {
        return begun.isEmpty();
    }

    /** {@return the nanoseconds until the oldest times out; a great number if there is none} */
    long nanosToEnd() {
        return begun.isEmpty()
                ? Long.MAX_VALUE
                : Math.max(0, begun.values().iterator().next().end - System.nanoTime());
    }

    /**
     * Drops handshakes that have timed out, and the oldest if there are too many.
     *
     * @param forget closes the parts of a handshake; its second argument is the reason
     */
    void forgetLate(BiConsumer<H, String> forget) {
        int tooMany = AdmissionControl.tooMany(begun.size(), most);
        Iterator<Begun<H>> oldest = begun.values().iterator();
        while (oldest.hasNext()) {
            Begun<H> one = oldest.next();
            boolean late = System.nanoTime() - one.end >= 0;
            if (!late && tooMany <= 0) {
                return; // those behind it have more time
            }
            oldest.remove();
            tooMany--;
            admission.gaveUp();
            forget.accept(one.handshake, late ? AdmissionControl.LATE : AdmissionControl.OLDEST_OF_TOO_MANY);
        }
    }

    /** {@return all handshakes, the oldest first} */
    Collection<H> all() {
        return begun.values().stream().map(Begun::handshake).toList();
    }

    void clear() {
        begun.clear();
    }
}
