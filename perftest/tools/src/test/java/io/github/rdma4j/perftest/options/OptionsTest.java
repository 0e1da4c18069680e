// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.CommandRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests every option with good and bad values. A bad value is refused before any device or network is touched. */
class OptionsTest {
    private static RunParameters parse(Tool tool, String arguments) {
        return RunParameters.parse(
                tool,
                arguments.isBlank() ? List.of() : List.of(arguments.strip().split(" +")));
    }

    @Test
    void latencyHasTheDefaultsOfC() {
        RunParameters parameters = parse(Tool.WRITE_LATENCY, "");
        assertThat(parameters.isServer()).isTrue();
        assertThat(parameters.peer().port()).isEqualTo(18515);
        assertThat(parameters.path().device()).isNull();
        assertThat(parameters.path().devicePort()).isEqualTo(1);
        assertThat(parameters.sizes()).containsExactly(2);
        assertThat(parameters.iterations()).isEqualTo(1000);
        assertThat(parameters.transmitDepth()).isEqualTo(1);
        assertThat(parameters.completionModeration()).isEqualTo(1);
        assertThat(parameters.path().queuePairTimeout()).isEqualTo(14);
        assertThat(parameters.path().gidIndex()).isEqualTo(-1);
        assertThat(parameters.queues().inlineSize()).isEqualTo(-1);
        assertThat(parameters.isTimed()).isFalse();
        assertThat(parameters.sends()).isTrue();
        assertThat(parameters.peer().acceptTimeout()).isZero();
        assertThat(parameters.peer().timeout()).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void candidatesOfAnAbbreviationBeginWithTheToolsOptions() {
        assertThatThrownBy(() -> parse(Tool.WRITE_LATENCY, "--use 1"))
                .hasMessage(
                        "Error: '--use' is not unique: it matches '--use_old_post_send', '--use_hugepages', '--use-null-mr',"
                                + " '--use_cuda', '--use_cuda_bus_id', '--use_cuda_dmabuf', '--use_data_direct',"
                                + " '--use_cuda_pcie_mapping', '--use-srq'");
    }

    @Test
    void bandwidthHasTheDefaultsOfC() {
        RunParameters parameters = parse(Tool.WRITE_BANDWIDTH, "host");
        assertThat(parameters.peer().server()).isEqualTo("host");
        assertThat(parameters.sizes()).containsExactly(65536);
        assertThat(parameters.iterations()).isEqualTo(5000);
        assertThat(parameters.transmitDepth()).isEqualTo(128);
        assertThat(parameters.queues().queuePairs()).isEqualTo(1);
        assertThat(parameters.figures().gigabits()).isFalse();
        assertThat(parameters.sends()).isTrue();
        assertThat(parse(Tool.WRITE_BANDWIDTH, "").sends()).isFalse();
        assertThat(parse(Tool.WRITE_BANDWIDTH, "-b").sends()).isTrue();
    }

    @Test
    void allOptionsAreUnderstood() {
        RunParameters parameters = parse(
                Tool.WRITE_BANDWIDTH,
                "-d rxe0 -i 1 -p 4444 -s 4096 -n 100 -x 1 -m 1024 -q 4 -t 64 -I 32 -F -u 18 -S 3 -b -Q 8"
                        + " --report_gbits --timeout 5 --run-timeout=60 --no-warm-up 10.99.0.1");
        assertThat(parameters.path().device()).isEqualTo("rxe0");
        assertThat(parameters.peer().port()).isEqualTo(4444);
        assertThat(parameters.size()).isEqualTo(4096);
        assertThat(parameters.iterations()).isEqualTo(100);
        assertThat(parameters.path().gidIndex()).isEqualTo(1);
        assertThat(parameters.path().mtu()).isEqualTo(1024);
        assertThat(parameters.queues().queuePairs()).isEqualTo(4);
        assertThat(parameters.transmitDepth()).isEqualTo(64);
        assertThat(parameters.queues().inlineSize()).isEqualTo(32);
        assertThat(parameters.path().queuePairTimeout()).isEqualTo(18);
        assertThat(parameters.path().serviceLevel()).isEqualTo(3);
        assertThat(parameters.workload().bidirectional()).isTrue();
        assertThat(parameters.completionModeration()).isEqualTo(8);
        assertThat(parameters.figures().gigabits()).isTrue();
        assertThat(parameters.peer().timeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(parameters.peer().acceptTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(parameters.runTimeout()).isEqualTo(Duration.ofSeconds(60));
        assertThat(parameters.workload().warmUp()).isFalse();
        assertThat(parameters.peer().server()).isEqualTo("10.99.0.1");
    }

    @ParameterizedTest
    @CsvSource({
        "-s 64K, 65536",
        "-s 1M, 1048576",
        "-s 0x10, 16",
        "--size=8, 8",
        "--siz 8, 8",
        "-s8, 8",
        "-s 4 -s 8, 8",
        "-s 0X1f, 31",
        "-s 010, 8",
        "-s 010K, 8192",
        "-s +8, 8",
        "'-s\t8', 8"
    })
    void sizeCanBeWrittenInManyWays(String arguments, long bytes) {
        assertThat(parse(Tool.WRITE_LATENCY, arguments).size()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @EnumSource(names = {"ATOMIC_LATENCY", "ATOMIC_BANDWIDTH"})
    void atomicsTakeTheSizeThatTheyHaveInAnyCase(Tool tool) {
        RunParameters parameters = parse(tool, "-s 8");
        assertThat(parameters.sizes()).containsExactly(8);
        assertThat(parameters.adjustments()).isEmpty();
    }

    @Test
    void allSizesGoFromTwoToEightMebibytes() {
        assertThat(parse(Tool.WRITE_LATENCY, "-a").sizes())
                .hasSize(23)
                .startsWith(2, 4, 8)
                .endsWith(1 << 22, 1 << 23);
    }

    @Test
    void timedRunHasMarginsOfAQuarter() {
        RunParameters parameters = parse(Tool.WRITE_LATENCY, "-D 2");
        assertThat(parameters.isTimed()).isTrue();
        assertThat(parameters.workload().margin()).isEqualTo(Duration.ofMillis(500));
        assertThat(parse(Tool.WRITE_LATENCY, "-D 10 -f 1").workload().margin()).isEqualTo(Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @CsvSource({
        "'', 1", // 65536 bytes are above the limit for sharing completions
        "-s 8192, 100",
        "-s 8193, 1",
        "-a, 100",
        "-s 64 -n 50, 50", // the depth is not larger than the number of messages, the groups not larger than the depth
        "-s 64 -t 16, 16",
        "-s 64 -Q 7, 7",
        "-s 65536 -Q 7, 7",
    })
    void completionsAreSharedAsByC(String arguments, int moderation) {
        assertThat(parse(Tool.WRITE_BANDWIDTH, arguments).completionModeration())
                .isEqualTo(moderation);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-n 4              | -n/--iters: 4 is out of range; allowed is 5 to 2000000000",
                "-n 0              | -n/--iters: 0 is out of range; allowed is 5 to 2000000000",
                "-n 2000000001     | -n/--iters: 2000000001 is out of range; allowed is 5 to 2000000000",
                "-n many           | -n/--iters: 'many' is not a whole number; allowed is 5 to 2000000000",
                "-n 4294967301     | -n/--iters: 4294967301 is out of range",
                "-D 0              | -D/--duration: 0 is out of range; allowed is 1 to 1000000",
                "-D 2s             | -D/--duration: '2s' is not a whole number; allowed is 1 to 1000000",
                "-p 0              | -p/--port: 0 is out of range; allowed is 1 to 65535",
                "-p 65536          | -p/--port: 65536 is out of range; allowed is 1 to 65535",
                "-i 0              | -i/--ib-port: 0 is out of range; allowed is 1 to 255",
                "-x -1             | -x/--gid-index: -1 is out of range; allowed is 0 to 255",
                "-m 1000           | -m/--mtu: 1000 is out of range; allowed is 256, 512, 1024, 2048 or 4096",
                "-m 8192           | -m/--mtu: 8192 is out of range; allowed is 256, 512, 1024, 2048 or 4096",
                "-m 0              | -m/--mtu: 0 is out of range; allowed is 256, 512, 1024, 2048 or 4096",
                "-t 0              | -t/--tx-depth: 0 is out of range; allowed is 1 to 15000",
                "-t 15001          | -t/--tx-depth: 15001 is out of range; allowed is 1 to 15000",
                "-I 1025           | -I/--inline_size: 1025 is out of range; allowed is 0 to 1024",
                "-I -5             | -I/--inline_size: -5 is out of range; allowed is 0 to 1024",
                "-u 32             | -u/--qp-timeout: 32 is out of range; allowed is 1 to 31",
                "-S 16             | -S/--sl: 16 is out of range; allowed is 0 to 15",
                "--timeout 0       | --timeout: 0 is out of range; allowed is 1 to 86400",
                "--run-timeout -1  | --run-timeout: -1 is out of range; allowed is 0 to 1000000",
                "-D 4 -f 2         | -f/--margin: 2 s at both ends leave nothing of -D/--duration 4 s to measure",
                "a b               | 'b' is one argument too many",
                "--use_rocm=0      | option '--use_rocm=0' of the C tools is refused: only the memory of NVIDIA GPUs is",
                "--flow_label=1,x  | Invalid value for option '--flow_label': 'x' is no flow label; allowed are numbers of",
                "--flow_label=1,   | Invalid value for option '--flow_label': '' is no flow label",
                "--flow_label=0x100000 | Invalid value for option '--flow_label': '0x100000' is no flow label",
                "--flow_label=-1   | Invalid value for option '--flow_label': '-1' is no flow label",
                "--force-link=IP   | Invalid value for option '--force-link': 'IP' is no link layer; allowed is IB or",
                "--cqe_poll=0      | --cqe_poll: 0 is out of range; allowed is 1 to 65535",
                "--cqe_poll=65536  | --cqe_poll: 65536 is out of range; allowed is 1 to 65535",
                "--dualport        | option '--dualport' of the C tools is refused: a test uses one port",
                "--frobnicate      | unknown option '--frobnicate'",
                "-%                | unknown option '-%'",
                "--out_json_file=/no/such/folder/x | --out_json_file: /no/such/folder/x cannot be written",
                "--out_json_file=x --out_csv=./x | --out_csv: ./x is also the file of --out_json_file",
            })
    void contradictionsOfAnyToolAreRefused(String arguments, String message) {
        for (Tool tool : Tool.values()) {
            assertRefused(tool, arguments, message);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-s 0              | -s/--size: 0 is out of range; allowed is 1 to 2147483648",
                "-s -1             | -s/--size: -1 is out of range; allowed is 1 to 2147483648",
                "-s 2049M          | -s/--size: 2049M is out of range; allowed is 1 to 2147483648",
                "-s two            | -s/--size: 'two' is not a whole number; allowed is 1 to 2147483648",
                "-s 1.5            | -s/--size: '1.5' is not a whole number; allowed is 1 to 2147483648",
                "-s 8G             | -s/--size: '8G' is not a whole number",
                "-s K              | -s/--size: 'K' is not a whole number",
                "-s 99999999999999999999 | -s/--size: 99999999999999999999 is out of range",
                "-s 08             | -s/--size: '08' is not a whole number",
                "-s 0x             | -s/--size: '0x' is not a whole number",
                "-s --8            | -s/--size: '--8' is not a whole number",
                "-s 0x-8           | -s/--size: '0x-8' is not a whole number",
                "-s -0x8           | -s/--size: -0x8 is out of range",
                "-n -99999999999999999999 | -n/--iters: -99999999999999999999 is out of range",
                "-s 9007199254740993K | -s/--size: 9007199254740993K is out of range",
                "-D 2 -a           | -D/--duration runs one size: leave out -a/--all",
                "-s                | Missing required parameter for option '--size' (<size>)",
            })
    void contradictionsOfAMessageSizeAreRefused(String arguments, String message) {
        for (Tool tool : Tool.values()) {
            if (tool.verb() != Verb.ATOMIC) {
                assertRefused(tool, arguments, message);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-s 64                       | -s/--size is for all tools except the atomic tools",
                "-a                          | -a/--all is for all tools except the atomic tools",
                "-A SWAP                     | Invalid value for option '--atomic_type': expected one of"
                        + " [CMP_AND_SWAP, FETCH_AND_ADD]",
                "-o 0                        | -o/--outs: 0 is out of range; allowed is 1 to 255",
                "-I 8                        | -I/--inline_size is for the write and send tools",
                "--rate_limit=1              | --rate_limit is for the write and read tools",
            })
    void contradictionsOfAtomicToolsAreRefused(String arguments, String message) {
        assertRefused(Tool.ATOMIC_BANDWIDTH, arguments, message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-q 2           | -q/--qp is for the bandwidth tools",
                "-b             | -b/--bidirectional is for the bandwidth tools",
            })
    void contradictionsOfLatencyToolsAreRefused(String arguments, String message) {
        assertRefused(Tool.WRITE_LATENCY, arguments, message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-q 0         | -q/--qp: 0 is out of range; allowed is 1 to 16384",
                "-Q 0         | -Q/--cq-mod: 0 is out of range; allowed is 1 to 1024",
                "-q 16385     | -q/--qp: 16385 is out of range; allowed is 1 to 16384",
                "-o 1         | -o/--outs is for the read and atomic tools",
                "-e           | -e/--events is for all tools except the write tools",
                "-l 257       | -l/--post_list: 257 is out of range; allowed is 1 to 256",
                "-l 8 -Q 3    | -l/--post_list: 8 is not allowed; a multiple of 3, the messages per completion",
                "-l 8 -n 100  | -n/--iters: 100 is not allowed; a multiple of 8, the messages of a list",
                "-D 4 --rate_limit=0 | --rate_limit: 0.0 is out of range; allowed is above 0",
                "--rate_limit=1 --rate_units=x | --rate_units: 'x' is no unit; allowed is M, g or p",
                "--rate_limit=1 --rate_limit_type=HW | --rate_limit_type: HW is the static rate of InfiniBand paths",
                "--rate_limit=1 --rate_limit_type=PP | --rate_limit_type: PP is the packet pacing of raw Ethernet",
                "--burst_size=4 | --rate_limit_type and --burst_size are for a limited rate",
                "--rate_limit=1 -l 8 --burst_size=12 | --burst_size: 12 is not allowed; a multiple of 8",
                "--run_infinitely -a | --run_infinitely runs one size: leave out -a/--all",
                "--run_infinitely -b | --run_infinitely and -b/--bidirectional exclude each other",
                "--write_with_imm --unsolicited_write | --unsolicited_write is only for SRD: give -c SRD",
                "-c SRD --unsolicited_write | --unsolicited_write is only for writes with immediate data",
                "--write_with_imm --rate_limit=1 | --write_with_imm: not with --rate_limit",
                "--write_with_imm --perform_warm_up | --write_with_imm completes at the peer for each message",
                "--tclass=256 | --tclass: 256 is out of range; allowed is 0 to 255",
                "-L 256 | -L/--hop_limit: 256 is out of range; allowed is 0 to 255",
                "--latency_gap=5 | --latency_gap is for the latency tools",
                "--send_with_imm | --send_with_imm is for the send tools",
                "-C              | -C/--report-cycles is for the latency tools",
                "--dlid=0     | --dlid: 0 is out of range; allowed is 1 to 65535",
            })
    void contradictionsOfBandwidthToolsAreRefused(String arguments, String message) {
        assertRefused(Tool.WRITE_BANDWIDTH, arguments, message);
    }

    private static void assertRefused(Tool tool, String arguments, String message) {
        CommandRun run = CommandRun.of(tool, arguments);
        assertThat(run.status()).as(run.toString()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines()).hasSize(2).first().asString().startsWith(tool.command() + ": " + message);
        assertThat(run.err()).endsWith("Try 'rdma4j " + tool.command() + " --help'." + System.lineSeparator());
    }

    @ParameterizedTest
    @EnumSource(names = {"WRITE_LATENCY", "WRITE_BANDWIDTH"})
    void helpAndVersionSucceed(Tool tool) {
        for (String option : new String[] {"-h", "--help"}) {
            CommandRun help = CommandRun.of(tool, option);
            assertThat(help.status()).isZero();
            assertThat(help.out())
                    .startsWith("Usage:")
                    .contains(
                            tool.command() + " <host>", "-s, --size=<size>", "-V, --version", "--out_json_file=<file>");
            assertThat(help.out().contains("--bidirectional")).isEqualTo(tool == Tool.WRITE_BANDWIDTH);
        }
        for (String option : new String[] {"-V", "--version"}) {
            CommandRun version = CommandRun.of(tool, option);
            assertThat(version.status()).isZero();
            assertThat(version.out()).startsWith("Version: 6.24 (rdma4j ");
        }
    }

    @Test
    void jsonFileThatCanBeWrittenIsAccepted(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("out.json");
        assertThat(parse(Tool.WRITE_LATENCY, "--out_json_file=" + file)
                        .figures()
                        .jsonFile())
                .isEqualTo(file);
        assertThat(Files.exists(file)).isFalse();
        assertThat(parse(Tool.WRITE_LATENCY, "--out_json").figures().jsonFile())
                .isEqualTo(Path.of("perftest_out.json"));
        assertThat(parse(Tool.WRITE_LATENCY, "").figures().jsonFile()).isNull();
    }
}
