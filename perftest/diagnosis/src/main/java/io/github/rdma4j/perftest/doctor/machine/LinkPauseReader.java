// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import io.github.rdma4j.perftest.netlink.NetlinkException;
import io.github.rdma4j.perftest.netlink.NetlinkMessages;
import io.github.rdma4j.perftest.netlink.NetlinkMessages.Attribute;
import io.github.rdma4j.perftest.netlink.NetlinkSocket;
import java.util.List;
import java.util.Optional;

/**
 * Queries the kernel for the pauses of a link, as {@code ethtool -a} does, by generic netlink (Linux 5.6 and later).
 * Needs no privileges.
 */
final class LinkPauseReader {
    // linux/genetlink.h
    private static final int GENL_ID_CTRL = 16;
    private static final byte CTRL_CMD_GETFAMILY = 3;
    private static final int CTRL_ATTR_FAMILY_ID = 1;
    private static final int CTRL_ATTR_FAMILY_NAME = 2;

    // linux/ethtool_netlink.h
    private static final byte ETHTOOL_MSG_PAUSE_GET = 21;
    private static final int ETHTOOL_A_PAUSE_HEADER = 1;
    private static final int ETHTOOL_A_HEADER_DEV_NAME = 2;
    private static final int ETHTOOL_A_PAUSE_AUTONEG = 2;
    private static final int ETHTOOL_A_PAUSE_RX = 3;
    private static final int ETHTOOL_A_PAUSE_TX = 4;

    private static final byte VERSION = 1;

    private LinkPauseReader() {}

    /** Returns empty if the driver or the kernel does not report the pause settings. */
    static Optional<LinkPause> read(String networkInterface) {
        try {
            return of(answer(networkInterface));
        } catch (NetlinkException _) {
            return Optional.empty();
        }
    }

    /** Returns the attributes of the kernel's answer. */
    static List<Attribute> answer(String networkInterface) throws NetlinkException {
        try (NetlinkSocket socket = NetlinkSocket.toGeneric()) {
            byte[] family = NetlinkMessages.text(CTRL_ATTR_FAMILY_NAME, "ethtool");
            int ethtool = request(socket, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, family).stream()
                    .filter(each -> each.type() == CTRL_ATTR_FAMILY_ID)
                    .mapToInt(Attribute::shortNumber)
                    .findFirst()
                    .orElse(0);
            if (ethtool == 0) {
                return List.of();
            }
            byte[] name = NetlinkMessages.text(ETHTOOL_A_HEADER_DEV_NAME, networkInterface);
            return request(
                    socket, ethtool, ETHTOOL_MSG_PAUSE_GET, NetlinkMessages.nested(ETHTOOL_A_PAUSE_HEADER, name));
        }
    }

    /**
     * The kind is also the sequence number, so that the answer to one request is not mistaken for the answer to
     * another.
     */
    private static List<Attribute> request(NetlinkSocket socket, int kind, byte command, byte[] attribute)
            throws NetlinkException {
        byte[] header = {command, VERSION, 0, 0};
        return socket.request(NetlinkMessages.get(kind, kind, header, attribute), kind, header.length);
    }

    /** Parses the attributes of the kernel's message. */
    static Optional<LinkPause> of(List<Attribute> message) {
        return message.stream().anyMatch(each -> each.type() == ETHTOOL_A_PAUSE_RX)
                ? Optional.of(new LinkPause(
                        isSet(message, ETHTOOL_A_PAUSE_RX),
                        isSet(message, ETHTOOL_A_PAUSE_TX),
                        isSet(message, ETHTOOL_A_PAUSE_AUTONEG)))
                : Optional.empty();
    }

    private static boolean isSet(List<Attribute> message, int type) {
        return message.stream().anyMatch(each -> each.type() == type && each.smallNumber() != 0);
    }
}
