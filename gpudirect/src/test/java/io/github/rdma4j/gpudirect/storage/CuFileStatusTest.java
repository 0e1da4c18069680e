// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.gpudirect.storage.bindings.CuFileHeaders;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CuFileStatusTest {
    /** Statuses without a remedy, or with one that only the caller can find. */
    private static final Set<CuFileStatus> WITHOUT_REMEDY = EnumSet.of(
            CuFileStatus.SUCCESS,
            CuFileStatus.INVALID_VALUE,
            CuFileStatus.DRIVER_ALREADY_OPEN,
            CuFileStatus.HANDLE_ALREADY_REGISTERED);

    @Test
    void everyStatusOfTheHeaderIsThereWithItsNumber() throws ReflectiveOperationException {
        int found = 0;
        for (Method method : CuFileHeaders.class.getDeclaredMethods()) {
            if (method.getReturnType() == int.class && method.getParameterCount() == 0) {
                int number = (int) method.invoke(null);
                if (number > 5000) {
                    assertThat("CU_FILE_" + CuFileStatus.of(number).name()).isEqualTo(method.getName());
                    found++;
                }
            }
        }
        // Two statuses have no such constant: success, and the one that is not cuFile's.
        assertThat(found).isEqualTo(CuFileStatus.values().length - 2);
    }

    @Test
    void eachHasACauseAndARemedy() {
        assertThat(Arrays.stream(CuFileStatus.values()))
                .allSatisfy(status -> assertThat(status.explanation()).isNotBlank())
                .filteredOn(status -> status.remedy().isEmpty())
                .containsExactlyElementsOf(WITHOUT_REMEDY);
    }

    @Test
    void unknownNumbersAreReported() {
        for (int number : new int[] {-3, 1, 5000, 5021, 5032, 5051, 9999}) {
            assertThat(CuFileStatus.of(number)).isEqualTo(CuFileStatus.UNKNOWN);
        }
        assertThat(new CuFileException("cuFileRead(x)", 9999, 0, 7))
                .hasMessage(
                        "cuFileRead(x) failed: CUfileOpError 9999 (a status that rdma4j does not know), after 7 bytes."
                                + " See cufile.h of the installed version");
        assertThat(new CuFileException("cuFileRead(x)", 5011, 700, 0)).hasMessageContaining("CUresult 700");
    }
}
