// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ValkeyProtocolTest {
    private static final int OWN = 4096;
    private static final int PEER = 1000;
    private static final int BYTES = ValkeyProtocol.MESSAGE_BYTES;

    private final ValkeyProtocol protocol = new ValkeyProtocol(OWN);

    private static ByteBuffer register(long address, int length, int key) {
        return ByteBuffer.allocate(BYTES)
                .putShort(0, (short) 3)
                .putLong(16, address)
                .putInt(24, length)
                .putInt(28, key);
    }

    private boolean arrives(ByteBuffer message) throws ProtocolException {
        return protocol.controlArrived(message, 0, BYTES);
    }

    @Test
    void messagesHaveTheDocumentedBytes() {
        ByteBuffer buffer = ByteBuffer.allocate(3 * BYTES);
        for (int i = 0; i < buffer.capacity(); i++) {
            buffer.put(i, (byte) 0x55);
        }
        protocol.writeFeatures(buffer, 0, BYTES);
        protocol.writeRegister(buffer, 2 * BYTES, 0x0102_0304_0506_0708L, 0x0a0b_0c0d);
        byte[] expected = new byte[3 * BYTES];
        expected[BYTES + 1] = 1;
        expected[2 * BYTES + 1] = 3;
        ByteBuffer.wrap(expected)
                .putLong(2 * BYTES + 16, 0x0102_0304_0506_0708L)
                .putInt(2 * BYTES + 24, OWN)
                .putInt(2 * BYTES + 28, 0x0a0b_0c0d);
        assertThat(buffer.array()).isEqualTo(expected);
    }

    @Test
    void fullRingIsWrittenAgainWhenItIsAnnounced() throws ProtocolException {
        assertThat(protocol.writable()).isZero();
        assertThat(arrives(register(64, PEER, 7))).isTrue();
        protocol.wrote(PEER - 1);
        assertThat(protocol.writable()).isEqualTo(1);
        protocol.wrote(1);
        assertThat(protocol.writable()).isZero();
        assertThat(arrives(register(64, PEER, 7))).isFalse();
        assertThat(protocol.writable()).isEqualTo(PEER);
        assertThat(protocol.writePosition()).isZero();
        protocol.wrote(PEER);
        assertThat(arrives(register(64, 2 * PEER, 7))).isTrue();
        assertThat(protocol.writable()).isEqualTo(2 * PEER);
    }

    @Test
    void usedUpRingIsAnnounced() throws ProtocolException {
        protocol.dataArrived(OWN);
        protocol.read(OWN - 1);
        assertThat(protocol.isOwnRingUsedUp()).isFalse();
        protocol.read(1);
        assertThat(protocol.isOwnRingUsedUp()).isTrue();
        protocol.writeRegister(ByteBuffer.allocate(BYTES), 0, 0, 0);
        assertThat(protocol.readable()).isZero();
        protocol.dataArrived(OWN);
    }

    @Test
    void unknownMessageThrows() {
        ByteBuffer message = ByteBuffer.allocate(BYTES).putShort(0, (short) 0xff04);
        assertThatThrownBy(() -> arrives(message))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("65284");
        // Only clients set features.
        assertThatThrownBy(() -> arrives(message.putShort(0, (short) 1))).isInstanceOf(ProtocolException.class);
    }

    @Test
    void messageOfAnotherLengthThrows() {
        for (long length : new long[] {0, BYTES - 1, BYTES + 1, 1L << 31}) {
            assertThatThrownBy(() -> protocol.controlArrived(ByteBuffer.allocate(BYTES), 0, length))
                    .isInstanceOf(ProtocolException.class)
                    .hasMessageContaining(Long.toString(length));
        }
    }

    @Test
    void impossibleRingThrows() {
        assertThatThrownBy(() -> arrives(register(64, 0, 7))).isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> arrives(register(-PEER + 1, PEER, 7))).isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> arrives(register(-1, -1, 7))).isInstanceOf(ProtocolException.class);
    }

    @Test
    void ringThatEndsWithTheAddressSpaceIsWritable() throws ProtocolException {
        assertThat(arrives(register(-PEER, PEER, 7))).isTrue();
        protocol.wrote(PEER);
        assertThat(arrives(register(0, -1, 7))).isTrue();
        assertThat(protocol.writable()).isEqualTo((1L << 32) - 1);
    }

    @Test
    void ringBeforeThePreviousRingIsFullThrows() throws ProtocolException {
        arrives(register(64, PEER, 7));
        protocol.wrote(PEER - 1);
        assertThatThrownBy(() -> arrives(register(64, PEER, 7)))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("999 of 1000");
    }

    @Test
    void writeBeyondTheRingThrows() throws ProtocolException {
        assertThatThrownBy(() -> protocol.dataArrived(OWN + 1)).isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> protocol.dataArrived(-1))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("4294967295");
        protocol.dataArrived(OWN - 1);
        protocol.read(OWN - 1);
        // The space of bytes that were read is free only when all of the ring was read.
        assertThatThrownBy(() -> protocol.dataArrived(2)).isInstanceOf(ProtocolException.class);
        protocol.dataArrived(1);
    }

    @Test
    void writesStopUntilSomethingArrives() throws ProtocolException {
        arrives(register(64, PEER, 7));
        for (int i = 0; i < ValkeyProtocol.MAX_UNANSWERED; i++) {
            assertThat(protocol.writable()).isPositive();
            protocol.wrote(1);
        }
        assertThat(protocol.writable()).isZero();
        protocol.dataArrived(0);
        assertThat(protocol.writable()).isEqualTo(PEER - ValkeyProtocol.MAX_UNANSWERED);
    }

    @Test
    void randomPeerChangesNothingOutsideTheRings() {
        int refused = 0;
        int full = 0;
        for (int seed = 0; seed < 2000; seed++) {
            Random random = new Random(seed);
            ValkeyProtocol tested = new ValkeyProtocol(OWN);
            ByteBuffer message = ByteBuffer.allocate(BYTES);
            try {
                for (int step = 0; step < 60; step++) {
                    step(tested, message, random);
                    full += tested.readPosition() + tested.readable() == OWN ? 1 : 0;
                    check(tested);
                }
            } catch (ProtocolException e) {
                refused++;
                check(tested);
            }
        }
        assertThat(refused).isBetween(500, 1999);
        assertThat(full).isGreaterThan(100);
    }

    private static void step(ValkeyProtocol tested, ByteBuffer message, Random random) throws ProtocolException {
        switch (random.nextInt(6)) {
            case 0, 1 -> {
                int space = OWN - tested.readPosition() - tested.readable();
                tested.dataArrived(random.nextInt(50) == 0 ? random.nextInt() : space - random.nextInt(1 + space / 2));
            }
            case 2 -> {
                random.nextBytes(message.array());
                message.putShort(0, (short) (random.nextInt(50) == 0 ? random.nextInt() : 2 * random.nextInt(2)));
                tested.controlArrived(message, 0, random.nextInt(200) == 0 ? random.nextInt(64) : BYTES);
            }
            case 3 -> {
                if (tested.writable() == 0) {
                    tested.controlArrived(
                            register(random.nextLong(), random.nextInt(3 * PEER), random.nextInt()), 0, BYTES);
                }
            }
            case 4 -> {
                tested.read(tested.readable());
                if (tested.isOwnRingUsedUp()) {
                    tested.writeRegister(message, 0, 0, 0);
                }
            }
            default -> {
                if (tested.writable() > 0) {
                    tested.wrote(1 + random.nextLong(tested.writable()));
                }
            }
        }
    }

    private static void check(ValkeyProtocol tested) {
        assertThat(tested.readable()).isNotNegative();
        assertThat(tested.readPosition() + tested.readable()).isBetween(0, OWN);
        assertThat(tested.writable()).isNotNegative();
        if (tested.peerRing() != null) {
            assertThat(tested.writePosition()).isBetween(0L, tested.peerRing().length());
            long end = tested.peerRing().address() + tested.peerRing().length();
            assertThat(end == 0 || Long.compareUnsigned(end, tested.peerRing().address()) > 0)
                    .isTrue();
        }
    }
}
