// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import io.github.rdma4j.perftest.echo.EchoSetting;
import io.github.rdma4j.perftest.environment.ProcessTime;

/** The process that echoes messages. */
public interface ServerSide {
    /**
     * Makes it listen.
     *
     * @return the setting with the port in use
     */
    EchoSetting serve(EchoSetting setting);

    /** Returns the CPU time of its process until now. */
    ProcessTime time();

    /** Waits a few seconds at most until its compilers are idle. */
    void awaitQuiet();

    /** Closes all its connections and servers. */
    void stop();
}
