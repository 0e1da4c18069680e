// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
import static io.github.rdma4j.verbs.AccessFlag.*;

import io.github.rdma4j.cuda.*;
import io.github.rdma4j.gpudirect.*;
import io.github.rdma4j.verbs.*;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;

/** GPU memory from one program to another. The receiver: PORT; the sender: HOST PORT. */
void main(String... args) throws Exception {
    var timeout = Duration.ofMinutes(1);
    var size = 9_000_001;
    try (var socket = args.length == 1
                    ? accept(Integer.parseInt(args[0]))
                    : new Socket(args[0], Integer.parseInt(args[1]));
            var adapter = DeviceContext.open(Device.list().getFirst());
            var domain = adapter.allocateProtectionDomain();
            var context = Cuda.device(0).createContext();
            var stream = context.createStream();
            var memory = context.allocate(2 * size)) {
        var gpu = GpuDirect.on(domain, context);
        var region = gpu.register(memory, LOCAL_WRITE);
        IO.println(region.decision()); // such as: dma-buf; or: staged; not by dma-buf: ...; not by peer memory: ...

        try (var prepared = gpu.prepareChannel()) {
            socket.getOutputStream().write(prepared.endpoint().toBytes());
            var peer = ChannelEndpoint.fromBytes(socket.getInputStream().readNBytes(ChannelEndpoint.BYTES));
            try (var channel = prepared.connect(peer)) {
                if (args.length == 1) {
                    var transfer = channel.receive(region, 0, size);
                    transfer.follow(stream, timeout); // what the stream is given now waits for the bytes
                    stream.copyOnDevice(memory, size, memory, 0, size); // a kernel, in earnest
                    transfer.await(timeout);
                    stream.await(timeout);
                    IO.println("received " + transfer.bytesDone() + " bytes");
                } else {
                    stream.fill(memory, 0, size, (byte) 42);                 // a kernel, in earnest
                    channel.send(region, 0, size).after(stream).await(timeout);
                    IO.println("sent");
                }
                socket.shutdownOutput();
                socket.getInputStream().read();                              // the peer is also done
            }
        }
    }
}

Socket accept(int port) throws Exception {
    try (var server = new ServerSocket(port)) {
        return server.accept();
    }
}
