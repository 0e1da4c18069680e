// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * {@code waiting-methods.txt} lists every waiting method of the libraries, with the tests that interrupt it and that
 * close the awaited object. A method with a time limit waits, unless that file explains the limit.
 */
class WaitingMethodsTest {
    private static final Path LIST =
            Pages.root().resolve("docs/src/test/resources/io/github/rdma4j/documentation/waiting-methods.txt");
    private static final Pattern LIMITED = Pattern.compile("    public \\S.* (\\w+)\\((.*\\bDuration\\b.*)\\).*");
    private static final Pattern METHOD = Pattern.compile("    public \\S.* (\\w+)\\(.*\\).*");
    private static final Pattern TYPE = Pattern.compile("public .*\\b(?:class|interface|record|enum) ([\\w$]+).*");
    private static final Pattern PLACE = Pattern.compile("((?:\\w+/)+\\w+) (\\w+)");
    private static final Pattern ENDS = Pattern.compile("    (interrupted|closed|interrupted, closed): (.+)");
    private static final String NO_WAIT = "    does not wait: ";
    private static final List<String> FOLDERS = List.of(
            "verbs-ffm/src/test/java",
            "verbs-ffm/campaign/src/main/java",
            "cuda-ffm/src/test/java",
            "gpudirect/src/test/java");

    /** Package without the common part, type and name of each method that a pattern fits. */
    private static TreeSet<String> methods(Pattern pattern) {
        TreeSet<String> found = new TreeSet<>();
        for (String module : PublicApiTest.MODULES) {
            String packageName = "";
            String type = "";
            for (String line : lines(PublicApi.list(module))) {
                Matcher method = pattern.matcher(line);
                Matcher header = TYPE.matcher(line);
                if (line.startsWith("package ")) {
                    packageName = line.substring("package io.github.rdma4j.".length());
                } else if (header.matches()) {
                    type = header.group(1);
                } else if (method.matches() && !type.endsWith("Config")) {
                    found.add("%s %s.%s".formatted(packageName, type, method.group(1)));
                }
            }
        }
        return found;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The file's entry for each method. */
    private static Map<String, List<String>> known() {
        Map<String, List<String>> known = new LinkedHashMap<>();
        String method = "";
        for (String line : lines(LIST)) {
            if (line.startsWith(" ")) {
                known.get(method).add(line);
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                method = line;
                assertThat(known.put(method, new ArrayList<>())).as(method).isNull();
            }
        }
        return known;
    }

    @Test
    void everyMethodWithATimeoutIsListed() {
        TreeSet<String> limited = methods(LIMITED);
        assertThat(limited).hasSizeGreaterThan(45);
        limited.removeAll(known().keySet());
        assertThat(limited)
                .as("public methods with a time limit: name the tests in " + LIST)
                .isEmpty();
        assertThat(methods(METHOD)).as("what %s names", LIST).containsAll(known().keySet());
    }

    @Test
    void eachIsInterruptedAndHasItsObjectClosed() {
        known().forEach((method, entry) -> {
            if (entry.size() == 1 && entry.getFirst().startsWith(NO_WAIT)) {
                return;
            }
            assertThat(entry).as(method).allMatch(line -> ENDS.matcher(line).matches());
            assertThat(String.join(" ", entry)).as(method).contains("interrupted", "closed");
            entry.forEach(line -> requirePlace(method, line));
        });
    }

    private static void requirePlace(String method, String line) {
        Matcher ends = ENDS.matcher(line);
        assertThat(ends.matches()).isTrue();
        Matcher place = PLACE.matcher(ends.group(2));
        if (place.matches()) {
            Path file = FOLDERS.stream()
                    .map(folder -> Pages.root().resolve(folder).resolve("io/github/rdma4j/" + place.group(1) + ".java"))
                    .filter(Files::exists)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("%s: no file for %s".formatted(method, line.strip())));
            assertThat(Pages.text(file)).as("%s: %s", method, file).containsPattern("\\b" + place.group(2) + "\\b");
        }
    }
}
