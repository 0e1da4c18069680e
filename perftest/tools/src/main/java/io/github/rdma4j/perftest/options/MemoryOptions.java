// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.wire.SystemData;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The memory of messages. */
public final class MemoryOptions {
    private static final int LARGEST_PAYLOAD_FILE = 1 << 20;

    private boolean strictOrdering;
    private boolean hugePages;
    private Path mappedFile;
    private Long mappedOffset;
    private boolean onDemand;
    private Path payloadFile;
    private boolean validation;
    private boolean validationDebug;
    private boolean nullRegion;
    private boolean regionPerQueuePair;
    private byte[] payload;

    void declare(OptionList options) {
        options.flag("--disable_pcie_relaxed")
                .description("Register the buffer without relaxed ordering (ib_write_lat never asks for it).")
                .into(value -> strictOrdering = value);
        options.flag("--use_hugepages")
                .description("Take the buffer from the reserved huge pages (vm.nr_hugepages).")
                .into(value -> hugePages = value);
        options.value(Path.class, "--mmap")
                .label("<file>")
                .description("Use a mapped file as the buffer, for example the memory of a device.")
                .into(value -> mappedFile = value);
        options.value(Long.class, "--mmap-offset")
                .label("<bytes>")
                .converter(new Numbers.Bytes())
                .within(0, Long.MAX_VALUE / 2)
                .description("Offset of the buffer in the file of --mmap, a multiple of the page size (default 0).")
                .into(value -> mappedOffset = value);
        options.flag("--odp")
                .description("Register the buffer for on-demand paging: it is not pinned, and the adapter faults"
                        + " pages in.")
                .into(value -> onDemand = value);
        options.value(Path.class, "--payload_file_path")
                .label("<file>")
                .description(
                        "Fill the buffer with the words of a text file: '0xaaaaaaaa, 0xbbbbbbbb, ...', little endian.")
                .into(value -> payloadFile = value);
        options.flag("--data_validation")
                .description("The receiver checks number and checksum of each message (slower; both sides must be"
                        + " rdma4j's).")
                .into(value -> validation = value);
        options.flag("--use-null-mr")
                .onlyFor(ToolSet.WRITE_OR_READ)
                .description("Use a null memory region (ibv_alloc_null_mr), which sends zeros and keeps nothing.")
                .into(value -> nullRegion = value);
        options.flag("--data_validation_debug")
                .description("No effect: --data_validation always prints what differs.")
                .into(value -> validationDebug = value);
        options.flag("--mr_per_qp")
                .description("Register a memory region for each queue pair.")
                .into(value -> regionPerQueuePair = value);
    }

    /** Returns whether each queue pair has a memory region of its own. */
    public boolean regionPerQueuePair() {
        return regionPerQueuePair;
    }

    /** Returns whether the adapter may reorder its writes to memory; only where no program waits for the last byte. */
    boolean relaxedOrdering() {
        return !strictOrdering;
    }

    /** Returns whether the buffer is made of huge pages from the administrator's reserve. */
    public boolean hugePages() {
        return hugePages;
    }

    /** A file to be mapped as the buffer; null for none. */
    public Path mappedFile() {
        return mappedFile;
    }

    /** Returns the offset of the buffer in the file, in bytes. */
    public long mappedOffset() {
        return mappedOffset != null ? mappedOffset : 0;
    }

    /** Returns whether the buffer is registered for on-demand paging. */
    public boolean onDemand() {
        return onDemand;
    }

    /** Returns the pattern that fills the buffer repeatedly; null for noise. */
    public byte[] payload() {
        return payload == null ? null : payload.clone();
    }

    /** Returns whether to use a null memory region, which has no memory. */
    public boolean nullRegion() {
        return nullRegion;
    }

    /** Returns whether messages are sealed by their sender and checked by their receiver. */
    public boolean validation() {
        return validation;
    }

    void check(Tool tool, WorkloadOptions workload, Adjustments adjustments) {
        adjustments.when(
                validationDebug && !validation, "--data_validation_debug has no effect without --data_validation");
        IllegalParameterException.when(
                validation
                        && tool.verb() == Verb.ATOMIC
                        && (workload.durationSeconds() > 0
                                || workload.messagesBefore()
                                || workload.atomicOperation() != AtomicOperation.FETCH_AND_ADD),
                "--data_validation counts a known number of FETCH_AND_ADD: leave out -D/--duration, --perform_warm_up"
                        + " and -A/--atomic_type");
        IllegalParameterException.when(
                nullRegion && validation, "--data_validation and --use-null-mr exclude each other, as in C");
        IllegalParameterException.when(
                nullRegion && tool == Tool.WRITE_LATENCY && !workload.withImmediate(),
                "--use-null-mr: ib_write_lat waits for the last byte of each message, which a null memory region drops"
                        + " (C waits for ever); with --write_with_imm it does not");
        IllegalParameterException.when(
                validation && workload.allSizes(),
                "--data_validation is for one size: give -s/--size instead of -a/--all");
        IllegalParameterException.when(
                validation && payloadFile != null, "--data_validation and --payload_file_path exclude each other");
        IllegalParameterException.when(
                mappedFile != null && hugePages, "--mmap and --use_hugepages exclude each other");
        IllegalParameterException.when(
                mappedOffset != null && mappedFile == null, "--mmap-offset is for mapped files: give --mmap");
        IllegalParameterException.when(
                mappedOffset() != 0
                        && mappedOffset() % SystemData.ofThisMachine().cycleBytes() != 0,
                () -> "--mmap-offset: " + mappedOffset() + " is not allowed; multiples of the page size, "
                        + SystemData.ofThisMachine().cycleBytes());
        IllegalParameterException.when(
                mappedFile != null
                        && (Files.isDirectory(mappedFile)
                                || !Files.isReadable(mappedFile)
                                || !Files.isWritable(mappedFile)),
                () -> "--mmap: " + mappedFile + " cannot be read and written");
        if (payloadFile != null) {
            payload = readPayload();
        }
    }

    private byte[] readPayload() {
        String text;
        try {
            IllegalParameterException.when(
                    Files.size(payloadFile) > LARGEST_PAYLOAD_FILE,
                    () -> "--payload_file_path: " + payloadFile + " is larger than 1 MiB");
            text = Files.readString(payloadFile);
        } catch (IOException failure) {
            throw new IllegalParameterException("--payload_file_path: " + payloadFile + " cannot be read as text");
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (String word : text.strip().split("[\\s,]+")) {
            if (!word.matches("0x[0-9a-fA-F]{1,8}")) {
                throw new IllegalParameterException("--payload_file_path: " + payloadFile + " has '"
                        + word.substring(0, Math.min(20, word.length()))
                        + "' where a word was expected, such as 0xaaaaaaaa");
            }
            int value = Integer.parseUnsignedInt(word.substring(2), 16);
            for (int shift = 0; shift < 32; shift += 8) {
                bytes.write(value >>> shift);
            }
        }
        return bytes.toByteArray();
    }
}
