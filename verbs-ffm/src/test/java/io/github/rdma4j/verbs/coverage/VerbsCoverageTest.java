// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.coverage;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.Project;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Holds the tables of verbs in docs/coverage.md to the installed libraries and headers on one side, and to the API and
 * its tests on the other: every function has a row, and what a row names exists.
 */
class VerbsCoverageTest {
    private static final String PAGE =
            MarkdownTables.text(Project.page("coverage.md")).split("\n## The CUDA driver API\n")[0];
    private static final Path INCLUDE = Path.of("/usr/include");
    private static final List<String> HEADERS = List.of("infiniband/verbs.h", "rdma/rdma_cma.h", "rdma/rdma_verbs.h");
    private static final List<String> LIBRARIES = List.of("libibverbs.so.1", "librdmacm.so.1");
    private static final Pattern INLINE =
            Pattern.compile("^ *static inline\\s[^;(]*?\\b(\\w+)\\s*\\(", Pattern.MULTILINE | Pattern.DOTALL);
    /** The node of the symbols that only rdma-core's own drivers may use. */
    private static final String PRIVATE_NODE = "IBVERBS_PRIVATE";

    private final List<List<String>> rows = MarkdownTables.rows(PAGE, 4);

    @Test
    void everyFunctionHasExactlyOneRow() throws IOException, InterruptedException {
        Set<String> wanted = new TreeSet<>(exported());
        wanted.addAll(inline());
        assertThat(wanted).as("the functions of the installed version").hasSizeGreaterThan(230);
        List<String> documented = functions();

        assertThat(documented).doesNotHaveDuplicates();
        wanted.removeAll(documented);
        assertThat(wanted).as("functions without a row").isEmpty();
    }

    @Test
    void rowMatchesTheInstalledVersionOrNamesItsVersion() throws IOException, InterruptedException {
        Set<String> known = new TreeSet<>(exported());
        known.addAll(inline());
        assertThat(rows)
                .filteredOn(row ->
                        !known.contains(MarkdownTables.code(row.getFirst()).getFirst()))
                .filteredOn(row -> !row.get(3).contains("rdma-core "))
                .isEmpty();
    }

    @Test
    void everyJavaMethodExists() {
        assertThat(named(1))
                .filteredOn(name -> !Members.isApi(name))
                .as("Java methods that do not exist")
                .isEmpty();
    }

    @Test
    void everyTestExists() {
        assertThat(named(2))
                .filteredOn(name -> !Members.isTest(name))
                .as("tests that do not exist")
                .isEmpty();
    }

    private Set<String> named(int cell) {
        Set<String> names = new TreeSet<>();
        rows.forEach(row -> names.addAll(MarkdownTables.code(row.get(cell))));
        return names;
    }

    @Test
    void everyRowHasATestedMethodOrAReason() {
        assertThat(rows)
                .filteredOn(row -> {
                    boolean covered = !MarkdownTables.code(row.get(1)).isEmpty()
                            && !MarkdownTables.code(row.get(2)).isEmpty();
                    boolean explained = row.get(1).isEmpty()
                            && row.get(2).isEmpty()
                            && !row.get(3).isEmpty();
                    boolean unreachable = !row.get(1).isEmpty()
                            && row.get(2).isEmpty()
                            && row.get(3).contains("untested on hardware");
                    return !covered && !explained && !unreachable;
                })
                .isEmpty();
    }

    @Test
    void totalsAreRight() {
        long covered = rows.stream()
                .filter(row -> !row.get(1).isEmpty() && !row.get(2).isEmpty())
                .count();
        long refused = rows.stream()
                .filter(row -> !row.get(2).isEmpty() && row.get(3).contains("refused by SoftRoCE"))
                .count();
        long without = rows.stream().filter(row -> row.get(1).isEmpty()).count();
        assertThat(PAGE)
                .contains(("**%d functions: %d with a Java method and a test, of which SoftRoCE refuses %d; %d with a"
                                + " method that nothing here can call; %d without a method, for the reason given.**")
                        .formatted(rows.size(), covered, refused, rows.size() - covered - without, without));
    }

    private List<String> functions() {
        return rows.stream()
                .map(row -> MarkdownTables.code(row.getFirst()).getFirst())
                .toList();
    }

    /** Returns the public symbols of the libraries. */
    private static List<String> exported() throws IOException, InterruptedException {
        List<String> names = new ArrayList<>();
        for (String library : LIBRARIES) {
            Process nm = new ProcessBuilder(
                            "nm", "-D", "--defined-only", located(library).toString())
                    .redirectErrorStream(true)
                    .start();
            for (String line : nm.inputReader().lines().toList()) {
                String[] word = line.split(" ");
                String[] symbol = word[word.length - 1].split("@+");
                boolean function = word[1].equals("T") || word[1].equals("t") || word[1].equals("W");
                if (function && symbol.length == 2 && !symbol[1].startsWith(PRIVATE_NODE)) {
                    names.add(symbol[0]);
                }
            }
            assertThat(nm.waitFor()).as("nm " + library).isZero();
        }
        return names;
    }

    /** Where the loader has found a library for this process: not what is in a folder of its name, as drivers are. */
    private static Path located(String library) throws IOException {
        java.lang.foreign.SymbolLookup.libraryLookup(library, java.lang.foreign.Arena.global());
        return Files.readAllLines(Path.of("/proc/self/maps")).stream()
                .filter(line -> line.contains("/" + library.substring(0, library.lastIndexOf('.'))))
                .map(line -> Path.of(line.substring(line.indexOf('/'))))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> inline() throws IOException {
        Map<String, String> functions = new HashMap<>();
        for (String header : HEADERS) {
            String text = Files.readString(INCLUDE.resolve(header)).replaceAll("__attribute__\\(\\(\\w+\\)\\)", "");
            Matcher matcher = INLINE.matcher(text);
            while (matcher.find()) {
                functions.put(matcher.group(1), header);
            }
        }
        return List.copyOf(functions.keySet());
    }
}
