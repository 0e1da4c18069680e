// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.UNKNOWN;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;

import io.github.rdma4j.gpudirect.internal.UdevDatabase;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks whether cuFile can move files to GPU memory, as far as files show it. */
final class StorageChecks {
    private static final String SONAME = "libcufile.so.0";
    /** The property of {@code storage.internal.CuFileLibrary} that names the library file. */
    private static final String PROPERTY = "io.github.rdma4j.cufile.library";

    private static final String STAGED =
            "files are read and written through pinned host memory (staged), which works everywhere";
    private static final List<String> CONFIGURATIONS = List.of("etc/cufile.json", "usr/local/cuda/gds/cufile.json");
    /** The variable that names another configuration file for cuFile. */
    private static final String NAMED = "CUFILE_ENV_PATH_JSON";
    /** A line that is not a comment. */
    private static final Pattern COMPATIBLE =
            Pattern.compile("(?m)^(?!\\s*//).*?\"allow_compat_mode\"\\s*:\\s*(true|false)");

    private static final Pattern MODULE_VERSION =
            Pattern.compile("(?s)(?:.*?version:?\\s*)?(\\d+\\.\\d+(?:\\.\\d+)?).*");
    private static final Set<String> DISTRIBUTED = Set.of("lustre", "wekafs", "gpfs", "beegfs", "scatefs");

    private static final Set<String> ON_BLOCKS = Set.of("ext4", "xfs");
    private static final int MOST_NAMED = 5;

    private final MachineFiles files;

    StorageChecks(MachineFiles files) {
        this.files = files;
    }

    List<Finding> findings() {
        return List.of(library(), module(), compatibility(), volumes(), fileSystems());
    }

    private Finding library() {
        MachineFiles.LibraryPlace place = files.library(SONAME, PROPERTY);
        return place.isThere()
                ? Finding.ok(Check.CUFILE, "", SONAME, place.seen())
                : new Finding(
                        Check.CUFILE,
                        "",
                        SONAME,
                        NOTE,
                        place.seen(),
                        STAGED,
                        "for GPUDirect Storage, install cuFile from the CUDA toolkit (gds-tools,"
                                + " libcufile-<version>), or name its file with -D" + PROPERTY + "=FILE");
    }

    private Finding module() {
        Optional<String> version = files.text("proc/driver/nvidia-fs/version")
                .or(() -> files.text("sys/module/nvidia_fs/version"))
                .map(text -> {
                    Matcher number = MODULE_VERSION.matcher(text);
                    return number.matches() ? number.group(1) : text;
                });
        return version.map(number -> Finding.ok(
                        Check.NVIDIA_FS, "", "/proc/driver/nvidia-fs/version", "nvidia-fs " + number + " is loaded"))
                .orElseGet(() -> new Finding(
                        Check.NVIDIA_FS,
                        "",
                        "/proc/driver/nvidia-fs/version",
                        NOTE,
                        "neither /proc/driver/nvidia-fs nor /sys/module/nvidia_fs exists",
                        "without nvidia-fs, cuFile accesses NVMe directly only with the kernel's PCI peer-to-peer"
                                + " DMA (CUDA 12.8 and newer); otherwise it uses its compatibility mode",
                        "install nvidia-gds and modprobe nvidia-fs"));
    }

    private Finding compatibility() {
        Optional<String> file = files.variable(NAMED)
                .filter(name -> name.startsWith("/"))
                .map(name -> name.substring(1))
                .or(() -> CONFIGURATIONS.stream().filter(files::exists).findFirst());
        if (file.isEmpty()) {
            return new Finding(
                    Check.CUFILE_COMPATIBILITY,
                    "",
                    "/" + CONFIGURATIONS.getFirst(),
                    UNKNOWN,
                    "neither /etc/cufile.json nor /usr/local/cuda/gds/cufile.json exists",
                    "cuFile uses its defaults",
                    "");
        }
        Matcher setting = COMPATIBLE.matcher(files.text(file.get()).orElse(""));
        if (!setting.find()) {
            return new Finding(
                    Check.CUFILE_COMPATIBILITY,
                    "",
                    "/" + CONFIGURATIONS.getFirst(),
                    UNKNOWN,
                    "/" + file.get() + " does not set allow_compat_mode, or cannot be read",
                    "cuFile uses its default",
                    "");
        }
        return setting.group(1).equals("true")
                ? Finding.ok(
                        Check.CUFILE_COMPATIBILITY,
                        "",
                        "/" + CONFIGURATIONS.getFirst(),
                        "/" + file.get() + " allows the compatibility mode")
                : new Finding(
                        Check.CUFILE_COMPATIBILITY,
                        "",
                        "/" + CONFIGURATIONS.getFirst(),
                        NOTE,
                        "/" + file.get() + " forbids the compatibility mode",
                        "rdma4j stages files that cuFile cannot access directly; programs that use cuFile"
                                + " themselves cannot open them",
                        "set properties.allow_compat_mode to true in that file");
    }

