// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.ChildJvm;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DescriptorSetTest {
    /** Waits with no descriptor left to load a class with, of which the wait asks whether it is recorded. */
    static final class WithoutClasses {
        public static void main(String[] arguments) throws Exception {
            DescriptorSet set = new DescriptorSet(IllegalStateException::new);
            set.await("warming up", 0, 0, true);
            System.out.println(Failures.of("warming up", Errno.EMFILE).getMessage());
            List<TestDescriptor> all = TestDescriptor.takeAll();
            Throwable failure = null;
            try {
                set.await("waiting", System.nanoTime(), TimeUnit.MILLISECONDS.toNanos(1), true);
            } catch (Throwable e) {
                failure = e;
            }
            all.forEach(TestDescriptor::close);
            System.out.println(failure);
            set.close();
            System.out.println("closed");
        }
    }

    @Test
    void waitThatAnErrorEndsDoesNotHoldUpTheClose() throws Exception {
        List<String> lines = ChildJvm.run(WithoutClasses.class);
        assertThat(lines.subList(lines.size() - 2, lines.size()))
                .satisfiesExactly(
                        failure -> assertThat(failure).startsWith("java.lang.NoClassDefFoundError"),
                        end -> assertThat(end).isEqualTo("closed"));
    }
}
