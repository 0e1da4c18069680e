// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.watch.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.netlink.NetlinkException;
import io.github.rdma4j.perftest.netlink.NetlinkMessages;
import io.github.rdma4j.perftest.netlink.NetlinkMessages.Attribute;
import io.github.rdma4j.perftest.watch.resource.Resources.Owner;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of the kernel's answers; {@code WatchDeviceTest} asks a real one. */
class ResourcesTest {
    private static final int QUEUE_PAIRS = 5130;
    private static final int SEQUENCE = 7;

    private static byte[] attribute(int type, byte... value) {
        ByteBuffer bytes = ByteBuffer.allocate(4 + (value.length + 3 & ~3)).order(ByteOrder.nativeOrder());
        bytes.putShort((short) (4 + value.length)).putShort((short) type).put(value);
        return bytes.array();
    }

    private static byte[] number(int type, int value) {
        return attribute(
                type,
                ByteBuffer.allocate(4)
                        .order(ByteOrder.nativeOrder())
                        .putInt(value)
                        .array());
    }

    private static byte[] joined(byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        ByteBuffer all = ByteBuffer.allocate(length);
        for (byte[] part : parts) {
            all.put(part);
        }
        return all.array();
    }

    private static byte[] message(int type, int sequence, byte[]... parts) {
        byte[] body = joined(parts);
        return ByteBuffer.allocate(16 + body.length)
                .order(ByteOrder.nativeOrder())
                .putInt(16 + body.length)
                .putShort((short) type)
                .putShort((short) 2)
                .putInt(sequence)
                .putInt(0)
                .put(body)
                .array();
    }

    /** As the kernel has them: the number of a queue pair, its type and state, and the thread. */
    private static byte[] queuePair(int state, int thread) {
        return attribute(
                20 | 0x8000,
                joined(number(21, 17), attribute(26, (byte) 2), attribute(27, (byte) state), number(28, thread)));
    }

    /** Of a thread that has ended: the kernel does not name it. */
    private static byte[] ofNobody() {
        return attribute(20, joined(number(21, 18), attribute(27, (byte) 3)));
    }

    private static byte[] ofKernel() {
        return attribute(
                20,
                joined(
                        number(21, 1),
                        attribute(27, (byte) 3),
                        attribute(29, "ib_core\0".getBytes(StandardCharsets.US_ASCII))));
    }

    @Test
    void queuePairsByTheirOwners() throws NetlinkException {
        ByteBuffer bytes = ByteBuffer.wrap(joined(
                message(QUEUE_PAIRS, SEQUENCE - 1, attribute(19, queuePair(3, 1))),
                message(
                        QUEUE_PAIRS,
                        SEQUENCE,
                        number(1, 0),
                        attribute(2, "rxe0\0".getBytes(StandardCharsets.US_ASCII)),
                        attribute(
                                19 | 0x8000,
                                joined(queuePair(3, 42), ofKernel(), queuePair(6, 41), queuePair(5, 43), ofNobody()))),
                message(3, SEQUENCE, new byte[4])));
        List<List<Attribute>> messages = new ArrayList<>();

        assertThat(NetlinkMessages.read(bytes, SEQUENCE, 0, messages)).isTrue();

        List<QueuePairs> found = new ArrayList<>();
        messages.forEach(message -> Resources.add(
                "rxe0", message, thread -> thread == 43 ? new Owner(43, "") : new Owner(40, "java"), found));
        assertThat(found)
                .containsExactly(
                        new QueuePairs("rxe0", 40, "java", 2, 1),
                        new QueuePairs("rxe0", 0, "ib_core", 1, 0),
                        new QueuePairs("rxe0", 43, "", 1, 1),
                        new QueuePairs("rxe0", QueuePairs.UNKNOWN, "", 1, 0));
        assertThat(found)
                .extracting(QueuePairs::who)
                .containsExactly("java (40)", "kernel: ib_core", "? (43)", "threads that have ended");
    }

    @Test
    void refusalNamesTheErrno() {
        byte[] refusal = message(2, SEQUENCE, number(0, 0), new byte[0]);
        ByteBuffer bytes =
                ByteBuffer.wrap(refusal).order(ByteOrder.nativeOrder()).putInt(16, -1);

        assertThatThrownBy(() -> NetlinkMessages.read(bytes, SEQUENCE, 0, new ArrayList<>()))
                .isInstanceOf(NetlinkException.class)
                .hasMessage("the kernel refused the request (errno 1)");
    }

    /** Whatever comes, it is read or refused, and reading ends. */
    @Test
    @Timeout(600)
    void spoiltBytesAreRefused() {
        Random random = new Random(15);
        byte[] good = joined(
                message(QUEUE_PAIRS, SEQUENCE, attribute(19, joined(queuePair(3, 42), ofKernel()))),
                message(3, SEQUENCE, new byte[4]));
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] spoilt = good.clone();
            for (int change = random.nextInt(4); change >= 0; change--) {
                spoilt[random.nextInt(spoilt.length)] = (byte) random.nextInt();
            }
            try {
                List<List<Attribute>> messages = new ArrayList<>();
                NetlinkMessages.read(ByteBuffer.wrap(spoilt), SEQUENCE, 0, messages);
                messages.forEach(message -> Resources.add("rxe0", message, _ -> new Owner(1, ""), new ArrayList<>()));
            } catch (NetlinkException _) {
                refused++;
            }
        }
        assertThat(refused).isPositive();
    }

    /** The first is one that the kernel has cut within a character; no terminal should get the second. */
    @ParameterizedTest
    @ValueSource(strings = {"7472c3a4676572c3", "411b5b324a0a42"})
    void threadsWithAnyNameAreOfTheirProcess(String name, @TempDir Path processes) throws IOException {
        byte[] bytes = HexFormat.of().parseHex(name);
        for (int number : new int[] {40, 41}) {
            Path folder = Files.createDirectory(processes.resolve(Integer.toString(number)));
            Files.write(folder.resolve("comm"), joined(bytes, new byte[] {'\n'}));
            Files.write(
                    folder.resolve("status"),
                    joined(
                            "Name:\t".getBytes(StandardCharsets.US_ASCII),
                            bytes,
                            "\nUmask:\t0022\nTgid:\t40\n".getBytes(StandardCharsets.US_ASCII)));
        }

        Owner owner = Resources.processOf(processes, 41);

        assertThat(owner).isEqualTo(Resources.processOf(processes, 40));
        assertThat(owner.pid()).isEqualTo(40);
        assertThat(owner.name()).isNotEmpty().doesNotContainPattern("\\p{Cc}");
    }

    /** With RDMA in its kernel or without. */
    @Test
    void thisMachineAnswersOrReportsWhyNot() {
        Reading reading = Resources.read(Optional.of("no_such_device"));

        assertThat(reading.queuePairs()).isEmpty();
        assertThat(reading.failure())
                .satisfiesAnyOf(
                        none -> assertThat(none).isEmpty(),
                        why -> assertThat(why).contains("netlink"));
    }
}
