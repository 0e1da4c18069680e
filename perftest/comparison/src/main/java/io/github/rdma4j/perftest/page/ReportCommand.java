// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import io.github.rdma4j.perftest.exit.Complaints;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.predict.machine.DescribedMachines;
import io.github.rdma4j.perftest.predict.model.MachineModel;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** The command {@code report}: a page with charts of results documents. docs/compare.md is its manual. */
public final class ReportCommand {
    /** The name on the command line. */
    public static final String NAME = "report";

    /** The summary in the list of commands. */
    public static final String TITLE = "Makes a page with charts from the results of the tools";

    private static final int OK = 0;

    private final ReportOptions options = new ReportOptions();
    private final PrintStream out;
    private final Complaints complaints;

    private ReportCommand(PrintStream out, PrintStream err) {
        this.out = out;
        complaints = new Complaints(NAME, "rdma4j report --help", err);
    }

    /**
     * Runs the command.
     *
     * @param arguments after the command's name
     * @param out standard output
     * @param err standard error
     * @return the exit status: 0 if the page is written; 1 if a document cannot be used or the page cannot be written;
     *     2 for a wrong command line
     */
    public static int run(List<String> arguments, PrintStream out, PrintStream err) {
        return new ReportCommand(out, err).run(arguments);
    }

    private int run(List<String> arguments) {
        CommandLine line = new CommandLine(options).setOverwrittenOptionsAllowed(true);
        List<Path> files;
        try {
            IllegalParameterException.whenOneIsEmpty(arguments);
            line.parseArgs(arguments.toArray(String[]::new));
            if (options.wantsHelp()) {
                line.usage(out);
                return OK;
            }
            files = options.files();
        } catch (ParameterException | IllegalParameterException | InvalidPathException failure) {
            return complaints.usage(failure);
        }
        try {
            write(files);
            return OK;
        } catch (PerftestException failure) {
            return complaints.failed(failure);
        } catch (IOException failure) {
            return complaints.failed("the page could not be written: " + failure.getMessage());
        }
    }

    private void write(List<Path> files) throws IOException {
        Optional<String> mesh = files.size() == 1 ? MeshPage.of(files.getFirst(), options.title()) : Optional.empty();
        // Invalid characters, such as half a surrogate pair in a document's text, become question marks.
        Files.write(options.out(), (mesh.isPresent() ? mesh.get() : page(files)).getBytes(StandardCharsets.UTF_8));
        out.println("The page is in " + options.out());
    }

    private String page(List<Path> files) throws IOException {
        Optional<MachineModel> machine = options.machine().map(DescribedMachines::of);
        List<Document> documents = new ArrayList<>();
        for (Path file : files) {
            Document document = ResultsReader.read(file);
            documents.add(document.named(unused(document.name(), documents)));
        }
        return Page.of(documents, options.title(), machine);
    }

    private static String unused(String name, List<Document> others) {
        String unique = name;
        for (int i = 2; ; i++) {
            String candidate = unique;
            if (others.stream().noneMatch(other -> other.name().equals(candidate))) {
                return unique;
            }
            unique = name + " (" + i + ")";
        }
    }
}
