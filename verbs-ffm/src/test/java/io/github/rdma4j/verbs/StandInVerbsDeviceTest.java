// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.bindings.ib_uverbs_flow_action_esp;
import io.github.rdma4j.verbs.bindings.ibv_context;
import io.github.rdma4j.verbs.bindings.ibv_counter_attach_attr;
import io.github.rdma4j.verbs.bindings.ibv_cq_ex;
import io.github.rdma4j.verbs.bindings.ibv_device_attr_ex;
import io.github.rdma4j.verbs.bindings.ibv_flow_action_esp_attr;
import io.github.rdma4j.verbs.bindings.ibv_flow_attr;
import io.github.rdma4j.verbs.bindings.ibv_flow_spec_counter_action;
import io.github.rdma4j.verbs.bindings.ibv_parent_domain_init_attr;
import io.github.rdma4j.verbs.bindings.ibv_qp;
import io.github.rdma4j.verbs.bindings.ibv_qp_cap;
import io.github.rdma4j.verbs.bindings.ibv_qp_init_attr;
import io.github.rdma4j.verbs.bindings.ibv_values_ex;
import io.github.rdma4j.verbs.bindings.ibv_xrcd_init_attr;
import io.github.rdma4j.verbs.bindings.timespec;
import io.github.rdma4j.verbs.bindings.verbs_context;
import io.github.rdma4j.verbs.device.ExtendedDeviceAttributes;
import io.github.rdma4j.verbs.device.PortAttributes;
import io.github.rdma4j.verbs.flow.CounterDescription;
import io.github.rdma4j.verbs.flow.Counters;
import io.github.rdma4j.verbs.flow.FlowAction;
import io.github.rdma4j.verbs.flow.FlowRule;
import io.github.rdma4j.verbs.flow.FlowSpec;
import io.github.rdma4j.verbs.internal.DescriptorCalls;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests flow rules, domains, clocks, queries and a cursor's values, with {@linkplain StandInVerbs stand-ins} for
 * functions that SoftRoCE does not have.
 */
