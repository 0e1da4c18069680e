// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.AccessFlag.HUGETLB;
import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.MW_BIND;
import static io.github.rdma4j.verbs.AccessFlag.ON_DEMAND;
import static io.github.rdma4j.verbs.AccessFlag.RELAXED_ORDERING;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.ZERO_BASED;
import static io.github.rdma4j.verbs.SendFlags.SIGNALED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.device.OnDemandPagingCapabilities;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The flags and addresses that memory can be registered with, and the kinds of memory that SoftRoCE does not have:
 * there, that the refusal says what it is.
 */
@Tag("device")
class RegistrationDeviceTest {
    private static final int SIZE = 8192;

    private final ConnectedPair pair = new ConnectedPair(SIZE, config -> config.maxInlineData(16));
    private Arena arena;
    private MemorySegment memory;

    @BeforeEach
    void allocate() {
        arena = Arena.ofShared();
        memory = arena.allocate(SIZE, 4096);
    }

    @AfterEach
    void close() {
        pair.close();
        arena.close();
    }

    private void write(String text, RemoteMemory target) {
        pair.buffer.segment().setString(0, text);
        assertThat(pair.pair.tryPostWrite(1, pair.buffer.slice(0, 32), target.slice(0, 32), SIGNALED))
                .isTrue();
        WorkCompletion completion = pair.await();
        assertThat(completion.isSuccess()).as(completion.describe()).isTrue();
    }

    @Test
    void workRequestsNameMemoryByTheAddressThatWasChosen() {
        long iova = 0x7000_0000_0000L;
        MemoryRegion region = pair.domain.registerMemory(memory, iova, LOCAL_WRITE, REMOTE_WRITE);
        assertThat(region.address()).isEqualTo(iova);
        assertThat(region.segment()).isSameAs(memory);
        assertThat(region.remoteMemory()).isEqualTo(new RemoteMemory(iova, SIZE, region.remoteKey()));
        write("at an address of our own", region.remoteMemory().slice(4096, 64));
        assertThat(memory.getString(4096)).isEqualTo("at an address of our own");
        // And as the local side.
        assertThat(pair.pair.tryPostWrite(
                        2,
                        region.slice(4096, 32),
                        pair.peerBuffer.remoteMemory().slice(0, 32),
                        SIGNALED))
                .isTrue();
        assertThat(pair.await().isSuccess()).isTrue();
        assertThat(pair.peerBuffer.segment().getString(0)).isEqualTo("at an address of our own");
    }

    @Test
    void zeroBasedRegionIsNamedByOffsets() {
        if (KernelVersion.isAtLeast(6, 12)) { // SoftRoCE has come to look at the flags
            assertThatThrownBy(() -> pair.domain.registerMemory(memory, LOCAL_WRITE, REMOTE_WRITE, ZERO_BASED))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("ZERO_BASED");
            return;
        }
        MemoryRegion region = pair.domain.registerMemory(memory, LOCAL_WRITE, REMOTE_WRITE, ZERO_BASED);
        assertThat(region.address()).isZero();
        assertThat(region.slice(memory.asSlice(100, 50)).offset()).isEqualTo(100);
        write("offset", new RemoteMemory(4096, 64, region.remoteKey()));
        assertThat(memory.getString(4096)).isEqualTo("offset");
    }

    @Test
    void flagsThatEveryDeviceTakes() {
        for (List<AccessFlag> flags : List.of(
                List.<AccessFlag>of(),
                List.of(REMOTE_READ),
                List.of(LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC),
                List.of(LOCAL_WRITE, MW_BIND),
                List.of(LOCAL_WRITE, REMOTE_WRITE, RELAXED_ORDERING))) {
            AccessFlag[] array = flags.toArray(new AccessFlag[0]);
            try (MemoryRegion region = pair.domain.registerMemory(memory, array)) {
                for (AccessFlag flag : AccessFlag.values()) {
                    assertThat(region.allows(flag)).as(flag + " of " + flags).isEqualTo(flags.contains(flag));
                }
            }
        }
    }

