// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.internal.CmCalls;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.NativeLibraries;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The devices as rdma_cm has opened them (rdma_get_devices(3)): one context per device and process, which all ids
 * share. Resources that are created in such a context can be used with every id that is bound to the device.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class CmDevices {
    /** By the address of the native context. */
    private static final Map<Long, DeviceContext> CONTEXTS = new HashMap<>();

    private CmDevices() {}

    /**
     * Opens every device for rdma_cm, if that has not been done yet. librdmacm keeps them open until the process ends;
     * closing a context closes the resources that were created in it through this library, and a later call returns a
     * new context.
     *
     * @return the contexts
     * @throws io.github.rdma4j.verbs.NativeLibraryException if librdmacm is missing
     * @throws io.github.rdma4j.verbs.VerbsException if there is no device, or rdma_cm cannot be used
     */
    public static List<DeviceContext> list() {
        NativeLibraries.requireConnectionManager();
        synchronized (CONTEXTS) {
            return openAll().stream().map(CmDevices::context).toList();
        }
    }

    /** Returns the only Java object of a native context. */
    static DeviceContext of(MemorySegment nativeContext) {
        long address = nativeContext.address();
        synchronized (CONTEXTS) {
            if (!CONTEXTS.containsKey(address)) {
                openAll().forEach(CmDevices::context);
            }
            return context(address);
        }
    }

    private static DeviceContext context(long address) {
        return CONTEXTS.compute(
                address, (key, known) -> known != null && known.isOpen() ? known : DeviceContext.ofNative(key));
    }

    /**
     * Opens the devices. A list with a new context is deliberately not freed (rdma_free_devices(3)): librdmacm counts
     * the lists that a context is in. If a device is unplugged and its context is in no list, librdmacm closes the
     * context while Java objects still use it.
     */
    private static List<Long> openAll() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
            MemorySegment list = CmCalls.getDevices(count);
            int errno = NativeCalls.lastErrno();
            // Some versions of librdmacm leave out the devices that cannot be opened.
            boolean none = list.address() != 0 && count.get(ValueLayout.JAVA_INT, 0) == 0;
            if (none) {
                CmCalls.freeDevices(list);
            }
            if (none || list.address() == 0) {
                throw CreationFailure.of("rdma_get_devices()", none ? Errno.ENODEV : errno);
            }
            List<Long> addresses = new ArrayList<>();
            MemorySegment entries =
                    list.reinterpret(count.get(ValueLayout.JAVA_INT, 0) * ValueLayout.ADDRESS.byteSize());
            for (long i = 0; i < count.get(ValueLayout.JAVA_INT, 0); i++) {
                addresses.add(entries.getAtIndex(ValueLayout.ADDRESS, i).address());
            }
            if (CONTEXTS.keySet().containsAll(addresses)) {
                CmCalls.freeDevices(list);
            }
            return addresses;
        }
    }
}
