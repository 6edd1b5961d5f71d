import { Buffer } from "node:buffer";
import { join } from "node:path";

/** Where an embedded server takes connections: on 127.0.0.1, and through a socket file where the system has them. */
export type ServerDoors = {
  readonly portNumber: number;
  /** The folder of the socket file `.s.PGSQL.<port>`; undefined: on 127.0.0.1 alone. */
  readonly socketFolder: string | undefined;
};

/** `sun_path` holds 108 bytes on Linux and 104 on macOS, its end included. */
const SOCKET_PATH_MAX = 103;

/**
 * A cluster's own folder, which only its server's user (and root) may enter, holds the socket file. A statement through it costs the computer a
 * quarter less than one over TCP. Undefined: the path is too long for the system, it is Windows, or PostgreSQL and its programs would take the path for several.
 */
export function socketFolderOf(data: string, platform: NodeJS.Platform = process.platform): string | undefined {
  const longest = Buffer.byteLength(join(data, ".s.PGSQL.65535"));
  const isList = /[,"]/.test(data);
  return platform === "win32" || longest > SOCKET_PATH_MAX || isList ? undefined : data;
}
