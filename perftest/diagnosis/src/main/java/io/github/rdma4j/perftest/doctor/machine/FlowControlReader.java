// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import io.github.rdma4j.perftest.netlink.NetlinkException;
import io.github.rdma4j.perftest.netlink.NetlinkMessages;
import io.github.rdma4j.perftest.netlink.NetlinkMessages.Attribute;
import io.github.rdma4j.perftest.netlink.NetlinkSocket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/** Queries the kernel for the flow control of an interface, as dcb(8) does (dcbnl). Needs no privileges. */
final class FlowControlReader {
    // linux/rtnetlink.h
    private static final int RTM_GETDCB = 78;

    // linux/dcbnl.h
    private static final byte DCB_CMD_IEEE_GET = 21;
    private static final int DCB_ATTR_IFNAME = 1;
    private static final int DCB_ATTR_IEEE = 13;
    private static final int DCB_ATTR_IEEE_PFC = 2;
    private static final int DCB_ATTR_IEEE_APP_TABLE = 3;
    private static final int DCB_ATTR_IEEE_PEER_PFC = 5;
    private static final int IEEE_8021QAZ_APP_SEL_DSCP = 5;
    // struct ieee_pfc
    private static final int ENABLED_AT = 1;
    private static final int REQUESTS_AT = 8;
    private static final int INDICATIONS_AT = 72;
    private static final int PFC_BYTES = 136;
    private static final int PRIORITIES = 8;

    // struct dcb_app
    private static final int APP_BYTES = 4;
    private static final int PROTOCOL_AT = 2;

    private static final int ENODEV = 19;
    private static final int EOPNOTSUPP = 95;
    private static final int SEQUENCE = 1;

    private FlowControlReader() {}

    static FlowControl.Answer read(String networkInterface) {
        return priorities(networkInterface).with(LinkPauseReader.read(networkInterface));
    }

    private static FlowControl.Answer priorities(String networkInterface) {
        byte[] family = {0, DCB_CMD_IEEE_GET, 0, 0};
        byte[] name = NetlinkMessages.text(DCB_ATTR_IFNAME, networkInterface);
        try (NetlinkSocket socket = NetlinkSocket.toNetwork()) {
            List<Attribute> message =
                    socket.request(NetlinkMessages.get(RTM_GETDCB, SEQUENCE, family, name), SEQUENCE, family.length);
            return message.isEmpty()
                    ? unknown("the kernel reports nothing about priority flow control")
                    : answer(message);
        } catch (NetlinkException failure) {
            return unknown(
                    switch (failure.errno()) {
                        case EOPNOTSUPP -> "the driver or the kernel does not report priority flow control (dcbnl)";
                        case ENODEV -> "there is no such interface in this network namespace";
                        default -> failure.getMessage();
                    });
        }
    }

    private static FlowControl.Answer unknown(String failure) {
        return new FlowControl.Answer(null, failure, Optional.empty());
    }

    /** Parses the attributes of the kernel's message. */
    static FlowControl.Answer answer(List<Attribute> message) {
        Optional<List<Attribute>> ieee = of(message, DCB_ATTR_IEEE).map(Attribute::nested);
        Optional<ByteBuffer> own = ieee.flatMap(all -> pfc(all, DCB_ATTR_IEEE_PFC));
        if (own.isEmpty()) {
            return unknown("the driver does not report priority flow control (dcbnl)");
        }
        TreeMap<Integer, Integer> ofDscp = new TreeMap<>();
        of(ieee.get(), DCB_ATTR_IEEE_APP_TABLE).stream()
                .flatMap(table -> table.nested().stream())
                .map(Attribute::value)
                .filter(app -> app.remaining() >= APP_BYTES && app.get(0) == IEEE_8021QAZ_APP_SEL_DSCP)
                .forEach(app -> ofDscp.put((int) app.getShort(PROTOCOL_AT), (int) app.get(1)));
        return new FlowControl.Answer(
                new FlowControl(
                        enabled(own.get()),
                        pfc(ieee.get(), DCB_ATTR_IEEE_PEER_PFC)
                                .map(peer -> OptionalInt.of(enabled(peer)))
                                .orElse(OptionalInt.empty()),
                        sum(own.get(), REQUESTS_AT),
                        sum(own.get(), INDICATIONS_AT),
                        ofDscp),
                "",
                Optional.empty());
    }

    private static Optional<Attribute> of(List<Attribute> attributes, int type) {
        return attributes.stream().filter(each -> each.type() == type).findFirst();
    }

    private static Optional<ByteBuffer> pfc(List<Attribute> ieee, int type) {
        return of(ieee, type).map(Attribute::value).filter(value -> value.remaining() >= PFC_BYTES);
    }

    private static int enabled(ByteBuffer pfc) {
        return Byte.toUnsignedInt(pfc.get(ENABLED_AT));
    }

    private static long sum(ByteBuffer pfc, int from) {
        long sum = 0;
        for (int i = 0; i < PRIORITIES; i++) {
            sum += pfc.getLong(from + i * Long.BYTES);
        }
        return sum;
    }
}
