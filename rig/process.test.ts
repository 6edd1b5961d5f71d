import { execFileSync } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { listeningPorts, processesBelow, readProcess } from "./process.ts";

test("a process is read from the system's own tables, where it has some", async () => {
  if (process.platform !== "linux") return expect(readProcess(process.pid)).toBeNull();
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const held = readProcess(process.pid);
  expect(listeningPorts(process.pid)).toContain((server.address() as AddressInfo).port);
  server.close();
  expect(held?.residentMb).toBeGreaterThan(10);
  expect(held?.ownMb).toBeLessThanOrEqual(held?.residentMb ?? 0);
  expect(held?.files).toBeGreaterThan(3);
  expect(held?.halfClosed).toBe(0);
  expect(processesBelow(process.ppid)).toContain(process.pid);
  const ended = Number(execFileSync("sh", ["-c", "echo $$"], { encoding: "utf8" }));
  expect(readProcess(ended)).toBeNull();
});