    /** A volume, with its first mount point and what it lacks. */
    private record Volume(String place, Optional<String> missing) {}

    private Finding volumes() {
        List<Volume> volumes = files.text("proc/self/mountinfo").stream()
                .flatMap(String::lines)
                .map(line -> line.split(" - ", 2))
                .filter(halves -> halves.length == 2)
                .flatMap(halves -> volume(halves[0].split(" "), halves[1].split(" ")).stream())
                .distinct()
                .toList();
        if (volumes.isEmpty()) {
            return new Finding(
                    Check.CUFILE_VOLUMES,
                    "",
                    "/proc/self/mountinfo",
                    UNKNOWN,
                    "/proc/self/mountinfo names no ext4 or XFS on a block device",
                    "it is unknown whether cuFile finds the attributes of volumes",
                    "");
        }
        List<Volume> unknown =
                volumes.stream().filter(each -> each.missing().isPresent()).toList();
        if (unknown.isEmpty()) {
            return Finding.ok(
                    Check.CUFILE_VOLUMES,
                    "",
                    "/proc/self/mountinfo",
                    "udev has the attributes of the volumes of "
                            + first(volumes.stream().map(Volume::place).toList()));
        }
        return new Finding(
                Check.CUFILE_VOLUMES,
                "",
                "/proc/self/mountinfo",
                NOTE,
                "udev lacks attributes of the volume of "
                        + first(unknown.stream()
                                .map(each ->
                                        each.place() + ": " + each.missing().orElseThrow())
                                .toList()),
                "cuFile accepts no file on such a volume, even in its compatibility mode"
                        + " (CU_FILE_HANDLE_NOT_REGISTERED); rdma4j stages these files",
                UdevDatabase.REMEDY);
    }

    /** Parses the two halves of a line of mountinfo. */
    private Optional<Volume> volume(String[] mount, String[] source) {
        return mount.length > 4 && source.length > 1 && ON_BLOCKS.contains(source[0]) && source[1].startsWith("/")
                ? Optional.of(new Volume(
                        "%s (%s)".formatted(mount[4], source[0]), UdevDatabase.missing(files.path(""), mount[2])))
                : Optional.empty();
    }

    private static String first(List<String> all) {
        return all.stream().limit(MOST_NAMED).collect(Collectors.joining(", "))
                + (all.size() > MOST_NAMED ? " and " + (all.size() - MOST_NAMED) + " more" : "");
    }

    private Finding fileSystems() {
        Optional<String> mounts = files.text("proc/self/mounts");
        if (mounts.isEmpty()) {
            return new Finding(
                    Check.STORAGE,
                    "",
                    "/proc/self/mounts",
                    UNKNOWN,
                    "/proc/self/mounts cannot be read",
                    "it is unknown which file systems cuFile may access directly",
                    "");
        }
        List<String> reachable = new ArrayList<>();
        List<String> spoilt = new ArrayList<>();
        mounts.get()
                .lines()
                .map(line -> line.split(" "))
                .filter(fields -> fields.length > 3)
                .forEach(fields -> {
                    String place = fields[1] + " (" + fields[2] + ")";
                    if (isOnNvme(fields) && fields[2].equals("ext4") && !isOrdered(fields[3])) {
                        spoilt.add(place);
                    } else if (isOnNvme(fields) || DISTRIBUTED.contains(fields[2]) || isNfsOverRdma(fields)) {
                        reachable.add(place);
                    }
                });
        if (!spoilt.isEmpty()) {
            return new Finding(
                    Check.STORAGE,
                    "",
                    "/proc/self/mounts",
                    WARNING,
                    "ext4 without data=ordered: " + String.join(", ", spoilt),
                    "cuFile does not access such a file system directly",
                    "mount it with data=ordered, which is ext4's default");
        }
        return reachable.isEmpty()
                ? new Finding(
                        Check.STORAGE,
                        "",
                        "/proc/self/mounts",
                        NOTE,
                        "no ext4 or XFS on NVMe, and no Lustre, WekaFS, Spectrum Scale, BeeGFS, ScateFS or NFS over"
                                + " RDMA is mounted",
                        "cuFile cannot access any file of this machine directly",
                        "")
                : Finding.ok(Check.STORAGE, "", "/proc/self/mounts", "cuFile may access directly: " + first(reachable));
    }

    private static boolean isOnNvme(String[] fields) {
        return fields[0].startsWith("/dev/nvme") && ON_BLOCKS.contains(fields[2]);
    }

    /** The kernel shows the option only if it is not the default. */
    private static boolean isOrdered(String options) {
        return Stream.of(options.split(","))
                .noneMatch(each -> each.startsWith("data=") && !each.equals("data=ordered"));
    }

    private static boolean isNfsOverRdma(String[] fields) {
        return fields[2].startsWith("nfs") && List.of(fields[3].split(",")).contains("proto=rdma");
    }
}
