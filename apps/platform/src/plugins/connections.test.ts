import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { createLog } from "../log.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { limitConnections } from "./connections.ts";

async function serverWith(max: number, perAddress: number | null) {
  const lines: string[] = [];
  const log = createLog({ logLevel: "info", logFormat: "json" }, { write: (line) => void lines.push(line) });
  const clock = manualClock();
  const server = createServer((_request, response) => response.end("here"));
  limitConnections(server, { max, perAddress }, { clock, log });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port: portNumber } = server.address() as AddressInfo;
  const open: Socket[] = [];

  /** True when the connection is answered, false when it is dropped. */
  async function knock(from: string): Promise<boolean> {
    const stream = connect({ port: portNumber, host: "127.0.0.1", localAddress: from });
    open.push(stream);
    return await new Promise((known) => {
      stream.on("error", () => known(false));
      stream.on("close", () => known(false));
      stream.once("data", () => known(true));
      stream.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    });
  }
  return {
    knock,
    lines,
    clock,
    drop: async (index: number) => {
      const stream = open[index]!;
      const gone = new Promise((closed) => stream.once("close", closed));
      stream.destroy();
      await gone;
    },
    close: async () => {
      for (const stream of open) stream.destroy();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

test("an address has so many connections and no more, others are not touched, and it is told once a minute", async () => {
  const venue = await serverWith(100, 3);
  for (const nth of [1, 2, 3]) expect(await venue.knock("127.0.0.2"), `connection ${nth}`).toBe(true);
  for (const nth of [1, 2, 3]) expect(await venue.knock("127.0.0.2"), `one too many ${nth}`).toBe(false);
  expect(await venue.knock("127.0.0.3")).toBe(true);
  expect(venue.lines).toHaveLength(1);
  venue.clock.advance(60_000);
  await venue.drop(0);
  await expect.poll(() => venue.knock("127.0.0.2")).toBe(true);
  await venue.close();
});

test("of everybody so many and no more, also behind a proxy", async () => {
  const venue = await serverWith(2, null);
  expect(await venue.knock("127.0.0.2")).toBe(true);
  expect(await venue.knock("127.0.0.3")).toBe(true);
  expect(await venue.knock("127.0.0.4")).toBe(false);
  await venue.drop(0);
  await expect.poll(() => venue.knock("127.0.0.4")).toBe(true);
  await venue.close();
});
