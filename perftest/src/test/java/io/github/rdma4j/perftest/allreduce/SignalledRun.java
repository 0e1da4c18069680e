// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.gpudirect.nccl.StandInNccl;
import io.github.rdma4j.perftest.Main;
import io.github.rdma4j.perftest.doctor.nccl.Choices;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** A process that measures, and sends itself a signal in the middle of its second size. */
final class SignalledRun {
    private static final int ROUNDS = 100;
    /** Of the first size, out of place and in place. */
    private static final int CALLS_OF_A_SIZE = 2 * ROUNDS;

    private SignalledRun() {}

    /** The signal's name, and the file of the document. The second size takes far longer than a signal. */
    public static void main(String[] arguments) {
        StandInDriver.use();
        StandInNccl.use();
        Thread.ofPlatform().daemon().start(() -> signalInTheSecondSize(arguments[0]));
        String commandLine =
                "--no-warm-up -b 8 -e 256M -i 268435448 -w 0 -c 0 -n %d --json %s".formatted(ROUNDS, arguments[1]);
        System.exit(AllReduceCommand.run(
                List.of(commandLine.split(" ")), Main.class, Choices::ofThisMachine, System.out, System.err));
    }

    private static void signalInTheSecondSize(String signal) {
        try {
            while (StandInNccl.calls("ncclAllReduce") <= CALLS_OF_A_SIZE) {
                Thread.sleep(1);
            }
            new ProcessBuilder(
                            "kill", "-" + signal, "" + ProcessHandle.current().pid())
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException _) {
            // It ends with the process.
        }
    }
}