    @Test
    void relaxedOrderingCarriesData() {
        MemoryRegion region = pair.domain.registerMemory(memory, LOCAL_WRITE, REMOTE_WRITE, RELAXED_ORDERING);
        write("in any order", region.remoteMemory());
        assertThat(memory.getString(0)).isEqualTo("in any order");
    }

    @Test
    void flagsThatDoNotGoTogetherAreRefusedBeforeTheCall() {
        assertThatThrownBy(() -> pair.domain.registerMemory(memory, REMOTE_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("REMOTE_WRITE also needs LOCAL_WRITE");
        assertThatThrownBy(() -> pair.domain.registerMemory(memory, REMOTE_ATOMIC, REMOTE_READ))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("REMOTE_ATOMIC also needs LOCAL_WRITE");
        assertThatThrownBy(() -> pair.domain.registerMemory(memory, HUGETLB))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("HUGETLB goes with ON_DEMAND");
        assertThatThrownBy(() -> pair.domain.registerMemory(memory.asSlice(8), ZERO_BASED))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ZERO_BASED, 0x0")
                .hasMessageContaining("page of 4096 bytes");
        assertThatThrownBy(() -> pair.domain.registerMemory(memory, 100L, LOCAL_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0x64");
        assertThatThrownBy(() -> pair.domain.registerAddressSpace(REMOTE_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs LOCAL_WRITE");
        assertThatThrownBy(() -> pair.domain.registerAddressSpace(HUGETLB))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the whole address space cannot be registered with HUGETLB");
        assertThatThrownBy(() -> pair.domain.registerDmaBuf(0, 0, 4096, 0, MW_BIND))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("[MW_BIND]: a dma-buf can be registered with [LOCAL_WRITE");
        assertThatThrownBy(() -> pair.domain.registerDmaBuf(0, 4096, 4096, 8, LOCAL_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the offset, 0x1000");
        assertThatThrownBy(() -> pair.domain.registerDmaBuf(-1, 0, 4096, 0, LOCAL_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("file descriptor -1");
        assertThatThrownBy(() -> pair.domain.registerMemory(config -> config.access(LOCAL_WRITE)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nothing to register");
    }

    @Test
    void configurationRegistersTheSame() {
        MemoryRegion region = pair.domain.registerMemory(
                config -> config.segment(memory).iova(0x10000).access(LOCAL_WRITE, REMOTE_WRITE));
        assertThat(region.address()).isEqualTo(0x10000);
        write("configured", region.remoteMemory());
        assertThat(memory.getString(0)).isEqualTo("configured");
        assertThat(pair.domain.registerMemory(config -> config.segment(memory)).address())
                .isEqualTo(memory.address());
    }

    @Test
    void bareAddressesAreRegisteredWithoutASegment() {
        MemoryRegion region = pair.domain.registerMemory(
                config -> config.address(memory.address() + 16, 1000).access(LOCAL_WRITE, REMOTE_WRITE));
        assertThat(region.address()).isEqualTo(memory.address() + 16);
        assertThat(region.length()).isEqualTo(1000);
        assertThat(region.hasSegment()).isFalse();
        write("to an address", region.remoteMemory());
        assertThat(memory.getString(16)).isEqualTo("to an address");
        // The process cannot read this memory.
        assertThatThrownBy(() -> region.slice(memory.asSlice(32, 8)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("has no segment");
        assertThatThrownBy(() -> pair.pair.tryPostWrite(
                        1, region.slice(0, 8), pair.peerBuffer.remoteMemory().slice(0, 8), SendFlags.INLINE))
                .isInstanceOf(UnsupportedOperationException.class);
        MemoryRegion moved = pair.domain.registerMemory(
                config -> config.address(memory.address(), SIZE).iova(0x20000).access(LOCAL_WRITE, REMOTE_WRITE));
        assertThat(moved.address()).isEqualTo(0x20000);
        write("elsewhere", moved.remoteMemory());
        assertThat(memory.getString(0)).isEqualTo("elsewhere");
        assertThatThrownBy(() -> pair.domain.registerMemory(config -> config.address(memory.address(), 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 bytes");
        // A page that nothing is mapped to.
        assertThatThrownBy(() -> pair.domain.registerMemory(
                        config -> config.address(4096, 4096).access(LOCAL_WRITE)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("EFAULT");
    }

    @Test
    void segmentNamesItsSlice() {
        MemoryRegion region = pair.domain.registerMemory(memory, LOCAL_WRITE);
        MemorySlice slice = region.slice(memory.asSlice(1000, 24));
        assertThat(slice.offset()).isEqualTo(1000);
        assertThat(slice.length()).isEqualTo(24);
        assertThatThrownBy(() -> region.slice(arena.allocate(16))).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> region.slice(MemorySegment.ofArray(new byte[3])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("on the heap");
    }

    @Test
    void memoryIsNotPinnedWhereTheDeviceCanPageAndRefusedInWordsElsewhere() {
        OnDemandPagingCapabilities can = pair.device.extendedAttributes().onDemandPaging();
        if (can.rc().contains(OnDemandPagingCapabilities.Operation.WRITE)) { // SoftRoCE since Linux 6.15
            MemoryRegion region = pair.domain.registerMemory(memory, LOCAL_WRITE, REMOTE_WRITE, ON_DEMAND);
            write("into an untouched page", region.remoteMemory().slice(4096, 64));
            assertThat(memory.getString(4096)).isEqualTo("into an untouched page");
        } else {
            assertThatThrownBy(() -> pair.domain.registerMemory(memory, LOCAL_WRITE, ON_DEMAND))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("access=[LOCAL_WRITE, ON_DEMAND]")
                    .hasMessageContaining("no on-demand paging");
        }
    }

    @Test
    void allMemoryIsRegisteredAtOnceWhereTheDeviceCanPageSoAndRefusedInWordsElsewhere() {
        if (pair.device.extendedAttributes().onDemandPaging().implicitSupported()) {
            MemoryRegion all = pair.domain.registerAddressSpace(LOCAL_WRITE, REMOTE_WRITE);
            write("anywhere", new RemoteMemory(memory.address(), SIZE, all.remoteKey()));
            assertThat(memory.getString(0)).isEqualTo("anywhere");
        } else {
            assertThatThrownBy(() -> pair.domain.registerAddressSpace(LOCAL_WRITE))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("length=SIZE_MAX")
                    .hasMessageContaining("no on-demand paging");
        }
    }

    @Test
    void adviceIsForOnDemandMemoryOnly() {
        assertThatThrownBy(() -> pair.domain.adviseMemory(MemoryAdvice.PREFETCH, true, pair.buffer.slice()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("without ON_DEMAND");
        assertThatThrownBy(() -> pair.domain.adviseMemory(MemoryAdvice.PREFETCH, true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no slices");
    }

    @Test
    void reregistrationIsRefusedAndTheRegionStands() {
        MemoryRegion region = pair.domain.registerMemory(memory, LOCAL_WRITE);
        assertThatThrownBy(() -> region.reregister(change -> change.access(LOCAL_WRITE, REMOTE_WRITE)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_rereg_mr(0x")
                .hasMessageContaining("access=[LOCAL_WRITE, REMOTE_WRITE]");
        ProtectionDomain other = pair.device.allocateProtectionDomain();
        assertThatThrownBy(() -> region.reregister(change -> change.protectionDomain(other)))
                .isInstanceOf(UnsupportedVerbException.class);
        assertThatThrownBy(() -> region.reregister(change -> change.segment(arena.allocate(4096))))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("length=4096");
        assertThat(region.isOpen()).isTrue();
        assertThat(region.protectionDomain()).isSameAs(pair.domain);
        assertThat(region.allows(REMOTE_WRITE)).isFalse();
        assertThat(region.length()).isEqualTo(SIZE);
        assertThatThrownBy(() -> region.reregister(change -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nothing to change");
        assertThatThrownBy(() -> region.reregister(change -> change.access(REMOTE_WRITE)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs LOCAL_WRITE");
        try (DeviceContext foreign = TestDevice.open()) {
            ProtectionDomain elsewhere = foreign.allocateProtectionDomain();
            assertThatThrownBy(() -> region.reregister(change -> change.protectionDomain(elsewhere)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("another device context");
        }
    }

    @Test
    void memoryThatTheDeviceLacksIsRefusedInWords() {
        assertThatThrownBy(pair.domain::allocateNullMemoryRegion)
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_alloc_null_mr");
        assertThatThrownBy(() -> pair.device.allocateAdapterMemory(4096, 3))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_alloc_dm(")
                .hasMessageContaining("length=4096");
        assertThatThrownBy(() -> pair.device.allocateAdapterMemory(0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> pair.device.importAdapterMemory(7, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("device memory of 0 bytes");
        assertThatThrownBy(() -> pair.device.importAdapterMemory(7, 4096))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_import_dm(")
                .hasMessageContaining("handle=7");
        assertThat(pair.domain.supportsDmaBuf()).isFalse();
        assertThatThrownBy(() -> pair.domain.registerDmaBuf(1, 0, 4096, 0, LOCAL_WRITE))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_reg_dmabuf_mr(fd=1, offset=0, length=4096, iova=0x0, access=[LOCAL_WRITE])");
        assertThatThrownBy(() -> pair.domain.registerMemory(
                        config -> config.dmaBuf(1, 0, 4096).iova(0x1000).access(LOCAL_WRITE)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("iova=0x1000");
    }

    /**
     * Returns whether the installed library has a function. If not, a call of it is refused with the version that has
     * it.
     */
    private static boolean libraryHas(String function) {
        return SymbolLookup.libraryLookup("libibverbs.so.1", Arena.global())
                .find(function)
                .isPresent();
    }

    @Test
    void dmaHandleNeedsANewLibraryAndAnAdapterWithHints() {
        assertThatThrownBy(() -> pair.device.allocateDmaHandle(config -> config.processor(0)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_alloc_dmah")
                .hasMessageContaining(
                        libraryHas("ibv_alloc_dmah") ? "cpu_id=0, ph=none" : "it needs rdma-core 59 or later");
        assertThatThrownBy(() -> pair.device.allocateDmaHandle(config -> config.processingHint(4)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0..3");
        assertThatThrownBy(() -> pair.device.allocateDmaHandle(config -> config.processor(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void bufferOfTheProviderNeedsANewLibrary() {
        assertThatThrownBy(() -> pair.domain.allocateBuffer(0)).isInstanceOf(IllegalArgumentException.class);
        if (!libraryHas("ibv_alloc_buf")) {
            assertThatThrownBy(() -> pair.domain.allocateBuffer(4096))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("ibv_alloc_buf")
                    .hasMessageContaining("it needs rdma-core 64 or later");
            return;
        }
        ProviderBuffer buffer = pair.domain.allocateBuffer(SIZE);
        assertThat(buffer.segment().byteSize()).isEqualTo(SIZE);
        MemoryRegion region = buffer.register(4096, 4096, LOCAL_WRITE, REMOTE_WRITE);
        write("into the provider's buffer", region.remoteMemory());
        assertThat(buffer.segment().getString(4096)).isEqualTo("into the provider's buffer");
        assertThatThrownBy(() -> buffer.register(4096, 4097, LOCAL_WRITE))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(buffer::exportDmaBuf).isInstanceOf(VerbsException.class);
        MemorySegment segment = buffer.segment();
        buffer.close();
        assertThat(region.isOpen()).isFalse();
        assertThatThrownBy(() -> segment.fill((byte) 1)).isInstanceOf(IllegalStateException.class);
    }
}
