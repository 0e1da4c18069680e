// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClosePlaceTest {
    private static void closeThere(AutoCloseable resource) throws Exception {
        resource.close();
    }

    static final class UseAfterClose {
        private UseAfterClose() {}

        public static void main(String[] arguments) throws Exception {
            EventPoller poller = EventPoller.open();
            closeThere(poller);
            poller.close();
            catchThrowable(() -> poller.select(Duration.ZERO, source -> {})).printStackTrace(System.out);
        }
    }

    @Test
    void exceptionOfALaterUseHasTheCloseLocationOnRequest() throws Exception {
        assertThat(String.join("\n", ChildJvm.run(UseAfterClose.class, "-Dio.github.rdma4j.verbs.closePlaces=true")))
                .contains("IllegalStateException: the event poller is closed")
                .contains("ClosePlace: the event poller was closed here, by Thread[#")
                .contains("ClosePlaceTest.closeThere(");
    }

    @Test
    void elseThereIsNoCauseAndNoCost() {
        EventPoller poller = EventPoller.open();
        poller.close();
        assertThat(catchThrowable(() -> poller.select(Duration.ZERO, source -> {})))
                .isInstanceOf(IllegalStateException.class)
                .hasNoCause();
    }
}
