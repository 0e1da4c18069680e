// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.options.ConnectionType;
import io.github.rdma4j.perftest.options.PeerOptions;
import io.github.rdma4j.perftest.options.RunParameters;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The settings of a test, with the names and the values of the C tools' banner, and the settings that only our tools
 * have.
 */
public final class Settings {
    /** Whether rdma_cm connects the queue pairs. */
    public static final String RDMA_CM = "rdma_cm QPs";

    private Settings() {}

    /** The settings of the C tools' banner in its order. */
    public static Map<String, String> of(RunInfo info) {
        RunParameters parameters = info.parameters();
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("Dual-port", "OFF");
        settings.put("Device", info.device());
        settings.put("Number of qps", Integer.toString(info.queuePairs()));
        settings.put("Transport type", info.transportName());
        settings.put("Connection type", parameters.connection().toString());
        settings.put("Using SRQ", onOff(parameters.sharesReceiveQueue()));
        settings.put("PCIe relax order", onOff(parameters.relaxedOrdering()));
        settings.put("ibv_wr* API", onOff(parameters.connection() == ConnectionType.SRD));
        if (!parameters.playsServer() || parameters.workload().bidirectional()) {
            settings.put("TX depth", Integer.toString(parameters.transmitDepth()));
        }
        if (parameters.queues().postList() > 1) {
            settings.put("Post List", Integer.toString(parameters.queues().postList()));
        }
        if (parameters.queues().receiveList() > 1) {
            settings.put("Recv Post List", Integer.toString(parameters.queues().receiveList()));
        }
        if (parameters.usesReceives()
                && (parameters.isServer() || parameters.workload().bidirectional())) {
            settings.put("RX depth", Integer.toString(parameters.receiveDepth()));
        }
        if (!parameters.tool().isLatency()) {
            settings.put("CQ Moderation", Integer.toString(parameters.completionModeration()));
        }
        if (parameters.queues().lockFree()) {
            settings.put("Lock-free", "ON");
        }
        if (parameters.queues().hasPollBatch()) {
            settings.put("CQE Poll Batch", Integer.toString(parameters.queues().pollBatch()));
        }
        settings.put("Mtu", info.mtu() + "[B]");
        settings.put("Link type", info.linkLayerName());
        if (info.gidIndex() >= 0) {
            settings.put("GID index", Integer.toString(info.gidIndex()));
        }
        if (parameters.tool().verb().requestsData()) {
            settings.put("Outstand reads", Integer.toString(info.outstandingReads()));
        } else {
            settings.put("Max inline data", info.inlineSize() + "[B]");
        }
        PeerOptions peer = parameters.peer();
        settings.put(RDMA_CM, onOff(peer.rdmaCm()));
        settings.put(
                "Data ex. method",
                (peer.meetingPoint().overRdma() ? "rdma_cm" : "Ethernet")
                        + (peer.typeOfService() >= 0 ? " \tTOS    : " + peer.typeOfService() : ""));
        return settings;
    }

    /** Returns the settings that the banner of the C tools does not have. */
    public static Map<String, String> ofOurs(RunInfo info) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("Implementation", BuildInfo.describe());
        settings.put("Placement", info.placement());
        settings.put("Warm-up", info.warmUp());
        if (info.gpu() != null) {
            settings.put("GPU", info.gpu().gpu() + "; " + info.gpu().memory());
            settings.put("GPU path", info.gpu().describePath());
            info.gpu().refused().forEach(refused -> settings.put("  not " + refused.path(), refused.why()));
        }
        return settings;
    }

    private static String onOff(boolean on) {
        return on ? "ON" : "OFF";
    }
}
