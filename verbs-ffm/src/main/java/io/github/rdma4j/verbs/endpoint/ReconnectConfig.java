// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.internal.TimeText;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * How a {@link Reconnector} connects again: with a pause behind each failed attempt, which doubles up to a limit. Each
 * pause is shortened by a random part of up to a half, so that the clients of a server that was restarted do not all
 * come at once.
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
     * How long to wait behind the first failed attempt; default 100 ms. The first attempt itself is made at once,
     * unless the connection before it did not last for {@link #longestPause}.
     *
     * @param pause above zero
     * @return this
     */
    public ReconnectConfig firstPause(Duration pause) {
        firstPause = positive("firstPause", pause);
        return this;
    }

    /**
     * How long a pause may become; default 5 s.
     *
     * @param pause above zero; not below {@link #firstPause}
     * @return this
     */
    public ReconnectConfig longestPause(Duration pause) {
        longestPause = positive("longestPause", pause);
        return this;
    }

    /**
     * How long one attempt may take; default 5 s.
     *
     * @param timeout above zero
     * @return this
     */
    public ReconnectConfig attemptTimeout(Duration timeout) {
        attemptTimeout = positive("attemptTimeout", timeout);
        return this;
    }

    /**
     * Who hears of each new connection but the first, before anybody else has it: the place to say again what was lost,
     * and to expose memory again. It is called in the thread that connects. If it throws, that connection is closed,
     * and the next attempt tells it again of what was lost. A {@link io.github.rdma4j.verbs.VerbsException}, as of a
     * connection that is lost again, is one more failed attempt; anything else the caller of {@link
     * Reconnector#endpoint} gets.
     *
     * @param newListener null for nobody
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
        return Engine.nanos(firstPause);
    }

    long longestPauseNanos() {
        return Engine.nanos(longestPause);
    }

    long attemptNanos() {
        return Engine.nanos(attemptTimeout);
    }

    Consumer<? super Reconnection> listener() {
        return listener;
    }
}
