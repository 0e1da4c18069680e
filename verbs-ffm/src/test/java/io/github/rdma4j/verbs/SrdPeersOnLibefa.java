// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.endpoint.EndpointPeersOnLibefa;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** SRD between two processes, of which each has a port of its own. They exchange addresses over a pipe. */
@Timeout(180)
class SrdPeersOnLibefa {
    private static final int SIZE = 1024;
    private static final int MESSAGES = 64;
    private static final int ECHO = 1000;
    private static final int OFFSET = 1 << 17;

    /** The address and memory that a side sends to the other. */
    private record Address(Gid gid, int number, RemoteMemory memory) {
        static Address of(SrdSide side) {
            return new Address(
                    side.gid,
                    side.pair.number(),
                    side.memory.slice(OFFSET, SIZE).remoteMemory());
        }

        static Address parse(String line) {
            String[] words = line.split(" ");
            return new Address(
                    Gid.of(HexFormat.of().parseHex(words[0])),
                    Integer.parseInt(words[1]),
                    new RemoteMemory(Long.parseLong(words[2]), SIZE, Integer.parseInt(words[3])));
        }

        Destination destination(SrdSide from) {
            return Destination.of(
                    from.domain.createAddressHandle(AddressHandleAttributes.toGid(1, 0, gid)),
                    number,
                    SrdSide.QUEUE_KEY);
        }

        @Override
        public String toString() {
            return "%s %d %d %d"
                    .formatted(HexFormat.of().formatHex(gid.bytes()), number, memory.address(), memory.remoteKey());
        }
    }

    /** The other process: sends each message back, until a message is empty. */
    static final class Echo {
        private Echo() {}

        /** Starts the process's side. */
        public static void main(String[] arguments) throws IOException {
            try (SrdSide side = new SrdSide(config -> {})) {
                side.receive(MESSAGES, SIZE);
                side.memory.segment().asSlice(OFFSET, SIZE).fill((byte) 77);
                System.out.println(Address.of(side));
                Destination peer = Address.parse(IO.readln()).destination(side);
                System.out.println("ready");
                while (true) {
                    WorkCompletion completion = side.await();
                    assertThat(completion.isSuccess()).as(completion.describe()).isTrue();
                    long id = completion.workRequestId();
                    if (id < ECHO && completion.byteLength() == 0) {
                        return;
                    }
                    MemorySlice buffer = side.memory.slice(id % ECHO * SIZE, SIZE);
                    assertThat(
                                    id < ECHO
                                            ? side.pair.tryPostSend(id + ECHO, buffer, peer)
                                            : side.pair.tryPostReceive(id - ECHO, buffer))
                            .isTrue();
                }
            }
        }
    }

    @Test
    void messagesAndReadsReachTheOtherProcess() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                "sh",
                System.getProperty(EndpointPeersOnLibefa.RUN),
                System.getenv("LD_PRELOAD"),
                System.getenv("SYSFS_PATH") + "-of-peer"));
        command.addAll(ChildJvm.command(Echo.class.getName(), List.of()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("RDMA4J_EFA_LID", "2");
        Process process = builder.start();
        try (SrdSide side = new SrdSide(config -> config.rnrRetry(7));
                BufferedReader output = process.inputReader()) {
            Address theirs = Address.parse(output.readLine());
            Destination peer = theirs.destination(side);
            process.outputWriter().append(Address.of(side) + "\n").flush();
            assertThat(output.readLine()).isEqualTo("ready");
            side.receive(MESSAGES, SIZE);
            for (int i = 0; i < MESSAGES; i++) {
                MemorySlice message = side.memory.slice(OFFSET + i * (long) SIZE, SIZE);
                message.segment().fill((byte) i);
                assertThat(side.pair.tryPostSend(ECHO + i, message, peer)).isTrue();
            }
            List<Integer> back = new ArrayList<>();
            for (int i = 0; i < 2 * MESSAGES; i++) {
                WorkCompletion completion = side.await();
                assertThat(completion.isSuccess()).as(completion.describe()).isTrue();
                if (completion.workRequestId() < ECHO) {
                    byte[] message = side.memory
                            .slice(completion.workRequestId() * SIZE, SIZE)
                            .segment()
                            .toArray(JAVA_BYTE);
                    assertThat(message).containsOnly(message[0]);
                    back.add((int) message[0]);
                }
            }
            assertThat(back).doesNotHaveDuplicates().hasSize(MESSAGES);
            MemorySlice target = side.memory.slice(OFFSET, SIZE);
            assertThat(side.pair.tryPostRead(ECHO, target, theirs.memory(), peer))
                    .isTrue();
            side.awaitSuccess(ECHO);
            assertThat(target.segment().toArray(JAVA_BYTE)).containsOnly(77);
            assertThat(side.pair.tryPostSend(ECHO, side.memory.slice(0, 0), peer))
                    .isTrue();
            assertThat(process.waitFor()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void portThatIsNotThereIsReported() {
        try (SrdSide side = new SrdSide(config -> {})) {
            byte[] nobody = side.gid.bytes();
            nobody[15] = 99;
            Destination destination = Destination.of(
                    side.domain.createAddressHandle(AddressHandleAttributes.toGid(1, 0, Gid.of(nobody))),
                    1,
                    SrdSide.QUEUE_KEY);
            assertThat(side.pair.tryPostSend(1, side.memory.slice(0, 8), destination))
                    .isTrue();
            assertThat(side.awaitStatus()).isEqualTo(EfaCompletionStatus.LOCAL_ERROR_UNREACH_REMOTE);
        }
    }
}
