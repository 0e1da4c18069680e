// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.interop.Cell.Row;
import io.github.rdma4j.perftest.options.Tool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Holds docs/conformance.md to the cells that {@link InteropDeviceTest} runs. */
class InteropPageTest {
    private static final String NAME = "docs/conformance.md";

    private static String page() throws IOException {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve(NAME))) {
            folder = folder.getParent();
        }
        return Files.readString(folder.resolve(NAME));
    }

    @Test
    void tableShowsTheCells() throws Exception {
        String expected = Cells.rows().stream().map(InteropPageTest::line).collect(Collectors.joining("\n"));
        String table = page().lines().filter(line -> line.startsWith("| `ib_")).collect(Collectors.joining("\n"));
        assertThat(table)
                .as("the table of %s; it is to have the lines\n%s\n", NAME, expected)
                .isEqualTo(expected);
    }

    @Test
    void totalsAreThoseOfTheCells() throws Exception {
        assertThat(page()).contains(totals());
    }

    @Test
    void everyToolMeetsBothVersionsInBothRolesAndItself() {
        for (Tool tool : Tool.values()) {
            List<Cell> cells = Cells.listed()
                    .filter(cell -> cell.row().tool().equals(tool.command()))
                    .toList();
            for (Peer peer : Peer.listed()) {
                assertThat(cells).as("%s as client, %s as server", tool, peer).anyMatch(asServer(peer));
                assertThat(cells).as("%s as server, %s as client", tool, peer).anyMatch(asClient(peer));
            }
        }
    }

    @Test
    void gateHasEachToolAndEachOptionWithEachPeer() {
        List<Cell> gate = Cells.ofTheGate();
        for (Cell cell : Cells.listed().toList()) {
            for (String what : Cells.whatItShows(cell)) {
                assertThat(gate)
                        .as("%s, as in %s", what, cell)
                        .anyMatch(other -> Cells.whatItShows(other).contains(what));
            }
        }
        assertThat(gate).hasSizeLessThan((int) Cells.listed().count() / 3).doesNotHaveDuplicates();
        assertThat(gate).anyMatch(cell -> cell.server() == Peer.JAVA && cell.client() == Peer.C_NEWER);
        assertThat(gate).anyMatch(cell -> cell.server() == Peer.C_NEWER && cell.client() == Peer.JAVA);
    }

    @Test
    void noRowIsThereTwice() {
        assertThat(Cells.rows().stream().map(row -> row.tool() + " " + row.options()))
                .doesNotHaveDuplicates();
    }

    private static Predicate<Cell> asServer(Peer peer) {
        return cell -> cell.server() == peer && cell.client() == Peer.JAVA;
    }

    private static Predicate<Cell> asClient(Peer peer) {
        return cell -> cell.client() == peer && cell.server() == Peer.JAVA;
    }

    private static String totals() {
        long newer = Cells.listed()
                .filter(asServer(Peer.C_NEWER).or(asClient(Peer.C_NEWER)))
                .count();
        long installed = Cells.listed()
                .filter(asServer(Peer.C_INSTALLED).or(asClient(Peer.C_INSTALLED)))
                .count();
        long java = Cells.listed().filter(asServer(Peer.JAVA)).count();
        return String.format(
                "**%d tests of %d sets of options: %d with the C tools of 4.5, %d with the C tools of 25.01, %d of"
                        + " the Java tools with themselves; %d of them in the gate.**",
                installed + newer + java,
                Cells.rows().size(),
                installed,
                newer,
                java,
                Cells.ofTheGate().size());
    }

    private static String line(Row row) {
        return "| `" + row.tool() + " " + row.options() + "` | "
                + Peer.listed().stream()
                        .map(peer -> mark(row, asServer(peer))
                                + (peer == Peer.JAVA ? "" : " | " + mark(row, asClient(peer))))
                        .collect(Collectors.joining(" | "))
                + " |";
    }

    private static String mark(Row row, Predicate<Cell> which) {
        return row.cells().stream().anyMatch(which) ? "✓" : "";
    }
}
