// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.netlink.NetlinkMessages;
import io.github.rdma4j.perftest.netlink.NetlinkMessages.Attribute;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Answers as {@code dcbnl_ieee_get} of Linux builds them; no interface here has any. */
class FlowControlReaderTest {
    private static final int RTM_GETDCB = 78;
    private static final int IEEE = 13;
    private static final int PFC = 2;
    private static final int APP_TABLE = 3;
    private static final int PEER_PFC = 5;
    private static final int APP = 1;

    private static ByteBuffer bytes(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.nativeOrder());
    }

    private static byte[] attribute(int type, byte[]... values) {
        int length = 0;
        for (byte[] value : values) {
            length += value.length;
        }
        ByteBuffer attribute = bytes(4 + (length + 3 & ~3));
        attribute.putShort((short) (4 + length)).putShort((short) type);
        for (byte[] value : values) {
            attribute.put(value);
        }
        return attribute.array();
    }

    /** struct ieee_pfc: how many can be on, those that are, and then requests and indications of each priority. */
    private static byte[] pfc(int enabled, long requests, long indications) {
        ByteBuffer pfc = bytes(136).put((byte) 8).put((byte) enabled).put((byte) 0);
        pfc.putShort(4, (short) 1000);
        for (int i = 0; i < 8; i++) {
            pfc.putLong(8 + 8 * i, requests).putLong(72 + 8 * i, indications);
        }
        return pfc.array();
    }

    /** struct dcb_app. */
    private static byte[] app(int selector, int priority, int protocol) {
        return bytes(4).put((byte) selector)
                .put((byte) priority)
                .putShort((short) protocol)
                .array();
    }

    private static FlowControl.Answer answer(byte[]... ieee) throws Exception {
        byte[] name = attribute(1, "eth7\0".getBytes(StandardCharsets.US_ASCII));
        byte[] nested = attribute(IEEE, ieee);
        int length = 16 + 4 + name.length + nested.length;
        ByteBuffer message = bytes(length)
                .putInt(length)
                .putShort((short) RTM_GETDCB)
                .putShort((short) 0)
                .putInt(1)
                .putInt(4711)
                .put(new byte[] {0, 21, 0, 0})
                .put(name)
                .put(nested)
                .flip();
        List<List<Attribute>> messages = new ArrayList<>();
        assertThat(NetlinkMessages.read(message, 1, 4, messages)).isFalse();
        return FlowControlReader.answer(messages.getFirst());
    }

    @Test
    void prioritiesPausesAndWhatTheSwitchHas() throws Exception {
        FlowControl found = answer(
                        attribute(PFC, pfc(0b1000, 2, 3)),
                        attribute(APP_TABLE, attribute(APP, app(5, 3, 26)), attribute(APP, app(1, 4, 0x8915))),
                        attribute(PEER_PFC, pfc(0x81, 9, 9)))
                .flowControl();
        assertThat(found.priorities()).isEqualTo(0b1000);
        assertThat(found.sent()).isEqualTo(16);
        assertThat(found.received()).isEqualTo(24);
        assertThat(found.switchPriorities()).isEqualTo(OptionalInt.of(0x81));
        // An Ethertype is no DSCP.
        assertThat(found.ofDscp()).containsExactlyEntriesOf(new TreeMap<>(Map.of(26, 3)));
    }

    @Test
    void silentSwitchIsUnknown() throws Exception {
        FlowControl found = answer(attribute(PFC, pfc(0, 0, 0))).flowControl();
        assertThat(found.priorities()).isZero();
        assertThat(found.switchPriorities()).isEmpty();
        assertThat(found.ofDscp()).isEmpty();
    }

    @Test
    void driverWithoutIt() throws Exception {
        assertThat(answer(attribute(PFC, new byte[8])).failure()).contains("the driver does not report");
        assertThat(answer().failure()).contains("the driver does not report");
    }

    /** Of a real kernel: its loopback device has no such functions. */
    @Test
    void interfaceWithoutItAndOneThatIsNotThere() {
        assertThat(FlowControlReader.read("lo").failure()).contains("does not report priority flow control");
        FlowControl.Answer missing = FlowControlReader.read("none-such");
        assertThat(missing.flowControl()).isNull();
        assertThat(missing.failure()).isNotEmpty();
        assertThat(missing.pause()).isEmpty();
    }
}
