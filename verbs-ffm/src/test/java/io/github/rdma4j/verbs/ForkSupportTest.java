// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests fork support, in a separate JVM where it would change this one for good. */
class ForkSupportTest {

    /** Prints the status before and after. */
    static final class Enabling {
        public static void main(String[] arguments) {
            System.out.println(ForkSupport.status());
            ForkSupport.enable();
            ForkSupport.enable();
            System.out.println(ForkSupport.status());
        }
    }

    @Test
    void enabledBeforeAnythingItIsEnabledOrUnneeded() throws Exception {
        assertThat(ChildJvm.run(Enabling.class)).isIn(List.of("DISABLED", "ENABLED"), List.of("UNNEEDED", "UNNEEDED"));
    }

    @Test
    void tooLateIsExplained() {
        assertThatCode(() -> ForkSupport.check(0)).doesNotThrowAnyException();
        assertThatThrownBy(() -> ForkSupport.check(22))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ibv_fork_init()")
                .hasMessageContaining("EINVAL")
                .hasMessageContaining("has been registered in this process already")
                .hasMessageContaining("before the first device is opened");
        assertThatThrownBy(() -> ForkSupport.check(38)).isInstanceOf(UnsupportedVerbException.class);
    }

    @Test
    void supportHasThreeValues() {
        assertThat(ForkStatus.ofCode(0)).isEqualTo(ForkStatus.DISABLED);
        assertThat(ForkStatus.ofCode(1)).isEqualTo(ForkStatus.ENABLED);
        assertThat(ForkStatus.ofCode(2)).isEqualTo(ForkStatus.UNNEEDED);
        assertThatThrownBy(() -> ForkStatus.ofCode(3)).isInstanceOf(AssertionError.class);
    }
}
