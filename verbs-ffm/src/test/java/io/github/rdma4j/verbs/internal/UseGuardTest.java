// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** After close() returns, no thread is inside, and none gets in. */
class UseGuardTest {

    @Test
    void aClosedGuardLetsNobodyIn() throws Exception {
        UseGuard guard = new UseGuard();
        assertThat(guard.enter()).isTrue();
        guard.exit();
        guard.close();
        assertThat(guard.enter()).isFalse();
        Thread other = Thread.ofPlatform().start(() -> assertThat(guard.enter()).isFalse());
        other.join();
        guard.reopen();
        assertThat(guard.enter()).isTrue();
        guard.exit();
    }

    @RepeatedTest(50)
    void closeWaitsForTheOwnerAndForOthers() throws Exception {
        UseGuard guard = new UseGuard();
        AtomicBoolean freed = new AtomicBoolean();
        AtomicReference<String> violation = new AtomicReference<>();
        List<Thread> users = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            users.add(Thread.ofPlatform().start(() -> {
                long inside = 0;
                while (guard.enter()) {
                    if (freed.get()) {
                        violation.set("a thread was inside after close() had returned, in round " + inside);
                    }
                    inside++;
                    guard.exit();
                }
            }));
        }
        Thread.sleep(2);
        guard.close();
        freed.set(true);
        for (Thread user : users) {
            user.join(10_000);
            assertThat(user.isAlive()).isFalse();
        }
        assertThat(violation).hasValue(null);
    }
}
