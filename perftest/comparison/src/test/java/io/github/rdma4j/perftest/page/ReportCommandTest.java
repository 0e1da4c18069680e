// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jsoup.Jsoup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReportCommandTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    private Path folder;

    private int run(String... arguments) {
        return ReportCommand.run(
                List.of(arguments),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private String document(String name) {
        return SampleDocuments.write(folder, name, SampleDocuments.everything()).toString();
    }

    @Test
    void writesThePage() throws IOException {
        Path page = folder.resolve("page.html");

        assertThat(run(document("a.json"), "--title", "A < B", "--out", page.toString()))
                .isZero();

        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("The page is in " + page + System.lineSeparator());
        assertThat(err.size()).isZero();
        assertThat(Jsoup.parse(Files.readString(page)).title()).isEqualTo("A < B");
    }

    @Test
    void halfACharacterInADocumentIsNoObstacle() throws IOException {
        Path half = folder.resolve("half.json");
        String whole = Files.readString(Path.of(document("a.json")));
        Files.writeString(half, whole.replace("rxe0", "rxe0\\ud800"));
        Path page = folder.resolve("page.html");

        assertThat(run(half.toString(), "--out", page.toString())).isZero();

        assertThat(Jsoup.parse(Files.readString(page)).text()).contains("rxe0?");
    }

    @Test
    void filesOfOneNameGetDistinctTitles() throws IOException {
        Path other = Files.createDirectory(folder.resolve("other"));
        Path page = folder.resolve("page.html");
        SampleDocuments.write(other, "a.json", SampleDocuments.everything());

        assertThat(run(document("a.json"), other.resolve("a.json").toString(), "--out", page.toString()))
                .isZero();

        assertThat(Jsoup.parse(Files.readString(page)).select("td.s").eachText())
                .contains("Java · a", "Java · a (2)", "C · a (2)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "                                 | of which results?",
                "x.json --bogus                   | Unknown option: '--bogus'",
                "x.json --out                     | Missing required parameter for option '--out'",
                "x.json --out /no/such/folder/out | --out: /no/such/folder/out cannot be written",
                "x.json --out /                   | --out: / cannot be written",
            })
    void badCommandLineIsAnErrorInOneLine(String arguments, String message) {
        assertThat(run(arguments == null ? new String[0] : arguments.split(" ")))
                .isEqualTo(2);

        assertThat(err.toString(StandardCharsets.UTF_8).lines().toList())
                .hasSize(2)
                .satisfies(lines ->
                        assertThat(lines.getFirst()).startsWith("report: ").contains(message))
                .last()
                .isEqualTo("Try 'rdma4j report --help'.");
        assertThat(out.size()).isZero();
    }

    @Test
    void documentIsNotOverwritten() throws IOException {
        String document = document("a.json");

        assertThat(run(document, "--out", document)).isEqualTo(2);

        assertThat(err.toString(StandardCharsets.UTF_8)).contains("--out: " + document + " is one of the documents");
        assertThat(Files.readString(Path.of(document))).isEqualTo(SampleDocuments.everything());
    }

    @Test
    void badDocumentIsNamedAndNoPageIsWritten() {
        Path bad = SampleDocuments.write(folder, "bad.json", "hello");
        Path page = folder.resolve("page.html");

        assertThat(run(document("a.json"), bad.toString(), "--out", page.toString()))
                .isEqualTo(1);

        assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("report: " + bad + " is not JSON");
        assertThat(page).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({
        "'{\ntest_info: {', true, false", // as 4.5 writes it
        "'{\"t_avg\": inf', false, true",
        "'{\"t_avg\": -nan', false, true",
        "'{\"t_avg\": 1', false, false",
        "'size,average', false, false"
    })
    void adviceAboutToolsOfCFitsTheDocument(String text, boolean old, boolean noFigure) {
        assertThat(run(SampleDocuments.write(folder, "c.json", text).toString()))
                .isEqualTo(1);
        String printed = err.toString(StandardCharsets.UTF_8);
        assertThat(printed.contains("C's tools write valid JSON from")).isEqualTo(old);
        assertThat(printed.contains("C's tools write inf or nan")).isEqualTo(noFigure);
    }

    /** An unset variable of a script is not the folder that the program runs in. */
    @Test
    void emptyNameIsRefused() {
        assertThat(run("")).isEqualTo(2);
        assertThat(run(document("a.json"), "--out=")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("an argument is empty: leave it out", "--out= has no value: leave it out");
    }

    /** It would steer the terminal, and write a line of its own. */
    @Test
    void documentContentIsPrintedAsText() throws IOException {
        Path hostile = Files.writeString(
                folder.resolve("h.json"), "{\"schema\": \"\\u001b[2J\\nreport: all is well\\u202e\"}");

        assertThat(run(hostile.toString())).isOne();

        assertThat(err.toString(StandardCharsets.UTF_8))
                .startsWith(
                        "report: " + hostile + " is not a results document: its \"schema\" is ?[2J?report: all is well?"
                                + System.lineSeparator());
    }

    @Test
    void missingDocumentIsNamed() {
        Path missing = folder.resolve("missing.json");

        assertThat(run(missing.toString(), "--out", folder.resolve("p.html").toString()))
                .isEqualTo(1);

        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualTo("report: " + missing + " does not exist" + System.lineSeparator());
    }

    @Test
    void helpNamesTheOptions() {
        assertThat(run("--help")).isZero();

        assertThat(out.toString(StandardCharsets.UTF_8)).contains("<results.json>", "--out", "--title", "report.html");
    }
}
