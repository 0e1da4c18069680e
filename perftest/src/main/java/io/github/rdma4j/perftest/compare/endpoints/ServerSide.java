// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import io.github.rdma4j.perftest.echo.EchoSetting;
import io.github.rdma4j.perftest.environment.ProcessTime;

/** The process that sends messages back. */
public interface ServerSide {
    /**
     * Has it listen.
     *
     * @return the setting with the port that was taken
     */
    EchoSetting serve(EchoSetting setting);

    /** CPU time of its process until now. */
    ProcessTime time();

    /** Waits until its compilers have nothing to do, for a few seconds at most. */
    void awaitQuiet();

    /** Closes all its connections and servers. */
    void stop();
}
