// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.FindingState.FAIL;
import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.UNKNOWN;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;

import io.github.rdma4j.perftest.doctor.machine.ControlGroup;
import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Checks what this process may have: pinned memory, RDMA objects, descriptors, threads. */
final class LimitChecks {
    private static final String LIMITS = "proc/self/limits";
    private static final String STATUS = "proc/self/status";
    private static final String UNLIMITED = "unlimited";
    private static final String RDMA_MAX = "rdma.max";
    private static final String PIDS_MAX = "pids.max";
    private static final int CAP_IPC_LOCK = 14;
    /** The map of the initial user namespace, which maps each user ID to itself. */
    private static final Pattern ALL_USERS = Pattern.compile("0\\s+0\\s+4294967295");

    /** Buffers of usual size fit below it. */
    private static final long ENOUGH_LOCKED = 1L << 30;
    /** An endpoint with its defaults pins half of it. */
    private static final long LEAST_LOCKED = 1L << 20;
    /** Enough for a thousand endpoints, which have four descriptors each. */
    private static final long ENOUGH_FILES = 4096;
    /** The highest usage of a control group's limit, in percent. */
    private static final long FULL = 90;

    private final MachineFiles files;
    private final ControlGroup group;
    private final List<String> devices;

    LimitChecks(Machine machine) {
        this.files = machine.files();
        this.group = new ControlGroup(machine.files());
        this.devices = machine.devices().stream().map(device -> device.name()).toList();
    }

