// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.pair.Failure;
import io.github.rdma4j.perftest.doctor.pair.PeerPort;
import io.github.rdma4j.perftest.doctor.pair.PortPair;
import io.github.rdma4j.perftest.doctor.pair.Transport;
import io.github.rdma4j.perftest.doctor.peer.Remote.Answer;
import io.github.rdma4j.perftest.talk.Fields;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.CmEventType;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.device.Mtu;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/** Connects the two ends: by rdma_cm, step by step, and without it. */
final class Connections {
    private final Remote remote;
    private final PortPair ports;
    private final DeviceContext context;
    private final InetAddress hostAddress;
    private final boolean chosen;

    /**
     * Creates an object without connections.
     *
     * @param context this end's device
     * @param hostAddress the TCP address of the other end
     * @param chosen whether rdma_cm must use this end's port instead of the port from the routing table
     */
    Connections(Remote remote, PortPair ports, DeviceContext context, InetAddress hostAddress, boolean chosen) {
        this.remote = remote;
        this.ports = ports;
        this.context = context;
        this.hostAddress = hostAddress;
        this.chosen = chosen;
    }

    /** Connects by rdma_cm; what keeps it from that is a finding. */
    Optional<Connection> byCm(Findings findings) {
        InetAddress address = ports.addressForConnections(hostAddress);
        if (hostAddress.isLoopbackAddress() && address.equals(hostAddress)) {
            findings.fail(
                    Check.CM_ADDRESS,
                    "",
                    "the address",
                    address.getHostAddress() + " is a loopback address",
                    "no RDMA device has it, so rdma_cm cannot connect to it",
                    "give --peer an address of an interface that rdma link shows");
            return Optional.empty();
        }
        Answer listening = remote.order(Order.CM_LISTEN);
        if (!listening.isGood()) {
            findings.failedThere(Check.CM_ADDRESS, findings.host(), listening.failure(), ports.mtu());
            return Optional.empty();
        }
        InetSocketAddress destination =
                new InetSocketAddress(address, listening.fields().integer("port", 1, 65535));
        SynchronousId id;
        try {
            id = SynchronousId.create(PortSpace.TCP);
        } catch (VerbsException failure) {
            findings.failedHere(Check.CM_ADDRESS, "here", Failures.of(failure), ports.mtu());
            return Optional.empty();
        }
        return resolve(id, destination, findings) ? connect(id, findings) : closed(id);
    }

    private static Optional<Connection> closed(SynchronousId id) {
        id.close();
        return Optional.empty();
    }

    private boolean resolve(SynchronousId id, InetSocketAddress destination, Findings findings) {
        String address = destination.getAddress().getHostAddress();
        try {
            Optional<InetSocketAddress> source = source(destination);
            if (source.isPresent()) {
                id.id()
                        .resolveAddress(
                                source.get(), destination, remote.limits().step());
            } else {
                id.id().resolveAddress(destination, remote.limits().step());
            }
            id.await(CmEventType.ADDR_RESOLVED, remote.limits().step());
        } catch (VerbsException failure) {
            findings.failedHere(Check.CM_ADDRESS, address, Failures.of(failure, CmEventType.ADDR_ERROR), ports.mtu());
            return false;
        }
        String device =
                id.id().device().orElseThrow().device().name() + "/" + id.id().port();
        resolved(destination.getAddress(), device, findings);
        try {
            id.id().resolveRoute(remote.limits().step());
            id.await(CmEventType.ROUTE_RESOLVED, remote.limits().step());
            findings.ok(Check.CM_ROUTE, address, "rdma_resolve_route", "there is a path from " + device);
            return true;
        } catch (VerbsException failure) {
            findings.failedHere(Check.CM_ROUTE, address, Failures.of(failure, CmEventType.ROUTE_ERROR), ports.mtu());
            return false;
        }
    }

