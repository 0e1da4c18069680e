// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing;

import io.github.rdma4j.verbs.testing.internal.DeviceRequired;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs the tests of a class where RDMA devices exist: in this JVM if it can open a device of the machine, otherwise in
 * a {@link SoftRoceContainer}, in another JVM with this JVM's class path. The whole class runs there, including
 * constructors, lifecycle methods, argument sources and extensions. Its events are reported here as they happen:
 * results, exceptions with their stack traces, output, report entries, parameterised and dynamic tests.
 *
 * <p>Put it on an outermost class; it includes the nested classes. The system property {@code rdma4j.softroce}, or if
 * it is not set the environment variable {@code RDMA4J_SOFTROCE}, selects where the tests may run: {@code auto} (the
 * default, as above), {@code local}, {@code container}, or {@code skip}. {@code skip} is like {@code auto}, but skips
 * the tests if there is neither a device nor a Docker engine; {@code auto} fails them.
 *
 * <p>More system properties, all optional:
 *
 * <table>
 * <caption>System properties</caption>
 * <tr><th>property</th><th>meaning</th></tr>
 * <tr><td>{@code rdma4j.softroce.image}</td><td>the image, {@value SoftRoceContainer#IMAGE} if not set</td></tr>
 * <tr><td>{@code rdma4j.softroce.cpus}, {@code rdma4j.softroce.memory}</td><td>CPUs and MiB of the guest</td></tr>
 * <tr><td>{@code rdma4j.softroce.testTimeout}</td><td>seconds that may pass without a test starting or ending, 120 if
 * not set</td></tr>
 * <tr><td>{@code rdma4j.softroce.classTimeout}</td><td>seconds for all tests of a class, 1800 if not set</td></tr>
 * <tr><td>{@code rdma4j.softroce.classes}</td><td>a regular expression: classes with such names are treated as if they
 * were annotated</td></tr>
 * <tr><td>{@code rdma4j.softroce.jvm}</td><td>more options for the JVM in the container, separated by spaces</td></tr>
 * <tr><td>{@code rdma4j.softroce.environment}</td><td>names of environment variables that the tests need, separated by
 * commas ({@code RDMA4J_*} are passed, except those about guests of this machine)</td></tr>
 * <tr><td>{@code rdma4j.softroce.transfer}</td><td>{@code bind}: the class path and the project's folder are mounted;
 * {@code copy}: the class path is copied, for an engine on another machine; {@code auto}, the default, tries the first
 * and uses the second if the engine does not see the files</td></tr>
 * </table>
 *
 * @since 0.1.0
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(DeviceRequired.class)
public @interface SoftRoce {}
