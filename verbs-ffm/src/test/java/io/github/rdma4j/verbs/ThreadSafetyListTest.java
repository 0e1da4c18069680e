// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The package's list of types for one thread at a time has every type that is documented as such. */
class ThreadSafetyListTest {
    private static final Path PACKAGE = Path.of("src/main/java/io/github/rdma4j/verbs");
    private static final Pattern FOR_ONE_THREAD = Pattern.compile(
            "(for|only) one thread at a time|belongs to the thread|for the thread that posts|for one thread while");

    private static String words(Path file) {
        try {
            return Files.readString(file).replaceAll("\\s+\\* ", " ");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void everyTypeThatIsForOneThreadIsOnThePackagesList() throws IOException {
        String list = words(PACKAGE.resolve("package-info.java"));
        try (Stream<Path> files = Stream.concat(Files.list(PACKAGE), Files.list(PACKAGE.resolve("flow")))) {
            List<String> types = files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.endsWith("package-info.java"))
                    .filter(file -> FOR_ONE_THREAD.matcher(words(file)).find())
                    .filter(file -> words(file).contains("\npublic final class "))
                    .map(file -> file.getFileName().toString().replace(".java", ""))
                    .toList();
            assertThat(types)
                    .hasSizeGreaterThan(8)
                    .allSatisfy(type -> assertThat(list)
                            .containsPattern("\\{@link io[.]github[.]rdma4j[.]verbs[.](flow[.])?" + type + "[}#]"));
        }
    }
}
