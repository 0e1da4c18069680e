// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The result of compiling a method with HotSpot's second compiler, from a {@code -XX:+LogCompilation} log.
 *
 * @param inlined calls that became part of the method's code, by name
 * @param refused calls that did not, each with the compiler's reason
 */
record CompilerLog(List<String> inlined, List<Refusal> refused) {
    /** A call that the compiler left a call. */
    record Refusal(String method, String reason) {}

    private static final Pattern TASK = Pattern.compile("<task [^>]*method='(\\S+) (\\S+) [^>]*>");
    private static final Pattern FIRST_COMPILER = Pattern.compile(" level='[123]'");
    private static final Pattern CLASS = Pattern.compile("<klass id='(\\d+)' name='(\\S+?)'");
    private static final Pattern METHOD = Pattern.compile("<method id='(\\d+)' holder='(\\d+)' name='(\\S+?)'");
    private static final Pattern CALL = Pattern.compile("<call method='(\\d+)'");
    private static final Pattern SUCCESS = Pattern.compile("<inline_success ");
    private static final Pattern FAILURE = Pattern.compile("<inline_fail reason='([^']+)'");

    /** The flags that make a JVM write such a file. */
    static List<String> flags(Path file) {
        return List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+LogCompilation", "-XX:LogFile=" + file);
    }

    /**
     * Reads each time that a method was compiled by the second compiler, in the order of the file.
     *
     * @param file of a JVM that has ended
     * @param type the method's class, with its package
     * @param method its name
     */
    static List<CompilerLog> of(Path file, String type, String method) throws IOException {
        List<CompilerLog> compilations = new ArrayList<>();
        CompilerLog current = null;
        // Each compilation numbers the methods again.
        Map<String, String> names = new HashMap<>();
        String called = "";
        for (String line : Files.readAllLines(file)) {
            Matcher task = TASK.matcher(line);
            if (line.startsWith("<task ") && task.find()) {
                boolean meant = task.group(1).equals(type)
                        && task.group(2).equals(method)
                        && !FIRST_COMPILER.matcher(line).find();
                current = meant ? new CompilerLog(new ArrayList<>(), new ArrayList<>()) : null;
                names.clear();
            } else if (current != null) {
                called = current.read(line, names, called);
                if (line.startsWith("</task>")) {
                    compilations.add(current);
                    current = null;
                }
            }
        }
        return compilations;
    }

    /** Takes in a line; returns the method that the last call was of. */
    private String read(String line, Map<String, String> names, String called) {
        Matcher name = CLASS.matcher(line);
        if (name.find()) {
            names.put("class " + name.group(1), name.group(2));
            return called;
        }
        name = METHOD.matcher(line);
        if (name.find()) {
            names.put(name.group(1), names.get("class " + name.group(2)) + "::" + name.group(3));
            return called;
        }
        Matcher call = CALL.matcher(line);
        if (call.find()) {
            return names.getOrDefault(call.group(1), "?");
        }
        Matcher failure = FAILURE.matcher(line);
        if (failure.find()) {
            refused.add(new Refusal(called, failure.group(1)));
        } else if (SUCCESS.matcher(line).find()) {
            inlined.add(called);
        }
        return called;
    }
}
