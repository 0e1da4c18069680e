// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The best bandwidth of pinned copies, in GB/s by CUDA's own events.
 *
 * @param toDevice from the host
 * @param toHost from the device
 */
record CopyBandwidth(double toDevice, double toHost) {
    /** Names the compiled copy-bandwidth.c; else it is compiled here. */
    private static final String PROGRAM = "rdma4j.test.copyBandwidth";

    static CopyBandwidth ofJava(long bytes, int rounds) {
        CopyBandwidth best = new CopyBandwidth(0, 0);
        try (CudaContext context = Cuda.device(0).retainPrimaryContext()) {
            DeviceMemory memory = context.allocate(bytes);
            HostMemory host = context.allocateHost(bytes);
            CudaStream stream = context.createStream();
            CudaEvent start = context.createEvent(EventFlag.TIMING);
            CudaEvent end = context.createEvent(EventFlag.TIMING);
            for (int i = 0; i < rounds; i++) {
                start.record(stream);
                stream.copyToDevice(memory, 0, host, 0, bytes);
                end.record(stream);
                double toDevice = rate(bytes, start, end);
                start.record(stream);
                stream.copyToHost(host, 0, memory, 0, bytes);
                end.record(stream);
                best = best.orBetter(new CopyBandwidth(toDevice, rate(bytes, start, end)));
            }
        }
        return best;
    }

    private static double rate(long bytes, CudaEvent start, CudaEvent end) {
        if (!end.await(Duration.ofSeconds(60))) {
            throw new AssertionError("a copy of " + bytes + " bytes takes longer than a minute");
        }
        return bytes / (end.millisecondsSince(start) * 1e6);
    }

    /** The results of a C program, in its own process. */
    static CopyBandwidth ofC(Path folder, String library, long bytes, int rounds) {
        String program = System.getProperty(PROGRAM);
        if (program == null) {
            program = folder.resolve("copy-bandwidth").toString();
            run(
                    "cc",
                    "-O2",
                    "-Wall",
                    "-Werror",
                    "-o",
                    program,
                    StandInBuild.source().resolveSibling("copy-bandwidth.c").toString(),
                    "-ldl");
        }
        String[] rates = run(program, library, Long.toString(bytes), Integer.toString(rounds))
                .strip()
                .split(" ");
        return new CopyBandwidth(Double.parseDouble(rates[0]), Double.parseDouble(rates[1]));
    }

    private static String run(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(120, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new AssertionError(String.join(" ", command) + ": " + output);
            }
            return output;
        } catch (IOException e) {
            throw new AssertionError(String.join(" ", command), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    CopyBandwidth orBetter(CopyBandwidth other) {
        return new CopyBandwidth(Math.max(toDevice, other.toDevice), Math.max(toHost, other.toHost));
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%.2f GB/s to the device, %.2f GB/s to the host", toDevice, toHost);
    }
}
