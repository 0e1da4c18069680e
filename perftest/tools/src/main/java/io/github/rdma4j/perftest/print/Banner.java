// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.print;

import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Verb;
import io.github.rdma4j.perftest.result.RunInfo;
import io.github.rdma4j.perftest.result.Settings;
import io.github.rdma4j.perftest.wire.PeerKeys;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;

/** The text above the results, line by line as the C tools print it; --details appends our lines. */
final class Banner {
    static final String LINE = "-".repeat(87);

    /** So many lines at its beginning have two settings. */
    private static final int LINES_OF_TWO = 3;

    private Banner() {}

    /** Returns the text that a server prints while it waits. */
    static String waiting() {
        return """

            ************************************
            * Waiting for client to connect... *
            ************************************
            """;
    }

    /** The test and its settings. */
    static String of(RunInfo info) {
        RunParameters parameters = info.parameters();
        StringBuilder text = new StringBuilder();
        text.append(LINE).append('\n');
        text.append(" ".repeat(20)).append(info.title()).append('\n');
        if (parameters.queues().events()) {
            text.append(" Test with events. Using ").append(info.device()).append("_comp");
            text.append(parameters.queues().completionVector()).append('\n');
        }
        if (parameters.queues().multicast()) {
            text.append(" MultiCast runs on UD!\n");
        }
        Iterator<Map.Entry<String, String>> settings =
                Settings.of(info).entrySet().iterator();
        for (int i = 0; i < LINES_OF_TWO; i++) {
            pair(text, settings.next(), settings.next());
        }
        settings.forEachRemaining(setting -> line(text, setting.getKey(), setting.getValue()));
        if (parameters.figures().details()) {
            Settings.ofOurs(info).forEach((key, value) -> line(text, key, value));
        }
        return text.append(LINE).append('\n').toString();
    }

    /** One end of a queue pair. */
    static String address(Verb verb, boolean local, PeerKeys keys) {
        StringBuilder text = new StringBuilder(local ? " local" : " remote").append(" address: LID ");
        text.append(hex(keys.lid(), 4));
        text.append(" QPN ").append(hex(keys.queuePairNumber(), 6));
        text.append(" PSN ").append(hex(keys.packetSequenceNumber(), 6));
        if (verb == Verb.READ) {
            text.append(" OUT ").append(hex(keys.outstandingReads(), 4));
        }
        if (verb == Verb.READ || verb == Verb.WRITE) {
            text.append(" RKey ").append(hex(Integer.toUnsignedLong(keys.remoteKey()), 8));
            text.append(" VAddr ").append(hex(keys.address(), 16));
        }
        text.append('\n');
        if (keys.gid() != null) {
            // In decimal, with at least two digits, because users compare it with the C tools' output.
            text.append(" GID");
            String separator = ": ";
            for (byte b : keys.gid().bytes()) {
                text.append(separator).append(String.format(Locale.ROOT, "%02d", b & 0xff));
                separator = ":";
            }
            text.append('\n');
        }
        return text.toString();
    }

    /** Formats as printf does with %#0Nx: the width includes the 0x, and 0 has none. */
    private static String hex(long value, int width) {
        return value == 0 ? "0".repeat(width) : String.format("0x%0" + (width - 2) + "x", value);
    }

    private static void line(StringBuilder text, String key, String value) {
        // The C tools align this one by a tab.
        text.append(String.format(key.equals(Settings.RDMA_CM) ? " %s\t : %s%n" : " %-16s: %s%n", key, value));
    }

    private static void pair(StringBuilder text, Map.Entry<String, String> first, Map.Entry<String, String> second) {
        text.append(String.format(
                " %-16s: %s\t\t%-15s: %s%n", first.getKey(), first.getValue(), second.getKey(), second.getValue()));
    }
}
