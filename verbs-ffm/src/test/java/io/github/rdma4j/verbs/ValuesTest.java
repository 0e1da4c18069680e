// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_send_wr;
import io.github.rdma4j.verbs.bindings.ibv_wc;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.GidType;
import io.github.rdma4j.verbs.device.LinkLayer;
import io.github.rdma4j.verbs.device.Mtu;
import io.github.rdma4j.verbs.device.NodeType;
import io.github.rdma4j.verbs.device.PortState;
import io.github.rdma4j.verbs.device.TransportType;
import io.github.rdma4j.verbs.internal.SendRequests;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The small values, against verbs.h where they stand for its constants. */
@Tag("training")
class ValuesTest {

    @ParameterizedTest
    @EnumSource(value = Mtu.class, mode = EnumSource.Mode.EXCLUDE, names = "UNKNOWN")
    void mtuIsFoundByItsCodeAndItsSize(Mtu mtu) {
        assertThat(Mtu.ofCode(mtu.code())).isSameAs(mtu);
        assertThat(Mtu.ofBytes(mtu.bytes())).isSameAs(mtu);
        assertThat(mtu.name()).isEqualTo("MTU_" + mtu.bytes());
    }

    @Test
    void missingQueryValueIsUnknown() {
        assertThat(Mtu.ofQuery(0)).isSameAs(Mtu.UNKNOWN);
        assertThat(Mtu.ofQuery(17)).isSameAs(Mtu.UNKNOWN);
        assertThat(Mtu.ofQuery(3)).isSameAs(Mtu.MTU_1024);
        assertThat(Mtu.UNKNOWN.bytes()).isZero();
        assertThat(GidType.ofCode(9)).isSameAs(GidType.UNKNOWN);
        assertThat(GidType.ofCode(RdmaHeaders.IBV_GID_TYPE_ROCE_V2())).isSameAs(GidType.ROCE_V2);
    }

    @Test
    void leastAndTheMostAreWithinTheBounds() {
        assertThat(Mtu.ofQuery(1)).isEqualTo(Mtu.MTU_256);
        assertThat(Mtu.ofQuery(5)).isEqualTo(Mtu.MTU_4096);
        assertThat(WorkCompletionStatus.ofCode(0)).isEqualTo(WorkCompletionStatus.SUCCESS);
        assertThat(WorkCompletionStatus.ofCode(-1)).isEqualTo(WorkCompletionStatus.UNKNOWN);
        assertThat(new RemoteMemory(1, 0, 2).length()).isZero();
        assertThat(new QueuePairEndpoint(0, 0, 0, Gid.ZERO, Mtu.MTU_256).lid()).isZero();
        assertThat(new QueuePairEndpoint(0xffffff, 0xffffff, 0xffff, Gid.ZERO, Mtu.MTU_4096).queuePairNumber())
                .isEqualTo(0xffffff);
    }

    @Test
    void completionsOfMoreThanTwoGibibytesAreCounted() {
        MemorySegment memory = ibv_wc.allocate(Arena.ofAuto());
        ibv_wc.byte_len(memory, 1 << 31);
        assertThat(new WorkCompletion(memory).byteLength()).isEqualTo(1L << 31);
    }

    @Test
    void failedPollIsNotTakenForAnErrno() {
        assertThat(CompletionQueue.pollFailed("ibv_poll_cq", "mlx5_0", -2))
                .hasMessageContaining("returned -2")
                .hasMessageNotContaining("ENOENT");
    }

    @Test
    void driverThatNamesNoRefusedRequestIsTakenToHaveAcceptedNone() {
        SendRequests requests = new SendRequests(Arena.ofAuto(), 4, 0);
        MemorySegment bad =
                MemorySegment.ofAddress(requests.badRequestAddress()).reinterpret(8);
        bad.set(ValueLayout.JAVA_LONG, 0, requests.address() + 2 * ibv_send_wr.sizeof());
        assertThat(requests.acceptedBeforeRefusal(4)).isEqualTo(2);
        assertThat(requests.acceptedBeforeRefusal(2)).isZero();
        requests.forgetBadRequest();
        assertThat(requests.acceptedBeforeRefusal(4)).isZero();
        bad.set(ValueLayout.JAVA_LONG, 0, requests.address() + 1);
        assertThat(requests.acceptedBeforeRefusal(4)).isZero();
    }

