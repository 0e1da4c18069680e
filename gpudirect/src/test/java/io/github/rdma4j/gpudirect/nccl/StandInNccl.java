// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.gpudirect.nccl.internal.NcclCalls;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The stand-in for NCCL, as tests see it; goes with that of CUDA's driver, which comes first:
 * {@code @ExtendWith({StandInDriver.class, StandInNccl.class})}. Settings are those of
 * {@code gpudirect/src/test/c/nccl-standin/README.md}.
 */
public final class StandInNccl implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback {
    private static final long LIMIT_SECONDS = 300;
    private static final String[] OPEN = {"communicators", "allocations", "registrations", "windows", "operators"};

    @Override
    public void beforeAll(ExtensionContext context) {
        StandInDriver.use();
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        use();
        reset();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        reset();
        use();
    }

    /** Makes gpudirect open the stand-in. */
    public static void use() {
        System.setProperty(NcclCalls.PROPERTY, Library.FILE.toString());
    }

    /** Makes gpudirect look for a library that is not there. */
    public static void absent() {
        System.setProperty(NcclCalls.PROPERTY, "/no/such/libnccl.so.2");
    }

    /** Closes and takes back everything. */
    public static void reset() {
        try {
            Library.RESET.invokeExact();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** A setting by its name; a wrong one fails the test. */
    public static void set(String key, Object value) {
        set(Library.SYMBOLS, key, value.toString());
    }

    private static void set(SymbolLookup symbols, String key, String value) {
        int result;
        try (Arena arena = Arena.ofConfined()) {
            MethodHandle set = Linker.nativeLinker()
                    .downcallHandle(
                            symbols.findOrThrow("standin_nccl_set"),
                            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
            result = (int) set.invokeExact(arena.allocateFrom(key), arena.allocateFrom(value));
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        if (result != 0) {
            throw new AssertionError("the stand-in has no setting " + key + "=" + value);
        }
    }

    /** A counter by its name; a wrong one fails the test. */
    public static long get(String counter) {
        long result;
        try (Arena arena = Arena.ofConfined()) {
            result = (long) Library.GET.invokeExact(arena.allocateFrom(counter));
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        if (result < 0) {
            throw new AssertionError("the stand-in has no counter " + counter);
        }
        return result;
    }

    /** How often a function was called since the reset. */
    public static long calls(String call) {
        return get("calls." + call);
    }

    /** The call fails at its n-th time from now on, counted from 1, once. */
    public static void failAt(String call, int n, int code) {
        set("fail", call + ":" + n + ":" + code);
    }

    /** What is open and not closed yet: the names of the counters that are not 0, with their values. */
    public static Map<String, Long> open() {
        Map<String, Long> open = new TreeMap<>();
        for (String counter : OPEN) {
            long value = get(counter);
            if (value != 0) {
                open.put(counter, value);
            }
        }
        return open;
    }

    /** The call fails at its n-th time from now on, and from then on. */
    public static void failFrom(String call, int n, int code) {
        set("fail", call + ":" + n + "+:" + code);
    }

    /** Makes gpudirect open a library of another version, without some functions. */
    public static void older(int version, String... symbols) {
        Path file = build(symbols);
        SymbolLookup lookup = SymbolLookup.libraryLookup(file, Arena.global());
        set(lookup, "cuda", StandInDriver.library().toString());
        set(lookup, "version", Integer.toString(version));
        System.setProperty(NcclCalls.PROPERTY, file.toString());
    }

    /** The library's file, compiled if it is not there. */
    public static Path library() {
        return Library.FILE;
    }

    private static final class Library {
        static final Path FILE = build();
        static final SymbolLookup SYMBOLS = SymbolLookup.libraryLookup(FILE, Arena.global());
        static final MethodHandle GET = Linker.nativeLinker()
                .downcallHandle(
                        SYMBOLS.findOrThrow("standin_nccl_get"),
                        FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
        static final MethodHandle RESET = Linker.nativeLinker()
                .downcallHandle(SYMBOLS.findOrThrow("standin_nccl_reset"), FunctionDescriptor.ofVoid());

        static {
            set(SYMBOLS, "cuda", StandInDriver.library().toString());
        }
    }

    private static Path build(String... without) {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve("native-headers"))) {
            root = root.getParent();
        }
        Path source = root.resolve("gpudirect/src/test/c/nccl-standin");
        try {
            Path file = root.resolve("gpudirect/target/standin")
                    .resolve(digest(source, List.of(without)))
                    .resolve("libnccl-standin.so");
            if (!Files.exists(file)) {
                Files.createDirectories(file.getParent());
                compile(source, file, List.of(without));
            }
            return file;
        } catch (IOException e) {
            throw new AssertionError("the stand-in for NCCL cannot be built", e);
        }
    }

    private static String digest(Path source, List<String> without) throws IOException {
        try (Stream<Path> files = Files.list(source)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (Path file : files.filter(file -> !file.toString().endsWith(".md"))
                    .sorted()
                    .toList()) {
                digest.update(Files.readAllBytes(file));
            }
            digest.update(without.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest(), 0, 6);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static void compile(Path source, Path file, List<String> without) throws IOException {
        List<String> command =
                new ArrayList<>(List.of("sh", source.resolve("build").toString(), file.toString()));
        command.addAll(without);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new AssertionError("the stand-in for NCCL does not compile:\n" + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while the stand-in for NCCL was compiled", e);
        }
    }
}
