// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.rdma4j.verbs.ChildJvm;
import io.github.rdma4j.verbs.VerbsException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Security;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The addresses that servers and clients take: as sockets take them. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AddressesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Of attempts that fail at once. */
    private static final Duration SHORT = Duration.ofMillis(200);

    /** The loopback addresses of this JVM's families, and its link-local ones with their interfaces. */
    private static List<InetAddress> ownAddresses() throws SocketException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> address.isLoopbackAddress() || address.isLinkLocalAddress())
                .toList();
    }

    private static EndpointServer bind(InetAddress address, int port, Transport transport) {
        return EndpointServer.bind(new InetSocketAddress(address, port), config -> config.transport(transport));
    }

    private static List<InetAddress> loopbacks() throws SocketException {
        return ownAddresses().stream().filter(InetAddress::isLoopbackAddress).toList();
    }

    /** The address of the client, as the server has it. */
    private static InetAddress connect(InetSocketAddress address, EndpointServer server, Transport transport) {
        CompletableFuture<Endpoint> accepted =
                CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
        try (Endpoint client = Endpoint.connect(address, config -> config.transport(transport), PATIENCE);
                Endpoint atServer = accepted.join()) {
            assertThat(atServer.peerAddress()).isEqualTo(client.localAddress());
            return client.peerAddress().orElseThrow().getAddress();
        }
    }

    @ParameterizedTest
    @EnumSource(value = Transport.class, mode = EnumSource.Mode.EXCLUDE, names = "RDMA")
    void wildcardAddressTakesEveryAddressOfThisMachine(Transport transport) throws Exception {
        for (InetAddress wildcard : List.of(new InetSocketAddress(0).getAddress(), InetAddress.ofLiteral("::"))) {
            try (EndpointServer server = bind(wildcard, 0, transport);
                    ServerSocketChannel channel = ServerSocketChannel.open().bind(new InetSocketAddress(0))) {
                InetAddress ofChannels = ((InetSocketAddress) channel.getLocalAddress()).getAddress();
                assertThat(server.address().getAddress()).isEqualTo(ofChannels);
                for (InetAddress address : ownAddresses()) {
                    InetSocketAddress to =
                            new InetSocketAddress(address, server.address().getPort());
                    assertThat(connect(to, server, transport)).isEqualTo(address);
                }
            }
        }
    }

    @Test
    void ownLinkLocalAddressNeedsNoInterface() throws Exception {
        for (InetAddress address : ownAddresses()) {
            if (address.isLinkLocalAddress() && address instanceof Inet6Address) {
                InetAddress unscoped = InetAddress.getByAddress(address.getAddress());
                try (EndpointServer server = bind(unscoped, 0, Transport.TCP)) {
                    int port = server.address().getPort();
                    connect(new InetSocketAddress(unscoped, port), server, Transport.TCP);
                }
            }
        }
    }

    @Test
    void interfaceThatThisMachineLacksIsNamed() {
        InetSocketAddress server = InetSocketAddress.createUnresolved("fe80::1%nope", 7471);
        assertThatThrownBy(() -> Endpoint.connect(server, config -> config.transport(Transport.TCP), PATIENCE))
                .isInstanceOf(EndpointException.class)
                .hasMessageContaining("connecting to fe80::1%nope:7471 failed: no such interface nope. ")
                .hasMessageContaining("ip link");
    }

    @Test
    void clientFromTheWildcardAddressReachesBothFamilies() throws Exception {
        try (EndpointServer server = bind(new InetSocketAddress(0).getAddress(), 0, Transport.TCP)) {
            for (InetAddress host : loopbacks()) {
                for (String wildcard : List.of("0.0.0.0", "::")) {
                    CompletableFuture<Endpoint> accepted = CompletableFuture.supplyAsync(
                            () -> server.accept(PATIENCE).orElseThrow());
                    try (Endpoint client = Endpoint.connect(
                                    new InetSocketAddress(host, server.address().getPort()),
                                    config -> config.transport(Transport.TCP)
                                            .localAddress(new InetSocketAddress(wildcard, 0)),
                                    PATIENCE);
                            Endpoint atServer = accepted.join()) {
                        assertThat(client.isConnected()).isTrue();
                        assertThat(atServer.isConnected()).isTrue();
                    }
                }
            }
        }
    }

    @Test
    void wildcardAddressTakesIpv4WhereTheJvmHasNoIpv6() throws Exception {
        List<String> lines = ChildJvm.run(Ipv4Only.class, "-Djava.net.preferIPv4Stack=true");
        assertThat(lines).containsExactly("0.0.0.0", "0.0.0.0");
    }

    /** Prints the address that a server has, bound to either wildcard address. */
    static final class Ipv4Only {
        public static void main(String... arguments) throws Exception {
            for (byte[] wildcard : List.of(new byte[4], new byte[16])) {
                try (EndpointServer server = bind(InetAddress.getByAddress(wildcard), 0, Transport.TCP)) {
                    System.out.println(server.address().getAddress().getHostAddress());
                    InetSocketAddress there =
                            new InetSocketAddress("127.0.0.1", server.address().getPort());
                    assertThat(connect(there, server, Transport.TCP)).isInstanceOf(Inet4Address.class);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Names.class)
    void namesAreLookedUpForEachAttempt(Names program, @TempDir Path folder) throws Exception {
        Path hosts = Files.createFile(folder.resolve("hosts"));
        List<String> lines = ChildJvm.run(Stream.concat(
                        ChildJvm.command(NameProgram.class.getName(), List.of("-Djdk.net.hosts.file=" + hosts))
                                .stream(),
                        Stream.of(program.name(), hosts.toString()))
                .toList());
        assertThat(lines).containsExactly("done");
    }

    /** The steps of a program, in a JVM whose host names come from a file. */
    enum Names {
        MOVED_SERVER_IS_FOUND {
            @Override
            void play(Path hosts) throws Exception {
                for (InetSocketAddress name : List.of(unresolved("srv", 0), resolved(hosts, "srv", "127.0.0.1"))) {
                    hosts(hosts, "127.0.0.1 srv");
                    EndpointServer first = bind(InetAddress.ofLiteral("127.0.0.1"), 0, Transport.TCP);
                    int port = first.address().getPort();
                    InetSocketAddress address = name.isUnresolved()
                            ? unresolved("srv", port)
                            : new InetSocketAddress(name.getAddress(), port);
                    try (Reconnector reconnector = open(address, Transport.TCP)) {
                        assertThat(peer(reconnector, first).getHostAddress()).isEqualTo("127.0.0.1");
                        first.close();
                        reconnector.endpoint(PATIENCE).abort();
                        hosts(hosts, "127.0.0.9 srv");
                        try (EndpointServer second = bind(InetAddress.ofLiteral("127.0.0.9"), port, Transport.TCP)) {
                            assertThat(peer(reconnector, second).getHostAddress())
                                    .isEqualTo("127.0.0.9");
                        }
                    }
                }
            }
        },
        NUMBER_IS_KEPT {
            @Override
            void play(Path hosts) throws Exception {
                hosts(hosts, "127.0.0.9 srv");
                try (EndpointServer server = bind(InetAddress.ofLiteral("127.0.0.1"), 0, Transport.TCP)) {
                    int port = server.address().getPort();
                    try (Reconnector reconnector = open(new InetSocketAddress("127.0.0.1", port), Transport.TCP)) {
                        assertThat(peer(reconnector, server).getHostAddress()).isEqualTo("127.0.0.1");
                    }
                }
            }
        },
        NAME_THAT_IS_GONE_KEEPS_ITS_ADDRESS {
            @Override
            void play(Path hosts) throws Exception {
                InetAddress labelled = InetAddress.getByAddress("srv", new byte[] {127, 0, 0, 1});
                try (EndpointServer server = bind(labelled, 0, Transport.TCP);
                        Reconnector reconnector = open(
                                new InetSocketAddress(labelled, server.address().getPort()), Transport.TCP)) {
                    assertThat(peer(reconnector, server).getHostAddress()).isEqualTo("127.0.0.1");
                }
            }
        },
        SEVERAL_ADDRESSES_ARE_TRIED_IN_TURN {
            @Override
            void play(Path hosts) throws Exception {
                hosts(hosts, "127.0.0.3 srv", "127.0.0.1 srv", "::1 srv");
                for (InetAddress host : loopbacks()) {
                    for (Transport transport : List.of(Transport.TCP, Transport.RDMA_WITH_FAILOVER)) {
                        try (EndpointServer server = bind(host, 0, transport)) {
                            int port = server.address().getPort();
                            assertThat(connect(unresolved("srv", port), server, transport))
                                    .isEqualTo(host);
                        }
                    }
                }
            }
        },
        FAILURES_OF_ALL_ADDRESSES_ARE_REPORTED {
            @Override
            void play(Path hosts) throws Exception {
                hosts(hosts, "127.0.0.3 srv", "127.0.0.4 srv");
                EndpointServer gone = bind(InetAddress.ofLiteral("::"), 0, Transport.TCP);
                gone.close();
                int port = gone.address().getPort();
                EndpointException failure = catchThrowableOfType(
                        EndpointException.class,
                        () -> Endpoint.connect(
                                unresolved("srv", port), config -> config.transport(Transport.TCP), PATIENCE));
                assertThat(failure)
                        .hasMessageContaining("none of its 2 addresses can be reached (connecting to")
                        .hasMessageContaining("127.0.0.3")
                        .hasMessageContaining("127.0.0.4")
                        .cause()
                        .isInstanceOf(VerbsException.class)
                        .hasMessageContaining("ECONNREFUSED");
                assertThat(failure.getSuppressed()).hasSize(1);
            }
        },
        UNKNOWN_NAME_IS_REPORTED_ALIKE_BY_EVERY_TRANSPORT {
            @Override
            void play(Path hosts) {
                List<String> messages = new ArrayList<>();
                for (Transport transport : Transport.values()) {
                    EndpointException failure = catchThrowableOfType(
                            EndpointException.class,
                            () -> Endpoint.connect(
                                    unresolved("srv", 7471), config -> config.transport(transport), PATIENCE));
                    assertThat(failure).hasCauseInstanceOf(UnknownHostException.class);
                    messages.add(failure.getMessage());
                    assertThatThrownBy(() ->
                                    EndpointServer.bind(unresolved("srv", 7471), config -> config.transport(transport)))
                            .isInstanceOf(EndpointException.class)
                            .hasMessageContaining("listening at srv:7471 failed: no address is known for the name srv")
                            .hasCauseInstanceOf(UnknownHostException.class);
                    try (Reconnector reconnector = open(unresolved("srv", 7471), transport)) {
                        assertThatThrownBy(() -> reconnector.endpoint(SHORT))
                                .isInstanceOf(EndpointException.class)
                                .hasMessageContaining("no address is known for the name srv")
                                .hasRootCauseInstanceOf(UnknownHostException.class);
                    }
                }
                assertThat(messages.stream().distinct().collect(Collectors.joining("\n")))
                        .isEqualTo(messages.getFirst())
                        .startsWith("connecting to srv:7471 failed: no address is known for the name srv.");
            }
        },
        NAME_THAT_BECOMES_KNOWN_IS_FOUND {
            @Override
            void play(Path hosts) throws Exception {
                try (EndpointServer server = bind(InetAddress.ofLiteral("127.0.0.1"), 0, Transport.TCP);
                        Reconnector reconnector =
                                open(unresolved("srv", server.address().getPort()), Transport.TCP)) {
                    assertThatThrownBy(() -> reconnector.endpoint(SHORT)).isInstanceOf(EndpointException.class);
                    hosts(hosts, "127.0.0.1 srv");
                    assertThat(peer(reconnector, server).getHostAddress()).isEqualTo("127.0.0.1");
                }
            }
        },
        NAME_OF_A_LOCAL_ADDRESS_IS_LOOKED_UP {
            @Override
            void play(Path hosts) throws Exception {
                hosts(hosts, "127.0.0.9 here", "127.0.0.1 srv", "::1 srv");
                try (EndpointServer server =
                        EndpointServer.bind(unresolved("srv", 0), config -> config.transport(Transport.TCP))) {
                    InetSocketAddress address =
                            unresolved("srv", server.address().getPort());
                    CompletableFuture<Endpoint> accepted = CompletableFuture.supplyAsync(
                            () -> server.accept(PATIENCE).orElseThrow());
                    try (Endpoint client = Endpoint.connect(
                                    address,
                                    config -> config.transport(Transport.TCP).localAddress(unresolved("here", 0)),
                                    PATIENCE);
                            Endpoint atServer = accepted.join()) {
                        assertThat(atServer.peerAddress().orElseThrow().getAddress())
                                .isEqualTo(InetAddress.ofLiteral("127.0.0.9"));
                        assertThat(client.isConnected()).isTrue();
                    }
                }
            }
        };

        abstract void play(Path hosts) throws Exception;

        static InetSocketAddress unresolved(String name, int port) {
            return InetSocketAddress.createUnresolved(name, port);
        }

        static InetSocketAddress resolved(Path hosts, String name, String address) throws Exception {
            hosts(hosts, address + " " + name);
            InetSocketAddress resolved = new InetSocketAddress(name, 0);
            assertThat(resolved.isUnresolved()).isFalse();
            return resolved;
        }

        static void hosts(Path file, String... lines) throws Exception {
            Files.write(file, List.of(lines));
        }

        static Reconnector open(InetSocketAddress address, Transport transport) {
            return Reconnector.open(
                    address, config -> config.transport(transport), retry -> retry.firstPause(Duration.ofMillis(1)));
        }

        static InetAddress peer(Reconnector reconnector, EndpointServer server) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
            Endpoint client = reconnector.endpoint(PATIENCE);
            accepted.join().abort();
            return client.peerAddress().orElseThrow().getAddress();
        }
    }

    /** Plays one of {@link Names}. */
    static final class NameProgram {
        public static void main(String... arguments) throws Exception {
            Security.setProperty("networkaddress.cache.ttl", "0");
            Security.setProperty("networkaddress.cache.negative.ttl", "0");
            Names.valueOf(arguments[0]).play(Path.of(arguments[1]));
            System.out.println("done");
        }
    }
}
