// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.doctor.RecordedHost;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.result.BandwidthResult;
import io.github.rdma4j.perftest.result.GpuInfo;
import io.github.rdma4j.perftest.result.Results;
import io.github.rdma4j.perftest.result.RunInfo;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShareOfLimitTest {
    @TempDir
    private Path root;

    private final List<String> notes = new ArrayList<>();
    private ShareOfLimit share;

    @BeforeEach
    void machine() {
        share = new ShareOfLimit(root, notes::add);
    }

    private static RunInfo info(String device, Tool tool, GpuInfo gpu, String... arguments) {
        RunInfo info = Results.info(RunParameters.parse(tool, arguments), gpu);
        return new RunInfo(
                info.parameters(),
                device,
                info.transport(),
                info.linkLayer(),
                info.queuePairs(),
                info.mtu(),
                info.gidIndex(),
                info.inlineSize(),
                info.outstandingReads(),
                info.peerVersion(),
                info.warmUp(),
                info.placement(),
                info.gpu());
    }

    private void run(RunInfo info, BandwidthResult... results) {
        share.begin(info);
        for (BandwidthResult result : results) {
            share.result(result);
        }
        share.end();
    }

    /** 10⁹ byte/s with messages of a size. */
    private static BandwidthResult reached(long size, double gigabytes) {
        double rate = gigabytes * 1e9 / size / 1e6;
        return new BandwidthResult(size, 1000, 0, rate * size, rate, false);
    }

    @Test
    void bestSizeDeterminesTheShare() {
        RecordedHost.of("h100-infiniband", root);
        run(
                info("mlx5_1", Tool.WRITE_BANDWIDTH, null, "host"),
                reached(64, 0.16),
                reached(65_536, 48),
                reached(1 << 20, 47));
        assertThat(notes)
                .containsExactly("65536 bytes: 48.0 of 49.7 GB/s that InfiniBand 400 Gbit/s, MTU 4096 allows: 97 %");
        assertThat(share.limit().orElseThrow().bytesPerSecond() / 1e9).isBetween(49.6, 49.7);
    }

    @Test
    void slotMayBeTheLimit() {
        RecordedHost.of("narrow-link", root);
        run(info("mlx4_0", Tool.WRITE_BANDWIDTH, null, "host"), reached(1 << 20, 0.41));
        assertThat(notes)
                .containsExactly("1048576 bytes: 0.4 of 0.4 GB/s that PCIe 2 x1 behind 256-byte payloads allows: 98 %");
    }

    @Test
    void lowShareComesWithItsReason() {
        RecordedHost.of("h100-infiniband", root);
        run(info("mlx5_1", Tool.WRITE_BANDWIDTH, null, "host"), reached(4096, 9));
        run(info("mlx5_1", Tool.WRITE_BANDWIDTH, null, "-t", "1", "host"), reached(65_536, 20));
        share = new ShareOfLimit(root, notes::add);
        run(info("mlx5_1", Tool.WRITE_BANDWIDTH, null, "host"), reached(1 << 20, 25));
        assertThat(notes).hasSize(3);
        assertThat(notes.get(0)).contains(": 18 %. Messages of this size should reach 10.8 GB/s", "send larger ones");
        assertThat(notes.get(1)).contains("raise --tx-depth");
        assertThat(notes.get(2)).contains(": 50 %. The links allow more", "rdma4j doctor");
    }

    @Test
    void unmodelledRunsAreNotJudged() {
        RecordedHost.of("h100-infiniband", root);
        run(info("mlx5_1", Tool.WRITE_BANDWIDTH, null, "-b", "host"), reached(65_536, 48));
        run(info("mlx5_1", Tool.ATOMIC_BANDWIDTH, null, "host"), reached(8, 0.1));
        run(info("mlx5_0", Tool.WRITE_BANDWIDTH, null, "host"), reached(65_536, 48));
        run(info("nothing", Tool.WRITE_BANDWIDTH, null, "host"), reached(65_536, 48));
        assertThat(notes).isEmpty();
        assertThat(share.limit()).isEmpty();
    }

    /** The user has chosen a low rate, so no advice can raise it. */
    @Test
    void limitedRateIsNotJudged() {
        RecordedHost.of("h100-infiniband", root);
        run(info("mlx5_1", Tool.WRITE_BANDWIDTH, null, "--rate_limit", "5", "host"), reached(65_536, 0.6));
        assertThat(notes).isEmpty();
        assertThat(share.limit()).isPresent();
    }

    @Test
    void softRoceIsNotJudged() {
        RecordedHost.of("rxe", root);
        run(info("rxe0", Tool.WRITE_BANDWIDTH, null, "host"), reached(65_536, 1));
        assertThat(notes).isEmpty();
    }

    @Test
    void gpuIsJudgedByItsOwnWay() {
        RecordedHost.of("h100-infiniband", root).with("""
            sys/devices/pci0000:15/0000:1a:00.0/
              class: 0x030200
              vendor: 0x10de
              device: 0x2330
              numa_node: 0
              current_link_speed: 16.0 GT/s PCIe
              current_link_width: 8
            sys/bus/pci/devices/0000:1a:00.0 -> ../../../devices/pci0000:15/0000:1a:00.0
            """);
        GpuInfo gpu = new GpuInfo("0: H100, 0000:1a:00.0", "device memory", "dmabuf", "", List.of());
        run(info("mlx5_1", Tool.WRITE_BANDWIDTH, gpu, "host"), reached(1 << 20, 13));
        assertThat(notes)
                .hasSize(1)
                .first()
                .asString()
                .contains("13.0 of 13.2 GB/s that PCIe 4 x8 of the receiver's GPU");
        GpuInfo other = new GpuInfo("1: H100, 0000:99:00.0", "device memory", "dmabuf", "", List.of());
        run(info("mlx5_1", Tool.WRITE_BANDWIDTH, other, "host"), reached(1 << 20, 13));
        assertThat(notes).hasSize(1);
    }

    /** One device, InfiniBand at port 1 and Ethernet at port 2. */
    @Test
    void portThatIsTestedIsJudged() {
        RecordedHost.of("vpi", root);
        run(info("mlx4_0", Tool.WRITE_BANDWIDTH, null, "host"), reached(1 << 20, 3.8));
        run(info("mlx4_0", Tool.WRITE_BANDWIDTH, null, "-i", "2", "host"), reached(1 << 20, 3.8));
        assertThat(notes).hasSize(2);
        assertThat(notes.get(0)).contains("InfiniBand 32 Gbit/s");
        assertThat(notes.get(1)).contains("RoCE v2 10 Gbit/s");
    }

    @Test
    void portThatIsDownIsNotJudgedByAnother() {
        RecordedHost.of("vpi-unused-port", root);
        run(info("mlx4_0", Tool.WRITE_BANDWIDTH, null, "-i", "2", "host"), reached(1 << 20, 1));
        assertThat(notes).isEmpty();
    }

    @Test
    void bondIsJudgedByAllItsLinks() {
        RecordedHost.of("bond", root);
        run(info("mlx5_bond_0", Tool.WRITE_BANDWIDTH, null, "host"), reached(1 << 20, 5));
        assertThat(notes).first().asString().contains("RoCE v2 50 Gbit/s");
    }

    @Test
    void withoutAResultThereIsNothingToSay() {
        RecordedHost.of("h100-infiniband", root);
        run(info("mlx5_1", Tool.WRITE_BANDWIDTH, null, "host"));
        run(info("mlx5_1", Tool.WRITE_LATENCY, null, "host"));
        assertThat(notes).isEmpty();
    }
}
