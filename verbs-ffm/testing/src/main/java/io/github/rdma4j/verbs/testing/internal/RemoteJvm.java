// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.model.Frame;
import com.github.dockerjava.api.model.StreamType;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A process in a container, and what it writes. Docker's client reads it on a thread of its own. */
final class RemoteJvm implements Closeable {
    /**
     * @param bytes null at the end
     * @param failure at the end, why the connection to the process was lost; null if the process has ended
     */
    record Chunk(boolean error, byte[] bytes, Throwable failure) {}

    private final DockerClient docker;
    private final String id;
    private final BlockingQueue<Chunk> chunks = new LinkedBlockingQueue<>();
    private final ResultCallback.Adapter<Frame> reader;

    RemoteJvm(DockerClient docker, String id) {
        this.docker = docker;
        this.id = id;
        reader = docker.execStartCmd(id).exec(new ResultCallback.Adapter<>() {
            @Override
            public void onNext(Frame frame) {
                if (frame.getPayload().length > 0) {
                    chunks.add(new Chunk(
                            frame.getStreamType() == StreamType.STDERR,
                            frame.getPayload().clone(),
                            null));
                }
            }

            @Override
            public void onComplete() {
                super.onComplete();
                chunks.add(new Chunk(false, null, null));
            }

            @Override
            public void onError(Throwable failure) {
                super.onError(failure);
                chunks.add(new Chunk(false, null, failure));
            }
        });
    }

    /** The next piece of output, or null when there was none for so long. */
    Chunk next(long seconds) throws InterruptedException {
        return chunks.poll(seconds, TimeUnit.SECONDS);
    }

    /** The exit status, after the end of the output; -1 if Docker does not return it. */
    long status() throws InterruptedException {
        // Docker may know it a moment after it has closed the streams.
        for (int tries = 0; tries < 50; tries++) {
            Long status = docker.inspectExecCmd(id).exec().getExitCodeLong();
            if (status != null) {
                return status;
            }
            Thread.sleep(100);
        }
        return -1;
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
