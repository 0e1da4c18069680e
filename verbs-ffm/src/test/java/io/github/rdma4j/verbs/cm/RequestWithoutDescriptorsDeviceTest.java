// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import static io.github.rdma4j.verbs.cm.CmTestNet.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.ChildJvm;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.TestDescriptor;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A request that arrives when the process has no file descriptor left for its channel waits, as in a backlog. */
@Tag("device")
@Timeout(300)
class RequestWithoutDescriptorsDeviceTest {
    /** Prints the results of the server and the client. */
    static final class User {
        public static void main(String[] arguments) throws Exception {
            ChildJvm.loadClasses();
            try (SynchronousId server = SynchronousId.create(PortSpace.TCP)) {
                server.listen(CmTestNet.ipv4(), 4);
                // One without want, for whatever else is made the first time.
                try (SynchronousId client = ask(server);
                        SynchronousId request = server.getRequest(PATIENCE).orElseThrow()) {
                    request.id().reject();
                    System.out.println("first " + answer(client));
                }
                try (SynchronousId client = ask(server)) {
                    List<TestDescriptor> all = TestDescriptor.takeAll();
                    for (int i = 0; i < 2; i++) {
                        System.out.println("without " + failure(server));
                    }
                    all.forEach(TestDescriptor::close);
                    try (SynchronousId request = server.getRequest(PATIENCE).orElseThrow()) {
                        request.id().reject((byte) 'x');
                    }
                    System.out.println("later " + answer(client));
                }
            }
        }

        private static SynchronousId ask(SynchronousId server) {
            SynchronousId client = SynchronousId.create(PortSpace.TCP);
            client.resolve(server.id().localAddress().orElseThrow(), PATIENCE);
            client.id().connect(config -> config.queuePairNumber(CmTestNet.nextNumber()));
            return client;
        }

        private static String failure(SynchronousId server) {
            try {
                return "" + server.getRequest(PATIENCE);
            } catch (VerbsException e) {
                return e.errnoName() + " " + e.remedy();
            }
        }

        private static String answer(SynchronousId client) {
            try {
                return "" + client.await(CmEventType.ESTABLISHED, PATIENCE);
            } catch (ConnectionRejectedException e) {
                return e.reason() + (e.privateData()[0] == 'x' ? " with x" : "");
            }
        }
    }

    @Test
    void nextCallHasIt() throws Exception {
        List<String> lines = ChildJvm.run(User.class);
        assertThat(lines).contains("first CONSUMER_DEFINED", "later CONSUMER_DEFINED with x");
        assertThat(lines.stream().filter(line -> line.startsWith("without ")))
                .as(String.join("\n", lines))
                .hasSize(2)
                .allMatch(line -> line.contains("EMFILE") && line.contains("ulimit -n"));
    }
}
