// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.command.ExecStartCmd;
import com.github.dockerjava.api.model.Frame;
import com.github.dockerjava.api.model.StreamType;
import java.io.IOException;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

class RemoteJvmTest {
    private ResultCallback<Frame> answers;

    // A client of an engine that gives a test's answers.
    private RemoteJvm jvm() {
        ExecStartCmd start = (ExecStartCmd) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ExecStartCmd.class}, (proxy, method, arguments) -> {
                    @SuppressWarnings("unchecked")
                    ResultCallback<Frame> callback = (ResultCallback<Frame>) arguments[0];
                    answers = callback;
                    return callback;
                });
        return new RemoteJvm(
                (DockerClient) Proxy.newProxyInstance(
                        getClass().getClassLoader(), new Class<?>[] {DockerClient.class}, (p, method, a) -> start),
                "id");
    }

    @Test
    void answersThatBreakOffAreNoEnd() throws Exception {
        try (RemoteJvm jvm = jvm()) {
            answers.onNext(new Frame(StreamType.STDOUT, new byte[] {1}));
            answers.onError(new IOException("connection reset"));

            assertThat(jvm.next(1).bytes()).containsExactly(1);
            assertThat(jvm.next(1).failure()).hasMessage("connection reset");
        }
    }

    @Test
    void endHasNoFailure() throws Exception {
        try (RemoteJvm jvm = jvm()) {
            answers.onComplete();

            assertThat(jvm.next(1)).isEqualTo(new RemoteJvm.Chunk(false, null, null));
        }
    }
}
