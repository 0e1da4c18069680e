// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the allocator alone: blocks never overlap, all memory comes back, and no more is lost than the buddy system
 * must lose.
 */
class BuddyAllocatorTest {
    private static final long SIZE = 1 << 20;
    private static final long MIN = 256;

    @Test
    void blocksAreOfPowersOfTwoAndAligned() {
        BuddyAllocator allocator = new BuddyAllocator(4096, 256);
        assertThat(allocator.blockSize(1)).isEqualTo(256);
        assertThat(allocator.blockSize(256)).isEqualTo(256);
        assertThat(allocator.blockSize(257)).isEqualTo(512);
        assertThat(allocator.allocate(1)).isZero();
        assertThat(allocator.allocate(1000)).isEqualTo(1024);
        assertThat(allocator.allocate(512)).isEqualTo(512);
        assertThat(allocator.allocate(100)).isEqualTo(256);
        assertThat(allocator.largestFree()).isEqualTo(2048);
        assertThat(allocator.freeBytes()).isEqualTo(2048);
        assertThat(allocator.allocate(2049)).isEqualTo(BuddyAllocator.NONE);
        assertThat(allocator.allocate(2048)).isEqualTo(2048);
        assertThat(allocator.largestFree()).isZero();
        assertThat(allocator.allocate(1)).isEqualTo(BuddyAllocator.NONE);
    }

    @Test
    void buddiesBecomeOneBlockAgain() {
        BuddyAllocator allocator = new BuddyAllocator(1024, 256);
        for (int i = 0; i < 4; i++) {
            assertThat(allocator.allocate(256)).isEqualTo(i * 256);
        }
        assertThat(allocator.free(256)).isEqualTo(256);
        assertThat(allocator.free(512)).isEqualTo(256);
        // Side by side, but not buddies.
        assertThat(allocator.largestFree()).isEqualTo(256);
        allocator.free(0);
        assertThat(allocator.largestFree()).isEqualTo(512);
        allocator.free(768);
        assertThat(allocator.largestFree()).isEqualTo(1024);
        assertThat(allocator.isUnused()).isTrue();
        assertThat(allocator.allocate(1024)).isZero();
        assertThat(allocator.free(0)).isEqualTo(1024);
    }

    @Test
    void blockOfOneLeafIsTheWholeRange() {
        BuddyAllocator allocator = new BuddyAllocator(12_345, 12_345);
        assertThat(allocator.allocate(9999)).isZero();
        assertThat(allocator.allocate(1)).isEqualTo(BuddyAllocator.NONE);
        assertThat(allocator.free(0)).isEqualTo(12_345);
        assertThat(allocator.isUnused()).isTrue();
    }

    @Test
    void unallocatedBlockCannotBeFreed() {
        BuddyAllocator allocator = new BuddyAllocator(4096, 256);
        assertThatThrownBy(() -> allocator.free(0)).isInstanceOf(IllegalStateException.class);
        allocator.allocate(512);
        assertThatThrownBy(() -> allocator.free(256))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no block at offset 256 is allocated");
        allocator.free(0);
        assertThatThrownBy(() -> allocator.free(0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> new BuddyAllocator(3000, 1000)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new BuddyAllocator(4096, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new BuddyAllocator(4096, 300)).isInstanceOf(IllegalArgumentException.class);
    }

    /** Against a plain map of what is given out. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void randomAllocationsNeverOverlapAndAllComeBack(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        BuddyAllocator allocator = new BuddyAllocator(SIZE, MIN);
        TreeMap<Long, Long> blocks = new TreeMap<>();
        long used = 0;
        for (int step = 0; step < 20_000; step++) {
            if (blocks.isEmpty() || random.nextInt(100) < 52) {
                long size = 1 + random.nextLong(1L << random.nextInt(1, 18));
                long block = allocator.blockSize(size);
                boolean promised = allocator.largestFree() >= block;
                long offset = allocator.allocate(size);
                assertThat(offset >= 0).isEqualTo(promised);
                if (offset < 0) {
                    continue;
                }
                assertThat(offset % block).isZero();
                assertThat(offset + block).isLessThanOrEqualTo(SIZE);
                Map.Entry<Long, Long> before = blocks.floorEntry(offset);
                assertThat(before == null || before.getKey() + before.getValue() <= offset)
                        .isTrue();
                Map.Entry<Long, Long> after = blocks.ceilingEntry(offset);
                assertThat(after == null || after.getKey() >= offset + block).isTrue();
                blocks.put(offset, block);
                used += block;
            } else {
                List<Long> offsets = new ArrayList<>(blocks.keySet());
                long offset = offsets.get(random.nextInt(offsets.size()));
                long block = blocks.remove(offset);
                assertThat(allocator.free(offset)).isEqualTo(block);
                used -= block;
            }
            assertThat(allocator.freeBytes()).isEqualTo(SIZE - used);
            assertThat(allocator.isUnused()).isEqualTo(blocks.isEmpty());
        }
        blocks.keySet().forEach(allocator::free);
        assertThat(allocator.isUnused()).isTrue();
        assertThat(allocator.largestFree()).isEqualTo(SIZE);
    }

    /** Rounding up wastes less than half, and all free memory can be allocated in pieces of the smallest block. */
    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    void fragmentationIsBounded(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        BuddyAllocator allocator = new BuddyAllocator(SIZE, MIN);
        long requested = 0;
        long used = 0;
        for (int i = 0; i < 10_000; i++) {
            long size = MIN / 2 + 1 + random.nextLong(20_000);
            if (allocator.allocate(size) >= 0) {
                requested += size;
                used += allocator.blockSize(size);
            }
        }
        assertThat(used).isLessThan(2 * requested);
        long pieces = 0;
        while (allocator.allocate(MIN) >= 0) {
            pieces++;
        }
        assertThat(used + pieces * MIN).isEqualTo(SIZE);
    }
}
