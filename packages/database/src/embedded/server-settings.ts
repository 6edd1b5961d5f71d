import type { ServerDoors } from "./server-doors.ts";

/**
 * Settings of the embedded server, given on its command line so that a start never depends on what an earlier release or a
 * person wrote into the cluster. Sizes suit a small box: about 60 MB resident when idle.
 */
export function serverSettings({ portNumber, socketFolder }: ServerDoors, fast: boolean): string[] {
  const settings: Record<string, string | number> = {
    listen_addresses: "127.0.0.1",
    port: portNumber,
    unix_socket_directories: socketFolder ?? "",
    unix_socket_permissions: "0700",
    max_connections: 100,
    superuser_reserved_connections: 3,
    shared_buffers: "64MB",
    work_mem: "8MB",
    maintenance_work_mem: "64MB",
    max_wal_size: "512MB",
    io_method: "sync",
    max_logical_replication_workers: 0,
    jit: "off",
    password_encryption: "scram-sha-256",
    // Money: an acknowledged commit is on the disk.
    fsync: fast ? "off" : "on",
    synchronous_commit: "on",
    full_page_writes: fast ? "off" : "on",
    timezone: "UTC",
    log_timezone: "UTC",
    log_line_prefix: "%m [%p] %a ",
    log_min_messages: "warning",
    // What we answer with a refusal or retry is not worth a line; slow statements are.
    log_min_error_statement: "panic",
    log_min_duration_statement: 2_000,
    log_checkpoints: "off",
  };
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}
