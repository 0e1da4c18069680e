// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.device.Gid;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeerKeysTest {
    private static final Gid GID = Gid.of(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 99, 0, 1});

    @Test
    void withoutGidItIsFiftyNineBytes() {
        PeerKeys keys = new PeerKeys(0x1a, 1, 0x12, 0xabcdef, 0x80001234, 0x7f00deadbeef0000L, null);
        byte[] message = keys.encodeText();
        assertThat(message).hasSize(59);
        assertThat(text(message)).isEqualTo("001a:0001:000012:abcdef:80001234:7f00deadbeef0000:00000000");
        assertThat(PeerKeys.decodeText(message, false, "peer")).isEqualTo(keys);
    }

    @Test
    void withGidItIsAHundredAndEightBytes() {
        PeerKeys keys = new PeerKeys(0, 1, 0x12, 0x15a86d, 0x239, 0x55fb0bd81000L, GID);
        byte[] message = keys.encodeText();
        assertThat(message).hasSize(108);
        assertThat(text(message))
                .isEqualTo("0000:0001:000012:15a86d:00000239:000055fb0bd81000:"
                        + "00:00:00:00:00:00:00:00:00:00:ff:ff:0a:63:00:01:00000000:");
        assertThat(PeerKeys.decodeText(message, true, "peer")).isEqualTo(keys);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "hello",
                "001a:0001:000012:abcdef:80001234:7f00deadbeef0000",
                "1a:1:12:abcdef:80001234:7f00deadbeef0000:0:0",
                "001a:0001:000012:abcdeg:80001234:7f00deadbeef0000:00000000",
                "001a:0001:000012:1abcdef:80001234:7f00deadbeef0000:00000000",
                "001a:0001:-00012:abcdef:80001234:7f00deadbeef0000:00000000",
            })
    void anythingElseIsShown(String text) {
        byte[] message = Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), 59);
        assertThatThrownBy(() -> PeerKeys.decodeText(message, false, "10.0.0.1:5"))
                .isInstanceOf(HandshakeException.class)
                .hasMessageStartingWith("the peer 10.0.0.1:5 sent \"")
                .hasMessageEndingWith("where its address and key were due");
    }

    @Test
    void overRdmaItIsAStructureOfFiftySixBytes() {
        PeerKeys keys = new PeerKeys(1, 16, 0x12, 0x15a86d, 0x80000239, 0x55fb0bd81000L, GID, 0x7);
        byte[] message = keys.encodeBinary(false);
        assertThat(HexFormat.of().formatHex(message))
                .isEqualTo("00000001" + "00000010" + "00000012" + "0015a86d" + "80000239" + "00000000"
                        + "000055fb0bd81000" + "00000000000000000000ffff0a630001" + "00000007" + "00000000");
        assertThat(PeerKeys.decodeBinary(message, true, false, "peer")).isEqualTo(keys);
        assertThat(PeerKeys.decodeBinary(message, false, false, "peer").gid()).isNull();
    }

    @Test
    void perftest2604HasEightBytesMoreBeforeTheGid() {
        PeerKeys keys = new PeerKeys(1, 16, 0x12, 0x15a86d, 0x80000239, 0x55fb0bd81000L, GID, 0x7);
        byte[] message = keys.encodeBinary(true);
        assertThat(HexFormat.of().formatHex(message))
                .isEqualTo("00000001" + "00000010" + "00000012" + "0015a86d" + "80000239" + "00000000"
                        + "000055fb0bd81000" + "0000000000000000" + "00000000000000000000ffff0a630001" + "00000007"
                        + "00000000");
        // The parser ignores this byte.
        message[39] = 1;
        assertThat(PeerKeys.decodeBinary(message, true, true, "peer")).isEqualTo(keys);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 8, 12})
    void numberThatIsTooLargeIsNoPartOfKeys(int offset) {
        byte[] message = new byte[56];
        message[offset] = 1;
        assertThatThrownBy(() -> PeerKeys.decodeBinary(message, true, false, "10.0.0.1:5"))
                .isInstanceOf(HandshakeException.class)
                .hasMessageContaining("where its address and key were due");
    }

    @Test
    void sharedReceiveQueueTravelsAlong() {
        PeerKeys keys = new PeerKeys(0, 1, 2, 3, 4, 5, GID, 0xabc);
        assertThat(PeerKeys.decodeText(keys.encodeText(), true, "peer")).isEqualTo(keys);
    }

    private static String text(byte[] message) {
        assertThat(message[message.length - 1]).isZero();
        return new String(message, 0, message.length - 1, StandardCharsets.US_ASCII);
    }
}
