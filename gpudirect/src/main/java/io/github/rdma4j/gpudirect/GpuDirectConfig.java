// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.DmaBuf;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;

/**
 * The settings of {@link GpuDirect#on}. Setters return this; thread safety: for one thread.
 *
 * @since 0.1.0
 */
public final class GpuDirectConfig {
    private static final int LEAST_CHUNK = 4096;
    private static final int MOST_CHUNK = 1 << 30;
    private static final int MOST_SLOTS = 1024;

    private List<GpuPath> order = GpuPath.USUAL;
    private Path root = Path.of("/");
    private DmaBuf.Mapping dmaBufMapping = DmaBuf.Mapping.DEFAULT;
    private int chunkSize = 1 << 20;
    private int slots = 4;

    GpuDirectConfig() {}

    /**
     * Sets the permitted paths in order of preference; default {@link GpuPath#DMA_BUF}, {@link GpuPath#PEER_MEMORY},
     * {@link GpuPath#STAGED}.
     *
     * @param paths one or more, each once
     * @return this
     */
    public GpuDirectConfig order(GpuPath... paths) {
        for (GpuPath path : paths) {
            Objects.requireNonNull(path, "path");
        }
        List<GpuPath> given = List.of(paths);
        if (given.isEmpty() || EnumSet.copyOf(given).size() != given.size()) {
            throw new IllegalArgumentException("paths " + given + ": one or more, each once");
        }
        order = given;
        return this;
    }

    /**
     * Tries {@link GpuPath#DATA_DIRECT} before all other paths. If the adapter, its library or the kernel lacks it, the
     * next path is taken and {@link DeviceRegion#decision()} reports that. Experimental.
     *
     * @return this
     */
    public GpuDirectConfig dataDirect() {
        List<GpuPath> paths = new ArrayList<>(order);
        paths.remove(GpuPath.DATA_DIRECT);
        paths.addFirst(GpuPath.DATA_DIRECT);
        order = List.copyOf(paths);
        return this;
    }

    /**
     * Permits a single path. If the machine lacks it, registering fails with the reason.
     *
     * @param path the only path
     * @return this
     */
    public GpuDirectConfig only(GpuPath path) {
        return order(path);
    }

    /**
     * Sets how an adapter accesses memory exported by {@link GpuPath#DMA_BUF}; default {@link DmaBuf.Mapping#DEFAULT}.
     * {@link DmaBuf.Mapping#PCIE} is for machines whose GPU also has another link to the CPU, which the adapter's
     * accesses would otherwise use. A driver before CUDA 12.8 does not support it and refuses the path.
     * {@link GpuPath#DATA_DIRECT} requests it automatically.
     *
     * @param mapping the mapping
     * @return this
     */
    public GpuDirectConfig dmaBufMapping(DmaBuf.Mapping mapping) {
        dmaBufMapping = Objects.requireNonNull(mapping, "mapping");
        return this;
    }

    /**
     * Sets how many bytes a {@link DeviceChannel} copies and posts at once; default 1 MiB.
     *
     * @param bytes 4096 to 1 GiB, and at most the largest message of the adapter's ports
     * @return this
     */
    public GpuDirectConfig chunkSize(int bytes) {
        if (bytes < LEAST_CHUNK || bytes > MOST_CHUNK) {
            throw new IllegalArgumentException(
                    "a chunk of %d bytes: from %d to %d".formatted(bytes, LEAST_CHUNK, MOST_CHUNK));
        }
        chunkSize = bytes;
        return this;
    }

    /**
     * Sets the number of pinned chunks of a {@link DeviceChannel} for each direction, which is how many copies and
     * transfers can overlap; default 4.
     *
     * @param count 2 to 1024
     * @return this
     */
    public GpuDirectConfig slots(int count) {
        if (count < 2 || count > MOST_SLOTS) {
            throw new IllegalArgumentException("%d slots: from 2 to %d".formatted(count, MOST_SLOTS));
        }
        slots = count;
        return this;
    }

    /**
     * Sets the folder that contains {@code sys}. Its files show the peer-memory modules and the GPU's window. The
     * default is {@code /}.
     *
     * @param folder such as the host's root in a container
     * @return this
     */
    public GpuDirectConfig fileSystemRoot(Path folder) {
        root = Objects.requireNonNull(folder, "folder");
        return this;
    }

    List<GpuPath> order() {
        return order;
    }

    Path fileSystemRoot() {
        return root;
    }

    DmaBuf.Mapping dmaBufMapping() {
        return dmaBufMapping;
    }

    int chunkSize() {
        return chunkSize;
    }

    int slots() {
        return slots;
    }
}
