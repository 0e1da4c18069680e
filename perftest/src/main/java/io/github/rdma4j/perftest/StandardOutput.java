// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import io.github.rdma4j.perftest.exit.Complaints;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;

/** Whether what a tool has printed has come to be anywhere. A PrintStream keeps its errors to itself. */
final class StandardOutput {
    private StandardOutput() {}

    /**
     * The exit status of a tool, when all that it has printed is taken into account.
     *
     * @param status what it ended with
     * @param out standard output
     * @param descriptor the same without what keeps errors to itself
     * @param pipe whether it leads to another program: one that has read enough, such as head, is no failure
     * @param err gets what was lost, and why
     */
    static int status(int status, PrintStream out, OutputStream descriptor, boolean pipe, PrintStream err) {
        if (!out.checkError() || pipe) {
            return status;
        }
        String why = "";
        try {
            // The only way to learn what was wrong.
            descriptor.write('\n');
        } catch (IOException failure) {
            why = ": " + failure.getMessage();
        }
        int failed = new Complaints("rdma4j", "rdma4j --help", err)
                .failed(
                        "not all could be written to standard output" + why,
                        "make room where it goes, or send it to another file");
        return status == ToolCommand.OK ? failed : status;
    }
}
