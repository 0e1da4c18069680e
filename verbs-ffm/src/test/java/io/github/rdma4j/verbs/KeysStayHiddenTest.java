// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.endpoint.MemoryHandle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No text that goes to a log contains remote keys, or local ones, which are mostly the same numbers. */
class KeysStayHiddenTest {
    private static final int KEY = 0x5eed_1234;

    /** A key beside a format, or after a word that announces it. */
    private static final Pattern IN_A_TEXT = Pattern.compile("\"[^\"]*\\b[rl]key[ =](0x)?%[xds]?[^\"]*\"");

    /** A key that is an argument of a format, or joined to a text. */
    private static final Pattern AS_TEXT =
            Pattern.compile("(formatted\\(|toHexString\\(|String\\.valueOf\\(|\" \\+ )[^;]*"
                    + "\\b(remoteKey|localKey|rkey|lkey)\\b(?!\\(\\w)");

    /**
     * Where a key is text all the same: the trace, which its own property switches on and which has each argument of
     * each call; and the banner of the ib_* tools, which has what C's tools print.
     */
    private static final Set<String> ALLOWED = Set.of("TraceStructures.java", "Banner.java");

    private static Stream<Path> sources() throws IOException {
        return Stream.of(
                        "verbs-ffm",
                        "verbs-ffm/netty",
                        "verbs-ffm/valkey",
                        "gpudirect",
                        "perftest/tools",
                        "perftest/diagnosis",
                        "perftest/comparison",
                        "perftest")
                .map(module -> Path.of("..", module, "src", "main", "java"))
                .flatMap(KeysStayHiddenTest::javaFiles);
    }

    private static Stream<Path> javaFiles(Path folder) {
        try {
            return Files.walk(folder)
                    .filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.toString().contains("/bindings/"))
                    .filter(file -> !ALLOWED.contains(file.getFileName().toString()));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void noSourceFileMakesTextOfAKey() throws IOException {
        try (Stream<Path> files = sources()) {
            List<Path> all = files.toList();
            assertThat(all).hasSizeGreaterThan(300);
            for (Path file : all) {
                String text = Files.readString(file)
                        .replace("Keys.text(remoteKey())", "")
                        .replace("Keys.text(remoteKey)", "");
                text = text.replace("Keys.text(localKey)", "");
                boolean byKeys = text.contains("internal.Keys;");
                assertThat(byKeys ? "" : found(IN_A_TEXT, text))
                        .as(file.toString())
                        .isEmpty();
                assertThat(found(AS_TEXT, text)).as(file.toString()).isEmpty();
            }
        }
    }

    private static String found(Pattern pattern, String text) {
        var matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group() : "";
    }

    @Test
    void patternsFindWhatTheyAreFor() {
        assertThat(found(IN_A_TEXT, "return \"memory, rkey 0x%x\".formatted(key);"))
                .isNotEmpty();
        assertThat(found(IN_A_TEXT, "\"dereg(lkey=0x%x)\"")).isNotEmpty();
        assertThat(found(AS_TEXT, "\"memory %x\".formatted(address, remoteKey);"))
                .isNotEmpty();
        assertThat(found(AS_TEXT, "\"memory \" + region.remoteKey();")).isNotEmpty();
        assertThat(found(AS_TEXT, "int key = region.remoteKey();")).isEmpty();
    }

    @Test
    void valuesHideTheirKeysAndSendThemNevertheless() {
        RemoteMemory memory = new RemoteMemory(0x1000, 100, KEY);
        MemoryHandle handle = new MemoryHandle(memory, Set.of(AccessFlag.REMOTE_READ));
        try (MemoryRegion region = MemoryRegion.withoutAdapter(64, AccessFlag.LOCAL_WRITE)) {
            for (Object value : List.of(memory, memory.slice(8, 8), handle, handle.slice(0, 8))) {
                assertNoKey(value.toString(), KEY);
            }
            for (Object value : List.of(region, region.slice(8, 8), region.remoteMemory())) {
                assertNoKey(value.toString(), region.remoteKey());
            }
        }
        assertThat(MemoryHandle.fromBytes(handle.toBytes())).isEqualTo(handle);
        assertThat(memory.remoteKey()).isEqualTo(KEY);
        assertThatThrownBy(() -> memory.slice(90, 20)).satisfies(e -> assertNoKey(e.getMessage(), KEY));
    }

    static void assertNoKey(String text, int key) {
        assertThat(text)
                .doesNotContain(Integer.toHexString(key))
                .doesNotContain(Integer.toString(key))
                .doesNotContain(Integer.toUnsignedString(key));
    }
}
