// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PciAddressTest {
    @ParameterizedTest
    @CsvSource({
        "0000:07:00.0, 0000:07:00.0",
        "00000000:07:00.0, 0000:07:00.0",
        "07:00.0, 0000:07:00.0",
        "0000:E1:1F.7, 0000:e1:1f.7",
        "10000:01:00.0, 10000:01:00.0",
        "0000000F:01:00.0, 000f:01:00.0",
    })
    void readsWhatSysfsTheDriverAndNvidiaSmiWrite(String text, String address) {
        assertThat(PciAddress.parse(text)).hasToString(address).isEqualTo(PciAddress.parse(address));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "GPU0", "0000:07:00", "0000:07:20.0", "0000:07:00.8", "0000:7:00.0", "123456789:07:00.0"})
    void refusesOthers(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PciAddress.parse(text))
                .withMessage("'" + text + "' is not a PCI address such as 0000:07:00.0 (domain:bus:device.function)");
    }

    @Test
    void refusesPartsOutOfRange() {
        assertThatIllegalArgumentException().isThrownBy(() -> new PciAddress(0, 256, 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new PciAddress(0, 0, 32, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new PciAddress(0, 0, 0, 8));
        assertThatIllegalArgumentException().isThrownBy(() -> new PciAddress(-1, 0, 0, 0));
    }

    @Test
    void isOrderedAsNvidiaSmiNumbersGpus() {
        assertThat(PciAddress.parse("0000:ff:00.0")).isLessThan(PciAddress.parse("0001:00:00.0"));
        assertThat(PciAddress.parse("0000:07:00.0")).isLessThan(PciAddress.parse("0000:0f:00.0"));
        assertThat(PciAddress.parse("0000:07:00.1")).isLessThan(PciAddress.parse("0000:07:01.0"));
    }
}
