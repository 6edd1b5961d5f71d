import { BlockList, isIP, isIPv6 } from "node:net";

/** True for `203.0.113.7`, `2001:db8::1`, `203.0.113.0/24` and the like. */
export function isAddressOrNetwork(entry: string): boolean {
  const [address = "", prefix, ...more] = entry.split("/");
  const bits = isIPv6(address) ? 128 : 32;
  return (
    isIP(address) !== 0 &&
    more.length === 0 &&
    (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
  );
}

/** Says whether an address is one of the entries, or in one of their networks. Entries are checked by the configuration. */
export function readBlockList(entries: readonly string[]): (address: string) => boolean {
  // Most platforms block no address, and every call is checked.
  if (entries.length === 0) return () => false;
  const list = new BlockList();
  for (const entry of entries.filter(isAddressOrNetwork)) {
    const [address = "", prefix] = entry.split("/");
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv6(address) ? "ipv6" : "ipv4";
}
