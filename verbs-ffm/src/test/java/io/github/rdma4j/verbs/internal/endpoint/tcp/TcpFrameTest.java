// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The bytes that two versions of the library must agree on. */
class TcpFrameTest {
    @Test
    void headerIsInTheOrderOfTheNetworkAndAnywhere() {
        byte[] bytes = new byte[TcpFrame.HEADER + TcpFrame.PLACE + 1];
        MemorySegment memory = MemorySegment.ofArray(bytes);
        memory.fill((byte) -1);
        TcpFrame.write(memory, 1, TcpFrame.WRITE, (byte) 0x92, 0x01020304, 0x05060708, 0x090a0b0c);
        TcpFrame.writePlace(memory, 1, 0x1112131415161718L, 0x191a1b1c, 0x2122232425262728L, 0x292a2b2c2d2e2f30L);
        assertThat(HexFormat.of().formatHex(bytes))
                .isEqualTo("ff" + "03920000" + "01020304" + "05060708" + "090a0b0c" + "1112131415161718"
                        + "191a1b1c00000000" + "2122232425262728" + "292a2b2c2d2e2f30");
        assertThat(TcpFrame.kind(memory, 1)).isEqualTo(TcpFrame.WRITE);
        assertThat(TcpFrame.status(memory, 1)).isEqualTo((byte) 0x92);
        assertThat(TcpFrame.count(memory, 1)).isEqualTo(0x01020304);
        assertThat(TcpFrame.frame(memory, 1)).isEqualTo(0x05060708);
        assertThat(TcpFrame.length(memory, 1)).isEqualTo(0x090a0b0c);
        assertThat(TcpFrame.address(memory, 1)).isEqualTo(0x1112131415161718L);
        assertThat(TcpFrame.key(memory, 1)).isEqualTo(0x191a1b1c);
        assertThat(TcpFrame.operand(memory, 1)).isEqualTo(0x2122232425262728L);
        assertThat(TcpFrame.newValue(memory, 1)).isEqualTo(0x292a2b2c2d2e2f30L);
    }

    @Test
    void eachKindHasItsSizeAndPerhapsData() {
        StringBuilder kinds = new StringBuilder();
        for (int kind = Byte.MIN_VALUE; kind <= Byte.MAX_VALUE; kind++) {
            if (TcpFrame.isKnown((byte) kind)) {
                kinds.append("%d:%d%s "
                        .formatted(kind, TcpFrame.size((byte) kind), TcpFrame.hasData((byte) kind) ? " and data" : ""));
            }
        }
        assertThat(kinds).hasToString("1:16 and data 2:16 3:48 and data 4:48 5:48 6:48 7:16 and data 8:48 9:16 10:16 ");
    }
}