@Tag("device")
class StandInVerbsDeviceTest extends StandInVerbs {
    /** libmlx5 returns -2 for a completion that it does not understand; here a function that returns -1 stands in. */
    @Test
    void negativeAnswerOfACursorIsNotTakenForAnErrno() {
        MemorySegment real = verbs_context.create_cq_ex(table);
        MemorySegment refusesNumbers = Linker.nativeLinker().defaultLookup().findOrThrow("dup");
        verbs_context.create_cq_ex(
                table,
                verbs_context.create_cq_ex.allocate(
                        (ctx, attr) -> {
                            MemorySegment created = verbs_context.create_cq_ex.invoke(real, ctx, attr);
                            ibv_cq_ex.start_poll(created.reinterpret(ibv_cq_ex.sizeof()), refusesNumbers);
                            return created;
                        },
                        arena));
        ExtendedCompletionQueue inPlace = context.createExtendedCompletionQueue(16, config -> {});
        assertThatThrownBy(() -> inPlace.cursor().start())
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ibv_start_poll(")
                .hasMessageContaining("the driver returned -1: it found a completion that it does not understand");
    }

    @Test
    void flowRuleCountsAndIsClosedBeforeItsCounters() {
        List<MemorySegment> rules = new ArrayList<>();
        MemorySegment flow = object();
        MemorySegment countersObject = object();
        verbs_context.ibv_create_flow(
                table,
                verbs_context.ibv_create_flow.allocate(
                        (qp, attr) -> {
                            long size =
                                    Short.toUnsignedLong(ibv_flow_attr.size(attr.reinterpret(ibv_flow_attr.sizeof())));
                            rules.add(arena.allocate(size, 8).copyFrom(attr.reinterpret(size)));
                            return flow;
                        },
                        arena));
        verbs_context.ibv_destroy_flow(
                table, verbs_context.ibv_destroy_flow.allocate(f -> note("destroy_flow"), arena));
        verbs_context.create_counters(
                table, verbs_context.create_counters.allocate((ctx, attr) -> countersObject, arena));
        verbs_context.destroy_counters(
                table, verbs_context.destroy_counters.allocate(c -> note("destroy_counters"), arena));
        verbs_context.attach_counters_point_flow(
                table,
                verbs_context.attach_counters_point_flow.allocate(
                        (c, attr, f) -> {
                            MemorySegment asked = attr.reinterpret(ibv_counter_attach_attr.sizeof());
                            return note("attach %d %d %b"
                                    .formatted(
                                            ibv_counter_attach_attr.counter_desc(asked),
                                            ibv_counter_attach_attr.index(asked),
                                            f.address() == flow.address()));
                        },
                        arena));
        verbs_context.read_counters(
                table,
                verbs_context.read_counters.allocate(
                        (c, values, count, flags) -> {
                            values.reinterpret(8L * count).setAtIndex(ValueLayout.JAVA_LONG, 1, 1000 + flags);
                            return 0;
                        },
                        arena));

        Counters counters = Counters.create(context);
        counters.attach(CounterDescription.PACKETS, 0);
        counters.attach(CounterDescription.BYTES, 1);
        QueuePair pair = domain.createQueuePair(QueuePairType.UD, config -> config.completionQueue(queue));
        FlowRule rule = FlowRule.create(
                pair, config -> config.specs(FlowSpec.udp().destinationPort(4791), FlowSpec.count(counters)));
        counters.attach(CounterDescription.BYTES, 2, rule);
        assertThat(calls).containsExactly("attach 0 0 false", "attach 1 1 false", "attach 1 2 true");
        MemorySegment written = rules.getFirst();
        MemorySegment count = written.asSlice(written.byteSize() - ibv_flow_spec_counter_action.sizeof());
        assertThat(count.get(ValueLayout.JAVA_LONG_UNALIGNED, 8)).isEqualTo(countersObject.address());
        assertThat(counters.read(2, true)).containsExactly(0, 1001);
        assertThat(counters.read(2, false)).containsExactly(0, 1000);
        assertThatThrownBy(() -> counters.attach(CounterDescription.BYTES, -1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> counters.read(0, true)).isInstanceOf(IllegalArgumentException.class);

        calls.clear();
        counters.close();
        assertThat(rule.isOpen()).isFalse();
        assertThat(calls).containsExactly("destroy_flow", "destroy_counters");
        assertThatThrownBy(() -> FlowRule.create(pair, config -> config.specs(FlowSpec.count(counters))))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void espActionIsCreatedModifiedAndClosed() {
        verbs_context.create_flow_action_esp(
                table, verbs_context.create_flow_action_esp.allocate((ctx, attr) -> object(), arena));
        verbs_context.modify_flow_action_esp(
                table,
                verbs_context.modify_flow_action_esp.allocate(
                        (action, attr) -> {
                            MemorySegment header = ibv_flow_action_esp_attr.esp_attr(
                                    attr.reinterpret(ibv_flow_action_esp_attr.sizeof()));
                            return note("modify "
                                    + ib_uverbs_flow_action_esp.hard_limit_pkts(
                                            header.reinterpret(ib_uverbs_flow_action_esp.sizeof())));
                        },
                        arena));
        verbs_context.destroy_flow_action(
                table, verbs_context.destroy_flow_action.allocate(action -> note("destroy_action"), arena));
        try (FlowAction action = FlowAction.esp(context, esp -> esp.aesGcm(new byte[32], 0, 0, 16))) {
            action.modify(esp -> esp.hardLimit(12));
        }
        assertThat(calls).containsExactly("modify 12", "destroy_action");
    }

    @Test
    void parentDomainIsTheSameDomainWithAnAllocator() {
        // Another domain of the device plays the parent, so that the library can take it for one.
        MemorySegment played = ExportedVerb.ALLOC_PD.pointer(MemorySegment.ofAddress(context.handle()));
        List<String> allocated = new ArrayList<>();
        verbs_context.alloc_td(table, verbs_context.alloc_td.allocate((ctx, attr) -> object(), arena));
        verbs_context.dealloc_td(table, verbs_context.dealloc_td.allocate(td -> note("dealloc_td"), arena));
        verbs_context.alloc_parent_domain(
                table,
                verbs_context.alloc_parent_domain.allocate(
                        (ctx, attr) -> {
                            MemorySegment asked = attr.reinterpret(ibv_parent_domain_init_attr.sizeof());
                            MemorySegment memory = ibv_parent_domain_init_attr.alloc.invoke(
                                    ibv_parent_domain_init_attr.alloc(asked), played, MemorySegment.NULL, 64, 64, 5);
                            ibv_parent_domain_init_attr.free.invoke(
                                    ibv_parent_domain_init_attr.free(asked), played, MemorySegment.NULL, memory, 5);
                            note("%b %b %d"
                                    .formatted(
                                            ibv_parent_domain_init_attr
                                                            .pd(asked)
                                                            .address()
                                                    == domain.handle(),
                                            ibv_parent_domain_init_attr
                                                            .td(asked)
                                                            .address()
                                                    != 0,
                                            ibv_parent_domain_init_attr.comp_mask(asked)));
                            return played;
                        },
                        arena));
        ThreadDomain threads = context.allocateThreadDomain();
        ParentDomain parent = domain.allocateParentDomain(config -> config.threadDomain(threads)
                .allocator(new QueueAllocator() {
                    @Override
                    public MemorySegment allocate(long size, long alignment, long resourceType) {
                        allocated.add("allocate " + size);
                        return arena.allocate(size, alignment);
                    }

                    @Override
                    public void free(MemorySegment memory, long resourceType) {
                        allocated.add("free " + memory.byteSize());
                    }
                }));
        assertThat(calls).containsExactly("true true 1");
        assertThat(allocated).containsExactly("allocate 64", "free 64");
        assertThat(parent.isSameAs(domain)).isTrue();
        assertThat(domain.isSameAs(parent)).isTrue();
        assertThat(parent.handle()).isEqualTo(played.address());
        assertThat(parent.context()).isSameAs(context);
        QueuePair pair = parent.createQueuePair(QueuePairType.UD, config -> config.completionQueue(queue));
        assertThat(pair.isOpen()).isTrue();

        calls.clear();
        threads.close();
        assertThat(parent.isOpen()).isFalse();
        assertThat(pair.isOpen()).isFalse();
        assertThat(domain.isOpen()).isTrue();
        assertThat(calls).containsExactly("dealloc_td");
    }

    @Test
    void xrcDomainIsOpenedByItsFile(@TempDir Path folder) {
        verbs_context.open_xrcd(
                table,
                verbs_context.open_xrcd.allocate(
                        (ctx, attr) -> {
                            MemorySegment asked = attr.reinterpret(ibv_xrcd_init_attr.sizeof());
                            note("open %d %b 0x%x"
                                    .formatted(
                                            ibv_xrcd_init_attr.comp_mask(asked),
                                            ibv_xrcd_init_attr.fd(asked) >= 0,
                                            ibv_xrcd_init_attr.oflags(asked)));
                            return object();
                        },
                        arena));
        verbs_context.close_xrcd(table, verbs_context.close_xrcd.allocate(xrcd -> note("close"), arena));
        context.openXrcDomain().close();
        context.openXrcDomain(folder.resolve("shared"), XrcDomain.OpenMode.CREATE_NEW)
                .close();
        context.openXrcDomain(folder.resolve("shared"), XrcDomain.OpenMode.EXISTING)
                .close();
        assertThat(calls)
                .containsExactly("open 3 false 0x40", "close", "open 3 true 0xc0", "close", "open 3 true 0x0", "close");
    }

    /** The kernel names it by its structure, as those that this process has created; here a file does. */
    @Test
    void eventOfAQueuePairOfAnotherProcessNamesIt(@TempDir Path folder) throws Exception {
        verbs_context.open_xrcd(table, verbs_context.open_xrcd.allocate((ctx, attr) -> object(), arena));
        verbs_context.close_xrcd(table, verbs_context.close_xrcd.allocate(xrcd -> note("close"), arena));
        verbs_context.open_qp(table, verbs_context.open_qp.allocate((ctx, attr) -> createNativeQueuePair(), arena));
        SharedQueuePair opened = context.openXrcDomain().openQueuePair(0x123);
        ByteBuffer event = ByteBuffer.allocate(16).order(ByteOrder.nativeOrder());
        event.putLong(opened.handle()).putInt(AsyncEventType.QP_FATAL.ordinal());
        int file = DescriptorCalls.open(Files.write(folder.resolve("events"), event.array()), false);
        MemorySegment fields = MemorySegment.ofAddress(context.handle()).reinterpret(ibv_context.sizeof());
        int kernel = ibv_context.async_fd(fields);
        ibv_context.async_fd(fields, file);
        try {
            AsyncEvent reported = context.nextAsyncEvent(Duration.ZERO).orElseThrow();
            assertThat(reported.type()).isEqualTo(AsyncEventType.QP_FATAL);
            assertThat(reported.resource()).contains(opened);
        } finally {
            ibv_context.async_fd(fields, kernel);
            DescriptorCalls.close(file);
            // The kernel has reported no event, and a close waits until all reported events are acknowledged.
            ibv_qp.events_completed(MemorySegment.ofAddress(opened.handle()).reinterpret(ibv_qp.sizeof()), 0);
        }
    }

    private MemorySegment createNativeQueuePair() {
        MemorySegment attributes = ibv_qp_init_attr.allocate(arena);
        ibv_qp_init_attr.qp_type(attributes, QueuePairType.RC.code());
        ibv_qp_init_attr.send_cq(attributes, MemorySegment.ofAddress(queue.handle()));
        ibv_qp_init_attr.recv_cq(attributes, MemorySegment.ofAddress(queue.handle()));
        MemorySegment sizes = ibv_qp_init_attr.cap(attributes);
        ibv_qp_cap.max_send_wr(sizes, 1);
        ibv_qp_cap.max_recv_wr(sizes, 1);
        ibv_qp_cap.max_send_sge(sizes, 1);
        ibv_qp_cap.max_recv_sge(sizes, 1);
        return ExportedVerb.CREATE_QP.pointer(MemorySegment.ofAddress(domain.handle()), attributes);
    }

    @Test
    void rawClockIsSecondsAndNanoseconds() {
        verbs_context.query_rt_values(
                table,
                verbs_context.query_rt_values.allocate(
                        (ctx, values) -> {
                            MemorySegment asked = values.reinterpret(ibv_values_ex.sizeof());
                            note("query 0x%x".formatted(ibv_values_ex.comp_mask(asked)));
                            timespec.tv_sec(ibv_values_ex.raw_clock(asked), 3);
                            timespec.tv_nsec(ibv_values_ex.raw_clock(asked), 5);
                            return 0;
                        },
                        arena));
        assertThat(context.queryRawClock()).isEqualTo(3_000_000_005L);
        assertThat(calls).containsExactly("query 0x1");
    }

    @Test
    void queriesFallBackWhereTheProviderHasNoEntryOrRefuses() {
        ExtendedDeviceAttributes full = context.extendedAttributes();
        PortAttributes port = context.port(1);
        verbs_context.query_device_ex(
                table,
                verbs_context.query_device_ex.allocate(
                        (ctx, input, attr, size) -> {
                            attr.reinterpret(ibv_device_attr_ex.sizeof()).fill((byte) 0x7f);
                            return Errno.ENOSYS;
                        },
                        arena));
        assertThat(context.extendedAttributes().attributes()).isEqualTo(full.attributes());
        assertThat(context.extendedAttributes().maxAdapterMemorySize()).isZero();
        verbs_context.query_device_ex(table, MemorySegment.NULL);
        assertThat(context.extendedAttributes().attributes()).isEqualTo(full.attributes());
        verbs_context.query_port(table, MemorySegment.NULL);
        assertThat(context.port(1).state()).isEqualTo(port.state());
        assertThat(context.port(1).activeWidth()).isEqualTo(port.activeWidth());
    }
}