    @Test
    void requestsBeforeTheRefusedOneAreAccepted() {
        SendRequests requests = new SendRequests(Arena.ofAuto(), 4, 0);
        MemorySegment bad =
                MemorySegment.ofAddress(requests.badRequestAddress()).reinterpret(8);
        requests.begin(requests.addressOf(3));
        SendRequests.link(requests.addressOf(3), requests.addressOf(0));
        SendRequests.link(requests.addressOf(0), requests.addressOf(2));
        SendRequests.link(requests.addressOf(2), 0);
        int[] acceptedBefore = {1, 0, 2, 0}; // request 1 is not in the list
        for (int refused = 0; refused < 4; refused++) {
            bad.set(ValueLayout.JAVA_LONG, 0, requests.addressOf(refused));
            assertThat(requests.followersBeforeRefusal(3)).isEqualTo(acceptedBefore[refused]);
        }
        requests.forgetBadRequest();
        assertThat(requests.followersBeforeRefusal(3)).isZero();
    }

    @Test
    void unknownMtuIsRefused() {
        for (int code : new int[] {0, 6, -1}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Mtu.ofCode(code))
                    .withMessageContaining("1..5");
        }
        assertThatIllegalArgumentException().isThrownBy(() -> Mtu.ofBytes(1500)).withMessageContaining("1500");
    }

    @Test
    void constantsAreThoseOfTheHeader() {
        assertThat(Mtu.MTU_4096.code()).isEqualTo(RdmaHeaders.IBV_MTU_4096());
        assertThat(QueuePairType.RC.code()).isEqualTo(RdmaHeaders.IBV_QPT_RC());
        assertThat(PortState.ofCode(RdmaHeaders.IBV_PORT_ACTIVE())).isEqualTo(PortState.ACTIVE);
        assertThat(QueuePairState.ofCode(RdmaHeaders.IBV_QPS_RTS())).isEqualTo(QueuePairState.RTS);
        assertThat(QueuePairState.ofCode(RdmaHeaders.IBV_QPS_ERR())).isEqualTo(QueuePairState.ERR);
        assertThat(QueuePairState.ofCode(99)).isEqualTo(QueuePairState.UNKNOWN);
        assertThat(SendFlags.FENCE).isEqualTo(RdmaHeaders.IBV_SEND_FENCE());
        assertThat(SendFlags.SIGNALED).isEqualTo(RdmaHeaders.IBV_SEND_SIGNALED());
        assertThat(SendFlags.SOLICITED).isEqualTo(RdmaHeaders.IBV_SEND_SOLICITED());
        assertThat(SendFlags.INLINE).isEqualTo(RdmaHeaders.IBV_SEND_INLINE());
        Map.of(
                        AccessFlag.LOCAL_WRITE, RdmaHeaders.IBV_ACCESS_LOCAL_WRITE(),
                        AccessFlag.REMOTE_WRITE, RdmaHeaders.IBV_ACCESS_REMOTE_WRITE(),
                        AccessFlag.REMOTE_READ, RdmaHeaders.IBV_ACCESS_REMOTE_READ(),
                        AccessFlag.REMOTE_ATOMIC, RdmaHeaders.IBV_ACCESS_REMOTE_ATOMIC(),
                        AccessFlag.MW_BIND, RdmaHeaders.IBV_ACCESS_MW_BIND(),
                        AccessFlag.ZERO_BASED, RdmaHeaders.IBV_ACCESS_ZERO_BASED(),
                        AccessFlag.ON_DEMAND, RdmaHeaders.IBV_ACCESS_ON_DEMAND(),
                        AccessFlag.HUGETLB, RdmaHeaders.IBV_ACCESS_HUGETLB(),
                        AccessFlag.RELAXED_ORDERING, RdmaHeaders.IBV_ACCESS_RELAXED_ORDERING())
                .forEach((flag, bit) -> assertThat(AccessFlag.mask(flag)).isEqualTo(bit));
        assertThat(AccessFlag.mask(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE))
                .isEqualTo(3);
        assertThat(NodeType.ofCode(RdmaHeaders.IBV_NODE_CA())).isEqualTo(NodeType.CHANNEL_ADAPTER);
        assertThat(TransportType.ofCode(RdmaHeaders.IBV_TRANSPORT_IWARP())).isEqualTo(TransportType.IWARP);
        assertThat(LinkLayer.ofCode(RdmaHeaders.IBV_LINK_LAYER_ETHERNET())).isEqualTo(LinkLayer.ETHERNET);
    }

    @Test
    void completionStatusesAreThoseOfTheHeader() {
        assertThat(WorkCompletionStatus.ofCode(RdmaHeaders.IBV_WC_SUCCESS())).isEqualTo(WorkCompletionStatus.SUCCESS);
        assertThat(WorkCompletionStatus.ofCode(RdmaHeaders.IBV_WC_LOC_PROT_ERR()))
                .isEqualTo(WorkCompletionStatus.LOC_PROT_ERR);
        assertThat(WorkCompletionStatus.ofCode(RdmaHeaders.IBV_WC_RETRY_EXC_ERR()))
                .isEqualTo(WorkCompletionStatus.RETRY_EXC_ERR);
        assertThat(WorkCompletionStatus.ofCode(RdmaHeaders.IBV_WC_RNR_RETRY_EXC_ERR()))
                .isEqualTo(WorkCompletionStatus.RNR_RETRY_EXC_ERR);
        assertThat(WorkCompletionStatus.ofCode(RdmaHeaders.IBV_WC_GENERAL_ERR()))
                .isEqualTo(WorkCompletionStatus.GENERAL_ERR);
        assertThat(WorkCompletionStatus.ofCode(1000)).isEqualTo(WorkCompletionStatus.UNKNOWN);
        assertThat(WorkCompletionOpcode.ofCode(RdmaHeaders.IBV_WC_RECV())).isEqualTo(WorkCompletionOpcode.RECEIVE);
        assertThat(WorkCompletionOpcode.ofCode(RdmaHeaders.IBV_WC_RDMA_READ()))
                .isEqualTo(WorkCompletionOpcode.RDMA_READ);
        assertThat(IntStream.rangeClosed(RdmaHeaders.IBV_WC_TM_ADD(), RdmaHeaders.IBV_WC_TM_NO_TAG())
                        .mapToObj(WorkCompletionOpcode::ofCode))
                .containsExactly(
                        WorkCompletionOpcode.TAG_ADD,
                        WorkCompletionOpcode.TAG_REMOVE,
                        WorkCompletionOpcode.TAG_SYNCHRONISE,
                        WorkCompletionOpcode.TAG_RECEIVE,
                        WorkCompletionOpcode.TAG_RECEIVE_WITHOUT_TAG);
        assertThat(WorkCompletionOpcode.ofCode(RdmaHeaders.IBV_WC_TM_NO_TAG() + 1))
                .isEqualTo(WorkCompletionOpcode.UNKNOWN);
    }

    @Test
    void remoteMemoryIsSlicedWithinItsBounds() {
        RemoteMemory memory = new RemoteMemory(0x1000, 100, 0xabc);
        assertThat(memory.slice(10, 90)).isEqualTo(new RemoteMemory(0x100a, 90, 0xabc));
        assertThat(memory).hasToString("RemoteMemory[address=0x1000, length=100, rkey=hidden]");
        assertThatThrownBy(() -> memory.slice(10, 91)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> memory.slice(-1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> memory.slice(0, -1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatIllegalArgumentException().isThrownBy(() -> new RemoteMemory(0, -1, 0));
    }

    @Test
    void endpointChecksItsRanges() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new QueuePairEndpoint(1 << 24, 0, 0, Gid.ZERO, Mtu.MTU_1024))
                .withMessageContaining("queue pair number 0x1000000 has more than 24 bits");
        assertThatIllegalArgumentException().isThrownBy(() -> new QueuePairEndpoint(1, -1, 0, Gid.ZERO, Mtu.MTU_1024));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new QueuePairEndpoint(1, 1, 1 << 16, Gid.ZERO, Mtu.MTU_1024));
        assertThatThrownBy(() -> new QueuePairEndpoint(1, 1, 1, null, Mtu.MTU_1024))
                .isInstanceOf(NullPointerException.class);
    }

    @Test
    void peerAddressesTravelAsBytes() {
        byte[] gid = new byte[Gid.LENGTH];
        gid[0] = (byte) 0xfe;
        gid[15] = 7;
        QueuePairEndpoint endpoint = new QueuePairEndpoint(0xabcdef, 0x123456, 0xffff, Gid.of(gid), Mtu.MTU_2048);
        assertThat(endpoint.toBytes()).hasSize(QueuePairEndpoint.BYTES).startsWith(0, 0xab, 0xcd, 0xef);
        assertThat(QueuePairEndpoint.fromBytes(endpoint.toBytes())).isEqualTo(endpoint);
        RemoteMemory memory = new RemoteMemory(0x7fff_0000_1000L, 1L << 40, 0x8000_0001);
        assertThat(memory.toBytes()).hasSize(RemoteMemory.BYTES);
        assertThat(RemoteMemory.fromBytes(memory.toBytes())).isEqualTo(memory);
    }

    @Test
    void bytesThatCannotBeSuchAValueAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> QueuePairEndpoint.fromBytes(new byte[31]))
                .withMessageContaining("32 bytes, not 31");
        byte[] garbage = new byte[QueuePairEndpoint.BYTES];
        Arrays.fill(garbage, (byte) 0x7f);
        assertThatIllegalArgumentException().isThrownBy(() -> QueuePairEndpoint.fromBytes(garbage));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RemoteMemory.fromBytes(new byte[0]))
                .withMessageContaining("20 bytes, not 0");
        byte[] negative = new byte[RemoteMemory.BYTES];
        negative[8] = (byte) 0x80;
        assertThatIllegalArgumentException().isThrownBy(() -> RemoteMemory.fromBytes(negative));
    }

    @Test
    void exceptionHasOperationErrnoCauseAndRemedy() {
        VerbsException e = new VerbsException("ibv_reg_mr(length=1)", 12, "too much", "less");
        assertThat(e).hasMessage("ibv_reg_mr(length=1) failed: ENOMEM (Cannot allocate memory): too much. Less");
        assertThat(e.errnoName()).isEqualTo("ENOMEM");
        assertThat(e.errno()).isEqualTo(12);
        assertThat(e.operation()).isEqualTo("ibv_reg_mr(length=1)");
        assertThat(e.remedy()).isEqualTo("less");
        assertThat(new VerbsException("x", 0, "", "")).hasMessage("x failed");
    }

    /** An explanation may be another failure's message. */
    @Test
    void exceptionHasOneSentenceOfRemedies() {
        VerbsException inner = new VerbsException("ibv_reg_mr(length=1)", 0, "too much", "less");
        VerbsException outer = new VerbsException("sending", 0, inner.getMessage(), "try again");
        assertThat(outer).hasMessage("sending failed: ibv_reg_mr(length=1) failed: too much. Less. Try again");
        assertThat(outer.remedy()).isEqualTo("less. Try again");
        assertThat(new VerbsException("sending", 0, inner.getMessage(), "less"))
                .hasMessage("sending failed: ibv_reg_mr(length=1) failed: too much. Less");
        assertThat(new VerbsException("sending", 0, inner.getMessage(), "").remedy())
                .isEqualTo("less");
    }

    @Test
    void completionsHaveACapacity() {
        assertThatIllegalArgumentException().isThrownBy(() -> WorkCompletions.allocate(0));
        assertThatIllegalArgumentException().isThrownBy(() -> WorkCompletions.allocate(65_537));
        WorkCompletions completions = WorkCompletions.allocate(3);
        assertThat(completions.capacity()).isEqualTo(3);
        assertThat(completions.size()).isZero();
        assertThatThrownBy(() -> completions.get(0)).isInstanceOf(IndexOutOfBoundsException.class);
    }
}
