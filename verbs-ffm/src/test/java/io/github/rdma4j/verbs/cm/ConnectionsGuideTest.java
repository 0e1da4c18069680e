// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.Project;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The event loop of docs/connections.md is the one that ConnectionsGuideDeviceTest runs. */
class ConnectionsGuideTest {
    private static final Pattern SNIPPET = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    private static String words(String text) {
        return text.replaceAll("\\s+", " ").strip();
    }

    @Test
    void theEventLoopThatThePageShowsIsTheOneThatIsRun() throws IOException {
        Path source =
                Project.folder().resolve("verbs-ffm/src/test/java/io/github/rdma4j/verbs/cm/ConnectionsGuide.java");
        String program = words(Files.readString(source));
        assertThat(SNIPPET.matcher(Files.readString(Project.page("connections.md")))
                        .results()
                        .map(result -> words(result.group(1)))
                        .filter(snippet -> snippet.contains("CONNECT_REQUEST")))
                .hasSize(1)
                .allSatisfy(snippet -> assertThat(program).contains(snippet));
    }
}
