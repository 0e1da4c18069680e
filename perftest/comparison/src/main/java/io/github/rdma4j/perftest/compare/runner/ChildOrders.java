// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * The orders to a second JVM and its answers, as lines of its standard streams. The JVM ends at the end of its input,
 * so it never outlives its parent, however the parent ends. {@link ChildJvm} is the parent's side.
 */
final class ChildOrders {
    /** The prefix of each answer: a JVM with certain flags prints lines of its own. */
    static final String PREFIX = "@rdma4j ";

    /** Answer: started. */
    static final String READY = "ready";

    /** Answer, with a message: the order failed. */
    static final String FAILED = "failed ";

    private static final String REMEDY = " Remedy: ";

    private final PrintStream out;

    /** Uses the streams of this JVM. */
    ChildOrders() {
        out = System.out;
    }

    /**
     * Reads orders until the end of the input, and then ends the JVM at once.
     *
     * @param obey receives each order, in this thread; long work belongs in another thread
     * @param end is called before the JVM ends
     */
    void obeyAll(Consumer<String> obey, Runnable end) {
        answer(READY);
        try (BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                obey.accept(order);
            }
        } catch (IOException _) {
            // Treat it as the end of the orders.
        } finally {
            end.run();
            Runtime.getRuntime().halt(0);
        }
    }

    /** Sends an answer. */
    synchronized void answer(String text) {
        out.println(PREFIX + text);
        out.flush();
    }

    /**
     * Answers that an order failed.
     *
     * @param remedy empty if unknown
     */
    void answerFailure(String message, String remedy) {
        answer(FAILED + oneLine(message) + (remedy.isEmpty() ? "" : REMEDY + oneLine(remedy)));
    }

    private static String oneLine(String text) {
        return String.valueOf(text).replaceAll("\\s+", " ");
    }

    /** Returns the message of a failure. */
    static String message(String failure) {
        int remedy = failure.indexOf(REMEDY);
        return failure.substring(FAILED.length(), remedy < 0 ? failure.length() : remedy);
    }

    /** Returns the remedy of a failure; empty when it has none. */
    static String remedy(String failure) {
        int remedy = failure.indexOf(REMEDY);
        return remedy < 0 ? "" : failure.substring(remedy + REMEDY.length());
    }
}
