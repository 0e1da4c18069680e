// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.cm.ConnectionId;
import io.github.rdma4j.verbs.cm.EventChannel;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.pool.RegisteredMemoryPool;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An object that was closed together with another one reports that. */
@Tag("device")
class ClosePlaceDeviceTest {
    static final class UseAfterClose {
        private UseAfterClose() {}

        public static void main(String[] arguments) throws Exception {
            DeviceContext device = DeviceContext.open(TestDevice.first());
            ProtectionDomain domain = device.allocateProtectionDomain();
            RegisteredMemoryPool pool = RegisteredMemoryPool.create(domain, config -> {});
            closeThere(pool);
            show(() -> pool.allocate(64));
            closeThere(device);
            show(() -> domain.allocateMemory(64));

            EventChannel channel = EventChannel.create();
            ConnectionId id = channel.createId(PortSpace.TCP);
            closeThere(channel);
            show(id::handle);

            EndpointServer server = EndpointServer.bind(CmTestNet.ipv4());
            closeThere(server);
            show(() -> server.accept(Duration.ZERO));
        }

        private static void closeThere(AutoCloseable resource) throws Exception {
            resource.close();
        }

        private static void show(ThrowingCallable use) {
            Throwable exception = catchThrowable(use);
            System.out.println(
                    exception.getMessage() + " / " + exception.getCause().getMessage() + " / "
                            + List.of(exception.getCause().getStackTrace()).stream()
                                    .anyMatch(frame -> frame.getMethodName().equals("closeThere")));
        }
    }

    @Test
    void causeNamesWhatTheProgramClosedAndWhere() throws Exception {
        List<String> lines = ChildJvm.run(UseAfterClose.class, "-Dio.github.rdma4j.verbs.closePlaces=true");
        assertThat(lines).hasSize(4).allMatch(line -> line.contains(" is closed / ") && line.endsWith(" / true"));
        assertThat(lines.get(0)).contains("the pool was closed here");
        assertThat(lines.get(1)).startsWith("protection domain").containsPattern("closed / device .* was closed here");
        assertThat(lines.get(2)).startsWith("connection id").contains("closed / event channel");
        assertThat(lines.get(3)).contains("endpoint server");
    }
}
