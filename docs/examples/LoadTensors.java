// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
import io.github.rdma4j.cuda.*;
import io.github.rdma4j.gpudirect.storage.*;
import java.io.DataInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A tensor of a safetensors file: where its bytes lie behind the header. */
record Tensor(String name, String type, String shape, long begin, long end) {}

/** Loads a safetensors file onto a GPU, and says what of it lies where. The argument is the file. */
void main(String... args) throws Exception {
    var path = Path.of(args[0]);
    long dataStart;
    String header;
    try (var in = new DataInputStream(Files.newInputStream(path))) {
        var length = Long.reverseBytes(in.readLong()); // little-endian, before the header in JSON
        header = new String(in.readNBytes(Math.toIntExact(length)), StandardCharsets.UTF_8);
        dataStart = Long.BYTES + length;
    }
    var tensors = tensors(header);
    try (var context = Cuda.device(0).createContext();
            var storage = GpuStorage.on(context, config -> config.threads(4));
            var file = storage.open(path);
            var memory = context.allocate(Math.max(1, file.size() - dataStart));
            var registered = storage.register(memory);
            var batch = storage.batch(Math.max(1, tensors.size()))) {
        IO.println(file.decision()); // such as: GPUDirect Storage; or: staged; not by GPUDirect Storage: ...
        for (var i = 0; i < tensors.size(); i++) {
            var tensor = tensors.get(i);
            batch.read(i, file, memory, tensor.begin(), dataStart + tensor.begin(), tensor.end() - tensor.begin());
        }
        batch.submit();
        var done = batch.await(tensors.size(), Duration.ofMinutes(1));
        for (var i = 0; i < done; i++) {
            var tensor = tensors.get((int) batch.id(i));
            IO.println("%s %s %s: %d bytes at %s".formatted(
                    tensor.name(), tensor.type(), tensor.shape(), batch.bytes(i), memory.slice(tensor.begin(), 0)));
        }
        IO.println(done + " of " + tensors.size() + " tensors, "
                + (registered.isRegistered() ? "registered" : "staged"));
    }
}

/** Enough of a reader of JSON for this header: names, types, shapes and offsets. */
List<Tensor> tensors(String header) {
    var entry = Pattern.compile("\"([^\"]+)\":\\s*\\{\\s*\"dtype\":\\s*\"(\\w+)\",\\s*\"shape\":\\s*(\\[[^]]*]),"
            + "\\s*\"data_offsets\":\\s*\\[(\\d+),\\s*(\\d+)]\\s*}");
    var all = new ArrayList<Tensor>();
    for (var found = entry.matcher(header); found.find(); ) {
        all.add(new Tensor(
                found.group(1), found.group(2), found.group(3),
                Long.parseLong(found.group(4)), Long.parseLong(found.group(5))));
    }
    return all;
}
