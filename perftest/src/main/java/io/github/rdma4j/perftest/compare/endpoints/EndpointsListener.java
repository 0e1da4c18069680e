// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import io.github.rdma4j.perftest.echo.Transport;
import java.util.Map;

/** Is notified of the progress of a comparison. */
public interface EndpointsListener {
    /** Called when a step begins that may take long. */
    default void step(String what) {}

    /**
     * Called when connections are open and warmed up.
     *
     * @param size of the messages to come
     * @param connections the number for each transport
     * @param perSecond the rate that each transport reaches without pauses; empty if it was not measured
     */
    void opened(int size, int connections, Map<Transport, Double> perSecond);

    /**
     * Called when a case was measured over all transports.
     *
     * @param round from 1
     */
    void measured(EchoCase test, int round, Map<Transport, EchoMeasurement> measurements);
}
