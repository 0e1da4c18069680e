// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.campaign.Ledger.Page;
import io.github.rdma4j.campaign.Ledger.Phase;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LedgerTest {
    @TempDir
    private Path folder;

    @Test
    void anotherReadsWhatOneHasWritten() throws IOException {
        Path path = folder.resolve("ledgers");
        List<Phase> received = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment file = Ledger.file(path, 3, arena);
            Ledger ledger = Ledger.in(file, 2, received::add);
            ledger.phase(Phase.FIRST);
            ledger.acknowledged();
            ledger.acknowledged();
            ledger.received();
            ledger.transferred();
            Ledger.setWord(file, 99);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment file = Ledger.file(path, 3, arena);
            assertThat(Ledger.word(file)).isEqualTo(99);
            assertThat(Ledger.in(file, 2, received::add).page()).isEqualTo(new Page(Phase.FIRST, 2, 1, 1));
            assertThat(Ledger.in(file, 1, received::add).page()).isEqualTo(new Page(Phase.BEFORE, 0, 0, 0));
        }
        assertThat(received).containsExactly(Phase.FIRST);
        Page page = new Page(Phase.LOAD, 1, 2, 3);
        assertThat(Page.of(page.words().split("\t"))).isEqualTo(page);
    }

    /** The sender was past its end when the other end's first message came. */
    @Test
    void phaseDoesNotComeAgain() {
        Ledger ledger = Ledger.unread();
        ledger.phase(Phase.CLOSING);
        ledger.phase(Phase.LOAD);
        assertThat(ledger.page().phase()).isEqualTo(Phase.CLOSING);
    }
}
