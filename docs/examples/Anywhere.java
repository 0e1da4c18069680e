// A server and a client for machines with or without RDMA. They use RDMA if it works, otherwise TCP, and print why.
//
//   java -cp verbs-ffm/target/classes:verbs-ffm/base/target/classes docs/examples/Anywhere.java server ADDRESS PORT
//
// and then the same with client instead of server.
// With 127.0.0.1 the program runs over TCP, and does not need rdma-core.

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.endpoint.Transport.RDMA_OR_TCP;

import io.github.rdma4j.verbs.endpoint.*;

static final Duration TIMEOUT = Duration.ofMinutes(1);

void main(String... args) {
    var address = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
    if (args[0].equals("server")) {
        serve(address);
    } else {
        Consumer<EndpointConfig> either = config -> config.transport(RDMA_OR_TCP).rdmaTimeout(Duration.ofSeconds(20));
        try (var server = Endpoint.connect(address, either, TIMEOUT)) {
            IO.println("connected over " + server.transport());
            server.rdmaFailure().ifPresent(why -> IO.println("without RDMA: " + why.getMessage()));
            var visits = MemoryHandle.fromBytes(server.receive(TIMEOUT).orElseThrow());
            IO.println("visitors before: " + server.transfers().fetchAndAdd(visits, 1, TIMEOUT));
        }
    }
}

void serve(InetSocketAddress address) {
    try (var server = EndpointServer.bind(address, config -> config.transport(RDMA_OR_TCP));
            var selector = EndpointSelector.open();
            var visits = server.expose(8, REMOTE_ATOMIC)) {
        IO.println("waiting at " + server.address());
        server.rdmaFailure().ifPresent(why -> IO.println("over TCP alone: " + why.getMessage()));
        selector.add(server, waiting -> waiting.accept(Duration.ZERO).ifPresent(client -> {
            client.sendAsync(visits.handle().toBytes()); // if the client has gone, receive() gets the exception
            selector.add(client, this::receive); // over TCP, select() serves the client's reads and writes
        }));
        while (selector.size() > 0) {
            selector.select(Duration.ofSeconds(1));
        }
    }
}

void receive(Endpoint client) {
    try {
        if (client.poll(message -> {}) == Endpoint.CLOSED_BY_PEER) {
            client.close();
        }
    } catch (ConnectionLostException e) {
        client.close();
    }
}
