// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import static io.github.rdma4j.verbs.cm.CmTestNet.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.rdma4j.verbs.ChildJvm;
import io.github.rdma4j.verbs.ModifyQueuePairException;
import io.github.rdma4j.verbs.QueuePairState;
import io.github.rdma4j.verbs.SharedReceiveQueue;
import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.VerbsException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the exceptions of calls that come too late, twice, or with nothing to do. None waits in vain. */
@Tag("device")
class ConnectionOrderDeviceTest {
    private static final InetSocketAddress HERE = CmTestNet.ipv4();
    private static final InetSocketAddress GROUP = new InetSocketAddress("239.7.4.72", 0);
    /** Of a call that must not wait until it is over. */
    private static final Duration LONG = Duration.ofHours(1);

    private final SynchronousId listening = SynchronousId.create(PortSpace.TCP);
    private final SynchronousId client = SynchronousId.create(PortSpace.TCP);
    private final SynchronousId datagrams = SynchronousId.create(PortSpace.UDP);

    @AfterEach
    void close() {
        datagrams.close();
        client.close();
        listening.close();
    }

    private SynchronousId request() {
        listening.listen(HERE, 1);
        client.resolve(listening.id().localAddress().orElseThrow(), PATIENCE);
        client.id().connect(config -> config.queuePairNumber(CmTestNet.nextNumber()));
        return listening.getRequest(PATIENCE).orElseThrow();
    }

    /** The kernel already has the peer's disconnect, but reports no event for a request that was not accepted. */
    @Test
    void requestThatItsPeerHasGivenUpIsAConnectionFailure() throws Exception {
        try (SynchronousId request = request();
                CmEnd end = CmEnd.of(request.id())) {
            client.close();
            awaitEnd(request);
            expectGivenUp(() -> request.accept(config -> {}, PATIENCE));
            end.queuePair.close();
            expectGivenUp(() -> request.id().createQueuePair(end.domain, config -> config.completionQueue(end.queue)));
        }
    }

    @Test
    void suchARequestIsNotAcceptedForAQueuePairOfTheProgramEither() throws Exception {
        try (SynchronousId request = request()) {
            client.close();
            awaitEnd(request);
            expectGivenUp(() -> request.accept(config -> config.queuePairNumber(CmTestNet.nextNumber()), PATIENCE));
        }
    }

    /** Until the kernel has no attributes for its queue pair any more. */
    private static void awaitEnd(SynchronousId request) throws InterruptedException {
        long start = System.nanoTime();
        while (System.nanoTime() - start < PATIENCE.toNanos()) {
            try {
                request.id().queuePairAttributes(QueuePairState.INIT);
            } catch (ConnectionException e) {
                return;
            }
            Thread.sleep(1);
        }
        throw new AssertionError("the request is there still");
    }

    private static void expectGivenUp(ThrowingCallable use) {
        ConnectionException failure = catchThrowableOfType(ConnectionException.class, use);
        assertThat(failure).hasMessageContaining("the peer has given up its request");
        assertThat(failure.remedy()).isEqualTo("close this id, and wait for the next request");
        assertThat(failure.event()).isNull();
    }

    /** The kernel answers such an id with what INIT needs. */
    @Test
    void modifyBeforeConnectNamesTheMissingStep() {
        listening.listen(HERE, 1);
        client.resolve(listening.id().localAddress().orElseThrow(), PATIENCE);
        try (CmEnd end = CmEnd.of(client.id())) {
            assertThatThrownBy(() -> end.queuePair.modify(client.id().queuePairAttributes(QueuePairState.RTR)))
                    .isInstanceOf(ModifyQueuePairException.class)
                    .hasMessageContaining("DEST_QPN");
        }
    }

    @Test
    void requestIsAcceptedOnce() {
        try (SynchronousId request = request();
                CmEnd end = CmEnd.of(request.id())) {
            request.id().accept(config -> {});
            assertThatThrownBy(() -> request.accept(config -> {}, PATIENCE))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("rdma_accept(")
                    .hasMessageContaining("it needs a request that was not answered yet");
            assertThat(end.queuePair.state()).isEqualTo(QueuePairState.RTS);
        }
    }

