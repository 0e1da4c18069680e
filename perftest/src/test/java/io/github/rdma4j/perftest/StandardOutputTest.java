// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** A figure that cannot be written is no success. rdma4j.bats tests a full disk. */
class StandardOutputTest {
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int status(int status, OutputStream out, boolean pipe) {
        PrintStream printed = new PrintStream(out, false, StandardCharsets.UTF_8);
        printed.println("a figure");
        return StandardOutput.status(status, printed, out, pipe, new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private static OutputStream full() {
        return failing("No space left on device");
    }

    private static OutputStream failing(String reason) {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException(reason);
            }
        };
    }

    @Test
    void lostOutputIsReportedWithItsCauseAndFails() {
        assertThat(status(0, full(), false)).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .startsWith("rdma4j: not all could be written to standard output: No space left on device")
                .contains("make room");
    }

    /** By {@code >&-} of a shell. */
    @Test
    void closedOutputIsNamedAsTheCause() {
        assertThat(status(0, failing("Bad file descriptor"), false)).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("it is closed")
                .doesNotContain("make room");
    }

    @Test
    void statusOfAToolThatFailedStays() {
        assertThat(status(3, full(), false)).isEqualTo(3);
    }

    @Test
    void readerThatHasReadEnoughIsNoFailure() {
        assertThat(status(0, full(), true)).isZero();
        assertThat(err.size()).isZero();
    }

    @Test
    void printedOutputSucceeds() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertThat(status(0, out, false)).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("a figure" + System.lineSeparator());
        assertThat(err.size()).isZero();
    }
}
