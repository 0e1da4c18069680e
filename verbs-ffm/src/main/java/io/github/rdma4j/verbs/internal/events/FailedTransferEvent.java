// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The completion that an adapter has ended a connection with. Those that were only flushed after it are left out. */
@Name("rdma4j.FailedTransfer")
@Label("Failed Transfer")
@Category("rdma4j")
@Description("A transfer of an endpoint has failed, and its connection with it")
@StackTrace(false)
public final class FailedTransferEvent extends Event {
    @Label("Endpoint")
    @Description("Both addresses")
    private String endpoint;

    @Label("Status")
    @Description("The constant of ibv_poll_cq(3) without its prefix")
    private String status;

    @Label("Explanation")
    private String explanation;

    private FailedTransferEvent() {}

    /**
     * A transfer has failed.
     *
     * @param endpoint both addresses
     * @param status of the completion
     * @param explanation of the status, with cause and remedy
     */
    public static void failed(Object endpoint, Object status, String explanation) {
        FailedTransferEvent event = new FailedTransferEvent();
        if (event.shouldCommit()) {
            event.endpoint = endpoint.toString();
            event.status = status.toString();
            event.explanation = explanation;
            event.commit();
        }
    }
}
