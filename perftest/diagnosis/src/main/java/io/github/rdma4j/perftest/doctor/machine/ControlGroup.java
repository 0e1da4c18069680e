// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import java.util.ArrayList;
import java.util.List;

/** The control groups of this process: the group itself and its parents. */
public final class ControlGroup {
    private static final String MOUNT = "sys/fs/cgroup";

    private final MachineFiles files;

    /** Reads the groups in {@code /proc/self/cgroup}. */
    public ControlGroup(MachineFiles files) {
        this.files = files;
    }

    /**
     * Returns a limit's files. Usage counts in each group, so that each group limits it: the innermost limit need not
     * be the tightest.
     *
     * @param controller such as {@code rdma}, the folder's name in version 1
     * @param name the name of the file
     * @return the files, the innermost group's first; empty without the controller
     */
    public List<String> find(String controller, String name) {
        return folders(controller).stream()
                .map(folder -> folder + "/" + name)
                .distinct()
                .filter(files::exists)
                .toList();
    }

    /** Parses lines such as {@code 0::/user.slice} (version 2) and {@code 5:rdma:/job} (version 1). */
    private List<String> folders(String controller) {
        List<String> folders = new ArrayList<>();
        for (String line : files.text("proc/self/cgroup").orElse("").lines().toList()) {
            String[] fields = line.split(":", 3);
            if (fields.length < 3) {
                continue;
            }
            if (fields[1].isEmpty()) {
                upwards(MOUNT, fields[2], folders);
            } else if (List.of(fields[1].split(",")).contains(controller)) {
                upwards(MOUNT + "/" + controller, fields[2], folders);
            }
        }
        return folders;
    }

    private static void upwards(String mount, String path, List<String> folders) {
        for (String group = path; !group.isEmpty() && !group.equals("/"); ) {
            folders.add(mount + group);
            group = group.substring(0, Math.max(0, group.lastIndexOf('/')));
        }
        // In a container the root of the mount is also a group.
        folders.add(mount);
    }
}
