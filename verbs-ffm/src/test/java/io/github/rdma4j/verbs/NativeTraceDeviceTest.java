// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.cm.CmEvent;
import io.github.rdma4j.verbs.cm.CmEventType;
import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.cm.ConnectionId;
import io.github.rdma4j.verbs.cm.EventChannel;
import io.github.rdma4j.verbs.cm.PortSpace;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The trace lists every native call of a program, in order, with its failures. */
@Tag("device")
class NativeTraceDeviceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Pattern LINE =
            Pattern.compile("\\d\\d:\\d\\d:\\d\\d\\.\\d{6} \\[[^]]+] \\w+\\(.*\\)( = .+)? <\\d+\\.\\d{9}>");

    @TempDir
    private Path folder;

    /** Transfers by both interfaces of the library, and two connections by rdma_cm, of which one is refused. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) throws Exception {
            transfer();
            transferByExtendedQueues();
            connect();
        }

        private static void transfer() {
            try (ConnectedPair pair = new ConnectedPair(4096)) {
                MemorySlice slice = pair.buffer.slice(0, 64);
                RemoteMemory target = pair.peerBuffer.remoteMemory().slice(0, 64);
                check(pair.pair.tryPostWrite(11, slice, target, SendFlags.SIGNALED));
                pair.await();
                check(pair.pair.tryPostRead(12, slice, target, SendFlags.SIGNALED));
                pair.await();
                check(pair.peer.tryPostReceive(13, pair.peerBuffer.slice(0, 100)));
                check(pair.pair.tryPostSend(14, slice, SendFlags.SIGNALED | SendFlags.SOLICITED));
                pair.await();
                pair.awaitPeer();
                // The driver refuses what lies outside the region of the peer when it arrives there.
                check(pair.pair.tryPostWrite(
                        15,
                        slice,
                        new RemoteMemory(target.address() + 8192, 64, target.remoteKey()),
                        SendFlags.SIGNALED));
                pair.await();
            }
        }

        private static void transferByExtendedQueues() {
            try (DeviceContext device = TestDevice.open()) {
                ExtendedCompletionQueue queue = device.createExtendedCompletionQueue(64, config -> {});
                LoopbackPair pair = new LoopbackPair(
                        device.allocateProtectionDomain(),
                        queue,
                        device.createCompletionQueue(16),
                        config -> config.sendOperations(SendOperation.RDMA_WRITE),
                        config -> {});
                check(pair.pair.tryPostWrite(
                        21, pair.buffer.slice(0, 8), pair.buffer.remoteMemory().slice(8, 8), SendFlags.SIGNALED));
                CompletionCursor cursor = queue.cursor();
                long deadline = System.nanoTime() + PATIENCE.toNanos();
                while (!cursor.start()) {
                    check(System.nanoTime() <= deadline);
                }
                check(cursor.opcode() == WorkCompletionOpcode.RDMA_WRITE);
                check(!cursor.next());
                cursor.end();
            }
        }

        private static void connect() throws Exception {
            InetSocketAddress here = CmTestNet.ipv4();
            try (EventChannel channel = EventChannel.create()) {
                ConnectionId elsewhere = channel.createId(PortSpace.TCP);
                assertThatThrownBy(() -> elsewhere.bind(
                                new InetSocketAddress(InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, 1}), 0)))
                        .isInstanceOf(VerbsException.class);
                ConnectionId client = channel.createId(PortSpace.TCP);
                client.resolveAddress(new InetSocketAddress(here.getAddress(), 9), PATIENCE);
                take(channel, CmEventType.ADDR_RESOLVED);
                client.resolveRoute(PATIENCE);
                take(channel, CmEventType.ROUTE_RESOLVED);
                try (ProtectionDomain domain = client.device().orElseThrow().allocateProtectionDomain();
                        CompletionQueue queue = domain.context().createCompletionQueue(4)) {
                    client.createQueuePair(domain, config -> config.completionQueue(queue));
                    client.connect(config -> {});
                    take(channel, CmEventType.REJECTED);
                    client.close();
                }
            }
        }

        private static void take(EventChannel channel, CmEventType expected) {
            CmEvent event = channel.nextEvent(PATIENCE).orElseThrow();
            check(event.type() == expected);
        }

        private static void check(boolean asExpected) {
            if (!asExpected) {
                throw new AssertionError();
            }
        }
    }

    @Test
    void traceHasEveryCall() throws Exception {
        List<String> printed = ChildJvm.run(Program.class, "-Dio.github.rdma4j.verbs.trace=" + folder + "/trace.%p");
        assertThat(printed).as("the lines go to the file").isEmpty();
        List<String> lines;
        try (var files = Files.list(folder)) {
            lines = new ArrayList<>(Files.readAllLines(files.findFirst().orElseThrow()));
        }
        assertThat(lines.removeFirst()).startsWith("# ");
        assertThat(lines).allMatch(line -> LINE.matcher(line).matches());
        assertThat(lines)
                .as("polls that found nothing")
                .noneMatch(line -> line.contains(" ibv_poll_cq(") && line.contains(") = 0 <"));
        assertInOrder(
                lines,
                "ibv_get_device_list\\(0x\\w+\\) = 0x",
                "ibv_get_device_name\\(0x\\w+\\) = \"\\w+\"",
                "ibv_open_device\\(0x\\w+\\) = 0x",
                "ibv_free_device_list\\(0x\\w+\\) <",
                "ibv_alloc_pd\\(0x\\w+\\) = 0x",
                "ibv_query_device\\(0x\\w+, 0x\\w+\\) = 0",
                "ibv_create_cq\\(0x\\w+, 256, NULL, NULL, 0\\) = 0x",
                "ibv_reg_mr_iova2\\(0x\\w+, 0x\\w+, 4096, 0x\\w+,"
                        + " IBV_ACCESS_LOCAL_WRITE\\|IBV_ACCESS_REMOTE_WRITE\\|IBV_ACCESS_REMOTE_READ\\) = 0x",
                "ibv_create_qp\\(0x\\w+, \\{qp_type=IBV_QPT_RC, send_cq=0x.*max_send_wr=\\d+.*}\\) = 0x",
                "ibv_modify_qp\\(0x\\w+, \\{qp_state=IBV_QPS_INIT, .*IBV_QP_STATE\\|.*\\) = 0",
                "ibv_modify_qp\\(0x\\w+, \\{qp_state=IBV_QPS_RTR, .*path_mtu=IBV_MTU_.*dest_qp_num=0x.*\\) = 0",
                "ibv_modify_qp\\(0x\\w+, \\{qp_state=IBV_QPS_RTS, timeout=19, .*\\) = 0",
                "ibv_post_send\\(0x\\w+, \\{wr_id=11, opcode=IBV_WR_RDMA_WRITE, length=64, num_sge=1,"
                        + " send_flags=IBV_SEND_SIGNALED, remote_addr=0x\\w+, rkey=0x\\w+}, 0x\\w+\\) = 0",
                "ibv_poll_cq\\(0x\\w+, 16, \\{wr_id=11, status=IBV_WC_SUCCESS, opcode=IBV_WC_RDMA_WRITE, .*}\\) = 1",
                "ibv_post_send\\(0x\\w+, \\{wr_id=12, opcode=IBV_WR_RDMA_READ, .*\\) = 0",
                "ibv_poll_cq\\(0x\\w+, 16, \\{wr_id=12, status=IBV_WC_SUCCESS, opcode=IBV_WC_RDMA_READ, .*}\\) = 1",
                "ibv_post_recv\\(0x\\w+, \\{wr_id=13, length=100, num_sge=1}, 0x\\w+\\) = 0",
                "ibv_post_send\\(0x\\w+, \\{wr_id=14, opcode=IBV_WR_SEND, length=64, num_sge=1,"
                        + " send_flags=IBV_SEND_SIGNALED\\|IBV_SEND_SOLICITED}, 0x\\w+\\) = 0",
                "ibv_poll_cq\\(0x\\w+, 16, \\{wr_id=13, status=IBV_WC_SUCCESS, opcode=IBV_WC_RECV, byte_len=64, .*}\\)",
                "ibv_poll_cq\\(0x\\w+, 16, \\{wr_id=15, status=IBV_WC_REM_ACCESS_ERR, vendor_err=.*}\\) = 1",
                "ibv_destroy_qp\\(0x\\w+\\) = 0",
                "ibv_dereg_mr\\(0x\\w+\\) = 0",
                "ibv_destroy_cq\\(0x\\w+\\) = 0",
                "ibv_dealloc_pd\\(0x\\w+\\) = 0",
                "ibv_close_device\\(0x\\w+\\) = 0");
        assertInOrder(
                lines,
                "ibv_create_cq_ex\\(0x\\w+, 0x\\w+\\) = 0x",
                "ibv_create_qp_ex\\(0x\\w+, \\{qp_type=IBV_QPT_RC, .*}\\) = 0x",
                "ibv_qp_to_qp_ex\\(0x\\w+\\) = 0x",
                "ibv_wr_start\\(0x\\w+\\) <",
                "ibv_wr_rdma_write\\(\\{0x\\w+, wr_id=21, wr_flags=IBV_SEND_SIGNALED}, 0x\\w+, 0x\\w+\\) <",
                "ibv_wr_set_sge\\(0x\\w+, 0x\\w+, 0x\\w+, 8\\) <",
                "ibv_wr_complete\\(0x\\w+\\) = 0",
                "ibv_start_poll\\(\\{0x\\w+, wr_id=21, status=IBV_WC_SUCCESS}, 0x\\w+\\) = 0",
                "ibv_wc_read_opcode\\(0x\\w+\\) = IBV_WC_RDMA_WRITE",
                "ibv_end_poll\\(0x\\w+\\) <");
        assertInOrder(
                lines,
                "rdma_get_devices\\(0x\\w+\\) = 0x",
                "rdma_create_event_channel\\(\\) = 0x",
                "rdma_create_id\\(0x\\w+, \\[0x\\w+], \\w+, RDMA_PS_TCP\\) = 0",
                "rdma_bind_addr\\(0x\\w+, \\{192.0.2.1, port 0}\\) = -1 E[A-Z]+ \\(.+\\)",
                "rdma_resolve_addr\\(0x\\w+, NULL, \\{[0-9.]+, port 9}, 30000\\) = 0",
                "rdma_get_cm_event\\(0x\\w+, \\{event=RDMA_CM_EVENT_ADDR_RESOLVED, status=0, id=0x.*}\\) = 0",
                "rdma_ack_cm_event\\(0x\\w+\\) = 0",
                "rdma_resolve_route\\(0x\\w+, 30000\\) = 0",
                "rdma_init_qp_attr\\(0x\\w+, \\{qp_state=IBV_QPS_INIT, .*}, \\[IBV_QP_STATE\\|.*]\\) = 0",
                "rdma_connect\\(0x\\w+, \\{private_data_len=0, .*retry_count=.*qp_num=0x.*}\\) = 0",
                "rdma_get_cm_event\\(0x\\w+, \\{event=RDMA_CM_EVENT_REJECTED, status=8, .*}\\) = 0",
                "rdma_destroy_id\\(0x\\w+\\) = 0",
                "rdma_destroy_event_channel\\(0x\\w+\\) <");
    }

    private static void assertInOrder(List<String> lines, String... calls) {
        int at = 0;
        for (String call : calls) {
            Pattern pattern = Pattern.compile("] " + call);
            int from = at;
            while (at < lines.size() && !pattern.matcher(lines.get(at)).find()) {
                at++;
            }
            assertThat(at)
                    .as("%s is listed after line %d of\n%s", call, from, String.join("\n", lines))
                    .isLessThan(lines.size());
            at++;
        }
    }

    static final class Listing {
        private Listing() {}

        public static void main(String[] arguments) {
            System.out.println(Device.list().size());
        }
    }

    @Test
    void withoutAFileTheLinesGoToStderr() throws Exception {
        List<String> lines = ChildJvm.run(Listing.class, "-Dio.github.rdma4j.verbs.trace=true");
        assertThat(lines).anyMatch(line -> line.contains("] ibv_get_device_list("));
        assertThat(ChildJvm.run(Listing.class, "-Dio.github.rdma4j.verbs.trace=false"))
                .hasSize(1);
    }
}
