import { describe, expect, test } from "vitest";
import { allowedCandidate, candidateFilter, venuePolicy } from "./remote-candidates.ts";

const interfaces = {
  lo: [{ address: "127.0.0.1", cidr: "127.0.0.1/8" }],
  eth0: [
    { address: "10.1.2.3", cidr: "10.1.2.3/24" },
    { address: "2001:db8::5", cidr: "2001:db8::5/64" },
  ],
} as unknown as Parameters<typeof venuePolicy>[0];
const line = (address: string, more = "") => `candidate:1 1 udp 2113937151 ${address} 50000 typ host${more}`;

describe("a browser's candidates", () => {
  const allowed = candidateFilter(venuePolicy(interfaces, ["10.1.2.9/32"]));

  test.each([
    ["198.51.100.7", true],
    ["192.168.5.5", false],
    ["172.20.1.1", false],
    ["172.32.1.1", true],
    ["100.100.1.1", false],
    ["10.200.0.1", false],
    ["fd00::7", false],
    ["2001:db9::1", true],
    ["10.1.2.77", false],
    ["10.1.2.9", true],
    ["127.0.0.1", false],
    ["169.254.1.1", false],
    ["224.0.0.251", false],
    ["0.0.0.0", false],
    ["2001:db8::77", false],
    ["::1", false],
    ["fe80::1", false],
    ["::ffff:127.0.0.1", false],
    ["::ffff:10.1.2.77", false],
    ["::10.1.2.77", false],
    ["64:ff9b::10.1.2.77", false],
    ["2002:0a01:024d::1", false],
    ["2001:0:4136:e378::1", false],
    ["a1b2.local", false],
    ["intranet.example", false],
  ])("%s may be probed: %s", (address, expected) => {
    expect(allowedCandidate(line(address), allowed)).toBe(expected);
  });

  test.each([
    "",
    "candidate:",
    line("198.51.100.7").replace(" 1 udp", " 2 udp"),
    line("198.51.100.7").replace("udp", "tcp"),
    line("198.51.100.7").replace("50000", "0"),
    line("198.51.100.7").replace("50000", "70000"),
    line("198.51.100.7").replace("host", "evil"),
    line("198.51.100.7", ` ${"x".repeat(400)}`),
    line("198.51.100.7\r\na=evil"),
    line("999.1.1.1"),
  ])("%j is dropped", (text) => {
    expect(allowedCandidate(text, allowed)).toBe(false);
  });

  test("a malformed network is told at start-up", () => {
    expect(() => candidateFilter({ closed: ["10.0.0.0"], open: [] })).toThrow("10.0.0.0/24".slice(0, 8));
    expect(() => candidateFilter({ closed: ["10.0.0.0/40"], open: [] })).toThrow("is not a network");
  });
});