    @Test
    void requestThatWasRejectedIsNotAccepted() {
        try (SynchronousId request = request();
                CmEnd ignored = CmEnd.of(request.id())) {
            request.id().reject();
            assertThatThrownBy(() -> request.id().accept(config -> {}))
                    .hasMessageContaining("rdma_accept(")
                    .hasMessageContaining("it needs a request that was not answered yet");
        }
    }

    /** The peer gets the same information as for a queue pair that librdmacm creates. */
    @Test
    void peerIsNotifiedOfASharedReceiveQueue() {
        listening.listen(HERE, 1);
        client.resolve(listening.id().localAddress().orElseThrow(), PATIENCE);
        try (CmEnd end = new CmEnd(client.id().device().orElseThrow())) {
            SharedReceiveQueue shared = end.domain.createSharedReceiveQueue(config -> config.maxWorkRequests(4));
            client.id()
                    .createQueuePair(
                            end.domain,
                            config -> config.completionQueue(end.queue).sharedReceiveQueue(shared));
            client.id().connect(config -> {});
            try (SynchronousId request = listening.getRequest(PATIENCE).orElseThrow();
                    CmEnd ignored = CmEnd.of(request.id())) {
                assertThat(parameters(request.request().orElseThrow()).sharedReceiveQueue())
                        .isTrue();
                request.id().accept(config -> {});
                assertThat(parameters(client.await(CmEventType.ESTABLISHED, PATIENCE))
                                .sharedReceiveQueue())
                        .isFalse();
            }
        }
    }

    private static ConnectionParameters parameters(CmEvent event) {
        return event.connectionParameters().orElseThrow();
    }

    @Test
    void communicationThatIsEstablishedAlreadyIsNoFailure() {
        try (SynchronousId request = request();
                CmEnd ignored = CmEnd.of(request.id())) {
            request.id().accept(config -> {});
            request.id().notifyCommunicationEstablished();
            request.await(CmEventType.ESTABLISHED, PATIENCE);
            request.id().notifyCommunicationEstablished();
        }
    }

    @Test
    void datagramsAreDisconnectedAtOnce() {
        try (SynchronousId server = SynchronousId.create(PortSpace.UDP)) {
            server.listen(HERE, 1);
            datagrams.resolve(server.id().localAddress().orElseThrow(), PATIENCE);
            datagrams.id().connect(config -> config.queuePairNumber(CmTestNet.nextNumber()));
            datagrams.disconnect(LONG);
        }
    }

    @Test
    void secondListenIsRefused() {
        listening.listen(HERE, 1);
        assertThatThrownBy(() -> listening.id().listen(1)).hasMessageContaining("an id that does not listen yet");
    }

    @Test
    void linkLocalAddressOfThisHostNeedsNoInterface() throws Exception {
        InetSocketAddress local = withoutInterface(CmTestNet.linkLocal());
        listening.listen(local, 1);
        client.resolve(local, CmTestNet.linkLocal(), PATIENCE);
    }

    private static InetSocketAddress withoutInterface(InetSocketAddress address) throws UnknownHostException {
        return new InetSocketAddress(
                Inet6Address.getByAddress(null, address.getAddress().getAddress(), -1), address.getPort());
    }

    /** Runs in a process without the right to low ports. */
    static final class LowPort {
        public static void main(String[] arguments) {
            try (SynchronousId id = SynchronousId.create(PortSpace.TCP)) {
                id.listen(CmTestNet.withPort(CmTestNet.ipv4(), 80), 1);
                System.out.println("bound");
            } catch (VerbsException e) {
                System.out.println(e.errnoName() + ": " + e.remedy());
            }
        }
    }

    @Test
    void lowPortNeedsARightOfItsOwn() throws Exception {
        List<String> command = new ArrayList<>(List.of("setpriv", "--bounding-set=-net_bind_service"));
        command.addAll(ChildJvm.command(LowPort.class.getName(), List.of()));
        assertThat(ChildJvm.run(command))
                .containsExactly("EACCES: use a port of 1024 or above, or 0 for a free port; or give the process"
                        + " CAP_NET_BIND_SERVICE");
    }

