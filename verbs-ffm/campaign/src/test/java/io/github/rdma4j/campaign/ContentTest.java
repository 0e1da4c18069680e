// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ContentTest {
    private final Content content = new Content(7, 4096);

    @Test
    void bothEndsKnowEachMessage() {
        for (long number = 1; number <= 200; number++) {
            byte[] message = new Content(7, 4096).message(number);
            assertThat(message).hasSizeBetween(8, 4096);
            assertThat(content.complaint(message, number)).isEmpty();
            assertThat(Content.countOf(message)).isEqualTo(-1);
        }
    }

    @Test
    void bitThatIsWrongIsSeenInEachByte() {
        byte[] message = content.message(3);
        for (int n = 0; n < message.length; n++) {
            message[n] ^= 1;
            assertThat(content.complaint(message, 3)).contains("message 3 was to come");
            message[n] ^= 1;
        }
    }

    @Test
    void messageThatIsMissingOrComesTwiceIsSeen() {
        assertThat(content.complaint(content.message(4), 3)).endsWith("call themselves 4 and are that");
        assertThat(content.complaint(content.message(2), 3)).endsWith("call themselves 2 and are that");
    }

    @Test
    void otherDirectionIsAnother() {
        assertThat(content.complaint(new Content(8, 4096).message(3), 3)).isNotEmpty();
    }

    @Test
    void lastMessageHasTheCount() {
        assertThat(Content.countOf(Content.last(12))).isEqualTo(12);
        assertThat(Content.countOf(Content.last(0))).isZero();
    }
}
