// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.rdma4j.perftest.netlink.NetlinkException;
import io.github.rdma4j.perftest.netlink.NetlinkMessages;
import io.github.rdma4j.perftest.netlink.NetlinkMessages.Attribute;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers of the kernel's ethtool family, in the order of bytes of the machines that tests run on. */
@EnabledIf("isLittleEndian")
class LinkPauseReaderTest {
    private static final int FAMILY = 21;
    private static final int GENERIC_HEADER = 4;

    static boolean isLittleEndian() {
        return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    }

    private static List<Attribute> message(String hex) throws NetlinkException {
        byte[] bytes = HexFormat.of().parseHex(hex.replaceAll("\\s", ""));
        List<List<Attribute>> messages = new ArrayList<>();
        assertThat(NetlinkMessages.read(ByteBuffer.wrap(bytes), FAMILY, GENERIC_HEADER, messages))
                .isFalse();
        return messages.getFirst();
    }

    /** As {@code pause_fill_reply} of Linux builds it: nested eth7, then three numbers of a byte each. */
    private static LinkPause pause(int negotiated, int receive, int transmit) throws NetlinkException {
        String numbers =
                "05000200 %02x000000 05000300 %02x000000 05000400 %02x000000".formatted(negotiated, receive, transmit);
        return LinkPauseReader.of(message("44000000 15000000 15000000 3d240000 16010000 18000180"
                        + "0800010002000000 0900020065746837 00000000" + numbers))
                .orElseThrow();
    }

    @Test
    void bothDirectionsAndTheNegotiation() throws NetlinkException {
        assertThat(pause(0, 1, 1)).isEqualTo(new LinkPause(true, true, false));
        assertThat(pause(1, 1, 0)).isEqualTo(new LinkPause(true, false, true));
        assertThat(pause(0, 0, 1)).isEqualTo(new LinkPause(false, true, false));
        assertThat(pause(0, 0, 0).isOff()).isTrue();
    }

    /** Of a real kernel, whose refusals show that it has understood. */
    @ParameterizedTest
    @CsvSource({"lo, 95", "none-such, 19"})
    void interfaceWithoutItAndOneThatIsNotThere(String name, int errno) {
        assertThatExceptionOfType(NetlinkException.class)
                .isThrownBy(() -> LinkPauseReader.answer(name))
                .satisfies(refusal -> assertThat(refusal.errno()).isEqualTo(errno));
        assertThat(LinkPauseReader.read(name)).isEmpty();
    }
}
