// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import org.junit.jupiter.api.Test;

class LeaksTest {
    @Test
    void onlyLeaksAreFound() throws Exception {
        Leaks leaks = Leaks.begin();
        ResourceLeakDetector<Object> detector =
                ResourceLeakDetectorFactory.instance().newResourceLeakDetector(Object.class);
        Object kept = new Object();
        ResourceLeakTracker<Object> tracker = detector.track(kept);
        assertThat(leaks.found()).isEmpty();
        lose(detector);
        assertThat(leaks.found()).contains("Object was not released").contains("lost by a test");
        assertThat(tracker.close(kept)).isTrue();
    }

    private static void lose(ResourceLeakDetector<Object> detector) {
        detector.track(new Object()).record("lost by a test");
    }
}
