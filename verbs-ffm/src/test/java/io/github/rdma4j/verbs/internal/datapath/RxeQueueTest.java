// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.internal.PageSize;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is taken for a ring, and what is not followed. */
class RxeQueueTest {
    private static final long OFFSET = 0x12000;
    private static final long ELEMENT = 64;
    private static final String DEVICE = "/dev/infiniband/uverbs0";

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment ring = arena.allocate(2 * PageSize.BYTES, PageSize.BYTES);
    private final MemorySegment place = arena.allocate(24, 8);
    private final long size = RxeLayout.DATA + 64 * ELEMENT;

    RxeQueueTest() {
        ring.set(JAVA_INT, RxeLayout.LOG2_ELEMENT_SIZE, 6);
        ring.set(JAVA_INT, RxeLayout.INDEX_MASK, 63);
        place.set(JAVA_LONG, RxeLayout.MAPPING_OFFSET, OFFSET);
        place.set(JAVA_INT, RxeLayout.MAPPING_SIZE, (int) size);
        place.set(JAVA_LONG, RxeLayout.MAPPING_BYTES, ring.address());
    }

    private boolean isFound(MemoryMap.Region mapping) {
        long page = place.address();
        MemoryMap map = new MemoryMap(List.of(new MemoryMap.Region(page, page + 24, "rw-p", 0, "[heap]"), mapping));
        return RxeQueue.at(map, page, 48).isPresent();
    }

    private MemoryMap.Region mapping(long start, long length, String access, long offset, String path) {
        return new MemoryMap.Region(ring.address() + start, ring.address() + start + length, access, offset, path);
    }

    private MemoryMap.Region good() {
        return mapping(0, 2 * PageSize.BYTES, "rw-s", OFFSET, DEVICE);
    }

    @Test
    void theMappingOfADeviceThatItsOwnerNamesIsARing() {
        assertThat(isFound(good())).isTrue();
    }

    @Test
    void anotherMappingIsNotFollowed() {
        long length = 2 * PageSize.BYTES;
        assertThat(isFound(mapping(-64, length + 64, "rw-s", OFFSET, DEVICE))).isFalse();
        assertThat(isFound(mapping(0, length + PageSize.BYTES, "rw-s", OFFSET, DEVICE)))
                .isFalse();
        assertThat(isFound(mapping(0, PageSize.BYTES, "rw-s", OFFSET, DEVICE))).isFalse();
        assertThat(isFound(mapping(0, length, "r--s", OFFSET, DEVICE))).isFalse();
        assertThat(isFound(mapping(0, length, "rw-p", OFFSET, DEVICE))).isFalse();
        assertThat(isFound(mapping(0, length, "rw-s", OFFSET + PageSize.BYTES, DEVICE)))
                .isFalse();
        assertThat(isFound(mapping(0, length, "rw-s", OFFSET, "/dev/shm/queue")))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        // log2_elem_size, index_mask, producer_index, consumer_index
        "0, 63, 0, 0",
        "40, 63, 0, 0",
        "-1, 63, 0, 0",
        "5, 63, 0, 0", // too small for a completion of 48 bytes
        "6, 62, 0, 0",
        "6, 0, 0, 0",
        "6, -1, 0, 0",
        "6, 127, 0, 0",
        "6, 2147483647, 0, 0",
        "6, 63, 64, 0",
        "6, 63, 0, 64",
        "6, 63, -1, 0",
        "6, 63, 0, -1"
    })
    void aHeadThatCannotBeOneIsNone(int log2, int mask, int producer, int consumer) {
        ring.set(JAVA_INT, RxeLayout.LOG2_ELEMENT_SIZE, log2);
        ring.set(JAVA_INT, RxeLayout.INDEX_MASK, mask);
        ring.set(JAVA_INT, RxeLayout.PRODUCER_INDEX, producer);
        ring.set(JAVA_INT, RxeLayout.CONSUMER_INDEX, consumer);
        assertThat(isFound(good())).isFalse();
    }

    @Test
    void whatIsSmallerThanAHeadIsNoRing() {
        place.set(JAVA_INT, RxeLayout.MAPPING_SIZE, (int) RxeLayout.DATA);
        assertThat(isFound(mapping(0, PageSize.BYTES, "rw-s", OFFSET, DEVICE))).isFalse();
    }

    @Test
    void aPlaceThatCannotBeReadIsNotRead() {
        assertThat(RxeQueue.at(new MemoryMap(List.of(good())), 8, 48)).isEmpty();
    }

    @Test
    void theKernelsListOfMappingsIsUnderstood() throws Exception {
        MemoryMap map = MemoryMap.parse(List.of(
                "7f0a1000-7f0a3000 rw-s 00012000 00:06 341                        /dev/infiniband/uverbs0 (deleted)",
                "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]",
                "7f0b0000-7f0b1000 rw-p 00000000 00:00 0 "));
        assertThat(map.regions())
                .containsExactly(
                        new MemoryMap.Region(
                                0x7f0a1000L, 0x7f0a3000L, "rw-s", OFFSET, "/dev/infiniband/uverbs0 (deleted)"),
                        new MemoryMap.Region(0xffffffffff600000L, 0xffffffffff601000L, "--xp", 0, "[vsyscall]"),
                        new MemoryMap.Region(0x7f0b0000L, 0x7f0b1000L, "rw-p", 0, ""));
        assertThat(map.canRead(0x7f0a1000L, 0x2000)).isTrue();
        assertThat(map.canRead(0x7f0a1000L, 0x2001)).isFalse();
        assertThat(map.canRead(0xffffffffff600000L, 1)).isFalse();
        assertThat(MemoryMap.read().canRead(ring.address(), ring.byteSize())).isTrue();
    }

    @Test
    void indicesGoRoundInTheRing() {
        RxeQueue queue = RxeQueue.ofHead(ring.address(), size, 48).orElseThrow();
        Consumer<Integer> isTheFirst =
                index -> assertThat(queue.element(index)).isEqualTo(ring.address() + RxeLayout.DATA);
        isTheFirst.accept(0);
        isTheFirst.accept(64);
        assertThat(queue.element(63)).isEqualTo(ring.address() + RxeLayout.DATA + 63 * ELEMENT);
        assertThat(queue.after(63)).isZero();
        assertThat(queue.distance(62, 1)).isEqualTo(3);
        queue.consumer(65);
        assertThat(queue.consumer()).isEqualTo(1);
    }
}
