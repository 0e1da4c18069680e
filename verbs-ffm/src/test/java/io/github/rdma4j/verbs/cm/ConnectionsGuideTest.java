// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The event loop of docs/connections.md is the one that ConnectionsGuideDeviceTest runs. */
class ConnectionsGuideTest {
    private static final Pattern SNIPPET = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    private static Path project() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("native-headers"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    private static String words(String text) {
        return text.replaceAll("\\s+", " ").strip();
    }

    @Test
    void theEventLoopThatThePageShowsIsTheOneThatIsRun() throws IOException {
        Path source = project().resolve("verbs-ffm/src/test/java/io/github/rdma4j/verbs/cm/ConnectionsGuide.java");
        String program = words(Files.readString(source));
        assertThat(SNIPPET.matcher(Files.readString(project().resolve("docs/connections.md")))
                        .results()
                        .map(result -> words(result.group(1)))
                        .filter(snippet -> snippet.contains("CONNECT_REQUEST")))
                .hasSize(1)
                .allSatisfy(snippet -> assertThat(program).contains(snippet));
    }
}
