// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import io.github.rdma4j.perftest.allreduce.choice.NcclLog;
import io.github.rdma4j.perftest.environment.NativeVariables;
import io.github.rdma4j.perftest.exit.PerftestException;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * NCCL's log of this process. NCCL is told by variables to write one; what the user has set himself stays, and then it
 * is his log that is read.
 */
final class LogFile implements AutoCloseable {
    private static final String FILE = "NCCL_DEBUG_FILE";
    private static final String LEVEL = "NCCL_DEBUG";
    private static final String PARTS = "NCCL_DEBUG_SUBSYS";

    private final List<String> set = new ArrayList<>();
    private final Path file;
    private final boolean temporary;
    private final String level;

    /**
     * Before NCCL is first used.
     *
     * @param kept where the log is to stay; empty for a temporary file
     */
    LogFile(Optional<Path> kept) {
        Optional<String> users = NativeVariables.get(FILE);
        temporary = users.isEmpty() && kept.isEmpty();
        try {
            if (users.isPresent() && kept.isEmpty()) {
                file = Path.of(expanded(users.get()));
            } else {
                file = temporary ? Files.createTempFile("rdma4j-nccl-", ".log") : kept.get();
                if (!temporary) {
                    Files.deleteIfExists(file);
                }
                set(FILE, file.toString());
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

    private void set(String name, String value) {
        if (NativeVariables.get(name).isEmpty()) {
            set.add(name);
        }
        NativeVariables.set(name, value);
    }

    /** As NCCL does it. */
    private static String expanded(String name) throws IOException {
        return name.replace("%h", InetAddress.getLocalHost().getHostName())
                .replace("%p", Long.toString(ProcessHandle.current().pid()));
    }

    /** Reads what there is now; an empty log if there is none. */
    NcclLog read() {
        try {
            return NcclLog.read(file);
        } catch (IOException _) {
            return NcclLog.of(Stream.empty());
        }
    }

    /** Why a log is empty. */
    String whyEmpty() {
        return "NCCL's log tells nothing"
                + (level.equals("INFO") || level.equals("TRACE")
                        ? ": another library than this program may have used NCCL in this process before"
                        : ": %s is %s, and INFO is needed".formatted(LEVEL, level));
    }

    /** Takes the variables back. NCCL has read them by then. */
    @Override
    public void close() {
        set.forEach(NativeVariables::remove);
        if (temporary) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException _) {
                // It stays in the folder for such files.
            }
        }
    }
}
