// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.findings.JsonOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command line of {@code doctor}. */
@Command(
        name = DoctorCommand.NAME,
        description =
                "Tells what of RDMA works on this machine, in the order in which it would fail: libraries, kernel,"
                        + " devices, ports, addresses, limits, placement, RoCE tuning, counters. Each finding comes with"
                        + " what it means and the command that mends it. Changes and sends nothing.",
        footer = {
            "",
            "Exit status: 0 RDMA can be used and nothing is slow or broken; 1 RDMA can be used, and something is slow"
                    + " or a part is broken (WARNING, FAIL); 2 the command line makes no sense; 3 RDMA cannot be used:"
                    + " no port of any device; 4 the JSON file could not be written."
        },
        sortOptions = false,
        usageHelpAutoWidth = true)
final class DoctorOptions {
    @Mixin
    private JsonOption json;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help screen.")
    private boolean help;

    @Parameters(hidden = true)
    private String[] superfluous = new String[0];

    /**
     * Refuses what makes no sense.
     *
     * @throws IllegalParameterException if something does not
     * @throws java.nio.file.InvalidPathException if no file can have the name of that for JSON
     */
    void check() {
        json.check();
        if (superfluous.length > 0) {
            throw new IllegalParameterException("'" + superfluous[0] + "': what is that? There are only options");
        }
    }

    boolean wantsHelp() {
        return help;
    }

    /** What of JSON is wanted. */
    JsonOption json() {
        return json;
    }
}
