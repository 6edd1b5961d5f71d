import { networkInterfaces } from "node:os";

/** An IPv4 address of this computer other than 127.0.0.1; undefined: it is in no network. Janus sends from no other. */
export function ownAddress(): string | undefined {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
}
