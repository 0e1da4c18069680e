// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import io.github.rdma4j.perftest.command.ToolCommand;
import io.github.rdma4j.perftest.exit.Complaints;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;

/** Checks whether the output of a tool was written. A PrintStream hides its errors. */
final class StandardOutput {
    private StandardOutput() {}

    /**
     * Returns the exit status of a tool, taking into account whether all of its output was written.
     *
     * @param status the tool's own exit status
     * @param out standard output
     * @param descriptor the same stream, without a PrintStream that hides errors
     * @param pipe whether it leads to another program: a reader that has read enough, such as head, is no failure
     * @param err receives a message about lost output
     */
    static int status(int status, PrintStream out, OutputStream descriptor, boolean pipe, PrintStream err) {
        if (!out.checkError() || pipe) {
            return status;
        }
        String why = "";
        try {
            // Only another write returns the error.
            descriptor.write('\n');
        } catch (IOException failure) {
            why = ": " + failure.getMessage();
        }
        // EBADF, of a shell's >&-, in the words of the C library.
        String remedy = why.endsWith("Bad file descriptor")
                ? "it is closed: send it to /dev/null to see nothing"
                : "make room where it goes, or send it to another file";
        int failed = new Complaints("rdma4j", "rdma4j --help", err)
                .failed("not all could be written to standard output" + why, remedy);
        return status == ToolCommand.OK ? failed : status;
    }
}
