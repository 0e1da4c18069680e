// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import org.junit.jupiter.api.Test;

/** Tests the words of a channel, without an adapter. */
class MailboxTest {
    /** After so many messages, both the slot and the tag of a message come again. */
    private static final long PERIOD = Mailbox.MESSAGES * 65_535L;

    private final MemoryRegion[] memory = new MemoryRegion[4];
    private int regions;

    private Mailbox mailbox() {
        return new Mailbox((size, access) -> memory[regions++] = MemoryRegion.withoutAdapter(size, access));
    }

    /** Copies the word to its target, which is in the first region. */
    private void write(MemorySlice word, RemoteMemory target) {
        memory[0]
                .segment()
                .asSlice(target.address() - memory[0].segment().address(), target.length())
                .copyFrom(word.segment());
    }

    @Test
    void rejectionEndsWithItsMessage() {
        try (Mailbox sender = mailbox();
                Mailbox receiver = mailbox()) {
            receiver.connect(sender.remoteMemory());
            long first = 5;
            long later = first + PERIOD;
            sender.announcementWord(0, first, 200);
            assertThat(sender.refused(first)).isEqualTo(-1);
            write(receiver.refusalWord(0, first, 100), receiver.refusalTarget(first));
            assertThat(sender.refused(first)).isEqualTo(100);
            assertThat(sender.refused(first + Mailbox.MESSAGES)).isEqualTo(-1);
            sender.announcementWord(0, later, 50);
            assertThat(sender.refused(later)).isEqualTo(-1);
            write(receiver.refusalWord(0, later, Mailbox.NO_RECEIVE), receiver.refusalTarget(later));
            assertThat(sender.refused(later)).isEqualTo(Mailbox.NO_RECEIVE);
        }
    }
}
