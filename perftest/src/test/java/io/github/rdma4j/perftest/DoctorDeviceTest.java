// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.TestLink;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.PortState;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs the doctor on real devices: in good order, with a link that is down, and without an address. */
@Tag("device")
class DoctorDeviceTest {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(90);

    private String device;
    private String networkInterface;
    private TestLink link;
    private String address;
    private List<GidEntry> gids;

    @BeforeEach
    void look() throws IOException {
        Device first = Device.list().getFirst();
        device = first.name();
        link = new TestLink(first);
        networkInterface = link.networkInterface();
        InterfaceAddress found = NetworkInterface.getByName(networkInterface).getInterfaceAddresses().stream()
                .filter(each -> each.getAddress() instanceof Inet4Address)
                .findFirst()
                .orElseThrow();
        address = found.getAddress().getHostAddress() + "/" + found.getNetworkPrefixLength();
        gids = gids();
    }

    /** The tests after this one need the GID table as it was. */
    @AfterEach
    void theTableIsAsItWas() throws InterruptedException {
        await(context -> context.gidTable(1).equals(gids));
    }

    private List<GidEntry> gids() {
        try (DeviceContext context = DeviceContext.open(device)) {
            return context.gidTable(1);
        }
    }

    private static void run(String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command.split(" ")).inheritIO().start();
        assertThat(process.waitFor()).as(command).isZero();
    }

    /** Each takes a second in an emulated guest: one for each state of the machine. */
    private static JsonNode doctor() throws IOException {
        return new ObjectMapper().readTree(Program.run("doctor --json").out());
    }

    private JsonNode finding(JsonNode document, String id) {
        for (JsonNode finding : document.get("findings")) {
            if (finding.get("id").asText().equals(id)
                    && finding.get("subject").asText().equals(device + "/1")) {
                return finding;
            }
        }
        throw new AssertionError("no " + id + " of " + device + "/1 in " + document);
    }

    private void await(Predicate<DeviceContext> condition) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE;
        try (DeviceContext context = DeviceContext.open(device)) {
            while (!condition.test(context)) {
                assertThat(System.nanoTime())
                        .as(context.port(1) + " " + context.gidTable(1))
                        .isLessThan(deadline);
                Thread.sleep(20);
            }
        }
    }

    @Test
    void healthyMachineIsOk() {
        CommandRun run = Program.run("doctor");
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .contains("Result: RDMA can be used", device + "/1")
                .containsPattern(" ok +libibverbs +rdma-core \\d+, /")
                .containsPattern(" ok +uverbs +uverbs0.* can be read and written\n")
                .containsPattern(" ok +rdma-cm +rdma_cm can be read and written\n")
                .containsPattern(" ok +port .*" + device + "/1.*: ACTIVE, LinkUp, Ethernet")
                .containsPattern(" ok +interface +" + device + "/1: " + networkInterface + " is up")
                .containsPattern(" ok +gid +" + device + "/1: use index \\d+, .*ffff.* \\(")
                .doesNotContain("FAIL");
        assertThat(run.status()).isLessThanOrEqualTo(1);
    }

    /** The entry that the page names is the one that the library takes. */
    @Test
    void gidIsTheLibrarys() throws IOException {
        JsonNode document = doctor();
        try (DeviceContext context = DeviceContext.open(device)) {
            assertThat(finding(document, "gid").get("seen").asText())
                    .startsWith("use index " + context.selectGid(1).index() + ", ");
            assertThat(finding(document, "mtu").get("seen").asText())
                    .startsWith(context.port(1).activeMtu().bytes() + " of ");
        }
    }

    @Test
    void downLinkIsFoundAndItsRemedyFixesIt() throws Exception {
        link.down();
        try {
            await(context -> context.port(1).state() == PortState.DOWN);
            JsonNode broken = doctor();
            // The other end of the wire is also down. If there are no more devices, no port is up.
            assertThat(broken.get("outcome").asText()).isIn("trouble", "broken");
            assertThat(finding(broken, "port").get("state").asText()).isEqualTo("FAIL");
            assertThat(finding(broken, "port").get("seen").asText()).startsWith("DOWN, Disabled, Ethernet");
            assertThat(finding(broken, "interface").get("state").asText()).isEqualTo("FAIL");
            assertThat(finding(broken, "interface").get("seen").asText())
                    .startsWith(networkInterface + " is switched off");
            run(finding(broken, "interface").get("remedy").asText());
            await(context -> context.port(1).state() == PortState.ACTIVE
                    && context.gidTable(1).equals(gids));
            JsonNode mended = doctor();
            assertThat(mended.get("outcome").asText()).isNotEqualTo("broken");
            assertThat(finding(mended, "port").get("state").asText()).isEqualTo("OK");
            assertThat(finding(mended, "interface").get("state").asText()).isEqualTo("OK");
        } finally {
            link.up();
        }
    }

    @Test
    void withoutAnAddressTheGidIsLinkLocalAtBest() throws Exception {
        link.awaitNoConnection();
        run("ip address del " + address + " dev " + networkInterface);
        try {
            await(context ->
                    context.gidTable(1).stream().noneMatch(entry -> entry.gid().isIpv4Mapped()));
            JsonNode gid = finding(doctor(), "gid");
            assertThat(gid.get("state").asText()).isEqualTo("WARNING");
            assertThat(gid.get("seen").asText()).contains("fe80:").endsWith("there is no better one");
            assertThat(gid.get("remedy").asText()).contains("give " + networkInterface + " an IP address");
            run("ip address add " + address + " dev " + networkInterface);
            await(context -> context.gidTable(1).equals(gids));
            assertThat(finding(doctor(), "gid").get("state").asText()).isEqualTo("OK");
        } finally {
            run("ip address replace " + address + " dev " + networkInterface);
        }
    }
}
