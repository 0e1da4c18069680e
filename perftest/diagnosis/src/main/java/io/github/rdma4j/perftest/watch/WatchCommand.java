// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.watch;

import io.github.rdma4j.perftest.exit.Complaints;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.watch.metrics.MetricsServer;
import io.github.rdma4j.perftest.watch.metrics.OpenMetrics;
import io.github.rdma4j.perftest.watch.resource.Reading;
import io.github.rdma4j.perftest.watch.resource.Resources;
import io.github.rdma4j.perftest.watch.sample.Sampler;
import io.github.rdma4j.perftest.watch.sample.Watcher;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.LocalTime;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.function.Supplier;

/** The command {@code watch}: shows the traffic of ports, and problems. docs/monitoring.md is its manual. */
public final class WatchCommand {
    /** The name on the command line. */
    public static final String NAME = "watch";

    /** The summary in the list of commands. */
    public static final String TITLE = "Shows the ports' traffic and rising error counters; also for Prometheus";

    private static final int OK = 0;
    /** Moves the cursor to the corner, and clears the rest. */
    private static final String CLEAR = "\033[H\033[J";

    private WatchCommand() {}

    /**
     * Runs the command, until it is interrupted or reaches the number of samples.
     *
     * @param arguments after the command's name
     * @param interactive whether standard output is a terminal, where each page replaces the previous one
     * @param out standard output
     * @param err standard error
     * @return the exit status: 0 for success; 1 if there is no device or the server cannot listen at the address; 2 for
     *     a wrong command line
     */
    public static int run(List<String> arguments, boolean interactive, PrintStream out, PrintStream err) {
        return run(arguments, Path.of("/"), Resources::read, interactive, out, err);
    }

    /** Runs the command for another machine than this one, with its queue pairs. */
    static int run(
            List<String> arguments,
            Path root,
            Function<Optional<String>, Reading> resources,
            boolean interactive,
            PrintStream out,
            PrintStream err) {
        WatchOptions options = new WatchOptions();
        Complaints complaints = new Complaints(NAME, "rdma4j " + NAME + " --help", err);
        OptionalInt answered = options.read(arguments, out, complaints);
        if (answered.isPresent()) {
            return answered.getAsInt();
        }
        Sampler sampler = new Sampler(root, options.device());
        try {
            // Without --device, the server waits for devices: a driver may be loaded later.
            if (sampler.sample().isEmpty()
                    && (options.metrics().isEmpty() || options.device().isPresent())) {
                throw new PerftestException(
                        "there is no RDMA device"
                                + options.device()
                                        .map(device -> " '" + device + "'")
                                        .orElse("") + " here",
                        "rdma4j doctor says why");
            }
            if (options.metrics().isPresent()) {
                return serve(options, () -> OpenMetrics.of(sampler.sample(), resources.apply(options.device())), out);
            }
            show(options, sampler, resources, interactive, out);
            return OK;
        } catch (PerftestException failure) {
            return complaints.failed(failure);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return OK;
        }
    }

    private static int serve(WatchOptions options, Supplier<String> text, PrintStream out) throws InterruptedException {
        try (MetricsServer server = MetricsServer.start(options.metrics().orElseThrow(), text)) {
            String host = server.address().getAddress().getHostAddress();
            out.println("serving http://" + (host.contains(":") ? "[" + host + "]" : host) + ":"
                    + server.address().getPort() + "/metrics");
            out.flush();
            // Waits until a signal ends the JVM, or an interrupt this thread.
            new CountDownLatch(1).await();
            return OK;
        }
    }

    private static void show(
            WatchOptions options,
            Sampler sampler,
            Function<Optional<String>, Reading> resources,
            boolean interactive,
            PrintStream out)
            throws InterruptedException {
        WatchPage page = new WatchPage(options.device(), interactive, resources.apply(options.device()));
        Watcher watcher = new Watcher(sampler, System.nanoTime());
        for (long sample = 0; sample < options.count(); sample++) {
            Thread.sleep(options.interval());
            List<String> lines =
                    page.after(watcher.sample(System.nanoTime()), resources.apply(options.device()), LocalTime.now());
            String text = String.join(System.lineSeparator(), lines);
            out.println(interactive ? CLEAR + text : text + System.lineSeparator());
            out.flush();
            if (out.checkError()) {
                // The reader has closed the pipe.
                return;
            }
        }
    }
}
