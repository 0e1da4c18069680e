// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.print;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private static final Duration NONE = Duration.ZERO;
    private static final Duration LONG = Duration.ofDays(1);

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private Progress progress(Duration silence) {
        return new Progress(new PrintStream(err, true, StandardCharsets.UTF_8), "compare", silence);
    }

    private String printed() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void stepAfterSilenceIsPrinted() {
        try (Progress progress = progress(NONE)) {
            progress.step("round 1 of 2");
        }

        assertThat(printed().lines()).containsExactly("compare: round 1 of 2, for 0 s");
    }

    @Test
    void stepSoonAfterALineIsNotPrinted() {
        try (Progress progress = progress(LONG).start()) {
            progress.step("round 1 of 2");
        }

        assertThat(printed()).isEmpty();
    }

    @Test
    void closingEndsTheThread() throws InterruptedException {
        Thread thread;
        try (Progress progress = progress(LONG).start()) {
            thread = progress.thread();
            assertThat(thread.isAlive()).isTrue();
        }

        assertThat(thread.join(Duration.ofMinutes(1))).isTrue();
    }
}
