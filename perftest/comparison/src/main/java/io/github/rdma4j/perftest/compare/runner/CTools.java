// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.perftest.options.Tool;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The C tools of this machine. */
public final class CTools {
    private static final Pattern VERSION = Pattern.compile("Version:\\s*(\\S+)");

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
     * @throws CompareException when it was not searched for
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
        return first().toAbsolutePath().getParent();
    }

    /**
     * Returns the command line of a run's server. The server of a latency tool reports cycles, which are not read:
     * otherwise it would measure the CPU's frequency at the same time as the client.
     */
    public List<String> server(RunOrder order) {
        return command(order, order.tool().isLatency() ? List.of("-C") : List.of());
    }

    /** Returns the command line of a run's client, for a server on the host. */
    List<String> client(RunOrder order, String host) {
        return command(order, List.of(host));
    }

    private List<String> command(RunOrder order, List<String> more) {
        List<String> command = new ArrayList<>();
        command.add(program(order.tool()).toString());
        command.addAll(order.arguments());
        command.addAll(more);
        return command;
    }

    /** Returns the version that one of the tools prints, which is the version of the wire protocol. */
    public String version(ChildProcesses children) {
        Matcher version = VERSION.matcher(children.output(first().toString(), "--version"));
        return version.find() ? version.group(1) : "unknown";
    }

    /**
     * Checks that the tools can connect to an address of this family.
     *
     * @throws CompareException when the address is an IPv6 address and the tools support only IPv4
     */
    public void checkFamily(InetAddress address, ChildProcesses children) {
        if (address instanceof Inet6Address
                && !children.output(first().toString(), "--help").contains(RunOrder.IPV6)) {
            throw new CompareException(
                    "C's " + first().getFileName() + " in " + folder() + " connects over IPv4 only: it has no "
                            + RunOrder.IPV6,
                    "give --peer an IPv4 address, or install perftest 25.01 or newer on both machines (--c-path)");
        }
    }

    /**
     * Checks that the tools support a type of connection, whose name the help of a tool need not list. A tool that
     * supports it prints its help.
     *
     * @param connection the value of -c; null for the default
     * @throws CompareException if a tool does not
     */
    public void checkConnection(String connection, ChildProcesses children) {
        if (connection == null) {
            return;
        }
        programs.forEach((tool, program) -> {
            String output = children.output(program.toString(), "-c", connection, "--help");
            if (!output.contains("--connection")) {
                throw new CompareException(
                        "C's " + tool.command() + " in " + folder() + " has no " + connection
                                + output.lines()
                                        .map(String::strip)
                                        .filter(line -> line.contains(connection))
                                        .findFirst()
                                        .map(line -> ": " + line)
                                        .orElse(""),
                        connection.equals(RunOrder.SRD)
                                ? "name the folder of tools that were built with libefa (--c-path), for writes from"
                                        + " perftest 23.07 on; or leave the tool out (--tools)"
                                : "leave the tool out (--tools), or choose another -c");
            }
        });
    }

    private Path first() {
        return programs.values().iterator().next();
    }
}
