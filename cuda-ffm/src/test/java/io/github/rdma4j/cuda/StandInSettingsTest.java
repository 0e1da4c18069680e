// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static io.github.rdma4j.cuda.bindings.CudaHeaders.*;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the stand-in itself: the simulated machine and the calls that are set to fail. */
@ExtendWith(StandInDriver.class)
@Timeout(600)
class StandInSettingsTest {
    private final RawDriver cuda = new RawDriver();

    @BeforeEach
    void start() {
        cuda.ok("cuInit_v2000", 0);
    }

    @AfterEach
    void stop() {
        StandInDriver.reset();
        cuda.ok("cuCtxSetCurrent_v4000", 0);
        cuda.close();
    }

    private int attribute(int attribute, int device) {
        cuda.ok("cuDeviceGetAttribute_v2000", cuda.out(), attribute, device);
        return cuda.intOut();
    }

    @Test
    void devicesAreAsManyAndAsTheyAreSet() {
        StandInDriver.devices(3);
        StandInDriver.pciAddress(2, "0001:af:02.0");
        StandInDriver.capability(80);
        StandInDriver.attribute(CU_DEVICE_ATTRIBUTE_INTEGRATED(), 1);
        StandInDriver.attribute(1, CU_DEVICE_ATTRIBUTE_INTEGRATED(), 0);
        cuda.ok("cuDeviceGetCount_v2000", cuda.out());
        assertThat(cuda.intOut()).isEqualTo(3);
        assertThat(cuda.call("cuDeviceGet_v2000", cuda.out(), 3)).isEqualTo(CUDA_ERROR_INVALID_DEVICE());
        cuda.ok("cuDeviceGetPCIBusId_v4010", cuda.out(), 13, 2);
        assertThat(cuda.out().getString(0)).isEqualTo("0001:AF:02.0");
        assertThat(cuda.call("cuDeviceGetPCIBusId_v4010", cuda.out(), 12, 2)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
        MemorySegment text = cuda.pageable(32);
        text.setString(0, "0001:af:02.0");
        cuda.ok("cuDeviceGetByPCIBusId_v4010", cuda.out(), text);
        assertThat(cuda.intOut()).isEqualTo(2);
        text.setString(0, "1b:00.0");
        cuda.ok("cuDeviceGetByPCIBusId_v4010", cuda.out(), text);
        assertThat(cuda.intOut()).isEqualTo(1);
        assertThat(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR(), 0)).isEqualTo(8);
        assertThat(attribute(CU_DEVICE_ATTRIBUTE_INTEGRATED(), 0)).isEqualTo(1);
        assertThat(attribute(CU_DEVICE_ATTRIBUTE_INTEGRATED(), 1)).isZero();
        StandInDriver.devices(0);
        assertThat(cuda.call("cuInit_v2000", 0)).isEqualTo(CUDA_ERROR_NO_DEVICE());
    }

    @Test
    void olderDriverHasFewerFunctionsAndFeatures() {
        assertThat(find("cuCtxSetFlags", 12010)).isEqualTo(CU_GET_PROC_ADDRESS_SUCCESS());
        assertThat(find("cuMemGetHandleForAddressRange", 11000))
                .isEqualTo(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT());
        assertThat(find("cuNoSuchFunction", 11000)).isEqualTo(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND());
        StandInDriver.driverVersion(11060);
        cuda.ok("cuDriverGetVersion_v2020", cuda.out());
        assertThat(cuda.intOut()).isEqualTo(11060);
        assertThat(find("cuMemGetHandleForAddressRange", 11060)).isEqualTo(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND());
        assertThat(cuda.call("cuDeviceGetAttribute_v2000", cuda.out(), CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED(), 0))
                .isEqualTo(CUDA_ERROR_INVALID_VALUE());
        MemorySegment name = cuda.pageable(64);
        name.setString(0, "cuInit");
        assertThat(cuda.call("cuGetProcAddress_v12000", cuda.out(), cuda.out(), 12000, 0, cuda.out()))
                .isEqualTo(CUDA_ERROR_INVALID_VALUE());
        StandInDriver.missing("cuMemAlloc");
        assertThat(find("cuMemAlloc", 11000)).isEqualTo(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND());
    }

    private int find(String function, int version) {
        MemorySegment name = cuda.pageable(64);
        name.setString(0, function);
        cuda.ok(
                "cuGetProcAddress_v12000",
                name,
                cuda.out(),
                version,
                0,
                cuda.out().asSlice(8));
        int status = cuda.out().get(JAVA_INT, 8);
        assertThat(cuda.out().get(JAVA_LONG, 0) != 0).isEqualTo(status == CU_GET_PROC_ADDRESS_SUCCESS());
        return status;
    }

