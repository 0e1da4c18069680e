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
 * What a second JVM is told, and what it answers: lines of its standard streams. It ends with its orders, so that it
 * cannot outlive who gives them, however that one ends. {@link ChildJvm} is the other side.
 */
public final class ChildOrders {
    /** Before each answer: a JVM with certain flags prints lines of its own. */
    static final String PREFIX = "@rdma4j ";

    /** Answer: started. */
    static final String READY = "ready";

    /** Answer, with a message: what was ordered failed. */
    static final String FAILED = "failed ";

    private static final String REMEDY = " Remedy: ";

    private final PrintStream out;

    /** Of this JVM. */
    public ChildOrders() {
        out = System.out;
    }

    /**
     * Reads orders until there are no more, and ends the JVM at once then.
     *
     * @param obey gets each order, in this thread; what takes long belongs into another one
     * @param end is called before the JVM ends
     */
    public void obeyAll(Consumer<String> obey, Runnable end) {
        answer(READY);
        try (BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                obey.accept(order);
            }
        } catch (IOException _) {
            // As if the orders had ended.
        } finally {
            end.run();
            Runtime.getRuntime().halt(0);
        }
    }

    /** Answers with a line. */
    public synchronized void answer(String text) {
        out.println(PREFIX + text);
        out.flush();
    }

    /**
     * Answers that something failed.
     *
     * @param remedy empty where none is known
     */
    public void answerFailure(String message, String remedy) {
        answer(FAILED + oneLine(message) + (remedy.isEmpty() ? "" : REMEDY + oneLine(remedy)));
    }

    private static String oneLine(String text) {
        return String.valueOf(text).replaceAll("\\s+", " ");
    }

    /** The message of a failure. */
    static String message(String failure) {
        int remedy = failure.indexOf(REMEDY);
        return failure.substring(FAILED.length(), remedy < 0 ? failure.length() : remedy);
    }

    /** The remedy of a failure; empty when it has none. */
    static String remedy(String failure) {
        int remedy = failure.indexOf(REMEDY);
        return remedy < 0 ? "" : failure.substring(remedy + REMEDY.length());
    }
}
