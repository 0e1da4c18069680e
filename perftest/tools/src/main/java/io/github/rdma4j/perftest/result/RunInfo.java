// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Verb;
import io.github.rdma4j.verbs.device.LinkLayer;
import io.github.rdma4j.verbs.device.TransportType;

/**
 * The properties of a test once both sides have agreed: the content of the banner.
 *
 * @param parameters the parameters of the test
 * @param device name of the device
 * @param transport its transport
 * @param linkLayer the link layer of the port
 * @param queuePairs number of queue pairs; XRC needs two where other types need one
 * @param mtu agreed path MTU in bytes
 * @param gidIndex index of the GID in use; -1 where LIDs are enough
 * @param inlineSize the largest size in bytes of a message that is sent inline
 * @param outstandingReads the most reads or atomics in flight per queue pair; 1 for tools that send none
 * @param peerVersion the wire version that the peer announced
 * @param warmUp the warm-up that compiled the measured code
 * @param placement the placement of the measuring thread and its memory
 * @param gpu the GPU of the memory; null for host memory
 */
public record RunInfo(
        RunParameters parameters,
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
    /** Returns the C tools' name of the measurement. */
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
            case INFINIBAND, UNSPECIFIED -> "IB";
            case ETHERNET -> "Ethernet";
        };
    }
}
