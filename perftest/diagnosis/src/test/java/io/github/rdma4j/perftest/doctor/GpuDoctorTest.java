// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.github.rdma4j.gpudirect.Bar1Memory;
import io.github.rdma4j.gpudirect.topology.PciAddress;
import io.github.rdma4j.perftest.CommandRun;
import io.github.rdma4j.perftest.doctor.machine.AdapterFacts;
import io.github.rdma4j.perftest.doctor.machine.AdapterInventory;
import io.github.rdma4j.perftest.doctor.machine.DoctorSources;
import io.github.rdma4j.perftest.doctor.machine.FlowControl;
import io.github.rdma4j.perftest.doctor.machine.GpuFacts;
import io.github.rdma4j.perftest.doctor.machine.GpuInventory;
import io.github.rdma4j.perftest.doctor.machine.PortFacts;
import io.github.rdma4j.perftest.doctor.machine.Problem;
import io.github.rdma4j.perftest.doctor.machine.Support;
import io.github.rdma4j.verbs.device.Mtu;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The findings of GPUDirect on the page and in the document of doctor. */
class GpuDoctorTest {
    @TempDir
    private Path folder;

    private final List<GpuFacts> gpus = new ArrayList<>();
    private final List<AdapterFacts> adapters = new ArrayList<>();
    private Bar1Memory window = Bar1Memory.unknown("no libnvidia-ml.so.1");

    /** A GPU below a switch of its own, with an adapter that can or cannot register dma-bufs. */
    private GpuDoctorTest quarter(int number, Support dmaBuf) throws IOException {
        String bus = "pci0000:" + number + "0/0000:" + number + "0:01.0/0000:" + number + "1:00.0/";
        String gpu = "0000:" + number + "3:00.0";
        String nic = "0000:" + number + "4:00.0";
        function(bus + "0000:" + number + "2:00.0/" + gpu, "0x030200", "0x10de");
        function(bus + "0000:" + number + "2:01.0/" + nic, "0x020700", "0x15b3");
        Path device = Files.createDirectories(folder.resolve("sys/class/infiniband/mlx5_" + number));
        Files.createSymbolicLink(
                device.resolve("device"), Path.of("../../../devices/" + bus + "0000:" + number + "2:01.0/" + nic));
        Files.createSymbolicLink(
                folder.resolve("sys/devices/" + bus + "0000:" + number + "2:00.0/" + gpu + "/driver"),
                Files.createDirectories(folder.resolve("sys/bus/pci/drivers/nvidia")));
        write("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05");
        write("sys/class/infiniband_verbs/uverbs" + number + "/ibdev", "mlx5_" + number);
        write("dev/infiniband/uverbs" + number, "");
        gpus.add(new GpuFacts(
                number,
                "NVIDIA A100-SXM4-80GB",
                PciAddress.parse(gpu),
                80,
                85_000_000_000L,
                false,
                Support.YES,
                Support.YES,
                Support.YES,
                1,
                100,
                false));
        adapters.add(new AdapterFacts(
                "mlx5_" + number,
                Optional.empty(),
                dmaBuf,
                List.of(new PortFacts(1, Mtu.MTU_4096, Mtu.MTU_4096, 1 << 30)),
                Optional.empty(),
                Optional.empty()));
        return this;
    }

