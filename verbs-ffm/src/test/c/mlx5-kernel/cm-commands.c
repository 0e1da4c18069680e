// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// The commands of rdma/rdma_user_cm.h, as librdmacm writes them.
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "cm.h"

enum { FAMILY_OF_INFINIBAND = 27, CONNECTED_PAIR = 2, CONSUMER_REASON = REJECT_CONSUMER, DATAGRAM_KEY = 0x01234567, PATH_FLAGS = 0x2b };

// An address of the family AF_IB: a GID, and which service; in network order.
struct sockaddr_of_infiniband {
    uint16_t family, partition;
    uint32_t flow;
    uint8_t gid[16];
    uint64_t service, service_mask, scope;
};

// One command: what was asked, and where the answer goes.
struct command {
    int file;
    const void *request;
    size_t answer_length;
};

static void answer(uint64_t place, const void *value, size_t length, const struct command *command) {
    memcpy((void *)(uintptr_t)place, value, length < command->answer_length ? length : command->answer_length);
}

static int own_id(const struct command *command, uint32_t handle, struct id **id) {
    *id = id_of_handle(handle);
    return !*id ? ENOENT : (*id)->file != command->file ? EINVAL : 0;
}

#define OWN_ID(command, handle)                       \
    struct id *id;                                    \
    int error_of_id = own_id(command, handle, &id);   \
    if (error_of_id != 0) {                           \
        return error_of_id;                           \
    }

// IPv4 addresses, and the wildcards of other families in their place.
static int read_address(const void *bytes, struct sockaddr_in *address) {
    const struct sockaddr *family = bytes;
    const struct sockaddr_in6 *longer = bytes;
    static const uint8_t no_gid[16];
    memset(address, 0, sizeof *address);
    address->sin_family = AF_INET;
    switch (family->sa_family) {
    case AF_INET:
        memcpy(address, bytes, sizeof *address);
        return 0;
    case AF_INET6:
        address->sin_port = longer->sin6_port;
        return IN6_IS_ADDR_UNSPECIFIED(&longer->sin6_addr) ? 0 : EADDRNOTAVAIL;
    case FAMILY_OF_INFINIBAND:
        return memcmp(((const struct sockaddr_of_infiniband *)bytes)->gid, no_gid, sizeof no_gid) ? EADDRNOTAVAIL : 0;
    default:
        return EINVAL;
    }
}

static int create(struct command *command) {
    const struct rdma_ucm_create_id *request = command->request;
    bool is_datagram = request->ps == RDMA_PS_UDP || request->ps == RDMA_PS_IPOIB;
    if (!is_datagram && request->ps != RDMA_PS_TCP && request->ps != RDMA_PS_IB) {
        return EINVAL;
    }
    uint8_t type = is_datagram ? DATAGRAM_PAIR : request->ps == RDMA_PS_TCP ? CONNECTED_PAIR : request->qp_type;
    struct id *id = create_id(command->file, request->ps, type);
    if (!id) {
        return ENOMEM;
    }
    id->user = request->uid;
    id->datagram_key = is_datagram ? DATAGRAM_KEY : 0;
    struct rdma_ucm_create_id_resp response = {.id = id->handle};
    answer(request->response, &response, sizeof response, command);
    return 0;
}

static int destroy(struct command *command) {
    const struct rdma_ucm_destroy_id *request = command->request;
    OWN_ID(command, request->id);
    struct rdma_ucm_destroy_id_resp response = {.events_reported = id->events_reported};
    destroy_id(id);
    answer(request->response, &response, sizeof response, command);
    return 0;
}

static int bind_to(const struct command *command, uint32_t handle, const void *bytes) {
    OWN_ID(command, handle);
    struct sockaddr_in address;
    int error = read_address(bytes, &address);
    return error ? error : bind_id(id, &address);
}

static int bind_ip(struct command *command) {
    const struct rdma_ucm_bind_ip *request = command->request;
    return bind_to(command, request->id, &request->addr);
}

static int bind_any(struct command *command) {
    const struct rdma_ucm_bind *request = command->request;
    return bind_to(command, request->id, &request->addr);
}

static int resolve(const struct command *command, uint32_t handle, const void *from, const void *to, uint32_t milliseconds) {
    OWN_ID(command, handle);
    struct sockaddr_in source, destination;
    bool has_source = from && ((const struct sockaddr *)from)->sa_family != 0;
    int error = read_address(to, &destination);
    error = error ? error : has_source ? read_address(from, &source) : 0;
    return error ? error : resolve_address(id, has_source ? &source : NULL, &destination, milliseconds);
}

