// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.ON_DEMAND;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.ZERO_BASED;
import static io.github.rdma4j.verbs.SendFlags.SIGNALED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.bindings.ibv_alloc_dm_attr;
import io.github.rdma4j.verbs.bindings.ibv_dm;
import io.github.rdma4j.verbs.bindings.ibv_sge;
import io.github.rdma4j.verbs.bindings.verbs_context;
import io.github.rdma4j.verbs.internal.RegistrationCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Kinds of memory that SoftRoCE lacks, with a stand-in for its driver's functions: host memory plays the device's. It
 * shows that arguments, order and addresses are right by verbs.h, and not their effect on an adapter.
 */
@Tag("device")
class RegistrationStandInDeviceTest {
    private static final int SIZE = 8192;

    private final ConnectedPair pair = new ConnectedPair(SIZE);
    private final Arena arena = Arena.ofShared();
    private final List<String> calls = new ArrayList<>();
    private MemorySegment driver;
    private MemorySegment backing;

    @BeforeEach
    void replaceTheDriver() {
        driver = MemorySegment.ofAddress(pair.device.handle() - verbs_context.context$offset())
                .reinterpret(verbs_context.sizeof());
        backing = arena.allocate(SIZE, 4096);
        verbs_context.alloc_dm(driver, verbs_context.alloc_dm.allocate(this::allocate, arena));
        verbs_context.free_dm(
                driver,
                verbs_context.free_dm.allocate(
                        memory -> {
                            calls.add("free");
                            return 0;
                        },
                        arena));
        verbs_context.reg_dm_mr(
                driver,
                verbs_context.reg_dm_mr.allocate(
                        (pd, memory, offset, length, access) -> {
                            calls.add("register %d %d 0x%x".formatted(offset, length, access));
                            int host = access & ~AccessFlag.mask(ZERO_BASED);
                            return RegistrationCalls.regMr(pd, backing.address() + offset, length, 0, host);
                        },
                        arena));
    }

    @AfterEach
    void close() {
        pair.close();
        arena.close();
    }

    private MemorySegment allocate(MemorySegment context, MemorySegment attributes) {
        MemorySegment asked = attributes.reinterpret(ibv_alloc_dm_attr.sizeof());
        calls.add("allocate %d %d".formatted(ibv_alloc_dm_attr.length(asked), ibv_alloc_dm_attr.log_align_req(asked)));
        MemorySegment memory = ibv_dm.allocate(arena);
        ibv_dm.context(memory, context);
        ibv_dm.handle(memory, 77);
        ibv_dm.memcpy_to_dm(
                memory,
                ibv_dm.memcpy_to_dm.allocate(
                        (dm, offset, source, length) -> {
                            if (length % 4 != 0) {
                                return 22;
                            }
                            MemorySegment.copy(source.reinterpret(length), 0, backing, offset, length);
                            return 0;
                        },
                        arena));
        ibv_dm.memcpy_from_dm(
                memory,
                ibv_dm.memcpy_from_dm.allocate(
                        (target, dm, offset, length) -> {
                            MemorySegment.copy(backing, offset, target.reinterpret(length), 0, length);
                            return 0;
                        },
                        arena));
        return memory;
    }

