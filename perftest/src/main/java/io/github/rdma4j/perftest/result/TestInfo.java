// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

import io.github.rdma4j.perftest.options.TestParameters;
import io.github.rdma4j.perftest.options.Verb;
import io.github.rdma4j.verbs.device.LinkLayer;
import io.github.rdma4j.verbs.device.TransportType;

/**
 * What is known of a test once both sides have agreed: the content of the banner.
 *
 * @param parameters what was asked for
 * @param device name of the device
 * @param transport its transport
 * @param linkLayer of the port
 * @param queuePairs number of queue pairs; XRC takes two where others take one
 * @param mtu agreed path MTU in bytes
 * @param gidIndex index of the GID in use; -1 where LIDs are enough
 * @param inlineSize messages up to so many bytes are sent inline
 * @param outstandingReads reads or atomics that may be under way per queue pair; 1 for tools that send none
 * @param peerVersion the wire version that the peer announced
 * @param warmUp what was done so that the measured code is compiled
 * @param placement where the measuring thread and its memory are
 * @param gpu whose memory it is; null for host memory
 */
public record TestInfo(
        TestParameters parameters,
        String device,
        TransportType transport,
        LinkLayer linkLayer,
        int queuePairs,
        int mtu,
        int gidIndex,
        int inlineSize,
        int outstandingReads,
        String peerVersion,
        String warmUp,
        String placement,
        GpuInfo gpu) {
    /** What is measured, as the C tools call it. */
    public String title() {
        String title = parameters.tool().title();
        if (parameters.tool().verb() == Verb.ATOMIC) {
            title = title.replace("Atomic", "Atomic " + parameters.workload().atomicOperation());
        }
        if (parameters.queues().multicast()) {
            title = title.replace("Test", "Multicast Test");
        }
        if (parameters.workload().sendsImmediate()) {
            title = title.replace("Send", "Send_imm");
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

    /** The transport, as the C tools call it. */
    public String transportName() {
        return switch (transport) {
            case INFINIBAND -> "IB";
            case IWARP -> "IW";
            case USNIC, USNIC_UDP -> "USNIC";
            default -> "Unknown";
        };
    }

    /** The link layer, as the C tools call it. */
    public String linkLayerName() {
        return switch (linkLayer) {
            case INFINIBAND -> "IB";
            case ETHERNET -> "Ethernet";
            case UNSPECIFIED -> "Unknown";
        };
    }
}
