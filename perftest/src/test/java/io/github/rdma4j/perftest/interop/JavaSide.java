// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import io.github.rdma4j.perftest.Program;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** A Java tool in a thread of this JVM: a JVM of its own would cost more than its test. */
final class JavaSide implements Side {
    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private final Thread thread;
    private volatile Integer status;

    JavaSide(List<String> arguments) {
        PrintStream stream = new PrintStream(output, true, StandardCharsets.UTF_8);
        thread = Thread.ofPlatform()
                .daemon()
                .name(arguments.getFirst())
                .start(() -> status = Program.run(arguments, stream, stream));
    }

    @Override
    public Integer await(Duration limit) throws InterruptedException {
        thread.join(limit);
        return status;
    }

    @Override
    public String output() {
        return output.toString(StandardCharsets.UTF_8);
    }

    /** Does nothing: each wait of this side has a limit, so it always ends. */
    @Override
    public void close() {}
}
