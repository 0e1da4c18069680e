// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

import static io.github.rdma4j.gpudirect.check.FindingState.FAIL;
import static io.github.rdma4j.gpudirect.check.FindingState.NOTE;
import static io.github.rdma4j.gpudirect.check.FindingState.UNKNOWN;
import static io.github.rdma4j.gpudirect.check.FindingState.WARNING;

import io.github.rdma4j.gpudirect.topology.Topology;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks kernel, limits and the RDMA software of a machine. */
final class HostChecks {
    private static final Pattern RELEASE = Pattern.compile("(\\d{1,4})\\.(\\d{1,4}).*");
    private static final Pattern LIBRARY = Pattern.compile("libibverbs\\.so\\.1\\.\\d{1,4}\\.(\\d{1,4}).*");
    private static final List<String> ADAPTER_DRIVERS = List.of("mlx5_ib", "mlx4_ib", "irdma", "bnxt_re", "efa");
    private static final List<String> LIBRARY_FOLDERS = List.of(
            "usr/lib/x86_64-linux-gnu",
            "usr/lib/aarch64-linux-gnu",
            "usr/lib64",
            "usr/lib",
            "lib/x86_64-linux-gnu",
            "lib/aarch64-linux-gnu",
            "lib64",
            "lib");
    private static final String UNLIMITED = "unlimited";
    /** Enough for staged regions and registered host buffers of usual size. */
    private static final long ENOUGH_LOCKED = 1L << 30;

    private static final int CAP_IPC_LOCK = 14;
    private static final Subject HOST = Subject.host();

    private final HostFiles files;
    private final Topology topology;
    private final AdapterInventory adapters;

    HostChecks(HostFiles files, Topology topology, AdapterInventory adapters) {
        this.files = files;
        this.topology = topology;
        this.adapters = adapters;
    }

    List<Finding> findings() {
        return List.of(kernel(), lockedMemory(), rdmaCore(), devices());
    }

    private Finding kernel() {
        Optional<String> release = files.text("proc/sys/kernel/osrelease");
        Matcher version = RELEASE.matcher(release.orElse(""));
        if (!version.matches()) {
            return new Finding(
                    CheckId.KERNEL,
                    HOST,
                    UNKNOWN,
                    release.map(text -> "the release '" + text + "' has no version")
                            .orElse("/proc/sys/kernel/osrelease cannot be read"),
                    "dma-bufs are registered from Linux 5.12 on",
                    "");
        }
        int major = Integer.parseInt(version.group(1));
        int minor = Integer.parseInt(version.group(2));
        boolean recent =
                major > Versions.KERNEL_MAJOR || major == Versions.KERNEL_MAJOR && minor >= Versions.KERNEL_MINOR;
        String seen = "Linux " + release.orElseThrow();
        return recent
                ? Finding.ok(CheckId.KERNEL, HOST, seen)
                : new Finding(
                        CheckId.KERNEL,
                        HOST,
                        WARNING,
                        seen,
                        "the RDMA core of this kernel registers no dma-bufs, unless its maker or MLNX_OFED has added"
                                + " it",
                        "use Linux 5.12 or newer, or nvidia_peermem with MLNX_OFED or DOCA");
    }

    private Finding lockedMemory() {
        Optional<String> limit = files.text("proc/self/limits")
                .flatMap(text -> HostFiles.labelled(text, "Max locked memory"))
                .map(fields -> fields.split("\\s+")[0]);
        if (limit.isEmpty() || !limit.get().matches(UNLIMITED + "|\\d{1,20}")) {
            return new Finding(
                    CheckId.LOCKED_MEMORY,
                    HOST,
                    UNKNOWN,
                    "/proc/self/limits does not have RLIMIT_MEMLOCK",
                    "a small limit refuses the registration of host memory, staged regions among it",
                    "");
        }
        if (limit.get().equals(UNLIMITED)) {
            return Finding.ok(CheckId.LOCKED_MEMORY, HOST, "RLIMIT_MEMLOCK is unlimited");
        }
        // A limit that exceeds a long counts as unlimited.
        long bytes = limit.get().length() > 18 ? Long.MAX_VALUE : Long.parseLong(limit.get());
        String seen = "RLIMIT_MEMLOCK is " + Bytes.words(bytes);
        if (privileged()) {
            return Finding.ok(CheckId.LOCKED_MEMORY, HOST, seen + ", which CAP_IPC_LOCK lifts for this process");
        }
        if (bytes >= ENOUGH_LOCKED) {
            return Finding.ok(CheckId.LOCKED_MEMORY, HOST, seen);
        }
        return new Finding(
                CheckId.LOCKED_MEMORY,
                HOST,
                WARNING,
                seen,
                "registering more host memory than that fails with ENOMEM; staged regions and the queues of an adapter"
                        + " count",
                "ulimit -l unlimited, or LimitMEMLOCK=infinity in the service, or docker run --ulimit memlock=-1");
    }

