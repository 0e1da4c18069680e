// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.options.Within;
import io.github.rdma4j.perftest.talk.Protocol;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of the machine that runs the servers of a comparison. */
@Command(
        name = "rdma4j compare --serve",
        description = "Runs the servers for one comparison with rdma4j compare --peer on another machine, and"
                + " exits. The options of the other machine choose what to compare.",
        footer = {
            "",
            "Exit status: 0 one comparison was served; 1 no peer connected, the comparison did not finish, or"
                    + " something is missing here; 2 wrong command line."
        },
        sortOptions = false,
        usageHelpAutoWidth = true)
public final class ServeOptions {
    /** The option for this mode. */
    public static final String NAME = "--serve";

    private static final int TIMEOUT_SECONDS = 300;

    @Option(names = NAME, description = "Be the other end of --peer.")
    private boolean serve;

    @Mixin
    private OwnPort ownPort;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "<port>",
            description = "Listen on this TCP port (default 18516).")
    @Within(least = 0, most = 65535)
    private Integer port;

    @Option(
            names = "--timeout",
            paramLabel = "<seconds>",
            description = "Wait this long for the other machine (default " + TIMEOUT_SECONDS + ").")
    @Within(least = 1, most = 3600)
    private int timeout = TIMEOUT_SECONDS;

    @Option(
            names = "--c-path",
            paramLabel = "<folder>",
            description = "The folder of the C tools (default: the" + " PATH).")
    private Path cFolder;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help screen.")
    private boolean help;

    public boolean wantsHelp() {
        return help;
    }

    /**
     * Checks the values.
     *
     * @throws IllegalParameterException when one is invalid
     */
    public void check() {
        if (cFolder != null && !Files.isDirectory(cFolder)) {
            throw new IllegalParameterException("--c-path: " + cFolder + " is not a folder");
        }
    }

    /** Returns the RDMA port of this machine. */
    public OwnPort ownPort() {
        return ownPort;
    }

    /** Returns the TCP port to listen at. */
    public int port() {
        return port != null ? port : Protocol.COMPARE.port();
    }

    /** Returns the longest wait for the other machine. */
    public Duration patience() {
        return Duration.ofSeconds(timeout);
    }

    /** Returns the folder of the C tools; null for the PATH. */
    public Path cFolder() {
        return cFolder;
    }
}
