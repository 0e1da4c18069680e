// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The public API does not change unnoticed: CONTRIBUTING.md#releases. */
class PublicApiTest {
    static final List<String> MODULES = List.of(
            "verbs-ffm", "verbs-ffm/netty", "verbs-ffm/valkey", "verbs-ffm/micrometer", "cuda-ffm", "gpudirect");

    private static final Pattern TYPE = Pattern.compile(
            "/\\*\\*((?:(?!\\*/).)*)\\*/\\n(?:@[^\\n]*\\n)*public [^\\n]*\\b(?:class|interface|enum|record) ",
            Pattern.DOTALL);
    private static final Pattern SINCE = Pattern.compile("\\n \\* @since \\d+\\.\\d+\\.\\d+\\n");

    static Stream<Path> publicTypes() {
        Path testing = Pages.root().resolve("verbs-ffm/testing/src/main/java/io/github/rdma4j/verbs/testing");
        return Stream.concat(
                        MODULES.stream().flatMap(module -> PublicApi.sources(module).stream()),
                        Stream.of(testing.toFile().listFiles(file -> file.isFile()))
                                .map(file -> file.toPath()))
                .filter(file -> Pages.text(file).contains("\npublic "))
                .map(Pages.root()::relativize);
    }

    @ParameterizedTest
    @FieldSource("MODULES")
    void isWhatItsFileShows(String module) throws ClassNotFoundException, IOException {
        Path file = PublicApi.list(module);
        String api = PublicApi.describe(module);
        if (Boolean.getBoolean("rdma4j.api.write")) {
            Files.writeString(file, api);
        }
        List<String> before = inFull(Files.readString(file));
        List<String> now = inFull(api);
        assertThat(Stream.concat(
                        now.stream().filter(line -> !before.contains(line)).map(line -> "+ " + line),
                        before.stream().filter(line -> !now.contains(line)).map(line -> "- " + line)))
                .as(
                        "the public API differs from %s. If that is intended: mvn -pl docs -am test"
                                + " -Dtest=PublicApiTest -Dsurefire.failIfNoSpecifiedTests=false -Drdma4j.api.write=true",
                        file)
                .isEmpty();
    }

    /** Its lines, with the type for each member. */
    private static List<String> inFull(String api) {
        List<String> lines = new ArrayList<>();
        String type = "";
        for (String line : api.split("\n")) {
            if (line.startsWith(" ")) {
                lines.add(type + " {" + line.substring(3) + " }");
            } else if (!line.isEmpty()) {
                type = line;
                lines.add(line);
            }
        }
        return lines;
    }

    @ParameterizedTest
    @MethodSource("publicTypes")
    void namesItsFirstVersion(Path source) {
        Matcher type = TYPE.matcher(Pages.text(Pages.root().resolve(source)));
        assertThat(type.find()).isTrue();
        assertThat(type.group(1)).containsPattern(SINCE);
    }
}
