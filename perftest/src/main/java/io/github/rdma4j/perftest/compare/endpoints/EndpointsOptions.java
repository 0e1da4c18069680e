// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import io.github.rdma4j.perftest.compare.plan.JsonTarget;
import io.github.rdma4j.perftest.echo.Messages;
import io.github.rdma4j.perftest.echo.Transport;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.options.Ranges;
import io.github.rdma4j.perftest.options.Within;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line of the comparison of endpoints with TCP. */
@Command(
        name = "rdma4j compare --endpoints",
        description = "Sends requests at fixed rates and takes their echoes in, over endpoints of each kind and over"
                + " plain TCP through java.nio, by turns, both ends on this machine, and compares latency"
                + " and CPU time.",
        sortOptions = false,
        usageHelpAutoWidth = true)
public final class EndpointsOptions {
    /** The option that selects this comparison. */
    public static final String NAME = "--endpoints";

    private static final int ROUNDS = 3;
    private static final int SECONDS = 2;
    private static final int TIMEOUT_SECONDS = 30;
    private static final int MOST_CONNECTIONS = 1024;
    private static final double MOST_RATE = 1e8;

    @Option(names = NAME, description = "Compare endpoints with TCP, instead of the tools.")
    private boolean endpoints;

    @Option(
            names = "--over",
            paramLabel = "<list>",
            description = "What endpoints are to go over, beside plain TCP: rdma; failover, RDMA with TCP behind it;"
                    + " tcp; sums, RDMA with a CRC32C of each message (default rdma,failover,tcp).")
    private String over = "rdma,failover,tcp";

    @Option(
            names = "--sizes",
            paramLabel = "<list>",
            description =
                    "Message sizes in bytes, or with K or M, from " + Messages.LEAST_SIZE + " to 1M (default 64,8K).")
    private String sizes = "64,8K";

    @Option(
            names = "--connections",
            paramLabel = "<list>",
            description = "Numbers of connections, 1 to " + MOST_CONNECTIONS + " (default 1,64).")
    private String connections = "1,64";

    @Option(
            names = "--rates",
            paramLabel = "<list>",
            description = "Messages per second to offer to each, on all connections together (default 25, 50 and 75 %%"
                    + " of what the slowest one answers when it is asked without a pause).")
    private String rates;

    @Option(
            names = "--seconds",
            paramLabel = "<seconds>",
            description = "How long each measurement sends (default " + SECONDS + ").")
    @Within(least = 1, most = 3600)
    private int seconds = SECONDS;

    @Option(
            names = "--rounds",
            paramLabel = "<num>",
            description = "How often each is measured, endpoints first in odd rounds (default " + ROUNDS + ").")
    @Within(least = 1, most = 1000)
    private int rounds = ROUNDS;

    @Option(
            names = {"-d", "--ib-dev"},
            paramLabel = "<dev>",
            description = "Use RDMA device <dev> (default the first with an address).")
    private String device;

    @Option(
            names = "--address",
            paramLabel = "<address>",
            description = "Use the device at this IP address of this machine (default the first one that it has).")
    private String address;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "<port>",
            description = "Port of the servers (default free ones).")
    @Within(least = 1, most = 65535)
    private int port;

    @Option(
            names = "--timeout",
            paramLabel = "<seconds>",
            description = "Longest time that a measurement may take beyond its own (default " + TIMEOUT_SECONDS + ").")
    @Within(least = 1, most = 86_400)
    private int timeout = TIMEOUT_SECONDS;

    @Option(
            names = "--out_json",
            paramLabel = "<file>",
            description = "Write all figures as JSON; - is standard output, the table then goes to standard error.")
    private String json;

    @Option(
            names = "--no-warm-up",
            description = "Measure at once, code that is not compiled yet: to try something out, not to compare.")
    private boolean noWarmUp;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help screen.")
    private boolean help;

    public boolean wantsHelp() {
        return help;
    }

    /** Returns the target of the JSON document. */
    public JsonTarget json() {
        return JsonTarget.of(json);
    }

    /**
     * Returns the checked plan.
     *
     * @throws IllegalParameterException when a value is invalid
     */
    public EndpointsPlan plan() {
        return new EndpointsPlan(
                transports(),
                list("--sizes", sizes, EndpointsOptions::size),
                list("--connections", connections, EndpointsOptions::connections),
                rates == null ? List.of() : list("--rates", rates, EndpointsOptions::rate),
                seconds,
                rounds,
                device,
                address == null ? null : numeric(address),
                port,
                timeout,
                !noWarmUp);
    }

    private List<Transport> transports() {
        List<Transport> chosen = new ArrayList<>(list("--over", over, EndpointsOptions::transport));
        chosen.add(Transport.TCP);
        return chosen.stream().sorted().toList();
    }

    private static Transport transport(String word) {
        return Transport.endpoints().stream()
                .filter(one -> one.option().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalParameterException("--over: '" + word + "' is none of "
                        + Transport.endpoints().stream().map(Transport::option).collect(Collectors.joining(", "))));
    }

    private static <T> List<T> list(String option, String text, Function<String, T> reader) {
        List<T> values = new ArrayList<>();
        for (String word : text.split(",", -1)) {
            T value = reader.apply(word.strip());
            IllegalParameterException.when(values.contains(value), option + ": " + word.strip() + " is there twice");
            values.add(value);
        }
        return values;
    }

    private static int size(String word) {
        long size = Ranges.messageSize("--sizes", word);
        IllegalParameterException.when(
                size < Messages.LEAST_SIZE || size > Messages.LARGEST_SIZE,
                "--sizes: " + word + " is out of range; allowed is " + Messages.LEAST_SIZE + " to "
                        + Messages.LARGEST_SIZE);
        return (int) size;
    }

    private static int connections(String word) {
        boolean good = word.matches("\\d{1,4}") && between(Integer.parseInt(word), 1, MOST_CONNECTIONS);
        IllegalParameterException.when(
                !good, "--connections: '" + word + "' is not a whole number from 1 to " + MOST_CONNECTIONS);
        return Integer.parseInt(word);
    }

    private static double rate(String word) {
        boolean good = word.matches("\\d{1,9}(\\.\\d{1,6})?") && between(Double.parseDouble(word), 1, MOST_RATE);
        IllegalParameterException.when(!good, "--rates: '" + word + "' is not a number from 1 to 100000000");
        return Double.parseDouble(word);
    }

    private static boolean between(double value, double least, double most) {
        return value >= least && value <= most;
    }

    private static String numeric(String text) {
        try {
            return InetAddress.ofLiteral(text).getHostAddress();
        } catch (IllegalArgumentException _) {
            throw new IllegalParameterException("--address: '" + text + "' is not a numeric IP address");
        }
    }
}