static int resolve_ip(struct command *command) {
    const struct rdma_ucm_resolve_ip *request = command->request;
    return resolve(command, request->id, &request->src_addr, &request->dst_addr, request->timeout_ms);
}

static int resolve_any(struct command *command) {
    const struct rdma_ucm_resolve_addr *request = command->request;
    return resolve(command, request->id, request->src_size ? &request->src_addr : NULL, &request->dst_addr,
                   request->timeout_ms);
}

static int resolve_way(struct command *command) {
    const struct rdma_ucm_resolve_route *request = command->request;
    OWN_ID(command, request->id);
    return resolve_route(id, request->timeout_ms);
}

static void query_addresses(const struct id *id, struct rdma_ucm_query_addr_resp *response) {
    response->src_size = sizeof id->here;
    memcpy(&response->src_addr, &id->here, sizeof id->here);
    if (id->there.sin_family != 0) {
        response->dst_size = sizeof id->there;
        memcpy(&response->dst_addr, &id->there, sizeof id->there);
    }
}

static void query_gids(const struct id *id, struct rdma_ucm_query_addr_resp *response) {
    struct sockaddr_of_infiniband here = {FAMILY_OF_INFINIBAND, .partition = htobe16(id->partition)}, there = here;
    if (id->has_device) {
        gid_of_lid(port_lid(), here.gid);
    }
    if (id->there_lid != 0) {
        gid_of_lid(id->there_lid, there.gid);
    }
    response->src_size = sizeof here;
    memcpy(&response->src_addr, &here, sizeof here);
    response->dst_size = sizeof there;
    memcpy(&response->dst_addr, &there, sizeof there);
}

static int query(struct command *command) {
    const struct rdma_ucm_query *request = command->request;
    OWN_ID(command, request->id);
    if (request->option == RDMA_USER_CM_QUERY_PATH) {
        struct {
            struct rdma_ucm_query_path_resp head;
            struct ib_path_rec_data path;
        } response = {.head.num_paths = id->has_path, .path.flags = PATH_FLAGS};
        pack_path(&id->path, (uint8_t *)response.path.path_rec);
        answer(request->response, &response, id->has_path ? sizeof response : sizeof response.head, command);
        return 0;
    }
    struct rdma_ucm_query_addr_resp response = {0};
    if (request->option == RDMA_USER_CM_QUERY_ADDR) {
        query_addresses(id, &response);
    } else if (request->option == RDMA_USER_CM_QUERY_GID) {
        query_gids(id, &response);
    } else {
        return ENOSYS;
    }
    if (id->has_device) {
        response.node_guid = htobe64(port_guid());
        response.port_num = 1;
        response.pkey = htobe16(id->partition);
    }
    answer(request->response, &response, sizeof response, command);
    return 0;
}

static int connect_to(struct command *command) {
    const struct rdma_ucm_connect *request = command->request;
    OWN_ID(command, request->id);
    return connect_id(id, &request->conn_param, &request->ece);
}

static int listen_to(struct command *command) {
    const struct rdma_ucm_listen *request = command->request;
    OWN_ID(command, request->id);
    return listen_id(id, request->backlog);
}

static int accept_request(struct command *command) {
    const struct rdma_ucm_accept *request = command->request;
    OWN_ID(command, request->id);
    if (!request->conn_param.valid) {
        return accept_id(id, NULL, &request->ece);
    }
    int error = accept_id(id, &request->conn_param, &request->ece);
    id->user = error ? id->user : request->uid;
    return error;
}

static int reject_request(struct command *command) {
    const struct rdma_ucm_reject *request = command->request;
    OWN_ID(command, request->id);
    return reject_id(id, request->reason ? request->reason : CONSUMER_REASON, request->private_data,
                     request->private_data_len);
}

static int disconnect(struct command *command) {
    const struct rdma_ucm_disconnect *request = command->request;
    OWN_ID(command, request->id);
    return disconnect_id(id);
}

static int attributes_of_pair(struct command *command) {
    const struct rdma_ucm_init_qp_attr *request = command->request;
    OWN_ID(command, request->id);
    struct ib_uverbs_qp_attr attributes;
    int error = next_attributes(id, request->qp_state, &attributes);
    if (error == 0) {
        answer(request->response, &attributes, sizeof attributes, command);
    }
    return error;
}

