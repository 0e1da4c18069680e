// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.ChildJvm;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.RdmaCgroup;
import io.github.rdma4j.verbs.TestDevice;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.CmDevices;
import io.github.rdma4j.verbs.cm.CmTestNet;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The message when the control group limits the number of RDMA objects; must run as root. */
@Tag("device")
class RdmaCgroupDeviceTest {
    private static List<String> run(String limit, Class<?> program) throws Exception {
        try (RdmaCgroup group = new RdmaCgroup(limit);
                EndpointServer server = EndpointServer.bind(CmTestNet.ipv4())) {
            List<String> command = new ArrayList<>(group.prefix());
            command.addAll(ChildJvm.command(program.getName(), List.of()));
            command.add(server.address().getAddress().getHostAddress());
            command.add(Integer.toString(server.address().getPort()));
            return ChildJvm.run(command);
        }
    }

    private static void assertLimitIsNamed(List<String> failures, int count) {
        assertThat(failures)
                .hasSize(count)
                .allSatisfy(line -> assertThat(line)
                        .contains("EAGAIN")
                        .contains("ompare rdma.max with rdma.current of the control group")
                        .doesNotContain("memlock"));
    }

    @Test
    void limitOnObjectsIsNamed() throws Exception {
        assertLimitIsNamed(run("hca_object=2", Creations.class), 3);
    }

    @Test
    void limitOnOpenDevicesIsNamed() throws Exception {
        assertLimitIsNamed(run("hca_handle=0", Openings.class), 4);
    }

    private static InetSocketAddress address(String[] arguments) {
        return new InetSocketAddress(InetAddress.ofLiteral(arguments[0]), Integer.parseInt(arguments[1]));
    }

    private static void print(Runnable creation) {
        try {
            creation.run();
            System.out.println("created");
        } catch (VerbsException e) {
            System.out.println(e.getMessage().replace('\n', ' '));
        }
    }

    /** Creates the two objects that are allowed, and then more. */
    static final class Creations {
        public static void main(String[] arguments) {
            try (DeviceContext context = TestDevice.open();
                    ProtectionDomain domain = context.allocateProtectionDomain();
                    CompletionQueue queue = context.createCompletionQueue(4)) {
                print(() -> domain.allocateMemory(4096));
                print(() -> domain.createQueuePair(QueuePairType.RC, config -> config.completionQueue(queue)));
                print(() -> Endpoint.connect(address(arguments), Duration.ofSeconds(20)));
            }
        }
    }

    /** Opens devices in every way. */
    static final class Openings {
        public static void main(String[] arguments) {
            print(TestDevice::open);
            print(CmDevices::list);
            print(() -> Endpoint.connect(address(arguments), Duration.ofSeconds(20)));
            print(() ->
                    EndpointServer.bind(new InetSocketAddress(address(arguments).getAddress(), 0)));
        }
    }
}
