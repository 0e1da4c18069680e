// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.RdmaAddress;
import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.RdmaCgroup;
import io.github.rdma4j.verbs.Shell;
import io.github.rdma4j.verbs.TestLink;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One failure has one cause, whichever entrance reports it. */
@Tag("device")
@Tag("changes-machine")
@Timeout(600)
class CausesDeviceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final int PORT = 7777;
    private static final String[] CONNECTING = {
        "rdma_cm", "endpoint RDMA", "endpoint TCP", "endpoint RDMA_OR_TCP", "endpoint RDMA_WITH_FAILOVER", "netty"
    };

    private final Device device = Device.list().getFirst();
    private final String address = RdmaAddress.of(device);

    private static void requireAtEach(Map<String, String> texts, String cause, String... entrances) {
        for (String entrance : entrances) {
            assertThat(texts.get(entrance)).as(entrance).contains(cause);
        }
    }

    /** Runs {@link Entrances} in a JVM of its own: libibverbs and librdmacm look for drivers and devices once. */
    private List<String> child(String shell) throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return Shell.run(shell.formatted(
                        "%s -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -cp %s %s %s %d %s %d"
                                .formatted(
                                        java,
                                        System.getProperty("java.class.path"),
                                        Entrances.class.getName(),
                                        address,
                                        PORT,
                                        device.name(),
                                        PATIENCE.toMillis())))
                .lines()
                .toList();
    }

    private static void requireAtEach(List<String> lines, List<String> causes, String... entrances) {
        for (String entrance : entrances) {
            assertThat(lines.stream().filter(line -> line.startsWith(entrance + ": ")))
                    .as(entrance)
                    .first()
                    .asString()
                    .contains(causes)
                    .doesNotContain("has no RDMA device");
        }
    }

    @Test
    void missingDriverIsNamedAtEachEntrance() throws Exception {
        requireAtEach(
                child("folder=$(mktemp -d) && unshare -m sh -c \"mount --bind $folder /etc/libibverbs.d && %s\""),
                List.of("libibverbs has no user-space driver for it", "ibverbs-providers"),
                "verbs",
                "rdma_cm",
                "endpoint RDMA",
                "endpoint RDMA_OR_TCP",
                "netty",
                "tool",
                "tool -R");
    }

    @Test
    void limitOfTheControlGroupIsNamedAtEachEntrance() throws Exception {
        try (RdmaCgroup group = new RdmaCgroup("hca_handle=0")) {
            requireAtEach(
                    child(group.enter() + " && exec %s"),
                    List.of("EAGAIN", "ompare rdma.max with rdma.current of the control group"),
                    "verbs",
                    "rdma_cm",
                    "endpoint RDMA",
                    "endpoint RDMA_OR_TCP",
                    "netty",
                    "tool",
                    "tool -R",
                    "doctor");
        }
    }

    @Test
    void ownInterfaceThatIsDownIsNamedAtEachEntrance() throws Exception {
        TestLink link = new TestLink(device);
        InetSocketAddress peer = neighbour();
        Map<String, String> texts;
        link.down();
        try {
            texts = Entrances.report(peer, device.name(), PATIENCE);
        } finally {
            link.up();
        }
        requireAtEach(texts, "the network interface %s of this host".formatted(link.networkInterface()), CONNECTING);
        requireAtEach(texts, "port 1 of %s is DOWN".formatted(device.name()), "tool");
        requireAtEach(texts, "is down", "tool -R");
        requireAtEach(texts, link.networkInterface() + " is switched off", "doctor");
    }

    private InetSocketAddress neighbour() throws Exception {
        byte[] bytes = InetAddress.ofLiteral(address).getAddress();
        bytes[3] = (byte) (bytes[3] ^ 0x50);
        return new InetSocketAddress(InetAddress.getByAddress(bytes), PORT);
    }

    @Test
    void routeThatRefusesIsNamedAtEachEntrance() throws Exception {
        for (String type : new String[] {"unreachable", "blackhole", "prohibit"}) {
            Map<String, String> texts;
            Shell.run("ip route add " + type + " 198.51.100.0/24");
            try {
                texts = Entrances.report(
                        new InetSocketAddress(InetAddress.ofLiteral("198.51.100.7"), PORT), device.name(), PATIENCE);
            } finally {
                Shell.run("ip route del " + type + " 198.51.100.0/24");
            }
            requireAtEach(texts, "this host has no route to 198.51.100.7", CONNECTING);
            requireAtEach(texts, "this host has no route to 198.51.100.7", "tool -R");
            requireAtEach(texts, "ip route get 198.51.100.7", "tool", "doctor --peer");
        }
    }

    @Test
    void serverThatNeverAcceptsIsNamedBeforeFirewalls() throws Exception {
        try (SynchronousId server = SynchronousId.create(PortSpace.TCP)) {
            server.listen(new InetSocketAddress(address, 0), 8);
            Map<String, String> texts =
                    Entrances.report(server.id().localAddress().orElseThrow(), device.name(), PATIENCE);
            requireAtEach(texts, "that the server's program accepts clients", "rdma_cm", "endpoint RDMA", "tool -R");
        }
    }
}