    @Test
    void callFailsAtItsTime() {
        cuda.made("cuCtxCreate_v3020", 0, 0);
        StandInDriver.failAt("cuMemAlloc", 2, CUDA_ERROR_OUT_OF_MEMORY());
        cuda.made("cuMemAlloc_v3020", 10);
        assertThat(cuda.call("cuMemAlloc_v3020", cuda.out(), 10)).isEqualTo(CUDA_ERROR_OUT_OF_MEMORY());
        cuda.made("cuMemAlloc_v3020", 10);
        assertThat(StandInDriver.calls("cuMemAlloc")).isEqualTo(3);
        assertThat(StandInDriver.get("calls")).isEqualTo(5);
        StandInDriver.deny("cuMemAllocManaged");
        assertThat(cuda.call("cuMemAllocManaged_v6000", cuda.out(), 10, 1)).isEqualTo(CUDA_ERROR_NOT_SUPPORTED());
        StandInDriver.failFrom("*", 2, CUDA_ERROR_UNKNOWN());
        cuda.ok("cuCtxSynchronize_v2000");
        assertThat(cuda.call("cuCtxSynchronize_v2000")).isEqualTo(CUDA_ERROR_UNKNOWN());
        assertThat(cuda.call("cuMemAlloc_v3020", cuda.out(), 10)).isEqualTo(CUDA_ERROR_UNKNOWN());
        cuda.ok("cuGetErrorName_v6000", CUDA_ERROR_UNKNOWN(), cuda.out());
        StandInDriver.noFailures();
        cuda.ok("cuCtxSynchronize_v2000");
    }

    @Test
    void faultInAStreamBreaksTheContext() {
        long context = cuda.made("cuCtxCreate_v3020", 0, 0);
        long device = cuda.made("cuMemAlloc_v3020", 100);
        MemorySegment host = cuda.pinned(100);
        StandInDriver.faultAt("cuMemcpyHtoDAsync", 2, CUDA_ERROR_ILLEGAL_ADDRESS());
        cuda.ok("cuMemcpyHtoDAsync_v3020", device, host, 100, 0);
        cuda.ok("cuCtxSynchronize_v2000");
        cuda.ok("cuMemcpyHtoDAsync_v3020", device, host, 100, 0);
        assertThat(cuda.call("cuCtxSynchronize_v2000")).isEqualTo(CUDA_ERROR_ILLEGAL_ADDRESS());
        assertThat(cuda.call("cuMemAlloc_v3020", cuda.out(), 10)).isEqualTo(CUDA_ERROR_ILLEGAL_ADDRESS());
        assertThat(StandInDriver.get("bytes.htod")).isEqualTo(100);
        // The call reports the fault and destroys the object nevertheless.
        assertThat(cuda.call("cuCtxDestroy_v4000", context)).isEqualTo(CUDA_ERROR_ILLEGAL_ADDRESS());
        assertThat(StandInDriver.get("contexts")).isZero();
        cuda.made("cuCtxCreate_v3020", 0, 0);
        cuda.made("cuMemAlloc_v3020", 10);
    }

    @Test
    void contextsAreCurrentCountedAndDestroyed() throws InterruptedException {
        StandInDriver.devices(2);
        assertThat(cuda.call("cuMemAlloc_v3020", cuda.out(), 10)).isEqualTo(CUDA_ERROR_INVALID_CONTEXT());
        long primary = cuda.made("cuDevicePrimaryCtxRetain_v7000", 1);
        assertThat(cuda.made("cuDevicePrimaryCtxRetain_v7000", 1)).isEqualTo(primary);
        cuda.ok("cuCtxSetCurrent_v4000", primary);
        assertThat(cuda.made("cuCtxGetCurrent_v4000")).isEqualTo(primary);
        AtomicInteger elsewhere = new AtomicInteger();
        Thread.ofPlatform()
                .start(() -> elsewhere.set(cuda.call("cuCtxSynchronize_v2000")))
                .join();
        assertThat(elsewhere).hasValue(CUDA_ERROR_INVALID_CONTEXT());
        cuda.ok("cuDevicePrimaryCtxRelease_v11000", 1);
        cuda.ok("cuCtxSynchronize_v2000");
        cuda.ok("cuDevicePrimaryCtxRelease_v11000", 1);
        assertThat(cuda.call("cuCtxSynchronize_v2000")).isEqualTo(CUDA_ERROR_CONTEXT_IS_DESTROYED());
        assertThat(cuda.call("cuDevicePrimaryCtxRelease_v11000", 1)).isEqualTo(CUDA_ERROR_INVALID_CONTEXT());
        assertThat(cuda.call("cuCtxSetCurrent_v4000", primary)).isEqualTo(CUDA_ERROR_INVALID_CONTEXT());
        assertThat(StandInDriver.open()).isEmpty();
    }