    @Test
    void datagramsOfIpOverInfiniBandNeedSuchAnInterface() {
        try (SynchronousId id = SynchronousId.create(PortSpace.IPOIB)) {
            assertThatThrownBy(() -> id.id().bind(HERE)).hasMessageContaining("an IP-over-InfiniBand interface");
        }
    }

    @Test
    void groupIsLeftByTheAddressOfTheJoin() {
        datagrams.id().bind(HERE);
        datagrams.joinMulticast(GROUP, MulticastMembership.FULL_MEMBER, PATIENCE);
        VerbsException failure = catchThrowableOfType(
                VerbsException.class, () -> datagrams.id().leaveMulticast(CmTestNet.withPort(GROUP, 7)));
        assertThat(failure).hasMessageContaining("this id has not joined that group");
        assertThat(failure.remedy()).isEqualTo("give address and port as to the join");
        datagrams.id().leaveMulticast(GROUP);
    }

    /** As a program may do that wants a source for what it sends to the group. */
    @Test
    void resolvedRouteJoinsNoGroup() {
        datagrams.resolve(CmTestNet.withPort(HERE, 0), GROUP, PATIENCE);
        VerbsException failure = catchThrowableOfType(
                VerbsException.class, () -> datagrams.joinMulticast(GROUP, MulticastMembership.FULL_MEMBER, PATIENCE));
        assertThat(failure)
                .hasMessageContaining("bound to a device by bind or resolveAddress")
                .hasMessageContaining("whose route is not resolved");
    }

    @Test
    void resolvedAddressJoinsAGroup() {
        datagrams.id().resolveAddress(CmTestNet.withPort(HERE, 0), GROUP, PATIENCE);
        datagrams.await(CmEventType.ADDR_RESOLVED, PATIENCE);
        datagrams.joinMulticast(GROUP, MulticastMembership.FULL_MEMBER, PATIENCE);
    }

    /** Of any adapter: the kernel asks for no MLD. */
    @Test
    void ipv6GroupOverRoceV2HasARemedy() {
        InetSocketAddress group = new InetSocketAddress(InetAddress.ofLiteral("ff0e::7:4:71"), 0);
        datagrams.id().bind(CmTestNet.linkLocal());
        for (MulticastMembership membership : MulticastMembership.values()) {
            UnsupportedVerbException failure = catchThrowableOfType(
                    UnsupportedVerbException.class, () -> datagrams.joinMulticast(group, membership, PATIENCE));
            assertThat(failure).hasMessageContaining("the kernel joins no IPv6 group over RoCE v2");
            assertThat(failure.remedy()).isEqualTo("join an IPv4 group, from an IPv4 address of the device");
        }
        assertThatThrownBy(() -> datagrams.id().joinMulticast(group)).isInstanceOf(UnsupportedVerbException.class);
    }

    @Test
    void refusedAttachHasARemedy() {
        datagrams.id().bind(HERE);
        try (CmEnd end = CmEnd.of(datagrams.id())) {
            InetSocketAddress noGroup = CmTestNet.withPort(HERE, 0);
            datagrams.joinMulticast(GROUP, MulticastMembership.FULL_MEMBER, PATIENCE);
            for (InetSocketAddress group : new InetSocketAddress[] {noGroup, GROUP}) {
                ConnectionException failure = catchThrowableOfType(
                        ConnectionException.class,
                        () -> datagrams.joinMulticast(group, MulticastMembership.FULL_MEMBER, PATIENCE));
                assertThat(failure.remedy()).isEqualTo("join a multicast address, and each once until it is left");
                assertThat(failure.getCause().getSuppressed()).isEmpty();
            }
            assertThat(end.queuePair.isOpen()).isTrue();
            assertThatThrownBy(() -> datagrams.id().leaveMulticast(noGroup))
                    .as("it was left again")
                    .hasMessageContaining("this id has not joined that group");
            datagrams.id().leaveMulticast(GROUP);
            assertThatThrownBy(() -> datagrams.id().leaveMulticast(GROUP))
                    .as("the join that could not be attached is not one more")
                    .hasMessageContaining("this id has not joined that group");
        }
    }
}
