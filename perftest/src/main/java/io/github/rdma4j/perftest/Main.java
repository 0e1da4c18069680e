// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import io.github.rdma4j.perftest.allreduce.AllReduceCommand;
import io.github.rdma4j.perftest.command.ToolCommand;
import io.github.rdma4j.perftest.compare.CompareCommand;
import io.github.rdma4j.perftest.doctor.DoctorCommand;
import io.github.rdma4j.perftest.doctor.nccl.Choices;
import io.github.rdma4j.perftest.environment.Terminal;
import io.github.rdma4j.perftest.gds.GdsCommand;
import io.github.rdma4j.perftest.mesh.MeshCommand;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.ordered.OrderedCommand;
import io.github.rdma4j.perftest.page.ReportCommand;
import io.github.rdma4j.perftest.predict.PredictCommand;
import io.github.rdma4j.perftest.predict.share.ShareOfLimit;
import io.github.rdma4j.perftest.watch.WatchCommand;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The entry point: the first argument names the command, and the others belong to the command. */
public final class Main {
    private static final String NAME = "rdma4j";
    private static final String GPU = "gpu";

    private Main() {}

    /**
     * Runs a command and ends the JVM with its exit status: 0 done, 1 it failed, 2 wrong command line.
     */
    public static void main(String[] arguments) {
        // Programs and other ranks read the digits, which some languages have others for.
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        int status = run(List.of(arguments), System.out, System.err);
        System.exit(StandardOutput.status(
                status, System.out, new FileOutputStream(FileDescriptor.out), Terminal.isPipe(), System.err));
    }

    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        // A tool does not wait for the list of commands to be built.
        Optional<Tool> tool = arguments.isEmpty() ? Optional.empty() : Tool.ofCommand(arguments.getFirst());
        return tool.isPresent()
                ? tool(tool.get()).body().run(arguments.subList(1, arguments.size()), out, err)
                : new CommandGroup(NAME, commands()).run(arguments, out, err);
    }

    private static Command tool(Tool tool) {
        return new Command(
                tool.command(),
                tool.title(),
                (arguments, out, err) ->
                        new ToolCommand(tool, note -> new ShareOfLimit(Path.of("/"), note), out, err).run(arguments));
    }

    private static List<Command> commands() {
        return Stream.concat(Arrays.stream(Tool.values()).map(Main::tool), others().stream())
                .toList();
    }

    private static List<Command> others() {
        return List.of(
                new Command(
                        CompareCommand.NAME,
                        CompareCommand.TITLE,
                        (arguments, out, err) -> CompareCommand.run(arguments, out, err)),
                new Command(
                        MeshCommand.NAME,
                        MeshCommand.TITLE,
                        (arguments, out, err) -> MeshCommand.run(arguments, out, err)),
                new Command(
                        ReportCommand.NAME,
                        ReportCommand.TITLE,
                        (arguments, out, err) -> ReportCommand.run(arguments, out, err)),
                new Command(
                        DoctorCommand.NAME,
                        DoctorCommand.TITLE,
                        (arguments, out, err) -> DoctorCommand.run(arguments, out, err)),
                new Command(
                        WatchCommand.NAME,
                        WatchCommand.TITLE,
                        (arguments, out, err) -> WatchCommand.run(arguments, Terminal.isInteractive(), out, err)),
                new Command(
                        PredictCommand.NAME,
                        PredictCommand.TITLE,
                        (arguments, out, err) -> PredictCommand.run(arguments, out, err)),
                new Command(
                        GPU,
                        "Measures GPU memory with files, CUDA streams and NCCL",
                        (arguments, out, err) -> gpu().run(arguments, out, err)));
    }

    private static CommandGroup gpu() {
        return new CommandGroup(
                NAME + " " + GPU,
                List.of(
                        new Command(
                                GdsCommand.NAME,
                                GdsCommand.TITLE,
                                (arguments, out, err) -> GdsCommand.run(arguments, out, err)),
                        new Command(
                                OrderedCommand.NAME,
                                OrderedCommand.TITLE,
                                (arguments, out, err) -> OrderedCommand.run(arguments, out, err)),
                        new Command(
                                AllReduceCommand.NAME,
                                AllReduceCommand.TITLE,
                                (arguments, out, err) -> AllReduceCommand.run(
                                        arguments, Main.class, Choices::ofThisMachine, out, err))));
    }
}
