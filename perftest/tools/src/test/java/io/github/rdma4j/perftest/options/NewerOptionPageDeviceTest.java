// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The page of options against the newer version of the C tools, which is where the device tests run. */
@Tag("device")
class NewerOptionPageDeviceTest {
    private static final String FOLDER = "RDMA4J_NEWER_PERFTEST";

    @Test
    void eachOptionOfTheNewerToolsIsOnThePageOnce() throws Exception {
        assertThat(System.getenv(FOLDER))
                .as(FOLDER + ", the folder that scripts/lib/newer-perftest prints")
                .isNotNull();
        OptionPageTest.assertAgreesWithHelp("25.01", System.getenv(FOLDER) + "/");
    }
}
