// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.report;

import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.options.PeerOptions;
import io.github.rdma4j.perftest.options.TestParameters;
import io.github.rdma4j.perftest.options.Verb;
import io.github.rdma4j.perftest.result.GpuInfo;
import io.github.rdma4j.perftest.result.TestInfo;
import io.github.rdma4j.perftest.wire.PeerKeys;
import io.github.rdma4j.verbs.device.LinkLayer;
import io.github.rdma4j.verbs.device.TransportType;

/** The text above the results, line by line as the C tools print it, with our lines at its end. */
final class Banner {
    static final String LINE = "-".repeat(87);

    private Banner() {}

    /** What a server prints while it waits. */
    static String waiting() {
        return """

            ************************************
            * Waiting for client to connect... *
            ************************************
            """;
    }

    /** The test and its settings. */
    static String of(TestInfo info) {
        TestParameters parameters = info.parameters();
        boolean latency = parameters.tool().isLatency();
        StringBuilder text = new StringBuilder();
        text.append(LINE).append('\n');
        text.append(" ".repeat(20)).append(title(parameters)).append('\n');
        if (parameters.queues().events()) {
            text.append(" Test with events. Using ").append(info.device()).append("_comp");
            text.append(parameters.queues().completionVector()).append('\n');
        }
        if (parameters.queues().multicast()) {
            text.append(" MultiCast runs on UD!\n");
        }
        pair(text, "Dual-port", "OFF", "Device", info.device());
        pair(text, "Number of qps", info.queuePairs(), "Transport type", transport(info.transport()));
        pair(
                text,
                "Connection type",
                parameters.connection(),
                "Using SRQ",
                parameters.sharesReceiveQueue() ? "ON" : "OFF");
        line(text, "PCIe relax order", parameters.relaxedOrdering() ? "ON" : "OFF");
        line(text, "ibv_wr* API", "OFF");
        if (!parameters.playsServer() || parameters.workload().bidirectional()) {
            line(text, "TX depth", parameters.transmitDepth());
        }
        if (parameters.queues().postList() > 1) {
            line(text, "Post List", parameters.queues().postList());
        }
        if (parameters.queues().receiveList() > 1) {
            line(text, "Recv Post List", parameters.queues().receiveList());
        }
        if (parameters.usesReceives()
                && (parameters.isServer() || parameters.workload().bidirectional())) {
            line(text, "RX depth", parameters.receiveDepth());
        }
        if (!latency) {
            line(text, "CQ Moderation", parameters.completionModeration());
        }
        line(text, "Mtu", info.mtu() + "[B]");
        line(text, "Link type", linkLayer(info.linkLayer()));
        if (info.gidIndex() >= 0) {
            line(text, "GID index", info.gidIndex());
        }
        if (asksForData(parameters)) {
            line(text, "Outstand reads", info.outstandingReads());
        } else {
            line(text, "Max inline data", info.inlineSize() + "[B]");
        }
        PeerOptions peer = parameters.peer();
        text.append(" rdma_cm QPs\t : ").append(peer.rdmaCm() ? "ON" : "OFF").append('\n');
        line(
                text,
                "Data ex. method",
                (peer.meetingPoint().overRdma() ? "rdma_cm" : "Ethernet")
                        + (peer.typeOfService() >= 0 ? " \tTOS    : " + peer.typeOfService() : ""));
        line(text, "Implementation", BuildInfo.describe());
        line(text, "Placement", info.placement());
        line(text, "Warm-up", info.warmUp());
        if (info.gpu() != null) {
            appendGpu(text, info.gpu());
        }
        return text.append(LINE).append('\n').toString();
    }

    private static void appendGpu(StringBuilder text, GpuInfo gpu) {
        line(text, "GPU", gpu.gpu() + "; " + gpu.memory());
        line(text, "GPU path", gpu.path() + (gpu.note().isEmpty() ? "" : ": " + gpu.note()));
        for (GpuInfo.Refused refused : gpu.refused()) {
            line(text, "  not " + refused.path(), refused.why());
        }
    }

    /** Whether the requests carry no data, so that nothing can be inline, and a number of them is the limit. */
    static boolean asksForData(TestParameters parameters) {
        return parameters.tool().verb() == Verb.READ || parameters.tool().verb() == Verb.ATOMIC;
    }

    /** One end of a queue pair. */
    static String address(Verb verb, boolean local, PeerKeys keys) {
        StringBuilder text = new StringBuilder(local ? " local" : " remote").append(" address: LID ");
        text.append(hex(keys.lid(), 4));
        text.append(" QPN ").append(hex(keys.queuePairNumber(), 6));
        text.append(" PSN ").append(hex(keys.packetSequenceNumber(), 6));
        if (verb == Verb.READ) {
            text.append(" OUT ").append(hex(keys.outstandingReads(), 4));
        }
        if (verb == Verb.READ || verb == Verb.WRITE) {
            text.append(" RKey ").append(hex(Integer.toUnsignedLong(keys.remoteKey()), 8));
            text.append(" VAddr ").append(hex(keys.address(), 16));
        }
        text.append('\n');
        if (keys.gid() != null) {
            // In decimal, two digits at least: it looks odd, but it is what people compare with.
            text.append(" GID");
            String separator = ": ";
            for (byte b : keys.gid().bytes()) {
                text.append(separator).append(String.format("%02d", b & 0xff));
                separator = ":";
            }
            text.append('\n');
        }
        return text.toString();
    }

    static String title(TestParameters parameters) {
        String title = parameters.tool().title();
        if (parameters.tool().verb() == Verb.ATOMIC) {
            title = title.replace("Atomic", "Atomic " + parameters.workload().atomicOperation());
        }
        if (parameters.queues().multicast()) {
            title = title.replace("Test", "Multicast Test");
        }
        if (parameters.workload().withImmediate()) {
            title = title.replace("RDMA_Write", "RDMA_Write_imm");
        }
        if (parameters.queues().postList() > 1) {
            title = title.replace("BW Test", "Post List BW Test");
        }
        if (parameters.workload().bidirectional()) {
            int end = title.indexOf(parameters.queues().postList() > 1 ? "Post List" : "BW Test");
            title = title.substring(0, end) + "Bidirectional " + title.substring(end);
        }
        return title;
    }

    static String transport(TransportType transport) {
        return switch (transport) {
            case INFINIBAND -> "IB";
            case IWARP -> "IW";
            case USNIC, USNIC_UDP -> "USNIC";
            default -> "Unknown";
        };
    }

    static String linkLayer(LinkLayer layer) {
        return switch (layer) {
            case INFINIBAND -> "IB";
            case ETHERNET -> "Ethernet";
            case UNSPECIFIED -> "Unknown";
        };
    }

    /** As printf does with %#0Nx: the width includes the 0x, and 0 has none. */
    private static String hex(long value, int width) {
        return value == 0 ? "0".repeat(width) : String.format("0x%0" + (width - 2) + "x", value);
    }

    private static void line(StringBuilder text, String key, Object value) {
        text.append(String.format(" %-16s: %s%n", key, value));
    }

    private static void pair(StringBuilder text, String key, Object value, String secondKey, Object secondValue) {
        text.append(String.format(" %-16s: %s\t\t%-15s: %s%n", key, value, secondKey, secondValue));
    }
}
