// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every link within the project leads somewhere, and every page can be reached from the front. */
class LinksTest {
    static Stream<Path> pages() {
        return Pages.all().stream().map(Pages.root()::relativize);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void leadsSomewhere(Path name) {
        Path page = Pages.root().resolve(name);
        List<String> broken = new ArrayList<>();
        for (String destination : Pages.destinations(page)) {
            if (destination.startsWith("https://") || destination.startsWith("mailto:")) {
                continue;
            }
            String[] parts = destination.split("#", 2);
            Path target =
                    parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
            if (!Files.exists(target)) {
                broken.add(destination + ": no such file");
            } else if (parts.length == 2 && !Pages.anchors(target).contains(parts[1])) {
                broken.add(destination + ": that page has " + Pages.anchors(target));
            }
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void everyPageCanBeReachedFromTheIndex() {
        Path index = Pages.root().resolve("docs/README.md");
        Set<Path> reached = new LinkedHashSet<>(List.of(index));
        Deque<Path> toRead = new ArrayDeque<>(reached);
        while (!toRead.isEmpty()) {
            Path page = toRead.remove();
            for (String destination : Pages.destinations(page)) {
                Path target = page.resolveSibling(destination.split("#", 2)[0]).normalize();
                if (target.toString().endsWith(".md") && Files.exists(target) && reached.add(target)) {
                    toRead.add(target);
                }
            }
        }
        // Beside recorded data of tests lies a word on where it comes from.
        assertThat(reached)
                .containsAll(Pages.all().stream()
                        .filter(page -> !page.toString().contains("/src/test/"))
                        .toList());
    }
}