    private boolean privileged() {
        return files.text("proc/self/status")
                .flatMap(text -> HostFiles.labelled(text, "CapEff:"))
                .filter(mask -> mask.matches("[0-9a-f]{1,16}"))
                .map(mask -> (Long.parseUnsignedLong(mask, 16) >>> CAP_IPC_LOCK & 1) == 1)
                .orElse(false);
    }

    /** The version of rdma-core is only in the name of libibverbs' file, libibverbs.so.1.14.44.0. */
    private Finding rdmaCore() {
        if (adapters.problem().isPresent()) {
            return new Finding(
                    CheckId.RDMA_CORE,
                    HOST,
                    FAIL,
                    adapters.problem().get().reason(),
                    "without libibverbs no adapter can be used",
                    adapters.problem().get().remedy());
        }
        Optional<String> library = LIBRARY_FOLDERS.stream()
                .map(folder -> folder + "/libibverbs.so.1")
                .filter(files::exists)
                .map(file -> files.target(file).orElse(""))
                .findFirst();
        Matcher version = LIBRARY.matcher(library.orElse(""));
        if (!version.matches()) {
            return new Finding(
                    CheckId.RDMA_CORE,
                    HOST,
                    UNKNOWN,
                    library.map(name -> "the file name " + name + " has no version of rdma-core")
                            .orElse("libibverbs.so.1 is in none of the usual folders"),
                    "dma-bufs are registered from rdma-core 34 on; adapter-dma-buf shows whether this one does",
                    "");
        }
        int number = Integer.parseInt(version.group(1));
        String seen = "rdma-core " + number + " (" + library.get() + ")";
        return number >= Versions.RDMA_CORE
                ? Finding.ok(CheckId.RDMA_CORE, HOST, seen)
                : new Finding(
                        CheckId.RDMA_CORE,
                        HOST,
                        WARNING,
                        seen,
                        "it has no ibv_reg_dmabuf_mr, so dma-bufs cannot be registered",
                        "install rdma-core 34 or newer");
    }

    private Finding devices() {
        List<String> nodes = files.names("dev/infiniband").stream()
                .filter(name -> name.startsWith("uverbs"))
                .toList();
        int known = topology.adapters().size();
        if (known == 0) {
            return new Finding(
                    CheckId.RDMA_DEVICES,
                    HOST,
                    NOTE,
                    "/sys/class/infiniband lists no RDMA device" + driversThere(),
                    "there is no adapter to check",
                    "load the adapter's driver (mlx5_ib, irdma, bnxt_re, efa, ...), and give a virtual machine an"
                            + " adapter of its host; without an adapter, rdma link add rxe0 type rxe netdev eth0 makes"
                            + " a SoftRoCE device where the kernel has rdma_rxe, which is always staged");
        }
        String seen = known + (known == 1 ? " RDMA device" : " RDMA devices") + " in /sys/class/infiniband, ";
        return nodes.isEmpty()
                ? new Finding(
                        CheckId.RDMA_DEVICES,
                        HOST,
                        FAIL,
                        seen + "and no uverbs node in /dev/infiniband",
                        "the kernel has adapters that this process cannot open, as in a container",
                        "docker run --device=/dev/infiniband --cap-add=IPC_LOCK --ulimit memlock=-1 ...; in Kubernetes"
                                + " the RDMA shared device plugin; on a host, modprobe ib_uverbs")
                : Finding.ok(CheckId.RDMA_DEVICES, HOST, seen + nodes.size() + " in /dev/infiniband");
    }

    private String driversThere() {
        List<String> loaded = ADAPTER_DRIVERS.stream()
                .filter(driver -> files.exists("sys/module/" + driver))
                .toList();
        return loaded.isEmpty() ? "" : "; the kernel has the driver " + String.join(", ", loaded);
    }
}
