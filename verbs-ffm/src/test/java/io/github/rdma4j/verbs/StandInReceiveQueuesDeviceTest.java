// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_ops_wr;
import io.github.rdma4j.verbs.bindings.ibv_recv_wr;
import io.github.rdma4j.verbs.bindings.ibv_rwq_ind_table_init_attr;
import io.github.rdma4j.verbs.bindings.ibv_srq_attr;
import io.github.rdma4j.verbs.bindings.ibv_srq_init_attr;
import io.github.rdma4j.verbs.bindings.ibv_wq;
import io.github.rdma4j.verbs.bindings.ibv_wq_attr;
import io.github.rdma4j.verbs.bindings.ibv_wq_init_attr;
import io.github.rdma4j.verbs.bindings.verbs_context;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.SharedReceiveCalls;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Work queues, their tables, and shared receive queues that match tags, with {@linkplain StandInVerbs stand-ins}. */
@Tag("device")
class StandInReceiveQueuesDeviceTest extends StandInVerbs {
    private void standInForWorkQueues() {
        MemorySegment postReceive = ibv_wq.post_recv.allocate(
                (wq, request, bad) -> note("post " + ibv_recv_wr.wr_id(request.reinterpret(ibv_recv_wr.sizeof()))),
                arena);
        verbs_context.create_wq(
                table,
                verbs_context.create_wq.allocate(
                        (ctx, attr) -> {
                            MemorySegment asked = attr.reinterpret(ibv_wq_init_attr.sizeof());
                            note("create_wq %d %d 0x%x 0x%x %b"
                                    .formatted(
                                            ibv_wq_init_attr.max_wr(asked),
                                            ibv_wq_init_attr.max_sge(asked),
                                            ibv_wq_init_attr.comp_mask(asked),
                                            ibv_wq_init_attr.create_flags(asked),
                                            ibv_wq_init_attr.pd(asked).address() == domain.handle()
                                                    && ibv_wq_init_attr
                                                                    .cq(asked)
                                                                    .address()
                                                            == queue.handle()));
                            MemorySegment wq = arena.allocate(ibv_wq.sizeof(), 8);
                            wq.fill((byte) 0x55);
                            ibv_wq.wq_num(wq, 77);
                            ibv_wq.state(wq, 0);
                            ibv_wq.post_recv(wq, postReceive);
                            return wq;
                        },
                        arena));
        verbs_context.modify_wq(
                table,
                verbs_context.modify_wq.allocate(
                        (wq, attr) -> {
                            MemorySegment asked = attr.reinterpret(ibv_wq_attr.sizeof());
                            if (ibv_wq_attr.wq_state(asked) == WorkQueueState.ERROR.ordinal()) {
                                return Errno.EINVAL;
                            }
                            ibv_wq.state(wq.reinterpret(ibv_wq.sizeof()), ibv_wq_attr.wq_state(asked));
                            return note("modify_wq %d %d 0x%x 0x%x"
                                    .formatted(
                                            ibv_wq_attr.attr_mask(asked),
                                            ibv_wq_attr.wq_state(asked),
                                            ibv_wq_attr.flags(asked),
                                            ibv_wq_attr.flags_mask(asked)));
                        },
                        arena));
        verbs_context.destroy_wq(table, verbs_context.destroy_wq.allocate(wq -> note("destroy_wq"), arena));
        verbs_context.create_rwq_ind_table(
                table,
                verbs_context.create_rwq_ind_table.allocate(
                        (ctx, attr) -> {
                            MemorySegment asked = attr.reinterpret(ibv_rwq_ind_table_init_attr.sizeof());
                            note("create_table " + ibv_rwq_ind_table_init_attr.log_ind_tbl_size(asked));
                            return object();
                        },
                        arena));
        verbs_context.destroy_rwq_ind_table(
                table, verbs_context.destroy_rwq_ind_table.allocate(t -> note("destroy_table"), arena));
    }

