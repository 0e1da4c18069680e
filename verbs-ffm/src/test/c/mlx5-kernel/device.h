// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// What an mlx5 adapter adds to an object.
#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#define SETTING(name) "RDMA4J_MLX5_" name

struct of_device {
    volatile uint32_t *doorbell; // of queues and queue pairs: memory of libmlx5
    uint32_t fired;              // of a completion queue: how it was armed at its last event
    // Of a queue pair.
    uint32_t send_blocks, receives, receive_shift, user_index, bf_index, flags;
    uint32_t send_consumer, receive_consumer;
    bool has_rung;
};

// Whether a subnet manager has configured the port.
bool is_port_active(void);

// The port's GUID, of which its GID is made; in host order.
uint64_t port_guid(void);

#endif
