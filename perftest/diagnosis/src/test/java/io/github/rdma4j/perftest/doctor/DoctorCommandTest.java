// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.github.rdma4j.perftest.CommandRun;
import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.check.Names;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DoctorCommandTest {
    @TempDir
    private Path folder;

    private static CommandRun run(RecordedHost host, String... arguments) {
        return CommandRun.of((out, err) -> DoctorCommand.run(List.of(arguments), host.sources(), out, err));
    }

    private CommandRun run(String machine, String... arguments) {
        return run(RecordedHost.of(machine, folder.resolve("machine")), arguments);
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
    void healthyMachineIsStatusZero() {
        CommandRun run = run("mlx5-roce");
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        assertThat(run.out())
                .startsWith("RDMA on this machine, checked by rdma4j ")
                .contains("\n\nResult: RDMA can be used: mlx5_0/1.\n\nLibraries\n")
                .contains("  ok       port             mlx5_0/1: ACTIVE")
                .contains("  UNKNOWN  flow-control     mlx5_0/1: nobody was asked")
                .doesNotContain("FAIL", "WARNING");
        assertThat(run.out().lines()).allMatch(line -> line.length() <= 120);
    }

    @Test
    void troubleIsStatusOneAndComesFirst() {
        CommandRun run = run(RecordedHost.bothPortsOfIrdma(folder.resolve("machine")));
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out())
                .contains("Result: RDMA can be used (irdma0/1), but something is slow or broken:\n"
                        + "  1. interface of irdma1/1: ens2f1 is switched off, MTU 1500\n"
                        + "     -> ip link set ens2f1 up\n"
                        + "  2. port of irdma1/1: DOWN, Disabled, Ethernet, 100 Gb/sec (4X EDR)\n"
                        + "     -> ip link set ens2f1 up; if it is already up, check cable and switch; the link's state:"
                        + " ethtool ens2f1\n")
                .contains("                              Source: /sys/class/infiniband/irdma1/ports/1.\n");
    }

    /** A remedy that differs only in names stands once, or the page of a machine with many ports would be long. */
    @Test
    void portsWithTheSameFindingShareItsText() {
        assertThat(run("bluefield2-switchdev").out())
                .contains(
                        "  NOTE     mtu              mlx5_2/1, mlx5_3/1: 1024 of 4096 bytes\n",
                        "Remedy for mlx5_2/1, likewise for the others: ip link set enp3s0f0s0 mtu 4200")
                .doesNotContain("ip link set enp3s0f1s0");
        assertThat(run("multiplane-roce").out())
                .contains("mlx5_0/1, mlx5_0/2, mlx5_0/4, mlx5_0/5, mlx5_0/7, mlx5_0/8, mlx5_0/10, mlx5_0/11: DOWN");
    }

    @Test
    void namesWithConsecutiveNumbersBecomeARange() {
        assertThat(Names.list(List.of("mlx5_0/1", "mlx5_1/1", "mlx5_2/1", "mlx5_bond_0/1", "mlx5_9/1", "mlx5_10/1")))
                .isEqualTo("mlx5_0/1 to mlx5_2/1, mlx5_bond_0/1, mlx5_9/1, mlx5_10/1");
        assertThat(Names.list(List.of("hbl_0/2", "hbl_0/1", "hbl_0/2", "hbl_0/3", "hbl_1/3", "hbl_1/4")))
                .isEqualTo("hbl_0/2, hbl_0/1 to hbl_0/3, hbl_1/3, hbl_1/4");
        assertThat(Names.list(List.of())).isEmpty();
    }

    @Test
    void nothingToUseIsStatusThree() {
        CommandRun run = run("module-missing");
        assertThat(run.status()).isEqualTo(3);
        assertThat(run.out())
                .contains("Result: RDMA cannot be used. Fix, in this order:\n  1. rdma-devices: ")
                .contains("     -> modprobe mlx5_ib; if that fails, dmesg shows why\n");
    }

    @Test
    void manyTroublesAreNotAllAtTheTop() {
        CommandRun run = run(RecordedHost.of("pod-without-gids", folder.resolve("machine"))
                .noConnectionManager("no such file", "install it")
                .forbidding("dev/infiniband/uverbs0")
                .with("proc/self/limits: Max locked memory 65536 65536")
                .with("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor: powersave"));
        assertThat(run.status()).isEqualTo(3);
        assertThat(run.out())
                .contains("  1. librdmacm: no such file\n     -> install it\n  2. uverbs: this user may not")
                .contains("  5. locked-memory: RLIMIT_MEMLOCK is 64 KiB\n")
                .contains("  and 1 more, marked WARNING or FAIL below\n");
    }

    /** The page does not list a broken port as usable. */
    @Test
    void limitThatForbidsEverythingIsStatusThree() throws IOException {
        String limit = "proc/self/limits: Max locked memory 65536 65536";
        CommandRun run =
                run(RecordedHost.of("mlx5-roce", folder.resolve("machine")).with(limit));
        assertThat(run.status()).isEqualTo(3);
        assertThat(run.out())
                .contains("Result: RDMA cannot be used. Fix, in this order:\n  1. locked-memory: RLIMIT_MEMLOCK");
        CommandRun document =
                run(RecordedHost.of("mlx5-roce", folder.resolve("again")).with(limit), "--json");
        assertThat(json(document.out()).get("ports"))
                .isNotEmpty()
                .allSatisfy(port -> assertThat(port.get("usable").asBoolean()).isFalse());
    }

    @Test
    void equalFindingsOfPortsArePrintedOnce() {
        assertThat(run("mlx4-infiniband").out())
                .contains(
                        "ok       port             mlx4_0/1, mlx4_0/2: ACTIVE, LinkUp, InfiniBand, 56 Gb/sec (4X FDR)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bnxt",
                "efa",
                "h100-infiniband",
                "hns",
                "i40iw",
                "irdma",
                "mlx4-infiniband",
                "mlx5-roce",
                "module-missing",
                "narrow-link",
                "pod-without-gids",
                "rxe",
                "siw"
            })
    void documentsFollowTheirSchema(String machine) throws IOException {
        CommandRun run = run(machine, "--json");
        JsonNode document = json(run.out());
        assertThat(document.get("exit_status").asInt()).isEqualTo(run.status());
        assertThat(document.get("outcome").asText())
                .isEqualTo(List.of("ok", "trouble", "", "broken").get(run.status()));
        assertThat(run(machine).out().lines()).allMatch(line -> line.length() <= 120);
    }

    @Test
    void schemaNamesEachFinding() throws IOException {
        JsonNode names = new ObjectMapper()
                .readTree(Files.readString(Path.of("../../docs/doctor.schema.json")))
                .at("/properties/findings/items/properties/id/enum");
        List<String> listed = new ArrayList<>();
        names.forEach(name -> listed.add(name.asText()));
        assertThat(listed)
                .isEqualTo(Arrays.stream(Check.values()).map(Check::key).toList());
    }

    @Test
    void jsonHasTheUsablePorts() throws IOException {
        JsonNode document = json(run("irdma", "--json").out());
        assertThat(document.at("/ports/0/device").asText()).isEqualTo("irdma0");
        assertThat(document.at("/ports/0/interface").asText()).isEqualTo("ens2f0");
        assertThat(document.at("/ports/0/usable").asBoolean()).isTrue();
        assertThat(document.at("/ports/1/usable").asBoolean()).isFalse();
        assertThat(document.at("/findings/0/source").asText()).contains("libibverbs.so.1");
        assertThat(document.at("/findings/0/subject").isNull()).isTrue();
    }

    @Test
    void jsonToAFileLeavesThePage() throws IOException {
        Path file = folder.resolve("doctor.json");
        CommandRun run = run("rxe", "--json", file.toString());
        assertThat(run.status()).isZero();
        assertThat(run.out()).contains("Result: RDMA can be used: rxe0/1.");
        assertThat(json(Files.readString(file)).get("ports")).hasSize(1);
    }

    @Test
    void fileThatCannotBeWrittenIsStatusFour() {
        CommandRun run = run("rxe", "--json", folder.resolve("no/such/file").toString());
        assertThat(run.status()).isEqualTo(4);
        assertThat(run.err()).startsWith("doctor: the JSON document could not be written: ");
    }

    @Test
    void wrongCommandLineIsStatusTwo() {
        for (String wrong : List.of("extra", "--sideways")) {
            CommandRun run = run("rxe", wrong);
            assertThat(run.status()).isEqualTo(2);
            assertThat(run.out()).isEmpty();
            assertThat(run.err()).startsWith("doctor: ").contains(wrong).contains("rdma4j doctor --help");
        }
    }

    /** Each combination that makes no sense, with a word of what is wrong. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --serve --peer beta                 | the two ends
                    --peer beta --port 7                | HOST:PORT
                    --port 7                            | --serve
                    --serve --load 3                    | --peer
                    --load 3                            | --peer
                    --device rxe0                       | --serve or --peer
                    --gid-index 1                       | --serve or --peer
                    --timeout 3                         | --serve or --peer
                    --serve --port 65536                | 65536
                    --serve --timeout 0                 | --timeout
                    --peer beta --timeout 3601          | 3601
                    --peer beta --load 601              | 601
                    --peer beta --load 30 --timeout 30  | do not fit
                    --peer beta --gid-index 256         | 256
                    --peer beta --gid-index -1          | -1
                    --peer beta:x                       | beta:x
                    --peer                              | --peer
                    --serve --port x                    | --port
                    """)
    void optionsOfTwoMachinesThatMakeNoSense(String arguments, String why) {
        CommandRun run = run("rxe", arguments.split(" "));
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("doctor: ").contains(why);
    }

    @Test
    void peerThatIsNotThereIsStatusThree() throws IOException {
        int free;
        try (ServerSocket socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }
        CommandRun run = run("rxe", "--peer", "127.0.0.1:" + free);
        assertThat(run.status()).isEqualTo(3);
        assertThat(run.out())
                .startsWith("RDMA between this machine and 127.0.0.1:" + free + ", checked by rdma4j ")
                .contains(
                        "Result: RDMA does not work between the two machines. Fix, in this order:\n  1. peer-tcp of ");
        JsonNode document =
                json(run("rxe", "--json", "--peer", "127.0.0.1:" + free).out());
        assertThat(document.at("/outcome").asText()).isEqualTo("broken");
        assertThat(document.at("/peer/role").asText()).isEqualTo("client");
        assertThat(document.at("/peer/there").isNull()).isTrue();
        assertThat(document.at("/peer/here/ports/0/gid_index").asInt()).isEqualTo(1);
        assertThat(document.at("/findings/0/id").asText()).isEqualTo("peer-tcp");
    }

    @Test
    void missingPeerIsStatusThree() throws IOException {
        CommandRun run = run("rxe", "--serve", "--port", "0", "--timeout", "1", "--json");
        assertThat(run.status()).isEqualTo(3);
        assertThat(run.err())
                .startsWith("doctor: waiting on TCP port ")
                .contains(" for at most 1 s. On the other machine, run: rdma4j doctor --peer 10.99.0.1:");
        JsonNode document = json(run.out());
        assertThat(document.at("/peer/role").asText()).isEqualTo("server");
        assertThat(document.at("/peer/address").isNull()).isTrue();
    }

    @Test
    void helpListsTheStatuses() {
        CommandRun run = CommandRun.of((out, err) -> DoctorCommand.run(List.of("--help"), out, err));
        assertThat(run.status()).isZero();
        assertThat(run.out())
                .contains(
                        "Exit status: 0 ",
                        "--json[=<file>]",
                        "--serve",
                        "--peer=<host[:port]>",
                        "--load=",
                        "--timeout=");
    }

    /** Whatever machine this is, with RDMA or without. */
    @Test
    void thisMachineHasAPage() {
        CommandRun run = CommandRun.of((out, err) -> DoctorCommand.run(List.of(), out, err));
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isIn(0, 1, 3);
        assertThat(run.out()).contains("\nResult: RDMA can", "\nLimits\n");
    }

    @Test
    void manualHasARowForEachFinding() throws IOException {
        Set<String> rows = Files.readString(Path.of("../../docs/findings.md"))
                .lines()
                .filter(line -> line.matches("\\| `[a-z0-9-]+` \\|.*"))
                .map(line -> line.split("\\|")[1].strip() + line.split("\\|")[2].stripTrailing())
                .collect(Collectors.toSet());
        Set<String> expected = Arrays.stream(Check.values())
                .map(check -> "`" + check.key() + "`"
                        + check.states().stream()
                                .sorted()
                                .map(state -> " " + state)
                                .collect(Collectors.joining()))
                .collect(Collectors.toSet());
        assertThat(rows).isEqualTo(expected);
    }
}
