// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.time.Duration;

/**
 * Launches a kernel that writes to address 0, and prints how the library reports it: step 10 of scripts/evidence gpu.
 * The context is lost, so the process does nothing else. On the stand-in, whose kernels do not fault, the setting
 * {@code fault=cuLaunchKernel:1:700} plays it.
 */
final class EvidenceLostContext {
    private static final int ELEMENTS = 256;

    private EvidenceLostContext() {}

    public static void main(String[] arguments) {
        CudaContext context = Cuda.device(0).createContext();
        CudaStream stream = context.createStream();
        CudaKernel increment = context.loadModule(Kernels.ptx()).kernel("increment");
        DeviceMemory memory = context.allocate(4L * ELEMENTS);
        KernelArguments wrong = KernelArguments.of(2).setLong(0, 0).setInt(1, ELEMENTS);
        if ("stand-in".equals(arguments.length > 0 ? arguments[0] : "")) {
            wrong.setPointer(0, memory);
        }
        stream.launch(increment, 1, ELEMENTS, wrong);
        boolean reported = isLost("the wait for the kernel", () -> stream.await(Duration.ofSeconds(20)));
        boolean stays = isLost("an allocation after it", () -> context.allocate(64));
        // The context is not closed: what its memory's owner would call can only fail, and the process ends here.
        System.exit(reported && stays ? 0 : 1);
    }

    private static boolean isLost(String what, Runnable call) {
        try {
            call.run();
        } catch (CudaException e) {
            System.out.printf(
                    "%s: %s of %s, isContextLost %b, remedy: %s%n",
                    what, e.resultName(), e.call(), e.isContextLost(), e.remedy());
            return e.isContextLost() && !e.remedy().isBlank();
        }
        System.out.println(what + ": nothing was thrown");
        return false;
    }
}
