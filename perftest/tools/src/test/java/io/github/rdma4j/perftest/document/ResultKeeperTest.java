// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.result.Results;
import io.github.rdma4j.perftest.result.RunInfo;
import io.github.rdma4j.perftest.result.RunOutcome;
import io.github.rdma4j.perftest.result.RunState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Results are written once, however the test ends. */
class ResultKeeperTest {
    @TempDir
    private Path folder;

    private final ResultKeeper keeper = new ResultKeeper();

    private RunInfo info() {
        return Results.info(RunParameters.parse(
                Tool.WRITE_BANDWIDTH,
                "localhost",
                "-a",
                "--out_json_file=" + folder.resolve("a.json"),
                "--out_csv=" + folder.resolve("a.csv")));
    }

    /** A test that has begun. */
    private RunOutcome begin() {
        RunOutcome whole = Results.outcome(info(), List.of(Results.bandwidth(4, 1, false)));
        keeper.begin(whole.info());
        keeper.environment(whole.started(), whole.environment());
        return whole;
    }

    private String json() throws Exception {
        return Files.readString(folder.resolve("a.json"));
    }

    @Test
    void sizesUpToTheLossOfThePeerAreWritten() throws Exception {
        begin();
        keeper.result(Results.bandwidth(2, 1, false));
        keeper.result(Results.bandwidth(4, 1, false));
        assertThat(keeper.broken(RunState.PEER_LOST, "the peer has gone")).isTrue();
        assertThat(ResultsSchema.faults(json())).isEmpty();
        assertThat(json())
                .contains("\"state\": \"peer lost\"", "\"failure\": \"the peer has gone\"")
                .contains("\"MsgSize\": 4,", "\"size\": 2,", "\"size\": 4,");
        assertThat(Files.readAllLines(folder.resolve("a.csv")))
                .hasSize(3)
                .allMatch(line -> line.endsWith(",state") || line.endsWith(",peer lost"));
    }

    @Test
    void whereNothingWasMeasuredTheStateIsAllThereIs() throws Exception {
        begin();
        keeper.broken(RunState.INTERRUPTED, "ended by a signal");
        assertThat(ResultsSchema.faults(json())).isEmpty();
        assertThat(json()).contains("\"state\": \"interrupted\"", "\"results\": {", "\"sizes\": [ ]");
        assertThat(Files.readAllLines(folder.resolve("a.csv")))
                .containsExactly(
                        "tool,device,MsgSize,round,n_iterations,BW_peak,BW_average,BW_unit,MsgRate,state",
                        "ib_write_bw,rxe0,,,,,,,,interrupted");
    }

    @Test
    void lateSignalDoesNotRewriteCompleteResults() throws Exception {
        keeper.complete(begin());
        assertThat(keeper.broken(RunState.INTERRUPTED, "ended by a signal")).isFalse();
        assertThat(ResultsSchema.faults(json())).isEmpty();
        assertThat(json()).contains("\"state\": \"complete\"").doesNotContain("\"failure\"");
    }

    /** The signal comes while --wait_destroy holds the resources. */
    @Test
    void signalAfterTheTestDoesNotMakeItIncomplete() throws Exception {
        keeper.verified(begin());
        keeper.broken(RunState.INTERRUPTED, "ended by a signal");
        assertThat(json()).contains("\"state\": \"complete\"", "\"MsgSize\": 4,");
    }

    @Test
    void testThatNeverBeganLeavesOldFilesAlone() throws Exception {
        assertThat(keeper.broken(RunState.FAILED, "no device")).isFalse();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void endlessRunKeepsItsLastResults() throws Exception {
        begin();
        for (int i = 1; i <= ResultKeeper.MOST_RESULTS + 1; i++) {
            keeper.result(Results.bandwidth(i, 1, false));
        }
        keeper.broken(RunState.INTERRUPTED, "ended by a signal");
        List<String> rows = Files.readAllLines(folder.resolve("a.csv"));
        assertThat(rows).hasSize(1 + ResultKeeper.MOST_RESULTS);
        assertThat(rows.get(1)).startsWith("ib_write_bw,rxe0,2,");
    }
}
