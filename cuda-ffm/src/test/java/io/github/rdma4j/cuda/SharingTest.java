// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests memory and events of one process in another one, and a driver's refusals, on the stand-in. */
@ExtendWith(StandInDriver.class)
class SharingTest extends SharingBehaviour {
    @Test
    void deviceWithoutSharedEventsIsReported() {
        StandInDriver.attribute(CudaHeaders.CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED(), 0);
        CudaEvent event = context.createEvent(EventFlag.INTERPROCESS);
        assertThatExceptionOfType(UnsupportedCudaCallException.class)
                .isThrownBy(event::exportHandle)
                .withMessageContaining("IPC_EVENT_SUPPORTED");
        IpcEventHandle handle =
                new IpcEventHandle(new byte[64], 1, context.device().uuid());
        assertThat(IpcEventHandle.fromBytes(handle.toBytes())).isEqualTo(handle).hasSameHashCodeAs(handle);
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> handle.open(context))
                .withMessageStartingWith("cuIpcOpenEventHandle(handle of an event of process 1) failed: ")
                .withMessageContaining("may have freed it or ended");
    }

    /** The other process has a second GPU, which reaches the first one's memory or does not. */
    @Test
    void anotherGpuReachesTheMemoryOrIsNamed() throws Exception {
        DeviceMemory memory = context.allocate(4096);
        memory.fill(0, 4096, (byte) 1);
        byte[] handle = memory.exportHandle().toBytes();
        assertThat(run("devices=2,peers=1", Elsewhere.class, handle)).isEqualTo("opened\n");
        assertThat(run("devices=2,peers=0", Elsewhere.class, handle))
                .contains("cuIpcOpenMemHandle(handle of 4096 bytes")
                .contains("it belongs to the GPU " + context.device().uuid() + ", but the context to CUDA device 1")
                .contains("CudaDevice.canAccessPeer");
        CudaEvent event = context.createEvent(EventFlag.INTERPROCESS);
        assertThat(run("devices=2", EventElsewhere.class, event.exportHandle().toBytes()))
                .contains("cuIpcOpenEventHandle(handle of an event")
                .contains("it belongs to the GPU " + context.device().uuid());
    }

    @Test
    void handleOfEndedProcessIsReported() throws Exception {
        IpcMemoryHandle handle = IpcMemoryHandle.fromBytes(
                HexFormat.of().parseHex(run(Exporter.class, new byte[0]).strip()));
        assertThat(handle.device()).isEqualTo(context.device().uuid());
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> handle.open(context))
                .withMessageContaining("the process that exported it may have freed it or ended");
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> context.allocate(64).exportHandle().open(context))
                .withMessageContaining("this process exported the handle itself")
                .satisfies(e -> assertThat(e.remedy()).isEmpty());
    }

    @Test
    void memoryThatAnotherContextOfThisProcessHasOpened() {
        UUID device = context.device().uuid();
        IpcMemoryHandle handle = new IpcMemoryHandle(new byte[64], 1, device, 0, 64);
        StandInDriver.failAt("cuIpcOpenMemHandle", 1, CudaHeaders.CUDA_ERROR_INVALID_CONTEXT());
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> handle.open(context))
                .withMessageContaining("another context of this process has opened memory of that process and GPU")
                .satisfies(e -> assertThat(e.isContextLost()).isFalse())
                .satisfies(e -> assertThat(e.remedy()).isEmpty());
    }

    @Test
    void deviceWithoutSharedMemoryIsReported() {
        DeviceMemory memory = context.allocate(64);
        StandInDriver.deny("cuIpcGetMemHandle");
        assertThatExceptionOfType(UnsupportedCudaCallException.class)
                .isThrownBy(memory::exportHandle)
                .withMessageContaining("shares no memory with other processes");
    }

    static final class Elsewhere {
        public static void main(String[] arguments) {
            IpcMemoryHandle handle = IpcMemoryHandle.fromBytes(HexFormat.of().parseHex(arguments[0]));
            try (CudaContext context = Cuda.device(1).createContext()) {
                handle.open(context).close();
                System.out.println("opened");
            } catch (CudaException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    static final class EventElsewhere {
        public static void main(String[] arguments) {
            IpcEventHandle handle = IpcEventHandle.fromBytes(HexFormat.of().parseHex(arguments[0]));
            try (CudaContext context = Cuda.device(1).createContext()) {
                handle.open(context).close();
            } catch (CudaException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    static final class Exporter {
        public static void main(String[] arguments) {
            try (CudaContext context = Cuda.device(0).createContext()) {
                byte[] bytes = context.allocate(64).exportHandle().toBytes();
                System.out.println(HexFormat.of().formatHex(bytes));
            }
        }
    }
}
