// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.peer;

import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.result.Metric;
import io.github.rdma4j.perftest.compare.result.ServerMachine;
import io.github.rdma4j.perftest.compare.runner.ServerEnd;
import io.github.rdma4j.perftest.talk.BadMessageException;
import java.net.InetAddress;
import java.util.Map;

/** This machine, prepared to run the servers of one comparison. Closing this ends them. */
public interface ServedMachine extends AutoCloseable {
    /** Prepares this machine. */
    interface Preparation {
        /**
         * Prepares the machine.
         *
         * @param request the tools that are needed
         * @param address the address of this machine to which the other one has connected
         * @throws io.github.rdma4j.perftest.exit.PerftestException when something is missing
         * @throws io.github.rdma4j.verbs.VerbsException when there is no such device
         */
        ServedMachine prepare(Request request, InetAddress address);
    }

    /** Returns the description of this machine that the other one receives. */
    ServerMachine describe();

    /** Returns its servers. */
    ServerEnd servers();

    /** Returns the order with this machine's own device instead of the device in the order. */
    default RunOrder here(RunOrder order) {
        return order.at(
                describe().environment().device(),
                describe().environment().devicePort(),
                describe().environment().gidIndex());
    }

    /**
     * Runs the client of a server on another host.
     *
     * @param host the server's address
     */
    default Map<Metric, Double> measure(RunOrder order, String host) {
        throw new BadMessageException("the other end asks this machine, which only runs servers, to run a client");
    }

    /** Returns the counters of the port that show loss, by name. */
    default Map<String, Long> counters() {
        return Map.of();
    }

    /** Stops its servers, even if another thread waits for one of them. A second call has no effect. */
    @Override
    void close();
}
