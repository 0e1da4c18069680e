// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Among the classes that scripts/lib/pack-device-tests has loaded before the device tests start. */
@Tag("training")
class StartTrainingTest {
    @Test
    void itEndsWithOrWithoutDevice() {
        assertThatCode(StartTraining::run).doesNotThrowAnyException();
    }
}
