// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GroupTimesTest {
    @Test
    void nothingRecordedHasNoPeak() {
        GroupTimes times = new GroupTimes(0);
        assertThat(times.recording()).isFalse();
        times.posted(1, 0);
        times.completed(2, 1);
        assertThat(times.peak()).isZero();
    }

    @Test
    void oneGroupIsItsOwnPeak() {
        GroupTimes times = new GroupTimes(1);
        times.posted(100, 0);
        times.completed(300, 10);
        assertThat(times.peak()).isEqualTo(10.0 / 200);
        times.clear();
        assertThat(times.peak()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void hullFindsWhatComparingAllPairsFinds(int seed) {
        Random random = new Random(seed);
        int groups = 200;
        long[] postAt = new long[groups];
        long[] before = new long[groups];
        long[] doneAt = new long[groups];
        long[] done = new long[groups];
        GroupTimes times = new GroupTimes(groups);
        long clock = 0;
        int posted = 0;
        int completed = 0;
        int size = 1 + random.nextInt(100);
        while (completed < groups) {
            clock += 1 + random.nextInt(random.nextInt(10) == 0 ? 1000 : 50);
            if (posted < groups && posted - completed < 8 && random.nextBoolean()) {
                postAt[posted] = clock;
                before[posted] = (long) posted * size;
                times.posted(clock, before[posted++]);
            } else if (completed < posted) {
                doneAt[completed] = clock;
                done[completed] = (long) (completed + 1) * size;
                times.completed(clock, done[completed++]);
            }
        }
        double best = 0;
        for (int i = 0; i < groups; i++) {
            for (int j = i; j < groups; j++) {
                best = Math.max(best, (double) (done[j] - before[i]) / (doneAt[j] - postAt[i]));
            }
        }
        assertThat(times.peak()).isCloseTo(best, within(1e-12));
    }
}
