// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.internal.RegionAccess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Adding a region costs the same however many there are, and closed ones neither pile up nor are used. */
class ExposuresTest {
    private static final int MANY = 10_000;

    private final Exposures exposures = new Exposures();
    private final List<MemoryRegion> open = new ArrayList<>();
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(8);

    @AfterEach
    void close() {
        open.forEach(MemoryRegion::close);
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    private MemoryRegion add() {
        MemoryRegion region = MemoryRegion.withoutAdapter(memory, LOCAL_WRITE, REMOTE_READ);
        // Another region may have the same random key.
        while (!exposures.add(region)) {
            region = MemoryRegion.withoutAdapter(memory, LOCAL_WRITE, REMOTE_READ);
        }
        open.add(region);
        return region;
    }

    private MemoryRegion find(MemoryRegion region) {
        return exposures.find(region.remoteKey(), region.address(), 8, REMOTE_READ);
    }

    /** A search for closed regions removes all of them, so the number of regions shows when there was one. */
    @Test
    void addingSeldomLooksAtTheOtherRegions() {
        int searches = 0;
        for (int i = 0; i < MANY; i++) {
            add();
            add().close();
            open.removeLast();
            int before = exposures.size();
            add();
            searches += exposures.size() <= before ? 1 : 0;
        }
        assertThat(searches).isBetween(1, 32);
        assertThat(open)
                .hasSize(2 * MANY)
                .allSatisfy(region -> assertThat(find(region)).isSameAs(region));
    }

    @Test
    void closedRegionsDoNotPileUp() {
        MemoryRegion kept = add();
        for (int i = 0; i < MANY; i++) {
            MemoryRegion region = add();
            region.close();
            assertThat(find(region)).isNull();
            assertThat(exposures.size()).isLessThanOrEqualTo(32);
        }
        assertThat(find(kept)).isSameAs(kept);
    }

    @Test
    void regionsOfAClosedArenaDoNotPileUp() {
        for (int i = 0; i < MANY; i++) {
            try (Arena own = Arena.ofShared()) {
                exposures.add(MemoryRegion.withoutAdapter(own.allocate(8), LOCAL_WRITE, REMOTE_READ));
            }
            assertThat(exposures.size()).isLessThanOrEqualTo(32);
        }
    }

    /** The close returns when no thread copies any more: its caller may use the memory for something else. */
    @Test
    @Timeout(60)
    void closeWaitsForACopyAndNoOtherBegins() throws InterruptedException {
        MemoryRegion region = add();
        assertThat(Exposures.beginCopy(region)).isTrue();
        Thread closer = Thread.ofPlatform().start(region::close);
        while (region.isOpen()) {
            Thread.onSpinWait();
        }
        assertThat(Exposures.beginCopy(region)).isFalse();
        assertThat(closer.isAlive()).isTrue();
        Exposures.endCopy(region);
        closer.join();
        assertThat(Exposures.beginCopy(region)).isFalse();

        MemoryRegion closed = add();
        closed.close();
        assertThat(Exposures.beginCopy(closed)).isFalse();
        MemoryRegion withoutMemory = add();
        arena.close();
        assertThat(Exposures.beginCopy(withoutMemory)).isFalse();
    }

    @Test
    void partIsClosedWithItsRegion() {
        MemoryRegion region = add();
        MemoryRegion early = add();
        MemoryRegion part = add();
        RegionAccess.door().closeWith(early, region);
        RegionAccess.door().closeWith(part, region);
        early.close();
        assertThat(region.isOpen()).isTrue();
        assertThat(part.isOpen()).isTrue();
        region.close();
        assertThat(part.isOpen()).isFalse();
        MemoryRegion late = add();
        assertThatThrownBy(() -> RegionAccess.door().closeWith(late, region)).isInstanceOf(IllegalStateException.class);
    }
}
