// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.pool.PooledMemory;
import io.github.rdma4j.verbs.pool.RegisteredMemoryPool;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests the exception for a limit on locked memory that is too low. The limit belongs to the process and does not bind
 * root, so the registration runs in a second JVM without that privilege. Taking the privilege away requires that this
 * test runs as root.
 */
@Tag("device")
class LockedMemoryDeviceTest {
    private static final int LIMIT = 65_536;

    private static String registerWith(int limit) throws Exception {
        List<String> command = new ArrayList<>(
                List.of("setpriv", "--bounding-set=-ipc_lock", "prlimit", "--memlock=" + limit + ":" + limit));
        command.addAll(ChildJvm.command(Registration.class.getName(), List.of()));
        return String.join("\n", ChildJvm.run(command));
    }

    @Test
    void zeroLimitIsNamedWhenTheKernelReportsEperm() throws Exception {
        assertThat(registerWith(0))
                .contains("EPERM")
                .contains("RLIMIT_MEMLOCK is 0 bytes")
                .contains("Raise the limit: 'ulimit -l unlimited'");
    }

    @Test
    void messageNamesTheLimitAndTheRemedy() throws Exception {
        assertThat(registerWith(LIMIT))
                .contains("ENOMEM")
                .contains("length=1048576")
                .contains("RLIMIT_MEMLOCK is " + LIMIT + " bytes")
                .contains("Raise the limit: 'ulimit -l unlimited'")
                .contains("allocating 4096 bytes from a memory pool failed: ENOMEM")
                .contains("0 bytes are in use in 0 allocations (peak 0), 0 are registered")
                .contains("the kernel refused to register more: ibv_reg_mr(")
                .contains("the one who waited got 4096 bytes")
                .contains("what lay idle made room for 4096 bytes");
    }

    /** Registers more than the limit, as a region and as a pool, and prints the results. */
    static final class Registration {
        public static void main(String[] arguments) {
            try (DeviceContext context = TestDevice.open();
                    Arena arena = Arena.ofConfined()) {
                ProtectionDomain domain = context.allocateProtectionDomain();
                print(() -> domain.registerMemory(arena.allocate(1 << 20)));
                try (RegisteredMemoryPool pool = RegisteredMemoryPool.create(domain, config -> {})) {
                    print(() -> pool.allocate(4096));
                }
                print(() -> whoWaitsGetsAPartOfWhatAnotherRegisters(domain));
                print(() -> whatLiesIdleMakesRoom(domain));
            }
        }

        /** Sleeping until its own time is over, it would not be back when this gives up. */
        private static String whoWaitsGetsAPartOfWhatAnotherRegisters(ProtectionDomain domain) {
            int chunk = LIMIT / 2;
            try (MemoryRegion inTheWay = domain.allocateMemory(LIMIT - LIMIT / 4);
                    RegisteredMemoryPool pool = RegisteredMemoryPool.create(
                            domain, config -> config.chunkSize(chunk).waitWhenExhausted(Duration.ofMinutes(10)))) {
                FutureTask<Long> waiting = new FutureTask<>(() -> {
                    try (PooledMemory memory = pool.allocate(4096)) {
                        return memory.size();
                    }
                });
                Thread.ofPlatform().daemon().start(waiting);
                while (pool.statistics().waits() == 0) {
                    Thread.onSpinWait();
                }
                inTheWay.close();
                pool.reserve(chunk);
                return "the one who waited got " + waiting.get(100, TimeUnit.SECONDS) + " bytes";
            } catch (InterruptedException | ExecutionException | TimeoutException e) {
                return "the one who waited got " + e;
            }
        }

        private static String whatLiesIdleMakesRoom(ProtectionDomain domain) {
            try (MemoryRegion inTheWay = domain.allocateMemory(LIMIT / 4);
                    RegisteredMemoryPool pool =
                            RegisteredMemoryPool.create(domain, config -> config.chunkSize(LIMIT / 2))) {
                pool.allocate(LIMIT / 4 * 3).close();
                try (PooledMemory memory = pool.allocate(4096)) {
                    return "what lay idle made room for " + memory.size() + " bytes";
                }
            }
        }

        private static void print(Supplier<?> call) {
            try {
                System.out.println(call.get());
            } catch (VerbsException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
