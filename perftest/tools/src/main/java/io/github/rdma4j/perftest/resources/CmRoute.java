// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.RunFailedException;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.wire.MeetingPoint;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.CmEventType;
import io.github.rdma4j.verbs.cm.ConnectionException;
import io.github.rdma4j.verbs.cm.ConnectionId;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Which device rdma_cm uses for the addresses of a test: with -R the queue pairs must be on that one.
 *
 * @param device its name
 * @param port of the device, from 1
 * @param addresses that decide, for messages
 */
record CmRoute(String device, int port, String addresses) {
    static final String REMEDY =
            "give -d the device whose address is used, or use an address of the device ('rdma link'"
                    + " shows which network interface each device has)";

    /**
     * Returns the route to the server, or the address to listen on; empty without -R, and if a server listens on all
     * addresses.
     */
    static Optional<CmRoute> of(RunParameters parameters) {
        MeetingPoint where = parameters.peer().meetingPoint();
        if (!parameters.peer().rdmaCm() || parameters.isServer() && where.source() == null) {
            return Optional.empty();
        }
        if (parameters.isServer()) {
            try (SynchronousId probe = SynchronousId.create(PortSpace.TCP)) {
                InetSocketAddress address = where.listeningAddress();
                // Binds to any port, because the conversation already listens on the test's own port.
                probe.id().bind(new InetSocketAddress(address.getAddress(), 0));
                return Optional.of(of(probe.id(), where.source()));
            } catch (VerbsException failure) {
                throw unknown(failure);
            }
        }
        VerbsException last = null;
        for (InetAddress destination : where.addresses()) {
            try {
                return Optional.of(to(destination, where, parameters));
            } catch (VerbsException failure) {
                last = failure;
            }
        }
        throw unknown(last);
    }

    private static CmRoute to(InetAddress destination, MeetingPoint where, RunParameters parameters) {
        InetSocketAddress server = new InetSocketAddress(destination, where.port());
        try (SynchronousId probe = SynchronousId.create(PortSpace.TCP)) {
            if (where.source() == null) {
                probe.resolve(server, parameters.peer().timeout());
            } else {
                probe.resolve(
                        where.source(destination), server, parameters.peer().timeout());
            }
            return of(probe.id(), where.name());
        }
    }

    private static RunFailedException unknown(VerbsException failure) {
        boolean noRoute = failure instanceof ConnectionException step && step.event() == CmEventType.ROUTE_ERROR;
        String missing = noRoute ? "finds no route" : "has no device";
        return new RunFailedException("rdma_cm %s for the test: %s".formatted(missing, failure.getMessage()), "");
    }

    static CmRoute of(ConnectionId id, String addresses) {
        return new CmRoute(
                id.device()
                        .orElseThrow(() -> new RunFailedException(addresses + " belongs to no RDMA device", REMEDY))
                        .device()
                        .name(),
                id.port(),
                addresses);
    }

    /** Refuses another device than the opened one. */
    void requireOn(String opened, int openedPort) {
        if (!device.equals(opened)) {
            throw elsewhere("-d/--ib-dev: " + opened, device);
        }
        if (port != openedPort) {
            throw elsewhere("-i/--ib-port: " + openedPort, Integer.toString(port));
        }
    }

    private IllegalParameterException elsewhere(String given, String right) {
        return new IllegalParameterException(
                given + " is not where rdma_cm (-R) goes for " + addresses + "; that is " + right);
    }
}
