// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A JVM that denies native access; what {@link Cuda} says there, {@link UnavailabilityTest} asks. */
class DeniedAccessTest {
    @Test
    void noClassFailsToLoadWhicheverAProgramTouchesFirst() throws Exception {
        assertThat(FirstTouch.errors(Cuda.class)).isEmpty();
    }
}
