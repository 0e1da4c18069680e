// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The sum behind a message. */
class ChecksumTest {
    private final Checksum sender = new Checksum();
    private final Checksum receiver = new Checksum();

    private ByteBuffer sealed(byte[] message) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(message.length + 32).put(0, message);
        sender.seal(buffer, message.length);
        return buffer;
    }

    private static void assertCounted(Checksum sums, long sent, long intact, long corrupt) {
        assertThat(sums.sent()).isEqualTo(sent);
        assertThat(sums.intact()).isEqualTo(intact);
        assertThat(sums.corrupt()).isEqualTo(corrupt);
    }

    @Test
    void firstIsTheCastagnoliSumAsPublished() {
        // The check value of CRC-32C in the catalogues, and in RFC 3720's terms.
        assertThat(sealed("123456789".getBytes(US_ASCII)).getInt(9)).isEqualTo(0xe3069283);
    }

    @Test
    void intactMessageCountsOnBothSides() {
        for (int i = 0; i < 100; i++) {
            assertThat(receiver.isIntact(sealed(new byte[i]), i)).isTrue();
        }
        assertCounted(sender, 100, 0, 0);
        assertCounted(receiver, 0, 100, 0);
        assertThat(receiver.next()).isEqualTo(101);
    }

    @Test
    void eachBitCountsThoseOfTheSumToo() {
        byte[] message = new byte[64];
        new Random(7).nextBytes(message);
        ByteBuffer buffer = sealed(message);
        for (int bit = 0; bit < 8 * (message.length + Checksum.BYTES); bit++) {
            flip(buffer, bit);
            assertThat(receiver.isIntact(buffer, message.length))
                    .as("bit " + bit)
                    .isFalse();
            assertThat(receiver.declared()).isNotEqualTo(receiver.found());
            flip(buffer, bit);
        }
        assertThat(receiver.isIntact(buffer, message.length)).isTrue();
        assertCounted(receiver, 0, 1, 8 * 68);
    }

    private static void flip(ByteBuffer buffer, int bit) {
        buffer.put(bit / 8, (byte) (buffer.get(bit / 8) ^ 1 << bit % 8));
    }

    @Test
    void messageThatComesTwiceOrTooEarlyIsFound() {
        ByteBuffer first = sealed(new byte[] {1});
        ByteBuffer second = sealed(new byte[] {2});
        assertThat(receiver.isIntact(second, 1)).as("the first one is missing").isFalse();
        assertThat(receiver.isIntact(first, 1)).isTrue();
        assertThat(receiver.isIntact(first, 1))
                .as("an old message in the buffer")
                .isFalse();
        assertThat(receiver.isIntact(second, 1)).isTrue();
    }

    @Test
    void bytesAfterTheChecksumAreIgnored() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(32);
        for (int i = 0; i < 32; i++) {
            buffer.put(i, (byte) i);
        }
        sender.seal(buffer, 8);
        assertThat(buffer.get(12)).isEqualTo((byte) 12);
        buffer.put(12, (byte) 99);
        assertThat(receiver.isIntact(buffer, 8)).isTrue();
        assertThat(buffer.limit()).isEqualTo(32);
    }
}
