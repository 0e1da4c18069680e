// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.cm.ConnectionId;
import io.github.rdma4j.verbs.cm.EventChannel;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.internal.StandInMlx5;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Queue pairs into whose completions no received data may come. There is no mlx5 adapter here: a stand-in for its
 * library is loaded into a JVM of its own before libibverbs loads the real one, and takes SoftRoCE for an adapter.
 */
@Tag("device")
class ScatterToCompletionDeviceTest {
    @TempDir
    private Path folder;

    /** On SoftRoCE, whose own library has no such thing. */
    @Test
    void anotherDevicesQueuePairIsMadeAsEver() {
        try (PostingPair pair = new PostingPair(QueuePairType.RC)) {
            QueuePair made = pair.domain.createQueuePair(
                    QueuePairType.RC,
                    config -> config.completionQueue(pair.queue)
                            .maxSendWorkRequests(1)
                            .maxReceiveWorkRequests(1)
                            .scatterToCompletion(false));
            assertThat(made.state()).isEqualTo(QueuePairState.RESET);
            assertThatThrownBy(() -> pair.domain.createQueuePair(
                            QueuePairType.RC,
                            config -> config.completionQueue(pair.queue)
                                    .maxSendWorkRequests(1)
                                    .maxReceiveWorkRequests(1)
                                    .maxInlineData(65_535)
                                    .scatterToCompletion(false)))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("ibv_create_qp(RC")
                    .hasMessageContaining("no scatter to CQE");
        }
    }

    @Test
    @Tag("checkout")
    void libraryOfAnMlx5AdapterIsDetected() throws Exception {
        Path library = StandInMlx5.compile(folder);
        assertThat(ChildJvm.run(ChildJvm.command(Program.class.getName(), List.of("-Dstand.in=" + library))))
                .containsExactly(
                        "by default 0, flags 0",
                        "switched off 1, flags 8",
                        "extended 2, flags 8",
                        "refused 3, mlx5dv_create_qp",
                        "of a connection id 4, flags 8");
    }

    /** Counts what the stand-in was asked for. */
    static final class Program {
        private final SymbolLookup standIn =
                SymbolLookup.libraryLookup(Path.of(System.getProperty("stand.in")), Arena.global());
        private final DeviceContext context = TestDevice.open();
        private final CompletionQueue queue = context.createCompletionQueue(16);
        private final ProtectionDomain domain = context.allocateProtectionDomain();

        static void main() {
            Program program = new Program();
            program.create(config -> {});
            program.print("by default", "flags " + program.read("asked_flags"));
            program.create(config -> config.scatterToCompletion(false));
            program.print("switched off", "flags " + program.read("asked_flags"));
            program.create(config -> config.scatterToCompletion(false).sendOperations(SendOperation.RDMA_WRITE));
            program.print("extended", "flags " + program.read("asked_flags"));
            try {
                program.create(config -> config.scatterToCompletion(false).maxInlineData(65_535));
            } catch (VerbsException e) {
                program.print(
                        "refused", e.operation().substring(0, e.operation().indexOf('(')));
            }
            program.createByConnectionId();
            program.print("of a connection id", "flags " + program.read("asked_flags"));
            program.context.close();
        }

        private void createByConnectionId() {
            try (EventChannel channel = EventChannel.create();
                    ConnectionId id = channel.createId(PortSpace.TCP)) {
                id.bind(CmTestNet.ipv4());
                id.createQueuePair(
                        domain,
                        config -> config.completionQueue(queue)
                                .maxSendWorkRequests(1)
                                .maxReceiveWorkRequests(1)
                                .scatterToCompletion(false));
            }
        }

        private void create(Consumer<QueuePairConfig> configuration) {
            domain.createQueuePair(QueuePairType.RC, config -> {
                        config.completionQueue(queue).maxSendWorkRequests(1).maxReceiveWorkRequests(1);
                        configuration.accept(config);
                    })
                    .close();
        }

        private void print(String what, String details) {
            IO.println("%s %d, %s".formatted(what, read("asked"), details));
        }

        private int read(String variable) {
            return standIn.findOrThrow(variable).reinterpret(Integer.BYTES).get(ValueLayout.JAVA_INT, 0);
        }
    }
}
