// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/coverage.md has each function with a binding once, with methods and tests that exist. */
class CudaCoverageTest {
    private static final Path PROJECT =
            StandInBuild.source().resolve("../../../../..").normalize();
    private static final String PACKAGE = "io.github.rdma4j.cuda.";

    private record Row(String function, String since, String method, String test, String note) {}

    @Test
    void everyBindingHasItsRow() throws IOException {
        List<String> bound = Files.readAllLines(PROJECT.resolve("native-headers/cuda/driver.args")).stream()
                .map(Pattern.compile("--include-typedef PFN_(cu\\w+)_v(\\d+)")::matcher)
                .filter(java.util.regex.Matcher::matches)
                .map(line -> line.group(1) + " " + version(Integer.parseInt(line.group(2))))
                .toList();
        assertThat(rows().map(row -> row.function + " " + row.since)).containsExactlyElementsOf(bound);
    }

    private static String version(int number) {
        return new CudaVersion(number).toString();
    }

    @Test
    void methodsAndTestsExistOrThereIsAReason() throws IOException {
        assertThat(rows()).allSatisfy(row -> {
            if (row.method.isEmpty()) {
                assertThat(row.test).isEmpty();
                assertThat(row.note).isNotEmpty();
            } else {
                assertThat(exists(row.method)).as(row.method).isTrue();
                assertThat(exists(row.test)).as(row.test).isTrue();
            }
        });
    }

    @Test
    void totalsAreRight() throws IOException {
        long all = rows().count();
        long wrapped = rows().filter(row -> !row.method.isEmpty()).count();
        assertThat(page())
                .contains("**%d functions: %d with a Java method and a test; %d without, for the reason given.**"
                        .formatted(all, wrapped, all - wrapped));
    }

    private static boolean exists(String member) throws ClassNotFoundException {
        String[] parts = member.split("\\.");
        for (Class<?> type = Class.forName(PACKAGE + parts[0]); type != null; type = type.getSuperclass()) {
            if (Arrays.stream(type.getDeclaredMethods())
                    .anyMatch(method -> method.getName().equals(parts[1]))) {
                return true;
            }
        }
        return false;
    }

    private static Stream<Row> rows() throws IOException {
        return page().lines().filter(line -> line.startsWith("| `")).map(line -> {
            String[] cells = line.replace("`", "").split("\\|", -1);
            return new Row(cells[1].strip(), cells[2].strip(), cells[3].strip(), cells[4].strip(), cells[5].strip());
        });
    }

    private static String page() throws IOException {
        return Files.readString(PROJECT.resolve("docs/coverage.md")).split("\n## The CUDA driver API\n")[1];
    }
}
