// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.testing.SoftRoce;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;

class TestPlaceTest {
    @ParameterizedTest
    @CsvSource({
        "auto,      true,  false, HERE", "auto,      false, false, CONTAINER", "auto,      false, true, CONTAINER",
        "local,     false, true,  HERE", "container, true,  true,  CONTAINER", "container, false, false, CONTAINER",
        "skip,      true,  false, HERE", "skip,      false, true,  CONTAINER", "skip,      false, false, NOWHERE",
    })
    void dependsOnTheModeTheDeviceAndDocker(String mode, boolean device, boolean docker, TestPlace place) {
        assertThat(TestPlace.decide(mode, device, () -> docker)).isEqualTo(place);
    }

    @Test
    void anotherModeIsRefusedInWords() {
        assertThatThrownBy(() -> TestPlace.decide("none", true, () -> true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"none\"")
                .hasMessageContaining("auto, local, container or skip");
    }

    @Test
    void anotherModeIsSaidOfEachClassInTheRun() {
        String given = System.getProperty("rdma4j.softroce");
        System.setProperty("rdma4j.softroce", "none");
        try {
            assertThat(Recorder.run(DiscoverySelectors.selectClass(Misspelt.class))
                            .failure(Misspelt.class.getName()))
                    .hasMessageContaining("\"none\"; it can be auto, local, container or skip");
        } finally {
            if (given == null) {
                System.clearProperty("rdma4j.softroce");
            } else {
                System.setProperty("rdma4j.softroce", given);
            }
        }
    }

    @SoftRoce
    static class Misspelt {
        @Test
        void runsNowhere() {}
    }

    @Test
    void aDeviceCountsIfItCanBeOpened(@TempDir Path folder) throws Exception {
        Path verbs = folder.resolve("sys/class/infiniband_verbs");
        for (String number : new String[] {"0", "1"}) {
            Files.createDirectories(verbs.resolve("uverbs" + number));
            Files.writeString(verbs.resolve("uverbs" + number + "/ibdev"), "rxe" + number + "\n");
        }
        assertThat(LocalDevices.names(folder.resolve("sys"), folder.resolve("dev")))
                .isEmpty();

        Files.createDirectories(folder.resolve("dev/infiniband"));
        Files.createFile(folder.resolve("dev/infiniband/uverbs1"));
        assertThat(LocalDevices.names(folder.resolve("sys"), folder.resolve("dev")))
                .containsExactly("rxe1");
        assertThat(LocalDevices.names(folder.resolve("none"), folder.resolve("dev")))
                .isEmpty();
    }
}