static int set_path(struct id *id, const struct ib_path_rec_data *path, size_t length) {
    if (length == 0 || length % sizeof *path != 0 || (path->flags & PATH_FLAGS) != PATH_FLAGS) {
        return EINVAL;
    }
    struct path unpacked;
    unpack_path((const uint8_t *)path->path_rec, &unpacked);
    return set_route(id, &unpacked);
}

static int set_option(struct command *command) {
    const struct rdma_ucm_set_option *request = command->request;
    OWN_ID(command, request->id);
    const void *value = (const void *)(uintptr_t)request->optval;
    if (request->level == RDMA_OPTION_IB && request->optname == RDMA_OPTION_IB_PATH) {
        return set_path(id, value, request->optlen);
    }
    if (request->level != RDMA_OPTION_ID) {
        return ENOSYS;
    }
    switch (request->optname) {
    case RDMA_OPTION_ID_REUSEADDR:
        id->reuses_address = *(const int *)value != 0;
        return 0;
    case RDMA_OPTION_ID_ACK_TIMEOUT:
        id->has_ack_timeout = true;
        id->ack_timeout = *(const uint8_t *)value;
        return 0;
    case RDMA_OPTION_ID_TOS:
    case RDMA_OPTION_ID_AFONLY:
        return 0;
    default:
        return ENOSYS;
    }
}

static int notify(struct command *command) {
    const struct rdma_ucm_notify *request = command->request;
    OWN_ID(command, request->id);
    return establish_id(id);
}

static int migrate(struct command *command) {
    const struct rdma_ucm_migrate_id *request = command->request;
    struct id *id = id_of_handle(request->id);
    if (!id || !is_manager((int)request->fd)) {
        return ENOENT;
    }
    if (id->file != (int)request->fd) {
        return EINVAL;
    }
    struct rdma_ucm_migrate_resp response = {.events_reported = (uint32_t)move_events(id, command->file)};
    answer(request->response, &response, sizeof response, command);
    return 0;
}

static int (*const commands[])(struct command *) = {
    [RDMA_USER_CM_CMD_CREATE_ID] = create,
    [RDMA_USER_CM_CMD_DESTROY_ID] = destroy,
    [RDMA_USER_CM_CMD_BIND_IP] = bind_ip,
    [RDMA_USER_CM_CMD_BIND] = bind_any,
    [RDMA_USER_CM_CMD_RESOLVE_IP] = resolve_ip,
    [RDMA_USER_CM_CMD_RESOLVE_ADDR] = resolve_any,
    [RDMA_USER_CM_CMD_RESOLVE_ROUTE] = resolve_way,
    [RDMA_USER_CM_CMD_QUERY] = query,
    [RDMA_USER_CM_CMD_CONNECT] = connect_to,
    [RDMA_USER_CM_CMD_LISTEN] = listen_to,
    [RDMA_USER_CM_CMD_ACCEPT] = accept_request,
    [RDMA_USER_CM_CMD_REJECT] = reject_request,
    [RDMA_USER_CM_CMD_DISCONNECT] = disconnect,
    [RDMA_USER_CM_CMD_INIT_QP_ATTR] = attributes_of_pair,
    [RDMA_USER_CM_CMD_SET_OPTION] = set_option,
    [RDMA_USER_CM_CMD_NOTIFY] = notify,
    [RDMA_USER_CM_CMD_MIGRATE_ID] = migrate,
};

// Waits, and so it comes without the lock.
static int get_event(struct command *command) {
    const struct rdma_ucm_get_event *request = command->request;
    struct rdma_ucm_event_resp response;
    int error = take_event(command->file, &response);
    if (error == 0) {
        answer(request->response, &response, sizeof response, command);
    }
    return error;
}

ssize_t run_manager_command(int file, const void *bytes, size_t length) {
    const struct rdma_ucm_cmd_hdr *header = bytes;
    if (length < sizeof *header || header->in + sizeof *header > length) {
        errno = EINVAL;
        return -1;
    }
    struct command command = {.file = file, .request = header + 1, .answer_length = header->out};
    int error = ENOSYS;
    if (header->cmd == RDMA_USER_CM_CMD_GET_EVENT) {
        error = get_event(&command);
    } else if (header->cmd < sizeof commands / sizeof *commands && commands[header->cmd]) {
        lock_manager();
        error = commands[header->cmd](&command);
        unlock_manager();
    }
    if (error != 0) {
        errno = error;
        return -1;
    }
    return (ssize_t)length;
}
