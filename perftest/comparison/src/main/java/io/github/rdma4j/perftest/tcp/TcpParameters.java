// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.tcp;

import java.util.HashMap;
import java.util.Map;

/**
 * A run over plain TCP. Both sides have these parameters from the start, so that they need not negotiate them.
 *
 * @param latency whether messages go back and forth one at a time; if not, they stream to the server
 * @param size message size in bytes, at least 1
 * @param iterations the number of the client's messages, at least 2 for latency
 * @param address the server's numeric address
 * @param port the server's TCP port
 * @param spin whether a waiting side polls, as the RDMA tools do; if not, it sleeps in the kernel
 * @param timeoutSeconds the longest the run may take
 * @param warmUp whether to warm up, so that compiled code is measured
 */
public record TcpParameters(
        boolean latency,
        int size,
        int iterations,
        String address,
        int port,
        boolean spin,
        int timeoutSeconds,
        boolean warmUp) {

    /** Returns the run as words of a line. */
    public String encode() {
        return String.join(
                " ",
                "latency=" + latency,
                "size=" + size,
                "iterations=" + iterations,
                "address=" + address,
                "port=" + port,
                "spin=" + spin,
                "timeoutSeconds=" + timeoutSeconds,
                "warmUp=" + warmUp);
    }

    /**
     * The reverse of {@link #encode()}.
     *
     * @throws IllegalArgumentException when the text is not such a line
     */
    public static TcpParameters decode(String text) {
        Map<String, String> values = new HashMap<>();
        for (String word : text.split(" ")) {
            int equals = word.indexOf('=');
            if (equals < 0) {
                throw new IllegalArgumentException("'" + word + "' is no value of a run");
            }
            values.put(word.substring(0, equals), word.substring(equals + 1));
        }
        return new TcpParameters(
                Boolean.parseBoolean(value(values, "latency")),
                Integer.parseInt(value(values, "size")),
                Integer.parseInt(value(values, "iterations")),
                value(values, "address"),
                Integer.parseInt(value(values, "port")),
                Boolean.parseBoolean(value(values, "spin")),
                Integer.parseInt(value(values, "timeoutSeconds")),
                Boolean.parseBoolean(value(values, "warmUp")));
    }

    private static String value(Map<String, String> values, String key) {
        String value = values.get(key);
        if (value == null) {
            throw new IllegalArgumentException("a run without " + key);
        }
        return value;
    }
}
