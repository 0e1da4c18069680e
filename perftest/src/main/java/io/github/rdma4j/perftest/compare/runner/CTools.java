// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.perftest.options.Tool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The C tools of this machine. */
public final class CTools {
    private static final Pattern VERSION = Pattern.compile("Version:\\s*(\\S+)");
    private static final Duration VERSION_LIMIT = Duration.ofSeconds(20);

    private final Map<Tool, Path> programs;

    private CTools(Map<Tool, Path> programs) {
        this.programs = programs;
    }

    /**
     * Finds the tools.
     *
     * @param tools which
     * @param folders the folders to search, in order
     * @throws CompareException when one is missing
     */
    public static CTools find(Collection<Tool> tools, List<Path> folders) {
        Map<Tool, Path> programs = new EnumMap<>(Tool.class);
        for (Tool tool : tools) {
            Path program = folders.stream()
                    .map(folder -> folder.resolve(tool.command()))
                    .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                    .findFirst()
                    .orElseThrow(() -> missing(tool, folders));
            programs.put(tool, program);
        }
        return new CTools(programs);
    }

    private static CompareException missing(Tool tool, List<Path> folders) {
        String where = folders.size() == 1 ? "in " + folders.getFirst() : "on the PATH";
        return new CompareException(
                "C's " + tool.command() + " is not " + where,
                "install the package perftest (apt-get install perftest), or name its folder with --c-path");
    }

    /**
     * Returns the file of a tool.
     *
     * @throws CompareException when it was not looked for
     */
    public Path program(Tool tool) {
        Path program = programs.get(tool);
        if (program == null) {
            throw new CompareException(tool.command() + " is not among the tools of this comparison", "");
        }
        return program;
    }

    /** Returns the folder of the first tool. */
    public Path folder() {
        return programs.values().iterator().next().toAbsolutePath().getParent();
    }

    /** Returns the command line of a run's server. */
    public List<String> server(RunOrder order) {
        List<String> command = new ArrayList<>();
        command.add(program(order.tool()).toString());
        command.addAll(order.arguments());
        return command;
    }

    /** Returns the command line of a run's client, for a server on the host. */
    List<String> client(RunOrder order, String host) {
        List<String> command = server(order);
        command.add(host);
        return command;
    }

    /** Returns the version that one of the tools prints, which is the version of the wire protocol. */
    public String version(ChildProcesses children) {
        Path program = programs.values().iterator().next();
        Process process = children.start(new ProcessBuilder(program.toString(), "--version").redirectErrorStream(true));
        try {
            // Its exit status is 1.
            process.onExit().get(VERSION_LIMIT.toSeconds(), TimeUnit.SECONDS);
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Matcher version = VERSION.matcher(text);
            return version.find() ? version.group(1) : "unknown";
        } catch (IOException | ExecutionException | TimeoutException failure) {
            return "unknown";
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return "unknown";
        } finally {
            children.kill(process);
        }
    }
}
