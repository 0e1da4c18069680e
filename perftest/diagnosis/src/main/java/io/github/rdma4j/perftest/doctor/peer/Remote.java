// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import io.github.rdma4j.perftest.doctor.pair.Failure;
import io.github.rdma4j.perftest.talk.BadMessageException;
import io.github.rdma4j.perftest.talk.Fields;
import io.github.rdma4j.perftest.talk.Limits;
import io.github.rdma4j.perftest.talk.Line;
import io.github.rdma4j.perftest.talk.Message;
import io.github.rdma4j.perftest.talk.PeerLostException;
import java.time.Duration;
import java.util.Locale;

/** The serving end, as the end that tests sees it. */
final class Remote {
    /** The largest number of steps that one order can wait for at the other end: an accept waits for two events. */
    private static final int MOST_STEPS = 2;

    /** Beyond the time that the other end may take itself. */
    private static final Duration GRACE = Duration.ofSeconds(5);

    private final Line line;
    private final Limits limits;
    private String last = "";

    Remote(Line line, Limits limits) {
        this.line = line;
        this.limits = limits;
    }

    /** Returns the timeouts. */
    Limits limits() {
        return limits;
    }

    /** Returns the last order that was sent to the other end. */
    String last() {
        return last;
    }

    /** Sends an order, and waits until it is carried out. */
    Answer order(Order order, Fields fields) {
        begin(order, fields);
        return answer();
    }

    /** Sends an order without fields, and waits until it is carried out. */
    Answer order(Order order) {
        return order(order, new Fields());
    }

    /** Sends an order. This end does its part before it receives the answer. */
    void begin(Order order, Fields fields) {
        last = order.name().toLowerCase(Locale.ROOT).replace('_', '-');
        line.send(new Message(Message.Kind.ORDER, fields.with("order", order.name())));
    }

    /**
     * Waits for the answer to the last order.
     *
     * @throws PeerLostException if the other end has closed the connection
     * @throws BadMessageException if it sends something else
     */
    Answer answer() {
        Message message =
                line.receive(limits.atMost(Limits.STEP.multipliedBy(MOST_STEPS).plus(GRACE)));
        if (message.kind() == Message.Kind.BYE) {
            throw new PeerLostException(
                    "the other end gave up: " + message.fields().text("reason", ""));
        }
        if (message.kind() != Message.Kind.ANSWER) {
            throw new BadMessageException("the other end sent " + message.kind() + " instead of an answer");
        }
        return new Answer(message.fields());
    }

    /**
     * The answer to an order.
     *
     * @param fields its content
     */
    record Answer(Fields fields) {
        private static final String FAILURE = "failure.";

        static Fields of(Failure failure) {
            return new Fields().withAll(FAILURE, failure.fields());
        }

        /** Returns whether it was carried out. */
        boolean isGood() {
            return fields.below(FAILURE).isEmpty();
        }

        /** Returns the reason for a failure. */
        Failure failure() {
            return Failure.of(fields.below(FAILURE));
        }
    }
}