    private void write(String file, String text) throws IOException {
        Path path = folder.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private void function(String path, String classCode, String vendor) throws IOException {
        Path device = Files.createDirectories(folder.resolve("sys/devices/" + path));
        Files.writeString(device.resolve("class"), classCode);
        Files.writeString(device.resolve("vendor"), vendor);
        Files.writeString(device.resolve("numa_node"), "0");
        Path all = Files.createDirectories(folder.resolve("sys/bus/pci/devices"));
        Files.createSymbolicLink(all.resolve(device.getFileName()), device);
    }

    private CommandRun run(String... arguments) {
        return run(sources(), arguments);
    }

    private static CommandRun run(DoctorSources sources, String... arguments) {
        boolean named = List.of(arguments).contains("--gpu");
        return doctor(
                sources,
                Stream.concat(Arrays.stream(arguments), named ? Stream.empty() : Stream.of("--gpu"))
                        .toArray(String[]::new));
    }

    private static CommandRun doctor(DoctorSources sources, String... arguments) {
        return CommandRun.of((out, err) -> DoctorCommand.run(List.of(arguments), sources, out, err));
    }

    private DoctorSources sources() {
        return sources(
                () -> new GpuInventory(Optional.empty(), 13000, gpus),
                () -> new AdapterInventory(Optional.empty(), adapters));
    }

    private DoctorSources sources(Supplier<GpuInventory> cuda, Supplier<AdapterInventory> verbs) {
        return new DoctorSources(
                folder,
                Runtime.version(),
                _ -> true,
                verbs,
                Optional::empty,
                _ -> new FlowControl.Answer(null, "nobody was asked", Optional.empty()),
                cuda,
                _ -> window);
    }

    private static JsonNode json(String text) throws IOException {
        String schema = Files.readString(Path.of("../../docs/doctor.schema.json"));
        assertThat(SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                        .getSchema(schema)
                        .validate(text, InputFormat.JSON))
                .isEmpty();
        return new ObjectMapper().readTree(text);
    }

    @Test
    void directPairIsStatusZero() throws IOException {
        CommandRun run = quarter(0, Support.YES).run();
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains("\n\nResult: direct: adapters access GPU memory directly in 1 of 1 pairs.\n\n");
        assertThat(run.status()).isZero();
    }

    @Test
    void stagedPairBesideADirectOneIsStatusOne() throws IOException {
        CommandRun run = quarter(0, Support.YES).quarter(1, Support.NO).run();
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out())
                .contains(
                        "  GPU0  NVIDIA A100-SXM4-80GB, compute capability 8.0, 0000:03:00.0 [10de:0000], NUMA node 0")
                .contains("  GPU0    X     NODE  PIX     NODE    0     0000:03:00.0")
                .contains("ok       gpu-rdma         all GPUs: GPU_DIRECT_RDMA_SUPPORTED is 1")
                .contains("  GPU0 - mlx5_0: DMA-BUF\n")
                .contains("  GPU1 - mlx5_1: STAGED\n      Not by dma-buf: the adapter's driver")
                .contains("      Not by peer memory: no peer-memory module is loaded")
                .contains("(2 more pairs of GPUs and adapters that are farther apart: --gpu --all)")
                .contains("Result: direct: adapters access GPU memory directly in 2 of 4 pairs. Fix, in this order:\n"
                        + "  1. adapter-dma-buf of mlx5_1: ibv_reg_dmabuf_mr with file descriptor -1 does not")
                .doesNotContain("GPU0 - mlx5_1");
        assertThat(run.out().lines()).allMatch(line -> line.length() <= 120);
    }

    @Test
    void windowUseIsReported() throws IOException {
        quarter(0, Support.YES);
        assertThat(json(run("--json").out()).at("/gpudirect/gpus/0/bar1")).hasToString("""
                {"total_bytes":null,"used_bytes":null,"free_bytes":null,"unknown":"no libnvidia-ml.so.1"}""");
        window = Bar1Memory.known(1000, 600, 400);
        assertThat(json(run("--json").out()).at("/gpudirect/gpus/0/bar1")).hasToString("""
                {"total_bytes":1000,"used_bytes":600,"free_bytes":400,"unknown":null}""");
    }

    @Test
    void allPairsAreShownWhenAskedFor() throws IOException {
        CommandRun run = quarter(0, Support.YES).quarter(1, Support.NO).run("--all");
        assertThat(run.out())
                .contains("GPU0 - mlx5_0; GPU1 - mlx5_0: DMA-BUF")
                .contains("GPU0 - mlx5_1; GPU1 - mlx5_1: STAGED")
                .contains("NOTE     distance         GPU0 - mlx5_1: NODE")
                .doesNotContain("--all");
    }

