// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.watch;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.findings.CommandOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line of {@code watch}. */
@Command(
        name = "rdma4j " + WatchCommand.NAME,
        description = "Shows the traffic of this machine's RDMA devices, in bytes and packets per second, and each"
                + " counter of loss, congestion or errors that rises. Only reads files of the kernel: needs"
                + " no privileges and opens no device.",
        footer = {
            "",
            "Ends with Ctrl-C or after --count. Exit status: 0 done; 1 there is no such device, or the command"
                    + " cannot listen at the address; 2 wrong command line."
        },
        sortOptions = false,
        usageHelpAutoWidth = true)
final class WatchOptions extends CommandOptions {
    private static final int MOST_SECONDS = 3600;
    private static final int MOST_LOOKS = 1_000_000;

    @Option(names = "--device", paramLabel = "<device>", description = "Show only this RDMA device.")
    private String device;

    @Option(
            names = "--interval",
            paramLabel = "<seconds>",
            description = "Time between two readings, 1 to 3600 (default 1).")
    private Integer interval;

    @Option(names = "--count", paramLabel = "<num>", description = "End after this many readings (default: never).")
    private Integer count;

    @Option(
            names = "--openmetrics",
            paramLabel = "<[host:]port>",
            description = "Print nothing; serve the counters as OpenMetrics text at http://HOST:PORT/metrics, for"
                    + " Prometheus and similar programs (default host 127.0.0.1, which only this machine reaches;"
                    + " port 0: any free port).")
    private String metrics;

    @Override
    protected void check() {
        within("--interval", interval, 1, MOST_SECONDS);
        within("--count", count, 1, MOST_LOOKS);
        if (metrics != null && (interval != null || count != null)) {
            throw new IllegalParameterException(
                    "--interval and --count are for the page; --openmetrics reads the counters when it is asked");
        }
        metrics();
    }

    Optional<String> device() {
        return Optional.ofNullable(device);
    }

    Duration interval() {
        return Duration.ofSeconds(interval == null ? 1 : interval);
    }

    /** Returns the number of samples; without a limit, a number that is never reached. */
    long count() {
        return count == null ? Long.MAX_VALUE : count;
    }

    /** Returns the address to serve at; empty for the page. */
    Optional<InetSocketAddress> metrics() {
        if (metrics == null) {
            return Optional.empty();
        }
        int colon = metrics.lastIndexOf(':');
        String port = metrics.substring(colon + 1);
        if (!port.matches("\\d{1,5}") || Integer.parseInt(port) > 65535) {
            throw new IllegalParameterException("--openmetrics: '" + port + "' is no port, 0 to 65535");
        }
        if (colon < 0) {
            return Optional.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port)));
        }
        String host = metrics.substring(0, colon);
        InetSocketAddress address = new InetSocketAddress(host, Integer.parseInt(port));
        if (host.isEmpty() || address.isUnresolved()) {
            throw new IllegalParameterException("--openmetrics: '" + host + "' is no address of this machine");
        }
        return Optional.of(address);
    }
}
