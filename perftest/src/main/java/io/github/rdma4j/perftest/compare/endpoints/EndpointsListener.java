// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import io.github.rdma4j.perftest.echo.Transport;
import java.util.Map;

/** Hears of a comparison as it goes. */
public interface EndpointsListener {
    /** A step that may take long begins. */
    default void step(String what) {}

    /**
     * Connections are open, and warmed up.
     *
     * @param size of the messages to come
     * @param connections of each transport
     * @param perSecond what each transport answers when it is asked without a pause; empty when nobody has looked
     */
    void opened(int size, int connections, Map<Transport, Double> perSecond);

    /**
     * A case was measured over all transports.
     *
     * @param round from 1
     */
    void measured(EchoCase test, int round, Map<Transport, EchoMeasurement> measurements);
}