    @Test
    void stagedPairsOnlyAreStatusOne() throws IOException {
        CommandRun run = quarter(0, Support.NO).run();
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out()).contains("Result: staged: transfers work, but each goes through host memory. Fix, in");
    }

    @Test
    void gpuAndAnAdapterCanBeChosen() throws IOException {
        quarter(0, Support.YES).quarter(1, Support.NO);
        assertThat(run("--gpu", "1", "--device", "mlx5_1").status()).isEqualTo(1);
        assertThat(run("--gpu", "13:00.0", "-d", "mlx5_0").status()).isZero();
        assertThat(run("--gpu", "13:00.0", "-d", "mlx5_0").out())
                .contains("NOTE     distance         GPU1 - mlx5_0: NODE")
                .contains("Remedy: use a nearer adapter.");
        assertThat(run("--gpu", "1").out()).contains("GPU1 - mlx5_1").doesNotContain("GPU0 - ");
    }

    @Test
    void wrongCommandLineIsStatusTwo() throws IOException {
        quarter(0, Support.YES);
        assertUsage("there is no GPU 7; present: 0 (0000:03:00.0)", "--gpu", "7");
        assertUsage("'first' is neither a number from 0 on nor a PCI address", "--gpu", "first");
        assertUsage("there is no RDMA device 'mlx5_9'; present: mlx5_0", "--device", "mlx5_9");
        assertUsage("'extra': what is that?", "extra");
        assertUsage("Unknown option: '--sideways'", "--sideways");
    }

    private void assertUsage(String words, String... arguments) {
        CommandRun run = run(arguments);
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("doctor: ").contains(words).contains("rdma4j doctor --help");
    }

    @Test
    void nothingThereIsStatusThree() {
        CommandRun run = run(sources(
                () -> GpuInventory.unavailable(new Problem("no libcuda.so.1", "install the driver")),
                () -> new AdapterInventory(Optional.of(new Problem("no libibverbs.so.1", "install it")), List.of())));
        assertThat(run.status()).isEqualTo(3);
        assertThat(run.out())
                .contains("GPUs: none\n", "Adapters: none\n", "FAIL     libibverbs       no libibverbs.so.1\n")
                .contains("Remedy: install it.")
                .containsPattern("^GPUDirect RDMA .*\\R\\RResult: not usable: there is neither a GPU nor an RDMA"
                        + " adapter[.] Fix, in this order:\\R");
    }

    @Test
    void gpuWithoutCudaIsNothingToUse() throws IOException {
        quarter(0, Support.YES);
        CommandRun run = run(sources(
                () -> GpuInventory.unavailable(new Problem("no libcuda.so.1", "install the driver")),
                () -> new AdapterInventory(Optional.empty(), adapters)));
        assertThat(run.status()).isEqualTo(3);
        assertThat(run.out())
                .contains("FAIL     cuda             no libcuda.so.1")
                .contains("GPU0 - mlx5_0: NONE\n      The GPU cannot be used: no libcuda.so.1.")
                .contains("no GPU can be used together with an adapter");
    }

    @Test
    void jsonHasAllPairsAndFollowsItsSchema() throws IOException {
        CommandRun run = quarter(0, Support.YES).quarter(1, Support.NO).run("--json");
        JsonNode document = json(run.out());
        assertThat(document.get("outcome").asText()).isEqualTo("trouble");
        assertThat(document.get("exit_status").asInt()).isEqualTo(run.status()).isEqualTo(1);
        assertThat(document.at("/gpudirect/gpus")).hasSize(2);
        assertThat(document.at("/gpudirect/pairs")).hasSize(4);
        JsonNode far = document.at("/gpudirect/pairs").get(1);
        assertThat(far.get("adapter").asText()).isEqualTo("mlx5_1");
        assertThat(far.get("distance").asText()).isEqualTo("NODE");
        assertThat(far.get("nearest").asBoolean()).isFalse();
        assertThat(far.get("path").asText()).isEqualTo("staged");
        assertThat(far.get("refused").get(1).get("reason").asText()).isEqualTo("PEER_MEMORY_MODULE_ABSENT");
    }

    @Test
    void jsonOfNothingFollowsTheSchemaToo() throws IOException {
        CommandRun run = run("--json");
        assertThat(json(run.out()).get("exit_status").asInt()).isEqualTo(3);
    }

    @Test
    void jsonToAFileLeavesThePage() throws IOException {
        Path file = folder.resolve("check.json");
        CommandRun run = quarter(0, Support.YES).run("--json", file.toString());
        assertThat(run.out()).contains("Result: direct");
        assertThat(json(Files.readString(file)).at("/gpudirect/pairs")).hasSize(1);
    }

    @Test
    void fileThatCannotBeWrittenIsStatusFour() throws IOException {
        CommandRun run = quarter(0, Support.YES)
                .run("--json", folder.resolve("no/such/file").toString());
        assertThat(run.status()).isEqualTo(4);
        assertThat(run.err()).startsWith("doctor: the JSON document could not be written: ");
    }

    @Test
    void helpListsTheStatuses() {
        CommandRun run = CommandRun.of((out, err) -> DoctorCommand.run(List.of("--help"), out, err));
        assertThat(run.status()).isZero();
        assertThat(run.out()).contains("Exit status: 0 ", "--gpu[=<gpu>]", "--json[=<file>]");
    }

    /** Whatever machine this is, without GPU and adapter or with. */
    @Test
    void thisMachineHasAPage() {
        CommandRun run = CommandRun.of((out, err) -> DoctorCommand.run(List.of("--gpu"), out, err));
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isIn(0, 1, 3);
        assertThat(run.out()).startsWith("GPUDirect RDMA on this machine").contains("\nResult: ");
    }

    @Test
    void machineWithAGpuHasTheFindingsOfBoth() throws IOException {
        quarter(0, Support.YES).quarter(1, Support.NO);
        DoctorSources sources = sources(
                () -> new GpuInventory(Optional.empty(), 13000, gpus),
                () -> new AdapterInventory(Optional.empty(), adapters));
        String page = doctor(sources).out();
        assertThat(page)
                .containsPattern("^RDMA on this machine.*\\R\\RResult: ")
                .containsSubsequence(
                        "\nGPUDirect\n",
                        "adapters access GPU memory directly in 2 of 4 pairs",
                        "\nGPUDirect: each GPU\n",
                        "\nPath of registered GPU memory\n  GPU0 - mlx5_0: DMA-BUF\n")
                .containsOnlyOnce(" locked-memory ");
        JsonNode document = json(doctor(sources, "--json").out());
        assertThat(document.at("/gpudirect/pairs/0/path").asText()).isEqualTo("dmabuf");
        assertThat(document.get("findings").findValuesAsText("id"))
                .contains("libibverbs", "gpudirect", "gpu-rdma", "acs");
        assertThat(document.get("findings").findValuesAsText("section"))
                .contains("gpudirect", "gpu", "gpu_adapter", "gpu_pair");
    }

    @Test
    void machineWithoutAGpuHasOneLineAboutGpus() throws IOException {
        DoctorSources sources = sources(
                () -> {
                    throw new AssertionError("CUDA is opened without a GPU");
                },
                () -> new AdapterInventory(Optional.empty(), adapters));
        assertThat(doctor(sources).out().lines().filter(line -> line.contains("GPU")))
                .containsExactly("GPUDirect", "  NOTE     gpudirect        no NVIDIA GPU is on the PCI bus");
        assertThat(json(doctor(sources, "--json").out()).has("gpudirect")).isFalse();
    }

    @Test
    void gpuRefusesASecondMachine() {
        assertUsage("--gpu is about this machine alone", "--peer", "10.0.0.1");
        assertThat(CommandRun.of((out, err) -> DoctorCommand.run(List.of("--all"), out, err))
                        .err())
                .contains("--all is only for --gpu");
    }
}
