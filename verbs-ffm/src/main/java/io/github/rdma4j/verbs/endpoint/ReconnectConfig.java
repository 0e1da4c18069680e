// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.base.Timeouts;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The settings of a {@link Reconnector}. It pauses after each failed attempt. Pauses double up to a limit, and each is
 * shortened randomly by up to a half, so that the clients of a restarted server do not all connect at once.
 *
 * @since 0.1.0
 */
public final class ReconnectConfig {
    private Duration firstPause = Duration.ofMillis(100);
    private Duration longestPause = Duration.ofSeconds(5);
    private Duration attemptTimeout = Duration.ofSeconds(5);
    private Consumer<? super Reconnection> listener;

    ReconnectConfig() {}

    /**
     * Sets the pause after the first failed attempt; default 100 ms. The first attempt itself is immediate, unless the
     * previous connection lasted less than {@link #longestPause}.
     *
     * @param pause above zero
     * @return this
     */
    public ReconnectConfig firstPause(Duration pause) {
        firstPause = positive("firstPause", pause);
        return this;
    }

    /**
     * Sets the longest pause; default 5 s.
     *
     * @param pause above zero; at least {@link #firstPause}
     * @return this
     */
    public ReconnectConfig longestPause(Duration pause) {
        longestPause = positive("longestPause", pause);
        return this;
    }

    /**
     * Sets how long one attempt may take; default 5 s.
     *
     * @param timeout above zero
     * @return this
     */
    public ReconnectConfig attemptTimeout(Duration timeout) {
        attemptTimeout = positive("attemptTimeout", timeout);
        return this;
    }

    /**
     * Sets a listener for each new connection after the first. It gets the connection before any other thread, so that
     * it can resend what was lost and expose memory again. The connecting thread calls it. If it throws, that
     * connection is closed, and the next attempt calls it again for the same lost endpoint. A {@link
     * io.github.rdma4j.verbs.VerbsException}, for example because the connection was lost again, counts as a failed
     * attempt; any other exception propagates to the caller of {@link Reconnector#endpoint}.
     *
     * @param newListener the listener
     * @return this
     */
    public ReconnectConfig onReconnect(Consumer<? super Reconnection> newListener) {
        listener = Objects.requireNonNull(newListener, "listener");
        return this;
    }

    private static Duration positive(String name, Duration value) {
        if (!value.isPositive()) {
            throw new IllegalArgumentException("%s %s: above zero".formatted(name, TimeText.of(value)));
        }
        return value;
    }

    void check() {
        if (longestPause.compareTo(firstPause) < 0) {
            throw new IllegalArgumentException("longestPause %s: not below firstPause, %s"
                    .formatted(TimeText.of(longestPause), TimeText.of(firstPause)));
        }
    }

    long firstPauseNanos() {
        return Timeouts.nanos(firstPause);
    }

    long longestPauseNanos() {
        return Timeouts.nanos(longestPause);
    }

    long attemptNanos() {
        return Timeouts.nanos(attemptTimeout);
    }

    Consumer<? super Reconnection> listener() {
        return listener;
    }
}