    /** The routing table may choose another port than the one that is tested without rdma_cm. */
    private void resolved(InetAddress destination, String device, Findings findings) {
        String address = destination.getHostAddress();
        boolean anotherAddress = !destination.equals(hostAddress);
        boolean anotherPort = !device.equals(ports.here().name());
        if (!anotherAddress && !anotherPort) {
            findings.ok(Check.CM_ADDRESS, address, "rdma_resolve_addr", "reached from " + device);
            return;
        }
        findings.note(
                Check.CM_ADDRESS,
                "rdma_resolve_addr",
                (anotherAddress
                                ? hostAddress.getHostAddress() + " belongs to no tested RDMA port there; " + address
                                        + " of " + ports.there().name()
                                : address)
                        + " is reached from " + device
                        + (anotherPort ? ", not from " + ports.here().name() : ""),
                anotherAddress
                        ? "programs that connect by rdma_cm must use that address"
                        : "the routing table leads to another port than the tested one",
                anotherPort ? "ip route get " + address + " shows why" : "");
    }

    private Optional<InetSocketAddress> source(InetSocketAddress destination) {
        return chosen && ports.transport() == Transport.ROCE
                ? PeerPort.address(ports.here().gid())
                        .filter(address ->
                                address.getClass() == destination.getAddress().getClass())
                        .map(address -> new InetSocketAddress(address, 0))
                : Optional.empty();
    }

    private Optional<Connection> connect(SynchronousId id, Findings findings) {
        WireEnd end;
        try {
            end = WireEnd.of(id);
        } catch (VerbsException failure) {
            findings.failedHere(Check.CM_CONNECTION, "here", Failures.of(failure), ports.mtu());
            return Optional.empty();
        }
        remote.begin(Order.CM_ACCEPT, WireValues.memory(new Fields(), end.memory()));
        Optional<Failure> mine = Optional.empty();
        try {
            id.connect(
                    config -> config.retryCount(WireEnd.RETRIES).rnrRetryCount(WireEnd.RETRIES),
                    remote.limits().step());
        } catch (VerbsException failure) {
            mine = Optional.of(Failures.of(failure, CmEventType.UNREACHABLE));
        }
        try {
            Answer answer = remote.answer();
            if (mine.isPresent()) {
                findings.failedHere(Check.CM_CONNECTION, findings.there(), mine.get(), ports.mtu());
            } else if (!answer.isGood()) {
                findings.failedThere(Check.CM_CONNECTION, findings.there(), answer.failure(), ports.mtu());
            } else {
                return Optional.of(new Connection(remote, end, answer, ports.mtu()));
            }
        } catch (RuntimeException | Error failure) {
            end.close();
            throw failure;
        }
        end.close();
        return Optional.empty();
    }

    /**
     * Connects by queue pair numbers and GIDs, on EFA by address handles; what keeps it from that is a finding.
     *
     * @param check that it is for
     * @param mtu the path MTU in bytes
     */
    Optional<Connection> byHand(Check check, int mtu, Findings findings) {
        WireEnd end;
        try {
            end = WireEnd.prepare(context, ports.here());
        } catch (VerbsException failure) {
            findings.failedHere(check, "here", Failures.of(failure), mtu);
            return Optional.empty();
        }
        try {
            Answer answer = remote.order(
                    Order.CONNECT,
                    WireValues.memory(WireValues.endpoint(end.endpoint()), end.memory())
                            .with("mtu", mtu));
            if (answer.isGood()) {
                end.connect(WireValues.endpoint(answer.fields()), Mtu.ofBytes(mtu));
                return Optional.of(new Connection(remote, end, answer, mtu));
            }
            findings.failedThere(check, findings.host(), answer.failure(), mtu);
        } catch (VerbsException failure) {
            findings.failedHere(check, "here", Failures.of(failure), mtu);
        } catch (RuntimeException | Error failure) {
            end.close();
            throw failure;
        }
        end.close();
        return Optional.empty();
    }
}
