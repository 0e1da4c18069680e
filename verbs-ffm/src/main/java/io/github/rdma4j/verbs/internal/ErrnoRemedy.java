// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

/** The general remedy of an errno, used if the call has no better one. It must be right for every verb. */
public final class ErrnoRemedy {
    private static final String DEVICE_GONE =
            "read the kernel log ('dmesg'): the device has failed or was removed. Close what was created on it"
                    + " (libibverbs lets it only with RDMAV_ALLOW_DISASSOC_DESTROY=1 in the environment), and open it"
                    + " again when 'ibv_devices' lists it";
    private static final String RIGHTS =
            "let this user read and write /dev/infiniband/*, or give the process the capability that the verb's manual"
                    + " page names (CAP_NET_RAW, CAP_IPC_LOCK)";
    private static final String NO_ROOM = "close unused resources, or ask for less: the device or the kernel is full";
    /** The kernel's errno when a control group may have no more RDMA objects. */
    private static final String OBJECTS =
            "compare rdma.max with rdma.current of the control group (/sys/fs/cgroup): if its limit on RDMA objects is"
                    + " reached, raise it or close unused objects; if not, call it again a little later";

    private static final String FILES = "raise the limit of open files ('ulimit -n'), or close unused ones";
    private static final String DESCRIPTOR = "find the code in this process that closed the library's file descriptor";
    private static final String ROUTE = "check the route ('ip route get ADDRESS'), and that the peer's host is up";
    private static final String PEER = "check that the peer's program still runs and listens, and connect again";
    private static final String ARGUMENTS =
            "compare the arguments above with the verb's manual page and the device's limits"
                    + " (DeviceContext.attributes()); the kernel log ('dmesg') may name the one that it refused";
    private static final String OTHER =
            "look the errno up in the verb's manual page, and read the kernel log ('dmesg'), where drivers say"
                    + " more";

    private ErrnoRemedy() {}

    /**
     * Returns the general remedy.
     *
     * @param errno a positive errno value
     * @return what to do; never empty
     */
    public static String of(int errno) {
        return switch (ErrnoName.of(errno)) {
            case "EPERM", "EACCES" -> RIGHTS;
            case "ENOENT" ->
                "check that the device and its files in /dev/infiniband are there ('ibv_devices'; in a"
                        + " container: --device=/dev/infiniband)";
            case "EAGAIN" -> OBJECTS;
            case "EINTR", "EALREADY", "EINPROGRESS" -> "call it again a little later";
            case "EIO", "ENXIO", "ENODEV" -> DEVICE_GONE;
            case "EBADF", "ENOTTY" -> DESCRIPTOR;
            case "ENOMEM", "ENOSPC", "ENOBUFS" -> NO_ROOM;
            case "EMFILE", "ENFILE" -> FILES;
            case "EFAULT" -> "check that all memory of the call is mapped, and writable if the call writes to it";
            case "EBUSY" -> "close first what uses it";
            case "EEXIST", "EISCONN" -> "it is there already: use it, or close it first";
            case "EINVAL", "E2BIG", "EFBIG", "ERANGE", "EOVERFLOW" -> ARGUMENTS;
            case "ENOSYS", "EOPNOTSUPP", "EPROTONOSUPPORT", "ENOTSUPP" ->
                "use another method, or a device, a driver or a version of rdma-core that supports it (the"
                        + " capabilities: 'ibv_devinfo -v')";
            case "EAFNOSUPPORT" -> "use addresses of one family, IPv4 or IPv6, on both sides";
            case "EADDRINUSE" -> "use another port, or 0 for a free port";
            case "EADDRNOTAVAIL" -> "use an address of this host ('ip address')";
            case "ENETDOWN" -> "bring the network interface up ('ip link set dev INTERFACE up')";
            case "ENETUNREACH", "EHOSTUNREACH", "EHOSTDOWN" -> ROUTE;
            case "EPIPE", "ECONNABORTED", "ECONNRESET", "ENOTCONN", "ECONNREFUSED" -> PEER;
            case "ETIMEDOUT" -> "check that the peer and its device run and can be reached, or allow more time";
            default -> OTHER;
        };
    }
}
