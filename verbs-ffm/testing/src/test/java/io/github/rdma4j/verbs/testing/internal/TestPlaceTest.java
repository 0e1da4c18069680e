// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.testing.SoftRoce;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    void otherModeIsReportedForEachClass() {
        Recorder run = run(Map.of("rdma4j.softroce", "none"), Misspelt.class);
        for (String name : List.of(Misspelt.class.getName(), "the settings of @SoftRoce")) {
            assertThat(run.failure(name)).hasMessageContaining("\"none\"; it can be auto, local, container or skip");
        }
    }

    /** The classes that it names have no annotation of their own for this. */
    @Test
    void invalidRegularExpressionFailsTheRun() {
        Map<String, String> settings = Map.of("rdma4j.softroce", "container", "rdma4j.softroce.classes", "(");
        assertThat(run(settings, Named.class).failure("the settings of @SoftRoce"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rdma4j.softroce.classes is no regular expression: Unclosed group");
        assertThat(run(settings, Misspelt.class).failure(Misspelt.class.getName()))
                .hasMessageContaining("rdma4j.softroce.classes is no regular expression: Unclosed group");
    }

    private static Recorder run(Map<String, String> settings, Class<?> tests) {
        Map<String, String> given = new HashMap<>();
        settings.forEach((name, value) -> given.put(name, System.getProperty(name)));
        System.getProperties().putAll(settings);
        try {
            return Recorder.run(DiscoverySelectors.selectClass(tests));
        } finally {
            given.forEach((name, value) -> {
                if (value == null) {
                    System.clearProperty(name);
                } else {
                    System.setProperty(name, value);
                }
            });
        }
    }

    static class Named {
        @Test
        void runsSomewhere() {}
    }

    @SoftRoce
    static class Misspelt {
        @Test
        void runsNowhere() {}
    }

    @Test
    void deviceCountsIfItCanBeOpened(@TempDir Path folder) throws Exception {
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
