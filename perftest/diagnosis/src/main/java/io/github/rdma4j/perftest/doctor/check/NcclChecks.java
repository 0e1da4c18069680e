// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.UNKNOWN;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;

import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Checks files for whether NCCL is installed, and for what its settings disable. */
final class NcclChecks {
    private static final String SONAME = "libnccl.so.2";
    /** The property of {@code nccl.internal.NcclCalls} that names the library file. */
    private static final String PROPERTY = "io.github.rdma4j.nccl.library";

    private static final String PREFIX = "NCCL_";
    /** The variables that choose how ranks are connected, besides those that forbid a path. */
    private static final List<String> CHOOSING = List.of(
            "NCCL_NET",
            "NCCL_NET_GDR_LEVEL",
            "NCCL_NET_GDR_READ",
            "NCCL_NET_PLUGIN",
            "NCCL_P2P_LEVEL",
            "NCCL_IB_HCA",
            "NCCL_IB_GID_INDEX",
            "NCCL_SOCKET_IFNAME",
            "NCCL_TOPO_FILE",
            "NCCL_ALGO",
            "NCCL_PROTO");

    private final MachineFiles files;

    NcclChecks(MachineFiles files) {
        this.files = files;
    }

    List<Finding> findings() {
        return List.of(library(), settings());
    }

    private Finding library() {
        MachineFiles.LibraryPlace place = files.library(SONAME, PROPERTY);
        return place.isThere()
                ? Finding.ok(Check.NCCL, "", SONAME, place.seen())
                : new Finding(
                        Check.NCCL,
                        "",
                        SONAME,
                        NOTE,
                        place.seen(),
                        "GPU collectives (NCCL) cannot be used",
                        "install NCCL (package libnccl2), or name its file with -D" + PROPERTY + "=FILE");
    }

    private Finding settings() {
        Optional<String> environment = files.text(MachineFiles.ENVIRONMENT);
        if (environment.isEmpty()) {
            return new Finding(
                    Check.NCCL_SETTINGS,
                    "",
                    "/" + MachineFiles.ENVIRONMENT,
                    UNKNOWN,
                    "/proc/self/environ cannot be read",
                    "it is unknown whether a variable disables a transport of NCCL",
                    "check the environment and /etc/nccl.conf for variables NCCL_…");
        }
        // The environment overrides the file.
        Map<String, String> settings = new TreeMap<>();
        read(files.text("etc/nccl.conf").orElse(""), settings);
        read(environment.get(), settings);
        List<String> lost = settings.entrySet().stream()
                .flatMap(each -> disabled(each.getKey(), each.getValue()).stream()
                        .map(what -> each.getKey() + "=" + each.getValue() + ": " + what))
                .toList();
        if (!lost.isEmpty()) {
            return new Finding(
                    Check.NCCL_SETTINGS,
                    "",
                    "/" + MachineFiles.ENVIRONMENT,
                    WARNING,
                    String.join("; ", lost),
                    "NCCL may use a slower path than the machine offers",
                    "remove these variables from the environment and from /etc/nccl.conf, unless they are intended");
        }
        List<String> chosen = settings.entrySet().stream()
                .filter(each -> CHOOSING.contains(each.getKey()))
                .map(each -> each.getKey() + "=" + each.getValue())
                .toList();
        return chosen.isEmpty()
                ? Finding.ok(
                        Check.NCCL_SETTINGS,
                        "",
                        "/" + MachineFiles.ENVIRONMENT,
                        "no variable changes NCCL's choice of transports")
                : new Finding(
                        Check.NCCL_SETTINGS,
                        "",
                        "/" + MachineFiles.ENVIRONMENT,
                        NOTE,
                        String.join(", ", chosen),
                        "these variables restrict NCCL's choice, which may differ from these findings",
                        "");
    }

    private static void read(String text, Map<String, String> settings) {
        Arrays.stream(text.split("[\0\n]"))
                .map(String::strip)
                .filter(line -> line.startsWith(PREFIX) && line.indexOf('=') > 0)
                .forEach(line ->
                        settings.put(line.substring(0, line.indexOf('=')), line.substring(line.indexOf('=') + 1)));
    }

    /** Returns what a setting disables. */
    private static Optional<String> disabled(String name, String value) {
        return Optional.ofNullable(
                switch (name + "=" + value) {
                    case "NCCL_IB_DISABLE=1" -> "no RDMA, NCCL reaches other machines over TCP";
                    case "NCCL_NET=Socket" -> "NCCL reaches other machines over TCP";
                    case "NCCL_NET_GDR_LEVEL=0", "NCCL_NET_GDR_LEVEL=LOC" ->
                        "no GPUDirect RDMA, data goes through host memory";
                    case "NCCL_DMABUF_ENABLE=0" -> "no dma-bufs, so GPUDirect RDMA needs nvidia_peermem";
                    case "NCCL_P2P_DISABLE=1", "NCCL_P2P_LEVEL=LOC" ->
                        "GPUs do not access each other's memory" + " directly";
                    case "NCCL_SHM_DISABLE=1" -> "no shared memory between the GPUs of a machine";
                    default -> null;
                });
    }
}
