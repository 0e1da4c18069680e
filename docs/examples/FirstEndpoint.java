import static io.github.rdma4j.verbs.AccessFlag.*;

import io.github.rdma4j.verbs.endpoint.*;

Duration timeout = Duration.ofMinutes(1); // an emulated machine is slow
Consumer<EndpointConfig> config = endpoint -> endpoint.transport(Transport.RDMA_OR_TCP).rdmaTimeout(timeout);

void main(String... args) { // argument: the address of an RDMA device's interface; without it, TCP
    try (var server = EndpointServer.bind(new InetSocketAddress(args.length == 0 ? "127.0.0.1" : args[0], 0), config)) {
        Thread.startVirtualThread(() -> visit(server.address())); // usually on another machine
        try (var client = server.accept(timeout).orElseThrow();
                var shared = client.expose(4096, REMOTE_READ, REMOTE_ATOMIC)) {
            shared.segment().setString(8, "read from the server's memory");
            client.send(shared.handle().toBytes(), timeout);
            client.receive(message -> IO.println(message.segment().getString(0)), timeout);
        }
    }
}

void visit(InetSocketAddress address) {
    try (var endpoint = Endpoint.connect(address, config, timeout);
            var local = endpoint.allocateMemory(4096)) {
        var shared = MemoryHandle.fromBytes(endpoint.receive(timeout).orElseThrow());
        endpoint.transfers().read(local.slice(), shared, timeout);
        IO.println(endpoint.transport() + ": " + local.segment().getString(8));
        IO.println("visitors before: " + endpoint.transfers().fetchAndAdd(shared.slice(0, 8), 1, timeout));
        endpoint.send("goodbye\0".getBytes(), timeout);
    }
}
