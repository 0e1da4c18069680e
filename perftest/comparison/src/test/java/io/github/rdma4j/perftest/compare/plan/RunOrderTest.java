// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.options.GpuPathChoice;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunOrderTest {
    private static final RunOrder FULL = new RunOrder(
            Tool.WRITE_BANDWIDTH,
            4096,
            10_000,
            "mlx5_0",
            2,
            3,
            1024,
            "UC",
            4,
            64,
            16,
            18600,
            45,
            true,
            true,
            List.of("--use_cuda_bus_id=0000:17:00.0", "--gpu-path=staged"));
    private static final RunOrder PLAIN = new RunOrder(
            Tool.WRITE_LATENCY, 2, 500, "rxe0", 1, -1, 0, null, 1, 0, 0, 18515, 60, false, false, List.of());

    @Test
    void survivesTheWayToTheServer() {
        assertThat(RunOrder.decode(FULL.encode())).isEqualTo(FULL);
        assertThat(RunOrder.decode(PLAIN.encode())).isEqualTo(PLAIN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nonsense", "tool=ib_write_lat", "tool=ib_nothing size=2"})
    void refusesWhatIsNoOrder(String text) {
        assertThatThrownBy(() -> RunOrder.decode(text)).isInstanceOf(IllegalArgumentException.class);
    }

    /** The text may come from another machine. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "tool=sh",
                "tool=../ib_write_bw",
                "size=0",
                "size=-1",
                "size=99999999999",
                "size=4k",
                "iterations=4",
                "iterations=1000000001",
                "iterations=1e3",
                "device=-d",
                "device=a b",
                "device=a/b",
                "device=a;b",
                "devicePort=0",
                "devicePort=256",
                "gidIndex=-2",
                "gidIndex=256",
                "mtu=1000",
                "mtu=8192",
                "connection=-F",
                "connection=QP",
                "connection=RC,UD",
                "queuePairs=0",
                "queuePairs=16385",
                "transmitDepth=15001",
                "moderation=1025",
                "moderation=-1",
                "port=0",
                "port=65536",
                "timeoutSeconds=0",
                "timeoutSeconds=90001",
                "warmUp=maybe",
                "ipv6=1",
                "gpu=--use_cuda=0,--gpu-path=pigeon",
                "gpu=--out_json_file=/tmp/x",
                "gpu=--use_cuda=99999",
                "size=4096 size=8192",
                "size=4096 more=1"
            })
    void refusesWhatACommandLineWouldRefuse(String change) {
        String key = change.substring(0, change.indexOf('=') + 1);
        String text = FULL.encode().replaceAll("\\b" + key + "\\S*", change);

        assertThat(text).isNotEqualTo(FULL.encode());
        assertThatThrownBy(() -> RunOrder.decode(text).checked()).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void namesNoDeviceToAnotherMachine() {
        RunOrder order = FULL.at(null, 1, -1);

        assertThat(RunOrder.decode(order.encode())).isEqualTo(order);
        assertThat(order.at("mlx5_0", 2, 3)).isEqualTo(FULL);
    }

    @Test
    void javaAndCRunTheSamePlan() {
        RunParameters java = FULL.clientParameters("fd00::1");

        assertThat(java.peer().server()).isEqualTo("fd00::1");
        assertThat(java.peer().meetingPoint().ipv6()).isTrue();
        assertThat(java.size()).isEqualTo(4096);
        assertThat(java.iterations()).isEqualTo(10_000);
        assertThat(java.path().gidIndex()).isEqualTo(3);
        assertThat(java.path().mtu()).isEqualTo(1024);
        assertThat(java.queues().queuePairs()).isEqualTo(4);
        assertThat(java.transmitDepth()).isEqualTo(64);
        assertThat(java.completionModeration()).isEqualTo(16);
        assertThat(java.gpu().pciAddress()).isEqualTo("0000:17:00.0");
        assertThat(java.gpu().path()).isEqualTo(GpuPathChoice.STAGED);
        assertThat(FULL.serverParameters().isServer()).isTrue();
        assertThat(String.join(" ", FULL.arguments()))
                .isEqualTo("-F -d mlx5_0 -i 2 -p 18600 --ipv6-addr -s 4096 -n 10000 -u 18 -x 3 -m 1024 -c UC -q 4 -t 64"
                        + " -Q 16");
    }

    @Test
    void leavesToTheToolsWhatIsNotGiven() {
        assertThat(String.join(" ", PLAIN.arguments())).isEqualTo("-F -d rxe0 -i 1 -p 18515 -s 2 -n 500 -u 18");
        assertThat(PLAIN.clientParameters(RunOrder.HOST).path().gidIndex()).isEqualTo(-1);
        assertThat(PLAIN.clientParameters(RunOrder.HOST).transmitDepth()).isEqualTo(1);
    }

    @Test
    void changesItsPortAndItsTime() {
        assertThat(PLAIN.withMoreTime(5).timeoutSeconds()).isEqualTo(65);
        assertThat(PLAIN.withPort(7).port()).isEqualTo(7);
        assertThat(PLAIN.withPort(18515)).isEqualTo(PLAIN);
    }

    @Test
    void atomicToolsAreNotGivenASize() {
        RunOrder order = new RunOrder(
                Tool.ATOMIC_LATENCY, 8, 500, "rxe0", 1, -1, 0, null, 1, 0, 0, 18515, 60, false, false, List.of());

        assertThat(order.arguments()).doesNotContain("-s");
        assertThat(order.clientParameters(RunOrder.HOST).size()).isEqualTo(8);
    }

    @Test
    void countsMessagesByKind() {
        assertThat(PLAIN.messages()).isEqualTo(2 * 500);
        assertThat(FULL.messages()).isEqualTo(4 * 10_000);
        RunOrder read = new RunOrder(
                Tool.READ_LATENCY, 2, 500, "rxe0", 1, -1, 0, null, 1, 0, 0, 18515, 60, false, false, List.of());
        assertThat(read.kind()).isEqualTo(Kind.ROUND_TRIP);
        assertThat(read.messages()).isEqualTo(500);
        assertThat(read.withIterations(20).messages()).isEqualTo(20);
    }
}
