// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** Devices, contexts and memory, on the stand-in. */
@ExtendWith(StandInDriver.class)
class MemoryTest extends MemoryBehaviour {
    @Override
    @AfterEach
    void closeContext() {
        super.closeContext();
        assertThat(StandInDriver.open()).as("what is left open").isEmpty();
    }
}