    /** Else a test finds a context that one of another class has left, by whichever order they come in. */
    @Test
    void behindAResetNoContextIsCurrent() {
        cuda.made("cuCtxCreate_v3020", 0, 0);
        cuda.made("cuCtxCreate_v3020", 0, 0);
        StandInDriver.reset();
        assertThat(cuda.call("cuCtxSynchronize_v2000")).isEqualTo(CUDA_ERROR_INVALID_CONTEXT());
    }

    @Test
    void peersAreEnabledOnce() {
        StandInDriver.devices(2);
        long peer = cuda.made("cuCtxCreate_v3020", 0, 1);
        long there = cuda.made("cuMemAlloc_v3020", 100);
        long own = cuda.made("cuCtxCreate_v3020", 0, 0);
        long here = cuda.made("cuMemAlloc_v3020", 100);
        assertThat(cuda.call("cuCtxDisablePeerAccess_v4000", peer)).isEqualTo(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED());
        cuda.ok("cuCtxEnablePeerAccess_v4000", peer, 0);
        assertThat(cuda.call("cuCtxEnablePeerAccess_v4000", peer, 0))
                .isEqualTo(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED());
        cuda.ok("cuMemcpyPeer_v4000", there, peer, here, own, 100);
        cuda.ok("cuCtxSynchronize_v2000");
        assertThat(StandInDriver.get("bytes.peer")).isEqualTo(100);
        assertThat(cuda.call("cuMemcpyPeer_v4000", there, own, here, own, 100)).isEqualTo(CUDA_ERROR_INVALID_VALUE());
    }

    @Test
    void everyErrorHasItsName() {
        cuda.ok("cuGetErrorName_v6000", CUDA_ERROR_ILLEGAL_ADDRESS(), cuda.out());
        assertThat(textOut()).isEqualTo("CUDA_ERROR_ILLEGAL_ADDRESS");
        cuda.ok("cuGetErrorString_v6000", CUDA_ERROR_ILLEGAL_ADDRESS(), cuda.out());
        assertThat(textOut()).isEqualTo("illegal address");
        cuda.ok("cuGetErrorString_v6000", 0, cuda.out());
        assertThat(textOut()).isEqualTo("no error");
        assertThat(cuda.call("cuGetErrorName_v6000", 12345, cuda.out())).isEqualTo(CUDA_ERROR_INVALID_VALUE());
    }

    private String textOut() {
        return MemorySegment.ofAddress(cuda.out().get(JAVA_LONG, 0))
                .reinterpret(100)
                .getString(0);
    }

    @Test
    void settingsComeFromTheEnvironmentToo() throws Exception {
        assertThat(inAnotherProcess("devices=3,driver=12040,fail=cuCtxCreate:1+:2"))
                .isEqualTo("3 12040 2 then 2");
        assertThat(inAnotherProcess("devices=3,colour=red"))
                .contains("RDMA4J_STANDIN has colour=red, which it does not know");
    }

    private static String inAnotherProcess(String settings) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=/dev/null",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                OtherProcess.class.getName());
        builder.environment().put("RDMA4J_STANDIN", settings);
        Process process = builder.redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** Prints the machine that it finds, before and after a reset. */
    static final class OtherProcess {
        private OtherProcess() {}

        public static void main(String[] arguments) {
            RawDriver cuda = new RawDriver();
            cuda.ok("cuInit_v2000", 0);
            cuda.ok("cuDeviceGetCount_v2000", cuda.out());
            System.out.print(cuda.intOut());
            cuda.ok("cuDriverGetVersion_v2020", cuda.out());
            System.out.print(" " + cuda.intOut() + " " + cuda.call("cuCtxCreate_v3020", cuda.out(), 0, 0));
            StandInDriver.reset();
            System.out.print(" then " + cuda.call("cuCtxCreate_v3020", cuda.out(), 0, 0));
        }
    }

    @Test
    void wrongSettingOrCounterFailsTheTest() {
        assertThatThrownBy(() -> StandInDriver.set("colour", "red")).hasMessageContaining("no setting colour=red");
        assertThatThrownBy(() -> StandInDriver.failAt("cuNoSuchCall", 1, 1)).hasMessageContaining("cuNoSuchCall:1:1");
        assertThatThrownBy(() -> StandInDriver.get("calls.cuNoSuchCall")).hasMessageContaining("no counter");
    }
}
