// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.verbs.Faults;
import io.github.rdma4j.verbs.FaultyClasses;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Throws a {@link StackOverflowError} at each method that a channel's progress enters. Afterwards the transfer is done,
 * or it has failed and names the error.
 */
@Tag("device")
@ExtendWith(StandInDriver.class)
@Timeout(300)
class ChannelErrorsDeviceTest {
    @TempDir
    private Path folder;

    @Test
    void errorInProgressDoesNotKeepATransferUnderWay() throws Exception {
        Method sweep = new FaultyClasses(Trials.class)
                .loadClass(Trials.class.getName())
                .getDeclaredMethod("sweep", Path.class);
        sweep.setAccessible(true);
        assertThat((List<?>) sweep.invoke(null, folder)).isEmpty();
    }

    /** For the class loader above. */
    static final class Trials {
        private static final int LENGTH = 20_000;
        private static final Duration PATIENCE = Duration.ofSeconds(5);

        private Trials() {}

        static List<String> sweep(Path folder) {
            List<String> wrong = new ArrayList<>();
            try (GpuSide left = side(folder);
                    GpuSide right = side(folder)) {
                // All classes are there afterwards.
                trial(left, right, Integer.MAX_VALUE, wrong);
                for (int n = 1; trial(left, right, n, wrong) && wrong.size() < 3; n++) {}
            }
            return wrong;
        }

        private static GpuSide side(Path folder) {
            return new GpuSide(GpuSide.Where.HOST, folder, config -> config.chunkSize(4096)).allocate(LENGTH);
        }

        /** Returns whether the place was reached. */
        private static boolean trial(GpuSide left, GpuSide right, int place, List<String> wrong) {
            GpuSide.connect(left, right);
            Transfer write = left.write(0, LENGTH, right.host.remoteMemory());
            left.channel.progress();
            Throwable thrown = null;
            Error fault;
            Faults.arm(Faults.Kind.ENTRY, place);
            try {
                left.channel.progress();
            } catch (Throwable e) {
                thrown = e;
            } finally {
                fault = Faults.disarm();
            }
            long start = System.nanoTime();
            while (!write.isEnded() && System.nanoTime() - start < PATIENCE.toNanos()) {
                left.channel.progress();
            }
            boolean named = write.failure().isEmpty()
                    || left.channel.failure().toString().contains("of this test");
            if (!write.isEnded() || !named || thrown != fault) {
                wrong.add("%s: thrown %s, the channel's failure %s; %s"
                        .formatted(write, thrown, left.channel.failure(), place(fault)));
            }
            left.channel.close();
            right.channel.close();
            return fault != null;
        }

        private static String place(Error fault) {
            return fault == null
                    ? ""
                    : Arrays.stream(fault.getStackTrace()).limit(9).toList().toString();
        }
    }
}
