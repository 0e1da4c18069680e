// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointSelector;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.ExposedMemory;
import io.github.rdma4j.verbs.endpoint.MemoryHandle;
import io.github.rdma4j.verbs.endpoint.Reconnector;
import io.github.rdma4j.verbs.endpoint.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Two connected endpoints of this process, and what threads wait on. */
final class Stage implements AutoCloseable {
    static final int MEMORY = 4096;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final byte[] WORD = {1, 2, 3, 4, 5};

    final EndpointServer server;
    final Endpoint mine;
    final Endpoint other;
    final EndpointSelector selector = EndpointSelector.open();
    final MemoryRegion local;
    private final ExposedMemory exposed;
    /** Of the other end. */
    final MemoryHandle remote;

    /** A client that connects there waits for a response. */
    private final AutoCloseable silent;

    private final InetSocketAddress silence;
    /** Also connects there. */
    final Reconnector reconnector;

    final DeviceContext device;
    final CompletionQueue queue;

    private final Thread progress;
    private final Transport transport;

    Stage(InetSocketAddress address, boolean rdma) {
        transport = rdma ? Transport.RDMA : Transport.TCP;
        server = EndpointServer.bind(address, config -> {
            config.transport(transport).closeTimeout(Duration.ofSeconds(1));
        });
        CompletableFuture<Endpoint> accepted =
                CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
        mine = Endpoint.connect(
                server.address(), config -> config.transport(transport).closeTimeout(Duration.ofSeconds(1)), PATIENCE);
        other = accepted.join();
        local = mine.allocateMemory(MEMORY);
        exposed = other.expose(MEMORY, REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC);
        remote = exposed.handle();
        if (rdma) {
            SynchronousId listener = SynchronousId.create(PortSpace.TCP);
            listener.listen(address, 8);
            silent = listener;
            silence = listener.id().localAddress().orElseThrow();
        } else {
            try {
                ServerSocket socket = new ServerSocket(0, 8, address.getAddress());
                silent = socket;
                silence = (InetSocketAddress) socket.getLocalSocketAddress();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        reconnector = Reconnector.open(silence, config -> config.transport(transport));
        device = DeviceContext.open(Device.list().getFirst().name());
        CompletionChannel channel = device.createCompletionChannel();
        queue = device.createCompletionQueue(8, config -> config.channel(channel));
        // Over TCP, the threads inside an endpoint serve its peer's memory operations.
        progress = Thread.ofPlatform().start(() -> {
            try {
                other.progressLoop();
            } catch (RuntimeException e) {
                // The end of the stage.
            }
        });
    }

    /**
     * Uses both transports, so that lasting resources are open: librdmacm permanently keeps a context of the device
     * with a protection domain.
     */
    static void openOnce(InetAddress address) throws InterruptedException {
        for (boolean rdma : new boolean[] {true, false}) {
            new Stage(new InetSocketAddress(address, 0), rdma).close();
        }
    }

    /** Waits for an answer that does not arrive. */
    void connectInVain(Duration timeout) {
        Endpoint.connect(silence, config -> config.transport(transport), timeout)
                .close();
    }

    /** Ends the wait of connecting threads. */
    void endSilence() throws IOException {
        try {
            silent.close();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    String transport() {
        return transport.name();
    }

    /** Sends until the buffers are full. */
    void fill() {
        while (mine.trySend(MemorySegment.ofArray(WORD)) == Endpoint.OK) {
            // The other one reads it in check().
        }
    }

    /** {@return what does not work, or nothing} */
    String check() {
        long sum = mine.transfers().getLong(remote, 0, PATIENCE);
        if (mine.transfers().fetchAndAdd(remote.slice(0, Long.BYTES), 1, PATIENCE) != sum) {
            return "a sum has changed";
        }
        byte[] marker = {9, 9};
        // Messages that were sent meanwhile arrive first, each complete.
        CompletableFuture<Boolean> sent = CompletableFuture.supplyAsync(() -> mine.send(marker, PATIENCE));
        while (true) {
            Optional<byte[]> message = other.receive(PATIENCE);
            if (message.isEmpty()) {
                return "a message is lost";
            }
            if (Arrays.equals(message.get(), marker)) {
                break;
            }
            if (!Arrays.equals(message.get(), WORD)) {
                return "a message of " + message.get().length + " bytes came that nobody sent";
            }
        }
        if (!sent.join()) {
            return "no room for a message that has arrived";
        }
        other.send(marker, PATIENCE);
        Optional<byte[]> answer = mine.receive(PATIENCE);
        return answer.isPresent() && Arrays.equals(answer.get(), marker) ? "" : "a message is lost on the way back";
    }

    void abort() {
        mine.abort();
        other.abort();
        server.close();
    }

    @Override
    public void close() throws InterruptedException {
        selector.close();
        reconnector.close();
        try {
            endSilence();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        device.close();
        mine.abort();
        other.abort();
        exposed.close();
        server.close();
        progress.join(PATIENCE);
    }
}
