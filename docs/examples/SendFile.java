// Sends a file as fast as the link goes: several one-sided writes are under way at any time, each into its slot of the
// receiver's window.
//
//   java -cp verbs-ffm/target/classes:verbs-ffm/base/target/classes docs/examples/SendFile.java ARGUMENTS
//
//   receiver:  receive 10.0.0.1 7471 TARGET
//   sender:    send    10.0.0.1 7471 FILE
//
// The receiver exposes a window of chunks. The sender fills a chunk, writes it, and sends its number in a message once
// it has arrived. The receiver stores the chunk and sends the number back, which frees the slot. A checksum over the
// whole file ends the transfer.

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.MemoryHandle;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

static final int CHUNK = 1 << 18;
static final int WINDOW = 16;
static final Duration TIMEOUT = Duration.ofMinutes(2);
static final int NOTE = 16; // a chunk's number and length, or -1 and the checksum

void main(String... args) throws Exception {
    if (args.length != 4) {
        throw new IllegalArgumentException("usage: SendFile receive|send ADDRESS PORT FILE");
    }
    var address = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
    if (args[0].equals("receive")) {
        receive(address, Path.of(args[3]));
    } else {
        send(address, Path.of(args[3]));
    }
}

static MemorySegment note(long number, long value) {
    return MemorySegment.ofArray(ByteBuffer.allocate(NOTE).putLong(number).putLong(value).array());
}

static ByteBuffer next(Endpoint peer) {
    return ByteBuffer.wrap(peer.receive(TIMEOUT).orElseThrow(() -> new IllegalStateException("the peer is silent")));
}

static void report(String what, long bytes, long start) {
    double seconds = (System.nanoTime() - start) / 1e9;
    IO.println("%s %d bytes in %.3f s, %.0f MiB/s".formatted(what, bytes, seconds, bytes / seconds / (1 << 20)));
}

void send(InetSocketAddress address, Path file) throws Exception {
    try (var channel = FileChannel.open(file, READ);
            var receiver = Endpoint.connect(address, TIMEOUT);
            var local = receiver.allocateMemory((long) WINDOW * CHUNK)) {
        MemoryHandle window = MemoryHandle.fromBytes(receiver.receive(TIMEOUT).orElseThrow());
        long start = System.nanoTime();
        long size = channel.size();
        long chunks = (size + CHUNK - 1) / CHUNK;
        var checksum = new CRC32C();
        long stored = 0;
        for (long number = 0; number < chunks; number++) {
            if (number - stored == WINDOW) { // all places are taken: wait for the oldest to be stored
                next(receiver);
                stored++;
            }
            long place = number % WINDOW * CHUNK;
            int length = (int) Math.min(CHUNK, size - number * CHUNK);
            ByteBuffer buffer = local.segment().asSlice(place, length).asByteBuffer();
            while (buffer.hasRemaining()) {
                if (channel.read(buffer, number * CHUNK + buffer.position()) < 0) {
                    throw new IOException("the file became shorter");
                }
            }
            checksum.update(buffer.flip());
            MemorySegment message = note(number, length);
            // The future is completed by this thread, while it waits for the receiver above and below.
            receiver.transfers()
                    .writeAsync(local.slice(place, length), window.slice(place, length))
                    .thenCompose(written -> receiver.sendAsync(message));
        }
        for (; stored < chunks; stored++) {
            next(receiver);
        }
        receiver.send(note(-1, checksum.getValue()), TIMEOUT);
        if (next(receiver).getLong() != -1) {
            throw new IOException("the receiver found another checksum");
        }
        report("sent", size, start);
    }
}

void receive(InetSocketAddress address, Path target) throws Exception {
    try (var server = EndpointServer.bind(address);
            var channel = FileChannel.open(target, CREATE, WRITE, TRUNCATE_EXISTING)) {
        IO.println("waiting at " + server.address());
        try (var sender = server.accept(Duration.ofMinutes(5)).orElseThrow();
                var window = sender.expose((long) WINDOW * CHUNK, REMOTE_WRITE)) {
            sender.send(window.handle().toBytes(), TIMEOUT);
            long start = System.nanoTime();
            var checksum = new CRC32C();
            long size = 0;
            while (true) {
                ByteBuffer note = next(sender);
                long number = note.getLong();
                long value = note.getLong();
                if (number < 0) {
                    boolean right = value == checksum.getValue();
                    sender.send(note(right ? -1 : -2, 0), TIMEOUT);
                    report(right ? "received, checksum right," : "CHECKSUM WRONG:", size, start);
                    return;
                }
                ByteBuffer chunk = window.segment().asSlice(number % WINDOW * CHUNK, value).asByteBuffer();
                checksum.update(chunk.duplicate());
                while (chunk.hasRemaining()) {
                    channel.write(chunk);
                }
                size += value;
                sender.send(note(number, value), TIMEOUT); // its place is free
            }
        }
    }
}
