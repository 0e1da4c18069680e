// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;

/** The wire of an endpoint in a group: a thread of any endpoint polls and sleeps for all. */
public interface GroupWire extends EndpointTransport {
    SharedQueues queues();

    Member member();

    @Override
    default void prepareToSleep() {}

    /** Only sets what to arm for: the sleeping thread arms the group's queues for all endpoints. */
    @Override
    default void arm(boolean ends) {
        queues().awaitEnds(member(), ends);
    }

    @Override
    default boolean missesEnds() {
        return !member().awaitsEnds();
    }

    @Override
    default void sleep(long nanos) {
        queues().sleepers().sleep(member().sleeper(), nanos);
    }

    @Override
    default boolean awake() {
        return takeLinkReport();
    }

    @Override
    default boolean hasArrivals() {
        return member().hasArrivals();
    }

    @Override
    default boolean takeLinkReport() {
        return member().takeLinkReport();
    }

    /** The group receives the events. */
    @Override
    default void eventCame() {}

    @Override
    default Events events() {
        return new Events(null, null);
    }

    @Override
    default void watch(Runnable arrival) {
        member().watcher(arrival);
    }

    @Override
    default void wakeUp() {
        queues().sleepers().wake(member().sleeper());
    }
}
