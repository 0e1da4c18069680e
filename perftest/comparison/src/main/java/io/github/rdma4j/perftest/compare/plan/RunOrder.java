// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import io.github.rdma4j.perftest.options.Ranges;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.options.Verb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One run, with equal parameters for Java and for C. A value of 0 selects the tools' default, which is equal in both.
 *
 * @param tool the tool
 * @param size message size in bytes
 * @param iterations messages per queue pair
 * @param device name of the device; null for the first one
 * @param devicePort its port
 * @param gidIndex index into the port's GID table; -1 where LIDs are used
 * @param mtu path MTU in bytes, or 0
 * @param connection type of the queue pairs; null for RC
 * @param queuePairs number of queue pairs
 * @param transmitDepth most messages in flight per queue pair, or 0
 * @param moderation messages per completion, or 0
 * @param port TCP port of the control channel
 * @param timeoutSeconds the longest the run may take
 * @param warmUp whether Java compiles the measured code first
 * @param ipv6 whether the control channel uses IPv6
 * @param gpu the options of the Java tools that choose a GPU for the buffers; empty for host memory
 */
public record RunOrder(
        Tool tool,
        long size,
        int iterations,
        String device,
        int devicePort,
        int gidIndex,
        int mtu,
        String connection,
        int queuePairs,
        int transmitDepth,
        int moderation,
        int port,
        int timeoutSeconds,
        boolean warmUp,
        boolean ipv6,
        List<String> gpu) {
    /** The option of Java's and C's tools to connect over IPv6. */
    public static final String IPV6 = "--ipv6-addr";

    /** The connection type of Elastic Fabric Adapters. */
    public static final String SRD = "SRD";

    /** The address of a server on the same machine. */
    public static final String HOST = "127.0.0.1";

    /**
     * A local ACK timeout of 1 s instead of 67 ms, because an emulated CPU can pause for longer than 67 ms. A device
     * that sends to itself loses no packets. If the last packet of a message is lost between two machines, Java and C
     * wait equally long.
     */
    private static final int QUEUE_PAIR_TIMEOUT = 18;

    /** The number of values in an encoded order. */
    private static final int VALUES = 16;

    /** A day, which is the limit of the command line, and the hour that warm-up may add. */
    private static final int MOST_SECONDS = 90_000;

    private static final String GPU =
            "((--use_cuda=\\d{1,4}|--use_cuda_bus_id=[0-9A-Fa-f:.]{1,16})(,--gpu-path=[a-z]{1,16})?)?";

    /** Copies the list. */
    public RunOrder {
        gpu = List.copyOf(gpu);
    }

    /** Returns this order with another TCP port. */
    public RunOrder withPort(int other) {
        return with(device, devicePort, gidIndex, iterations, other, timeoutSeconds, ipv6, gpu);
    }

    /** Returns this order over IPv6 or IPv4. */
    public RunOrder overIpv6(boolean other) {
        return with(device, devicePort, gidIndex, iterations, port, timeoutSeconds, other, gpu);
    }

    /** Returns this order for another device. */
    public RunOrder at(String otherDevice, int otherPort, int otherGidIndex) {
        return with(otherDevice, otherPort, otherGidIndex, iterations, port, timeoutSeconds, ipv6, gpu);
    }

    /** Returns this order with buffers in the memory of another GPU. */
    public RunOrder onGpu(List<String> other) {
        return with(device, devicePort, gidIndex, iterations, port, timeoutSeconds, ipv6, other);
    }

    /** Returns this order with another number of messages. */
    public RunOrder withIterations(int other) {
        return with(device, devicePort, gidIndex, other, port, timeoutSeconds, ipv6, gpu);
    }

    private RunOrder with(
            String usedDevice,
            int usedDevicePort,
            int usedGidIndex,
            int messages,
            int usedPort,
            int seconds,
            boolean overIpv6,
            List<String> usedGpu) {
        return new RunOrder(
                tool,
                size,
                messages,
                usedDevice,
                usedDevicePort,
                usedGidIndex,
                mtu,
                connection,
                queuePairs,
                transmitDepth,
                moderation,
                usedPort,
                seconds,
                warmUp,
                overIpv6,
                usedGpu);
    }

    /** Returns when a run that starts now must have ended. */
    public Deadline deadline() {
        return Deadline.in(Duration.ofSeconds(timeoutSeconds));
    }

    /** Returns the kind of measurement. */
    public Kind kind() {
        return Kind.of(tool);
    }

    /** Returns the number of messages of the run, both directions together. */
    public long messages() {
        return kind().messages((long) iterations * queuePairs);
    }

    /** Returns this order with more time. */
    public RunOrder withMoreTime(int seconds) {
        return with(device, devicePort, gidIndex, iterations, port, timeoutSeconds + seconds, ipv6, gpu);
    }

    /**
     * Returns the parameters of the Java tool as the server.
     *
     * @throws io.github.rdma4j.perftest.exit.IllegalParameterException when the values contradict each other
     */
    public RunParameters serverParameters() {
        return RunParameters.parse(tool, javaArguments());
    }

    /**
     * Returns the parameters of the Java tool as the client.
     *
     * @param host the server's address
     * @throws io.github.rdma4j.perftest.exit.IllegalParameterException when the values contradict each other
     */
    public RunParameters clientParameters(String host) {
        List<String> arguments = javaArguments();
        arguments.add(host);
        return RunParameters.parse(tool, arguments);
    }

    private List<String> javaArguments() {
        List<String> arguments = arguments();
        option(arguments, "--timeout", timeoutSeconds);
        option(arguments, "--run-timeout", timeoutSeconds);
        if (!warmUp) {
            arguments.add("--no-warm-up");
        }
        arguments.addAll(gpu);
        return arguments;
    }

    /** Returns the arguments that Java's and C's tools share, without the server's name. */
    public List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        // Ignore changes of the CPU frequency: they affect every run alike.
        arguments.add("-F");
        if (device != null) {
            option(arguments, "-d", device);
        }
        option(arguments, "-i", devicePort);
        option(arguments, "-p", port);
        if (ipv6) {
            arguments.add(IPV6);
        }
        if (tool.verb() != Verb.ATOMIC) {
            option(arguments, "-s", size);
        }
        option(arguments, "-n", iterations);
        option(arguments, "-u", QUEUE_PAIR_TIMEOUT);
        if (gidIndex >= 0) {
            option(arguments, "-x", gidIndex);
        }
        if (mtu > 0) {
            option(arguments, "-m", mtu);
        }
        if (connection != null) {
            option(arguments, "-c", connection);
        }
        if (SRD.equals(connection) && tool == Tool.WRITE_LATENCY) {
            // C posts writes inline on its own, which libefa takes only from queue pairs that are made for it.
            option(arguments, "-I", 0);
        }
        if (queuePairs > 1) {
            option(arguments, "-q", queuePairs);
        }
        if (transmitDepth > 0) {
            option(arguments, "-t", transmitDepth);
        }
        if (moderation > 0) {
            option(arguments, "-Q", moderation);
        }
        return arguments;
    }

    private static void option(List<String> arguments, String name, Object value) {
        arguments.add(name);
        arguments.add(value.toString());
    }

    /**
     * Encodes the order as words of a line. Device names contain no white space, because the kernel uses them as folder
     * names.
     */
    public String encode() {
        return String.join(
                " ",
                "tool=" + tool.command(),
                "size=" + size,
                "iterations=" + iterations,
                "device=" + (device == null ? "" : device),
                "devicePort=" + devicePort,
                "gidIndex=" + gidIndex,
                "mtu=" + mtu,
                "connection=" + (connection == null ? "" : connection),
                "queuePairs=" + queuePairs,
                "transmitDepth=" + transmitDepth,
                "moderation=" + moderation,
                "port=" + port,
                "timeoutSeconds=" + timeoutSeconds,
                "warmUp=" + warmUp,
                "ipv6=" + ipv6,
                "gpu=" + String.join(",", gpu));
    }

    /**
     * Parses the text of {@link #encode()}. It may come from another machine, so each value must be valid for its
     * option.
     *
     * @throws IllegalArgumentException when the text is invalid
     */
    public static RunOrder decode(String text) {
        Map<String, String> values = new HashMap<>();
        for (String word : text.split(" ")) {
            int equals = word.indexOf('=');
            if (equals < 0 || values.put(word.substring(0, equals), word.substring(equals + 1)) != null) {
                throw new IllegalArgumentException("'" + word + "' is no value of a run, or is there twice");
            }
        }
        if (values.size() != VALUES) {
            throw new IllegalArgumentException("a run has " + VALUES + " values, not " + values.size());
        }
        return new RunOrder(
                Tool.ofCommand(value(values, "tool", "[a-z_]{1,40}"))
                        .orElseThrow(() -> new IllegalArgumentException("unknown tool")),
                Ranges.messageSize("size", value(values, "size", "\\d{1,18}")),
                number(values, "iterations", 5, 100_000_000),
                orNull(value(values, "device", "([A-Za-z0-9_][A-Za-z0-9_.:-]{0,63})?")),
                number(values, "devicePort", 1, 255),
                number(values, "gidIndex", -1, 255),
                number(values, "mtu", 0, 4096),
                orNull(value(values, "connection", "([A-Za-z]{2,4})?")),
                number(values, "queuePairs", 1, 16_384),
                number(values, "transmitDepth", 0, 15_000),
                number(values, "moderation", 0, 1024),
                number(values, "port", 1, 65_535),
                number(values, "timeoutSeconds", 1, MOST_SECONDS),
                yes(values, "warmUp"),
                yes(values, "ipv6"),
                words(value(values, "gpu", GPU)));
    }

    /**
     * Returns this order, if the tool's command line accepts it.
     *
     * @throws IllegalArgumentException if it does not
     */
    public RunOrder checked() {
        serverParameters();
        return this;
    }

    private static String orNull(String value) {
        return value.isEmpty() ? null : value;
    }

    private static List<String> words(String value) {
        return value.isEmpty() ? List.of() : List.of(value.split(","));
    }

    private static boolean yes(Map<String, String> values, String key) {
        return value(values, key, "true|false").equals("true");
    }

    private static int number(Map<String, String> values, String key, int least, int most) {
        int number = Integer.parseInt(value(values, key, "-?\\d{1,9}"));
        if (number < least || number > most) {
            throw new IllegalArgumentException(key + ": " + number + " is not in " + least + ".." + most);
        }
        return number;
    }

    private static String value(Map<String, String> values, String key, String pattern) {
        String value = values.get(key);
        if (value == null) {
            throw new IllegalArgumentException("a run without " + key);
        }
        if (!value.matches(pattern)) {
            throw new IllegalArgumentException(key + " of a run makes no sense");
        }
        return value;
    }
}
