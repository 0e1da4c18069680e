// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing;

import com.github.dockerjava.api.model.AccessMode;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Device;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.Volume;
import io.github.rdma4j.verbs.testing.internal.Docker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.testcontainers.containers.ExecConfig;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;
import org.testcontainers.utility.DockerImageName;

/**
 * A container that runs commands with RDMA devices: rxe devices of a small virtual machine, without privileges, with
 * KVM if the host has it. Once started it stays up for at most six hours. Each {@link #run} starts a virtual machine,
 * which sees the container's files and ends with the command.
 *
 * <pre>{@code
 * try (SoftRoceContainer container = new SoftRoceContainer().withCpus(2).withProject(Path.of(""))) {
 *     container.start();
 *     assertThat(container.run("ibv_devices").getStdout()).contains("rxe0");
 * }
 * }</pre>
 *
 * <p>The commands have no network except the guest's own interfaces, so exposed ports are useless. Only {@link #run}
 * is safe for use by several threads.
 *
 * @since 0.1.0
 */
public class SoftRoceContainer extends GenericContainer<SoftRoceContainer> {
    /** The image that {@code scripts/softroce image} makes. It is in no registry, and never pulled. */
    public static final String IMAGE = "rdma4j/softroce:latest";

    // Ends a container whose JVM was killed before it could remove it.
    private static final Duration LONGEST_LIFE = Duration.ofHours(6);

    private final List<String> options = new ArrayList<>();
    // Not Testcontainers' own, for which it would pull another image, to see whether mounting works.
    private final List<Bind> mounts = new ArrayList<>();
    // GenericContainer returns it only after it has pulled the image.
    private final String name;
    private boolean kvm = true;
    private boolean configured;
    private Path project;

    /** A container of {@link #IMAGE}. */
    public SoftRoceContainer() {
        this(IMAGE);
    }

    /** @param image the name of an image that {@code scripts/softroce image} has made */
    public SoftRoceContainer(String image) {
        this(DockerImageName.parse(image));
    }

    /** @param image the name of an image that {@code scripts/softroce image} has made */
    public SoftRoceContainer(DockerImageName image) {
        super(image);
        name = image.asCanonicalNameString();
    }

    /** Sets the virtual CPUs of each guest, 1 to 64; default as many as the Docker host has, 2 to 4. */
    public SoftRoceContainer withCpus(int cpus) {
        return option("--cpus", between("cpus", cpus, 1, 64));
    }

    /**
     * Sets the memory of each guest in MiB, at least 512; default half of the Docker host's, or what the container's
     * limit leaves.
     */
    public SoftRoceContainer withMemory(int mebibytes) {
        return option("--memory", between("memory", mebibytes, 512, 1 << 20));
    }

    /** Sets the number of RDMA devices of each guest (rxe0, rxe1, …), 0 to 32; default 2. */
    public SoftRoceContainer withDevices(int devices) {
        return option("--devices", between("devices", devices, 0, 32));
    }

    /** Sets how long a command may run before it ends with status 124; default 30 minutes. */
    public SoftRoceContainer withTimeout(Duration limit) {
        return option("--timeout", between("timeout in seconds", limit.toSeconds(), 1, 9_999_999));
    }

    /** Sets how long a guest may take to start before the command ends with status 125; default two minutes. */
    public SoftRoceContainer withBootTimeout(Duration limit) {
        return option("--boot-timeout", between("boot timeout in seconds", limit.toSeconds(), 1, 9_999_999));
    }

    /** Emulates the guests even if the host has KVM. */
    public SoftRoceContainer withoutKvm() {
        kvm = false;
        return this;
    }

    /**
     * Mounts a folder under its own name, writable in the container and the guests, and makes it the current folder of
     * the commands.
     *
     * @throws IllegalArgumentException if this machine has no such folder
     */
    public SoftRoceContainer withProject(Path folder) {
        Path absolute = folder.toAbsolutePath().normalize();
        if (!Files.isDirectory(absolute)) {
            throw new IllegalArgumentException(absolute + " is no folder");
        }
        project = absolute;
        mounts.add(new Bind(absolute.toString(), new Volume(absolute.toString()), AccessMode.rw));
        return this;
    }

    /**
     * Mounts a file or folder under its own name, for reading.
     *
     * @throws IllegalArgumentException if it does not exist; Docker would make an empty folder of that name
     */
    public SoftRoceContainer withReadable(Path path) {
        String absolute = path.toAbsolutePath().normalize().toString();
        if (!Files.exists(Path.of(absolute))) {
            throw new IllegalArgumentException(absolute + " does not exist");
        }
        mounts.add(new Bind(absolute, new Volume(absolute), AccessMode.ro));
        return this;
    }

    /**
     * Starts the container, unless it runs.
     *
     * @throws IllegalStateException if it cannot, with the cause and the remedy
     */
    @Override
    public void start() {
        if (getContainerId() != null) {
            return;
        }
        Docker.check();
        Docker.pullIfMissing(getDockerClient(), name);
        try {
            super.start();
        } catch (RuntimeException failure) {
            throw Docker.notStarted(getDockerClient(), name, failure);
        }
    }

    @Override
    protected void configure() {
        // Called at each start. Its additions stay, and Docker refuses a second mount of a folder.
        if (configured) {
            return;
        }
        configured = true;
        setWaitStrategy(new AbstractWaitStrategy() {
            // It serves no port: it is ready once its process runs.
            @Override
            protected void waitUntilReady() {}
        });
        withCreateContainerCmdModifier(create -> {
            create.withEntrypoint("sleep").withCmd(Long.toString(LONGEST_LIFE.toSeconds()));
            HostConfig host = create.getHostConfig();
            // Where SELinux is on, mounted files have labels that a container may not read.
            host.withSecurityOpts(List.of("label=disable"));
            if (kvm && Docker.isLocal() && Files.exists(Path.of("/dev/kvm"))) {
                host.withDevices(new Device("rw", "/dev/kvm", "/dev/kvm"));
            }
            List<Bind> binds = new ArrayList<>(mounts);
            if (host.getBinds() != null) {
                binds.addAll(List.of(host.getBinds()));
            }
            host.withBinds(binds);
        });
    }

    /**
     * Runs a command with RDMA devices, as the owner of the project's folder, and waits for its end.
     *
     * @return its exit status, output and error output; status 124 when it ran out of time and 125 when the guest did
     *     not start, with its console in the error output
     * @throws IllegalStateException if the container is not started
     * @throws IOException if Docker fails
     * @throws InterruptedException if the thread is interrupted; the command goes on
     */
    public ExecResult run(String... command) throws IOException, InterruptedException {
        if (getContainerId() == null) {
            throw new IllegalStateException("the container is not started: call start()");
        }
        ExecConfig.ExecConfigBuilder exec =
                ExecConfig.builder().command(commandLine(List.of(command)).toArray(String[]::new));
        if (project != null) {
            exec.workDir(project.toString());
        }
        return execInContainer(exec.build());
    }

    /** Returns the command line of {@link #run}: the image's script with this container's options, then the command. */
    protected List<String> commandLine(List<String> command) {
        List<String> line = new ArrayList<>(List.of("/usr/local/bin/softroce", "--quiet"));
        line.addAll(options);
        line.add("--");
        line.addAll(command);
        return line;
    }

    private SoftRoceContainer option(String name, long value) {
        options.add(name);
        options.add(Long.toString(value));
        return this;
    }

    private static long between(String what, long value, long lowest, long highest) {
        if (value < lowest || value > highest) {
            throw new IllegalArgumentException(what + " is " + value + ", not from " + lowest + " to " + highest);
        }
        return value;
    }
}
