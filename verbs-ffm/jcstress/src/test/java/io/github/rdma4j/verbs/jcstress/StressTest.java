// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.jcstress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs all stress tests of this module, in a JVM of jcstress's own that starts one for each. By itself in one mode of
 * compilation, for a third of a second each; {@code -Drdma4j.jcstress=long} in all modes that jcstress knows, and
 * longer.
 */
class StressTest {
    private static final boolean LONG = "long".equals(System.getProperty("rdma4j.jcstress"));
    /** Bounds a hang: on an emulated aarch64 machine beside other work one of 25 tests takes most of a minute. */
    private static final int MINUTES = LONG ? 120 : 60;

    private static final Pattern RESULTS = Pattern.compile(
            "Results: (\\d+) planned; (\\d+) passed, (\\d+) failed, (\\d+) soft errs, (\\d+) hard errs");

    // The test's own limit names the output file. The default limit of a quarter of an hour would end it before.
    @Timeout(value = 125, unit = TimeUnit.MINUTES)
    @Test
    void noThreadSeesWhatIsForbidden() throws Exception {
        Path reports = Files.createDirectories(Path.of("target", "jcstress").toAbsolutePath());
        Path output = reports.resolve("output.txt");
        Process process = new ProcessBuilder(command(reports))
                .directory(reports.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(MINUTES, TimeUnit.MINUTES))
                    .as("over within %d minutes; see %s", MINUTES, output)
                    .isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        String text = Files.readString(output);
        assertThat(process.exitValue()).as(text).isZero();
        Matcher results = RESULTS.matcher(text);
        int planned = 0;
        int passed = -1;
        while (results.find()) {
            planned = Integer.parseInt(results.group(1));
            passed = Integer.parseInt(results.group(2));
        }
        assertThat(planned).as(text).isGreaterThanOrEqualTo((int) tests());
        assertThat(passed).as(text).isEqualTo(planned);
    }

    private static List<String> command(Path reports) {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                // No JVM flags: the JVMs that jcstress starts would inherit them, and find little without the second
                // compiler.
                "-cp",
                System.getProperty("java.class.path"),
                "org.openjdk.jcstress.Main",
                "-r",
                reports.toString(),
                // A close takes microseconds, an entry nanoseconds: with long strides they would not meet.
                "-strideSize",
                "8"));
        if (LONG) {
            command.addAll(List.of("-m", "quick", "-jvmArgsPrepend", "--enable-native-access=ALL-UNNAMED"));
        } else {
            // None whose compiler decides at random, of which there are five by default.
            command.addAll(List.of("-f", "1", "-fsm", "0", "-iters", "1", "-time", "300", "-sc", "false"));
            // A JVM lives for a second, most of which G1's threads and pages of a heap that nobody fills would take.
            command.addAll(List.of("-hs", "64", "-pth", "false"));
            command.addAll(List.of("-jvmArgs", "--enable-native-access=ALL-UNNAMED -XX:+UseSerialGC"));
        }
        return command;
    }

    /** As many as the annotation processor found. */
    private static long tests() throws Exception {
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path list = Path.of(entry, "META-INF", "TestList");
            if (Files.exists(list)) {
                try (var lines = Files.lines(list)) {
                    return lines.count();
                }
            }
        }
        throw new AssertionError("no list of the stress tests on the class path");
    }
}
