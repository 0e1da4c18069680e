import static io.github.rdma4j.verbs.AccessFlag.*;

import io.github.rdma4j.verbs.*;

void main(String... args) throws Exception { // the target: DEVICE; the writer: DEVICE HOST
    try (var device = DeviceContext.open(args[0]);
            var domain = device.allocateProtectionDomain();
            var queue = device.createCompletionQueue(16);
            var memory = domain.allocateMemory(4096, LOCAL_WRITE, REMOTE_WRITE);
            var prepared = domain.prepareQueuePair(
                    QueuePairType.RC, q -> q.completionQueue(queue).remoteAccess(REMOTE_WRITE));
            var socket = args.length == 1 ? new ServerSocket(7471).accept() : new Socket(args[1], 7471)) {
        socket.getOutputStream().write(prepared.endpoint().toBytes());
        QueuePair pair = prepared.connect(
                QueuePairEndpoint.fromBytes(socket.getInputStream().readNBytes(QueuePairEndpoint.BYTES)));
        socket.getOutputStream().write(memory.remoteMemory().toBytes());
        RemoteMemory theirs = RemoteMemory.fromBytes(socket.getInputStream().readNBytes(RemoteMemory.BYTES));
        if (args.length == 1) { // nothing happens here: the adapter writes into our memory, then the writer hangs up
            while (socket.getInputStream().read() >= 0) {}
            IO.println(memory.segment().getString(0));
        } else {
            memory.segment().setString(0, "written by the other process");
            var done = WorkCompletions.allocate(1);
            while (!pair.tryPostWrite(1, memory.slice(0, 64), theirs.slice(0, 64), SendFlags.SIGNALED)) {
                queue.poll(done); // frees an entry of the full send queue
            }
            while (queue.poll(done) == 0) Thread.onSpinWait();
            IO.println(done.get(0).describe());
        }
    }
}
