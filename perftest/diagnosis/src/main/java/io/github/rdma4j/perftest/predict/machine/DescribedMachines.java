// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.machine;

import io.github.rdma4j.perftest.exit.Unreadable;
import io.github.rdma4j.perftest.predict.model.Adapter;
import io.github.rdma4j.perftest.predict.model.Disk;
import io.github.rdma4j.perftest.predict.model.Gpu;
import io.github.rdma4j.perftest.predict.model.HostMemory;
import io.github.rdma4j.perftest.predict.model.LinkType;
import io.github.rdma4j.perftest.predict.model.MachineModel;
import io.github.rdma4j.perftest.predict.model.NetworkLink;
import io.github.rdma4j.perftest.predict.model.PciExpress;
import io.github.rdma4j.perftest.predict.model.TcpCosts;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** Machines that are described by a file: those that come with rdma4j, and the user's own. */
public final class DescribedMachines {
    /** The names of the machines that come with rdma4j. */
    public static final List<String> NAMES = List.of(
            "connectx5-pcie3",
            "connectx6-pcie4",
            "connectx7-pcie5",
            "connectx6dx-roce",
            "dgx-a100",
            "dgx-h100",
            "grace-hopper",
            "softroce-guest");

    private static final long LARGEST_FILE = 1 << 20;

    private DescribedMachines() {}

    /**
     * Returns a machine by its name or from a file.
     *
     * @throws MachineFileException if there is none, or the file is invalid: the message has file and line
     */
    public static MachineModel of(String nameOrFile) {
        if (NAMES.contains(nameOrFile)) {
            return parse(nameOrFile + ".json", resource(nameOrFile));
        }
        try {
            return parse(nameOrFile, text(Path.of(nameOrFile)));
        } catch (NoSuchFileException | InvalidPathException _) {
            throw new MachineFileException(
                    "there is no machine and no file '" + nameOrFile + "'", "machines: " + String.join(", ", NAMES));
        } catch (IOException failure) {
            throw new MachineFileException(Unreadable.sentence(Path.of(nameOrFile), failure), "");
        }
    }

    /** Returns a file's text. Refuses a file that is too long to be a description. */
    static String text(Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new IOException("it is no regular file");
        }
        if (Files.size(file) > LARGEST_FILE) {
            throw new IOException("it is longer than 1 MiB");
        }
        String text = Files.readString(file);
        // A byte order mark, which programs of Windows write.
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    private static String resource(String name) {
        try (InputStream in = DescribedMachines.class.getResourceAsStream(name + ".json")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /**
     * Reads a description.
     *
     * @param file for messages
     */
    static MachineModel parse(String file, String text) {
        Described.Source source = new Described.Source(file, "docs/predict.md has each field of a machine's file");
        Described root = Described.read(source, text);
        return root.make(() -> new MachineModel(
                root.text("name"),
                root.texts("sources"),
                root.has("assumptions") ? root.texts("assumptions") : List.of(),
                root.object("adapter")
                        .map(DescribedMachines::adapter)
                        .orElseThrow(() -> source.wrong(1, "\"adapter\" is missing")),
                root.object("gpu").map(DescribedMachines::gpu),
                root.object("memory").map(DescribedMachines::memory),
                root.object("disk").map(DescribedMachines::disk),
                root.object("tcp").map(DescribedMachines::tcp)));
    }

    private static Adapter adapter(Described fields) {
        return fields.make(() -> new Adapter(
                fields.text("name"),
                new NetworkLink(fields.word("link", LinkType.class), fields.number("gigabits"), fields.whole("mtu")),
                fields.object("pci").map(DescribedMachines::pci),
                fields.number("latency_us"),
                fields.number("message_us"),
                fields.number("packet_us", 0),
                fields.number("kibibyte_us", 0),
                fields.number("processor_us")));
    }

    private static PciExpress pci(Described fields) {
        return fields.make(() -> new PciExpress(
                fields.number("speed"),
                fields.whole("width"),
                fields.whole("max_payload", PciExpress.USUAL_PAYLOAD),
                fields.whole("max_read_request", PciExpress.USUAL_READ_REQUEST)));
    }

    private static Gpu gpu(Described fields) {
        return fields.make(() -> new Gpu(
                fields.text("name"),
                "",
                fields.object("pci").map(DescribedMachines::pci),
                fields.word("attachment", Gpu.Attachment.class),
                fields.number("peer_gigabytes", 0),
                fields.number("coherent_gigabytes", 0),
                fields.whole("nvlinks", 0),
                fields.number("nvlink_gigabytes", 0),
                fields.number("copy_us")));
    }

    private static HostMemory memory(Described fields) {
        return fields.make(() -> new HostMemory(
                fields.whole("channels"),
                fields.number("megatransfers"),
                fields.number("efficiency"),
                fields.whole("hops", 0),
                fields.number("hop_gigabytes", 0)));
    }

    private static Disk disk(Described fields) {
        return fields.make(() -> new Disk(
                fields.text("name"),
                fields.whole("drives"),
                fields.object("pci")
                        .map(DescribedMachines::pci)
                        .orElseThrow(() -> new IllegalArgumentException("\"pci\" is missing")),
                fields.number("read_gigabytes"),
                fields.number("latency_us")));
    }

    private static TcpCosts tcp(Described fields) {
        return fields.make(() -> new TcpCosts(
                fields.number("core_gigabits"),
                fields.number("sender_share"),
                fields.number("latency_us"),
                fields.number("message_us"),
                fields.whole("mtu")));
    }
}