    List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        findings.add(lockedMemory());
        findings.addAll(rdmaObjects());
        findings.add(openFiles());
        findings.add(threads());
        return findings;
    }

    private static Finding unreadable(Check check, String meaning) {
        return new Finding(check, "", "/" + LIMITS, UNKNOWN, "/" + LIMITS + " does not list this limit", meaning, "");
    }

    /** Returns the soft and the hard limit; empty if the kernel does not report them. */
    private Optional<String[]> limit(String label) {
        return files.labelled(LIMITS, label)
                .map(fields -> fields.split("\\s+"))
                .filter(fields -> fields.length >= 2
                        && Arrays.stream(fields).limit(2).allMatch(field -> field.matches(UNLIMITED + "|\\d{1,20}")));
    }

    private Finding lockedMemory() {
        Optional<String[]> limit = limit("Max locked memory");
        if (limit.isEmpty()) {
            return unreadable(Check.LOCKED_MEMORY, "under a small limit, memory cannot be registered");
        }
        String soft = limit.get()[0];
        String hard = limit.get()[1];
        String seen = "RLIMIT_MEMLOCK is " + words(soft) + (soft.equals(hard) ? "" : ", hard limit " + words(hard));
        if (soft.equals(UNLIMITED)) {
            return Finding.ok(Check.LOCKED_MEMORY, "", "/" + LIMITS, seen);
        }
        if (isPrivileged()) {
            return Finding.ok(
                    Check.LOCKED_MEMORY, "", "/" + LIMITS, seen + "; CAP_IPC_LOCK exempts this process from it");
        }
        long bytes = MachineFiles.bounded(soft);
        if (bytes >= ENOUGH_LOCKED) {
            return Finding.ok(Check.LOCKED_MEMORY, "", "/" + LIMITS, seen);
        }
        return new Finding(
                Check.LOCKED_MEMORY,
                "",
                "/" + LIMITS,
                bytes < LEAST_LOCKED ? FAIL : WARNING,
                seen,
                bytes < LEAST_LOCKED
                        ? "even queues of the usual size do not fit: creating one fails with ENOMEM"
                        : "registering more memory than that fails with ENOMEM; queues count towards the limit",
                "raise the limit: ulimit -l unlimited"
                        + (hard.equals(UNLIMITED) ? "" : " (raise the hard limit in" + " limits.conf first)")
                        + ", LimitMEMLOCK=infinity in a systemd service, or docker run --ulimit memlock=-1");
    }

    /** In a user namespace the kernel does not take the capability for this. */
    private boolean isPrivileged() {
        boolean initial = files.text("proc/self/uid_map")
                .map(map -> ALL_USERS.matcher(map).matches())
                .orElse(true);
        return initial
                && files.labelled(STATUS, "CapEff:")
                        .filter(mask -> mask.matches("[0-9a-f]{1,16}"))
                        .map(mask -> (Long.parseUnsignedLong(mask, 16) >>> CAP_IPC_LOCK & 1) == 1)
                        .orElse(false);
    }

    private static String words(String limit) {
        if (limit.equals(UNLIMITED)) {
            return limit;
        }
        return Bytes.words(MachineFiles.bounded(limit));
    }

    private List<Finding> rdmaObjects() {
        List<String> groups = group.find("rdma", RDMA_MAX);
        if (groups.isEmpty()) {
            return List.of(Finding.ok(
                    Check.RDMA_CGROUP, "", "/sys/fs/cgroup", "no control group of this process limits RDMA objects"));
        }
        List<Finding> findings = new ArrayList<>();
        for (String device : devices) {
            List<Finding> ofGroups = groups.stream()
                    .flatMap(file -> rdmaObjects(device, file).stream())
                    .toList();
            List<Finding> limits = ofGroups.stream().filter(Finding::isTrouble).toList();
            // If no group is near its limit, one line is enough.
            findings.addAll(limits.isEmpty() ? ofGroups.stream().limit(1).toList() : limits);
        }
        return findings.isEmpty()
                ? List.of(Finding.ok(
                        Check.RDMA_CGROUP, "", "/" + groups.getFirst(), "no device of this machine is" + " limited"))
                : findings;
    }

    private Optional<Finding> rdmaObjects(String device, String file) {
        return Optional.ofNullable(byDevice(file).get(device))
                .map(most -> rdmaObjects(
                        device,
                        file,
                        most,
                        byDevice(sibling(file, RDMA_MAX, "rdma.current")).getOrDefault(device, "")));
    }

    private static String sibling(String file, String name, String other) {
        return file.substring(0, file.length() - name.length()) + other;
    }

    private static Finding rdmaObjects(String device, String file, String most, String current) {
        Map<String, Long> limits = numbers(most);
        Map<String, Long> used = numbers(current);
        String seen = most + (current.isEmpty() ? "" : "; in use: " + current);
        if (limits.isEmpty()) {
            return Finding.ok(Check.RDMA_CGROUP, device, "/" + file, seen);
        }
        boolean none =
                limits.entrySet().stream().anyMatch(limit -> used.getOrDefault(limit.getKey(), 0L) >= limit.getValue());
        return new Finding(
                Check.RDMA_CGROUP,
                device,
                "/" + file,
                none ? FAIL : WARNING,
                seen,
                none
                        ? "the limit is reached: the next context or object is refused"
                        : "beyond the limit, contexts (hca_handle) and objects (hca_object) are refused",
                "raise the limit: echo '" + device + " hca_handle=max hca_object=max' > /" + file);
    }

    private Map<String, String> byDevice(String file) {
        return files.text(file).stream()
                .flatMap(String::lines)
                .map(line -> line.split(" ", 2))
                .filter(parts -> parts.length == 2)
                .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1], (one, _) -> one));
    }

    /** Returns the fields that are numbers, and not "max". */
    private static Map<String, Long> numbers(String fields) {
        return Arrays.stream(fields.split(" "))
                .map(field -> field.split("="))
                .filter(parts -> parts.length == 2 && parts[1].matches("\\d{1,18}"))
                .collect(Collectors.toMap(parts -> parts[0], parts -> Long.parseLong(parts[1]), (one, _) -> one));
    }

    private Finding openFiles() {
        Optional<String[]> limit = limit("Max open files");
        if (limit.isEmpty()) {
            return unreadable(Check.OPEN_FILES, "contexts, channels and endpoints use file descriptors");
        }
        String soft = limit.get()[0];
        String seen = "RLIMIT_NOFILE is " + soft;
        return soft.equals(UNLIMITED) || MachineFiles.bounded(soft) >= ENOUGH_FILES
                ? Finding.ok(Check.OPEN_FILES, "", "/" + LIMITS, seen)
                : new Finding(
                        Check.OPEN_FILES,
                        "",
                        "/" + LIMITS,
                        NOTE,
                        seen,
                        "an endpoint uses four descriptors, so a few hundred endpoints exhaust the limit (EMFILE)",
                        "raise the limit: ulimit -n 65536, or LimitNOFILE=65536 in a systemd service");
    }

    /** A group's number of threads, and its limit. */
    private record Threads(String file, long used, long most) {
        double percent() {
            return most == 0 ? 100 : 100.0 * used / most;
        }
    }

    private Finding threads() {
        List<String> groups = group.find("pids", PIDS_MAX);
        Optional<Threads> fullest = groups.stream()
                .flatMap(file -> files.number(file).stream()
                        .mapToObj(most -> new Threads(
                                file,
                                files.number(sibling(file, PIDS_MAX, "pids.current"))
                                        .orElse(0),
                                most)))
                .max(Comparator.comparingDouble(Threads::percent));
        if (fullest.isEmpty()) {
            return Finding.ok(
                    Check.THREADS,
                    "",
                    "/" + (groups.isEmpty() ? "sys/fs/cgroup" : groups.getFirst()),
                    "no control group of this process limits threads");
        }
        Threads threads = fullest.get();
        String seen = threads.used + " of " + threads.most + " threads of the control group are in use";
        return threads.percent() < FULL
                ? Finding.ok(Check.THREADS, "", "/" + threads.file, seen)
                : new Finding(
                        Check.THREADS,
                        "",
                        "/" + threads.file,
                        WARNING,
                        seen,
                        "a JVM that cannot start a thread throws OutOfMemoryError",
                        "raise the limit: docker run --pids-limit N, or TasksMax=N in a systemd service");
    }
}
