// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.testing.SoftRoce;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A user's tests, of which some fail; the tests of this package run them. Nothing of it works on a machine without a
 * device.
 */
@SoftRoce
class Sample {
    private static final Path DEVICES = Path.of("/sys/class/infiniband");
    private static final String FIRST = first();

    private static String first() {
        try (Stream<Path> devices = Files.list(DEVICES)) {
            return devices.map(device -> device.getFileName().toString())
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static Stream<String> devices() throws IOException {
        try (Stream<Path> devices = Files.list(DEVICES)) {
            return devices.map(device -> device.getFileName().toString()).sorted().toList().stream();
        }
    }

    @BeforeAll
    static void printed() {
        System.out.println("ran in " + System.getProperty("user.dir") + " with " + FIRST);
    }

    @Test
    void passes() {
        System.out.println("to standard output: \u00e4");
        System.err.println("to standard error");
        assertThat(System.getProperty("sample.setting")).isEqualTo("a \u00e4");
        assertThat(Path.of("\u00e4")).doesNotExist();
        assertThat(Sample.class.desiredAssertionStatus()).isTrue();
    }

    @Test
    void fails() {
        assertThat("here").isEqualTo("there");
    }

    @Test
    void breaks() throws IOException {
        throw new IOException("because", new IllegalStateException("of this"));
    }

    @Test
    @Disabled("on purpose")
    void isDisabled() {}

    @Test
    void isAborted() {
        Assumptions.assumeTrue(false, "not today");
    }

    @ParameterizedTest
    @MethodSource("devices")
    void each(String device) {
        assertThat(device).startsWith("rxe");
    }

    @TestFactory
    Stream<DynamicTest> dynamic() {
        return Stream.of(DynamicTest.dynamicTest("first", () -> {}), DynamicTest.dynamicTest("second", () -> fails()));
    }

    @Nested
    class Inner {
        @Test
        void reports(TestReporter reporter) {
            reporter.publishEntry("device", FIRST);
        }
    }
}
