import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { clientAddress, limitKey } from "./client-address.ts";

const from = (remoteAddress: string, forwarded: string | string[] | undefined, hops: number) =>
  clientAddress(
    { socket: { remoteAddress }, headers: { "x-forwarded-for": forwarded } } as unknown as IncomingMessage,
    hops,
  );

test.each([
  ["without a proxy the header is a lie", "198.51.100.1", "203.0.113.7", 0, "198.51.100.1"],
  ["one proxy", "10.0.0.1", "203.0.113.7", 1, "203.0.113.7"],
  ["one proxy, and a caller who wrote the header before it", "10.0.0.1", "1.1.1.1, 203.0.113.7", 1, "203.0.113.7"],
  ["two proxies", "10.0.0.1", "1.1.1.1, 203.0.113.7, 10.0.0.2", 2, "203.0.113.7"],
  ["a proxy that wrote nothing", "10.0.0.1", undefined, 2, "10.0.0.1"],
  ["fewer entries than proxies", "10.0.0.1", "203.0.113.7", 3, "203.0.113.7"],
  ["garbage in the header", "10.0.0.1", "<script>, , 203.0.113.7", 1, "203.0.113.7"],
  ["a proxy that does not know the caller, and a caller who wrote one", "10.0.0.1", "1.1.1.1, unknown", 1, "10.0.0.1"],
  ["a name that no address has", "10.0.0.1", "1.1.1.1, dead.beef", 1, "10.0.0.1"],
  ["a proxy that writes ports", "10.0.0.1", "1.1.1.1, 203.0.113.7:50123", 1, "203.0.113.7"],
  ["a proxy that writes brackets", "10.0.0.1", "1.1.1.1, [2001:DB8::1]:50123", 1, "2001:db8::1"],
  ["an address over IPv6", "::ffff:203.0.113.9", undefined, 0, "203.0.113.9"],
])("%s", (_name, remote, forwarded, hops, address) => expect(from(remote, forwarded, hops)).toBe(address));

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
])("limits count %s as %s", (address, key) => expect(limitKey(address)).toBe(key));
