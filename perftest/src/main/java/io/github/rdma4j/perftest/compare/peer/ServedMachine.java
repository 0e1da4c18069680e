// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.peer;

import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.result.ServerMachine;
import io.github.rdma4j.perftest.compare.runner.ServerEnd;
import java.net.InetAddress;

/** This machine, made ready to have the servers of one comparison. Closing ends them. */
public interface ServedMachine extends AutoCloseable {
    /** Makes it ready. */
    interface Preparation {
        /**
         * Makes it ready.
         *
         * @param request what is needed
         * @param address of this machine, by which the other one has reached it
         * @throws io.github.rdma4j.perftest.exit.PerftestException when something is missing
         * @throws io.github.rdma4j.verbs.VerbsException when there is no such device
         */
        ServedMachine prepare(Request request, InetAddress address);
    }

    /** What the other machine is told of it. */
    ServerMachine describe();

    /** Its servers. */
    ServerEnd servers();

    /** The order with this machine's own device, whatever it named. */
    default RunOrder here(RunOrder order) {
        return order.at(
                describe().environment().device(),
                describe().environment().devicePort(),
                describe().environment().gidIndex());
    }

    /** Ends its servers, also while another thread waits for one of them; again, it does nothing. */
    @Override
    void close();
}