    @Test
    void workQueueIsCreatedMovedFedAndClosedBehindItsTable() {
        standInForWorkQueues();
        WorkQueue work = domain.createWorkQueue(
                queue, config -> config.maxWorkRequests(8).maxScatterGather(2).flags(WorkQueueFlag.CVLAN_STRIPPING));
        assertThat(calls).containsExactly("create_wq 8 2 0x1 0x1 true");
        MemorySegment fields = MemorySegment.ofAddress(work.handle()).reinterpret(ibv_wq.sizeof());
        assertThat(ibv_wq.mutex(fields).toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
        assertThat(ibv_wq.cond(fields).toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
        assertThat(ibv_wq.events_completed(fields)).isZero();
        assertThat(work.number()).isEqualTo(77);
        assertThat(work.state()).isEqualTo(WorkQueueState.RESET);
        assertThat(work.protectionDomain()).isSameAs(domain);

        calls.clear();
        work.modify(WorkQueueState.READY);
        work.modifyFlags(Set.of(WorkQueueFlag.values()), Set.of(WorkQueueFlag.SCATTER_FCS));
        assertThat(calls).containsExactly("modify_wq 1 1 0x0 0x0", "modify_wq 4 0 0x2 0xf");
        assertThatThrownBy(() -> work.modify(WorkQueueState.ERROR))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ibv_modify_wq(state=ERROR)")
                .hasMessageContaining("EINVAL");
        calls.clear();
        // An adapter may report UNKNOWN, but a program cannot request it.
        assertThatThrownBy(() -> work.modify(WorkQueueState.UNKNOWN))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("UNKNOWN");
        assertThat(calls).isEmpty();
        assertThatThrownBy(() -> work.modifyFlags(Set.of(), Set.of(WorkQueueFlag.SCATTER_FCS)))
                .isInstanceOf(IllegalArgumentException.class);

        calls.clear();
        MemoryRegion region = domain.allocateMemory(128, AccessFlag.LOCAL_WRITE);
        assertThat(work.tryPostReceive(41, region.slice())).isTrue();
        assertThat(work.startReceiveBatch().receive(42, region.slice()).tryPost())
                .isTrue();
        assertThat(calls).containsExactly("post 41", "post 42");

        calls.clear();
        ReceiveWorkQueueTable queues = context.createReceiveWorkQueueTable(List.of(work, work));
        assertThat(queues.queues()).containsExactly(work, work);
        assertThat(queues.number()).isZero();
        try (DeviceContext other = TestDevice.open();
                CompletionQueue otherQueue = other.createCompletionQueue(16)) {
            ProtectionDomain otherDomain = other.allocateProtectionDomain();
            assertThatThrownBy(() -> otherDomain.prepareQueuePair(
                            QueuePairType.UD,
                            config -> config.completionQueue(otherQueue)
                                    .receiveHash(queues, ReceiveHashConfig.toeplitz(new byte[40]))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("receive work queues belongs to another device context");
        }
        // Kernels refuse to move what has no states, as though the device could not do any of this.
        assertThatThrownBy(() -> domain.prepareQueuePair(
                        QueuePairType.UD,
                        config -> config.receiveHash(queues, ReceiveHashConfig.toeplitz(new byte[40]))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ProtectionDomain.createQueuePair makes it");
        assertThatThrownBy(() -> context.createReceiveWorkQueueTable(List.of(work, work, work)))
                .hasMessageContaining("a table of 3 queues: their number must be a power of two");
        work.close();
        assertThat(queues.isOpen()).isFalse();
        assertThat(calls).containsExactly("create_table 1", "destroy_table", "destroy_wq");
        assertThatThrownBy(() -> work.tryPostReceive(1, region.slice())).isInstanceOf(IllegalStateException.class);
    }

    /** libmlx5 takes the lock of the completion queue then, and sets its counters to 0. */
    @Test
    void workQueueChangesItsStateWhileNobodyPollsByACursorOrPosts() throws Exception {
        standInForWorkQueues();
        ExtendedCompletionQueue inPlace = context.createExtendedCompletionQueue(16, config -> {});
        WorkQueue work = domain.createWorkQueue(inPlace, config -> config.maxWorkRequests(8));
        inPlace.cursor().acquire();
        assertThatThrownBy(() -> work.modify(WorkQueueState.READY))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("this thread has started the cursor");
        inPlace.cursor().leave();
        MemoryRegion region = domain.allocateMemory(128, AccessFlag.LOCAL_WRITE);
        Thread poster = Thread.ofPlatform().unstarted(() -> work.tryPostReceive(1, region.slice()));
        verbs_context.modify_wq(
                table,
                verbs_context.modify_wq.allocate(
                        (wq, attr) -> {
                            poster.start();
                            return endsSoon(poster) ? Errno.EBUSY : 0;
                        },
                        arena));
        work.modify(WorkQueueState.READY);
        poster.join();
        assertThat(calls).endsWith("post 1");
    }

    private void standInForTagMatching() {
        verbs_context.create_srq_ex(
                table,
                verbs_context.create_srq_ex.allocate(
                        (ctx, attr) -> {
                            MemorySegment basic = ibv_srq_init_attr.allocate(arena);
                            ibv_srq_attr.max_wr(ibv_srq_init_attr.attr(basic), 4);
                            ibv_srq_attr.max_sge(ibv_srq_init_attr.attr(basic), 1);
                            return SharedReceiveCalls.create(MemorySegment.ofAddress(domain.handle()), basic);
                        },
                        arena));
    }

    /** The driver writes the handle of an added entry into the request, which the other operations also use. */
    @Test
    void listOfTagsNamesTheEntryThatWasAddedLast() {
        standInForTagMatching();
        int[] next = {40};
        verbs_context.post_srq_ops(
                table,
                verbs_context.post_srq_ops.allocate(
                        (srq, request, bad) -> {
                            MemorySegment asked = request.reinterpret(ibv_ops_wr.sizeof());
                            MemorySegment tag = ibv_ops_wr.tm(asked);
                            boolean add = ibv_ops_wr.opcode(asked) == RdmaHeaders.IBV_WR_TAG_ADD();
                            if (add) {
                                ibv_ops_wr.tm.handle(tag, next[0]++);
                            } else {
                                note("operation %d of entry %d"
                                        .formatted(ibv_ops_wr.opcode(asked), ibv_ops_wr.tm.handle(tag)));
                            }
                            return add && ibv_ops_wr.tm.add.tag(ibv_ops_wr.tm.add(tag)) == 13 ? Errno.ENOMEM : 0;
                        },
                        arena));
        SharedReceiveQueue shared = domain.createSharedReceiveQueue(
                config -> config.tagMatching(queue, 4, 4).maxWorkRequests(4));
        MemoryRegion region = domain.allocateMemory(64, AccessFlag.LOCAL_WRITE);
        SliceList buffer = SliceList.of(region.slice());
        TagList tags = shared.tagList();
        assertThat(tags.tryAdd(1, 1, buffer, 5, -1, 0, TagList.NONE)).isTrue();
        int first = tags.handle();
        assertThat(tags.tryAdd(2, 2, buffer, 6, -1, 0, TagList.NONE)).isTrue();
        assertThat(tags.handle()).isEqualTo(41);
        assertThat(tags.tryRemove(3, first, 0, TagList.NONE)).isTrue();
        assertThat(tags.tryAdd(4, 4, buffer, 13, -1, 0, TagList.NONE)).isFalse();
        assertThat(calls).containsExactly("operation %d of entry 40".formatted(RdmaHeaders.IBV_WR_TAG_DEL()));
        assertThat(tags.handle()).isEqualTo(41);
    }

    /** libmlx5 destroys a queue pair of its own then, which completes there; a basic queue stands in. */
    @Test
    void sharedQueueThatMatchesTagsIsClosedWhileNobodyPollsByACursor() {
        standInForTagMatching();
        ExtendedCompletionQueue inPlace = context.createExtendedCompletionQueue(64, config -> {});
        int room = inPlace.capacity();
        assertThatThrownBy(() -> domain.createSharedReceiveQueue(
                        config -> config.tagMatching(inPlace, room - 7, 4).maxWorkRequests(4)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("can have %d completions in a".formatted(room + 1));
        SharedReceiveQueue shared = domain.createSharedReceiveQueue(
                config -> config.tagMatching(inPlace, room - 8, 4).maxWorkRequests(4));
        assertThatThrownBy(() -> domain.createWorkQueue(inPlace, config -> config.maxWorkRequests(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("where %d can come from others".formatted(room));
        inPlace.cursor().acquire();
        assertThatThrownBy(shared::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("this thread has started the cursor");
        inPlace.cursor().leave();
        shared.close();
        assertThat(shared.isOpen()).isFalse();
    }

    private static boolean endsSoon(Thread thread) {
        try {
            return thread.join(Duration.ofMillis(100));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void refusedDestroyLeavesTheResourceUsable() {
        standInForWorkQueues();
        WorkQueue work = domain.createWorkQueue(queue, config -> config.maxWorkRequests(8));
        MemoryRegion region = domain.allocateMemory(128, AccessFlag.LOCAL_WRITE);
        MemorySegment destroys = verbs_context.destroy_wq(table);
        verbs_context.destroy_wq(table, verbs_context.destroy_wq.allocate(wq -> 16, arena));
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(work::close)
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("ibv_destroy_wq() failed: EBUSY");
            assertThat(work.isOpen()).isTrue();
            assertThat(work.tryPostReceive(i, region.slice())).isTrue();
        }
        verbs_context.destroy_wq(table, destroys);
        calls.clear();
        work.close();
        work.close();
        assertThat(calls).containsExactly("destroy_wq");
    }
}
