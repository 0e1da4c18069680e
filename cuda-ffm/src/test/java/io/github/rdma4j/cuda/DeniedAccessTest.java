// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Calls in a JVM that denies native access. {@link UnavailabilityTest} checks the reason that {@link Cuda} reports
 * there.
 */
class DeniedAccessTest {
    @Test
    void noClassFailsToLoadWhicheverAProgramTouchesFirst() throws Exception {
        assertThat(FirstTouch.errors(Cuda.class)).isEmpty();
    }
}