    @Test
    void deviceMemoryIsCopiedInAndOut() {
        AdapterMemory memory = pair.device.allocateAdapterMemory(SIZE, 6);
        assertThat(calls).containsExactly("allocate 8192 6");
        assertThat(memory.length()).isEqualTo(SIZE);
        assertThat(memory.kernelHandle()).isEqualTo(77);
        MemorySegment host = arena.allocate(64);
        host.setString(0, "in and out");
        memory.copyFrom(4096, host);
        assertThat(backing.getString(4096)).isEqualTo("in and out");
        MemorySegment back = arena.allocate(32);
        memory.copyTo(4096, back);
        assertThat(back.getString(0)).isEqualTo("in and out");
        assertThatThrownBy(() -> memory.copyFrom(SIZE - 32, host)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> memory.copyTo(-4, back)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> memory.copyFrom(0, MemorySegment.ofArray(new byte[4])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("native memory only");
        assertThatThrownBy(() -> memory.copyTo(0, back.asReadOnly())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> memory.copyFrom(0, host.asSlice(0, 3)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ibv_memcpy_to_dm(offset=0, length=3) failed: EINVAL");
        memory.close();
        assertThat(calls).endsWith("free");
        assertThatThrownBy(() -> memory.copyTo(0, back)).isInstanceOf(IllegalStateException.class);
    }

    /** As libmana leaves them: it takes memory as it comes, and fills in neither. */
    @Test
    void whereTheDriverHasNoCopiesNothingElseIsCalled() {
        for (MemorySegment leftThere : List.of(MemorySegment.NULL, backing)) {
            verbs_context.alloc_dm(
                    driver,
                    verbs_context.alloc_dm.allocate(
                            (context, attributes) -> {
                                MemorySegment memory = ibv_dm.allocate(arena);
                                ibv_dm.memcpy_to_dm(memory, leftThere);
                                ibv_dm.memcpy_from_dm(memory, leftThere);
                                return memory;
                            },
                            arena));
            AdapterMemory memory = pair.device.allocateAdapterMemory(SIZE, 0);
            MemorySegment host = arena.allocate(64);
            assertThatThrownBy(() -> memory.copyFrom(0, host))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("ibv_memcpy_to_dm")
                    .hasMessageContaining("work requests alone reach its memory");
            assertThatThrownBy(() -> memory.copyTo(0, host))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("ibv_memcpy_from_dm");
            memory.close();
        }
    }

    @Test
    void regionOfAdapterMemoryHasNoSegmentAndIsNamedByOffsets() {
        AdapterMemory memory = pair.device.allocateAdapterMemory(SIZE, 0);
        MemoryRegion region = pair.domain.registerAdapterMemory(memory, 4096, 4096, LOCAL_WRITE, REMOTE_WRITE);
        assertThat(calls)
                .endsWith("register 4096 4096 0x%x".formatted(AccessFlag.mask(LOCAL_WRITE, REMOTE_WRITE, ZERO_BASED)));
        assertThat(region.hasSegment()).isFalse();
        assertThat(region.address()).isZero();
        assertThat(region.length()).isEqualTo(4096);
        assertThatThrownBy(region::segment)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("has no segment");
        pair.buffer.segment().setString(0, "to the device");
        assertThat(pair.pair.tryPostWrite(
                        1, pair.buffer.slice(0, 16), region.remoteMemory().slice(64, 16), SIGNALED))
                .isTrue();
        WorkCompletion written = pair.await();
        assertThat(written.isSuccess()).as(written.describe()).isTrue();
        assertThat(backing.getString(4096 + 64)).isEqualTo("to the device");
        // And as the local side.
        assertThat(pair.pair.tryPostWrite(
                        2, region.slice(64, 16), pair.peerBuffer.remoteMemory().slice(0, 16), SIGNALED))
                .isTrue();
        assertThat(pair.await().isSuccess()).isTrue();
        assertThat(pair.peerBuffer.segment().getString(0)).isEqualTo("to the device");
        assertThatThrownBy(() -> pair.domain.registerAdapterMemory(memory, 4096, 4097))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> pair.domain.registerAdapterMemory(memory, 0, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> pair.domain.registerAdapterMemory(memory, 0, 64, ON_DEMAND))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("device memory cannot be registered with ON_DEMAND");
        memory.close();
        assertThat(region.isOpen()).isFalse();
        assertThat(calls).endsWith("free");
    }

    @Test
    void nullRegionTakesEverySize() {
        verbs_context.alloc_null_mr(
                driver,
                verbs_context.alloc_null_mr.allocate(
                        pd -> RegistrationCalls.regMr(pd, backing.address(), SIZE, backing.address(), 1), arena));
        MemoryRegion region = pair.domain.allocateNullMemoryRegion();
        assertThat(region.hasSegment()).isFalse();
        assertThat(region.length()).isEqualTo(Long.MAX_VALUE);
        MemorySlice slice = region.slice(123, 1L << 40);
        assertThat(slice.length()).isEqualTo(1L << 40);
        assertThat(region.allows(LOCAL_WRITE)).isTrue();
        assertThat(region.allows(REMOTE_WRITE)).isFalse();
    }

    @Test
    void adviceNamesItsSlices() {
        List<String> advice = new ArrayList<>();
        verbs_context.advise_mr(
                driver,
                verbs_context.advise_mr.allocate(
                        (pd, what, flags, list, count) -> {
                            MemorySegment entries = list.reinterpret(count * ibv_sge.sizeof());
                            for (int i = 0; i < count; i++) {
                                MemorySegment entry = ibv_sge.asSlice(entries, i);
                                advice.add("%d %d 0x%x %d 0x%x"
                                        .formatted(
                                                what,
                                                flags,
                                                ibv_sge.addr(entry),
                                                Integer.toUnsignedLong(ibv_sge.length(entry)),
                                                ibv_sge.lkey(entry)));
                            }
                            return what == 2 ? 95 : 0;
                        },
                        arena));
        // A region that claims to be on demand, because SoftRoCE registers none.
        MemorySegment nativeRegion = RegistrationCalls.regMr(
                pair.domain.segment(), backing.address(), SIZE, backing.address(), AccessFlag.mask(LOCAL_WRITE));
        MemoryRegion region = pair.domain.createChild(() -> new MemoryRegion(
                pair.domain,
                new MemoryRegistration(nativeRegion, null, 0, Long.MAX_VALUE, AccessFlag.mask(LOCAL_WRITE, ON_DEMAND)),
                null));
        MemorySlice whole = region.slice(backing);
        assertThat(whole.offset()).isEqualTo(backing.address());
        pair.domain.adviseMemory(MemoryAdvice.PREFETCH_WRITE, true, whole, region.slice(backing.asSlice(100, 5)));
        assertThat(advice)
                .containsExactly(
                        "1 1 0x%x 8192 0x%x".formatted(backing.address(), region.localKey()),
                        "1 1 0x%x 5 0x%x".formatted(backing.address() + 100, region.localKey()));
        assertThatThrownBy(() -> pair.domain.adviseMemory(MemoryAdvice.PREFETCH_NO_FAULT, false, whole))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_advise_mr(PREFETCH_NO_FAULT, no flags, 1 slices)");
        assertThatThrownBy(() -> pair.domain.adviseMemory(MemoryAdvice.PREFETCH, false, region.slice(0, 1L << 33)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 4294967295 bytes");
        assertThat(backing.get(ValueLayout.JAVA_BYTE, 0)).isZero();
    }
}
