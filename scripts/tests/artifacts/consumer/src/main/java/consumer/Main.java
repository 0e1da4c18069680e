// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package consumer;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.VerbsException;

/** Calls both native libraries, and says what this machine has. */
public final class Main {
    private Main() {}

    public static void main(String... arguments) {
        System.out.println("module: " + Main.class.getModule().getName());
        System.out.println("verbs module: " + Device.class.getModule().getName());
        try (DeviceContext device = DeviceContext.open(
                Device.list().stream().map(Device::name).findFirst().orElse("none"))) {
            System.out.println("verbs: " + device.device().name());
        } catch (VerbsException e) {
            System.out.println("verbs: " + e.getMessage());
        }
        System.out.println(
                "cuda: " + Cuda.unavailability().map(Exception::getMessage).orElse("available"));
    }
}
