import static io.github.rdma4j.verbs.AccessFlag.*;

import io.github.rdma4j.verbs.endpoint.*;

void main(String... args) { // the server: ADDRESS PORT; the client: ADDRESS PORT client
    var address = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
    var timeout = Duration.ofMinutes(2);
    if (args.length == 2) {
        try (var server = EndpointServer.bind(address)) {
            IO.println("waiting at " + server.address());
            try (var client = server.accept(Duration.ofMinutes(5)).orElseThrow();
                    var shared = client.expose(4096, REMOTE_READ, REMOTE_ATOMIC)) {
                shared.segment().setString(8, "read while the other program sleeps");
                client.send(shared.handle().toBytes(), timeout);
                client.receive(message -> IO.println(message.segment().getString(0)), timeout);
            }
        }
    } else {
        try (var server = Endpoint.connect(address, timeout);
                var local = server.allocateMemory(4096)) {
            var shared = MemoryHandle.fromBytes(server.receive(timeout).orElseThrow());
            server.transfers().read(local.slice(), shared, timeout);
            IO.println(local.segment().getString(8));
            IO.println("visitors before: " + server.transfers().fetchAndAdd(shared.slice(0, 8), 1, timeout));
            server.send("good-bye\0".getBytes(), timeout);
        }
    }
}
