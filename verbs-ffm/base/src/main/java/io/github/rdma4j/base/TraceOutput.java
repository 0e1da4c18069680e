// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.base;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Where the lines of the trace go: stderr, or a file to which they are appended. Each line is written whole, and the
 * lines of one thread in order. Without a file that can be written, the lines go to stderr.
 */
public final class TraceOutput {
    private static final String ALL = "all";
    private static final String PROCESS_ID = "%p";

    private final boolean emptyPolls;
    private final ReentrantLock lock = new ReentrantLock();
    /** Null for stderr: the program may replace {@code System.err}. */
    private OutputStream file;

    private TraceOutput(boolean emptyPolls) {
        this.emptyPolls = emptyPolls;
    }

    /**
     * Opens what a value of a system property names.
     *
     * @param property its name
     * @param value {@code true}, {@code all}, a path, or {@code all,} and a path; {@code %p} in a path is this
     *     process's id
     * @return the output, with a first line that has the date and the process
     */
    public static TraceOutput open(String property, String value) {
        boolean all = value.equals(ALL) || value.startsWith(ALL + ',');
        TraceOutput output = new TraceOutput(all);
        String rest = all ? value.substring(Math.min(value.length(), ALL.length() + 1)) : value;
        String process = Long.toString(ProcessHandle.current().pid());
        if (rest.contains("/")) {
            output.openFile(rest.replace(PROCESS_ID, process));
        } else if (!rest.isEmpty() && !rest.equals("true")) {
            output.write("# %s=%s: the values are true, all, a path with a '/', and all,PATH; the trace goes here%n"
                    .formatted(property, value));
        }
        output.write("# %s, process %s: native calls of rdma4j%n"
                .formatted(OffsetDateTime.now().truncatedTo(ChronoUnit.MILLIS), process));
        return output;
    }

    private void openFile(String path) {
        try {
            file = new FileOutputStream(path, true);
        } catch (IOException e) {
            write("# the trace goes here, because its file cannot be written: %s%n".formatted(e.getMessage()));
        }
    }

    /** {@return whether to print polls that found nothing} */
    public boolean printsEmptyPolls() {
        return emptyPolls;
    }

    /**
     * Writes whole lines.
     *
     * @param lines each with its end
     */
    public void write(String lines) {
        lock.lock();
        try {
            if (file != null) {
                file.write(lines.getBytes(StandardCharsets.UTF_8));
                return;
            }
        } catch (IOException e) {
            file = null;
            System.err.printf("# the trace goes on here, because its file cannot be written: %s%n", e.getMessage());
        } finally {
            lock.unlock();
        }
        System.err.print(lines);
    }
}
