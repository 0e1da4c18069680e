// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import io.github.rdma4j.perftest.allreduce.choice.NcclLog;
import io.github.rdma4j.perftest.environment.NativeVariables;
import io.github.rdma4j.perftest.exit.PerftestException;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * NCCL's log of this process. Environment variables make NCCL write one. If the user has set them, the user's log is
 * read.
 */
final class LogFile implements AutoCloseable {
    private static final String FILE = "NCCL_DEBUG_FILE";
    private static final String LEVEL = "NCCL_DEBUG";
    private static final String PARTS = "NCCL_DEBUG_SUBSYS";

    private final List<String> set = new ArrayList<>();
    private final Path file;
    private final String level;

    /** The open file without a name, so that a killed process leaves no file. Null if the log is a named file. */
    private final FileChannel nameless;

    /**
     * Sets the variables. Call it before NCCL is first used.
     *
     * @param kept the file to keep the log in; empty for a temporary file
     */
    LogFile(Optional<Path> kept) {
        Optional<String> users = NativeVariables.get(FILE);
        boolean temporary = users.isEmpty() && kept.isEmpty();
        try {
            if (temporary) {
                Path path = Files.createTempFile("rdma4j-nccl-", ".log").toRealPath();
                nameless = openNameless(path);
                file = descriptorOf(path);
                set(FILE, file.toString());
            } else if (kept.isPresent()) {
                nameless = null;
                file = kept.get();
                // NCCL does not report that it cannot open a file, so try it here. Do not delete it: it may be a
                // device, or a link.
                Files.write(file, new byte[0]);
                set(FILE, file.toString());
            } else {
                nameless = null;
                file = Path.of(expanded(users.get()));
            }
        } catch (IOException e) {
            throw new PerftestException(
                    "NCCL's log cannot be written: " + e, "give --log a file in a folder that this user may write to");
        }
        level = NativeVariables.get(LEVEL).orElse("INFO");
        if (NativeVariables.get(LEVEL).isEmpty()) {
            set(LEVEL, "INFO");
        }
        if (NativeVariables.get(PARTS).isEmpty()) {
            set(PARTS, "INIT,GRAPH,NET,ENV");
        }
    }

    /** The JDK deletes a DELETE_ON_CLOSE file as soon as it is open. */
    private static FileChannel openNameless(Path path) throws IOException {
        return FileChannel.open(
                path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
    }

    /** Returns the only name left of a deleted file that this process has open. Java does not expose the descriptor. */
    private static Path descriptorOf(Path deleted) throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors
                    .filter(each -> leadsTo(each, deleted))
                    .findFirst()
                    .orElseThrow(() -> new IOException("/proc/self/fd does not list the descriptor of " + deleted));
        }
    }

    private static boolean leadsTo(Path descriptor, Path deleted) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith(deleted.toString());
        } catch (IOException _) {
            // The descriptor has been closed in between.
            return false;
        }
    }

    private void set(String name, String value) {
        if (NativeVariables.get(name).isEmpty()) {
            set.add(name);
        }
        NativeVariables.set(name, value);
    }

    /** Expands the name as NCCL does. */
    private static String expanded(String name) throws IOException {
        return name.replace("%h", InetAddress.getLocalHost().getHostName())
                .replace("%p", Long.toString(ProcessHandle.current().pid()));
    }

    /** Reads the log as far as it has been written; returns an empty log if there is none. */
    NcclLog read() {
        try {
            return NcclLog.read(file);
        } catch (IOException _) {
            return NcclLog.of(Stream.empty());
        }
    }

    /** Returns why a log is empty. */
    String whyEmpty() {
        return "NCCL's log is empty"
                + (level.equals("INFO") || level.equals("TRACE")
                        ? ": another library than this program may have used NCCL in this process before"
                        : ": %s is %s, and INFO is needed".formatted(LEVEL, level));
    }

    /** Restores the variables. NCCL has read them by then. */
    @Override
    public void close() {
        set.forEach(NativeVariables::remove);
        if (nameless != null) {
            try {
                nameless.close();
            } catch (IOException _) {
                // It ends with the process.
            }
        }
    }
}
